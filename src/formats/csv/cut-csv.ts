/** Cuts a CSV file between two records, where its quotes leave no doubt about where records end. */

import type { Range } from '../../core/row.ts'
import type { Source } from '../../core/sources/source.ts'
import type { Encoding } from '../../core/sources/text.ts'
import type { Dialect } from './split.ts'

type Cutting = {
  readonly encoding: Encoding
  readonly dialect: Dialect
  readonly bytes: number
  readonly signal: AbortSignal | undefined
}

/** What a byte may be; all others are text. */
const [text, delimiter, quote, lineFeed, carriageReturn] = [0, 1, 2, 3, 4]

/** Before the first byte of a cell, in a cell without quotes, in a quoted one, and behind the closing quote. */
const [atStart, inPlain, inQuoted, behindQuote] = [0, 1, 2, 3]

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
  const meaning = meaningsOf(dialect)
  const quoteByte = dialect.quote.charCodeAt(0)
  if (source.size < 2 * bytes || meaning === undefined || !plainEncodings.test(encoding.name)) return undefined
  const ranges: Range[] = []
  let state = atStart
  let isReturned = false
  let [before, row, from, rowFrom, recordFrom, cells, filled] = [0, 0, 0, 0, 0, 1, 0]
  for await (const chunk of source.stream(signal)) {
    // The reader leaves zeros out.
    if (chunk.includes(0)) return undefined
    for (let index = before === 0 ? encoding.bomBytes : 0; index < chunk.length; index += 1) {
      if (state === inQuoted) {
        const end = chunk.indexOf(quoteByte, index)
        if (end < 0) break
        index = end
        state = behindQuote
        continue
      }
      const what = meaning[chunk[index]!]!
      if (isReturned && what !== lineFeed) return undefined
      if (what === text) {
        if (state === inPlain) continue
        if (state === behindQuote) return undefined
        state = inPlain
        filled += 1
      } else if (what === delimiter) {
        state = atStart
        cells += 1
      } else if (what === quote) {
        if (state === inPlain) return undefined
        if (state === atStart) filled += 1
        state = inQuoted
      } else if (what === lineFeed) {
        const end = before + index + 1
        if (end - recordFrom > longestRecord) return undefined
        row += 1
        if (end - from >= bytes && filled >= Math.min(cells, enoughFilled)) {
          ranges.push({ from, to: end, firstRow: rowFrom + 1, row: rowFrom, isLast: false })
          from = end
          rowFrom = row
        }
        ;[state, isReturned, recordFrom, cells, filled] = [atStart, false, end, 1, 0]
      } else isReturned = true
    }
    before += chunk.length
  }
  if (state === inQuoted || isReturned || before - recordFrom > longestRecord) return undefined
  // A short rest belongs to the last range.
  const last = before - from < bytes / 2 ? ranges.pop() : undefined
  const begun = last ?? { from, firstRow: rowFrom + 1, row: rowFrom }
  ranges.push({ ...begun, to: before, isLast: true })
  return ranges
}

/** The meaning of each byte; undefined for a dialect whose signs are not single bytes, or that escapes quotes otherwise. */
function meaningsOf(dialect: Dialect): Uint8Array | undefined {
  const signs = [dialect.delimiter, dialect.quote].map((sign) => Buffer.from(sign))
  if (dialect.escape !== undefined || signs.some(({ length }) => length > 1)) return undefined
  const meaning = new Uint8Array(256)
  meaning[0x0a] = lineFeed
  meaning[0x0d] = carriageReturn
  meaning[signs[0]![0]!] = delimiter
  if (signs[1]!.length > 0) meaning[signs[1]![0]!] = quote
  return meaning
}
