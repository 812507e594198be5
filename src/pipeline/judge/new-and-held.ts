/** Lists the new records of a stage, and the records that the service has of the same holdings. */

import type { Position } from '../../geometry/crs/area.ts'
import { geometryIn, nameOf, placeIn, readBody, type Body } from '../../ledger/content.ts'
import { dataPointKey, idInKey, startOf } from '../../resources/keys.ts'
import { identifiersIn, type Identifier } from '../../resources/resource-type.ts'
import { plainName } from '../../core/values/same-name.ts'
import { datasetOf } from '../stage/import-job.ts'
import { isNew, uncommon } from '../stage/stage-store.ts'
import type { Judging } from '../settle/judging.ts'

type Described = {
  readonly key: string
  /** The start of the keys of its holding. */
  readonly holding: string
  /** Empty without a name. */
  readonly name: string
  readonly hasBoundary: boolean
  readonly place: Position | undefined
}
export type NewRecord = Described & { readonly id: number; readonly row: number; readonly layer: string | null }
export type HeldRecord = Described & {
  /** The ids under which people and programs know it. */
  readonly identifiers: readonly string[]
  /** True if a row of the file has its key. */
  readonly isInFile: boolean
}

/** The held records with one name, apart by whether they have a boundary; those that are not in the file come first. */
export type Namesakes = { readonly bare: readonly HeldRecord[]; readonly bounded: readonly HeldRecord[] }

export type NewAndHeld = NonNullable<ReturnType<typeof newAndHeld>>

/** Returns undefined if the run has no new record of a holding that has records already. */
export function newAndHeld(judging: Judging) {
  const { stage, ledger } = judging
  if (ledger.isEmpty() || stage.query(`SELECT 1 FROM records WHERE ${isNew} LIMIT 1`).length === 0) return undefined
  const held = heldIn(judging)
  if (held.size === 0) return undefined
  const found = stage.query<Pick<NewRecord, 'id' | 'key' | 'row' | 'layer'>>(
    `SELECT records.id, records.key, min(rows.row) AS row, rows.layer FROM records JOIN rows ON rows.record = records.id
     WHERE ${isNew} GROUP BY records.id`,
  )
  const holdings = new Set([...held.values()].map(({ holding }) => holding))
  /** By their numbers in the stage. */
  const fresh = new Map<number, NewRecord>()
  for (const each of found) {
    const holding = startOf(each.key)
    if (!holdings.has(holding)) continue
    const text = stage.bodyOf(each.id) ?? '{}'
    fresh.set(each.id, { ...each, holding, ...described(readBody(text)), place: placeIn(text) })
  }
  if (fresh.size === 0) return undefined
  const absentFirst = [...held.values()].sort((one, other) => Number(one.isInFile) - Number(other.isInFile))
  const byName = Map.groupBy(absentFirst, nameAndHolding)
  const apart = new Map(
    [...byName].map(([name, all]) => [
      name,
      { bare: all.filter((each) => !each.hasBoundary), bounded: all.filter((each) => each.hasBoundary) },
    ]),
  )
  return {
    fresh,
    held,
    namesakesOf: (record: NewRecord): Namesakes =>
      record.name === '' ? none : (apart.get(nameAndHolding(record)) ?? none),
  }
}

const none: Namesakes = { bare: [], bounded: [] }

/** True if two names differ at most in capitals, white space, macrons and other marks on letters. */
export function haveSameName(one: Described, other: Described): boolean {
  return one.name !== '' && plainName(one.name) === plainName(other.name)
}

function nameAndHolding({ name, holding }: Described): string {
  return `${holding}${plainName(name)}`
}

/** By their keys, without those that this run deletes. */
function heldIn({ job: { type }, stage, ledger }: Judging): ReadonlyMap<string, HeldRecord> {
  const held = new Map<string, HeldRecord>()
  const holdings = stage.recall('holdings') ?? []
  const starts = new Map(holdings.map((each) => [idOf(each), dataPointKey({ type, holding: each, sourceId: '' })]))
  const known = new Set(starts.values())
  const deleted = new Set([...stage.keysWhere(`action = 'delete' AND ${uncommon}`)].flat())
  // Most ledgers have many farms and most runs one: only the bodies that name it are read.
  const naming = holdings.length === 1 ? JSON.stringify(holdings[0]!.id).slice(1, -1) : undefined
  for (const { key, body: text } of ledger.standing(datasetOf({ type }), naming)) {
    if (deleted.has(key)) continue
    const body = readBody(text)
    const identifiers = identifiersIn(body)
    const named = identifiers.map((each) => starts.get(idOf(each))).find((each) => each !== undefined)
    const holding = known.has(startOf(key)) ? startOf(key) : named
    if (holding === undefined) continue
    const others = identifiers.filter((each) => !starts.has(idOf(each))).map(({ id }) => id)
    held.set(key, {
      key,
      holding,
      ...described(body),
      place: placeIn(text),
      identifiers: [...new Set([idInKey(key), ...others])],
      isInFile: stage.hasRow(key),
    })
  }
  return held
}

function idOf({ scheme, id }: Identifier): string {
  return JSON.stringify([scheme, id])
}

function described(body: Body): Pick<Described, 'name' | 'hasBoundary'> {
  const { type } = (geometryIn(body) ?? {}) as { readonly type?: unknown }
  return { name: nameOf(body) ?? '', hasBoundary: type === 'Polygon' || type === 'MultiPolygon' }
}

/** A record as a person knows it: "Kānuka" (002). */
export function inWords({ name, key }: Described): string {
  return name === '' ? `"${idInKey(key)}"` : `"${name}" (${idInKey(key)})`
}
