/** Reads a list page by page: links are followed as given, no item comes twice, and a short list is an error. */

import { WindrowError } from '../core/error.ts'
import { ownLink } from './address.ts'
import type { Answer, Requester } from './request.ts'

/** One page: its items, how many there are in all, and the link to the next page. */
export type Page<T> = {
  readonly items: readonly T[]
  readonly total: number | undefined
  readonly next: string | undefined
}

/** A list: its first address, its name in messages, how a page is read, and what identifies an item. */
export type List<T> = {
  readonly first: string
  readonly what: string
  readonly accept?: string
  readonly read: (answer: Answer) => Page<T>
  readonly idOf: (item: T) => string | undefined
}

// Pages without a new item mean that the links form a circle; one or two may come from changes during the reading.
const mostIdlePages = 3

/** Reads the list in batches of a page. Throws 'service-confused' when fewer items come than the service counted, or pages repeat. */
export async function* pagesOf<T>(
  requester: Requester,
  list: List<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly T[]> {
  const seen = new Set<string>()
  const visited = new Set<string>()
  let came = 0
  let total: number | undefined
  let idle = 0
  for (let to: string | URL | undefined = list.first; to !== undefined;) {
    const { what, accept } = list
    const answer = await requester.ask({ to, what, signal, ...(accept === undefined ? {} : { accept }) })
    const page = list.read(answer)
    visited.add(answer.url.href)
    const fresh = page.items.filter((item) => isNew(seen, list.idOf(item)))
    came += fresh.length
    // The list may grow or shrink while it is read: the last count is valid.
    total = page.total ?? total
    idle = fresh.length === 0 ? idle + 1 : 0
    if (fresh.length > 0) yield fresh
    to = page.next === undefined ? undefined : ownLink(page.next, answer.url, what)
    if (to !== undefined && (visited.has(to.href) || idle >= mostIdlePages))
      throw new WindrowError('service-confused', `The pages of ${what} form a circle after ${came} items.`, {
        hint: 'This is a fault of the service; report it to its operator.',
      })
  }
  if (total !== undefined && came < total)
    throw new WindrowError('service-confused', `For ${list.what} the service announced ${total}, but ${came} came.`, {
      hint: 'Records may have changed meanwhile: run it again. If it happens again, report it to the operator of the service.',
      data: { said: total, came },
    })
}

/** Checks a page size against the interface's limits. */
export function limitOf(limit: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= 10_000) return limit
  throw new WindrowError('option-invalid', `${limit} is not a possible number of records per page.`, {
    hint: 'Give a whole number from 1 to 10000.',
  })
}

function isNew(seen: Set<string>, id: string | undefined): boolean {
  if (id === undefined) return true
  if (seen.has(id)) return false
  seen.add(id)
  return true
}
