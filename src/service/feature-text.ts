/** Writes a stored record as a feature (section 2.5): spliced from its text, never parsed as a whole. */

import type { TextBytes } from '../core/digits.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { bareMembers, lastNamed, memberSpans, textWithout, type Member } from './json-spans.ts'
import { mediaTypes } from './responses.ts'

/** Where a feature is served: the address of the collection asked for, of the type's own collection, and of its holding. */
export type FeaturePlace = {
  readonly type: ResourceType
  readonly collection: string
  readonly canonical: string
  readonly holding: string | undefined
}

/** What of a stored record its feature is written from. */
export type FeatureRecord = {
  readonly number: number
  readonly id: string
  readonly holding: number
  readonly key: string
  readonly meta: string
  readonly body: Uint8Array
}

/** The text of the geometry in a record's body, undefined where it has none. */
export function geometryText(body: Uint8Array): Uint8Array | undefined {
  const spatial = lastNamed(bareMembers(body, { start: 0, end: body.length }), 'spatialFeature')
  return spatial === undefined ? undefined : geometryIn(body, spatial)
}

/** Writes one record as a feature, with these columns in the place of the record where there are any. */
export function writeFeature(
  out: TextBytes,
  record: FeatureRecord,
  place: FeaturePlace,
  columns?: Readonly<Record<string, unknown>>,
): void {
  const { body } = record
  const members = bareMembers(body, { start: 0, end: body.length })
  const spatial = lastNamed(members, 'spatialFeature')
  const geometry = spatial === undefined ? undefined : geometryIn(body, spatial)
  out.text(`{"type":"Feature","id":"${record.id}","geometry":`)
  if (geometry === undefined) out.text('null')
  else out.add(geometry)
  if (columns === undefined) writeRecord(out, record, members, place)
  else out.text(`,"properties":${JSON.stringify(columns)}`)
  out.text(`,"links":${JSON.stringify(linksOf(record, place))}}`)
}

function writeRecord(out: TextBytes, record: FeatureRecord, members: readonly Member[], place: FeaturePlace): void {
  const { body } = record
  const own = textWithout(body, members, linksOnly)
  const named = { id: record.id, resourceType: place.type.name, self: `${place.canonical}/items/${record.id}` }
  const relations = linksMember(body, lastNamed(members, 'links'), place.holding)
  const linked = relations === undefined ? '' : `,"links":${JSON.stringify(relations)}`
  out.text(`,"properties":{"agriculture":${JSON.stringify(named).slice(0, -1)},"meta":${record.meta}${linked}`)
  if (own.length > 0) out.text(',')
  out.add(own)
  out.text('}}')
}

function linksOf(record: FeatureRecord, place: FeaturePlace) {
  return [
    { href: `${place.collection}/items/${record.id}`, rel: 'self', type: mediaTypes.geoJson },
    { href: place.collection, rel: 'collection', type: mediaTypes.json },
    ...holdingLinks(record, place),
  ]
}

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

function holdingLinks(record: FeatureRecord, { collection, canonical }: FeaturePlace) {
  if (record.number !== record.holding) return []
  const data = `${collection}/${record.id}/collections`
  const root = canonical.replace(/collections\/holdings$/, `farms/${record.id}`)
  return [
    { href: data, rel: 'data', type: mediaTypes.json, title: 'Collections of this holding' },
    { href: root, rel: 'service', type: mediaTypes.json, title: 'This holding alone, as QGIS opens it' },
  ]
}
