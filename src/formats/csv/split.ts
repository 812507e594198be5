/** Cuts streamed text into records with papaparse, with flat memory, and locates faults in their quotes. Owns papaparse. */

import type Papa from 'papaparse'
import { createRequire } from 'node:module'
import { once } from '../../core/once.ts'
import { mayBeSpoilt } from '../../core/letters.ts'

const library = once(() => createRequire(import.meta.url)('papaparse') as typeof Papa)

/** `quote` is empty if none are read; `escape` is the character before a quote inside a cell if it is not doubled. */
export type Dialect = { readonly delimiter: string; readonly quote: string; readonly escape?: string }

/** What is wrong with a record: an unclosed quote, a quote in the middle of a quoted cell, or no end in sight. */
export type RecordFault = 'unclosed' | 'stray' | 'endless'

type Parsed = {
  readonly data: readonly (readonly string[])[]
  readonly errors: readonly { readonly row: number }[]
  readonly meta: { readonly cursor: number }
}

/**
 * Splits text whose line breaks are line feeds into records, by RFC 4180 and with common extensions: spaces before and
 * after the quotes of a cell, single quotes inside a quoted cell. Without `isLast` an incomplete last record is left for later.
 * Returns whole records in order, their faults by index, and where in the text the rest begins.
 */
export function splitRecords(text: string, dialect: Dialect, isLast: boolean) {
  const { delimiter, quote } = dialect
  const standard = withStandardQuotes(text, dialect, isLast)
  const isCutOff = isLast && text !== '' && !text.endsWith('\n')
  // papaparse takes a quote before spaces and the end of the text as part of the cell; a line feed there prevents this.
  const lines = isCutOff ? `${standard}\n` : standard
  const parser = new (library().Parser)({
    delimiter,
    newline: '\n',
    quoteChar: quote,
    ...(quote === '' ? { fastMode: true } : {}),
  })
  const { data, errors, meta } = parser.parse(lines, 0, true) as Parsed
  const faults = new Map<number, RecordFault>()
  for (const { row } of errors) if (row < data.length) faults.set(row, 'stray')
  const isUnclosed = isLast && meta.cursor < lines.length
  const last = isUnclosed ? (parser.parse(standard.slice(meta.cursor), 0, false) as Parsed).data : []
  if (isUnclosed) faults.set(data.length, 'unclosed')
  const cells = isUnclosed ? [...data, ...last] : data
  const meant = standard.includes('\0') ? cells.map((record) => record.map((cell) => shown(cell, quote))) : cells
  return { cells: meant, faults, end: isLast ? text.length : meta.cursor }
}

/**
 * The text in a form that papaparse can read, with the same length. It does not accept spaces before a quoted cell, so they are moved
 * behind the cell; and it does not know that of two escapes the second escapes nothing, so escaped text in a quoted cell is hidden
 * from it. After spaces a quote is text if it is not closed in its line or something follows its cell.
 */
function withStandardQuotes(text: string, { delimiter, quote, escape }: Dialect, isLast: boolean): string {
  if (quote === '') return text
  const [separator, mark] = [inPattern(delimiter), inPattern(quote)]
  // A quote after a space is rare, so it is looked for first, and then what is before it.
  const isIndented = delimiter !== ' ' && new RegExp(` ${mark}(?<=(?:^|[${separator}\n]) +${mark})`).test(text)
  const isEscaped = escape !== undefined && text.includes(escape)
  if (!isIndented && !isEscaped) return text
  const end = `[^\\S\n]*(?:[${separator}\n]${isLast ? '|$' : ''})`
  const escaping = escape === undefined ? '' : inPattern(escape)
  const quotedCell = (without: string, stray: string): string => {
    const plain = `[^${mark}${escaping}${without}]*`
    const escaped = escape === undefined ? '' : `|${escaping}[^${without}]`
    return `${mark}${plain}(?:(?:${mark}${mark}${escaped}${stray})${plain})*${mark}(?=${end})`
  }
  // A cell that is never closed takes the rest of the text.
  const flush = `${quotedCell('', `|${mark}(?!${mark}|${end})`)}|${mark}[^]*`
  const indented = isIndented ? `| +${quotedCell('\n', '')}` : ''
  return text.replace(new RegExp(`(?<=^|[${separator}\n])(?:${flush}${indented})`, 'g'), (cell) => {
    const at = cell.indexOf(quote)
    const standard = cell.slice(at) + cell.slice(0, at)
    return escape === undefined ? standard : hidden(standard, quote, escape)
  })
}

// Split text contains no zero characters.
function hidden(cell: string, quote: string, escape: string): string {
  const escaped = new RegExp(`${inPattern(escape)}([${inPattern(quote)}${inPattern(escape)}])`, 'g')
  return cell.replace(escaped, (_, character: string) => (character === quote ? '\0\0' : `\0${character}`))
}

function shown(cell: string, quote: string): string {
  return cell.replace(/\0([^])/g, (_, character: string) => (character === '\0' ? quote : character))
}

/** A character as a regular expression writes it, whatever it means there. */
export function inPattern(character: string): string {
  return character === '' ? '' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/**
 * Some records in order; `faults` is by index in `cells`, `isDoubtful` means that lost or doubly encoded letters may be
 * in them, `hasBreaks` that a cell may have a line break, and `isCut` that the rest of the text was given up.
 */
export type RecordChunk = {
  readonly cells: readonly (readonly string[])[]
  readonly faults: ReadonlyMap<number, RecordFault>
  readonly isDoubtful: boolean
  readonly hasBreaks: boolean
  readonly isCut: boolean
}

/** Half a decoded piece, so that memory stays small. */
const pieceChars = 1 << 13

/** No record is longer than this: an open quote that takes in more is reported as unclosed, and the rest is not read. */
const recordChars = 1 << 22

/** Reads records from text whose line breaks are line feeds. */
export async function* readRecords(texts: AsyncIterable<string>, dialect: Dialect): AsyncGenerator<RecordChunk> {
  let pending = ''
  let wanted = pieceChars
  for await (const text of texts) {
    pending += text
    if (pending.length < wanted) continue
    const { chunk, end } = recordsOf(pending, dialect, false)
    if (chunk.cells.length > 0) yield chunk
    pending = pending.slice(end)
    // Waiting for twice the text avoids splitting one long record again with every piece.
    wanted = Math.min(recordChars, Math.max(pieceChars, pending.length * 2))
    if (pending.length >= recordChars) {
      const fault = dialect.quote !== '' && pending.includes(dialect.quote) ? 'unclosed' : 'endless'
      yield { cells: [[pending]], faults: new Map([[0, fault]]), isDoubtful: false, hasBreaks: true, isCut: true }
      return
    }
  }
  // Old programs end a text with the character 26.
  if (pending.endsWith('\x1a')) pending = pending.slice(0, -1)
  const { chunk } = recordsOf(pending, dialect, true)
  if (chunk.cells.length > 0) yield chunk
}

function recordsOf(text: string, dialect: Dialect, isLast: boolean) {
  const { cells, faults, end } = splitRecords(text, dialect, isLast)
  const meant = text.includes('="') ? cells.map(constantsMeant) : cells
  const hasBreaks = linesIn(text, end) > cells.length
  return { end, chunk: { cells: meant, faults, isDoubtful: mayBeSpoilt(text), hasBreaks, isCut: false } }
}

function linesIn(text: string, end: number): number {
  let lines = text[end - 1] === '\n' ? 0 : 1
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}

/** Programs write `="00123"` so that Excel keeps the zeros: a formula that only contains a quoted text means that text. */
function constantsMeant(cells: readonly string[]): readonly string[] {
  return cells.map((cell) => {
    if (!cell.startsWith('="')) return cell
    const [, text] = /^="((?:[^"]|"")*)"$/.exec(cell.trimEnd()) ?? []
    return text === undefined ? cell : text.replaceAll('""', '"')
  })
}
