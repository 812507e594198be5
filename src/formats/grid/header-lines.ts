/** Combines column names from several lines into one name each: groups above, merged cells, units below. */

import { filledIn, isFilled, isYear, shownIn, type GridCell, type GridRow, type Merge } from './grid-cell.ts'

// More lines than this are a letterhead.
const mostAbove = 3
const mostBelow = 2

/** The lines that belong to the header row at `index`, as indices of the first and the last. */
export function headerLines(rows: readonly GridRow[], index: number, merges: readonly Merge[]) {
  let first = index
  while (index - first < mostAbove && isNext(rows, first - 1) && isGroupsAbove(rows, first, merges)) first -= 1
  let last = index
  while (last - index < mostBelow && isNext(rows, last) && isNamesBelow(rows, last, merges)) last += 1
  if (isNext(rows, last) && isUnits(rows[last + 1]!, rows[last + 2])) last += 1
  if (isNext(rows, last) && describesColumns(rows[last + 1]!, rows.slice(last + 2))) last += 1
  return { first, last }
}

/** True if the row after `index` is directly below it and not blank. */
function isNext(rows: readonly GridRow[], index: number): boolean {
  const [row, next] = [rows[index], rows[index + 1]]
  return row !== undefined && next !== undefined && next.row === row.row + 1 && filledIn(row) > 0 && filledIn(next) > 0
}

function columnsOf(...rows: readonly GridRow[]): readonly number[] {
  return Array.from({ length: Math.max(...rows.map(({ cells }) => cells.length)) }, (_, column) => column)
}

function isNameText(cell: GridCell): boolean {
  const text = cell.text.trim()
  return (cell.kind === 'text' || isYear(cell)) && text.length <= 40 && !text.endsWith(':')
}

function isGroupsAbove(rows: readonly GridRow[], index: number, merges: readonly Merge[]): boolean {
  const [upper, lower] = [rows[index - 1]!, rows[index]!]
  const filled = upper.cells.filter(isFilled)
  if (!filled.every(isNameText) || filled.every(({ text }) => /^[^:]+: \S/.test(text.trim()))) return false
  const width = filledIn(lower)
  const spans = merges.filter(({ firstRow, lastRow }) => firstRow <= upper.row && lastRow >= upper.row)
  const wide = spans.filter(({ firstColumn, lastColumn }) => lastColumn > firstColumn)
  // A title spans the whole table.
  if (wide.some(({ firstColumn, lastColumn }) => lastColumn - firstColumn + 1 >= Math.max(2, width * 0.8)))
    return filled.length > 1
  // Or somebody merged it over the first columns only.
  const start = lower.cells.findIndex(isFilled)
  if (filled.length === 1 && wide.some(({ firstColumn, lastRow }) => firstColumn <= start && lastRow < lower.row))
    return joiningHelps(upper, lower, merges)
  if (wide.length > 0 || spans.some(({ lastRow }) => lastRow >= lower.row)) return true
  const columns = columnsOf(upper, lower)
  const firstColumn = columns.find((column) => shownIn(upper, column) !== '' || shownIn(lower, column) !== '')!
  if (filled.length === 1 && shownIn(upper, firstColumn) !== '') return false
  if (columns.some((column) => shownIn(upper, column) !== '' && shownIn(lower, column) === '')) return true
  if (joiningHelps(upper, lower, merges)) return true
  return isFirstColumnAndOthers(upper, columns, firstColumn)
}

/** Short words above some columns, with gaps between them, are groups. A label with its value beside it is a title. */
function isFirstColumnAndOthers(upper: GridRow, columns: readonly number[], firstColumn: number): boolean {
  const at = columns.filter((column) => shownIn(upper, column) !== '')
  if (at.length < 2 || at[0] !== firstColumn || at.length === columns.length) return false
  if (at.length === 2 && at[1] === firstColumn + 1) return false
  return at.every((column) => /^[^\d:]{1,24}$/.test(shownIn(upper, column)))
}

/** True if equal names of the lower line become different with the line above before them. */
function joiningHelps(upper: GridRow, lower: GridRow, merges: readonly Merge[]): boolean {
  const below = columnsOf(lower)
    .map((column) => shownIn(lower, column))
    .filter((text) => text !== '')
  if (new Set(below).size === below.length) return false
  const joined = joinedNames([upper, lower], merges).filter((text) => text !== '')
  return new Set(joined).size === joined.length
}

function isNamesBelow(rows: readonly GridRow[], index: number, merges: readonly Merge[]): boolean {
  const [upper, lower] = [rows[index]!, rows[index + 1]!]
  if (!lower.cells.filter(isFilled).every(isNameText)) return false
  const touching = merges.filter(({ firstRow, lastRow }) => firstRow <= upper.row && lastRow >= upper.row)
  if (touching.some(({ lastRow }) => lastRow >= lower.row)) return true
  if (filledIn(lower) >= filledIn(upper)) return false
  const columns = columnsOf(upper, lower)
  const firstColumn = columns.find((column) => shownIn(upper, column) !== '')!
  // A row with a value in the first column counts as a record unless something shows otherwise.
  if (shownIn(lower, firstColumn) !== '') return false
  const after = rows[index + 2]
  const isAboveOtherKind = (column: number): boolean => {
    const cell = after?.cells[column]
    return isFilled(cell) && cell.kind !== 'text'
  }
  const named = columns.filter((column) => shownIn(lower, column) !== '')
  if (!named.some(isAboveOtherKind)) return false
  return named.some((column) => shownIn(upper, column) === '') || joiningHelps(upper, lower, merges)
}

const unitText =
  /^(?:[([{].{1,14}[)\]}]|%|°|ha|hectares?|ac|acres?|m|km|cm|mm|ft|m2|m²|km2|km²|kg|g|t|tonnes?|lbs?|l|ltr|litres?|ml|gal|(?:kg|g|t|l|ml|lbs?|m3|m³)\s?\/\s?(?:ha|ac|l|t)|(?:dd?|mm?)([/.-])(?:dd?|mm?)\1yy(?:yy)?|yyyy-mm-dd)$/i

// Where a column has no unit.
const noUnit = /^[-–—]$/

/** A line of units: nothing but units, and types such as "text", above cells that are not units. */
function isUnits(row: GridRow, after: GridRow | undefined): boolean {
  if (!hasOnlyUnits(row)) return false
  const columns = columnsOf(row).filter((column) => unitText.test(shownIn(row, column)))
  return after === undefined || !columns.some((column) => unitText.test(shownIn(after, column)))
}

function hasOnlyUnits({ cells }: GridRow): boolean {
  const texts = cells.filter(isFilled).map(({ text }) => text.trim())
  return (
    texts.some((text) => unitText.test(text)) &&
    texts.every((text) => unitText.test(text) || noUnit.test(text) || columnType.test(text))
  )
}

const columnType =
  /^[([]?(?:text|string|(?:var)?char(?:\(\d+\))?|number|numeric|int(?:eger)?|decimal|double|float|real|date(?:[- ]?time)?|timestamp|bool(?:ean)?|required|mandatory|optional)[)\]]?$/i

/**
 * True for a line that numbers the columns, as official forms do, or names their types, as templates do. Numbers alone are a record
 * where the rows below have nothing but numbers, or where there are few of them.
 */
export function describesColumns(row: GridRow, below: readonly GridRow[]): boolean {
  const columns = columnsOf(row).filter((column) => isFilled(row.cells[column]))
  if (columns.length > 1 && columns.every((column) => columnType.test(shownIn(row, column)))) return true
  if (columns.length < 4 || columns.some((column, index) => shownIn(row, column) !== String(index + 1))) return false
  const records = below.filter((each) => filledIn(each) > 1)
  const isText = (column: number): boolean => records.every(({ cells }) => cells[column]?.kind === 'text')
  return records.length > 1 && columns.some(isText)
}

/** One name for each column of the lines, top to bottom; a group extends to the right up to the next one. */
export function joinedNames(lines: readonly GridRow[], merges: readonly Merge[]): readonly string[] {
  const parts = columnsOf(...lines).map((): string[] => [])
  for (const [index, line] of lines.entries()) {
    const below = lines.slice(index + 1)
    const touched = merges.some(({ firstRow, lastRow }) => firstRow <= line.row && lastRow >= line.row)
    const isOfUnits = index > 0 && hasOnlyUnits(line)
    let group = ''
    for (const [column, part] of parts.entries()) {
      const shown = shownIn(line, column)
      const own = noUnit.test(shown) || (isOfUnits && !unitText.test(shown)) ? '' : shown
      if (own !== '') group = own
      const isUnderGroup = below.some((each) => shownIn(each, column) !== '' && !unitText.test(shownIn(each, column)))
      const text = touched ? own || mergedText(lines, line, column, merges) : own || (isUnderGroup ? group : '')
      if (text !== '' && part.at(-1) !== text) part.push(text)
    }
  }
  return parts.map((part) => part.join(' '))
}

function mergedText(lines: readonly GridRow[], line: GridRow, column: number, merges: readonly Merge[]): string {
  const merge = merges.find(
    ({ firstRow, lastRow, firstColumn, lastColumn }) =>
      firstRow <= line.row && lastRow >= line.row && firstColumn <= column && lastColumn >= column,
  )
  const anchor = merge && lines.find(({ row }) => row === merge.firstRow)
  return merge && anchor ? shownIn(anchor, merge.firstColumn) : ''
}
