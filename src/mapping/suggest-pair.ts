/** Finds two columns that together are different in every row, where no single column is. */

import type { TableProfile } from '../core/profile/profile-table.ts'
import { isBlank, type Table } from '../core/row.ts'
import type { Choice } from './choice.ts'
import { partsOfKey } from './suggest-key.ts'

const mostColumns = 6
// Each pair keeps its values in memory.
const mostRows = 200_000

type Pair = { readonly columns: readonly [string, string]; readonly seen: Set<string> }

/** Proposes the likeliest pair as the key, in one more pass over the table; undefined if no pair is different in every row. */
export async function suggestPair(
  table: Table,
  profile: TableProfile,
  {
    others,
    serviceIds,
    signal,
  }: {
    /** Columns that are not part of a key, such as the crop, which changes every year. */
    readonly others: ReadonlySet<string>
    readonly serviceIds: ReadonlySet<string> | undefined
    readonly signal: AbortSignal | undefined
  },
): Promise<Choice | undefined> {
  const parts = partsOfKey(profile, { others, serviceIds }).slice(0, mostColumns)
  let pairs = parts.flatMap((one, index) =>
    parts
      .slice(index + 1)
      .filter((other) => one.distinct * other.distinct >= profile.rows)
      .map((other): Pair => ({ columns: [one.name, other.name], seen: new Set() })),
  )
  if (profile.rows > mostRows || profile.rows < 2 || pairs.length === 0) return undefined
  let rows = 0
  for await (const batch of table.batches(signal)) {
    for (const { values } of batch) {
      if (Object.values(values).every(isBlank)) continue
      rows += 1
      for (const { columns, seen } of pairs) seen.add(JSON.stringify(columns.map((name) => values[name])))
      pairs = pairs.filter(({ seen }) => seen.size === rows)
      if (pairs.length === 0) return undefined
    }
  }
  const [found] = pairs
  if (found === undefined) return undefined
  return {
    field: 'key',
    column: undefined,
    spec: found.columns.map((name) => `<${name}>`),
    evidence: `no column alone is different in every row; these two together are: ${profile.rows} of ${profile.rows} different`,
    certain: false,
  }
}
