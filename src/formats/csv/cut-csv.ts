/** Cuts a CSV file between two records, where its quotes leave no doubt about where records end. */

import type { Range } from '../../core/row.ts'
import type { Source } from '../../core/sources/source.ts'
import type { Encoding } from '../../core/sources/text.ts'
import { inPattern, type Dialect } from './split.ts'

type Cutting = {
  readonly encoding: Encoding
  readonly dialect: Dialect
  readonly bytes: number
  readonly signal: AbortSignal | undefined
}

/** In these encodings the bytes of the signs of CSV are never parts of other letters. */
const plainEncodings = /^(utf-8|windows-125\d|iso-8859-\d+|macintosh)$/

// Much shorter than the longest record that the reader takes in one piece.
const longestRecord = 1 << 20
// A row with fewer filled cells may be a note below the table.
const enoughFilled = 3

/**
 * The ranges of about so many bytes. Undefined for a file in which one quote is not where RFC 4180 wants it, because then every line
 * break behind it may be inside a cell.
 */
export async function cutCsv(
  source: Source,
  { encoding, dialect, bytes, signal }: Cutting,
): Promise<readonly Range[] | undefined> {
  const { delimiter, quote, escape } = dialect
  const isPlain = plainEncodings.test(encoding.name) && escape === undefined && /^[\0-\x7f]+$/.test(delimiter + quote)
  if (source.size < 2 * bytes || !isPlain) return undefined
  const { record, cell } = patternsOf(dialect)
  const ranges: Range[] = []
  let [row, from, rowFrom, at] = [0, 0, 0, encoding.bomBytes]
  let rest = ''
  for await (const chunk of source.stream(signal, at)) {
    // The reader leaves zeros out.
    if (chunk.includes(0)) return undefined
    // One letter a byte, so that places in the text are places in the file.
    const text = rest + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')
    let begin = 0
    for (record.lastIndex = 0; record.test(text); begin = record.lastIndex) {
      const end = record.lastIndex
      if (end - begin > longestRecord) return undefined
      row += 1
      if (at + end - from < bytes || !isFull(text.slice(begin, end).match(cell)!)) continue
      ranges.push({ from, to: at + end, firstRow: rowFrom + 1, row: rowFrom, isLast: false })
      from = at + end
      rowFrom = row
    }
    rest = text.slice(begin)
    at += begin
    if (rest.length > longestRecord) return undefined
  }
  record.lastIndex = 0
  if (rest.endsWith('\r') || !record.test(`${rest}\n`)) return undefined
  const size = at + rest.length
  // A short rest belongs to the last range.
  const last = size - from < bytes / 2 ? ranges.pop() : undefined
  const begun = last ?? { from, firstRow: rowFrom + 1, row: rowFrom }
  ranges.push({ ...begun, to: size, isLast: true })
  return ranges
}

function isFull(cells: readonly string[]): boolean {
  return cells.filter((cell) => cell !== '').length >= Math.min(cells.length, enoughFilled)
}

/** A record by RFC 4180 with its line break, and each cell in it. */
function patternsOf({ delimiter, quote }: Dialect): { readonly record: RegExp; readonly cell: RegExp } {
  const [separator, mark] = [inPattern(delimiter), inPattern(quote)]
  const plain = `[^${separator}${mark}\\r\\n]*`
  const cell = quote === '' ? plain : `(?:${mark}[^${mark}]*(?:${mark}${mark}[^${mark}]*)*${mark}|${plain})`
  return {
    record: new RegExp(`${cell}(?:${separator}${cell})*\\r?\\n`, 'y'),
    cell: new RegExp(`(?<=^|${separator})${cell}(?=${separator}|\\r?\\n)`, 'g'),
  }
}
