/** Hides how a table is looked over once before anything is decided: what its columns hold, and how it is written. */

import { holdsNothing } from '../values/no-value.ts'
import { addCell, finishColumn, startBudget, startColumn, type ColumnProfile } from './column.ts'
import { startShapes, type ShapesProfile } from './shapes.ts'
import type { Problem } from '../problem.ts'
import type { Row, Table } from '../row.ts'
import type { Shape } from '../shape.ts'

export type { ColumnProfile } from './column.ts'
export type { NumberFit, PatternFit } from './judged.ts'

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
  const shapes = startShapes(table)
  let rows = 0
  let sample: Row | undefined
  for await (const batch of table.batches(signal)) {
    shapes.begin(batch)
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

/** The columns of a table that names them are all it has; else they are taken as they turn up. */
function startColumns(table: Table) {
  const names = (table.columns ?? []).map(({ name }) => name)
  const known = new Set(names)
  const columns = names.map(startColumn)
  const budget = startBudget()
  const takeNew = (row: Row): void => {
    for (const name in row.values) {
      if (known.has(name) || names.length >= mostColumns) continue
      known.add(name)
      names.push(name)
      columns.push(startColumn())
    }
  }
  return {
    add(row: Row): void {
      if (table.columns === undefined) takeNew(row)
      const { at, values } = row
      for (let index = 0; index < names.length; index += 1) {
        const name = names[index]!
        // A column may be called like a part of every object.
        if (Object.hasOwn(values, name)) addCell(columns[index]!, values[name], at, budget)
      }
    },
    finish: (rows: number) => names.map((name, index) => finishColumn(name, columns[index]!, rows)),
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
