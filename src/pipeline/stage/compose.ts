/** Composes the body of a record from its identity, the row's fields, carried-over fields, and the boundary. */

import { isObject } from '../../core/values/exact-json.ts'
import { mostDecimals, roundingTo, type TextBytes } from '../../core/shapes/text-bytes.ts'
import type { Measured } from '../../geometry/measure/measure.ts'
import { contentHash, deletionHash, geometryOf, type Body } from '../../ledger/content.ts'
import { dataPointKey, idInKey, sourceIdOf } from '../../resources/keys.ts'
import type { Identifier, ResourceType } from '../../resources/resource-type.ts'
import { carryOver, type OwnedFields } from './carry-over.ts'
import { sameGeometry, type OtherMoments } from './same-value.ts'
import type { BlankPolicy } from '../definition/definition.ts'
import { distanceKm } from '../../geometry/crs/area.ts'
import type { Ledger } from '../../ledger/ledger.ts'

/** The identity of a record: its key across all datasets and farms, its id in the source, and its holding. */
export type Identity = { readonly key: string; readonly source: Identifier; readonly holding: Identifier }

/** `boundary` is GeoJSON as UTF-8; undefined if the source has no boundaries at all, null if this row has none. */
export type Ingredients = {
  readonly type: ResourceType
  readonly identity: Identity
  readonly fields: Readonly<Record<string, unknown>>
  readonly boundary: Uint8Array | null | undefined
  readonly measured: Pick<Measured, 'centroid' | 'areaM2' | 'perimeterM'> | undefined
  readonly previous: Body | undefined
  /** The content hash of `previous`. */
  readonly hash: string | undefined
  readonly owned: OwnedFields
  readonly blank: BlankPolicy
  readonly leftOut?: readonly string[] | undefined
  readonly otherMoments?: OtherMoments
  readonly now: string
}

export type Composed = ReturnType<typeof compose>

/**
 * Makes the identity of a row. The same paddock number on another farm, or in another record type, is another record. A row of an
 * export has whole source ids, which another program may have made.
 */
export function identify(
  { type, sourceScheme }: { readonly type: ResourceType; readonly sourceScheme: string | undefined },
  { holding, id, sources }: { holding: Identifier; id: string; sources?: readonly Identifier[] | undefined },
): Identity {
  const [source] = sources ?? []
  const parts = { type, holding, sourceId: id, scheme: source?.scheme ?? sourceScheme }
  const made = sourceIdOf(parts)
  if (source === undefined || source.id === made.id) return { key: dataPointKey(parts), source: made, holding }
  // The same number at the end of two foreign ids is not the same record.
  return { key: dataPointKey({ type, holding, sourceId: source.id }), source, holding }
}

type RowOfPlace = {
  readonly type: ResourceType
  readonly holding: Identifier
  /** The row's own key: the other parts, then the place. */
  readonly sourceId: string
  readonly areaM2: number
}

/**
 * The key under which a record with the same other parts is known nearest to the row's place; else the row's own. A place counts
 * as the same within half the width of a square of the row's area: a neighbour's centroid is further away.
 */
export function keptPlace({ type, holding, sourceId, areaM2 }: RowOfPlace, ledger: Pick<Ledger, 'keysWith'>): string {
  const place = placeIn(sourceId)
  if (place === undefined) return sourceId
  let kept = sourceId
  let nearest = Math.sqrt(areaM2) / 2 / 1000
  for (const key of ledger.keysWith(dataPointKey({ type, holding, sourceId: place.before }))) {
    const known = idInKey(key)
    const other = placeIn(known)
    if (other === undefined || other.before !== place.before) continue
    const distance = distanceKm(place, other)
    if (distance > nearest) continue
    nearest = distance
    kept = known
  }
  return kept
}

function placeIn(sourceId: string) {
  const [, before, lat, lon] = /^(.+\/)(-?\d+\.\d{5}),(-?\d+\.\d{5})$/s.exec(sourceId) ?? []
  return before === undefined ? undefined : { before, lat: Number(lat), lon: Number(lon) }
}

/** Composes a body, ready to send. */
export function compose(ingredients: Ingredients) {
  const { type, identity, previous, fields } = ingredients
  const identifiers = withHolding(fields['identifiers'], identity.holding)
  const meta = composeMeta(identity.source, fields['meta'], previous?.['meta'], ingredients.now)
  const record: Record<string, unknown> = { resourceType: type.name, dataPointKey: identity.key }
  let boundary = composeBoundary(ingredients)
  let lost: readonly string[] = []
  if (previous === undefined) {
    addFields(record, fields, identifiers)
  } else {
    const identified = addFields({}, fields, identifiers)
    const before = Object.fromEntries(Object.entries(previous).filter(([name]) => !apart.has(name)))
    const carried = carryOver(identified, before, ingredients)
    addFields(record, carried.record, carried.record['identifiers'])
    lost = carried.lost
  }
  record['meta'] = meta
  if (boundary.centroid !== undefined) record['centroid'] = boundary.centroid
  let hash: string | undefined
  let keepsBoundary = previous !== undefined && !ingredients.boundary && boundary.geometry !== undefined
  // Boundaries are compared vertex by vertex only where the content seems to differ.
  if (previous !== undefined && ingredients.boundary) {
    hash = contentHash(record, boundary.geometry)
    const kept = hash === ingredients.hash ? undefined : keptBoundary(ingredients.boundary, previous)
    if (kept !== undefined) {
      boundary = kept
      keepsBoundary = true
      keepMeasures(record, ingredients)
      hash = undefined
    }
  }
  let written: string | undefined
  const text = (): string => (written ??= JSON.stringify(record))
  return {
    /** The record without its boundary, for checking. */
    record,
    /** That as JSON, made on the first call. */
    text,
    /** Appends the body. */
    write(out: TextBytes): void {
      out.text(text())
      if (boundary.write === undefined) return
      // The boundary goes before the closing brace.
      out.at -= 1
      boundary.write(out)
      out.add(closing)
    },
    /** The hash of the content, computed on the first call. */
    hash: () => (hash ??= contentHash(record, boundary.geometry)),
    modified: meta.modified,
    hasBoundary: boundary.geometry !== undefined,
    /** True if the boundary is the one that the record has. */
    keepsBoundary,
    lost: boundary.isLost ? [...lost, '/spatialFeature'] : lost,
  }
}

const composedApart = new Set(['meta', 'centroid'])
/** The fields that are not carried over: the service's own, and those composed separately. */
const apart = new Set(['id', 'self', '@self', 'resourceType', 'dataPointKey', 'meta', 'spatialFeature', 'centroid'])

/** Adds all fields except those composed separately. */
function addFields(record: Record<string, unknown>, fields: Body, identifiers: unknown): Record<string, unknown> {
  for (const name in fields)
    if (!composedApart.has(name)) record[name] = name === 'identifiers' ? identifiers : fields[name]
  if (identifiers !== undefined) record['identifiers'] ??= identifiers
  return record
}

/** The body that deletes a record: identity and meta, as the service requires. */
export function composeTombstone(previous: Body, now: string): { readonly body: string; readonly hash: string } {
  const { resourceType, name, dataPointKey, identifiers } = previous
  const meta = { ...asBody(previous['meta']), modified: now, isDeleted: true }
  const body = { resourceType, name, dataPointKey, identifiers, meta }
  return { body: JSON.stringify(body), hash: deletionHash }
}

function withHolding(identifiers: unknown, holding: Identifier): readonly unknown[] {
  const mapped = Array.isArray(identifiers) ? (identifiers as readonly Identifier[]) : []
  const others = mapped.filter((each) => each.scheme !== holding.scheme || each.id !== holding.id)
  return [{ scheme: holding.scheme, id: holding.id }, ...others]
}

function composeMeta(source: Identifier, mappedMeta: unknown, previousMeta: unknown, now: string) {
  if (mappedMeta === undefined && previousMeta === undefined) return { sourceId: source, modified: now, created: now }
  const [mapped, previous] = [asBody(mappedMeta), asBody(previousMeta)]
  const { isDeleted: _, ...kept } = previous
  const created = previous['created'] ?? mapped['created'] ?? now
  const modified = typeof mapped['modified'] === 'string' ? mapped['modified'] : now
  return { ...kept, ...mapped, sourceId: source, modified, created }
}

type Bounds = {
  readonly write: ((out: TextBytes) => void) | undefined
  readonly geometry: string | Uint8Array | undefined
  readonly isLost: boolean
  /** Only for a record without a boundary; with a boundary the centroid is measured. */
  readonly centroid?: unknown
}

const opening = Buffer.from(',"spatialFeature":{"type":"Feature","geometry":')
const ending = Buffer.from(',"properties":{}}')
const beforeCentroid = Buffer.from(',"centroid":{"type":"Point","coordinates":[')
const afterCentroid = Buffer.from(']}')
const comma = Buffer.from(',')
const closing = Buffer.from('}')
// To a centimetre: further digits would only be rounding noise.
const centroidRounding = roundingTo(mostDecimals)

function composeBoundary(ingredients: Ingredients): Bounds {
  const { boundary: geometry, measured, previous, blank, fields, owned } = ingredients
  if (geometry !== null && geometry !== undefined) {
    return { write: (out) => writeBoundary(out, geometry, measured?.centroid), geometry, isLost: false }
  }
  const none = { write: undefined, geometry: undefined, isLost: false }
  const had = previous && earlierBoundary(previous)
  // The centroid of a boundary goes with it; without one it is a field of its own.
  const mayClear = had !== undefined || owned.pointers.has('/centroid')
  if (geometry === null && blank === 'clear' && mayClear) return { ...none, centroid: fields['centroid'] }
  if (had === undefined) return { ...none, centroid: centroidOf(fields['centroid'], previous?.['centroid']) }
  return { ...had, isLost: geometry === null && blank === undefined }
}

function earlierBoundary(previous: Body): Bounds | undefined {
  const geometry = geometryOf(previous)
  if (geometry === undefined) return undefined
  const members = ['spatialFeature', 'centroid']
    .filter((name) => previous[name] !== undefined && previous[name] !== null)
    .map((name) => `,"${name}":${JSON.stringify(previous[name])}`)
  return { write: (out) => out.text(members.join('')), geometry, isLost: false }
}

/** The record's earlier boundary, if the new one is the same apart from rounding. */
function keptBoundary(now: Uint8Array, previous: Body): Bounds | undefined {
  const had = earlierBoundary(previous)
  if (had === undefined) return undefined
  const text = Buffer.from(now).toString()
  return text === had.geometry || sameGeometry(JSON.parse(text), JSON.parse(String(had.geometry))) ? had : undefined
}

function centroidOf(now: unknown, before: unknown): unknown {
  return now === undefined || sameGeometry(now, before) ? (before ?? undefined) : now
}

/** Areas and lengths that were measured on the rounded boundary stay as they were measured before. */
function keepMeasures(record: Record<string, unknown>, { measured, previous }: Ingredients): void {
  if (measured === undefined) return
  const { areaM2, perimeterM } = measured
  // Seven decimals of a degree: each side may have moved by about a centimetre.
  keepMeasure(record, previous, { name: 'totalArea', amount: areaM2, units: 'MTK', rounding: perimeterM * 0.015 })
  keepMeasure(record, previous, { name: 'totalLength', amount: perimeterM, units: 'MTR', rounding: perimeterM * 0.01 })
}

function keepMeasure(
  record: Record<string, unknown>,
  previous: Body | undefined,
  { name, amount, units, rounding }: { name: string; amount: number; units: string; rounding: number },
): void {
  const [now, before] = [asBody(record[name]), asBody(previous?.[name])]
  if (now['units'] !== units || before['units'] !== units) return
  const isMeasured = Math.abs(Number(now['measurement']) - amount) <= 0.01
  if (isMeasured && Math.abs(Number(before['measurement']) - amount) <= rounding) record[name] = before
}

function writeBoundary(out: TextBytes, geometry: Uint8Array, centroid: Measured['centroid'] | undefined): void {
  out.add(opening)
  out.add(geometry)
  out.add(ending)
  if (centroid === undefined) return
  out.add(beforeCentroid)
  out.number(centroid[0], centroidRounding)
  out.add(comma)
  out.number(centroid[1], centroidRounding)
  out.add(afterCentroid)
}

function asBody(value: unknown): Body {
  return isObject(value) ? value : {}
}
