/** Hides the routes of the features API (section 4.1): which address gives which document, lists of features, single features. */

import type { ResourceType } from '../resources/resource-type.ts'
import { collectionDocument, collectionsDocument, conformance, landingPage } from './feature-documents.ts'
import type { Frame, Numbered } from './feature-page-text.ts'
import { featurePages, type FeaturePages, type Found } from './feature-pages.ts'
import { collectionAt, featureRoots, standingOf, type Collection, type Root, type Standing } from './feature-roots.ts'
import { featureText, type FeaturePlace } from './feature-text.ts'
import { flatProfile, type Flatten } from './flat-features.ts'
import { apiDocument } from './openapi.ts'
import { apiPage } from './openapi-page.ts'
import type { Places } from './places.ts'
import { quoted, readBox, readInterval, readPage, type Page } from './query.ts'
import type { Records, StoredRecord } from './records.ts'
import { json, mediaTypes, problem, written } from './responses.ts'
import type { Call, Route } from './router.ts'
import type { Store } from './store.ts'
import { nextTurn } from './turns.ts'

/** What the features API reads from. */
export type FeatureSource = {
  readonly store: Store
  readonly records: Records
  readonly places: Places
  readonly clock: () => Date
}

type Source = FeatureSource & {
  readonly pages: FeaturePages
  readonly flatten: ReturnType<typeof flatProfile>
}

/** The formats that `f` may name; each gives the one there is. */
const documentFormats = ['json']
const featureFormats = ['json', 'geojson']
const profiles = ['record', 'flat']

/** The routes of the features API. */
export function featureRoutes(given: FeatureSource): readonly Route[] {
  const pages = featurePages(given.store, given.places)
  const source = { ...given, pages, flatten: flatProfile({ ...given, pages }) }
  return featureRoots.flatMap((root) => [
    ...(root.isRoot ? rootRoutes(root, source) : []),
    documentRoute(root, '/collections', source, async (call, standing) => {
      for (const type of root.types) await pages.refresh(type, call.viewer)
      return json(collectionsDocument(standing, pages, call.viewer))
    }),
    ...root.types.flatMap((type) => collectionRoutes(root, type, source)),
  ])
}

function rootRoutes(root: Root, source: Source): readonly Route[] {
  const { openApi, html } = mediaTypes
  return [
    documentRoute(root, '', source, (_, standing) => json(landingPage(standing))),
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
      const standing = standingOf(call, root, source.records)
      if (standing instanceof Response) return standing
      return (
        choiceFault(call, 'f', featureFormats) ??
        choiceFault(call, 'profile', profiles) ??
        answer(call, collectionAt(standing, type))
      )
    })
  return [
    documentRoute(root, path, source, async (call, standing) => {
      await source.pages.refresh(type, call.viewer)
      return json(collectionDocument(collectionAt(standing, type), source.pages, call.viewer))
    }),
    items('', ['limit', 'offset', 'bbox', 'datetime', 'profile', 'f'], (call, of) => itemsDocument(call, source, of)),
    items('/:id', ['profile', 'f'], (call, of) => oneItem(call, source, of)),
  ]
}

function documentRoute(
  root: Root,
  path: string,
  { records }: Source,
  answer: (call: Call, standing: Standing) => Response | Promise<Response>,
): Route {
  // GDAL adds what a person wrote behind the address, such as profile=flat, to whatever it asks for.
  return route(`${root.path}${path}`, path.endsWith('.html') ? [] : ['f', 'profile'], (call) => {
    const standing = standingOf(call, root, records)
    if (standing instanceof Response) return standing
    return choiceFault(call, 'f', documentFormats) ?? choiceFault(call, 'profile', profiles) ?? answer(call, standing)
  })
}

// Without a token everything is there and empty, as in the service proper: what one has no right to looks like nothing.
function route(path: string, query: readonly string[], answer: Route['answer']): Route {
  return { method: 'GET', path, access: 'anybody', isRegional: true, query, answer }
}

function choiceFault(call: Call, name: string, choices: readonly string[]): Response | undefined {
  const chosen = call.query.get(name)
  if (chosen === null || choices.includes(chosen)) return undefined
  return problem(call.path, 400, `${name} is ${quoted(chosen)}; there is ${choices.join(' or ')}.`)
}

const mostPageBytes = 64 * 1024 * 1024

async function itemsDocument(call: Call, source: Source, collection: Collection): Promise<Response> {
  const page = readPage(call.query, 10)
  if (typeof page === 'string') return problem(call.path, 400, page)
  const box = readBox(call.query)
  if (typeof box === 'string') return problem(call.path, 400, box)
  const interval = readInterval(call.query)
  if (typeof interval === 'string') return problem(call.path, 400, interval)
  await nextTurn()
  const every = { type: collection.type, viewer: call.viewer, holding: collection.holding?.number }
  const among = box === undefined ? undefined : await source.pages.inside(every, box)
  const selection = { ...every, among, interval }
  const writer = await featureWriter(call, source, collection)
  const found = source.pages.found(selection, page)
  const before = (returned: number): string => {
    const head = JSON.stringify({
      type: 'FeatureCollection',
      timeStamp: source.clock().toISOString(),
      numberMatched: found.matched,
      numberReturned: returned,
      links: pageLinks(call, collection, { page, returned, matched: found.matched }),
    })
    return `${head.slice(0, -1)},"features":[`
  }
  const headers = { 'Content-Type': mediaTypes.geoJson }
  const { length } = found.numbers
  const frame = { before: before(length), after: ']}' }
  const whole = length === 0 || length > atOnce ? undefined : writer.together(found, frame)
  if (whole !== undefined) return written(whole, headers)
  const { texts, returned } = await pageOf(found, writer)
  const parts = texts.flatMap((text) => [comma, text]).slice(1)
  return written(Buffer.concat([Buffer.from(before(returned)), ...parts, Buffer.from(frame.after)]), headers)
}

const atOnce = 1_000
const lot = 100

/** The texts of as many features as fit on a page. */
async function pageOf({ numbers, holding }: Found, writer: Writer) {
  const texts: Uint8Array[] = []
  let bytes = 0
  let returned = 0
  const add = (text: Uint8Array, features: number): void => {
    texts.push(text)
    bytes += text.length
    returned += features
  }
  for (let from = 0; from < numbers.length && bytes <= mostPageBytes; from += lot) {
    if (from > 0) await nextTurn()
    const some = numbers.slice(from, from + lot)
    const together = writer.together({ numbers: some, holding }, { before: '', after: '' })
    if (together !== undefined) add(together, some.length)
    else
      for (const record of writer.records(some)) {
        add(writer.one(record), 1)
        if (bytes > mostPageBytes) break
      }
  }
  return { texts, returned }
}

const comma = Buffer.from(',\n')

async function oneItem(call: Call, source: Source, collection: Collection): Promise<Response> {
  const id = call.parameter('id')
  const record = source.records.visibleById(id, collection.type.dataset!, call.viewer)
  if (record === undefined || (collection.holding !== undefined && record.holding !== collection.holding.number))
    return problem(call.path, 404, `There is no feature ${quoted(id)} in this collection.`)
  const text = (await featureWriter(call, source, collection)).one(record)
  return written(new Uint8Array(text), { 'Content-Type': mediaTypes.geoJson })
}

/** Writes features: one at a time, or many `together` where that can be done. */
type Writer = {
  one(record: StoredRecord): Uint8Array
  records(numbers: readonly number[]): Iterable<StoredRecord>
  together(which: Numbered, frame: Frame): Uint8Array<ArrayBuffer> | undefined
}

async function featureWriter(call: Call, source: Source, { type, address, holding }: Collection): Promise<Writer> {
  const isFlat = call.query.get('profile') === 'flat'
  const selection = { type, viewer: call.viewer, holding: holding?.number }
  const flatten: Flatten | undefined = isFlat ? await source.flatten(selection) : undefined
  const root = `${call.base}/ogc/collections`
  const place: FeaturePlace = { type, collection: address, canonical: `${root}/${type.plural}`, holding: undefined }
  const holdingAddress = addressesOfHoldings(source.records, root)
  return {
    one: (record) => featureText(record, { ...place, holding: holdingAddress(record) }, flatten?.(record)),
    records: source.pages.records,
    // A holding has links of its own, and no relation to itself.
    together: (which, frame) =>
      isFlat || type.plural === 'holdings'
        ? undefined
        : source.pages.texts(which, { ...place, holding: `${root}/holdings/items` }, frame),
  }
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
