/** Checks a geometry plan based on the first rows against all rows, and makes a new one if it does not hold. */

import { isBlank, type ColumnContent, type Row, type Table } from '../../core/row.ts'
import type { Shape } from '../../core/shape.ts'
import { looksLikeGeometry } from './geometry-text.ts'
import type { Counts, Plan } from './point-columns.ts'
import { namedPairs } from './point-names.ts'

/** Counts a row with a geometry. */
export function countPlaced({ kind, coordinates }: Shape, counts: Counts): void {
  counts.placed += 1
  // No latitude is beyond 90 degrees: exchanged, this would not be a place on earth.
  if (kind === 'Point' && Math.abs(coordinates[0]!) > 90) counts.asRead += 1
}

/** Counts a row whose columns are filled but contain no geometry. */
export function countFailed(row: Row, { exchange }: Plan, counts: Counts): void {
  counts.failed += 1
  if (exchange?.places(row.values) !== true) return
  counts.exchanged += 1
  counts.example ??= row
}

/** The share of positions that must be on earth only with the columns exchanged; fewer are single mistakes. */
const leastExchanged = 0.05

/**
 * The plan with the two columns exchanged: against their names if all decisive rows require it, back to their names if
 * more rows require it than not.
 */
export function exchanged(plan: Plan, counts: Counts): Plan | undefined {
  const { placed, failed, asRead, exchanged: turned, example } = counts
  if (example === undefined || plan.exchange === undefined) return undefined
  const isAgainstNames = asRead === 0 && turned >= leastExchanged * (placed + failed)
  if (plan.exchange.isToNames ? turned <= asRead : !isAgainstNames) return undefined
  return plan.exchange.plan(counts, example)
}

/** If more than this share of the positions cannot be read, the first rows were not like the rest. */
const mostFailed = 0.1

/** A table without geometry, its first rows, and how a plan is made from some of its rows. */
export type Ground = {
  readonly table: Table
  readonly sample: readonly Row[]
  plan(rows: readonly Row[]): Plan | undefined
}

type Tried = { readonly read: Plan | undefined; readonly counts: Counts }

/**
 * The plan for rows from all over the table, if the columns' contents contradict the plan based on the first rows: boundaries
 * as text, or positions, that were blank there or written differently. Reads the table again only then.
 */
export async function otherPlan(
  { table, sample, plan }: Ground,
  { read, counts }: Tried,
  columns: readonly ColumnContent[],
  signal: AbortSignal | undefined,
): Promise<Plan | undefined> {
  const wanted = columnsInDoubt({ read, counts }, sample, columns)
  if (wanted.length === 0) return undefined
  const filled = Math.max(...columns.filter(({ name }) => wanted.includes(name)).map((column) => column.filled))
  const other = plan(await rowsAllOver(table, wanted, { filled, signal }))
  return other === undefined || other.manner === read?.manner ? undefined : other
}

function columnsInDoubt(
  { read, counts }: Tried,
  sample: readonly Row[],
  columns: readonly ColumnContent[],
): readonly string[] {
  const isText = read !== undefined && read.points === undefined
  const texts = isText ? [] : columns.filter(({ examples }) => examples.some(looksLikeGeometry))
  if (texts.length > 0 || isText) return texts.map(({ name }) => name)
  if (read?.points !== undefined) {
    const { placed, failed } = counts
    return failed > mostFailed * (placed + failed) ? [read.points.x, read.points.y] : []
  }
  const known = (name: string): boolean => sample.some(({ values }) => !isBlank(values[name]))
  const filled = new Set(columns.filter((column) => column.filled > 0).map(({ name }) => name))
  const pair = namedPairs(columns.map(({ name }) => name)).find(
    ({ x, y }) => filled.has(x) && filled.has(y) && !(known(x) && known(y)),
  )
  return pair === undefined ? [] : [pair.x, pair.y]
}

const rowsTaken = 400

/** A few hundred rows with a value in one of these columns, spread over the whole table. */
async function rowsAllOver(
  table: Table,
  columns: readonly string[],
  { filled, signal }: { readonly filled: number; readonly signal: AbortSignal | undefined },
): Promise<readonly Row[]> {
  const step = Math.max(1, Math.floor(filled / rowsTaken))
  const rows: Row[] = []
  let seen = 0
  for await (const batch of table.batches(signal))
    for (const row of batch)
      if (columns.some((name) => !isBlank(row.values[name])) && seen++ % step === 0) rows.push(row)
  return rows
}
