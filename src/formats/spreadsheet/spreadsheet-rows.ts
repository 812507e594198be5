/** Turns rows of cells into rows of a table: places, blanks, faults, and what is only known at the end. */

import { problem, type Problem, type ProblemCode } from '../../core/problem.ts'
import { objectMaker } from '../../core/values/object-maker.ts'
import { listed, plural } from '../../core/values/plural.ts'
import { rowsPerBatch, isBlank, type Place, type Row, type Value } from '../../core/row.ts'
import { watchFooters } from '../grid/footers.ts'
import type { Merge } from '../grid/grid-cell.ts'
import type { Layout } from '../grid.ts'
import { cellKinds, columnLetters, mostColumns, type CellRow, type Sheet } from './spreadsheet-sheet.ts'
import { addedByFormat, general } from './number-format.ts'
import { faultOf, gridCell, isBlankCell, valueOf, type Book } from './spreadsheet-cell.ts'

/** What is decided about a sheet before its rows are read; if they are not in order, a gap is not a blank row. */
export type Reading = {
  readonly sheet: Sheet
  readonly book: Book
  readonly layout: Layout
  readonly inOrder: boolean
  place(row: number): Place
}

/** A longer run of blank rows is a gap between two things on one sheet; its rows are not counted one by one. */
const mostBlankRows = 1000

/** Reads the rows of a sheet in batches; `report` receives, at the end, what only the whole sheet shows. */
export async function* readRows(
  reading: Reading,
  report: (...found: readonly Problem[]) => void,
  signal?: AbortSignal,
): AsyncGenerator<readonly Row[]> {
  const builder = rowBuilder(reading)
  for await (const _ of reading.sheet.pass(builder, signal)) {
    yield* builder.ready()
    signal?.throwIfAborted()
  }
  builder.end()
  yield* builder.ready()
  report(...builder.found())
}

function rowBuilder({ book, layout, inOrder, place }: Reading) {
  const { names, columns } = layout
  const headerRow = layout.firstRow - 1
  const slots = new Int32Array(mostColumns).fill(-1)
  for (const [slot, column] of columns.entries()) slots[column] = slot
  const valuesOf = objectMaker<Value>(names)
  const footers = watchFooters({ ...layout, columns: names.map((_, slot) => slot) })
  const blank: readonly Value[] = names.map(() => null)
  let settled: Row[] = []
  let ready: (readonly Row[])[] = []
  const whole = wholeSheet(layout, book, place)
  let last = headerRow

  const blankRows = (until: number): void => {
    if (until - last - 1 > mostBlankRows) {
      whole.gap(last + 1, until - 1)
      return
    }
    for (let number = last + 1; number < until; number += 1) {
      const at = place(number)
      const problems = [problem('row-blank', at, { message: 'The row is blank.' })]
      footers.pass({ at, values: valuesOf(blank), problems }, blank, settled)
    }
  }

  return {
    row(row: CellRow): void {
      if (row.number <= headerRow) return
      const values = blank.slice()
      let problems: Problem[] | undefined
      let filled = false
      let isUncalculated = false
      for (let index = 0; index < row.count; index += 1) {
        const slot = slots[row.columns[index]!]!
        if (slot < 0) {
          if (isBlankCell(row, index)) continue
          filled = true
          problems = [...(problems ?? []), outsideProblem(row, index, { book, layout, at: place(row.number) })]
          continue
        }
        const value = valueOf(row, index, book)
        if (typeof value === 'number') whole.number(slot, row.formats[index]!, row.number)
        if (value === undefined) {
          problems = [...(problems ?? []), cellProblem(row, index, place(row.number), names[slot]!)]
          if (row.kinds[index] === cellKinds.uncalculated) isUncalculated = true
          else filled = true
          values[slot] = null
        } else {
          values[slot] = value
          filled ||= !isBlank(value)
        }
      }
      // Many sheets have formatted rows down to their end: a blank row counts only if there is something below it.
      if (!filled) {
        if (isUncalculated) whole.uncalculatedRow(row.number)
        return
      }
      if (inOrder && row.number > last + 1) blankRows(row.number)
      last = Math.max(last, row.number)
      if (row.hidden) whole.hiddenRow(row.number)
      if (isStruck(row, book)) whole.struckRow(row.number)
      const at = place(row.number)
      if (problems === undefined) footers.pass({ at, values: valuesOf(values) }, values, settled)
      else {
        if (values.every(isBlank) && problems.every(({ severity }) => severity !== 'error'))
          problems.unshift(problem('row-blank', at, { message: 'The row is blank within the table.' }))
        footers.pass({ at, values: valuesOf(values), problems }, values, settled)
      }
      if (settled.length < rowsPerBatch) return
      ready.push(settled)
      settled = []
    },
    hiddenColumns: whole.hiddenColumns,
    merged: whole.merged,
    ready(): readonly (readonly Row[])[] {
      const batches = ready
      ready = []
      return batches
    },
    end(): void {
      footers.end(settled)
      if (settled.length > 0) ready.push(settled)
    },
    found: whole.found,
  }
}

/** True for a row of which every filled cell is crossed out. */
function isStruck(row: CellRow, { formats }: Book): boolean {
  for (let index = 0; index < row.count; index += 1)
    if (formats[row.formats[index]!]?.isStruck !== true && !isBlankCell(row, index)) return false
  return true
}

const calculateHint = 'Open the workbook in Excel or LibreOffice, which calculates it, and save it.'

/** A report quotes only the beginning of a cell. */
const mostShown = 200

function cellProblem(row: CellRow, index: number, at: Place, column: string): Problem {
  const { fault, shown } = faultOf(row, index)
  const value = shown.slice(0, mostShown)
  if (fault === 'error')
    return problem('cell-error', at, {
      column,
      value,
      message: `The cell shows ${value === '' ? 'an error' : value} instead of a value.`,
      hint: 'Correct the formula, or replace it by its value.',
    })
  if (fault === 'not calculated')
    return problem('formula-not-calculated', at, {
      column,
      message: 'The cell contains a formula whose result was never calculated; it is read as blank.',
      hint: calculateHint,
    })
  return problem('date-impossible', at, {
    column,
    value,
    message: `"${value}" is shown as a date, but there is no such day.`,
    hint: 'Correct the cell, or format it as a number.',
  })
}

type Around = { readonly book: Book; readonly layout: Layout; readonly at: Place }

/** A value beside or between the columns may mean that the cells of the row were shifted; far away it is a remark. */
function outsideProblem(row: CellRow, index: number, { book, layout, at }: Around): Problem {
  const column = row.columns[index]!
  const cell = columnLetters(column) + String(row.number)
  const value = gridCell(row, index, book).text.slice(0, 200)
  if (column > layout.width)
    return problem('row-ragged', at, {
      severity: 'warning',
      value,
      message: `Cell ${cell} is beside the table, under no column name; it was left out.`,
      hint: 'Give the column a name if it is intended, or clear the cell.',
    })
  return problem('row-ragged', at, {
    value,
    message: `Cell ${cell} has a value in a column that has no name and is blank above.`,
    hint: 'Check whether the cells of this row are one column too far to the right. If the column is intended, give it a name.',
  })
}

/** The problems and notes about a sheet as a whole. */
function wholeSheet({ firstRow, columns, names }: Layout, { formats }: Book, place: (row: number) => Place) {
  const problems: Problem[] = []
  const hidden: string[] = []
  const hiddenRows = { count: 0, first: 0 }
  const struckRows = { count: 0, first: 0 }
  const uncalculatedRows = { count: 0, first: 0 }
  const count = (rows: typeof hiddenRows, number: number): void => {
    if (rows.count === 0) rows.first = number
    rows.count += 1
  }
  const note = (code: ProblemCode, { count, first }: typeof hiddenRows, what: string, hint: string): void => {
    const message = `${what}: ${count}; the first is row ${first}.`
    if (count > 0) problems.push(problem(code, place(first), { message, hint }))
  }
  const formatsSeen = names.map(() => new Set<number>())
  const shownOtherwise = new Map<number, Problem>()
  let merges = 0
  let firstMerge: Merge | undefined
  return {
    gap(first: number, last: number): void {
      const message = `Rows ${first} to ${last} are blank and were skipped; the rows below them were read.`
      problems.push(problem('rows-far-below', place(first), { message }))
    },
    number(slot: number, format: number, row: number): void {
      if (formatsSeen[slot]!.has(format)) return
      formatsSeen[slot]!.add(format)
      const column = names[slot]!
      const added = addedByFormat(formats[format] ?? general, column)
      if (added !== undefined && !shownOtherwise.has(slot))
        shownOtherwise.set(slot, shownProblem(column, added, place(row)))
    },
    hiddenRow: (number: number) => count(hiddenRows, number),
    struckRow: (number: number) => count(struckRows, number),
    uncalculatedRow: (number: number) => count(uncalculatedRows, number),
    hiddenColumns(first: number, last: number): void {
      for (const column of columns) if (column >= first && column <= last) hidden.push(columnLetters(column))
    },
    merged(merge: Merge): void {
      if (merge.lastRow < firstRow) return
      // If cells are merged across columns only, the values of one row stay together.
      if (Math.max(merge.firstRow, firstRow) === merge.lastRow) return
      merges += 1
      firstMerge ??= merge
    },
    found(): readonly Problem[] {
      const hint = 'If they should not be read, delete them. To check, show them in the workbook.'
      const message = `Hidden columns that were read like the others: ${listed(hidden, 10)}.`
      if (hidden.length > 0) problems.push(problem('cells-hidden', place(firstRow), { hint, message }))
      note('cells-hidden', hiddenRows, 'Rows that are hidden, perhaps by a filter, and were read like the others', hint)
      const remove = 'If they are no longer valid, delete them. Else remove the line through them.'
      note('rows-crossed-out', struckRows, 'Rows that are crossed out and were read like the others', remove)
      const skipped = 'Rows of formulas that were never calculated, skipped as blank'
      note('formula-not-calculated', uncalculatedRows, skipped, calculateHint)
      problems.push(...shownOtherwise.values())
      if (firstMerge !== undefined) problems.push(mergedProblem(firstMerge, merges, place))
      return problems
    },
  }
}

function shownProblem(column: string, added: string, at: Place): Problem {
  return problem('number-shown-otherwise', at, {
    column,
    message: `Numbers in column "${column}" ${added}. That is only their format, and is not read.`,
    hint: 'Check the unit of the column. Write it in the column name, and remove it from the format of the cells.',
  })
}

function mergedProblem(merge: Merge, count: number, place: (row: number) => Place): Problem {
  const { firstRow, lastRow, firstColumn, lastColumn } = merge
  const range = `${columnLetters(firstColumn)}${firstRow}:${columnLetters(lastColumn)}${lastRow}`
  const more = count === 1 ? '' : `, and ${plural(count - 1, 'more block')}`
  return problem('cells-merged', place(firstRow), {
    message: `The cells ${range} are merged${more}: only the first of them has the value, and the rows below it are blank there.`,
    hint: 'If the value belongs to each row, unmerge the cells and fill the value down.',
  })
}
