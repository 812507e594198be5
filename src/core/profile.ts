/** Hides how a table is looked over once before anything is decided: what its columns hold, and how it is written. */

import { holdsNothing } from './no-value.ts'
import {
  addCell,
  addTextCells,
  finishColumn,
  isEnoughFor,
  startBudget,
  startColumn,
  type ColumnProfile,
} from './profile/column.ts'
import { startShapes, type ShapesProfile } from './profile/shapes.ts'
import type { Problem } from './problem.ts'
import { cellsVisitor, type Place, type Row, type Table, type TextRows, type Value } from './row.ts'
import type { Shape } from './shape.ts'

export type { ColumnProfile } from './profile/column.ts'
export type { NumberFit, PatternFit } from './profile/judged.ts'

/** What a whole table holds. */
export type TableProfile = ShapesProfile & {
  readonly name: string
  readonly format: string
  readonly rows: number
  readonly columns: readonly ColumnProfile[]
  readonly sample: Row | undefined
}

const mostColumns = 2000

/** Rows that no record comes of. */
const isSkipped: ReadonlySet<string> = new Set(['row-blank', 'row-footer', 'header-again'])

/** Who looks on while a table is looked over: each shape, each problem, and each row with a question mark in it, as they go by. */
export type Onlooker = {
  readonly onShape?: ((shape: Shape) => void) | undefined
  readonly onProblem?: (problem: Problem) => void
  readonly onQuestionMark?: (row: Row) => void
}

const questionMark = 63

function hasQuestionMark({ values }: Row): boolean {
  return Object.values(values).some((value) => typeof value === 'string' && value.includes('?'))
}

/** Looks over the whole table in one pass. */
export async function profileTable(
  table: Table,
  signal?: AbortSignal,
  { onShape, onProblem, onQuestionMark }: Onlooker = {},
): Promise<TableProfile> {
  const columns = startColumns(table)
  const { rows: read, isByText } = rowsToCount(table, signal)
  const shapes = startShapes(table, isByText)
  let rows = 0
  let sample: Row | undefined
  for await (const batch of read) {
    if ('units' in batch) {
      const { count } = batch
      rows += count
      sample = fullestOf(sample, batch)
      columns.addTexts(batch)
      if (onQuestionMark !== undefined && batch.units.includes(questionMark))
        for (let index = 0; index < count; index += 1) {
          const row = batch.row(index)
          if (hasQuestionMark(row)) onQuestionMark(row)
        }
      shapes.begin(count, (index) => batch.shapes?.[index])
      for (let index = 0; index < count; index += 1) shapes.add(batch.shapes?.[index])
      if (onShape !== undefined) for (const shape of batch.shapes?.slice(0, count) ?? []) if (shape) onShape(shape)
      continue
    }
    shapes.begin(batch.length, (index) => batch[index]!.shape)
    for (const row of batch) {
      const { shape, problems } = row
      if (problems !== undefined && onProblem !== undefined) for (const each of problems) onProblem(each)
      if (shape && onShape !== undefined) onShape(shape)
      if (problems?.some(({ code }) => isSkipped.has(code)) === true) continue
      rows++
      sample = fullerOf(sample, row)
      columns.add(row)
      shapes.add(shape)
      if (onQuestionMark !== undefined && hasQuestionMark(row)) onQuestionMark(row)
    }
  }
  return { name: table.name, format: table.format, rows, columns: columns.finish(rows), ...shapes.finish(), sample }
}

type Walk = { readonly rows: AsyncIterable<readonly Row[] | TextRows>; readonly isByText: boolean }

function rowsToCount(table: Table, signal?: AbortSignal): Walk {
  const rows = table.batches(signal)
  if (table.columns === undefined || rows.asText === undefined) return { rows, isByText: false }
  return { rows: rows.asText(), isByText: true }
}

/** The columns of a table that names them are all it has; else they are taken as they turn up. */
function startColumns(table: Table) {
  const names = (table.columns ?? []).map(({ name }) => name)
  const known = new Set(names)
  const columns = names.map(startColumn)
  const budget = startBudget()
  let visitCells = cellsVisitor(names)
  let at: Place = { source: table.name, row: -1 }
  const add = (value: Value, index: number): void => addCell(columns[index]!, value, at, budget)
  const takeNew = (row: Row): void => {
    const before = names.length
    for (const name in row.values) {
      if (known.has(name) || names.length >= mostColumns) continue
      known.add(name)
      names.push(name)
      columns.push(startColumn())
    }
    if (names.length > before) visitCells = cellsVisitor(names)
  }
  const addTexts = (rows: TextRows): void => {
    for (const [index, column] of columns.entries()) addTextCells(column, rows, index, budget)
  }
  return {
    add(row: Row): void {
      if (table.columns === undefined) takeNew(row)
      at = row.at
      visitCells(row.values, add)
    },
    /** Column by column, which is faster, unless the budget may end within these rows: who comes first in the file has it. */
    addTexts(rows: TextRows): void {
      if (isEnoughFor(budget, rows.count * columns.length)) addTexts(rows)
      else for (let index = 0; index < rows.count; index += 1) addTexts(oneOf(rows, index))
    },
    finish: (rows: number) => names.map((name, index) => finishColumn(name, columns[index]!, rows)),
  }
}

function oneOf(rows: TextRows, index: number): TextRows {
  const bounds = rows.bounds.subarray(index * rows.width * 2)
  const values = rows.values?.map((column) => column && [column[index]])
  return {
    ...rows,
    count: 1,
    bounds,
    ...(values === undefined ? {} : { values }),
    place: () => rows.place(index),
    row: () => rows.row(index),
  }
}

/** The row with the most filled cells among the first hundred makes the best example. */
function fullerOf(sample: Row | undefined, row: Row): Row {
  if (sample === undefined) return row
  if (isBeyond(sample, row)) return sample
  const filled = (each: Row): number => Object.values(each.values).filter((value) => !holdsNothing(value)).length
  return filled(row) > filled(sample) ? row : sample
}

function isBeyond(sample: Row, row: Row): boolean {
  return row.at.row - sample.at.row > 100
}

function fullestOf(sample: Row | undefined, rows: TextRows): Row | undefined {
  let fullest = sample
  for (let index = 0; index < rows.count; index += 1) {
    const row = rows.row(index)
    fullest = fullerOf(fullest, row)
    if (isBeyond(fullest, row)) break
  }
  return fullest
}
