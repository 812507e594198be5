/**
 * Finds ids that the file spells differently than before, such as 1.0 or 1 for 001, 1-Mar for 1-3, or K?nuka for Kānuka, after a
 * detour through another program. Each id looks valid, but all records would be published a second time. Finds records, too, that a
 * file without boundaries has under new ids: they would be deleted with their boundaries, and made without.
 */

import type { WindrowError } from '../../core/error.ts'
import { problem } from '../../core/problem.ts'
import { textsBehindDay } from '../../core/values/made-days.ts'
import { withoutMarks } from '../../core/values/plain-words.ts'
import { geometryOf, nameOf, readBody } from '../../ledger/content.ts'
import { farmOfStart, idInKey } from '../../resources/keys.ts'
import { identifierText } from '../../resources/resource-type.ts'
import { plainId, plainName } from '../../core/values/same-name.ts'
import { isSpoiltFrom, textsBehindLetters, withQuestionMarks } from '../evidence/letters-behind.ts'
import { isNew, placeOf, uncommon } from '../stage/stage-store.ts'
import { stopFor, waysToAllow, type Judging } from '../settle/judging.ts'
import type { Contradiction } from './judge-readings.ts'

/**
 * Returns a contradiction if most new records have the key of a missing known record in another spelling, or if one of these known
 * records would be deleted; else warns of them, and rejects those that have the name of the known one, too, or spoilt letters.
 */
export function contradictionOfKeys(judging: Judging): Contradiction | undefined {
  const { stage, ledger, source, guards } = judging
  if (ledger.isEmpty()) return undefined
  const created = [...stage.keysWhere(`action = 'create'`)].flat()
  const respelt = respeltAmong(created, judging)
  if (respelt.size === 0) return undefined
  // A deletion would also take what other pipelines gave the record, such as its boundary.
  const isDeleted = (id: string): boolean =>
    stage.query(`SELECT 1 FROM records WHERE ${uncommon} AND action = 'delete' AND key = ?`, id).length > 0
  if ((respelt.size > 1 && respelt.size * 2 > created.length) || [...respelt.values()].some(isDeleted)) {
    const write =
      'guard: { reading: warn, replaced: 100 % }  for this run only, and delete the records with the old ids'
    return { sentence: sentenceOf(respelt, created.length, judging).sentence, write }
  }
  const mayRepeat = guards.duplicates === 'allow' || guards.allowed?.has('duplicates') === true
  const left = mayRepeat ? respelt : withoutNamesakes(respelt, judging)
  if (left.size === 0) return undefined
  const { sentence, row } = sentenceOf(left, created.length, judging)
  const hint = 'If it is the same record, write its id as before, in a text column.'
  stage.report('file-inconsistent', { source, row }, { message: sentence, hint })
  return undefined
}

type Respelt = ReadonlyMap<string, string>

function sentenceOf(respelt: Respelt, newRecords: number, { stage }: Judging) {
  const [[key, known]] = respelt as Iterable<[string, string]> as [[string, string]]
  const [place] = stage.query<{ row: number | null }>('SELECT row FROM rows WHERE key = ? LIMIT 1', key)
  const row = place?.row ?? -1
  const isOne = respelt.size === 1
  const sentence =
    `${respelt.size} of ${newRecords} new records ${isOne ? 'has the id of a known record' : 'have ids of known records'} in another spelling ` +
    `(row ${row}: "${idInKey(key)}", known as "${idInKey(known)}"), and the known ${isOne ? 'one is' : 'ones are'} not in the file: did a program change the ids?`
  return { sentence, row }
}

/** Rejects the new records that have the name of the known one, too, or its id with spoilt letters: they are the same. Returns the others. */
function withoutNamesakes(respelt: Respelt, { job, stage, ledger, source }: Judging): Respelt {
  const left = new Map(respelt)
  stage.together(() => {
    for (const [key, known] of respelt) {
      const [record] = stage.query<{ id: number }>(`SELECT id FROM records WHERE key = ? AND action = 'create'`, key)
      const [was, is] = [ledger.find(known)!.body, stage.bodyOf(record!.id)!].map((text) => readBody(text)['name'])
      if (typeof was !== 'string' || typeof is !== 'string') continue
      if (plainName(was) !== plainName(is) && !isSpoiltFrom(idInKey(key), idInKey(known))) continue
      const [row] = stage.rowsOf(key)
      const message = `The service has "${is}" as "${idInKey(known)}": this is its id in another spelling, and it would be there twice.`
      const hint = `Write "${idInKey(known)}" as before, in a text column. If it is another record:  ${waysToAllow('duplicates', job)}`
      stage.reject(record!.id, problem('id-respelt', placeOf(row!, source), { value: idInKey(key), message, hint }))
      left.delete(key)
    }
  })
  return left
}

/** New keys, each with the known key that it respells, or of which it has spoilt letters. */
function respeltAmong(created: readonly string[], { job, stage, ledger }: Judging): Respelt {
  const respelt = new Map<string, string>()
  // The number of a farm is in the key twice, as that of its farm and as its own.
  const parts = job.type.plural === 'holdings' ? 2 : 3
  const startOf = (key: string): string => `${key.split('/', parts).join('/')}/`
  for (const [prefix, keys] of Map.groupBy(created, startOf)) {
    const byPlain = new Map(
      keys.flatMap((key) => {
        const id = idInKey(key)
        const plain = [plainId(id), ...textsBehindDay(id), ...textsBehindLetters(id).map(plainId)].map(withoutMarks)
        return [...plain, ...(id.includes('?') ? [withQuestionMarks(id)] : [])].map((each) => [each, key])
      }),
    )
    for (const known of ledger.keysWith(prefix)) {
      const key = byPlain.get(withoutMarks(plainId(idInKey(known)))) ?? byPlain.get(withQuestionMarks(idInKey(known)))
      if (key !== undefined && key !== known && !stage.hasRow(known)) respelt.set(key, known)
    }
  }
  return respelt
}

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

/** True if two areas differ at most as far as people round them. */
function haveSameArea(one: unknown, other: unknown): boolean {
  const [was, is] = [one, other].map((each) => (each as { readonly measurement?: unknown } | undefined)?.measurement)
  return typeof was === 'number' && typeof is === 'number' && Math.abs(was - is) <= 0.02 * Math.max(was, is)
}

/** The error of a one-off import whose ids are those of known records in another spelling. */
export function stopForKeys({ sentence }: Contradiction): WindrowError {
  const hint = 'Look at the ids in the file. If the file is right:  --renamed allow'
  return stopFor('records-renamed', [sentence], { hint })
}
