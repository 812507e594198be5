/** Hides the OGC features API (sections 2.5 and 4.1): its documents, lists of features, single features. */

import { publishedTypes } from '../resources/index.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { featureText } from './feature-text.ts'
import { apiDocument } from './openapi.ts'
import { inBox, type Places } from './places.ts'
import { quoted, readBox, readPage, type Box, type Page } from './query.ts'
import { viewerParameters, visibleHoldings, type Records, type StoredRecord, type Viewer } from './records.ts'
import { json, mediaTypes, problem, written } from './responses.ts'
import type { Call, Route } from './router.ts'
import type { Store } from './store.ts'

/** What the features API reads from. */
export type FeatureSource = {
  readonly store: Store
  readonly records: Records
  readonly places: Places
  readonly clock: () => Date
}

const typesOfHolding = publishedTypes.filter(({ plural }) => plural !== 'holdings')

/** The formats that `f` may name; each gives the one there is. */
const documentFormats = ['json']
const featureFormats = ['json', 'geojson']

/** One collection as it is asked for: all of a type, or those of one holding. */
type Collection = { readonly type: ResourceType; readonly address: string; readonly holding?: number }

/** The routes of the features API. */
export function featureRoutes(source: FeatureSource): readonly Route[] {
  const pages = featurePages(source)
  const document = (path: string, answer: (call: Call) => Response): Route =>
    route(`/ogc${path}`, ['f'], (call) => formatFault(call, documentFormats) ?? answer(call))
  const items = (path: string, answer: (call: Call, collection: Collection) => Response, query: readonly string[]) =>
    [`/ogc/collections/:collection${path}`, `/ogc/collections/holdings/:holding/collections/:collection${path}`].map(
      (each) =>
        route(each, query, (call) => {
          const collection = collectionOf(call, source)
          if (collection instanceof Response) return collection
          return formatFault(call, path === '' ? documentFormats : featureFormats) ?? answer(call, collection)
        }),
    )
  return [
    document('', (call) => json(landingPage(call.base))),
    document('/api', (call) => written(JSON.stringify(apiDocument(call.base)), { 'Content-Type': mediaTypes.openApi })),
    document('/conformance', () => json({ conformsTo })),
    document('/collections', (call) => json(collectionsDocument(call, pages))),
    document('/collections/holdings/:holding/collections', (call) => {
      const holding = visibleHolding(call, source)
      return holding instanceof Response ? holding : json(collectionsDocument(call, pages, holding))
    }),
    ...items('', (call, collection) => json(collectionDocument(call, pages, collection)), ['f']),
    ...items('/items', (call, collection) => itemsDocument(call, source, pages, collection), [
      'limit',
      'offset',
      'bbox',
      'f',
    ]),
    ...items('/items/:id', (call, collection) => oneItem(call, source, collection), ['f']),
  ]
}

// Without a token everything is there and empty, as in the service proper: what one has no right to looks like nothing.
function route(path: string, query: readonly string[], answer: Route['answer']): Route {
  return { method: 'GET', path, access: 'anybody', isRegional: true, query, answer }
}

const conformsTo = ['core', 'oas30', 'geojson'].map(
  (part) => `http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/${part}`,
)

function landingPage(base: string) {
  const { json: type, openApi } = mediaTypes
  return {
    title: 'Farm records',
    description: 'Holdings, plots and land covers as features, served by windrow.',
    links: [
      { href: `${base}/ogc`, rel: 'self', type, title: 'This document' },
      { href: `${base}/ogc/api`, rel: 'service-desc', type: openApi, title: 'The API in OpenAPI 3.0' },
      { href: `${base}/ogc/conformance`, rel: 'conformance', type, title: 'What this service conforms to' },
      { href: `${base}/ogc/collections`, rel: 'data', type, title: 'Collections' },
    ],
  }
}

function formatFault(call: Call, formats: readonly string[]): Response | undefined {
  const format = call.query.get('f')
  if (format === null || formats.includes(format)) return undefined
  return problem(call.path, 400, `f is ${quoted(format)}; this is served as ${formats.join(' or ')}.`)
}

function visibleHolding(call: Call, { records }: FeatureSource): StoredRecord | Response {
  const id = call.parameter('holding')
  return (
    records.visibleById(id, 'holdings', call.viewer) ?? problem(call.path, 404, `There is no holding ${quoted(id)}.`)
  )
}

function collectionOf(call: Call, source: FeatureSource): Collection | Response {
  const name = call.parameter('collection')
  const isOfHolding = call.parameter('holding') !== ''
  const type = (isOfHolding ? typesOfHolding : publishedTypes).find(({ plural }) => plural === name)
  if (type === undefined) return problem(call.path, 404, `There is no collection ${quoted(name)}.`)
  if (!isOfHolding) return { type, address: `${call.base}/ogc/collections/${name}` }
  const holding = visibleHolding(call, source)
  return holding instanceof Response ? holding : ofHolding(type, call.base, holding)
}

function ofHolding(type: ResourceType, base: string, { id, number }: StoredRecord): Collection {
  return { type, address: `${base}/ogc/collections/holdings/${id}/collections/${type.plural}`, holding: number }
}

// The list stands twice: `items` is what section 2.5 has, `collections` is what OGC clients look for.
function collectionsDocument(call: Call, pages: FeaturePages, holding?: StoredRecord) {
  const { base } = call
  const list =
    holding === undefined
      ? publishedTypes.map((type) => ({ type, address: `${base}/ogc/collections/${type.plural}` }))
      : typesOfHolding.map((type) => ofHolding(type, base, holding))
  const documents = list.map((collection) => collectionDocument(call, pages, collection))
  const href =
    holding === undefined ? `${base}/ogc/collections` : `${base}/ogc/collections/holdings/${holding.id}/collections`
  const links = [{ href, rel: 'self', type: mediaTypes.json, title: 'This document' }]
  return { links, items: documents, collections: documents }
}

// GDAL reads all plots of the service instead of a holding's when a collection has no items link of exactly this type.
function collectionDocument(call: Call, pages: FeaturePages, collection: Collection) {
  const { type, address } = collection
  return {
    id: type.plural,
    title: `${type.title}s`,
    description: `${type.title} records${collection.holding === undefined ? '' : ' of one holding'}.`,
    itemType: 'feature',
    crs: ['http://www.opengis.net/def/crs/OGC/1.3/CRS84'],
    itemCount: pages.count({ collection, viewer: call.viewer, box: undefined }),
    links: [
      { href: address, rel: 'self', type: mediaTypes.json, title: 'This document' },
      { href: `${address}/items`, rel: 'items', type: mediaTypes.geoJson, title: `${type.title}s` },
      { href: address.slice(0, address.lastIndexOf('/')), rel: 'parent', type: mediaTypes.json },
    ],
  }
}

type Selection = { readonly collection: Collection; readonly viewer: Viewer; readonly box: Box | undefined }
type FeaturePages = ReturnType<typeof featurePages>

function featurePages({ store, places }: FeatureSource) {
  const conditions = ({ collection, viewer, box }: Selection) => {
    const { type, holding } = collection
    const within = box === undefined ? undefined : inBox(box)
    const owned = holding === undefined ? `holding IN (${visibleHoldings})` : 'holding = ?'
    return {
      sql: `dataset = ? AND deleted = 0 AND ${owned}${within === undefined ? '' : ` AND ${within.sql}`}`,
      parameters: [
        type.dataset!,
        ...(holding === undefined ? viewerParameters(viewer) : [holding]),
        ...(within?.parameters ?? []),
      ],
    }
  }
  return {
    count(selection: Selection): number {
      if (selection.box !== undefined) places.refresh(selection.collection.type.dataset!)
      const { sql, parameters } = conditions(selection)
      return Number(
        store.prepare(`SELECT count(*) AS matched FROM records WHERE ${sql}`).get(...parameters)?.['matched'],
      )
    },
    // The numbers are found in an index alone; only the bodies of this page are read. Numbers rise in the order of creation.
    page(selection: Selection, { limit, offset }: Page): Iterable<StoredRecord> {
      const { sql, parameters } = conditions(selection)
      const numbers = `SELECT number FROM records WHERE ${sql} ORDER BY number LIMIT ? OFFSET ?`
      const statement = store.prepare(`SELECT * FROM records WHERE number IN (${numbers}) ORDER BY number`)
      return statement.iterate(...parameters, limit, offset) as Iterable<StoredRecord>
    },
  }
}

const mostPageBytes = 64 * 1024 * 1024

function itemsDocument(call: Call, source: FeatureSource, pages: FeaturePages, collection: Collection): Response {
  const page = readPage(call.query, 10)
  if (typeof page === 'string') return problem(call.path, 400, page)
  const box = readBox(call.query)
  if (typeof box === 'string') return problem(call.path, 400, box)
  const selection = { collection, viewer: call.viewer, box }
  const numberMatched = pages.count(selection)
  const write = featureWriter(call, source, collection)
  const features: Buffer[] = []
  let bytes = 0
  for (const record of pages.page(selection, page)) {
    const feature = write(record)
    features.push(feature)
    bytes += feature.length
    if (bytes > mostPageBytes) break
  }
  const head = JSON.stringify({
    type: 'FeatureCollection',
    timeStamp: source.clock().toISOString(),
    numberMatched,
    numberReturned: features.length,
    links: pageLinks(call, collection, { page, returned: features.length, matched: numberMatched }),
  })
  const parts = features.flatMap((feature) => [comma, feature]).slice(1)
  const body = Buffer.concat([Buffer.from(`${head.slice(0, -1)},"features":[`), ...parts, Buffer.from(']}')])
  return written(body, { 'Content-Type': mediaTypes.geoJson })
}

const comma = Buffer.from(',\n')

function featureWriter(
  call: Call,
  { records }: FeatureSource,
  collection: Collection,
): (record: StoredRecord) => Buffer {
  const { type, address } = collection
  const root = `${call.base}/ogc/collections`
  const holdings = new Map<number, string | undefined>()
  const holdingAddress = (record: StoredRecord): string | undefined => {
    if (record.number === record.holding) return undefined
    if (!holdings.has(record.holding)) {
      const id = records.byNumber(record.holding)?.id
      holdings.set(record.holding, id === undefined ? undefined : `${root}/holdings/items/${id}`)
    }
    return holdings.get(record.holding)
  }
  return (record) =>
    featureText(record, {
      type,
      collection: address,
      canonical: `${root}/${type.plural}`,
      holding: holdingAddress(record),
    })
}

type Extent = { readonly page: Page; readonly returned: number; readonly matched: number }

function pageLinks(call: Call, collection: Collection, { page, returned, matched }: Extent) {
  const items = `${collection.address}/items`
  const asAsked = new URL(call.request.url).search
  const type = mediaTypes.geoJson
  const at = (offset: number): string => `${items}?${withOffset(asAsked, offset)}`
  const next = page.offset + returned
  const previous = Math.max(0, page.offset - page.limit)
  return [
    { href: items + asAsked, rel: 'self', type },
    { href: collection.address, rel: 'collection', type: mediaTypes.json },
    ...(page.offset > 0 ? [{ href: at(previous), rel: 'prev', type }] : []),
    ...(returned > 0 && next < matched ? [{ href: at(next), rel: 'next', type }] : []),
  ]
}

// Everything else is repeated to the letter: writing the query anew would percent-encode the commas of a bbox.
function withOffset(search: string, offset: number): string {
  const kept = search
    .slice(1)
    .split('&')
    .filter((part) => part !== '' && !/^offset(=|$)/.test(part))
  return [...kept, `offset=${offset}`].join('&')
}

function oneItem(call: Call, source: FeatureSource, collection: Collection): Response {
  const { records } = source
  const id = call.parameter('id')
  const record = records.visibleById(id, collection.type.dataset!, call.viewer)
  if (record === undefined || (collection.holding !== undefined && record.holding !== collection.holding))
    return problem(call.path, 404, `There is no feature ${quoted(id)} in this collection.`)
  const text = featureWriter(call, source, collection)(record)
  return written(new Uint8Array(text), { 'Content-Type': mediaTypes.geoJson })
}
