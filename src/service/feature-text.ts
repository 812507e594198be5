/** Hides how a stored record becomes a feature (section 2.5): spliced from its text, never parsed as a whole. */

import type { ResourceType } from '../resources/resource-type.ts'
import { bareMembers, memberSpans, textWithout, type Member } from './json-spans.ts'
import type { StoredRecord } from './records.ts'
import { mediaTypes } from './responses.ts'

/** Where a feature is served: the address of the collection asked for, of the type's own collection, and of its holding. */
export type FeaturePlace = {
  readonly type: ResourceType
  readonly collection: string
  readonly canonical: string
  readonly holding: string | undefined
}

/** The text of the geometry in a record's body, undefined where it has none. */
export function geometryText(body: Uint8Array): Uint8Array | undefined {
  const spatial = lastNamed(bareMembers(body, { start: 0, end: body.length }), 'spatialFeature')
  return spatial === undefined ? undefined : geometryIn(body, spatial)
}

/** Writes one record as a feature. */
export function featureText(record: StoredRecord, place: FeaturePlace): Buffer {
  const { body } = record
  const members = bareMembers(body, { start: 0, end: body.length })
  const spatial = lastNamed(members, 'spatialFeature')
  const geometry = spatial === undefined ? undefined : geometryIn(body, spatial)
  const own = textWithout(body, members, linksOnly)
  const { sourceId, ...meta } = JSON.parse(record.meta) as { readonly sourceId?: unknown }
  const given = {
    id: record.id,
    resourceType: place.type.name,
    self: `${place.canonical}/items/${record.id}`,
    meta: { sourceId, ...meta },
    ...linksMember(body, lastNamed(members, 'links'), place.holding),
  }
  const links = [
    { href: `${place.collection}/items/${record.id}`, rel: 'self', type: mediaTypes.geoJson },
    { href: place.collection, rel: 'collection', type: mediaTypes.json },
    ...holdingLinks(record, place),
  ]
  return Buffer.concat([
    Buffer.from(`{"type":"Feature","id":"${record.id}","geometry":`),
    geometry ?? nullText,
    Buffer.from(`,"properties":{"agriculture":${JSON.stringify(given).slice(0, -1)}${own.length === 0 ? '' : ','}`),
    own,
    Buffer.from(`}},"links":${JSON.stringify(links)}}`),
  ])
}

const nullText = Buffer.from('null')
const linksOnly: ReadonlySet<string> = new Set(['links'])

function lastNamed(members: readonly Member[], name: string): Member | undefined {
  return members.findLast((member) => member.name === name)
}

function geometryIn(body: Uint8Array, spatial: Member): Uint8Array | undefined {
  if (body[spatial.value] !== 0x7b) return undefined
  const member = lastNamed(memberSpans(body, { start: spatial.value, end: spatial.end }), 'geometry')
  return member === undefined || body[member.value] !== 0x7b ? undefined : body.subarray(member.value, member.end)
}

/** The record's own relations and the one to its holding, which publishers mostly leave to the service. */
function linksMember(body: Uint8Array, links: Member | undefined, holding: string | undefined) {
  const text = links === undefined ? '' : Buffer.from(body.subarray(links.value, links.end)).toString()
  const value: unknown = text === '' ? undefined : JSON.parse(text)
  const own: readonly unknown[] = Array.isArray(value) ? value : []
  if (holding === undefined) return own.length === 0 ? {} : { links: own }
  const isSaid = own.some((each) => (each as { readonly related?: unknown } | null)?.related === holding)
  const relation = { relationship: 'holding', contentType: 'holding', related: holding }
  return { links: isSaid ? own : [...own, relation] }
}

function holdingLinks(record: StoredRecord, { collection }: FeaturePlace) {
  if (record.number !== record.holding) return []
  const href = `${collection}/${record.id}/collections`
  return [{ href, rel: 'data', type: mediaTypes.json, title: 'Collections of this holding' }]
}
