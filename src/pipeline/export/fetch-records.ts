/** Reads the records of each type from the service: from a collection, or holding by holding. */

import type { Client } from '../../client/connection.ts'
import type { ObservedBetween } from '../../client/crops.ts'
import type { readableTypes } from '../../resources/index.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import { sieve, type Missed, type Sieve, type Sifting } from './filter-records.ts'
import { findHolding, findPlots, listHoldings, type FoundHolding, type KnownPlots } from './find-holding.ts'

/** What to read and which records to keep; `onTotal` is called with the number of records that will come, where the service says it. */
export type Wanted = {
  readonly type: ResourceType
  readonly only: Sifting
  readonly zone: string
  readonly onTotal?: ((records: number) => void) | undefined
}

export type Fetched = { readonly body: Record<string, unknown>; readonly geometry?: unknown }

/** Records as received, the test for those wanted, and the filter that none of them passed so far. */
export type Page = {
  readonly records: readonly Fetched[]
  readonly passes: (fetched: Fetched) => boolean
  readonly missed?: () => Missed | undefined
}

type Reader = (
  client: Client,
  wanted: Wanted & { readonly plots: KnownPlots },
  holding: FoundHolding | undefined,
  signal?: AbortSignal,
) => AsyncIterable<Page>

const readers: Readonly<Record<(typeof readableTypes)[number], Reader>> = {
  holdings: featuresOf('holdings'),
  plots: featuresOf('plots'),
  'land-covers': featuresOf('land-covers'),
  async *'work-records'(client, wanted, holding, signal) {
    const tests = testsOf(wanted, holding)
    for await (const page of client.workRecords({ onTotal: wanted.onTotal }, signal))
      yield { records: page.map(asFetched), ...tests }
  },
  async *'pasture-cover-events'(client, wanted, holding, signal) {
    const tests = testsOf(wanted, undefined)
    const options = { onTotal: wanted.onTotal, holdingId: holding?.id, includeDeleted: wanted.only.deletedToo }
    for await (const page of client.pastureCoverEvents(options, signal))
      yield { records: page.map(asFetched), ...tests }
  },
  'load-receivals': eachHolding((client, id, days, signal) => client.loadReceivals(id, days, signal)),
  'sample-analyses': eachHolding((client, id, days, signal) => client.sampleAnalyses(id, days, signal)),
  'sample-plans': eachHolding((client, id, days, signal) => client.samplePlans(id, days, signal)),
}

/** True for the types that `recordsOf` reads. */
export function isReadable(type: ResourceType): boolean {
  return Object.hasOwn(readers, type.plural)
}

/** Reads all records of the type, page by page; `only.holding` is looked up first. */
export async function* recordsOf(client: Client, wanted: Wanted, signal?: AbortSignal): AsyncGenerator<Page> {
  const { holding: words } = wanted.only
  const holding = words === undefined ? undefined : await findHolding(client, words, signal)
  const read = readers[wanted.type.plural as (typeof readableTypes)[number]]
  const { plots: said = [] } = wanted.only
  // Paddocks are read with their names and ids; other records may refer to them by either.
  const plots =
    said.length === 0 || wanted.type.shapes !== undefined ? [] : await findPlots(client, said, { holding, signal })
  yield* read(client, { ...wanted, plots }, holding, signal)
}

function featuresOf(collection: 'holdings' | 'plots' | 'land-covers'): Reader {
  return async function* (client, wanted, holding, signal) {
    const isHolding = collection === 'holdings' && holding !== undefined
    const isThat: Page['passes'] = ({ body }) => body['id'] === holding?.id
    const tests = { ...testsOf(wanted, holding), ...(isHolding ? { passes: isThat } : {}) }
    const holdingId = collection === 'holdings' ? undefined : holding?.id
    const options = { onTotal: wanted.onTotal, holdingId, bbox: wanted.only.box }
    for await (const page of client.features(collection, options, signal)) {
      const records = page.map(({ properties, geometry }) => ({
        body: (properties?.['agriculture'] ?? {}) as Fetched['body'],
        geometry,
      }))
      yield { records, ...tests }
    }
  }
}

type ListOfHolding = (
  client: Client,
  holdingId: string,
  days: ObservedBetween,
  signal: AbortSignal | undefined,
) => AsyncIterable<readonly Fetched['body'][]>

/** The service lists these only for one holding at a time, so without a holding every one is queried. */
function eachHolding(list: ListOfHolding): Reader {
  return async function* (client, wanted, holding, signal) {
    const tests = testsOf(wanted, undefined)
    const days = daysAround(wanted.only)
    const holdings = holding === undefined ? await listHoldings(client, signal) : [holding]
    for (const { id } of holdings.filter((each) => each.id !== ''))
      for await (const page of list(client, id, days, signal)) yield { records: page.map(asFetched), ...tests }
  }
}

/** One more day at both ends: the service counts days in UTC, the filter in the export's zone. */
function daysAround({ from, until }: Sifting): ObservedBetween {
  const moved = (day: string, days: number): string =>
    new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
  return { observedFrom: from && moved(from, -1), observedTo: until && moved(until, 2) }
}

function testsOf(
  { only, zone, plots }: Wanted & { readonly plots: KnownPlots },
  holding: FoundHolding | undefined,
): Pick<Page, 'passes' | 'missed'> {
  const made: Sieve = sieve(only, { zone, holding, plots })
  return { passes: ({ body }) => made.passes(body), missed: () => made.missed() }
}

/** A record of a feed of changes, which has its boundary among its members. */
export function fetchedFromFeed(body: object): Fetched {
  const { spatialFeature } = body as { readonly spatialFeature?: { readonly geometry?: unknown } | null }
  return { body: body as Fetched['body'], geometry: spatialFeature?.geometry }
}

function asFetched(body: object): Fetched {
  return { body: body as Fetched['body'] }
}
