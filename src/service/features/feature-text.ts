/** Writes stored records as features (section 2.5), from their text or, in the flat profile, as columns. */

import { isObject, type Members } from '../../core/values/exact-json.ts'
import { flattener } from '../../resources/columns.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import { joined, mediaTypes } from '../http/responses.ts'
import { inSlices } from '../http/share-thread.ts'
import type { StoredRecord } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import { keptUntilChange, selectionKey, type FeaturePages, type Selection } from './feature-pages.ts'
import { dataPointKeyOf } from './known-records.ts'

/** The addresses of a feature: the collection of the request, the main collection of its type, and its holding. */
export type FeaturePlace = {
  readonly type: ResourceType
  readonly collection: string
  readonly canonical: string
  readonly holding: string | undefined
}

/** One record as a feature; `columns` replace the record in its properties. */
export function featureText(
  record: StoredRecord,
  place: FeaturePlace,
  columns?: Readonly<Record<string, unknown>>,
): string {
  const { id, geometry } = record
  const properties = columns === undefined ? `{"agriculture":${recordText(record, place)}}` : JSON.stringify(columns)
  const links = JSON.stringify(linksOf(record, place))
  return `{"type":"Feature","id":"${id}","geometry":${geometry},"properties":${properties},"links":${links}}`
}

function recordText({ id, meta, links, body }: StoredRecord, { type, canonical, holding }: FeaturePlace): string {
  const relations = relationsOf(links, holding)
  const own = JSON.stringify({
    id,
    resourceType: type.name,
    self: `${canonical}/items/${id}`,
    ...(relations.length === 0 ? {} : { links: relations }),
  })
  return joined(joined(own, `{"meta":${meta}}`), body)
}

/** The links of the record, and the link to its holding, which most publishers leave to the service. */
function relationsOf(links: string | null, holding: string | undefined): readonly unknown[] {
  const own = links === null ? [] : (JSON.parse(links) as readonly unknown[])
  if (holding === undefined || own.some((each) => isObject(each) && each['related'] === holding)) return own
  return [...own, { relationship: 'holding', contentType: 'holding', related: holding }]
}

function linksOf({ id, number, holding }: StoredRecord, { collection, canonical }: FeaturePlace) {
  const links = [
    { href: `${collection}/items/${id}`, rel: 'self', type: mediaTypes.geoJson },
    { href: collection, rel: 'collection', type: mediaTypes.json },
  ]
  if (number !== holding) return links
  const data = `${collection}/${id}/collections`
  const root = canonical.replace(/collections\/holdings$/, `farms/${id}`)
  return [
    ...links,
    { href: data, rel: 'data', type: mediaTypes.json, title: 'Collections of this holding' },
    { href: root, rel: 'service', type: mediaTypes.json, title: 'Only this holding, for QGIS' },
  ]
}

/** Gives the values of one record for every column of its collection. */
export type Flatten = (record: StoredRecord) => Readonly<Record<string, unknown>>

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
  // The id, the geometry and the links of a feature are outside its properties.
  const columns = flattener(type, { without: ['id', 'self', 'links', 'spatialFeature'] })
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

function bodyOf({ body, key, meta }: StoredRecord, type: ResourceType): object {
  const dataPointKey = dataPointKeyOf(key)
  return {
    ...(JSON.parse(body) as Members),
    resourceType: type.name,
    meta: JSON.parse(meta) as Members,
    ...(dataPointKey === undefined ? {} : { dataPointKey }),
  }
}
