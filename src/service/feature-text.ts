/** Hides how a stored record becomes a feature (section 2.5): spliced from its text, never parsed as a whole. */

import type { ResourceType } from '../resources/resource-type.ts'
import { bareMembers, lastNamed, memberSpans, textWithout, type Member } from './json-spans.ts'
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

/** Writes one record as a feature, with these columns in the place of the record where there are any. */
export function featureText(
  record: StoredRecord,
  place: FeaturePlace,
  columns?: Readonly<Record<string, unknown>>,
): Buffer {
  const { body } = record
  const members = bareMembers(body, { start: 0, end: body.length })
  const spatial = lastNamed(members, 'spatialFeature')
  const geometry = spatial === undefined ? undefined : geometryIn(body, spatial)
  const front = Buffer.from(`{"type":"Feature","id":"${record.id}","geometry":`)
  const back = Buffer.from(`,"links":${JSON.stringify(linksOf(record, place))}}`)
  const properties =
    columns === undefined
      ? recordText(record, members, place)
      : [Buffer.from(`,"properties":${JSON.stringify(columns)}`)]
  return Buffer.concat([front, geometry ?? nullText, ...properties, back])
}

function recordText(record: StoredRecord, members: readonly Member[], place: FeaturePlace): readonly Uint8Array[] {
  const { body } = record
  const own = textWithout(body, members, linksOnly)
  const named = { id: record.id, resourceType: place.type.name, self: `${place.canonical}/items/${record.id}` }
  const relations = linksMember(body, lastNamed(members, 'links'), place.holding)
  const linked = relations === undefined ? '' : `,"links":${JSON.stringify(relations)}`
  const given = `${JSON.stringify(named).slice(0, -1)},"meta":${record.meta}${linked}`
  const opening = `,"properties":{"agriculture":${given}${own.length === 0 ? '' : ','}`
  return [Buffer.from(opening), own, closing]
}

const closing = Buffer.from('}}')

function linksOf(record: StoredRecord, place: FeaturePlace) {
  return [
    { href: `${place.collection}/items/${record.id}`, rel: 'self', type: mediaTypes.geoJson },
    { href: place.collection, rel: 'collection', type: mediaTypes.json },
    ...holdingLinks(record, place),
  ]
}

const nullText = Buffer.from('null')
const linksOnly: ReadonlySet<string> = new Set(['links'])

function geometryIn(body: Uint8Array, spatial: Member): Uint8Array | undefined {
  if (body[spatial.value] !== 0x7b) return undefined
  const member = lastNamed(memberSpans(body, { start: spatial.value, end: spatial.end }), 'geometry')
  return member === undefined || body[member.value] !== 0x7b ? undefined : body.subarray(member.value, member.end)
}

/** The record's own relations and the one to its holding, which publishers mostly leave to the service. */
function linksMember(
  body: Uint8Array,
  links: Member | undefined,
  holding: string | undefined,
): readonly unknown[] | undefined {
  const text = links === undefined ? '' : Buffer.from(body.subarray(links.value, links.end)).toString()
  const value: unknown = text === '' ? undefined : JSON.parse(text)
  const own: readonly unknown[] = Array.isArray(value) ? value : []
  if (holding === undefined) return own.length === 0 ? undefined : own
  const isSaid = own.some((each) => (each as { readonly related?: unknown } | null)?.related === holding)
  const relation = { relationship: 'holding', contentType: 'holding', related: holding }
  return isSaid ? own : [...own, relation]
}

function holdingLinks(record: StoredRecord, { collection, canonical }: FeaturePlace) {
  if (record.number !== record.holding) return []
  const data = `${collection}/${record.id}/collections`
  const root = canonical.replace(/collections\/holdings$/, `farms/${record.id}`)
  return [
    { href: data, rel: 'data', type: mediaTypes.json, title: 'Collections of this holding' },
    { href: root, rel: 'service', type: mediaTypes.json, title: 'This holding alone, as QGIS opens it' },
  ]
}
