/** Makes a table of a grid of cells: finds titles, the rows with the column names, and the columns. */

import { WindrowError } from '../core/error.ts'
import { problem, type Problem } from '../core/problem.ts'
import { chosen, chosenByPerson, type Choice, type Place } from '../core/row.ts'
import type { Decider } from '../core/rule.ts'
import { plural } from '../core/values/plural.ts'
import { filledIn, isFilled, shownIn, type GridRow, type Merge } from './grid/grid-cell.ts'
import { describesColumns, headerLines, joinedNames } from './grid/header-lines.ts'
import { findHeader } from './grid/header-search.ts'
import { namesOfHeader } from './table-names.ts'

/** How many non-blank rows are enough to lay out a grid; more do no harm. */
export const layoutRows = 200

/** The rows that contain the column names, as set by the option; `first` is the first row that is not blank. */
export type HeaderWish = { readonly first: number; readonly last: number } | 'none' | 'first'

/** Reads the option `header`: a row, a range of rows, or "none". */
export function headerWish(option: string | number | boolean | undefined): HeaderWish | undefined {
  if (option === undefined) return undefined
  const text = String(option).trim().toLowerCase()
  if (text === 'none') return 'none'
  const [, first, last = first] = /^([1-9]\d{0,6})(?:\s*-\s*([1-9]\d{0,6}))?$/.exec(text) ?? []
  if (first !== undefined && Number(first) <= Number(last)) return { first: Number(first), last: Number(last) }
  throw new WindrowError('option-invalid', `"${String(option)}" does not name the rows with the column names.`, {
    hint: 'Use the number of the row, such as 3, several rows such as 2-3, or none. The first row is 1.',
  })
}

/**
 * The first rows of a grid, with the row numbers of the person's program. `isCounted` means that rows have as many cells as were
 * written, as in CSV, so that a row longer than the header is wrong; without `merges` no merged cells are known.
 */
export type Grid = {
  readonly name: string
  readonly rows: readonly GridRow[]
  readonly isCounted: boolean
  readonly merges?: readonly Merge[]
  place(row: number): Place
}

/**
 * How the table lies in its grid. `header` has the lines of the names, with a text for each of them. `columns` are the grid columns
 * of the names, `left` those between and before them that have neither a name nor a cell in the rows examined, and `width` counts
 * both. Values begin in `firstRow`.
 */
export type Layout = {
  readonly names: readonly string[]
  readonly header: readonly (readonly string[])[]
  readonly columns: readonly number[]
  readonly left: readonly number[]
  readonly width: number
  readonly firstRow: number
  /** Undefined where nobody said or decided it. */
  readonly decision: Choice | undefined
  readonly notes: readonly Problem[]
}

type Header = ReturnType<typeof findHeader> & { readonly grid: Grid; readonly first: number; readonly last: number }

export const headerDecider: Decider<Grid, Header> = {
  id: 'header',
  about: 'file',
  decides: 'from.header',
  why: 'The names of the columns are texts that differ, above values of another kind. Titles are narrower than the rows below them. Names in several lines, such as groups above or units below, are joined. Where no row looks like names, all rows are records.',
  find(grid) {
    const found = findHeader(grid.rows)
    return found.index < 0 ? undefined : { ...found, grid, ...headerLines(grid.rows, found.index, grid.merges ?? []) }
  },
  says({ grid: { rows }, index, hasNames, typed, runnerUp, first, last }) {
    const { row } = rows[index]!
    if (!hasNames)
      return chosen('from.header', 'none', `Row ${row} looks like the rows below it, not like names above them.`, row)
    const start = rows.findIndex((each) => filledIn(each) > 0)
    let lines = rows[start]!.row === 1 ? 'It is the first row' : 'It is the first row with text'
    if (first !== start) lines = 'It is the first row as wide as the rows below it'
    if (first !== last) lines = 'Together these rows name the columns'
    const below =
      typed === 0 ? '' : `; below it, ${plural(typed, 'column holds', 'columns hold')} numbers, dates or codes`
    const isSecondOutside = runnerUp !== undefined && (runnerUp < first || runnerUp > last)
    const second = isSecondOutside ? rows[runnerUp]!.row : undefined
    return chosen('from.header', rangeText(rows[first]!.row, rows[last]!.row), `${lines}${below}.`, second)
  },
}

/** Lays out a grid that has at least one non-blank row, as it is set or by the look of its rows. */
export function layOut(grid: Grid, wish?: HeaderWish): Layout {
  const start = grid.rows.findIndex((row) => filledIn(row) > 0)
  if (wish === 'none') return withoutHeader(grid, start, chosenByPerson('from.header', 'none'))
  if (wish === 'first') return withHeader(grid, start, start, undefined)
  if (wish !== undefined) return wished(grid, wish)
  const found = headerDecider.find(grid)!
  const [decision] = [headerDecider.says(found)].flat()
  return found.hasNames
    ? withHeader(grid, found.first, found.last, decision)
    : headerMissing(grid, found.index, decision!)
}

function rangeText(first: number, last: number): number | string {
  return first === last ? first : `${first}-${last}`
}

function wished(grid: Grid, { first, last }: { first: number; last: number }): Layout {
  const indexOf = (row: number): number => grid.rows.findIndex((each) => each.row === row)
  const [from, to] = [indexOf(first), indexOf(last)]
  if (from < 0 || to < 0) {
    const end = grid.rows.at(-1)?.row ?? 0
    throw new WindrowError(
      'option-invalid',
      `Row ${from < 0 ? first : last} should contain the column names, but "${grid.name}" ${last > end ? `ends at row ${end}` : 'has nothing there'}.`,
      { hint: 'Give the number of the row as the spreadsheet shows it.' },
    )
  }
  return withHeader(grid, from, to, chosenByPerson('from.header', rangeText(first, last)))
}

function withHeader(grid: Grid, first: number, last: number, decision: Choice | undefined): Layout {
  const { rows, merges = [], place } = grid
  const body = rows.slice(last + 1)
  const isDescribed = first < last && describesColumns(rows[last]!, body)
  const texts = joinedNames(rows.slice(first, isDescribed ? last : last + 1), merges)
  const lie = columnsIn(grid.isCounted ? body.filter(({ cells }) => cells.length === texts.length) : body, texts)
  const { columns } = lie
  const joined = columns.map((column) => texts[column] ?? '')
  const headerRow = rows[last]!.row
  const { names, notes } = namesOfHeader(joined, place(headerRow), columns)
  const header = rows.slice(first, last + 1).map((row) => columns.map((column) => shownIn(row, column)))
  const above = titleNotes(grid, first)
  return { names, header, ...lie, firstRow: headerRow + 1, decision, notes: [...above, ...notes] }
}

function headerMissing(grid: Grid, index: number, decision: Choice): Layout {
  const { row, cells } = grid.rows[index]!
  const shown = cells.find((cell) => isFilled(cell) && cell.kind !== 'text') ?? cells.find(isFilled)
  const layout = withoutHeader(grid, index, decision)
  const warning = problem('header-missing', grid.place(row), {
    value: shown?.text.trim().slice(0, 80) ?? '',
    message: `No row looks like column names: row ${row} already contains values. The columns are called "${layout.names[0]}" to "${layout.names.at(-1)}".`,
    hint: `If row ${row} does contain the names, set  from.header: ${row}  If there are none, set  from.header: none`,
  })
  return { ...layout, notes: [warning, ...layout.notes] }
}

function withoutHeader(grid: Grid, start: number, decision: Choice): Layout {
  const lie = columnsIn(grid.rows.slice(start), [])
  const names = lie.columns.map((column) => `column ${column + 1}`)
  return { names, header: [], ...lie, firstRow: grid.rows[start]!.row, decision, notes: titleNotes(grid, start) }
}

/**
 * The columns with a name or cells, and the empty ones between them. A single cell without a name above it is probably
 * in the wrong place.
 */
function columnsIn(body: readonly GridRow[], header: readonly string[]): Pick<Layout, 'columns' | 'left' | 'width'> {
  const cellsIn = new Map<number, number>()
  for (const { cells } of body)
    for (const [column, cell] of cells.entries())
      if (isFilled(cell)) cellsIn.set(column, (cellsIn.get(column) ?? 0) + 1)
  const enough = body.length > 2 && header.length > 0 ? 2 : 1
  const filled = [...cellsIn].filter(([, times]) => times >= enough).map(([column]) => column)
  const named = header.flatMap((text, column) => (text === '' ? [] : [column]))
  const used = new Set([...filled, ...named])
  const columns = [...used].toSorted((a, b) => a - b)
  const width = (columns.at(-1) ?? -1) + 1
  const left = Array.from({ length: width }, (_, column) => column).filter((column) => !used.has(column))
  return { columns, left, width }
}

/** Notes the rows above the names, because a record there would be lost. */
function titleNotes({ rows, place }: Grid, end: number): readonly Problem[] {
  const titles = rows.slice(0, end).filter((row) => filledIn(row) > 0)
  const [first, last] = [titles[0], titles.at(-1)]
  if (first === undefined || last === undefined) return []
  const column = first.cells.findIndex(isFilled)
  const value = shownIn(first, column).slice(0, 80)
  const message =
    first === last
      ? `Row ${first.row} is above the column names and is not a record: "${value}".`
      : `Rows ${first.row} to ${last.row} are above the column names and are not records; the first contains "${value}".`
  return [problem('rows-above-header', place(first.row), { value, message })]
}
