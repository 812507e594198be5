/** Detects a file's text encoding over the whole file, and decodes it as a stream. */

import { isUtf8 } from 'node:buffer'
import { WindrowError } from '../error.ts'
import { foreignText, sampleBytes, wholeLetters, type ForeignText } from '../letters.ts'
import { chosen } from '../row.ts'
import type { Decider } from '../rule.ts'
import type { Source } from './source.ts'

/**
 * The encoding of a file: `name` is the value for the option `encoding`, `guessed` means that nothing in the file
 * proves it, `doubt` is a sentence if the file contradicts the option.
 */
export type Encoding = {
  readonly name: string
  readonly bomBytes: number
  readonly evidence: string
  readonly guessed: boolean
  readonly doubt?: string
}

/** The bytes of a whole file: the first that is not UTF-8, in a sentence, words that are none in Windows-1252, and what the file declares. */
export type EncodingFacts = {
  readonly bytes: number
  readonly misfit: string | undefined
  readonly foreign: ForeignText | undefined
  readonly declared?: string | undefined
}

export const encodingDecider: Decider<EncodingFacts, Encoding> = {
  id: 'encoding',
  about: 'file',
  decides: 'from.encoding',
  why: 'A file whose bytes are all valid UTF-8 is UTF-8, whatever it declares: text in other encodings is never valid UTF-8 by chance. Otherwise it is what it declares, or Windows-1252, unless its words show that it is another one; then say which.',
  find({ bytes, misfit, foreign, declared }) {
    if (misfit === undefined)
      return { name: 'utf-8', bomBytes: 0, evidence: `All ${bytes} bytes are valid UTF-8.`, guessed: false }
    if (declared !== undefined) return declaredEncoding(declared)
    return foreign === undefined ? { name: 'windows-1252', bomBytes: 0, evidence: misfit, guessed: true } : undefined
  },
  says: ({ name, evidence, guessed }) => chosen('from.encoding', name, evidence, guessed ? 'utf-8' : undefined),
}

function declaredEncoding(declared: string): Encoding {
  return { name: encodingNamed(declared), bomBytes: 0, evidence: 'The file declares it.', guessed: false }
}

/** The encoding that is said, that the file states by a byte order mark, or that it declares; else UTF-8. */
export async function statedEncoding(source: Source, said?: string, declared?: string): Promise<Encoding> {
  const mark = byteOrderMark(await source.read(0, 4096))
  if (said !== undefined) return enforced(said, mark)
  if (mark !== undefined) return marked(mark)
  if (declared !== undefined) return declaredEncoding(declared)
  return { name: 'utf-8', bomBytes: 0, evidence: 'The usual encoding.', guessed: false }
}

function marked(mark: Marked): Encoding {
  return { ...mark, evidence: `The file begins with the byte order mark of ${mark.name}.`, guessed: false }
}

/** Detects the encoding of a whole source, or checks the one that was given. Reads the source once unless its beginning decides. */
export async function decideEncoding(source: Source, wanted?: string, declared?: string): Promise<Encoding> {
  const head = await source.read(0, 4096)
  if (wanted !== undefined) return enforced(wanted, byteOrderMark(head))
  const shown = encodingOfHead(head)
  if (shown !== undefined) return shown
  const watch = watchEncoding()
  for await (const chunk of source.stream()) if (watch.add(chunk) === 'enough') break
  return watch.end(declared)
}

/** Decides about bytes that pass. `end` throws where their words show that they are in another encoding. */
export function watchEncoding() {
  let carry = new Uint8Array(0)
  let bytes = 0
  let misfit: string | undefined
  let sample: Uint8Array = carry
  return {
    add(chunk: Uint8Array): 'more' | 'enough' {
      if (misfit === undefined) {
        const joined = carry.length === 0 ? chunk : Buffer.concat([carry, chunk])
        const whole = wholeLetters(joined)
        if (!isUtf8(joined.subarray(0, whole))) {
          misfit = misfitSentence(joined, bytes)
          sample = Uint8Array.from(joined)
        }
        carry = Uint8Array.from(joined.subarray(whole))
        bytes += whole
      } else if (sample.length < sampleBytes) sample = Buffer.concat([sample, chunk])
      return sample.length >= sampleBytes ? 'enough' : 'more'
    },
    end(declared?: string): Encoding {
      if (misfit === undefined && carry.length > 0) {
        sample = carry
        misfit = misfitSentence(carry, bytes)
      }
      const foreign = misfit === undefined ? undefined : foreignText(sample)
      const found = encodingDecider.find({ bytes, misfit, foreign, declared })
      if (found === undefined) throw foreignTextError(foreign!)
      return found
    },
  }
}

/** The error of a file in which these words were found; `said` is what it declares. */
export function foreignTextError(
  { word, readings }: ForeignText,
  said = 'The file does not say which text encoding it uses. It is not UTF-8.',
): WindrowError {
  const choices = readings.map((each) => `${each.encoding} (${each.word})`).join(', ')
  const choose = choices === '' ? '' : `Set from.encoding to the one that makes sense: ${choices}. Or export it `
  return new WindrowError('encoding-unknown', `${said} As Windows-1252 it would have words such as "${word}".`, {
    hint: `${choose === '' ? 'Export it ' : choose}again as UTF-8 ("CSV UTF-8" in Excel). If it is right as it is:  from.encoding: windows-1252`,
  })
}

/** The encoding shown by a byte order mark or by the zeros of UTF-16 in the first bytes; undefined otherwise. */
export function encodingOfHead(head: Uint8Array): Encoding | undefined {
  const mark = byteOrderMark(head)
  if (mark !== undefined) return marked(mark)
  const wide = wideByNulls(head)
  if (wide === undefined) return undefined
  const evidence = 'Every second byte at the start is zero, as in UTF-16.'
  return { name: wide, bomBytes: 0, evidence, guessed: true }
}

function byteOrderMark(head: Uint8Array): Marked | undefined {
  const [a, b, c, d] = head
  if (a === 0xef && b === 0xbb && c === 0xbf) return { name: 'utf-8', bomBytes: 3 }
  if (a === 0xff && b === 0xfe && c === 0 && d === 0)
    throw new WindrowError('encoding-unknown', 'The text is encoded as UTF-32, which hardly any program reads.', {
      hint: 'Save the file as UTF-8.',
    })
  if (a === 0xff && b === 0xfe) return { name: 'utf-16le', bomBytes: 2 }
  if (a === 0xfe && b === 0xff) return { name: 'utf-16be', bomBytes: 2 }
  return undefined
}

function enforced(wanted: string, mark: Marked | undefined): Encoding {
  const name = encodingNamed(wanted)
  const evidence = 'Set, not guessed.'
  if (mark === undefined) return { name, bomBytes: 0, evidence, guessed: false }
  // "UTF-16" alone means little-endian in the standard's table; the byte order mark is more reliable.
  const isBigEndian = wanted.toLowerCase() === 'utf-16' && mark.name === 'utf-16be'
  if (isBigEndian || mark.name === name) return { ...mark, evidence, guessed: false }
  const doubt = `The file begins with the byte order mark of ${mark.name}, but the option encoding is ${name}.`
  return { name, bomBytes: 0, evidence, guessed: false, doubt }
}

function encodingNamed(wanted: string): string {
  try {
    return new TextDecoder(wanted).encoding
  } catch (cause) {
    throw new WindrowError('encoding-unknown', `"${wanted}" is not a text encoding that windrow knows.`, {
      hint: 'Use for example utf-8, windows-1252, utf-16le, iso-8859-15 or windows-1250.',
      cause,
    })
  }
}

/** True if text begins here: a byte order mark is not needed, but zero bytes are allowed only as in UTF-16. */
export function looksLikeText(head: Uint8Array): boolean {
  const [a, b] = head
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return true
  return !head.includes(0) || wideByNulls(head) !== undefined
}

function wideByNulls(head: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const pairs = head.length >> 1
  let first = 0
  let second = 0
  for (let pair = 0; pair < pairs; pair += 1) {
    if (head[pair * 2] === 0) first += 1
    if (head[pair * 2 + 1] === 0) second += 1
  }
  // Western text in UTF-16 has a zero in nearly every pair; macrons and typographic quotes do not.
  if (pairs >= 2 && second > pairs * 0.6 && first === 0) return 'utf-16le'
  if (pairs >= 2 && first > pairs * 0.6 && second === 0) return 'utf-16be'
  return undefined
}

function misfitSentence(bytes: Uint8Array, before: number): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const text = buffer.toString('utf8')
  const at = Buffer.byteLength(text.slice(0, Math.max(0, text.indexOf('\ufffd'))))
  const from = Math.max(0, at - 12)
  const around = windows1252.decode(buffer.subarray(from, at + 12)).replace(/[\x00-\x1f\x7f]+/g, ' ')
  return `Byte ${before + at} is not UTF-8; as Windows-1252 it reads "${around.trim()}".`
}

const windows1252 = new TextDecoder('windows-1252')

/** Longer texts stay in memory longer and double the size of the process. */
const pieceBytes = 1 << 14

type Marked = Pick<Encoding, 'name' | 'bomBytes'>

/** Decodes a stream of bytes; invalid bytes become U+FFFD. */
export async function* decodeText(chunks: AsyncIterable<Uint8Array>, encoding: Marked): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding.name, { ignoreBOM: true })
  let skip = encoding.bomBytes
  for await (const chunk of chunks) {
    for (let from = Math.min(skip, chunk.length); from < chunk.length; from += pieceBytes) {
      const text = decoder.decode(chunk.subarray(from, from + pieceBytes), { stream: true })
      if (text !== '') yield text
    }
    skip = Math.max(0, skip - chunk.length)
  }
  const rest = decoder.decode()
  if (rest !== '') yield rest
}

/** The bytes of a text as UTF-8, without a byte order mark; those of a text in UTF-8 unchanged. */
export async function* asUtf8(chunks: AsyncIterable<Uint8Array>, encoding: Marked): AsyncGenerator<Uint8Array> {
  if (encoding.name !== 'utf-8') {
    for await (const text of decodeText(chunks, encoding)) yield Buffer.from(text)
    return
  }
  let skip = encoding.bomBytes
  for await (const chunk of chunks) {
    yield chunk.subarray(skip)
    skip = Math.max(0, skip - chunk.length)
  }
}

/** Turns every kind of line break into a line feed, also if CR and LF are in different chunks. */
export async function* withLineFeeds(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let held = ''
  for await (const text of texts) {
    const joined = held + text
    let end = joined.length
    while (end > 0 && end > joined.length - 2 && joined[end - 1] === '\r') end -= 1
    held = joined.slice(end)
    if (end > 0) yield lineFeeds(joined.slice(0, end))
  }
  if (held !== '') yield lineFeeds(held)
}

function lineFeeds(text: string): string {
  // Text that passed through Windows' text mode twice has CR CR LF, which is one line break.
  return text.includes('\r') ? text.replace(/\r\r?\n|\r/g, '\n') : text
}
