/** Finds the columns of a file that give the area of its paddocks, with the unit that their headers name. */

import { unitCode, type UnitKind } from '../resources/units.ts'
import { columnsTaken } from './choice.ts'
import { fieldRules, headerWords, partWords } from '../core/values/header-words.ts'
import type { RecordTree } from './tree.ts'

/**
 * A column of areas. `unit` is the code of the unit in its header. With `isRecord` the pipeline maps it to the record's area.
 */
export type AreaColumn = { readonly name: string; readonly unit: string | undefined; readonly isRecord: boolean }

/** The columns of areas, likeliest first; where the pipeline maps columns to the record's area, only those. */
export function areaColumnsOf(record: RecordTree, columns: readonly string[]): readonly AreaColumn[] {
  const mapped = columnsTaken(record['totalArea'])
  if (mapped.length > 0) return [{ name: mapped.join(' + '), unit: undefined, isRecord: true }]
  const words = fieldRules.find(({ field }) => field === 'totalArea')?.words ?? []
  return columns
    .filter((name) => !partWords.test(headerWords(name)))
    .map((name) => ({ name, rank: words.findIndex((each) => each.test(headerWords(name))) }))
    .filter(({ rank }) => rank !== -1)
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ name }) => ({ name, unit: unitInHeader(name, 'area'), isRecord: false }))
}

/** The code of the unit that a header names: AREA_HA, "Size (acres)"; none for two, such as "Area ha/acres". */
export function unitInHeader(header: string, kind: UnitKind): string | undefined {
  const words = headerWords(header).split(' ')
  const ofLast = unitCode(words.slice(-2).join(' '), kind)
  const [code, other] = new Set(words.flatMap((word) => unitCode(word, kind) ?? []))
  return ofLast ?? (other === undefined ? code : undefined)
}
