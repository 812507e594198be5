/** Plays a source file that changes from night to night, and compares it with what the service has. */

import type { Chance } from '../seeded.ts'

/** What each row of the file says, by its id. */
export type Rows = Map<string, number>

export const differences = ['lost', 'doubled', 'leftOver', 'wrong'] as const

/** The numbers of records in which the service differs from the file: `wrong` ones have other content. */
export type Differences = Record<(typeof differences)[number], number>

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

function nameOf(id: string, version: number): string {
  return `Paddock ${id} as of ${version}`
}

/** Compares the names of the service's records, by key, with the file. */
export function compareWith(rows: Rows, names: ReadonlyMap<string, string>): Differences {
  const found = { lost: 0, doubled: 0, leftOver: 0, wrong: 0 }
  const seen = new Map<string, number>()
  for (const [key, name] of names) {
    const id = /^Paddock (\S+)/.exec(name)?.[1] ?? key
    seen.set(id, (seen.get(id) ?? 0) + 1)
    if (!rows.has(id)) found.leftOver += 1
    else if (name !== nameOf(id, rows.get(id)!)) found.wrong += 1
  }
  for (const id of rows.keys()) if (!seen.has(id)) found.lost += 1
  for (const times of seen.values()) found.doubled += times - 1
  return found
}
