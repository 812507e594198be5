/** Writes stored records as features (section 2.5), from their text or, in the flat profile, as columns. */

import type { TextBytes } from '../../core/shapes/text-bytes.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import { bareMembers, geometryIn, lastNamed, textWithout, type Member } from '../store/json-spans.ts'
import { mediaTypes } from '../http/responses.ts'
import { flattener } from '../../resources/columns.ts'
import {
  keptUntilChange,
  selectionKey,
  type FeaturePages,
  type FeatureRecord,
  type Selection,
} from './feature-pages.ts'
import { dataPointKeyOf } from './known-records.ts'
import type { Store } from '../store/store.ts'
import { inSlices } from '../http/share-thread.ts'

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

/** Writes one record as a feature; with `columns` they replace the record in its properties. */
export function writeFeature(
  out: TextBytes,
  record: FeatureRecord,
  place: FeaturePlace,
  columns?: Readonly<Record<string, unknown>>,
): void {
  const { body } = record
  const members = bareMembers(body)
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

/** Gives the values of one record for every column of its collection. */
export type Flatten = (record: FeatureRecord) => Readonly<Record<string, unknown>>

/**
 * Makes the function that finds the columns of a whole collection; they are kept until a record changes. One page
 * would not do: GDAL takes its columns from the first.
 */
export function flatProfile(store: Store, pages: FeaturePages): (selection: Selection) => Promise<Flatten> {
  const settled = keptUntilChange<Promise<Flatten>>(store)
  // Requests that come meanwhile share this reading of the records.
  return (whole) => settled(selectionKey(whole), () => settleColumns(pages, whole))
}

const atOnce = 20

async function settleColumns(pages: FeaturePages, whole: Selection): Promise<Flatten> {
  const { type } = whole
  const columns = flattener(type, { without: [...elsewhere] })
  const turn = inSlices()
  const numbers = pages.numbers(whole)
  for (let from = 0; from < numbers.length; from += atOnce) {
    // Read to the end first: others use the store during a pause.
    const some = [...pages.records(numbers.slice(from, from + atOnce))]
    for (const record of some) {
      columns.see(bodyOf(record, type))
      await turn()
    }
  }
  const names = columns.tables()[0]!.columns.map(({ name }) => name)
  return (record) => {
    const values = columns.rows(bodyOf(record, type))[0]![0]!
    // GDAL loses a column that is missing on the first page, so an empty one is written as null.
    return Object.fromEntries(names.map((name) => [name, values[name] ?? null]))
  }
}

/** The id, the geometry and the links of a feature are outside its properties. */
const elsewhere: ReadonlySet<string> = new Set(['id', 'self', 'links', 'spatialFeature'])

function bodyOf({ body, key, meta }: FeatureRecord, type: ResourceType): object {
  const own = textWithout(body, bareMembers(body), elsewhere)
  const dataPointKey = dataPointKeyOf(key)
  return {
    ...(JSON.parse(`{${Buffer.from(own.buffer, own.byteOffset, own.length).toString()}}`) as object),
    resourceType: type.name,
    meta: JSON.parse(meta) as object,
    ...(dataPointKey === undefined ? {} : { dataPointKey }),
  }
}
