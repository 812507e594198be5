/** Reads a whole table once and reports what its columns and shapes contain. */

import type { Problem } from '../problem.ts'
import type { Row, Table } from '../row.ts'
import { emptyBox, widenBy, type Shape, type ShapeKind } from '../shape.ts'
import { holdsNothing } from '../values/no-value.ts'
import { addCell, finishColumn, startBudget, startColumn } from './column.ts'

export type { ColumnProfile } from './column.ts'
export type { PatternFit } from './judged.ts'

/** What a whole table contains. */
export type TableProfile = Awaited<ReturnType<typeof profileTable>>

const mostColumns = 2000

/** Rows that do not become records. */
const isSkipped: ReadonlySet<string> = new Set(['row-blank', 'row-footer', 'header-again'])

/** Called during the pass with each shape, each problem, and each row that contains a question mark. */
export type Onlooker = {
  readonly onShape?: ((shape: Shape) => void) | undefined
  readonly onProblem?: (problem: Problem) => void
  readonly onQuestionMark?: (row: Row) => void
}

function hasQuestionMark({ values }: Row): boolean {
  for (const name in values) {
    const value = values[name]
    if (typeof value === 'string' && value.includes('?')) return true
  }
  return false
}

/** Reads the whole table in one pass. */
export async function profileTable(
  table: Table,
  signal?: AbortSignal,
  { onShape, onProblem, onQuestionMark }: Onlooker = {},
) {
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

/** A table with declared columns has only those; otherwise columns are added as they appear. */
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
        // A column may have the name of a member that every object inherits.
        if (Object.hasOwn(values, name)) addCell(columns[index]!, values[name], at, budget)
      }
    },
    finish: (rows: number) => names.map((name, index) => finishColumn(name, columns[index]!, rows)),
  }
}

/** The row with the most filled cells among the first hundred is the best example. */
function fullerOf(sample: Row | undefined, row: Row): Row {
  if (sample === undefined) return row
  if (row.at.row - sample.at.row > 100) return sample
  const filled = (each: Row): number => Object.values(each.values).filter((value) => !holdsNothing(value)).length
  return filled(row) > filled(sample) ? row : sample
}

/** Starts counting; `begin` takes the rows of a batch, `add` the shape of each row that counts. */
function startShapes({ hasGeometry }: Table) {
  const shapes: Partial<Record<ShapeKind, number>> = {}
  const box = emptyBox()
  const firstShapes: Shape[] = []
  let [withoutShape, vertices] = [0, 0]
  return {
    begin(rows: readonly Row[]): void {
      if (hasGeometry && firstShapes.length === 0) for (const { shape } of rows) keep(shape, firstShapes)
    },
    add(shape: Row['shape']): void {
      if (shape === undefined || shape === null) {
        withoutShape++
        return
      }
      shapes[shape.kind] = (shapes[shape.kind] ?? 0) + 1
      vertices += widenBy(box, shape)
    },
    finish: () => ({
      shapes,
      withoutShape,
      vertices,
      /** In the file's coordinates: west, south, east, north. */
      bbox: box[0] <= box[2] ? box : undefined,
      /** The shapes of the first batch that has any. */
      firstShapes,
    }),
  }
}

/** Keeps a copy of a shape that has coordinates: its buffer may be reused for the next rows. */
function keep(shape: Row['shape'], kept: Shape[]): void {
  if (shape && shape.coordinates.length > 0) kept.push({ ...shape, coordinates: shape.coordinates.slice() })
}
