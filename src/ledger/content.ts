/**
 * Decides whether two bodies of a record have the same content. The service's own members (id, self, links) and times of
 * change are left out, and the order of members does not matter. Null and empty values are left out too, because a service that
 * writes them all would look changed every night. A centroid beside a boundary is measured from it; without one it is content.
 */

import { hash } from 'node:crypto'
import type { Shape } from '../core/shape.ts'
import { TextBytes } from '../core/shapes/text-bytes.ts'
import { geometryText } from '../core/shapes/geometry-text.ts'
import { WindrowError } from '../core/error.ts'
import { shapeFromGeoJson } from '../core/shapes/shape-geojson.ts'
import { damagedHint } from '../core/storage-failure.ts'
import type { Database } from '../core/database.ts'

export type Body = { readonly [member: string]: unknown }

/** Reads a body from the ledger. Throws 'state-damaged' if it is not JSON. */
export function readBody(kept: string): Body {
  try {
    return JSON.parse(kept) as Body
  } catch (cause) {
    throw new WindrowError('state-damaged', 'The ledger is damaged: one of its records cannot be read.', {
      hint: damagedHint,
      cause,
    })
  }
}

/** In place of a content hash: the version of a record by which a pipeline deleted it. */
export const deletionHash = 'deleted'

const givenByService = new Set(['id', 'self', '@self', 'dataPointKey', 'resourceType', 'spatialFeature'])
const givenWithBoundary = new Set([...givenByService, 'centroid'])
const momentsOfMeta = new Set(['modified', 'created', 'sourceId', 'isDeleted'])

/** The content hash of a body whose geometry, if any, is given separately as text. */
export function contentHash(body: Body, geometry: string | Uint8Array | undefined): string {
  hashed.text(`${JSON.stringify(contentOfBody(body, geometry !== undefined))}\n`)
  if (typeof geometry === 'string') hashed.text(geometry)
  else if (geometry !== undefined) hashed.add(geometry)
  return hash('sha256', hashed.take(), 'base64url')
}

const hashed = new TextBytes()

/** The content hash of a whole body from the service. */
export function contentHashOfBody(body: Body): string {
  return contentHash(body, geometryOf(body))
}

/**
 * The members whose content differs, by the rules of `contentHashOfBody`. With `ofFirst`, members only in the second are
 * ignored.
 */
export function differingMembers(first: Body, second: Body, which: 'all' | 'ofFirst'): readonly string[] {
  const [boundary, otherBoundary] = [geometryOf(first), geometryOf(second)]
  const one = withMembersOfMeta(contentOfBody(first, boundary !== undefined))
  const other = withMembersOfMeta(contentOfBody(second, otherBoundary !== undefined))
  const names = which === 'all' ? [...new Set([...Object.keys(one), ...Object.keys(other)])] : Object.keys(one)
  const differing = names.filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]))
  const isCompared = which === 'all' || boundary !== undefined
  return isCompared && boundary !== otherBoundary ? [...differing, 'spatialFeature'] : differing
}

/** The members of a body that count as content, in their order, without empty ones; a centroid counts only without a boundary. */
export function contentOfBody(body: Body, hasBoundary: boolean): Body {
  const members = { ...body, meta: contentOfMeta(body['meta']) }
  return contentOfMembers(members, hasBoundary ? givenWithBoundary : givenByService) ?? {}
}

function withMembersOfMeta({ meta = {}, ...members }: Body): Body {
  const ofMeta = Object.entries(meta as Body).map(([name, value]) => [`meta.${name}`, value])
  return { ...members, ...Object.fromEntries(ofMeta) }
}

/** The text of a body's boundary as it is hashed; undefined without one. */
export function geometryOf(body: Body): string | undefined {
  const geometry = geometryIn(body)
  if (geometry === null || geometry === undefined) return undefined
  const shape = shapeFromGeoJson(geometry)
  return typeof shape === 'string' ? JSON.stringify(contentOf(geometry)) : geometryText(shape)
}

/** The name of a record; undefined without one. */
export function nameOf({ name }: Body): string | undefined {
  return typeof name === 'string' ? name : undefined
}

/** The boundary of a body; undefined without one that can be read. */
export function boundaryOf(body: Body): Shape | undefined {
  const shape = shapeFromGeoJson(geometryIn(body))
  return typeof shape === 'string' ? undefined : shape
}

/** The boundary of a body as it is written there. */
export function geometryIn({ spatialFeature }: Body): unknown {
  return (spatialFeature as { readonly geometry?: unknown } | null | undefined)?.geometry
}

/** The first position in the text of a body. */
export function placeIn(body: string): { readonly lon: number; readonly lat: number } | undefined {
  const found = /"coordinates":\[+(-?\d[\d.eE+-]*),(-?\d[\d.eE+-]*)/.exec(body)
  return found === null ? undefined : { lon: Number(found[1]), lat: Number(found[2]) }
}

function contentOfMeta(meta: unknown): Body | undefined {
  if (typeof meta !== 'object' || meta === null) return undefined
  return contentOfMembers(meta, momentsOfMeta)
}

function contentOf(value: unknown): unknown {
  if (value === null || value === '') return undefined
  if (typeof value !== 'object') return value
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(contentOf)
  return contentOfMembers(value)
}

function contentOfMembers(value: object, except?: ReadonlySet<string>): Body | undefined {
  const kept: Record<string, unknown> = {}
  let isEmpty = true
  for (const name of Object.keys(value).sort()) {
    if (except?.has(name) === true) continue
    const content = contentOf((value as Body)[name])
    if (content === undefined) continue
    kept[name] = content
    isEmpty = false
  }
  return isEmpty ? undefined : kept
}

/** Makes the function that finds the key under which a record with this source id is known. */
export function sourceFinder(database: Database) {
  const find = database.prepare(
    'SELECT key FROM records WHERE account = ? AND dataset = ? AND source_scheme = ? AND source_id = ?',
  )
  return (account: string, dataset: string, scheme: string, id: string) =>
    (find.get(account, dataset, scheme, id) as { readonly key: string } | undefined)?.key
}

/** The identity of a feed item. A service may show a record without its key; then it is found by its source id. */
export function identityOf(item: Body, keyOfSource: (scheme: string, id: string) => string | undefined) {
  const meta = (typeof item['meta'] === 'object' && item['meta'] !== null ? item['meta'] : {}) as Body
  const listed = Array.isArray(meta['sourceId']) ? (meta['sourceId'][0] as unknown) : meta['sourceId']
  const source = (typeof listed === 'object' && listed !== null ? listed : {}) as { scheme?: unknown; id?: unknown }
  const scheme = typeof source.scheme === 'string' ? source.scheme : null
  const id = typeof source.id === 'string' ? source.id : null
  const given = item['dataPointKey']
  const bySource = scheme !== null && id !== null ? () => keyOfSource(scheme, id) ?? `${scheme}|${id}` : () => undefined
  const key = typeof given === 'string' ? given : bySource()
  if (key === undefined) return undefined
  const modified = typeof meta['modified'] === 'string' ? meta['modified'] : null
  return { key, scheme, id, modified, isDeleted: meta['isDeleted'] === true }
}

/** True if two times are the same instant, however they are written. */
export function sameInstant(one: string | null, other: string | null): boolean {
  return one === other || timeOf(one) === timeOf(other)
}

/** A time in milliseconds; NaN without one. */
export function timeOf(moment: string | null): number {
  return Date.parse(moment ?? '')
}
