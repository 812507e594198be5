/** Reads the records of each type from the service: from a collection, or holding by holding. */

import type { Client } from '../../client/connection.ts'
import type { readableTypes } from '../../resources/index.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import { workRecord } from '../../resources/work-record.ts'
import { makeFilter, type Missed, type RecordFilter } from './filter-records.ts'
import { findHolding, findPlots, listHoldings, type FoundHolding } from './find-holding.ts'

/** What to read and which records to keep; `onTotal` is called with the number of records that will come, where the service says it. */
export type Wanted = {
  readonly type: ResourceType
  readonly only: RecordFilter
  readonly zone: string
  readonly onTotal?: ((records: number) => void) | undefined
}

export type Fetched = { readonly body: Record<string, unknown>; readonly geometry?: unknown }

/** Records as received, the test for those wanted, and, so far, how many had no date or farm and the filter that has a word for none of them. */
export type Page = {
  readonly records: readonly Fetched[]
  readonly passes: (fetched: Fetched) => boolean
  readonly undated?: () => number
  readonly farmless?: () => number
  readonly missed?: () => Missed | undefined
}

type Reader = (
  client: Client,
  wanted: Wanted,
  holding: FoundHolding | undefined,
  signal?: AbortSignal,
) => AsyncIterable<readonly Fetched[]>

const readers: Readonly<Record<(typeof readableTypes)[number], Reader>> = {
  holdings: featuresOf('holdings'),
  plots: featuresOf('plots'),
  'land-covers': featuresOf('land-covers'),
  'work-records': (client, { onTotal }, _, signal) => asFetched(client.workRecords({ onTotal }, signal)),
  'pasture-cover-events': (client, { onTotal, only }, holding, signal) =>
    asFetched(client.pastureCoverEvents({ onTotal, holdingId: holding?.id, includeDeleted: only.deletedToo }, signal)),
  'load-receivals': eachHolding((client, id, signal) => client.loadReceivals(id, {}, signal)),
  'sample-analyses': eachHolding((client, id, signal) => client.sampleAnalyses(id, {}, signal)),
  'sample-plans': eachHolding((client, id, signal) => client.samplePlans(id, {}, signal)),
}

/** Reads all records of the type, page by page; `only.holding` is looked up first. */
export async function* recordsOf(client: Client, wanted: Wanted, signal?: AbortSignal): AsyncGenerator<Page> {
  const { type, only, zone } = wanted
  const { holding: words, plots: said = [] } = only
  const holding = words === undefined ? undefined : await findHolding(client, words, signal)
  const hasShapes = type.shapes !== undefined
  // Paddocks are read with their names and ids; other records may refer to them by either.
  const plots = said.length === 0 || hasShapes ? new Map() : await findPlots(client, said, { holding, signal })
  // The records of other lists do not name their holding.
  const { passes, ...found } = makeFilter(only, {
    zone,
    holding: hasShapes || type === workRecord ? holding : undefined,
    plots,
  })
  const isThat = type.plural === 'holdings' && holding !== undefined
  const isWanted = ({ body }: Fetched): boolean =>
    (only.deletedToo === true || !isDeleted(body)) && (!isThat || body['id'] === holding.id) && passes(body)
  const read = readers[type.plural as (typeof readableTypes)[number]]
  for await (const records of read(client, wanted, holding, signal)) yield { records, passes: isWanted, ...found }
}

function featuresOf(collection: 'holdings' | 'plots' | 'land-covers'): Reader {
  return async function* (client, { onTotal, only }, holding, signal) {
    const holdingId = collection === 'holdings' ? undefined : holding?.id
    for await (const page of client.features(collection, { onTotal, holdingId, bbox: only.box }, signal))
      yield page.map(({ properties, geometry }) => ({
        body: (properties?.['agriculture'] ?? {}) as Fetched['body'],
        geometry,
      }))
  }
}

type ListOfHolding = (
  client: Client,
  holdingId: string,
  signal: AbortSignal | undefined,
) => AsyncIterable<readonly Fetched['body'][]>

/**
 * The service lists these only for one holding at a time, so without a holding every one is queried. Its bounds of days know the date of
 * observation alone, and would leave out records that have another.
 */
function eachHolding(list: ListOfHolding): Reader {
  return async function* (client, _, holding, signal) {
    const holdings = holding === undefined ? await listHoldings(client, signal) : [holding]
    for (const { id } of holdings.filter((each) => each.id !== '')) yield* asFetched(list(client, id, signal))
  }
}

/** True for a record that was deleted; some lists show those, too. */
export function isDeleted(body: object): boolean {
  return (body as { readonly meta?: { readonly isDeleted?: unknown } }).meta?.isDeleted === true
}

/** A record of a feed of changes, which has its boundary among its members. */
export function fetchedFromFeed(body: object): Fetched {
  const { spatialFeature } = body as { readonly spatialFeature?: { readonly geometry?: unknown } | null }
  return { body: body as Fetched['body'], geometry: spatialFeature?.geometry }
}

async function* asFetched(pages: AsyncIterable<readonly object[]>): AsyncGenerator<readonly Fetched[]> {
  for await (const page of pages) yield page.map((body) => ({ body: body as Fetched['body'] }))
}
