/** Searches the rows for a key where no column is different in all of them: nearly different ids, or two columns together. */

import type { ColumnProfile, TableProfile } from '../core/profile/profile-table.ts'
import { isBlank, type Table } from '../core/row.ts'
import { textOf } from './cell.ts'
import type { Suggested } from './choice.ts'
import { headerWords, keyWords } from './header-words.ts'
import { couldBeKey, keyRank, leastDifferent, nameRank } from './suggest-key.ts'

/** A table, and the columns that are not part of a key, such as the crop, which changes every year. */
type KeySearch = {
  readonly table: Table
  readonly profile: TableProfile
  readonly others: ReadonlySet<string>
  readonly signal: AbortSignal | undefined
}

const mostRepeated = 2
const mostExtra = 3

/**
 * Proposes the column of ids in which only a few are there twice, as a key that is not certain, and says which ids are in which rows;
 * undefined if there is none.
 */
export async function suggestNearKey({ table, profile, others, signal }: KeySearch): Promise<Suggested | undefined> {
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
  const { filled, blank, distinct, distinctIsExact, repeated } = column
  const isNear = repeated > 0 && repeated <= mostRepeated && filled - distinct <= mostExtra
  const isId = couldBeKey(column) && keyRank(column) < nameRank
  return isId && distinctIsExact && blank === 0 && isNear && distinct >= leastDifferent * filled
}

const mostColumns = 6
// Each pair keeps its values in memory.
const mostRows = 200_000

type Pair = { readonly columns: readonly [string, string]; readonly seen: Set<string> }

/** Proposes the likeliest two columns that together are different in every row; undefined if no two are. */
export async function suggestPair({ table, profile, others, signal }: KeySearch): Promise<Suggested | undefined> {
  const parts = partsOfKey(profile, others).slice(0, mostColumns)
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
  return {
    field: 'key',
    column: undefined,
    spec: pairs[0]!.columns.map((name) => `<${name}>`),
    evidence: `no column alone is different in every row; these two together are: ${profile.rows} of ${profile.rows} different`,
    certain: false,
  }
}

/** The columns that could be part of a key, likeliest first; a name is the last resort. */
function partsOfKey({ columns }: TableProfile, others: ReadonlySet<string>): readonly ColumnProfile[] {
  const endsAsMark = /(?:id|nr|no|num|nummer|number|code)$/
  const rankOf = (column: ColumnProfile): number => {
    const rank = keyRank(column)
    return rank === nameRank ? keyWords.length + 2 : rank - (endsAsMark.test(headerWords(column.name)) ? 1 : 0)
  }
  return columns
    .filter((column) => !others.has(column.name) && column.blank === 0 && column.distinct > 1 && couldBeKey(column))
    .toSorted((left, right) => rankOf(left) - rankOf(right))
}
