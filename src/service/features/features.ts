/** Serves the features API (section 4.1): its documents, lists of features, single features (section 2.5), whole or as columns. */

import { isObject, type Members } from '../../core/values/exact-json.ts'
import { flattener } from '../../resources/columns.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import {
  collectionAt,
  featureRoots,
  resolveRoot,
  collectionDocument,
  collectionsDocument,
  conformance,
  landingPage,
  type Collection,
  type Root,
  type ResolvedRoot,
} from './feature-documents.ts'
import {
  featurePages,
  keptUntilChange,
  selectionKey,
  type FeaturePages,
  type Found,
  type Selection,
} from './feature-pages.ts'
import { dataPointKeyOf } from './known-records.ts'
import { apiDocument, apiPage, documentFormats, featureFormats, listParameters, profiles } from './openapi.ts'
import { quoted, readBox, readInterval, readPage } from '../http/query.ts'
import type { Records, StoredRecord } from '../store/records.ts'
import { joined, json, mediaTypes, Refusal, written } from '../http/responses.ts'
import { get, type Call, type Route } from '../http/router.ts'
import type { Store } from '../store/store.ts'
import { inSlices, nextTurn } from '../http/share-thread.ts'

/** The sources that the features API reads. */
type Source = {
  readonly records: Records
  readonly clock: () => Date
  readonly pages: FeaturePages
  readonly flatten: ReturnType<typeof flatProfile>
}

export function featureRoutes(store: Store, given: Pick<Source, 'records' | 'clock'>): readonly Route[] {
  const pages = featurePages(store)
  const source = { ...given, pages, flatten: flatProfile(store, pages) }
  return featureRoots.flatMap((root) => [
    ...(root.isRoot ? rootRoutes(root, source) : []),
    documentRoute(root, '/collections', source, (_, resolved) => json(collectionsDocument(resolved, pages))),
    ...root.types.flatMap((type) => collectionRoutes(root, type, source)),
  ])
}

function rootRoutes(root: Root, source: Source): readonly Route[] {
  const { openApi, html } = mediaTypes
  return [
    documentRoute(root, '', source, (_, resolved) => json(landingPage(resolved))),
    documentRoute(root, '/api', source, (_, { address }) =>
      written(JSON.stringify(apiDocument(address, root)), { 'Content-Type': openApi }),
    ),
    documentRoute(root, '/api.html', source, (_, { address }) =>
      written(apiPage(apiDocument(address, root)), { 'Content-Type': html }),
    ),
    documentRoute(root, '/conformance', source, () => json(conformance)),
  ]
}

function collectionRoutes(root: Root, type: ResourceType, source: Source): readonly Route[] {
  const path = `/collections/${type.plural}`
  const items = (
    below: string,
    query: readonly string[],
    answer: (call: Call, of: Collection) => Response | Promise<Response>,
  ) =>
    route(`${root.path}${path}/items${below}`, query, (call) => {
      const resolved = resolveRoot(call, root, source.records)
      checkChoices(call, featureFormats)
      return answer(call, collectionAt(resolved, type))
    })
  return [
    documentRoute(root, path, source, (_, resolved) =>
      json(collectionDocument(collectionAt(resolved, type), source.pages)),
    ),
    items('', [...listParameters, 'profile', 'f'], (call, of) => itemsDocument(call, source, of)),
    items('/:id', ['profile', 'f'], (call, of) => oneItem(call, source, of)),
  ]
}

function documentRoute(
  root: Root,
  path: string,
  { records }: Source,
  answer: (call: Call, resolved: ResolvedRoot) => Response | Promise<Response>,
): Route {
  // GDAL repeats parameters of the address that a person typed, such as profile=flat, on every request.
  return route(`${root.path}${path}`, path.endsWith('.html') ? [] : ['f', 'profile'], (call) => {
    const resolved = resolveRoot(call, root, records)
    checkChoices(call, documentFormats)
    return answer(call, resolved)
  })
}

// Without a token all collections answer and are empty, as in the real service: nobody can find out what others have.
function route(path: string, query: readonly string[], answer: Route['answer']): Route {
  return get(path, answer, { access: 'anybody', isRegional: true, query })
}

function checkChoices({ query }: Call, formats: readonly string[]): void {
  for (const [name, choices] of [['f', formats] as const, ['profile', profiles] as const]) {
    const chosen = query.get(name)
    if (chosen !== null && !choices.includes(chosen))
      throw new Refusal(400, `${name} is ${quoted(chosen)}; it must be ${choices.join(' or ')}.`)
  }
}

const mostPageCharacters = 64 * 1024 * 1024

async function itemsDocument(call: Call, source: Source, collection: Collection): Promise<Response> {
  const page = readPage(call.query, 10, 3)
  const box = readBox(call.query)
  const interval = readInterval(call.query)
  await nextTurn()
  const { whole } = collection
  const write = await featureWriter(call, source, collection)
  const found = await source.pages.found({ ...whole, box, interval }, page)
  const { texts, read, returned } = await pageOf(found, source, write)
  const head = JSON.stringify({
    type: 'FeatureCollection',
    timeStamp: source.clock().toISOString(),
    numberMatched: found.matched,
    numberReturned: returned,
    links: pageLinks(call, collection, { limit: page.limit, found, read }),
  })
  const parts = [Buffer.from(`${head.slice(0, -1)},"features":[`), ...texts, Buffer.from(']}')]
  return written(parts, { 'Content-Type': mediaTypes.geoJson })
}

/** Writes as many features as fit on a page. Other requests run in between, so a record may be deleted meanwhile. */
async function pageOf({ numbers }: Found, { pages }: Source, write: WriteFeature) {
  const texts: Uint8Array<ArrayBuffer>[] = []
  let [read, returned, characters] = [0, 0, 0]
  while (read < numbers.length && characters <= mostPageCharacters) {
    const some = numbers.slice(read, read + atOnce)
    const features: Uint8Array[] = []
    read += some.length
    let length = 0
    for (const record of pages.records(some)) {
      const text = write(record)
      features.push(Buffer.from(returned + features.length > 0 ? `,\n${text}` : text))
      length += text.length
      if (characters + length <= mostPageCharacters && length < mostCharactersAtOnce) continue
      read = numbers.indexOf(record.number) + 1
      break
    }
    texts.push(Buffer.concat(features))
    returned += features.length
    characters += length
    await nextTurn()
  }
  return { texts, read, returned }
}

const atOnce = 100
const mostCharactersAtOnce = 1 << 20

async function oneItem(call: Call, source: Source, collection: Collection): Promise<Response> {
  const id = call.parameter('id')
  const { type, viewer, holding } = collection.whole
  const record = source.records.visibleById(id, type.dataset!, viewer)
  if (record === undefined || (holding !== undefined && record.holding !== holding))
    throw new Refusal(404, `The feature ${quoted(id)} was not found in this collection.`)
  const write = await featureWriter(call, source, collection)
  return written(write(record), { 'Content-Type': mediaTypes.geoJson })
}

type WriteFeature = (record: StoredRecord) => string

async function featureWriter(call: Call, source: Source, { address, whole }: Collection): Promise<WriteFeature> {
  const isFlat = call.query.get('profile') === 'flat'
  const flatten = isFlat ? await source.flatten(whole) : undefined
  const { type } = whole
  const root = `${call.base}/ogc/collections`
  const place = { type, collection: address, canonical: `${root}/${type.plural}` }
  const holdingAddress = addressesOfHoldings(source.records, root)
  return (record) => featureText(record, { ...place, holding: holdingAddress(record) }, flatten?.(record))
}

function addressesOfHoldings(records: Records, root: string): (record: StoredRecord) => string | undefined {
  const known = new Map<number, string | undefined>()
  return ({ number, holding }) => {
    if (number === holding) return undefined
    if (!known.has(holding)) {
      const id = records.byNumber(holding)?.id
      known.set(holding, id === undefined ? undefined : `${root}/holdings/items/${id}`)
    }
    return known.get(holding)
  }
}

type Extent = { readonly limit: number; readonly found: Found; readonly read: number }

function pageLinks(call: Call, collection: Collection, { limit, found, read }: Extent) {
  const items = `${collection.address}/items`
  const asAsked = new URL(call.request.url).search
  const type = mediaTypes.geoJson
  const at = (begin: string): string => `${items}?${withBegin(asAsked, begin)}`
  const { numbers, located, offset, matched, settled } = found
  // An offset would skip a feature for each one deleted before it.
  const after = [settled, read > located ? 1 : 0, numbers[read - 1]].join('.')
  return [
    { href: items + asAsked, rel: 'self', type },
    { href: collection.address, rel: 'collection', type: mediaTypes.json },
    ...(offset > 0 ? [{ href: at(`offset=${Math.max(0, offset - limit)}`), rel: 'prev', type }] : []),
    ...(read > 0 && offset + read < matched ? [{ href: at(`after=${after}`), rel: 'next', type }] : []),
  ]
}

// The other parameters are copied as text: URLSearchParams would percent-encode the commas of a bbox.
function withBegin(search: string, begin: string): string {
  const kept = search
    .slice(1)
    .split('&')
    .filter((part) => part !== '' && !/^(offset|after)(=|$)/.test(part))
  return [...kept, begin].join('&')
}

/** The addresses of a feature: the collection of the request, the main collection of its type, and its holding. */
type FeaturePlace = {
  readonly type: ResourceType
  readonly collection: string
  readonly canonical: string
  readonly holding: string | undefined
}

/** One record as a feature; `columns` replace the record in its properties. */
function featureText(record: StoredRecord, place: FeaturePlace, columns?: Readonly<Record<string, unknown>>): string {
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
type Flatten = (record: StoredRecord) => Readonly<Record<string, unknown>>

/**
 * Makes the function that finds the columns of a whole collection; they are kept until a record changes. One page
 * would not do: GDAL takes its columns from the first.
 */
function flatProfile(store: Store, pages: FeaturePages): (selection: Selection) => Promise<Flatten> {
  const settled = keptUntilChange<Flatten>(store)
  // Requests that come meanwhile share this reading of the records.
  return (whole) => settled(selectionKey(whole), () => settleColumns(pages, whole))
}

async function settleColumns(pages: FeaturePages, whole: Selection): Promise<Flatten> {
  const { type } = whole
  // The id, the geometry and the links of a feature are outside its properties.
  const columns = flattener(type, { without: ['id', 'self', 'links', 'spatialFeature'] })
  const turn = inSlices()
  const numbers = await pages.numbers(whole)
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
