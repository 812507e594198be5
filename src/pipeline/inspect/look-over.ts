/** Profiles a table, and again with other options if all rows contradict what the first rows suggested. */

import { profileTable, type Onlooker } from '../../core/profile/profile-table.ts'
import type { Table } from '../../core/row.ts'

/** A table whose decisions fit all its rows, and its profile; `decidedAgain` are the decisions that changed. */
export type LookedOver = Awaited<ReturnType<typeof lookOver>>

/** `watch` gets each table before it is profiled and returns the one to profile. */
export type LookOver = Onlooker & {
  readonly watch?: (table: Table) => Table
  readonly signal?: AbortSignal | undefined
}

/** Delimiter, quote and geometry columns may each change once; more would be a loop. */
const mostTables = 4

/** Profiles the table, or the table that fits all its rows better. */
export async function lookOver(first: Table, { watch = (table) => table, signal, ...onlooker }: LookOver = {}) {
  let table = watch(first)
  for (let tables = 1; ; tables += 1) {
    const profile = await profileTable(table, signal, onlooker)
    const review = await table.review?.(profile.columns, signal)
    if (review?.better === undefined || tables === mostTables) {
      const settled = review === undefined ? table : { ...table, decisions: review.decisions }
      return { table: settled, profile, decidedAgain: changesBetween(first, settled) }
    }
    table = watch(review.better)
  }
}

function changesBetween(first: Table, settled: Table) {
  const before = new Map(first.decisions.map(({ option, value }) => [option, value]))
  const isOtherPair = settled.decisions.some(({ option, value }) => isOfPair(option) && before.get(option) !== value)
  const changed = settled.decisions.filter(
    ({ option, value }) => before.get(option) !== value || (isOtherPair && isOfPair(option)),
  )
  return Object.fromEntries(changed.map(({ option, value }) => [option, value]))
}

/** Two columns make a position only together, so neither option is complete alone. */
function isOfPair(option: string): boolean {
  return option === 'x' || option === 'y'
}
