/** Finds the column of ids in which only a few ids are there twice, where no other column is certainly the key. */

import type { ColumnProfile, TableProfile } from '../core/profile/profile-table.ts'
import type { Table } from '../core/row.ts'
import { textOf } from './cell.ts'
import { isNameable, type Choice } from './choice.ts'
import { couldBeKey, keyRank, nameRank } from './suggest-key.ts'

const mostRepeated = 2
const mostExtra = 3
const leastDifferent = 0.9

/** Proposes such a column as a key that is not certain, and says which ids are in which rows; undefined if there is none. */
export async function suggestNearKey(
  table: Table,
  profile: TableProfile,
  { others, signal }: { readonly others: ReadonlySet<string>; readonly signal: AbortSignal | undefined },
): Promise<Choice | undefined> {
  const [column] = profile.columns
    .filter((each) => !others.has(each.name) && isNearlyKey(each))
    .toSorted((one, other) => keyRank(one) - keyRank(other))
  if (column === undefined) return undefined
  const { name } = column
  const rowsOf = new Map<string, number[]>()
  for await (const batch of table.batches(signal))
    for (const { values, at } of batch) {
      const id = textOf(values[name]) ?? ''
      if (id === '') continue
      const rows = rowsOf.get(id)
      if (rows === undefined) rowsOf.set(id, [at.row])
      else rows.push(at.row)
    }
  const repeated = [...rowsOf].filter(([, rows]) => rows.length > 1)
  const found = repeated.map(([id, rows]) => `${id} is in rows ${rows.join(' and ')}`).join(', ')
  const flaw =
    `<${name}> looks like the id, but ${found}. Correct the file and import it again, or add --key ${/\s/.test(name) ? `"${name}"` : name}: ` +
    `the ${repeated.flatMap(([, rows]) => rows).length} rows are then rejected.`
  return {
    field: 'key',
    column: name,
    spec: `<${name}>`,
    evidence: `looks like the id, but ${found}: correct the file`,
    certain: false,
    flaw,
  }
}

function isNearlyKey(column: ColumnProfile): boolean {
  const { name, filled, blank, distinct, distinctIsExact, repeated } = column
  const isNear = repeated > 0 && repeated <= mostRepeated && filled - distinct <= mostExtra
  const isId = isNameable(name) && couldBeKey(column) && keyRank(column) < nameRank
  return isId && distinctIsExact && blank === 0 && isNear && distinct >= leastDifferent * filled
}
