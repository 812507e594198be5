/** Finds records that a file without boundaries has under new ids: they would be deleted with their boundaries, and made without. */

import { geometryOf, nameOf, readBody } from '../../ledger/content.ts'
import { farmOfStart, idInKey } from '../../resources/keys.ts'
import { identifierText } from '../../resources/resource-type.ts'
import { plainName } from '../evidence/changed-values.ts'
import type { Contradiction } from '../evidence/encoding-evidence.ts'
import { isNew, uncommon } from '../stage/stage-store.ts'
import type { Judging } from './judging.ts'

/** Returns a contradiction if a new record has the name of one that would be deleted, and no boundary in place of its boundary. */
export function contradictionOfRenumbered({ job, stage }: Judging): Contradiction | undefined {
  if (job.geometry !== undefined) return undefined
  const going = new Map<string, string>()
  const deleted = `SELECT key, before FROM records WHERE ${uncommon} AND action = 'delete' AND before IS NOT NULL`
  for (const { key, before } of stage.query<{ key: string; before: string }>(deleted)) {
    const body = readBody(before)
    const name = plainName(nameOf(body) ?? '')
    if (name !== '' && geometryOf(body) !== undefined) going.set(name, key)
  }
  if (going.size === 0) return undefined
  const found: { readonly key: string; readonly name: string; readonly before: string }[] = []
  for (const { id, key } of stage.query<{ id: number; key: string }>(`SELECT id, key FROM records WHERE ${isNew}`)) {
    const name = nameOf(readBody(stage.bodyOf(id)!)) ?? ''
    const before = going.get(plainName(name))
    if (before !== undefined) found.push({ key, name, before })
  }
  const [first] = found
  if (first === undefined) return undefined
  const [farm, other] = [first.key, first.before].map((key) => identifierText(farmOfStart(key)))
  const [row] = stage.rowsOf(first.key)
  const has =
    found.length === 1
      ? '1 new record has the name of a record that would be deleted with its boundary'
      : `${found.length} new records have the names of records that would be deleted with their boundaries`
  const known = `known as "${idInKey(first.before)}"${farm === other ? '' : ` of the farm ${other}`}`
  return {
    sentence: `${has}, and this file has no boundaries (row ${row!.row}: "${idInKey(first.key)}" ${first.name}, ${known}). Did an id or a farm change?`,
    ...(farm === other ? { write: 'match: name' } : {}),
  }
}
