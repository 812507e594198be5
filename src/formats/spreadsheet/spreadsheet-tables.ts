/** Makes tables of the sheets of a workbook: which are read, where their columns are named, what to report about them. */

import { WindrowError } from '../../core/error.ts'
import { failing } from '../../core/sources/source.ts'
import { problem, type Problem } from '../../core/problem.ts'
import { chosenByPerson, type Place, type Table } from '../../core/row.ts'
import type { FormatOptions } from '../format.ts'
import type { GridCell, GridRow } from '../grid/grid-cell.ts'
import { withGeometryColumns, withGeometrySearch } from '../grid/geometry-columns.ts'
import { passesOver } from '../table-names.ts'
import { headerWish, layOut, layoutRows, type HeaderWish } from '../grid.ts'
import { gridCell, isBlankCell, type Book } from './spreadsheet-cell.ts'
import { isCompanion, type CellRow, type Sheet } from './spreadsheet-sheet.ts'
import { readRows } from './spreadsheet-rows.ts'

/** An opened workbook: its sheets with cells in the order of their tabs, hidden ones included. */
export type OpenBook = Book & {
  readonly source: string
  readonly format: string
  readonly sheets: readonly Sheet[]
}

/**
 * Makes a table of each visible sheet with cells; hidden ones are noted, or read with the option. Sheets that windrow added to its
 * own export are left out. `decides`: the rows with the names and the columns with geometry are found, where no option says them.
 */
export async function sheetTables(book: OpenBook, options: FormatOptions, decides: boolean): Promise<readonly Table[]> {
  const hidden = book.sheets.filter((sheet) => sheet.hidden)
  const readsHidden = options.hidden === true
  const wish = headerWish(options.header) ?? (decides ? undefined : 'first')
  const reach = typeof wish === 'object' ? wish.last : 0
  const filled: { readonly sheet: Sheet; readonly rows: readonly CellRow[] }[] = []
  for (const sheet of readsHidden ? book.sheets : book.sheets.filter((each) => !each.hidden)) {
    const rows = await sheet.firstRows(layoutRows, reach)
    if (rows.length > 0 && !isCompanion(sheet.name, rows[0])) filled.push({ sheet, rows })
  }
  if (filled.length === 0) {
    const hint =
      hidden.length === 0
        ? 'Open it and look.'
        : `Hidden: ${hidden.map(({ name }) => name).join(', ')}. Show the sheet, or set  from.hidden: true`
    throw new WindrowError('file-empty', `"${book.source}" has no visible sheet with anything in it.`, { hint })
  }
  const notes = readsHidden ? [] : hidden.map(({ name }) => hiddenNote(book.source, name))
  const alone = filled.length === 1
  const shared = { book, alone, notes, readsHidden }
  const failures: WindrowError[] = []
  const tables = await Promise.all(
    filled.map(async ({ sheet, rows }) => {
      try {
        const table = await tableOf({ ...shared, sheet, rows }, wish)
        return decides ? withGeometrySearch(table, options) : await withGeometryColumns(table, options)
      } catch (failure) {
        if (!(failure instanceof WindrowError)) throw failure
        failures.push(failure)
        return refusingTable(sheet.name, book.format, failure)
      }
    }),
  )
  if (failures.length === tables.length) throw failures[0]!
  return tables
}

/** The options for header and coordinates are meant for one sheet: another that does not fit them fails only if it is chosen. */
function refusingTable(name: string, format: string, failure: WindrowError): Table {
  return { name, format, hasGeometry: false, choices: [], batches: () => failing(() => failure), found: () => [] }
}

type Opened = {
  readonly book: OpenBook
  readonly sheet: Sheet
  readonly rows: readonly CellRow[]
  readonly alone: boolean
  readonly notes: readonly Problem[]
  readonly readsHidden: boolean
}

async function tableOf(
  { book, sheet, rows, alone, notes, readsHidden }: Opened,
  wish: HeaderWish | undefined,
): Promise<Table> {
  const place = (row: number): Place => ({ source: book.source, ...(alone ? {} : { layer: sheet.name }), row })
  const inOrder = rows.every((row, index) => index === 0 || row.number > rows[index - 1]!.number)
  const grid = rows.map((row) => gridRow(row, book)).toSorted((a, b) => a.row - b.row)
  const ground = { name: sheet.name, rows: grid, isCounted: false, place }
  let layout = layOut(ground, wish)
  if (mayBeMerged(grid, layout.firstRow)) {
    const merges = (await sheet.merges()).filter(({ firstRow }) => firstRow <= grid.at(-1)!.row)
    if (merges.length > 0) layout = layOut({ ...ground, merges }, wish)
  }
  return {
    name: sheet.name,
    format: book.format,
    columns: layout.names.map((name) => ({ name })),
    hasGeometry: false,
    choices: [
      ...(layout.decision === undefined ? [] : [layout.decision]),
      ...(readsHidden ? [chosenByPerson('from.hidden', true)] : []),
    ],
    ...passesOver([...notes, ...layout.notes], (report, signal) =>
      readRows({ sheet, book, layout, inOrder, place }, report, signal),
    ),
  }
}

function gridRow(row: CellRow, book: Book): GridRow {
  const cells: GridCell[] = []
  for (let index = 0; index < row.count; index += 1)
    if (!isBlankCell(row, index)) cells[row.columns[index]!] = gridCell(row, index, book)
  return { row: row.number, cells }
}

/**
 * True if merged cells could change the header: the list of them is after the last row, so it is only read
 * if there is something above the names, or if a cell is empty among them or among texts below them.
 */
function mayBeMerged(grid: readonly GridRow[], firstRow: number): boolean {
  const [first, second] = grid
  if (first === undefined) return false
  if (first.row !== firstRow - 1 || hasGap(first, grid)) return true
  return second !== undefined && hasGap(second, grid) && second.cells.every((cell) => cell?.kind === 'text')
}

function hasGap({ cells }: GridRow, grid: readonly GridRow[]): boolean {
  const width = Math.max(...grid.map((row) => row.cells.length))
  return cells.length < width || Array.from(cells).includes(undefined)
}

function hiddenNote(source: string, sheet: string): Problem {
  const message = `The sheet "${sheet}" is hidden and was not read.`
  const hint = 'Show it in the workbook, or set  from.hidden: true'
  return problem('sheet-hidden', { source, layer: sheet, row: 1 }, { message, hint })
}
