/** Lists the new records of a stage, each with the known records that it may be, and what speaks for that. */

import { textsBehindDay } from '../../core/values/made-days.ts'
import { withoutMarks } from '../../core/values/plain-words.ts'
import { plainId, plainName } from '../../core/values/same-name.ts'
import { geometryIn, nameOf, placeIn, readBody } from '../../ledger/content.ts'
import { idInKey, startOf, startOfKeys } from '../../resources/keys.ts'
import { identifiersIn, identifierText } from '../../resources/resource-type.ts'
import { samePaddock, type Candidate, type KnownRecord, type NewRecord } from '../../rules/identity.ts'
import { isSpoiltFrom, textsBehindLetters, withQuestionMarks } from '../../core/letters.ts'
import { datasetOf } from '../stage/import-job.ts'
import { isNew, placeOf, uncommon, type Stage } from '../stage/stage-store.ts'
import type { Judging } from './judging.ts'
import type { SharedLand } from './shared-land.ts'

type CreatedRow = { readonly id: number; readonly key: string; readonly row: number; readonly layer: string | null }
type RecordOfFarm = Described & KnownRecord
type Described = ReturnType<typeof described>

/** What a body says of its record. */
function described(key: string, text: string) {
  const body = readBody(text)
  const { type } = (geometryIn(body) ?? {}) as { readonly type?: unknown }
  return {
    key,
    /** The start of the keys of its farm. */
    holding: startOf(key),
    name: nameOf(body) ?? '',
    hasBoundary: type === 'Polygon' || type === 'MultiPolygon',
    place: placeIn(text),
    area: body['totalArea'],
    identifiers: identifiersIn(body),
  }
}

/** The new records of farms that have some already, by their numbers in the stage, and those that this run does not delete, by their keys. */
export type NewAndKnown = NonNullable<ReturnType<typeof newAndKnown>>

// A file may have ten thousand rows of one name, and three are enough to be in doubt.
const mostAlike = 3

/** Returns undefined if the run has no new record of a farm that has records already. */
export function newAndKnown(judging: Judging) {
  const { stage, ledger } = judging
  if (ledger.isEmpty() || stage.query(`SELECT 1 FROM records WHERE ${isNew} LIMIT 1`).length === 0) return undefined
  const known = knownOfFarms(judging)
  if (known.size === 0) return undefined
  const holdings = new Set([...known.values()].map(({ holding }) => holding))
  const rows = createdRows(stage).filter(({ key }) => holdings.has(startOf(key)))
  if (rows.length === 0) return undefined
  const created = new Map(rows.map(({ id, key }) => [id, { id, ...described(key, stage.bodyOf(id) ?? '{}') }]))
  // Records that are not in the file come first.
  const absentFirst = [...known.values()].sort((one, other) => Number(one.isInFile) - Number(other.isInFile))
  const byName = Map.groupBy(absentFirst, (each) => nameAndFarm(each, each.hasBoundary))
  return {
    created,
    known,
    /** The first of its name, with and without a boundary. */
    namesakesOf(record: Described): readonly RecordOfFarm[] {
      if (record.name === '') return []
      return [false, true].flatMap((each) => byName.get(nameAndFarm(record, each))?.slice(0, mostAlike) ?? [])
    },
  }
}

function nameAndFarm({ name, holding }: Described, hasBoundary: boolean): string {
  return `${hasBoundary}${holding}${plainName(name)}`
}

/** True if two names differ at most in capitals, white space, macrons and other marks on letters. */
function haveSameName(one: { readonly name: string }, other: { readonly name: string }): boolean {
  return one.name !== '' && plainName(one.name) === plainName(other.name)
}

function createdRows(stage: Stage): readonly CreatedRow[] {
  return stage.query(
    `SELECT records.id, records.key, min(rows.row) AS row, rows.layer FROM records
     JOIN rows ON rows.record = records.id WHERE ${isNew} GROUP BY records.id`,
  )
}

/** The known records of the farms in the file, by their keys. */
function knownOfFarms({ job: { type }, stage, ledger }: Judging): ReadonlyMap<string, RecordOfFarm> {
  const known = new Map<string, RecordOfFarm>()
  const holdings = stage.recall('holdings') ?? []
  const starts = new Map(holdings.map((each) => [identifierText(each), startOfKeys({ type, holding: each })]))
  const farms = new Set(starts.values())
  const deleted = deletedIn(stage)
  // Most ledgers have many farms and most runs one: only the bodies that name it are read.
  const naming = holdings.length === 1 ? JSON.stringify(holdings[0]!.id).slice(1, -1) : undefined
  for (const { key, body } of ledger.standing(datasetOf({ type }), naming)) {
    if (deleted.has(key)) continue
    const record = described(key, body)
    const named = record.identifiers.map((each) => starts.get(identifierText(each))).find((each) => each !== undefined)
    const holding = farms.has(record.holding) ? record.holding : named
    if (holding === undefined) continue
    const identifiers = record.identifiers.filter((each) => !starts.has(identifierText(each)))
    known.set(key, { ...record, holding, identifiers, isInFile: stage.hasRow(key), isDeleted: false })
  }
  return known
}

function deletedIn(stage: Stage): ReadonlySet<string> {
  return new Set([...stage.keysWhere(`action = 'delete' AND ${uncommon}`)].flat())
}

// Of another farm, the land says enough: reading each of their bodies would take long.
const unread = { name: '', hasBoundary: true, isInFile: false, isDeleted: false }

/** What new records are compared by. */
export type Compared = {
  readonly records: NewAndKnown | undefined
  readonly land: SharedLand | undefined
  /** Gives the keys that the last file lacked already; undefined where the rows are a few of the file. */
  readonly goneBefore?: (() => ReadonlySet<string>) | undefined
}

/** Lists the new records that may be known ones. */
export function candidatesIn(judging: Judging, { records, land, goneBefore }: Compared): readonly NewRecord[] {
  const { job, stage, ledger, source, matching } = judging
  if (ledger.isEmpty()) return []
  const deleted = deletedIn(stage)
  const respelt = job.keyIsStandIn ? new Map<string, string>() : respeltAmong(judging)
  const left = leftWithThisFile(judging, goneBefore)
  const going = job.geometry === undefined ? deletedByName(stage) : new Map<string, never>()
  const identified = matching.values.size === 0 ? undefined : byIdentifier(records)
  const mayBelongToOther = mayLieElsewhere(judging)
  const knownBy = (key: string): KnownRecord => {
    const isDeleted = deleted.has(key)
    return records?.known.get(key) ?? { ...described(key, ledger.find(key)!.body), isInFile: false, isDeleted }
  }
  return createdRows(stage).flatMap((row) => {
    const { id, key } = row
    const [was, sameIds = [], lands = []] = [respelt.get(key), left.get(idInKey(key)), land?.of(id)]
    const mayBeAny = was !== undefined || sameIds.length > 0 || lands.length > 0 || going.size > 0
    const record = records?.created.get(id) ?? (mayBeAny ? described(key, stage.bodyOf(id) ?? '{}') : undefined)
    if (record === undefined) return []
    const { holding, name, hasBoundary, area } = record
    const found = new Map<string, Candidate>()
    const add = (known: KnownRecord, evidence: Partial<Candidate> = {}): void => {
      const before = found.get(known.key) ?? { known, isOwn: true, hasSameName: haveSameName(known, record) }
      found.set(known.key, { ...before, ...evidence })
    }
    for (const { key: other, land: share } of lands) {
      const known = records?.known.get(other)
      if (known?.holding === holding) add(known, { land: share })
      else if (mayBelongToOther && share >= samePaddock) add({ ...unread, key: other }, { isOwn: false, land: share })
    }
    for (const known of records?.namesakesOf(record) ?? []) add(known)
    const value = matching.values.get(key)
    const withValue = value === undefined ? undefined : identified?.get(`${holding}${value}`)
    for (const { known } of withValue?.slice(0, mostAlike) ?? []) add(known, { hasIdentifier: true })
    if (was !== undefined) add(knownBy(was), { id: isSpoiltFrom(idInKey(key), idInKey(was)) ? 'letters' : 'spelling' })
    const before = sameIds.map(knownBy).find((each) => haveSameName(each, record))
    if (before !== undefined) add(before, { isOwn: false, id: 'same' })
    const namesake = going
      .get(plainName(name))
      ?.find((each) => each.holding === holding || haveSameArea(each.area, area))
    if (namesake !== undefined) add(namesake, { isOwn: namesake.holding === holding })
    if (found.size === 0) return []
    return [{ id, key, name, hasBoundary, at: placeOf(row, source), candidates: [...found.values()] }]
  })
}

/** Groups the known records by their farm with each id that people and programs have for them. */
function byIdentifier(records: NewAndKnown | undefined) {
  const known = [...(records?.known.values() ?? [])]
  const ids = known.flatMap((each) =>
    [...new Set([idInKey(each.key), ...each.identifiers.map(({ id }) => id)])].map((id) => ({ id, known: each })),
  )
  return Map.groupBy(ids, ({ id, known: { holding } }) => `${holding}${id.trim()}`)
}

/** False where no boundary can be that of another farm. */
export function mayLieElsewhere({ job, boundaries }: Judging): boolean {
  // All boundaries of the store are the run's own if the service has none nearby.
  return boundaries !== undefined && (job.mapping.holding === undefined || boundaries.own < boundaries.count)
}

/**
 * New keys, each with the known key that it respells, or of which it has spoilt letters, after a detour through another program: 1.0 or 1
 * for 001, 1-Mar for 1-3, K?nuka for Kānuka. The known record is not in the file.
 */
function respeltAmong({ job, stage, ledger }: Judging): ReadonlyMap<string, string> {
  const respelt = new Map<string, string>()
  // The number of a farm is in the key twice, as that of its farm and as its own.
  const parts = job.type.plural === 'holdings' ? 2 : 3
  const prefixOf = (key: string): string => `${key.split('/', parts).join('/')}/`
  for (const [prefix, keys] of Map.groupBy([...stage.keysWhere(isNew)].flat(), prefixOf)) {
    const byPlain = new Map(
      keys.flatMap((key) => {
        const id = idInKey(key)
        const plain = [plainId(id), ...textsBehindDay(id), ...textsBehindLetters(id).map(plainId)].map(withoutMarks)
        return [...plain, ...(id.includes('?') ? [withQuestionMarks(id)] : [])].map((each) => [each, key])
      }),
    )
    for (const known of ledger.keysWith(prefix)) {
      const id = idInKey(known)
      const key = byPlain.get(withoutMarks(plainId(id))) ?? byPlain.get(withQuestionMarks(id))
      if (key !== undefined && key !== known && !stage.hasRow(known)) respelt.set(key, known)
    }
  }
  return respelt
}

/** The keys of the records that left a file of several farms with this one, by their ids: paddocks of several farms may have the same. */
function leftWithThisFile({ job, stage }: Judging, goneBefore: Compared['goneBefore']) {
  if (job.mapping.holding !== undefined || goneBefore === undefined) return new Map<string, never>()
  const kept = [...stage.keysWhere(`action = 'keep' AND ${uncommon}`)].flat()
  const before = kept.length === 0 ? new Set<string>() : goneBefore()
  return Map.groupBy(
    kept.filter((key) => !before.has(key)),
    idInKey,
  )
}

/** The records that this run would delete with their boundaries, by name. */
function deletedByName(stage: Stage): ReadonlyMap<string, readonly RecordOfFarm[]> {
  const sql = `SELECT key, before FROM records WHERE ${uncommon} AND action = 'delete' AND before IS NOT NULL`
  const deleted = stage
    .query<{ key: string; before: string }>(sql)
    .map(({ key, before }) => ({ ...described(key, before), isInFile: false, isDeleted: true }))
    .filter(({ name, hasBoundary }) => name !== '' && hasBoundary)
  return Map.groupBy(deleted, ({ name }) => plainName(name))
}

/** True if two areas differ at most as far as people round them. */
function haveSameArea(one: unknown, other: unknown): boolean {
  const [was, is] = [one, other].map((each) => (each as { readonly measurement?: unknown } | undefined)?.measurement)
  return typeof was === 'number' && typeof is === 'number' && Math.abs(was - is) <= 0.02 * Math.max(was, is)
}
