/** Judges a night: compares the service with the file, and checks the books. */

import type { Client } from '../../src/client/connection.ts'
import { assertBalanced, type Report } from '../../src/pipeline/report/report.ts'
import { nameOf, type Rows } from './drifting-file.ts'

export const differences = ['lost', 'doubled', 'leftOver', 'wrong'] as const

/** The numbers of records in which the service differs from the file: `wrong` ones have other content. */
export type Differences = Record<(typeof differences)[number], number>

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

type Shown = {
  readonly dataPointKey: string
  readonly name: string
  readonly totalArea?: object
  readonly meta: { readonly isDeleted?: boolean }
}

/** A member of each plot that the service has, by its key. */
export async function plotsIn<Member extends 'name' | 'totalArea'>(
  client: Client,
  member: Member,
): Promise<ReadonlyMap<string, Shown[Member]>> {
  const plots = new Map<string, Shown[Member]>()
  for await (const page of client.changes(await client.dataset('plots')))
    for (const item of page.items as readonly Shown[])
      if (item.meta.isDeleted === true) plots.delete(item.dataPointKey)
      else plots.set(item.dataPointKey, item[member])
  return plots
}

export function isBalanced(report: Report): boolean {
  try {
    assertBalanced(report)
    return true
  } catch {
    return false
  }
}
