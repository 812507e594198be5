/** Profiles a table, and again with other options if all rows contradict what the first rows suggested. */

import { profileTable, type Onlooker } from '../../core/profile/profile-table.ts'
import type { Table } from '../../core/row.ts'
import { optionsAmong } from '../../formats/format.ts'

/** A table whose choices fit all its rows, and its profile; `decidedAgain` are the choices that changed. */
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
      const settled = review === undefined ? table : { ...table, choices: review.choices }
      return { table: settled, profile, decidedAgain: changesBetween(first, settled) }
    }
    table = watch(review.better)
  }
}

function changesBetween(first: Table, settled: Table) {
  const before = new Map(first.choices.map(({ setting, value }) => [setting, value]))
  const isOtherPair = settled.choices.some(({ setting, value }) => isOfPair(setting) && before.get(setting) !== value)
  const changed = settled.choices.filter(
    ({ setting, value }) => before.get(setting) !== value || (isOtherPair && isOfPair(setting)),
  )
  return optionsAmong(changed)
}

/** Two columns make a position only together, so neither option is complete alone. */
function isOfPair(setting: string): boolean {
  return setting === 'from.x' || setting === 'from.y'
}
