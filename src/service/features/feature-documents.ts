/**
 * Defines the addresses of feature collections, and writes the landing page, the conformance and the collections of the features API
 * (section 2.5).
 */

import type { FeaturePages, Selection } from './feature-pages.ts'
import type { Records } from '../store/records.ts'
import { mediaTypes, Refusal } from '../http/responses.ts'
import type { Members } from '../../core/values/exact-json.ts'
import { publishedTypes } from '../../resources/index.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import { quoted } from '../http/query.ts'
import type { Call } from '../http/router.ts'

const typesOfHolding = publishedTypes.filter(({ plural }) => plural !== 'holdings')

/** An address with collections below it; `path` is its route, and a landing page where `isRoot` is true. */
export type Root = { readonly path: string; readonly types: readonly ResourceType[]; readonly isRoot: boolean }

/**
 * Below /ogc, below each holding, and below a separate root for each holding. QGIS needs that root because it builds addresses from
 * the landing page, GDAL because it cuts an address at the first /collections/.
 */
export const featureRoots: readonly Root[] = [
  { path: '/ogc', types: publishedTypes, isRoot: true },
  { path: '/ogc/collections/holdings/:holdingId', types: typesOfHolding, isRoot: false },
  { path: '/ogc/farms/:holdingId', types: typesOfHolding, isRoot: true },
]

/** A root as requested: its address, who reads, and the holding whose records it shows. */
export type ResolvedRoot = ReturnType<typeof resolveRoot>

/** One collection as requested, and all its features; `ofHolding` are words for its title. */
export type Collection = { readonly address: string; readonly whole: Selection; readonly ofHolding: string }

/** The root of a request. Refuses a holding that the caller cannot see. */
export function resolveRoot(call: Call, root: Root, records: Records) {
  const { base, viewer } = call
  if (!root.path.includes(':')) return { address: base + root.path, root, viewer, holding: undefined }
  const id = call.parameter('holdingId')
  const holding = records.visibleById(id, 'holdings', viewer)
  if (holding === undefined)
    throw new Refusal(
      404,
      `The holding ${quoted(id)} was not found. /ogc/collections/holdings/items lists your holdings.`,
    )
  return {
    address: base + root.path.replace(':holdingId', holding.id),
    root,
    viewer,
    holding: { number: holding.number, name: nameIn(holding.body) },
  }
}

function nameIn(body: string): string {
  const { name } = JSON.parse(body) as Members
  return typeof name === 'string' ? name : 'a holding'
}

export function collectionAt({ address, viewer, holding }: ResolvedRoot, type: ResourceType): Collection {
  return {
    address: `${address}/collections/${type.plural}`,
    whole: { type, viewer, holding: holding?.number },
    ofHolding: holding === undefined ? '' : ` of ${holding.name}`,
  }
}

const { json: type, geoJson, openApi } = mediaTypes

export const conformance = {
  conformsTo: ['core', 'oas30', 'geojson'].map(
    (part) => `http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/${part}`,
  ),
}

/** The first document that a client reads. QGIS needs both service-desc and data. */
export function landingPage({ address, holding }: ResolvedRoot) {
  return {
    title: holding === undefined ? 'Farm records' : `Farm records of ${holding.name}`,
    description: 'Holdings, plots and land covers as features, served by windrow.',
    links: [
      { href: address, rel: 'self', type, title: 'This document' },
      { href: `${address}/api`, rel: 'service-desc', type: openApi, title: 'The API in OpenAPI 3.0' },
      { href: `${address}/api.html`, rel: 'service-doc', type: 'text/html', title: 'The API for people' },
      {
        href: `${address}/conformance`,
        rel: 'conformance',
        type,
        title: 'The standards that this service conforms to',
      },
      { href: `${address}/collections`, rel: 'data', type, title: 'Collections' },
    ],
  }
}

/** All collections of a root. The list comes twice: section 2.5 calls it `items`, OGC clients read `collections`. */
export function collectionsDocument(resolved: ResolvedRoot, pages: FeaturePages) {
  const list = resolved.root.types.map((each) => collectionDocument(collectionAt(resolved, each), pages))
  const links = [{ href: `${resolved.address}/collections`, rel: 'self', type, title: 'This document' }]
  return { links, items: list, collections: list }
}

/**
 * One collection. Without an items link of exactly this type, GDAL reads all plots of the service instead of those of a holding.
 * Without count and extent it reads all pages to find them.
 */
export function collectionDocument({ address, whole, ofHolding }: Collection, pages: FeaturePages) {
  const { plural, title } = whole.type
  const box = pages.extent(whole)
  return {
    id: plural,
    title: `${title}s`,
    description: `${title} records${ofHolding}.`,
    itemType: 'feature',
    crs: [crs84],
    ...(box === undefined
      ? {}
      : { extent: { spatial: { bbox: [[box.west, box.south, box.east, box.north]], crs: crs84 } } }),
    itemCount: pages.count(whole),
    links: [
      { href: address, rel: 'self', type, title: 'This document' },
      { href: `${address}/items`, rel: 'items', type: geoJson, title: `${title}s` },
      { href: address.slice(0, address.lastIndexOf('/')), rel: 'parent', type, title: 'All collections' },
    ],
  }
}

const crs84 = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84'
