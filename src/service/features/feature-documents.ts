/** Writes the landing page, the conformance and the collections of the features API (section 2.5). */

import type { FeaturePages } from './feature-pages.ts'
import { collectionAt, type Collection, type ResolvedRoot } from './feature-roots.ts'
import type { Viewer } from '../store/records.ts'
import { mediaTypes } from '../http/responses.ts'

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
export function collectionsDocument(resolved: ResolvedRoot, pages: FeaturePages, viewer: Viewer) {
  const list = resolved.root.types.map((each) => collectionDocument(collectionAt(resolved, each), pages, viewer))
  const links = [{ href: `${resolved.address}/collections`, rel: 'self', type, title: 'This document' }]
  return { links, items: list, collections: list }
}

/**
 * One collection. Without an items link of exactly this type, GDAL reads all plots of the service instead of those of a holding.
 * Without count and extent it reads all pages to find them.
 */
export function collectionDocument({ type: of, address, holding }: Collection, pages: FeaturePages, viewer: Viewer) {
  const selection = { type: of, viewer, holding: holding?.number }
  const box = pages.extent(selection)
  return {
    id: of.plural,
    title: `${of.title}s`,
    description: `${of.title} records${holding === undefined ? '' : ` of ${holding.name}`}.`,
    itemType: 'feature',
    crs: [crs84],
    ...(box === undefined
      ? {}
      : { extent: { spatial: { bbox: [[box.west, box.south, box.east, box.north]], crs: crs84 } } }),
    itemCount: pages.count(selection),
    links: [
      { href: address, rel: 'self', type, title: 'This document' },
      { href: `${address}/items`, rel: 'items', type: geoJson, title: `${of.title}s` },
      { href: address.slice(0, address.lastIndexOf('/')), rel: 'parent', type, title: 'All collections' },
    ],
  }
}

const crs84 = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84'
