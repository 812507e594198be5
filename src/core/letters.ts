/** Knows how the letters of a text get spoilt: lost, read in another encoding, encoded twice, or written as in a web page. */

import { isAscii, isUtf8 } from 'node:buffer'

/** How the letters of a text are spoilt, in so far as the text shows it; `meant` is what it probably was. */
export type Spoilt =
  | { readonly how: 'lost' }
  | { readonly how: 'encoded twice'; readonly meant: string }
  | { readonly how: 'as in a web page'; readonly letter: string }
  | { readonly how: 'question mark in a word' }

/** How the letters of a text are spoilt; undefined where nothing shows it. */
export function spoiltLetters(text: string): Spoilt | undefined {
  if (hasLostLetters(text)) return { how: 'lost' }
  const meant = decodedTwice(text)
  if (meant !== undefined) return { how: 'encoded twice', meant }
  const [letter] = webLetter.exec(text) ?? []
  if (letter !== undefined) return { how: 'as in a web page', letter }
  return /\p{L}\?\p{L}/u.test(text) ? { how: 'question mark in a word' } : undefined
}

/** False for a text in which no letter was lost or encoded twice: most texts need no other look. */
export function mayBeSpoilt(text: string): boolean {
  return text.includes('\ufffd') || unassigned.test(text) || isPerhapsDecodedTwice(text)
}

/** True if letters of the text were lost, or taken for others: it was read in the wrong encoding. */
export function hasLostLetters(text: string): boolean {
  return text.includes('\ufffd') || !text.isWellFormed() || (unassigned.test(text) && decodedTwice(text) === undefined)
}

/** Windows-1252 has no letters here, so text with these characters was written in another encoding. */
const unassigned = /[\x81\x8d\x8f\x90\x9d]/

/** The characters that the bytes from 0x80 on are in an encoding. */
function lettersOf(encoding: string): string {
  return new TextDecoder(encoding).decode(Uint8Array.from({ length: 128 }, (_, at) => at + 128))
}

const windowsLetters = lettersOf('windows-1252')

/** How the first byte and any later byte of a UTF-8 character look when read as Windows-1252. */
const leads = ['\u00c2', '\u00c3', '\u00c4', '\u00c5', '\u00e2'] as const
const follower = `[\\x80-\\xbf${windowsLetters.slice(0, 32).replaceAll(/[\x80-\xff]/g, '')}]`
const encodedTwice = new RegExp(`[${leads.join('')}]${follower}+`, 'g')

function isPerhapsDecodedTwice(text: string): boolean {
  return leads.some((letter) => text.includes(letter)) && text.search(encodedTwice) >= 0
}

/** The original of a text that was UTF-8, read as Windows-1252 or Latin-1 and encoded again; undefined if it was not. */
function decodedTwice(text: string): string | undefined {
  if (!isPerhapsDecodedTwice(text)) return undefined
  const meant = text.replace(encodedTwice, (piece) => readAsUtf8(piece, windowsOrLatin) ?? '\0')
  return meant.includes('\0') ? undefined : meant
}

/** The byte of each character from 0x80 on; undefined for an encoding that Node does not know, or with several bytes for a letter. */
export function bytesByLetter(encoding: string): ReadonlyMap<string, number> | undefined {
  try {
    const letters = lettersOf(encoding)
    return letters.length === 128 ? new Map(Array.from(letters, (letter, at) => [letter, at + 128])) : undefined
  } catch {
    return undefined
  }
}

const latinBytes = Array.from({ length: 64 }, (_, at) => [String.fromCharCode(at + 128), at + 128] as const)
const windowsOrLatin = new Map([...latinBytes, ...bytesByLetter('windows-1252')!])

/** The text read again as UTF-8; undefined if its bytes are not UTF-8. */
export function readAsUtf8(text: string, byteOf: ReadonlyMap<string, number>): string | undefined {
  const bytes = Buffer.alloc(text.length)
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const byte = code < 128 ? code : byteOf.get(text[index]!)
    if (byte === undefined) return undefined
    bytes[index] = byte
  }
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

/** How many bytes of the text are whole letters of UTF-8, if only the last one may be cut off. */
export function wholeLetters(bytes: Uint8Array): number {
  let lead = bytes.length - 1
  while (lead > 0 && lead > bytes.length - 4 && (bytes[lead]! & 0xc0) === 0x80) lead -= 1
  const first = bytes[lead] ?? 0
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1
  return lead + length > bytes.length ? lead : bytes.length
}

// TextDecoder does not know the encoding of DOS (cp850).
const lettersOfDos =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0'

/** The letters from 0x80 on of the encodings that are most often taken for another one: as they are read, and as they are meant. */
const mistaken = [
  ...[lettersOfDos, ...['macintosh', 'windows-1250'].map(lettersOf)].map((meant) => [windowsLetters, meant] as const),
  [lettersOfDos, windowsLetters] as const,
]

/** A letter as web pages write it: &amp; or &#39; or &ouml;. */
const webLetter = /&(#\d{1,6}|#x[\da-f]{1,5}|[a-z]{2,8});/i
const webLetters = new RegExp(webLetter, 'gi')
const webNames: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", szlig: 'ß' }
const webMarks: Readonly<Record<string, string>> = {
  uml: '\u0308',
  acute: '\u0301',
  grave: '\u0300',
  circ: '\u0302',
  tilde: '\u0303',
  ring: '\u030a',
  cedil: '\u0327',
  caron: '\u030c',
  macr: '\u0304',
}

/** The texts, in NFC, that this one may have been. */
export function textsBehindLetters(text: string): readonly string[] {
  if (webLetter.test(text)) return [text.replaceAll(webLetters, letterOfWeb).normalize('NFC')]
  if (!/[^\x00-\x7f]/.test(text)) return []
  const letters = Array.from(text.normalize('NFC'))
  const readings = mistaken.map(([read, meant]) =>
    letters.map((letter) => (letter <= '\x7f' ? letter : (meant[read.indexOf(letter)] ?? '\0'))).join(''),
  )
  return [...readings, decodedTwice(text) ?? '\0']
    .filter((each) => !each.includes('\0'))
    .map((each) => each.normalize('NFC'))
}

function letterOfWeb(written: string, code: string): string {
  const [, hex, digits] = /^#(?:x([\da-f]+)|(\d+))$/i.exec(code) ?? []
  const number = hex === undefined ? Number(digits) : Number.parseInt(hex, 16)
  if (number <= 0x10_ffff) return String.fromCodePoint(number)
  const [, letter, mark] = /^([a-z])([a-z]+)$/i.exec(code) ?? []
  return webNames[code] ?? (letter !== undefined && webMarks[mark!] !== undefined ? letter + webMarks[mark!]! : written)
}

/** A text with question marks for its special letters, as programs write those that their encoding lacks. */
export function withQuestionMarks(text: string): string {
  return text.normalize('NFC').replaceAll(/[^\x00-\x7f]/gu, '?')
}

/** Whether one text is the other with question marks for some of its special letters. */
export function lacksOnlyLetters(now: string, before: string): boolean {
  const letters = Array.from(before.normalize('NFC'))
  const left = Array.from(now.normalize('NFC'))
  const isLost = (letter: string, index: number): boolean => letter === '?' && letters[index]! > '\x7f'
  return (
    left.length === letters.length &&
    left.some(isLost) &&
    left.every((letter, index) => letter === letters[index] || isLost(letter, index))
  )
}

/** Whether one text is another one with spoilt letters. */
export function isSpoiltFrom(now: string, before: string): boolean {
  const [is, was] = [now.normalize('NFC'), before.normalize('NFC')]
  return is !== was && (textsBehindLetters(is).includes(was) || lacksOnlyLetters(is, was))
}

/** A word as Windows-1252 would have it, and how the encodings that may be meant read it. */
export type ForeignText = {
  readonly word: string
  readonly readings: readonly { readonly encoding: string; readonly word: string }[]
}

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
  for (const match of new TextDecoder('windows-1252').decode(bytes).matchAll(words)) {
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
    return /[\u3041-\u30fe]/.test(new TextDecoder('shift_jis', { fatal: true }).decode(bytes, { stream: true }))
  } catch {
    return false
  }
}

/** A word has one case, or one capital in front; some scripts have no case. */
const aWord = /^(?:\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+|[\p{Lo}\p{Lm}]+)$/u

/** Windows-1252 has one byte for each character. */
function shown(bytes: Uint8Array, { 0: word, index }: RegExpExecArray, encodings: readonly string[]): ForeignText {
  const written = bytes.subarray(index, index + word.length)
  const readings = encodings.map((encoding) => ({ encoding, word: new TextDecoder(encoding).decode(written) }))
  return { word, readings: readings.filter((each) => aWord.test(each.word)) }
}

/**
 * The possible encoding of a whole table's text. `dos` is a code page of DOS, `windows` is none of those, `other` anything that is not
 * UTF-8, unless its words show that it is not Windows-1252 either.
 */
export type TextTrial = 'ascii' | 'utf-8' | 'dos' | 'windows' | 'other' | ForeignText

const lineFeed = Buffer.from('\n')

// Letters of the Western code pages of DOS that are symbols or unassigned in Windows-1252. Bytes that are letters or
// apostrophes (0x91 to 0x93) in both prove nothing.
const codesOfDos = new Set([
  0x81, 0x82, 0x83, 0x84, 0x86, 0x87, 0x88, 0x89, 0x8b, 0x8d, 0x90, 0x94, 0x95, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5,
])
// Small letters of Windows-1252 that are symbols or capitals in those pages. The letters that both have, such as 0xe1, prove nothing.
const codesOfWindows = new Set([
  0xdf, 0xe0, 0xe2, 0xe8, 0xe9, 0xea, 0xeb, 0xed, 0xee, 0xef, 0xf1, 0xf2, 0xf3, 0xf4, 0xf6, 0xf8, 0xf9, 0xfa, 0xfb,
  0xfc,
])

/** Starts a trial of cells. `fills` means that the cell is full to its last byte, so a letter may be cut off. */
export function startTrial() {
  let hasUtf8 = false
  let hasOther = false
  let ofDos = 0
  let ofWindows = 0
  let neverOfDos = 0
  const sample: Buffer[] = []
  let sampled = 0
  return {
    add(bytes: Buffer, fills: boolean): void {
      if (isAscii(bytes)) return
      if (isUtf8(bytes) || (fills && isUtf8(bytes.subarray(0, wholeLetters(bytes))))) {
        hasUtf8 = true
        return
      }
      hasOther = true
      if (sampled < sampleBytes) {
        sample.push(Buffer.from(bytes), lineFeed)
        sampled += bytes.length
      }
      for (let at = 1; at + 1 < bytes.length; at += 1) {
        const code = bytes[at]!
        if (code < 0x80 || !isLetter(bytes[at - 1]!) || !isLetter(bytes[at + 1]!)) continue
        if (codesOfDos.has(code) || (code === 0xe1 && isSharpS(bytes, at))) ofDos += 1
        else if (code >= 0xc0 && code !== 0xe1) ofWindows += 1
        if (codesOfWindows.has(code) && bytes[at - 1]! >= 0x61) neverOfDos += 1
      }
    },
    verdict(): TextTrial {
      if (!hasOther) return hasUtf8 ? 'utf-8' : 'ascii'
      // DOS has few letters above 0xc0; its sharp s is 0xe1.
      if (ofDos > ofWindows * 4) return 'dos'
      return foreignText(Buffer.concat(sample)) ?? (ofDos === 0 && neverOfDos > 0 ? 'windows' : 'other')
    },
  }
}

/** True where an á would be between vowels (Straáe): it is the ß of DOS. */
function isSharpS(bytes: Buffer, at: number): boolean {
  return /[aeiou]áe/.test(bytes.toString('latin1', at - 1, at + 2))
}

function isLetter(code: number): boolean {
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x7a
}
