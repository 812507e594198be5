/** Serves the features API (section 4.1): its documents, lists of features, single features. */

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
import { featurePages, type FeaturePages, type Found } from './feature-pages.ts'
import { featureText, flatProfile } from './feature-text.ts'
import { apiDocument, apiPage, documentFormats, featureFormats, listParameters, profiles } from './openapi.ts'
import { quoted, readBox, readInterval, readPage } from '../http/query.ts'
import type { Records, StoredRecord } from '../store/records.ts'
import { json, mediaTypes, Refusal, written } from '../http/responses.ts'
import { get, type Call, type Route } from '../http/router.ts'
import type { Store } from '../store/store.ts'
import { nextTurn } from '../http/share-thread.ts'

/** The sources that the features API reads. */
type FeatureSource = {
  readonly store: Store
  readonly records: Records
  readonly clock: () => Date
}

type Source = FeatureSource & {
  readonly pages: FeaturePages
  readonly flatten: ReturnType<typeof flatProfile>
}

export function featureRoutes(given: FeatureSource): readonly Route[] {
  const pages = featurePages(given.store)
  const source = { ...given, pages, flatten: flatProfile(given.store, pages) }
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
  const among = box === undefined ? undefined : await source.pages.inside(whole, box)
  const selection = { ...whole, among, interval }
  const write = await featureWriter(call, source, collection)
  const found = source.pages.found(selection, page)
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
