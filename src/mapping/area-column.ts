/** Hides which columns of a file say how large its paddocks are, and in which unit by their header. */

import { unitCode, type UnitKind } from '../resources/units.ts'
import { columnNamed } from './cell.ts'
import { fieldRules, headerWords } from './header-words.ts'
import type { RecordTree } from './tree.ts'

/**
 * A column that states areas. `unit` is the code of the unit that its header names. With `isRecord` it is what the record's
 * own area comes from, unit and all.
 */
export type AreaColumn = { readonly name: string; readonly unit: string | undefined; readonly isRecord: boolean }

// What is grazed or sown is less than what the boundary encloses, and rightly so.
const partOfIt =
  /\b(?:eff|effective|net|netto|productive|graz\w+|plant\w*|sown|spray\w*|treated|used|crop\w*|irrigated)\b/

/** The columns that state areas, likeliest first; where the record's area comes from columns, only those. */
export function areaColumnsOf(record: RecordTree, columns: readonly string[]): readonly AreaColumn[] {
  const said = record['totalArea']
  const mapped = columnsIn(said)
  if (mapped.length > 0) return [{ name: mapped.join(' + '), unit: undefined, isRecord: true }]
  const words = fieldRules.find(({ field }) => field === '/totalArea')?.words ?? []
  return columns
    .filter((name) => !partOfIt.test(headerWords(name)))
    .map((name) => ({ name, rank: words.findIndex((each) => each.test(headerWords(name))) }))
    .filter(({ rank }) => rank !== -1)
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ name }) => ({ name, unit: unitInHeader(name, 'area'), isRecord: false }))
}

/** The code of the unit that a header names: AREA_HA, "Size (acres)". */
export function unitInHeader(header: string, kind: UnitKind): string | undefined {
  const words = headerWords(header).split(' ')
  for (const word of [words.slice(-2).join(' '), ...words.toReversed()]) {
    const code = unitCode(word, kind)
    if (code !== undefined) return code
  }
  return undefined
}

function columnsIn(said: unknown): readonly string[] {
  if (typeof said === 'string') return [columnNamed(said)].filter((name) => name !== undefined)
  if (Array.isArray(said)) return said.flatMap(columnsIn)
  if (typeof said !== 'object' || said === null) return []
  if ('from' in said) return [said.from].flat().filter((name) => typeof name === 'string')
  if ('first' in said) return columnsIn(said.first)
  return 'measurement' in said ? columnsIn(said.measurement) : []
}
