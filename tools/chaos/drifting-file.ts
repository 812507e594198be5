/** Plays a source file that changes from night to night, with the pipelines of its farm. */

import type { Chance } from '../seeded.ts'

/** What each row of the file says, by its id. */
export type Rows = Map<string, number>

export function startRows(count: number): Rows {
  return new Map(Array.from({ length: count }, (_, row) => [`P${row}`, 0]))
}

/** Rows that change, go, come, and come back. As many come as go, so that the file keeps its size. */
export function drift(rows: Rows, chance: Chance, share: number): void {
  const ids = [...rows.keys()]
  const some = (most: number): number => Math.ceil(ids.length * share * chance.between(0, most))
  for (let count = some(3); count > 0; count -= 1) {
    const id = chance.pick(ids)
    if (rows.has(id)) rows.set(id, rows.get(id)! + 1)
  }
  for (let count = some(1); count > 0; count -= 1) rows.delete(chance.pick(ids))
  // Some are new; others are so few that one which was deleted comes again.
  for (let count = some(1); count > 0; count -= 1) {
    const id = chance.next() < 0.5 ? `P${chance.whole(0, ids.length * 2)}` : `N${chance.whole(1e6, 9e6)}`
    if (!rows.has(id)) rows.set(id, chance.whole(100, 999))
  }
}

export function csvOf(rows: Rows): string {
  return `ID,NAME\n${[...rows].map(([id, version]) => `${id},${nameOf(id, version)}\n`).join('')}`
}

/** The name of a row in the file. */
export function nameOf(id: string, version: number): string {
  return `Paddock ${id} as of ${version}`
}

/** The farm, and the pipelines that publish it and the file. */
export const farmId = { scheme: 'nz.example.farm-number', id: '00412876' }

export const holdingsCsv = `FARM_NO,NAME\n${farmId.id},Rimu Farm\n`

export const holdingsPipeline = `windrow: 1
import: holdings
from: { file: holdings.csv }
holding: { scheme: ${farmId.scheme}, id: <FARM_NO> }
record: { name: <NAME> }
`

export const nightlyPipeline = `windrow: 1
import: plots
from: { file: nightly.csv }
holding: { scheme: ${farmId.scheme}, id: "${farmId.id}" }
key: <ID>
record: { name: <NAME> }
gone: delete
rules: { deletes: stop above 50 %, values-changed: allow }
`
