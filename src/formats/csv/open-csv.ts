/** Opens a CSV file as it is said, or looks at all of it to decide the rest; and finds what is wrong with it. */

import { WindrowError } from '../../core/error.ts'
import { problem, type Problem } from '../../core/problem.ts'
import { chosen, chosenByPerson, type Choice, type Table } from '../../core/row.ts'
import { decide } from '../../core/rule.ts'
import { stemOf } from '../../core/sources/file-tree.ts'
import { streamBetween, type Source } from '../../core/sources/source.ts'
import {
  asUtf8,
  decodeText,
  encodingDecider,
  encodingOfHead,
  statedEncoding,
  watchEncoding,
  withLineFeeds,
  type Encoding,
} from '../../core/sources/text.ts'
import type { FormatOptions } from '../format.ts'
import { filledIn, shownIn, textCells, type GridRow } from '../grid/grid-cell.ts'
import { withGeometryColumns, withGeometrySearch } from '../grid/geometry-columns.ts'
import { encodingNotes, passesOver } from '../table-names.ts'
import { headerWish, layOut, layoutRows, type HeaderWish, type Layout } from '../grid.ts'
import { candidates, delimiterName, dialectDeciders, dialectsFor, dialectShown, saidDialect } from './dialect.ts'
import { readRecords, type RecordChunk, type Dialect } from './split.ts'
import { readRows, type Reading } from './csv-rows.ts'
import { startScan } from './scan.ts'

/** Excel's own limit; a wider "table" is a file read with the wrong delimiter. */
const mostColumns = 16_384

/** Opens the file as the options say. What they leave out is usual: UTF-8, commas, double quotes, names in the first row. */
export async function openCsv(source: Source, options: FormatOptions): Promise<readonly Table[]> {
  const encoding = await statedEncoding(source, encodingIn(options))
  const byFile = await delimiterStated(source, encoding)
  const dialect = { delimiter: ',', quote: '"', ...saidDialect(options, byFile) }
  const table = await tableOf({ source, options, encoding, dialect, byFile }, headerWish(options.header) ?? 'first', [])
  return [await withGeometryColumns(table, options)]
}

/** Opens the file as all of it suggests, except for what the options say. */
export async function lookAtCsv(
  source: Source,
  options: FormatOptions,
  signal: AbortSignal | undefined,
): Promise<readonly Table[]> {
  const head = await source.read(0, 4096)
  const said = encodingIn(options)
  const shown = said === undefined ? encodingOfHead(head) : await statedEncoding(source, said)
  const byFile = await delimiterStated(source, shown ?? usualEncoding)
  const scan = startScan(dialectsFor(saidDialect(options, byFile), options.escape !== undefined))
  const watch = watchEncoding()
  const stream = source.stream(signal)
  for await (const bytes of shown === undefined ? stream : asUtf8(stream, shown)) {
    if (shown === undefined) watch.add(bytes)
    scan.add(bytes)
  }
  const scanned = scan.end()
  const encoding = shown ?? watch.end()
  const isSaid = (setting: string): boolean =>
    options[setting.slice('from.'.length)] !== undefined || (setting === 'from.delimiter' && byFile !== undefined)
  const opened = { source, options, encoding, dialect: dialectShown(scanned), byFile }
  const table = await tableOf(opened, headerWish(options.header), decide(dialectDeciders, scanned, isSaid))
  return [withGeometrySearch(table, options)]
}

const usualEncoding = { name: 'utf-8', bomBytes: 0 }

function encodingIn({ encoding }: FormatOptions): string | undefined {
  return encoding === undefined ? undefined : String(encoding)
}

function saidChoices(options: FormatOptions, byFile: string | undefined): readonly Choice[] {
  const said = ['delimiter', 'quote', 'escape', 'decimal'].flatMap((name) =>
    options[name] === undefined
      ? []
      : [chosenByPerson(`from.${name}`, name === 'delimiter' && options[name] === 'tab' ? '\t' : options[name])],
  )
  if (byFile === undefined || options.delimiter !== undefined) return said
  return [...said, chosen('from.delimiter', byFile, `Set by the first line: sep=${delimiterName(byFile)}.`)]
}

/** The delimiter of a first line such as "sep=;", which Excel treats as an instruction and does not show. */
async function delimiterStated(
  source: Source,
  encoding: Pick<Encoding, 'name' | 'bomBytes'>,
): Promise<string | undefined> {
  let text = ''
  for await (const part of decodeText(streamBetween(source, { from: 0, to: 64 }), encoding)) text += part
  return /^"?sep=([^\r\n"])"?[\r\n]/i.exec(text)?.[1]
}

type Opened = {
  readonly source: Source
  readonly options: FormatOptions
  readonly encoding: Encoding
  readonly dialect: Dialect
  readonly byFile: string | undefined
}

async function tableOf(
  { source, options, encoding, dialect, byFile }: Opened,
  wish: HeaderWish | undefined,
  decided: readonly Choice[],
): Promise<Table> {
  const { name } = source
  const leftOut = { nulls: 0 }
  const records: Reading['records'] = (signal) => {
    leftOut.nulls = 0
    return readRecords(cleanText(decodeText(source.stream(signal), encoding), byFile !== undefined, leftOut), dialect)
  }
  const rows = await firstRows(name, records(), wish)
  const layout = layOut({ name, rows, isCounted: true, place: (row) => ({ source: name, row }) }, wish)
  const reading: Reading = { source: name, layout, dialect, records }
  const known = [
    ...encodingNotes(encoding, { source: name, row: 1 }),
    ...layout.notes,
    ...loneColumnNotes(name, layout, rows),
  ]
  return {
    name: stemOf(name),
    format: 'csv',
    columns: layout.names.map((each) => ({ name: each })),
    hasGeometry: false,
    choices: [
      encodingDecider.says(encoding),
      ...saidChoices(options, byFile),
      ...decided,
      ...(layout.decision === undefined ? [] : [layout.decision]),
    ].flat(),
    ...passesOver(known, (report, signal) =>
      readRows(reading, (problems) => report(...nullsNote(name, leftOut), ...problems), signal),
    ),
  }
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
      const fault = faults.get(index)
      const isNeeded = filled === 0 || row <= reach
      if (cells.length > mostColumns)
        throw new WindrowError(
          'file-too-large',
          `"${name}" seems to have ${cells.length} columns; the limit is ${mostColumns}.`,
          { hint: 'Set  from.delimiter' },
        )
      if (fault === 'endless' && isNeeded)
        throw new WindrowError(
          'file-too-large',
          `Row ${row} of "${name}" has millions of characters without a line break; no column names are like that.`,
          { hint: 'Check whether the file is a table, and whether its lines end. Export it again.' },
        )
      if (fault === 'unclosed' && isNeeded)
        throw new WindrowError(
          'file-damaged',
          `The column names of "${name}" in row ${row} contain a quote that is never closed.`,
          { hint: 'Close the quote, or set  from.quote' },
        )
      if (fault === 'unclosed') return rows
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

const unusual = ['~', '^', ':', '#', '*', '!', '\x1f', '\x1e']

/**
 * A warning for quotes around whole lines, a wrong or an unusual delimiter: the name of the only column and most cells below it contain
 * a delimiter equally often.
 */
function loneColumnNotes(source: string, { names, firstRow }: Layout, rows: readonly GridRow[]): readonly Problem[] {
  const header = rows.find(({ row }) => row === firstRow - 1)
  if (header === undefined || names.length !== 1) return []
  const below = rows.filter(({ row }) => row >= firstRow).map((each) => shownIn(each, 0))
  const wanted = shownIn(header, 0)
  const sign = [...candidates, ...unusual].find((each) => {
    const count = timesIn(wanted, each)
    return count > 0 && below.filter((text) => timesIn(text, each) === count).length * 2 > below.length
  })
  if (sign === undefined) return []
  const message = `Everything is one column, but its name and the cells below it contain the ${delimiterName(sign)} equally often.`
  const hint = `If that is the delimiter, set  from.delimiter: ${JSON.stringify(sign)}  If quotes are around whole lines, export the file again without them.`
  return [problem('file-inconsistent', { source, row: firstRow - 1 }, { message, hint })]
}

function timesIn(text: string, sign: string): number {
  return text.split(sign).length - 1
}

function nullsNote(source: string, { nulls }: { readonly nulls: number }): readonly Problem[] {
  if (nulls === 0) return []
  const message = `Zero characters in the text were left out (${nulls}).`
  const hint = 'If cells look cut off, export the file again: it was damaged, or its fields were padded.'
  return [problem('encoding-doubtful', { source, row: 1 }, { message, hint })]
}

/**
 * The text with line feeds only, without a first line that is only an instruction, and without zero characters: programs with fields of
 * fixed width fill them with zeros, and a crash leaves blocks of them.
 */
async function* cleanText(
  texts: AsyncIterable<string>,
  hasSeparatorLine: boolean,
  leftOut: { nulls: number },
): AsyncGenerator<string> {
  let head: string | undefined = hasSeparatorLine ? '' : undefined
  for await (const each of withLineFeeds(texts)) {
    const text = each.includes('\0') ? each.replaceAll('\0', '') : each
    leftOut.nulls += each.length - text.length
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
