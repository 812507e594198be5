/** Hides how a table is looked over until what was decided on its first rows holds for all of them, which mostly is at once. */

import { profileTable, type Onlooker, type TableProfile } from '../../core/profile/profile-table.ts'
import type { Table } from '../../core/row.ts'

/** A table whose decisions hold for all its rows, with their counts; `decidedAgain` are those that the whole file changed. */
export type LookedOver = {
  readonly table: Table
  readonly profile: TableProfile
  readonly decidedAgain: Readonly<Record<string, string | number | boolean>>
}

/** `watch` is given each table before it is looked over, and gives the one to look over in its place. */
export type LookOver = Onlooker & {
  readonly watch?: (table: Table) => Table
  readonly signal?: AbortSignal | undefined
}

/** Separator, quote and the columns that hold geometry may each change once; more would be a circle. */
const mostTables = 4

/** Looks over the table, and over the one that all rows want it to be where that is another. */
export async function lookOver(
  first: Table,
  { watch = (table) => table, signal, ...onlooker }: LookOver = {},
): Promise<LookedOver> {
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

function changesBetween(first: Table, settled: Table): LookedOver['decidedAgain'] {
  const before = new Map(first.decisions.map(({ option, value }) => [option, value]))
  const isOtherPair = settled.decisions.some(({ option, value }) => isOfPair(option) && before.get(option) !== value)
  const changed = settled.decisions.filter(
    ({ option, value }) => before.get(option) !== value || (isOtherPair && isOfPair(option)),
  )
  return Object.fromEntries(changed.map(({ option, value }) => [option, value]))
}

/** Two columns are a position together, so that neither can be said alone. */
function isOfPair(option: string): boolean {
  return option === 'x' || option === 'y'
}
