/** Calls the crop data API: paged results, the bare lists that some servers send instead, and date bounds. */

import { WindrowError } from '../core/error.ts'
import {
  loadReceival,
  pastureCoverEvent,
  sampleAnalysis,
  samplePlan,
  type LoadReceival,
  type PastureCoverEvent,
  type SampleAnalysis,
  type SamplePlan,
} from '../resources/crop-observations.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { workRecord, type WorkRecord } from '../resources/work-record.ts'
import { pathOf, queryOf } from './address.ts'
import { limitOf, pagesOf, type OnTotal, type Page } from './paging.ts'
import { recordOf, recordsOf, countOf, membersOf, textOf, type Received } from './reading.ts'
import type { Answer, Requester } from './request.ts'

/** Days (2026-10-31, in UTC) or moments with a zone; both ends are included. */
export type ObservedBetween = { readonly observedFrom?: string | undefined; readonly observedTo?: string | undefined }
export type ConsignedBetween = { readonly consignedFrom?: string; readonly consignedTo?: string }

/** Without `holdingId`, events of all holdings that the account may see. Deleted events are left out unless asked for. */
export type PastureCoverOptions = {
  readonly holdingId?: string | undefined
  readonly includeDeleted?: boolean | undefined
  readonly limit?: number
  readonly onTotal?: OnTotal | undefined
}

/** Makes the crop data calls of one connection. */
export function cropData(requester: Requester) {
  const list = <Body>(
    type: ResourceType,
    first: string,
    signal: AbortSignal | undefined,
    onTotal?: OnTotal,
  ): AsyncIterable<readonly Received<Body>[]> => {
    const what = `the ${type.plural.replaceAll('-', ' ')}`
    const read = ({ body }: Answer): Page<Received<Body>> => {
      const page = membersOf(body)
      const items = recordsOf<Body>(type, Array.isArray(body) ? body : page?.['items'])
      return { items, total: countOf(page?.['totalItems']), next: textOf(membersOf(page?.['links'])?.['next']) }
    }
    const idOf = (record: Received<Body>): string | undefined => textOf(record['id'])
    return pagesOf(requester, { first, what, read, idOf, onTotal }, signal)
  }
  const one = async <Body>(type: ResourceType, to: string, signal: AbortSignal | undefined) => {
    const answer = await requester.ask({ to, what: `the ${type.title.toLowerCase()}`, welcome: 404, signal })
    return answer.status === 404 ? undefined : recordOf<Body>(type, answer.body)
  }
  return {
    loadReceivals: (holdingId: string, bounds: ObservedBetween & ConsignedBetween = {}, signal?: AbortSignal) =>
      list<LoadReceival>(loadReceival, under(holdingId, loadReceival) + boundsQuery(bounds), signal),
    loadReceival: (holdingId: string, id: string, signal?: AbortSignal) =>
      one<LoadReceival>(loadReceival, under(holdingId, loadReceival, id), signal),
    pastureCoverEvents(options: PastureCoverOptions = {}, signal?: AbortSignal) {
      const { holdingId, includeDeleted, limit = 500, onTotal } = options
      const query = queryOf({ limit: limitOf(limit), includeDeleted: includeDeleted === true ? true : undefined })
      return list<PastureCoverEvent>(pastureCoverEvent, under(holdingId, pastureCoverEvent) + query, signal, onTotal)
    },
    pastureCoverEvent: (id: string, { holdingId }: Pick<PastureCoverOptions, 'holdingId'> = {}, signal?: AbortSignal) =>
      one<PastureCoverEvent>(pastureCoverEvent, under(holdingId, pastureCoverEvent, id), signal),
    sampleAnalyses: (holdingId: string, bounds: ObservedBetween = {}, signal?: AbortSignal) =>
      list<SampleAnalysis>(sampleAnalysis, under(holdingId, sampleAnalysis) + boundsQuery(bounds), signal),
    sampleAnalysis: (holdingId: string, id: string, signal?: AbortSignal) =>
      one<SampleAnalysis>(sampleAnalysis, under(holdingId, sampleAnalysis, id), signal),
    samplePlans: (holdingId: string, bounds: ObservedBetween = {}, signal?: AbortSignal) =>
      list<SamplePlan>(samplePlan, under(holdingId, samplePlan) + boundsQuery(bounds), signal),
    samplePlan: (holdingId: string, id: string, signal?: AbortSignal) =>
      one<SamplePlan>(samplePlan, under(holdingId, samplePlan, id), signal),
    // Work records contain machine tracks: pages of hundreds stay below the limit of an answer.
    workRecords: (
      { limit = 500, onTotal }: Pick<PastureCoverOptions, 'limit' | 'onTotal'> = {},
      signal?: AbortSignal,
    ) =>
      list<WorkRecord>(workRecord, under(undefined, workRecord) + queryOf({ limit: limitOf(limit) }), signal, onTotal),
  }
}

function under(holdingId: string | undefined, type: ResourceType, ...id: readonly string[]): string {
  const owner = holdingId === undefined ? [] : ['holdings', holdingId]
  return pathOf('data', ...owner, 'crops', type.plural, ...id)
}

function boundsQuery(bounds: ObservedBetween & ConsignedBetween): string {
  return queryOf({
    ObservationDateFrom: inUtc(bounds.observedFrom),
    ObservationDateTo: inUtc(bounds.observedTo),
    ConsignmentDateFrom: inUtc(bounds.consignedFrom),
    ConsignmentDateTo: inUtc(bounds.consignedTo),
  })
}

/** The service reads bounds as UTC, so a moment of another zone is converted. */
function inUtc(bound: string | undefined): string | undefined {
  if (bound === undefined) return undefined
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(bound)
  const isMoment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,7})?)?(Z|[+-]\d{2}:\d{2})$/.test(bound)
  const instant = isDay || isMoment ? Date.parse(bound) : Number.NaN
  // Date.parse reads 31 February as a day in March.
  const isReal = !Number.isNaN(instant) && (!isDay || new Date(instant).toISOString().startsWith(bound))
  if (!isReal)
    throw new WindrowError(
      'option-invalid',
      `"${bound.slice(0, 50)}" is neither a day nor a date with time and zone.`,
      { hint: 'Give a day such as 2026-10-31, or a date with time and zone such as 2026-10-31T06:00:00Z.' },
    )
  return isDay ? bound : new Date(instant).toISOString()
}
