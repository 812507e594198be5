/** Hides reading a list page by page: links are followed as given, nothing comes twice, and a short list is an error. */

import { WindrowError } from '../core/error.ts'
import { ownLink } from './address.ts'
import type { Answer, Requester } from './request.ts'

/** One page as its reader understood it: what came, how many there are in all, and the link to the next page. */
export type Page<T> = {
  readonly items: readonly T[]
  readonly total: number | undefined
  readonly next: string | undefined
}

/** A list: where it begins, what it is called in messages, how a page is read, and what tells its items apart. */
export type List<T> = {
  readonly first: string
  readonly what: string
  readonly accept?: string
  readonly read: (answer: Answer) => Page<T>
  readonly idOf: (item: T) => string | undefined
}

// Pages without anything new are how a server goes round in circles; one or two may be data moving while it is read.
const mostIdlePages = 3

/** Reads the list in batches of a page. Throws 'service-confused' when fewer come than the service said, or pages repeat. */
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
    // The list may grow or shrink while it is read: the last word counts.
    total = page.total ?? total
    idle = fresh.length === 0 ? idle + 1 : 0
    if (fresh.length > 0) yield fresh
    to = page.next === undefined ? undefined : ownLink(page.next, answer.url, what)
    if (to !== undefined && (visited.has(to.href) || idle >= mostIdlePages))
      throw new WindrowError('service-confused', `The pages of ${what} lead round in a circle after ${came}.`, {
        hint: 'This is a fault of the service; tell its operator.',
      })
  }
  if (total !== undefined && came < total)
    throw new WindrowError('service-confused', `For ${list.what} the service said ${total}, ${came} came.`, {
      hint: 'Records may have changed meanwhile: run it again. If it stays so, tell the operator of the service.',
      data: { said: total, came },
    })
}

/** A page size within what the interface allows. */
export function limitOf(limit: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= 10_000) return limit
  throw new WindrowError('option-invalid', `${limit} records a page is not possible.`, {
    hint: 'Give a whole number from 1 to 10000.',
  })
}

function isNew(seen: Set<string>, id: string | undefined): boolean {
  if (id === undefined) return true
  if (seen.has(id)) return false
  seen.add(id)
  return true
}
