/** Finds records that a file without boundaries has under new ids: they would be deleted with their boundaries, and made without. */

import { geometryOf, nameOf, readBody } from '../../ledger/content.ts'
import { farmOfStart, idInKey } from '../../resources/keys.ts'
import { identifierText } from '../../resources/resource-type.ts'
import { plainName } from '../evidence/changed-values.ts'
import type { Contradiction } from '../evidence/odd-changes.ts'
import { isNew, uncommon } from '../stage/stage-store.ts'
import { haveSameArea } from './judge-renamed.ts'
import type { Judging } from './judging.ts'

/**
 * Returns a contradiction if a new record has the name of one that would be deleted, and no boundary in place of its boundary. Paddocks
 * of two farms often have one name, so of another farm also the area must be the same.
 */
export function contradictionOfRenumbered({ job, stage }: Judging): Contradiction | undefined {
  if (job.geometry !== undefined) return undefined
  const deleted = stage
    .query<{ key: string; before: string }>(
      `SELECT key, before FROM records WHERE ${uncommon} AND action = 'delete' AND before IS NOT NULL`,
    )
    .map(({ key, before }) => recordOf(key, before))
  const going = Map.groupBy(
    deleted.filter(({ plain, hasBoundary }) => plain !== '' && hasBoundary),
    ({ plain }) => plain,
  )
  if (going.size === 0) return undefined
  const found = stage
    .query<{ id: number; key: string }>(`SELECT id, key FROM records WHERE ${isNew}`)
    .flatMap((each) => {
      const record = recordOf(each.key, stage.bodyOf(each.id)!)
      const before = going
        .get(record.plain)
        ?.find(({ farm, area }) => farm === record.farm || haveSameArea(area, record.area))
      return before === undefined ? [] : [{ ...record, before }]
    })
  const [first] = found
  if (first === undefined) return undefined
  const { key, name, farm, before } = first
  const [row] = stage.rowsOf(key)
  const has =
    found.length === 1
      ? '1 new record has the name of a record that would be deleted with its boundary'
      : `${found.length} new records have the names of records that would be deleted with their boundaries`
  const known = `known as "${idInKey(before.key)}"${farm === before.farm ? '' : ` of the farm ${before.farm}`}`
  return {
    sentence: `${has}, and this file has no boundaries (row ${row!.row}: "${idInKey(key)}" ${name}, ${known}). Did an id or a farm change?`,
    ...(farm === before.farm ? { write: 'match: name' } : {}),
  }
}

function recordOf(key: string, text: string) {
  const body = readBody(text)
  const name = nameOf(body) ?? ''
  const farm = identifierText(farmOfStart(key))
  return {
    key,
    name,
    plain: plainName(name),
    farm,
    area: body['totalArea'],
    hasBoundary: geometryOf(body) !== undefined,
  }
}
