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
import { cellsVisitor, type Place, type Row, type Table, type TextRows, type Value } from './row.ts'
import type { Shape, ShapeKind } from './shape.ts'

export type { ColumnProfile } from './profile/column.ts'
export type { NumberFit, PatternFit } from './profile/judged.ts'

/** What a whole table holds. `bbox` is in the coordinates of the file: west, south, east, north. */
export type TableProfile = {
  readonly name: string
  readonly format: string
  readonly rows: number
  readonly columns: readonly ColumnProfile[]
  readonly shapes: Readonly<Partial<Record<ShapeKind, number>>>
  readonly withoutShape: number
  readonly vertices: number
  readonly bbox: readonly [number, number, number, number] | undefined
  readonly sample: Row | undefined
}

const mostColumns = 2000

/** Rows that no record comes of. */
const isSkipped: ReadonlySet<string> = new Set(['row-blank', 'row-footer', 'header-again'])

/** Looks over the whole table in one pass. `onRows` is shown all rows that have a shape, or that something is wrong with. */
export async function profileTable(
  table: Table,
  signal?: AbortSignal,
  onRows?: (rows: readonly Row[]) => void,
): Promise<TableProfile> {
  const columns = startColumns(table)
  const shapes: Partial<Record<ShapeKind, number>> = {}
  const box = new Float64Array([Infinity, Infinity, -Infinity, -Infinity])
  let [rows, withoutShape, vertices] = [0, 0, 0]
  let sample: Row | undefined
  for await (const batch of rowsToCount(table, signal)) {
    if ('units' in batch) {
      rows += batch.count
      withoutShape += batch.count
      sample = fullestOf(sample, batch)
      columns.addTexts(batch)
      continue
    }
    onRows?.(batch)
    for (const row of batch) {
      if (row.problems?.some(({ code }) => isSkipped.has(code)) === true) continue
      rows++
      sample = fullerOf(sample, row)
      columns.add(row)
      if (row.shape === undefined || row.shape === null) withoutShape++
      else {
        shapes[row.shape.kind] = (shapes[row.shape.kind] ?? 0) + 1
        vertices += widen(box, row.shape)
      }
    }
  }
  return {
    name: table.name,
    format: table.format,
    rows,
    columns: columns.finish(rows),
    shapes,
    withoutShape,
    vertices,
    bbox: box[0]! <= box[2]! ? [box[0]!, box[1]!, box[2]!, box[3]!] : undefined,
    sample,
  }
}

function rowsToCount(table: Table, signal?: AbortSignal): AsyncIterable<readonly Row[] | TextRows> {
  const rows = table.batches(signal)
  return table.columns === undefined ? rows : (rows.asText?.() ?? rows)
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
  return { ...rows, count: 1, bounds, place: () => rows.place(index), row: () => rows.row(index) }
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

/** Widens the box by the shape, and counts its vertices. */
function widen(box: Float64Array, { members, coordinates }: Shape): number {
  let vertices = coordinates.length / 2
  for (const member of members ?? []) vertices += widen(box, member)
  for (let index = 0; index + 1 < coordinates.length; index += 2) {
    const x = coordinates[index]!
    const y = coordinates[index + 1]!
    if (x < box[0]!) box[0] = x
    if (y < box[1]!) box[1] = y
    if (x > box[2]!) box[2] = x
    if (y > box[3]!) box[3] = y
  }
  return vertices
}
