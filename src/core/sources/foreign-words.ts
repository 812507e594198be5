/** Recognises text in another encoding that would be read as Windows-1252, by words that no language writes in it. */

import { WindrowError } from '../error.ts'

/** A word as Windows-1252 would have it, and how the encodings that may be meant read it. */
export type ForeignText = {
  readonly word: string
  readonly readings: readonly { readonly encoding: string; readonly word: string }[]
}

const decoderOf = (encoding: string, fatal = false): InstanceType<typeof TextDecoder> =>
  new TextDecoder(encoding, { fatal })
// Longer ones are looked at in pieces: the signs below would take time with the square of their length.
const words = /[A-Za-z\u0080-\uffff]{1,40}/g

/** What no word has in Windows-1252, and the encodings in which it would be a word. */
const signs: readonly (readonly [sign: RegExp, encodings: readonly string[]])[] = [
  // Symbols inside a word, but not those of m³: Polish in Windows-1250, œ in Latin-9, and UTF-8 with a broken letter elsewhere.
  [/(?:(?!m³)[\p{L}£¥¯³¹¿¼½¾][£¥¯³¹¿¼½¾])[a-z]|^¯[a-z]/u, ['utf-8', 'windows-1250', 'iso-8859-15']],
  // Letters of UTF-8, as in KÅ\x8dwhai, in a file that is not UTF-8 elsewhere; Å’s and Ä–z may be meant.
  [/[ÃÄÅ](?![’–])[\x80-\x9f\u0152-\u2122¡-¿](?:[a-z]|[ÃÄÅ])/, ['utf-8']],
  // The š and ž of Czech and Croatian together with what stands for their other letters.
  [/[šžŠŽ].*[ìøùïòèæð]|[ìøùïòèæðØÌÏÈ].*[šžŠŽ]/, ['windows-1250']],
  // The þ of Icelandic together with letters that Icelandic lacks: Turkish and Baltic languages.
  [/[þÞ].*[çÇüÜàÀëËûÛèÈêÊ]|[çÇüÜàÀëËûÛèÈêÊ].*[þÞ]/, ['windows-1254', 'windows-1257']],
  // The ß, é, í and ã of DOS programs (Straáe, Caf‚, R¡o, FeijÆo), which none of the encodings here can read.
  [/[aeiou]áe|[a-z][‚„]$|[a-z]Æ[a-z]|[A-Za-z]¡[a-z]/, []],
  // A capital or symbol before a small letter: old Macintosh and DOS programs.
  [/[A-Za-z][ŽŠŸŒ‚„”†‡ˆ‰™§‹›ƒ•¤¢][a-z]/, ['macintosh']],
]

/** Text of this length has enough words to judge a whole file by. */
export const sampleBytes = 1 << 16

/** Words of special letters alone, as in other alphabets. */
const otherAlphabets = ['windows-1251', 'windows-1253', 'gbk', 'euc-kr', 'big5']

/** The text that these bytes would be in Windows-1252, if that is not what they are; undefined where nothing shows it. */
export function foreignText(bytes: Uint8Array): ForeignText | undefined {
  const isJapanese = isShiftJis(bytes)
  let alone: RegExpExecArray | undefined
  let balance = 0
  for (const match of decoderOf('windows-1252').decode(bytes).matchAll(words)) {
    const [word] = match
    if (!/[^\x00-\x7f]/.test(word)) continue
    if (isJapanese) return shown(bytes, match, ['shift_jis'])
    const sign = signs.find(([each]) => each.test(word))
    if (sign !== undefined) return shown(bytes, match, sign[1])
    const hasPlain = /[A-Za-z]/.test(word)
    if (hasPlain) balance -= 1
    else if (word.length >= 4 && (word.match(/\p{L}/gu)?.length ?? 0) >= 2) {
      balance += 1
      alone ??= match
    }
  }
  return alone !== undefined && balance > 0 ? shown(bytes, alone, otherAlphabets) : undefined
}

/** Full-width kana prove it; pictographs alone may be accents by chance. */
function isShiftJis(bytes: Uint8Array): boolean {
  try {
    // Streamed, because the last character may be cut off.
    return /[\u3041-\u30fe]/.test(decoderOf('shift_jis', true).decode(bytes, { stream: true }))
  } catch {
    return false
  }
}

/** A word has one case, or one capital in front; some scripts have no case. */
const aWord = /^(?:\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+|[\p{Lo}\p{Lm}]+)$/u

/** Windows-1252 has one byte for each character. */
function shown(bytes: Uint8Array, { 0: word, index }: RegExpExecArray, encodings: readonly string[]): ForeignText {
  const written = bytes.subarray(index, index + word.length)
  const readings = encodings.map((encoding) => ({ encoding, word: decoderOf(encoding).decode(written) }))
  return { word, readings: readings.filter((each) => aWord.test(each.word)) }
}

/** The error of a file in which these words were found; `said` is what it declares. */
export function foreignTextError(
  { word, readings }: ForeignText,
  said = 'The file does not say which text encoding it uses. It is not UTF-8.',
): WindrowError {
  const choices = readings.map((each) => `--encoding ${each.encoding} (${each.word})`).join(', ')
  const choose =
    choices === ''
      ? ''
      : `Add the one that makes sense: ${choices}; in a pipeline,  encoding:  under from. Or export it `
  return new WindrowError('encoding-unknown', `${said} As Windows-1252 it would have words such as "${word}".`, {
    hint: `${choose === '' ? 'Export it ' : choose}again as UTF-8 ("CSV UTF-8" in Excel). If it is right as it is:  --encoding windows-1252`,
  })
}
