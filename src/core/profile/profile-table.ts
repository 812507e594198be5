/** Reads a whole table once and reports what its columns and shapes contain. */

import type { Problem } from '../problem.ts'
import type { Row, Table } from '../row.ts'
import { emptyBox, widenBy, type Shape, type ShapeKind } from '../shape.ts'
import { holdsNothing } from '../values/no-value.ts'
import { addCell, finishColumn, startBudget, startColumn, type Gathered } from './column.ts'

export type { ColumnProfile } from './column.ts'
export type { PatternFit } from './judged.ts'

/** What a whole table contains. */
export type TableProfile = Awaited<ReturnType<typeof profileTable>>

const mostColumns = 2000

/** Rows that do not become records. */
const skippedCodes: ReadonlySet<string> = new Set(['row-blank', 'row-footer', 'header-again'])

/** Called during the pass with each shape, each problem, and each row that contains a question mark. */
export type Onlooker = {
  readonly onShape?: ((shape: Shape) => void) | undefined
  readonly onProblem?: (problem: Problem) => void
  readonly onQuestionMark?: ((row: Row) => void) | undefined
}

/** Reads the whole table in one pass. */
export async function profileTable(
  table: Table,
  signal?: AbortSignal,
  { onShape, onProblem, onQuestionMark }: Onlooker = {},
) {
  const columns = startColumns(table, onQuestionMark)
  const shapes = startShapes(table)
  let [rows, unreadable] = [0, 0]
  let sample: Row | undefined
  for await (const batch of table.batches(signal)) {
    shapes.begin(batch)
    for (const row of batch) {
      const { shape, problems } = row
      if (problems !== undefined && onProblem !== undefined) for (const each of problems) onProblem(each)
      if (shape && onShape !== undefined) onShape(shape)
      if (problems?.some(({ code }) => skippedCodes.has(code)) === true) continue
      rows++
      shapes.add(shape)
      // No cell of it can be trusted, nor missed.
      if (problems?.some(({ code }) => code === 'row-unreadable') === true) {
        unreadable++
        continue
      }
      sample = fullerOf(sample, row)
      columns.add(row)
    }
  }
  return {
    name: table.name,
    format: table.format,
    rows,
    columns: columns.finish(rows - unreadable),
    ...shapes.finish(),
    sample,
  }
}

/** A table with declared columns has only those; otherwise columns are added as they appear. */
function startColumns(table: Table, onQuestionMark: Onlooker['onQuestionMark']) {
  const columns = new Map((table.columns ?? []).map(({ name }) => [name, startColumn()]))
  const budget = startBudget()
  const lonLat = table.lonLat ?? table.withoutPoints?.lonLat
  const columnOf = (name: string): Gathered | undefined => {
    const known = columns.get(name)
    if (known !== undefined || table.columns !== undefined || columns.size >= mostColumns) return known
    const started = startColumn()
    columns.set(name, started)
    return started
  }
  return {
    add(row: Row): void {
      const { at, values } = row
      let hasQuestionMark = false
      for (const name in values) {
        const value = values[name]
        const column = columnOf(name)
        if (column !== undefined) addCell(column, value, at, budget)
        hasQuestionMark ||= onQuestionMark !== undefined && typeof value === 'string' && value.includes('?')
      }
      if (hasQuestionMark) onQuestionMark?.(row)
    },
    finish: (rows: number) =>
      [...columns].map(([name, column]) => {
        const found = finishColumn(name, column, rows)
        return lonLat?.includes(name) === true ? asDegrees(found) : found
      }),
  }
}

/** In degrees, 174.123 has decimals: no longitude has thousands. */
function asDegrees(column: ReturnType<typeof finishColumn>): typeof column {
  const { both, ...fit } = column.numberFit
  const other = column.examples.some((each) => each.includes(',')) ? 'point' : 'comma'
  return { ...column, numberFit: { ...fit, [other]: fit[other] - both, both: 0 } }
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
  const points = startPoints()
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
      points.add(shape)
    },
    finish: () => ({
      shapes,
      withoutShape,
      vertices,
      /** In the file's coordinates: west, south, east, north. */
      bbox: box[0] <= box[2] ? box : undefined,
      /** The shapes of the first batch that has any. */
      firstShapes,
      /** The first points of the rows, x and y in turn: of all, or of every second, fourth and so on where there are many. */
      points: points.kept(),
    }),
  }
}

const mostPoints = 50_000

function startPoints() {
  let [points, every, shapes]: [number[], number, number] = [[], 1, 0]
  return {
    add({ coordinates, members }: Shape): void {
      const [x, y] = members?.[0]?.coordinates ?? coordinates
      if (x === undefined || y === undefined || shapes++ % every !== 0) return
      points.push(x, y)
      if (points.length <= 2 * mostPoints) return
      points = points.filter((_, at) => at % 4 < 2)
      every *= 2
    },
    kept: (): readonly number[] => points,
  }
}

/** Keeps a copy of a shape that has coordinates: its buffer may be reused for the next rows. */
function keep(shape: Row['shape'], kept: Shape[]): void {
  if (shape && shape.coordinates.length > 0) kept.push({ ...shape, coordinates: shape.coordinates.slice() })
}
