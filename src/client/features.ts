/** Calls the OGC features API: where a collection is, how a page looks, and which link leads to the next one. */

import { WindrowError } from '../core/error.ts'
import { holding, landCover, plot } from '../resources/land.ts'
import { readSpelling } from '../resources/spellings.ts'
import { pathOf, queryOf } from './address.ts'
import { limitOf, pagesOf, type OnTotal, type Page } from './paging.ts'
import { countOf, membersOf, objectsOf, serviceConfused, textOf, type Members } from './reading.ts'
import type { Answer, Requester } from './request.ts'

export type Collection = 'holdings' | 'plots' | 'land-covers'

/** A collection as the service describes it; members besides the id are kept unchanged. */
export type CollectionDescription = Members & { readonly id: string }

/** `bbox` is west, south, east, north in degrees; features without a location come with every box. */
export type FeatureOptions = {
  readonly holdingId?: string | undefined
  readonly bbox?: readonly [number, number, number, number] | undefined
  readonly limit?: number
  readonly onTotal?: OnTotal | undefined
}

/** A GeoJSON feature as it came; the record is `properties.agriculture`. */
export type Feature = Members & { readonly type: 'Feature'; readonly properties: Members }

/** Makes the features calls of one connection. */
export function featuresApi(requester: Requester) {
  const document = async (to: string, what: string, signal: AbortSignal | undefined): Promise<Members | undefined> => {
    const answer = await requester.ask({ to, what, welcome: 404, signal })
    const members = membersOf(answer.body)
    if (answer.status === 404 || members !== undefined) return members
    throw serviceConfused(what)
  }
  return {
    landingPage: async (signal?: AbortSignal): Promise<Members> =>
      (await document('/ogc', 'the landing page', signal)) ?? missing('landing page'),
    async conformance(signal?: AbortSignal): Promise<readonly string[]> {
      const members = (await document('/ogc/conformance', 'the list of conformance classes', signal)) ?? {}
      const classes: unknown = members['conformsTo']
      return Array.isArray(classes) ? classes.filter((each): each is string => typeof each === 'string') : []
    },
    async collections(holdingId?: string, signal?: AbortSignal): Promise<readonly CollectionDescription[]> {
      const members = await document(collectionsPath(holdingId), 'the list of collections', signal)
      if (members === undefined) return holdingId === undefined ? missing('list of collections') : []
      // The interface uses the name items where OGC uses collections.
      return [members['collections'], members['items']].flatMap(objectsOf).filter(isFirstOfItsId)
    },
    async collection(
      collection: Collection,
      holdingId?: string,
      signal?: AbortSignal,
    ): Promise<CollectionDescription | undefined> {
      const to = collectionsPath(holdingId) + pathOf(collection)
      const members = await document(to, `the collection of ${collection}`, signal)
      return members === undefined ? undefined : { ...members, id: textOf(members['id']) ?? collection }
    },
    features: (collection: Collection, options: FeatureOptions = {}, signal?: AbortSignal) =>
      featuresOf(requester, collection, options, signal),
    async feature(
      collection: Collection,
      id: string,
      { holdingId }: Pick<FeatureOptions, 'holdingId'> = {},
      signal?: AbortSignal,
    ): Promise<Feature | undefined> {
      const to = `${collectionsPath(holdingId)}${pathOf(collection)}/items${pathOf(id)}`
      const what = `one of the ${collection}`
      const answer = await requester.ask({ to, what, accept: geoJson, welcome: 404, signal })
      return answer.status === 404 ? undefined : featureOf(collection, answer.body)
    },
  }
}

function missing(what: string): never {
  throw new WindrowError('request-refused', `The service has no ${what} at the usual address (404).`, {
    hint: 'Check the address of the service.',
    data: { status: 404 },
  })
}

function isFirstOfItsId(each: Members, index: number, all: readonly Members[]): each is CollectionDescription {
  return textOf(each['id']) !== undefined && all.findIndex(({ id }) => id === each['id']) === index
}

function collectionsPath(holdingId: string | undefined): string {
  return holdingId === undefined ? '/ogc/collections' : `/ogc/collections/holdings${pathOf(holdingId)}/collections`
}

async function* featuresOf(
  requester: Requester,
  collection: Collection,
  options: FeatureOptions,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly Feature[]> {
  const { holdingId, bbox, limit = 1000, onTotal } = options
  if (collection === 'holdings' && holdingId !== undefined) {
    // The interface has no list for one holding, so neither box nor page.
    if (bbox !== undefined)
      throw new WindrowError('option-invalid', 'A holding cannot be combined with a box.', {
        hint: 'Give the holding or the box, not both.',
      })
    const one = await featuresApi(requester).feature('holdings', holdingId, {}, signal)
    if (one !== undefined) yield [one]
    return
  }
  // Commas stay unencoded: not every server decodes them before it splits the box.
  const box = bbox === undefined ? '' : `&bbox=${boxOf(bbox)}`
  const first = `${collectionsPath(holdingId)}${pathOf(collection)}/items${queryOf({ limit: limitOf(limit) })}${box}`
  const read = (answer: Answer): Page<Feature> => readPage(collection, answer)
  yield* pagesOf(requester, { first, what: `the ${collection}`, accept: geoJson, read, idOf, onTotal }, signal)
}

const geoJson = 'application/geo+json, application/json;q=0.9'

function boxOf(bbox: readonly [number, number, number, number]): string {
  const [west, south, east, north] = bbox
  const onEarth = Math.abs(west) <= 180 && Math.abs(east) <= 180 && south >= -90 && north <= 90 && south <= north
  if (!onEarth)
    throw new WindrowError('option-invalid', `${bbox.join(', ')} is not a box.`, {
      hint: 'Give west, south, east, north in degrees.',
    })
  // Not every server reads an exponent.
  return bbox.map((degrees) => (Math.abs(degrees) < 1e-6 ? '0' : String(degrees))).join(',')
}

function readPage(collection: Collection, answer: Answer): Page<Feature> {
  const page = membersOf(answer.body)
  const features = page?.['features']
  if (page === undefined || !Array.isArray(features)) throw serviceConfused('a list of features')
  const returned = countOf(page['numberReturned'])
  if (returned !== undefined && returned !== features.length)
    throw new WindrowError(
      'service-confused',
      `The service announced ${returned} features on a page, but ${features.length} came.`,
    )
  const items = features.map((each) => featureOf(collection, each))
  return { items, total: countOf(page['numberMatched']), next: nextOf(page['links']) }
}

const typeIn = { holdings: holding, plots: plot, 'land-covers': landCover } as const

function featureOf(collection: Collection, value: unknown): Feature {
  const feature = membersOf(value)
  const properties = membersOf(feature?.['properties'])
  if (feature === undefined || feature['type'] !== 'Feature' || properties === undefined)
    throw new WindrowError(
      'service-confused',
      'The service sent something that is not a feature in a list of features.',
    )
  const record = membersOf(properties['agriculture'])
  const spelled = record === undefined ? record : readSpelling(typeIn[collection], record)
  if (spelled === record) return { ...feature, type: 'Feature', properties }
  return { ...feature, type: 'Feature', properties: { ...properties, agriculture: spelled } }
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
