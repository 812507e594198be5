/** Opens a CSV file: decides its dialect, which records are rows, and what is wrong with them. */

import { WindrowError } from '../../core/error.ts'
import { problem, type Problem } from '../../core/problem.ts'
import { chosen, type Choice, type Table } from '../../core/row.ts'
import { stemOf } from '../../core/sources/file-tree.ts'
import { streamBetween, type Source } from '../../core/sources/source.ts'
import { decideEncoding, decodeText, trusted, withLineFeeds, type Encoding } from '../../core/sources/text.ts'
import type { FormatOptions } from '../format.ts'
import { filledIn, shownIn, textCells, type GridRow } from '../grid/grid-cell.ts'
import { withGeometryColumns } from '../grid/geometry-columns.ts'
import { encodingNotes, passesOver } from '../table-names.ts'
import { headerWish, layOut, layoutRows, type HeaderWish, type Layout } from '../grid.ts'
import { candidates, delimiterName, settleDialect, type ByWhole, type Sample } from './dialect.ts'
import { readRecords, type RecordChunk } from './csv-records.ts'
import { reviewer } from './review.ts'
import { readRows, type Reading, type Report, type Seen } from './csv-rows.ts'

const sampleBytes = 1 << 17
/** Excel's own limit; a wider "table" is a file read with the wrong delimiter. */
const mostColumns = 16_384

export async function openCsv(source: Source, options: FormatOptions): Promise<readonly Table[]> {
  return [await openAs(source, options, new Map())]
}

/** Opens the file as its first part suggests, except for what the whole file decided. */
async function openAs(source: Source, options: FormatOptions, byWhole: ByWhole): Promise<Table> {
  const encoding = trusted(await decideEncoding(source, options.encoding as string | undefined))
  const sample = await firstPart(source, encoding)
  const choices: Choice[] = [
    chosen('from.encoding', encoding.name, encoding.evidence, encoding.guessed ? 'utf-8' : undefined),
  ]
  const { dialect, open, isSaidByFile } = settleDialect(sample, { options, byWhole }, choices)
  const leftOut = { nulls: 0 }
  const recordsIn: Reading['recordsIn'] = (read, signal) => {
    leftOut.nulls = 0
    const text = cleanText(decodeText(source.stream(signal), encoding), { hasSeparatorLine: isSaidByFile, leftOut })
    return readRecords(text, read)
  }
  const wish = headerWish(options.header)
  const rows = await firstRows(source.name, recordsIn(dialect), wish)
  const layout = layOut(
    { name: source.name, rows, isCounted: true, place: (row) => ({ source: source.name, row }) },
    wish,
  )
  choices.push(layout.decision)
  const reading: Reading = { source: source.name, layout, dialect, open, recordsIn }
  const known = [
    ...encodingNotes(encoding, { source: source.name, row: 1 }),
    ...layout.notes,
    ...loneColumnNotes(source.name, layout, { rows, isSet: isSaidByFile || options.delimiter !== undefined }),
  ]
  const review = reviewer(reading, choices, {
    options,
    again: (decision) =>
      openAs(source, options, new Map([...byWhole, [decision.setting.slice('from.'.length), decision]])),
  })
  let seen: Seen | undefined
  const table: Table = {
    name: stemOf(source.name),
    format: 'csv',
    columns: layout.names.map((name) => ({ name })),
    hasGeometry: false,
    choices,
    ...passesOver(known, (report, signal) => {
      seen = undefined
      const whole: Report = (problems, all) => {
        report(...nullsNote(source.name, leftOut), ...problems)
        seen = all
      }
      return readRows(reading, whole, signal)
    }),
    review: async (columns, signal) => (seen === undefined ? { choices } : review(seen, columns, signal)),
  }
  return withGeometryColumns(table, options)
}

async function firstPart(source: Source, encoding: Encoding): Promise<Sample> {
  const bytes = streamBetween(source, { from: 0, to: sampleBytes })
  let text = ''
  const clean = { hasSeparatorLine: false, leftOut: { nulls: 0 } }
  for await (const part of cleanText(decodeText(bytes, encoding), clean)) text += part
  return { text, isWhole: source.size <= sampleBytes }
}

/** The first rows as a grid: enough to find the column names, or to reach the rows set by the option. */
async function firstRows(
  name: string,
  chunks: AsyncIterable<RecordChunk>,
  wish: HeaderWish | undefined,
): Promise<readonly GridRow[]> {
  const rows: GridRow[] = []
  const reach = typeof wish === 'object' ? wish.last : 0
  let [row, filled] = [0, 0]
  for await (const { cells: records, faults } of chunks)
    for (const [index, cells] of records.entries()) {
      row += 1
      if (cells.length > mostColumns) throw tooWide(name, cells.length)
      if (faults.get(index) === 'endless' && (filled === 0 || row <= reach)) throw endlessHeader(name, row)
      const isBroken = faults.get(index) === 'unclosed'
      if (isBroken && (filled === 0 || row <= reach)) throw brokenHeader(name, row)
      if (isBroken) return rows
      const grid = { row, cells: textCells(cells) }
      if (filledIn(grid) > 0) filled += 1
      // A million blank rows show no more than a few; neither do rows far above the chosen ones.
      if (filledIn(grid) > 0 || row <= reach || rows.length < layoutRows) rows.push(grid)
      if (row < reach && rows.length > layoutRows) rows.shift()
      if (filled >= layoutRows && row >= reach + layoutRows) return rows
    }
  if (filled === 0)
    throw new WindrowError('file-empty', `"${name}" contains only blank lines.`, {
      hint: 'Export it again, and look at the file first.',
    })
  return rows
}

function brokenHeader(name: string, row: number): WindrowError {
  return new WindrowError(
    'file-damaged',
    `The column names of "${name}" in row ${row} contain a quote that is never closed.`,
    { hint: 'Close the quote, or set the quote character with the option "quote".' },
  )
}

function endlessHeader(name: string, row: number): WindrowError {
  return new WindrowError(
    'file-too-large',
    `Row ${row} of "${name}" has millions of characters without a line break; no column names are like that.`,
    { hint: 'Check whether the file is a table, and whether its lines end. Export it again.' },
  )
}

function tooWide(name: string, columns: number): WindrowError {
  return new WindrowError(
    'file-too-large',
    `"${name}" seems to have ${columns} columns; the limit is ${mostColumns}.`,
    { hint: 'Set the delimiter with the option "delimiter".' },
  )
}

const unusual = ['~', '^', ':', '#', '*', '!', '\x1f', '\x1e']

/**
 * A warning for quotes around whole lines, a wrong or an unusual delimiter: the name of the only column and most cells below it contain
 * a delimiter equally often.
 */
function loneColumnNotes(
  source: string,
  { names, firstRow }: Layout,
  { rows, isSet }: { readonly rows: readonly GridRow[]; readonly isSet: boolean },
): readonly Problem[] {
  const [name] = names
  if (name === undefined || names.length > 1) return []
  const header = rows.find(({ row }) => row === firstRow - 1)
  const below = rows.filter(({ row }) => row >= firstRow).map((each) => shownIn(each, 0))
  if (header === undefined || below.length === 0) return []
  const wanted = shownIn(header, 0)
  const sign = [...candidates, ...unusual].find((each) => {
    const count = timesIn(wanted, each)
    return count > 0 && below.filter((text) => timesIn(text, each) === count).length * 2 > below.length
  })
  if (sign === undefined) return []
  const isQuoted = !isSet && !unusual.includes(sign)
  const message = isQuoted
    ? `Each line as a whole is in quotes, so the ${delimiterName(sign)} separates no cells: everything is one column.`
    : `Everything is one column, but its name and the cells below it contain ${unusual.includes(sign) ? signInWords(sign) : `the ${delimiterName(sign)}`} equally often.`
  const hint = isQuoted
    ? 'Export the file again, or remove the quotes at both ends of each line and replace two quotes by one.'
    : `If that is the delimiter, set  delimiter: ${JSON.stringify(sign)}  (--delimiter).`
  return [problem('file-inconsistent', { source, row: firstRow - 1 }, { message, hint })]
}

function timesIn(text: string, sign: string): number {
  return text.split(sign).length - 1
}

function signInWords(sign: string): string {
  return sign < ' ' ? `the character ${sign.charCodeAt(0)}` : `"${sign}"`
}

function nullsNote(source: string, { nulls }: LeftOut): readonly Problem[] {
  if (nulls === 0) return []
  const message = `Zero characters in the text were left out (${nulls}).`
  const hint = 'If cells look cut off, export the file again: it was damaged, or its fields were padded.'
  return [problem('encoding-doubtful', { source, row: 1 }, { message, hint })]
}

/** Characters that were left out, counted while reading. */
type LeftOut = { nulls: number }

/** The text with line feeds only, without zero characters, and without a first line that is only an instruction. */
async function* cleanText(
  texts: AsyncIterable<string>,
  { hasSeparatorLine, leftOut }: { readonly hasSeparatorLine: boolean; readonly leftOut: LeftOut },
): AsyncGenerator<string> {
  let head: string | undefined = hasSeparatorLine ? '' : undefined
  for await (const each of withLineFeeds(texts)) {
    const text = withoutNulls(each, leftOut)
    if (head === undefined) {
      yield text
      continue
    }
    head += text
    const end = head.indexOf('\n')
    if (end < 0) continue
    yield head.slice(end + 1)
    head = undefined
  }
}

/** Programs with fields of fixed width fill them with zeros, and a crash leaves blocks of them. */
function withoutNulls(text: string, leftOut: LeftOut): string {
  if (!text.includes('\0')) return text
  const rest = text.replaceAll('\0', '')
  leftOut.nulls += text.length - rest.length
  return rest
}
