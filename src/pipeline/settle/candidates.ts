/** Lists the new records of a stage, each with the known records that it may be, and what speaks for that. */

import { textsBehindDay } from '../../core/values/made-days.ts'
import { withoutMarks } from '../../core/values/plain-words.ts'
import { plainId, plainName } from '../../core/values/same-name.ts'
import type { Position } from '../../geometry/crs/area.ts'
import { geometryIn, nameOf, placeIn, readBody, type Body } from '../../ledger/content.ts'
import { dataPointKey, idInKey, startOf } from '../../resources/keys.ts'
import { identifiersIn, type Identifier } from '../../resources/resource-type.ts'
import { samePaddock, type Candidate, type KnownRecord, type NewRecord } from '../../rules/identity.ts'
import { isSpoiltFrom, textsBehindLetters, withQuestionMarks } from '../../core/letters.ts'
import { datasetOf } from '../stage/import-job.ts'
import { isNew, placeOf, uncommon, type Stage } from '../stage/stage-store.ts'
import type { Judging } from './judging.ts'
import type { SharedLand } from './shared-land.ts'

type Described = {
  readonly key: string
  /** The start of the keys of its farm. */
  readonly holding: string
  /** Empty without a name. */
  readonly name: string
  readonly hasBoundary: boolean
  readonly place: Position | undefined
}
type CreatedRecord = Described & CreatedRow
type CreatedRow = { readonly id: number; readonly key: string; readonly row: number; readonly layer: string | null }
type RecordOfFarm = Described &
  KnownRecord & {
    /** The ids under which people and programs know it. */
    readonly identifiers: readonly string[]
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
  const created = new Map(rows.map((each) => [each.id, describedRow(each, stage)]))
  // Records that are not in the file come first.
  const absentFirst = [...known.values()].sort((one, other) => Number(one.isInFile) - Number(other.isInFile))
  const byName = Map.groupBy(absentFirst, (each) => nameAndFarm(each, each.hasBoundary))
  return {
    created,
    known,
    /** The first of its name, with and without a boundary. */
    namesakesOf: (record: Described): readonly RecordOfFarm[] =>
      record.name === ''
        ? []
        : [false, true].flatMap((each) => byName.get(nameAndFarm(record, each))?.slice(0, mostAlike) ?? []),
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

function describedRow(row: CreatedRow, stage: Stage): CreatedRecord {
  const text = stage.bodyOf(row.id) ?? '{}'
  return { ...row, holding: startOf(row.key), ...described(readBody(text)), place: placeIn(text) }
}

/** The known records of the farms in the file, by their keys. */
function knownOfFarms({ job: { type }, stage, ledger }: Judging): ReadonlyMap<string, RecordOfFarm> {
  const known = new Map<string, RecordOfFarm>()
  const holdings = stage.recall('holdings') ?? []
  const starts = new Map(holdings.map((each) => [idOf(each), dataPointKey({ type, holding: each, sourceId: '' })]))
  const farms = new Set(starts.values())
  const deleted = deletedIn(stage)
  // Most ledgers have many farms and most runs one: only the bodies that name it are read.
  const naming = holdings.length === 1 ? JSON.stringify(holdings[0]!.id).slice(1, -1) : undefined
  for (const { key, body: text } of ledger.standing(datasetOf({ type }), naming)) {
    if (deleted.has(key)) continue
    const body = readBody(text)
    const identifiers = identifiersIn(body)
    const named = identifiers.map((each) => starts.get(idOf(each))).find((each) => each !== undefined)
    const holding = farms.has(startOf(key)) ? startOf(key) : named
    if (holding === undefined) continue
    const others = identifiers.filter((each) => !starts.has(idOf(each))).map(({ id }) => id)
    known.set(key, {
      key,
      holding,
      ...described(body),
      place: placeIn(text),
      identifiers: [...new Set([idInKey(key), ...others])],
      isInFile: stage.hasRow(key),
      isDeleted: false,
    })
  }
  return known
}

function deletedIn(stage: Stage): ReadonlySet<string> {
  return new Set([...stage.keysWhere(`action = 'delete' AND ${uncommon}`)].flat())
}

function idOf({ scheme, id }: Identifier): string {
  return JSON.stringify([scheme, id])
}

function described(body: Body): Pick<Described, 'name' | 'hasBoundary'> {
  const { type } = (geometryIn(body) ?? {}) as { readonly type?: unknown }
  return { name: nameOf(body) ?? '', hasBoundary: type === 'Polygon' || type === 'MultiPolygon' }
}

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
  const going = job.geometry === undefined ? deletedByName(stage) : new Map<string, readonly DeletedRecord[]>()
  const identified = matching.values.size === 0 ? undefined : byIdentifier(records)
  const mayBelongToOther = mayLieElsewhere(judging)
  const knownBy = (key: string): KnownRecord => {
    const ofFarm = records?.known.get(key)
    if (ofFarm !== undefined) return ofFarm
    const body = readBody(ledger.find(key)!.body)
    return { key, ...described(body), isInFile: false, isDeleted: deleted.has(key) }
  }
  const candidatesOf = (record: CreatedRecord): readonly Candidate[] => {
    const { id, key, holding } = record
    const found = new Map<string, Candidate>()
    const add = (known: KnownRecord, evidence: Partial<Candidate> = {}): void => {
      const before = found.get(known.key) ?? { known, isOwn: true, hasSameName: haveSameName(known, record) }
      found.set(known.key, { ...before, ...evidence })
    }
    for (const { key: other, land: share } of land?.of(id) ?? []) {
      const known = records?.known.get(other)
      if (known?.holding === holding) add(known, { land: share })
      else if (mayBelongToOther && share >= samePaddock) add(unread(other), { isOwn: false, land: share })
    }
    for (const known of records?.namesakesOf(record) ?? []) add(known)
    const value = matching.values.get(key)
    if (value !== undefined)
      for (const { known } of identified?.get(`${holding}${value}`)?.slice(0, mostAlike) ?? [])
        add(known, { hasIdentifier: true })
    const was = respelt.get(key)
    if (was !== undefined) add(knownBy(was), { id: isSpoiltFrom(idInKey(key), idInKey(was)) ? 'letters' : 'spelling' })
    const before = (left.get(idInKey(key)) ?? []).map(knownBy).find((each) => haveSameName(each, record))
    if (before !== undefined) add(before, { isOwn: false, id: 'same' })
    const isIts = (each: DeletedRecord): boolean =>
      startOf(each.key) === holding || haveSameArea(each.area, readBody(stage.bodyOf(id)!)['totalArea'])
    const namesake = going.get(plainName(record.name))?.find(isIts)
    if (namesake !== undefined) add(namesake, { isOwn: startOf(namesake.key) === holding })
    return [...found.values()]
  }
  const mayBeAny = ({ id, key }: CreatedRow): boolean =>
    records?.created.has(id) === true ||
    respelt.has(key) ||
    left.has(idInKey(key)) ||
    going.size > 0 ||
    (land?.of(id) ?? []).length > 0
  return createdRows(stage)
    .filter(mayBeAny)
    .flatMap((row) => {
      const record = records?.created.get(row.id) ?? describedRow(row, stage)
      const { id, key, name, hasBoundary } = record
      const candidates = candidatesOf(record)
      return candidates.length === 0 ? [] : [{ id, key, name, hasBoundary, at: placeOf(row, source), candidates }]
    })
}

function byIdentifier(records: NewAndKnown | undefined) {
  const known = [...(records?.known.values() ?? [])]
  return Map.groupBy(
    known.flatMap((each) => each.identifiers.map((id) => ({ id, known: each }))),
    ({ id, known: { holding } }) => `${holding}${id.trim()}`,
  )
}

// Of another farm, the land says enough: reading each of their bodies would take long.
function unread(key: string): KnownRecord {
  return { key, name: '', hasBoundary: true, isInFile: false, isDeleted: false }
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
function leftWithThisFile(
  { job, stage }: Judging,
  goneBefore: Compared['goneBefore'],
): ReadonlyMap<string, readonly string[]> {
  if (job.mapping.holding !== undefined || goneBefore === undefined) return new Map()
  const kept = [...stage.keysWhere(`action = 'keep' AND ${uncommon}`)].flat()
  const before = kept.length === 0 ? undefined : goneBefore()
  return Map.groupBy(
    kept.filter((key) => before?.has(key) !== true),
    idInKey,
  )
}

type DeletedRecord = KnownRecord & { readonly area: unknown }

/** The records that this run would delete with their boundaries, by name. */
function deletedByName(stage: Stage): ReadonlyMap<string, readonly DeletedRecord[]> {
  const deleted = stage
    .query<{ key: string; before: string }>(
      `SELECT key, before FROM records WHERE ${uncommon} AND action = 'delete' AND before IS NOT NULL`,
    )
    .map(({ key, before }) => {
      const body = readBody(before)
      return { key, ...described(body), isInFile: false, isDeleted: true, area: body['totalArea'] }
    })
  return Map.groupBy(
    deleted.filter(({ name, hasBoundary }) => name !== '' && hasBoundary),
    ({ name }) => plainName(name),
  )
}

/** True if two areas differ at most as far as people round them. */
function haveSameArea(one: unknown, other: unknown): boolean {
  const [was, is] = [one, other].map((each) => (each as { readonly measurement?: unknown } | undefined)?.measurement)
  return typeof was === 'number' && typeof is === 'number' && Math.abs(was - is) <= 0.02 * Math.max(was, is)
}
