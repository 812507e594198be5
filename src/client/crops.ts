/** Hides the crop data API: its paged results, and the bare lists that some servers send in their place. */

import { WindrowError } from '../core/error.ts'
import { limitOf, pagesOf, type Page } from './paging.ts'
import { countOf, membersOf, objectsOf, textOf, type Members } from './reading.ts'
import type { Answer, Requester } from './request.ts'

/** The work records that the account may see, in batches as they come. Fails rather than end with fewer than were counted. */
export function workRecordsOf(
  requester: Requester,
  options: { readonly limit?: number },
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly Members[]> {
  // Work records carry the tracks of machines: pages of hundreds stay within what is read at once.
  const first = `/data/crops/work-records?limit=${limitOf(options.limit ?? 500)}`
  return pagesOf(requester, { first, what: 'the work records', read: readPage, idOf }, signal)
}

function readPage(answer: Answer): Page<Members> {
  const { body } = answer
  const page = membersOf(body)
  const items: unknown = Array.isArray(body) ? body : page?.['items']
  const records = objectsOf(items)
  if (!Array.isArray(items) || records.length !== items.length)
    throw new WindrowError('service-confused', 'The service answered with something that is not a list of records.')
  const next = textOf(membersOf(page?.['links'])?.['next'])
  return { items: records, total: countOf(page?.['totalItems']), next }
}

function idOf(record: Members): string | undefined {
  return textOf(record['id'])
}
