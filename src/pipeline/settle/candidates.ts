/** Lists the new records of a stage, each with the known records that it may be, and what speaks for that. */

import { textsBehindDay } from '../../core/values/made-days.ts'
import { withoutMarks } from '../../core/values/plain-words.ts'
import { plainId, plainName } from '../../core/values/same-name.ts'
import { geometryIn, nameOf, readBody, type Body } from '../../ledger/content.ts'
import { dataPointKey, idInKey, startOf } from '../../resources/keys.ts'
import { identifiersIn, type Identifier } from '../../resources/resource-type.ts'
import { samePaddock, type Candidate, type KnownRecord, type NewRecord } from '../../rules/identity.ts'
import { isSpoiltFrom, textsBehindLetters, withQuestionMarks } from '../evidence/letters-behind.ts'
import { datasetOf } from '../stage/import-job.ts'
import { isNew, placeOf, uncommon, type Stage } from '../stage/stage-store.ts'
import type { Judging } from './judging.ts'
import type { OnLand, SharedLand } from './shared-land.ts'

type Described = {
  readonly key: string
  /** The start of the keys of its farm. */
  readonly farm: string
  /** Empty without a name. */
  readonly name: string
  readonly hasBoundary: boolean
  readonly place: Position | undefined
}
export type Position = { readonly lon: number; readonly lat: number }
type CreatedRecord = Described & CreatedRow
type CreatedRow = { readonly number: number; readonly key: string; readonly row: number; readonly layer: string | null }
type RecordOfFarm = Described &
  KnownRecord & {
    /** The ids under which people and programs know it. */
    readonly identifiers: readonly string[]
  }

/** Known records with one name, apart by whether they have a boundary; those that are not in the file come first. */
type Namesakes = { readonly bare: readonly RecordOfFarm[]; readonly bounded: readonly RecordOfFarm[] }

/** The new records of farms that have some already, by their numbers in the stage, and those that this run does not delete, by their keys. */
export type NewAndKnown = NonNullable<ReturnType<typeof newAndKnown>>

/** A new record with its number in the stage. */
export type Numbered = NewRecord & { readonly number: number }

// A file may have ten thousand rows of one name, and three are enough to be in doubt.
const mostNamesakes = 3

/** Returns undefined if the run has no new record of a farm that has records already. */
export function newAndKnown(judging: Judging) {
  const { stage, ledger } = judging
  if (ledger.isEmpty() || stage.query(`SELECT 1 FROM records WHERE ${isNew} LIMIT 1`).length === 0) return undefined
  const known = knownOfFarms(judging)
  if (known.size === 0) return undefined
  const farms = new Set([...known.values()].map(({ farm }) => farm))
  const rows = createdRows(stage).filter(({ key }) => farms.has(startOf(key)))
  if (rows.length === 0) return undefined
  const created = new Map(rows.map((each) => [each.number, describedRow(each, stage)]))
  const absentFirst = [...known.values()].sort((one, other) => Number(one.isInFile) - Number(other.isInFile))
  const namesakes = new Map(
    [...Map.groupBy(absentFirst, nameAndFarm)].map(([name, all]): [string, Namesakes] => [
      name,
      {
        bare: all.filter((each) => !each.hasBoundary).slice(0, mostNamesakes),
        bounded: all.filter((each) => each.hasBoundary).slice(0, mostNamesakes),
      },
    ]),
  )
  return {
    created,
    known,
    namesakesOf: (record: Described): readonly RecordOfFarm[] => {
      const { bare, bounded } = (record.name === '' ? undefined : namesakes.get(nameAndFarm(record))) ?? none
      return [...bare, ...bounded]
    },
  }
}

const none: Namesakes = { bare: [], bounded: [] }

function nameAndFarm({ name, farm }: Described): string {
  return `${farm}${plainName(name)}`
}

/** True if two names differ at most in capitals, white space, macrons and other marks on letters. */
function haveSameName(one: { readonly name: string }, other: { readonly name: string }): boolean {
  return one.name !== '' && plainName(one.name) === plainName(other.name)
}

function createdRows(stage: Stage): readonly CreatedRow[] {
  return stage.query(
    `SELECT records.id AS number, records.key, min(rows.row) AS row, rows.layer FROM records
     JOIN rows ON rows.record = records.id WHERE ${isNew} GROUP BY records.id`,
  )
}

function describedRow(row: CreatedRow, stage: Stage): CreatedRecord {
  const text = stage.bodyOf(row.number) ?? '{}'
  return { ...row, farm: startOf(row.key), ...described(readBody(text)), place: placeIn(text) }
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
    const farm = farms.has(startOf(key)) ? startOf(key) : named
    if (farm === undefined) continue
    const others = identifiers.filter((each) => !starts.has(idOf(each))).map(({ id }) => id)
    known.set(key, {
      key,
      farm,
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

/** The first position in the text of a body. */
export function placeIn(body: string): Position | undefined {
  const found = /"coordinates":\[+(-?\d[\d.eE+-]*),(-?\d[\d.eE+-]*)/.exec(body)
  return found === null ? undefined : { lon: Number(found[1]), lat: Number(found[2]) }
}

/** Lists the new records that may be known ones of their own farm, by land, name or identifier, before any known one is gone. */
export function candidatesToMatch(
  { source, matching: { values } }: Judging,
  records: NewAndKnown,
  land: SharedLand | undefined,
): readonly Numbered[] {
  const ofFarm = ownCandidates(records, { land, values })
  return [...records.created.values()].flatMap((record) => listed(record, ofFarm(record), source))
}

function listed(record: CreatedRecord, candidates: readonly Candidate[], source: string): readonly Numbered[] {
  const { number, key, name, hasBoundary } = record
  return candidates.length === 0 ? [] : [{ number, key, name, hasBoundary, at: placeOf(record, source), candidates }]
}

type Compared = {
  readonly land: SharedLand | undefined
  /** What new rows have in the column to match by, by the keys that they give. */
  readonly values?: ReadonlyMap<string, string>
}

function ownCandidates({ known, namesakesOf }: NewAndKnown, { land, values = new Map() }: Compared) {
  const identified = values.size === 0 ? new Map<string, readonly RecordOfFarm[]>() : byIdentifier(known)
  return (record: CreatedRecord): readonly Candidate[] => {
    const found = new Map<string, Candidate>()
    const add = (each: RecordOfFarm, evidence: Partial<Candidate> = {}): void => {
      const before = found.get(each.key) ?? { known: each, isOwn: true, hasSameName: haveSameName(each, record) }
      found.set(each.key, { ...before, ...evidence })
    }
    for (const { key, land: share } of land?.of(record.number) ?? []) {
      const onLand = known.get(key)
      if (onLand?.farm === record.farm) add(onLand, { land: share })
    }
    for (const each of namesakesOf(record)) add(each)
    const value = values.get(record.key)
    const its = value === undefined ? undefined : identified.get(`${record.farm}${value}`)
    for (const each of its ?? []) add(each, { hasIdentifier: true })
    return [...found.values()]
  }
}

function byIdentifier(known: NewAndKnown['known']): ReadonlyMap<string, readonly RecordOfFarm[]> {
  const found = new Map<string, RecordOfFarm[]>()
  for (const each of known.values())
    for (const id of each.identifiers) {
      const name = `${each.farm}${id.trim()}`
      const its = found.get(name) ?? []
      if (its.length < mostNamesakes) found.set(name, [...its, each])
    }
  return found
}

type Night = Pick<Compared, 'land'> & {
  readonly records: NewAndKnown | undefined
  /** Gives the keys that the last file lacked already; undefined for a retry, whose rows are a few of the file. */
  readonly goneBefore: (() => ReadonlySet<string>) | undefined
}

/** Lists the new records that may be known ones, of any farm, once it is planned what is gone. */
export function candidatesIn(judging: Judging, { records, land, goneBefore }: Night): readonly Numbered[] {
  const { job, stage, ledger, source } = judging
  if (ledger.isEmpty()) return []
  const deleted = deletedIn(stage)
  const respelt = job.keyIsStandIn ? new Map<string, string>() : respeltAmong(judging)
  const left = goneBefore === undefined ? new Map<string, string[]>() : leftWithThisFile(judging, goneBefore)
  const deletedNames = job.geometry === undefined ? deletedByName(stage) : new Map<string, DeletedRecord[]>()
  const knownBy = (key: string): KnownRecord => {
    const ofFarm = records?.known.get(key)
    if (ofFarm !== undefined) return ofFarm
    const body = readBody(ledger.find(key)!.body)
    return { key, ...described(body), isInFile: false, isDeleted: deleted.has(key) }
  }
  const ofFarm = records && ownCandidates(records, { land })
  const mayBelongToOther = mayLieElsewhere(judging)
  const candidatesOf = (record: CreatedRecord): readonly Candidate[] => {
    const { number, key, farm } = record
    const own = records?.created.has(number) === true ? ofFarm!(record) : []
    const isOwn = (other: string): boolean => records?.known.get(other)?.farm === farm
    const elsewhere = (land?.of(number) ?? []).filter((each) => each.land >= samePaddock && !isOwn(each.key))
    const before = left
      .get(idInKey(key))
      ?.map(knownBy)
      .find((each) => haveSameName(each, record))
    const was = respelt.get(key)
    const deletedOnes = (deletedNames.get(plainName(record.name)) ?? []).filter((each) => each.key !== was)
    const going = deletedOnes.find(
      (each) => startOf(each.key) === farm || haveSameArea(each.area, areaOf(number, stage)),
    )
    return [
      ...(was === undefined ? own : withRespelt(own, knownBy(was), record)),
      ...(mayBelongToOther ? elsewhere.map(ofOtherFarm) : []),
      ...(before === undefined ? [] : [withName(before, record, { isOwn: false, id: 'same' })]),
      ...(going === undefined ? [] : [withName(going, record, { isOwn: startOf(going.key) === farm })]),
    ]
  }
  const mayBeAny = ({ number, key }: CreatedRow): boolean =>
    records?.created.has(number) === true ||
    respelt.has(key) ||
    left.has(idInKey(key)) ||
    deletedNames.size > 0 ||
    (land?.of(number) ?? []).length > 0
  return createdRows(stage)
    .filter(mayBeAny)
    .flatMap((row) => {
      const record = records?.created.get(row.number) ?? describedRow(row, stage)
      return listed(record, candidatesOf(record), source)
    })
}

function withRespelt(own: readonly Candidate[], known: KnownRecord, record: Described): readonly Candidate[] {
  const id = isSpoiltFrom(idInKey(record.key), idInKey(known.key)) ? 'letters' : 'spelling'
  const [same] = own.filter((each) => each.known.key === known.key)
  const others = own.filter((each) => each !== same)
  return [same === undefined ? withName(known, record, { isOwn: true, id }) : { ...same, id }, ...others]
}

// Of another farm, the land says enough: reading each of their bodies would take long.
function ofOtherFarm({ key, land }: OnLand): Candidate {
  const known = { key, name: '', hasBoundary: true, isInFile: false, isDeleted: false }
  return { known, isOwn: false, hasSameName: false, land }
}

function withName(
  known: KnownRecord,
  record: Described,
  evidence: Omit<Candidate, 'known' | 'hasSameName'>,
): Candidate {
  return { known, hasSameName: haveSameName(known, record), ...evidence }
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
  goneBefore: () => ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  if (job.mapping.holding !== undefined) return new Map()
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

function areaOf(number: number, stage: Stage): unknown {
  return readBody(stage.bodyOf(number)!)['totalArea']
}

/** True if two areas differ at most as far as people round them. */
function haveSameArea(one: unknown, other: unknown): boolean {
  const [was, is] = [one, other].map((each) => (each as { readonly measurement?: unknown } | undefined)?.measurement)
  return typeof was === 'number' && typeof is === 'number' && Math.abs(was - is) <= 0.02 * Math.max(was, is)
}
