/** Reads a whole table once and reports what its columns and shapes contain. */

import type { Problem } from '../problem.ts'
import type { Row, Table } from '../row.ts'
import { startShapeFacts } from '../shape-facts.ts'
import { holdsNothing } from '../values/no-value.ts'
import { addCell, finishColumn, startBudget, startColumn, type Gathered } from './column.ts'

export type { ColumnProfile } from './column.ts'
export type { PatternFit } from './judged.ts'

/** What a whole table contains. */
export type TableProfile = Awaited<ReturnType<typeof readThrough>>['profile']

const mostColumns = 2000

/** Rows that do not become records. */
const skippedCodes: ReadonlySet<string> = new Set(['row-blank', 'row-footer', 'header-again'])

/** Called during the pass with each problem, and each row that contains a question mark. */
export type Onlooker = {
  readonly onProblem?: (problem: Problem) => void
  readonly onQuestionMark?: ((row: Row) => void) | undefined
}

/** Reads the whole table in one pass, and finds the columns that contain geometry: they are in the table that is returned. */
export async function readThrough(given: Table, signal?: AbortSignal, { onProblem, onQuestionMark }: Onlooker = {}) {
  const columns = startColumns(given, onQuestionMark)
  const shapes = startShapeFacts()
  const search = given.search?.()
  let [rows, unreadable] = [0, 0]
  let sample: Row | undefined
  for await (const batch of given.batches(signal)) {
    for (const row of batch) {
      const { shape, problems } = row
      if (problems !== undefined && onProblem !== undefined) for (const each of problems) onProblem(each)
      if (problems?.some(({ code }) => skippedCodes.has(code)) === true) continue
      rows++
      search?.pass(row)
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
  const found = search?.end(onProblem)
  const { search: _search, ...plain } = given
  const table: Table = found?.table ?? plain
  const profile = {
    name: table.name,
    format: table.format,
    rows,
    columns: columns.finish(rows - unreadable, table.lonLat ?? table.withoutPoints?.lonLat),
    ...(found?.shapes ?? shapes.finish()),
    sample,
  }
  return { table, profile }
}

/** A table with declared columns has only those; otherwise columns are added as they appear. */
function startColumns(table: Table, onQuestionMark: Onlooker['onQuestionMark']) {
  const columns = new Map((table.columns ?? []).map(({ name }) => [name, startColumn()]))
  const budget = startBudget()
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
    finish: (rows: number, lonLat: Table['lonLat']) =>
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
