/** Hides the OGC features API: where a collection lies, what a page of it looks like, which link leads on. */

import { WindrowError } from '../core/error.ts'
import { limitOf, pagesOf, type Page } from './paging.ts'
import { countOf, membersOf, objectsOf, textOf, type Members } from './reading.ts'
import type { Answer, Requester } from './request.ts'

export type Collection = 'holdings' | 'plots' | 'land-covers'

/** `bbox` is west, south, east, north in degrees; features without a location come with every box. */
export type FeatureOptions = {
  readonly holdingId?: string
  readonly bbox?: readonly [number, number, number, number]
  readonly limit?: number
}

/** A GeoJSON feature as it came; the record is `properties.agriculture`. */
export type Feature = Members & { readonly type: 'Feature'; readonly properties: Members }

/** The features of a collection, in batches as they come. Fails rather than end with fewer than the service counted. */
export async function* featuresOf(
  requester: Requester,
  collection: Collection,
  options: FeatureOptions,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly Feature[]> {
  const { holdingId, bbox, limit = 1000 } = options
  const query = [`limit=${limitOf(limit)}`, ...(bbox === undefined ? [] : [`bbox=${boxOf(bbox)}`])].join('&')
  const what = `the ${collection}`
  if (collection === 'holdings' && holdingId !== undefined) {
    // One holding is no list of the interface: there is no box and no page to ask for.
    if (bbox !== undefined)
      throw new WindrowError('option-invalid', 'One holding cannot be selected by a box.', {
        hint: 'Give the holding or the box, not both.',
      })
    const to = `/ogc/collections/holdings/items/${encodeURIComponent(holdingId)}`
    const answer = await requester.ask({ to, what: 'the holding', accept: geoJson, welcome: 404, signal })
    if (answer.status !== 404) yield [featureOf(answer.body)]
    return
  }
  const path =
    holdingId === undefined ? collection : `holdings/${encodeURIComponent(holdingId)}/collections/${collection}`
  const first = `/ogc/collections/${path}/items?${query}`
  yield* pagesOf(requester, { first, what, accept: geoJson, read: readPage, idOf }, signal)
}

const geoJson = 'application/geo+json, application/json;q=0.9'

function boxOf(bbox: readonly [number, number, number, number]): string {
  const [west, south, east, north] = bbox
  const onEarth = Math.abs(west) <= 180 && Math.abs(east) <= 180 && south >= -90 && north <= 90 && south <= north
  if (!onEarth)
    throw new WindrowError('option-invalid', `${bbox.join(', ')} is not a box.`, {
      hint: 'Give west, south, east, north in degrees.',
    })
  // An exponent is no coordinate to every server.
  return bbox.map((degrees) => (Math.abs(degrees) < 1e-6 ? '0' : String(degrees))).join(',')
}

function readPage(answer: Answer): Page<Feature> {
  const page = membersOf(answer.body)
  const features = page?.['features']
  if (page === undefined || !Array.isArray(features))
    throw new WindrowError('service-confused', 'The service answered with something that is not a list of features.')
  const returned = countOf(page['numberReturned'])
  if (returned !== undefined && returned !== features.length)
    throw new WindrowError(
      'service-confused',
      `The service said ${returned} features on a page, ${features.length} came.`,
    )
  return { items: features.map(featureOf), total: countOf(page['numberMatched']), next: nextOf(page['links']) }
}

function featureOf(value: unknown): Feature {
  const feature = membersOf(value)
  const properties = membersOf(feature?.['properties'])
  if (feature === undefined || feature['type'] !== 'Feature' || properties === undefined)
    throw new WindrowError('service-confused', 'The service put something that is not a feature among the features.')
  return { ...feature, type: 'Feature', properties }
}

function idOf(feature: Feature): string | undefined {
  const { id, properties } = feature
  if (typeof id === 'number') return String(id)
  return textOf(id) ?? textOf(membersOf(properties['agriculture'])?.['id'])
}

function nextOf(links: unknown): string | undefined {
  const next = objectsOf(links).filter((link) => link['rel'] === 'next' && textOf(link['href']) !== undefined)
  const typed = ['application/geo+json', 'application/json', undefined].map((type) =>
    next.find((link) => link['type'] === type),
  )
  return textOf((typed.find(Boolean) ?? next[0])?.['href'])
}
