/** Hides the documents of the features API around the features (section 2.5): landing page, conformance, collections. */

import type { FeaturePages } from './feature-pages.ts'
import { collectionAt, type Collection, type Standing } from './feature-roots.ts'
import type { Viewer } from '../store/records.ts'
import { mediaTypes } from '../http/responses.ts'

const { json: type, geoJson, openApi } = mediaTypes

export const conformance = {
  conformsTo: ['core', 'oas30', 'geojson'].map(
    (part) => `http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/${part}`,
  ),
}

/** The first document that a client reads. QGIS wants both service-desc and data. */
export function landingPage({ address, holding }: Standing) {
  return {
    title: holding === undefined ? 'Farm records' : `Farm records of ${holding.name}`,
    description: 'Holdings, plots and land covers as features, served by windrow.',
    links: [
      { href: address, rel: 'self', type, title: 'This document' },
      { href: `${address}/api`, rel: 'service-desc', type: openApi, title: 'The API in OpenAPI 3.0' },
      { href: `${address}/api.html`, rel: 'service-doc', type: 'text/html', title: 'The API for people' },
      { href: `${address}/conformance`, rel: 'conformance', type, title: 'What this service conforms to' },
      { href: `${address}/collections`, rel: 'data', type, title: 'Collections' },
    ],
  }
}

/** All collections of a place. The list stands twice: `items` is what section 2.5 has, `collections` is what OGC clients look for. */
export function collectionsDocument(standing: Standing, pages: FeaturePages, viewer: Viewer) {
  const list = standing.root.types.map((each) => collectionDocument(collectionAt(standing, each), pages, viewer))
  const links = [{ href: `${standing.address}/collections`, rel: 'self', type, title: 'This document' }]
  return { links, items: list, collections: list }
}

/**
 * One collection. GDAL reads all plots of the service instead of a holding's when there is no items link of exactly this type, and
 * reads all pages only to count and to find the extent when these are not said.
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
