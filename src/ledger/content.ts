/**
 * Hides when two representations of a record say the same. The service adds members of its own (id, self, links) and the
 * moment of change is not content, so both are left out; the order of members does not matter.
 */

import { hash } from 'node:crypto'
import { geometryText, shapeFromGeoJson } from '../core/shape-geojson.ts'

export type Body = { readonly [member: string]: unknown }

const givenByService = new Set(['id', 'self', '@self', 'dataPointKey', 'resourceType', 'spatialFeature', 'centroid'])
const momentsOfMeta = new Set(['modified', 'created', 'sourceId', 'isDeleted'])

/** The content hash of a body whose geometry, if any, is given as text apart. */
export function contentHash(body: Body, geometry: string | undefined): string {
  return hash('sha256', `${canonicalMembers(body)}\n${geometry ?? ''}`, 'base64url')
}

/** The content hash of a whole body as the service shows it. */
export function contentHashOfBody(body: Body): string {
  return contentHash(body, geometryOf(body))
}

/** The text of a body's boundary in the one form that hashes compare; undefined where it has none. */
export function geometryOf(body: Body): string | undefined {
  const feature = body['spatialFeature']
  if (typeof feature !== 'object' || feature === null) return undefined
  const geometry = (feature as { geometry?: unknown }).geometry
  if (geometry === null || geometry === undefined) return undefined
  const shape = shapeFromGeoJson(geometry)
  return typeof shape === 'string' ? canonical(geometry) : geometryText(shape)
}

function canonicalMembers(body: Body): string {
  let text = ''
  for (const name of Object.keys(body).sort()) {
    if (givenByService.has(name)) continue
    const value = name === 'meta' ? contentOfMeta(body[name]) : body[name]
    if (value !== undefined) text += `${JSON.stringify(name)}:${canonical(value)},`
  }
  return text
}

function contentOfMeta(meta: unknown): unknown {
  if (typeof meta !== 'object' || meta === null) return undefined
  const kept = Object.entries(meta).filter(([name]) => !momentsOfMeta.has(name))
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const members = value as Record<string, unknown>
  let text = '{'
  for (const name of Object.keys(members).sort())
    if (members[name] !== undefined) text += `${JSON.stringify(name)}:${canonical(members[name])},`
  return `${text}}`
}
