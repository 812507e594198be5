/** Writes a stored record as a feature (section 2.5) from its text, without parsing it as a whole. */

import type { TextBytes } from '../../core/shapes/text-bytes.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import { bareMembers, geometryIn, lastNamed, textWithout, type Member } from '../store/json-spans.ts'
import { mediaTypes } from '../http/responses.ts'

/**
 * The addresses of a feature: the collection of the request, the main collection of its type, and its holding. They come from
 * URL, so they need no escaping in JSON.
 */
export type FeaturePlace = {
  readonly type: ResourceType
  readonly collection: string
  readonly canonical: string
  readonly holding: string | undefined
}

/** The parts of a stored record that its feature is written from. */
export type FeatureRecord = {
  readonly number: number
  readonly id: string
  readonly holding: number
  readonly key: string
  readonly meta: string
  readonly body: Uint8Array
}

/** Writes one record as a feature; with `columns` they replace the record in its properties. */
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
  out.text(`,"links":${linksText(record, place)}}`)
}

function writeRecord(out: TextBytes, record: FeatureRecord, members: readonly Member[], place: FeaturePlace): void {
  const { body } = record
  const own = textWithout(body, members, linksOnly)
  const { id, meta } = record
  const { type, canonical, holding } = place
  out.text(`,"properties":{"agriculture":{"id":"${id}","resourceType":"${type.name}","self":"${canonical}/items/${id}"`)
  out.text(`,"meta":${meta}${relationsText(body, lastNamed(members, 'links'), holding)}`)
  if (own.length > 0) out.text(',')
  out.add(own)
  out.text('}}')
}

function linksText(record: FeatureRecord, place: FeaturePlace): string {
  const { collection } = place
  const self = `{"href":"${collection}/items/${record.id}","rel":"self","type":"${mediaTypes.geoJson}"}`
  const parent = `{"href":"${collection}","rel":"collection","type":"${mediaTypes.json}"}`
  const more = holdingLinks(record, place).map((link) => `,${JSON.stringify(link)}`)
  return `[${self},${parent}${more.join('')}]`
}

const linksOnly: ReadonlySet<string> = new Set(['links'])

/** The links of the record, and the link to its holding, which most publishers leave to the service. */
function relationsText(body: Uint8Array, links: Member | undefined, holding: string | undefined): string {
  const value: unknown =
    links === undefined ? undefined : JSON.parse(Buffer.from(body.subarray(links.value, links.end)).toString())
  const own: readonly unknown[] = Array.isArray(value) ? value : []
  const isLinked = own.some((each) => (each as { readonly related?: unknown } | null)?.related === holding)
  const all = own.map((each) => JSON.stringify(each))
  if (holding !== undefined && !isLinked)
    all.push(`{"relationship":"holding","contentType":"holding","related":"${holding}"}`)
  return all.length === 0 ? '' : `,"links":[${all.join(',')}]`
}

function holdingLinks(record: FeatureRecord, { collection, canonical }: FeaturePlace) {
  if (record.number !== record.holding) return []
  const data = `${collection}/${record.id}/collections`
  const root = canonical.replace(/collections\/holdings$/, `farms/${record.id}`)
  return [
    { href: data, rel: 'data', type: mediaTypes.json, title: 'Collections of this holding' },
    { href: root, rel: 'service', type: mediaTypes.json, title: 'Only this holding, for QGIS' },
  ]
}
