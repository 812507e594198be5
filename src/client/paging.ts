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
  /** Is called with the number of items that the service announces, before they come. */
  readonly onTotal?: OnTotal | undefined
}

export type OnTotal = (total: number) => void

// Pages without a new item mean that the links form a circle; one or two may come from changes during the reading.
const mostIdlePages = 3
const mostReadings = 5

/**
 * Reads the list in batches of a page. If records were deleted during the reading, it reads again and gives what it missed. Throws
 * 'service-confused' when fewer items come than the service counted, when pages repeat, or when records disappear in every reading.
 */
export async function* pagesOf<T>(
  requester: Requester,
  list: List<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly T[]> {
  const seen: Seen = { readings: new Map(), hasNameless: false }
  for (let reading = 1; ; reading += 1) {
    const shrank = yield* readThrough(requester, list, { seen, reading }, signal)
    if (!shrank) return
    // What has no id cannot be told from what was given before.
    if (reading < mostReadings && !seen.hasNameless) continue
    const times = reading === 1 ? 'was being read' : `was read ${reading} times`
    throw new WindrowError('service-confused', `Some of ${list.what} were deleted while the list ${times}.`, {
      hint: 'Others may be missing from what was read. Run it again when nothing is being deleted.',
    })
  }
}

/** In which reading each item came last; `hasNameless` where one had no id. */
type Seen = { readonly readings: Map<string, number>; hasNameless: boolean }

/** Reads the list once; true when it got shorter meanwhile. */
async function* readThrough<T>(
  requester: Requester,
  list: List<T>,
  { seen, reading }: { readonly seen: Seen; readonly reading: number },
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly T[], boolean> {
  const visited = new Set<string>()
  let came = 0
  let total: number | undefined
  let shrank = false
  let idle = 0
  for (let to: string | URL | undefined = list.first; to !== undefined;) {
    const { what, accept } = list
    const answer = await requester.ask({ to, what, signal, accept })
    const page = list.read(answer)
    visited.add(answer.url.href)
    const given: T[] = []
    const cameBefore = came
    for (const item of page.items) {
      const id = list.idOf(item)
      const last = id === undefined ? undefined : seen.readings.get(id)
      if (id === undefined) seen.hasNameless = true
      else seen.readings.set(id, reading)
      if (last !== reading) came += 1
      if (last === undefined) given.push(item)
    }
    // A list may grow. In one that shrinks, everything behind the gap has moved up, perhaps onto a page that was read already.
    shrank ||= page.total !== undefined && total !== undefined && page.total < total
    total = page.total ?? total
    if (total !== undefined) list.onTotal?.(total)
    idle = came === cameBefore ? idle + 1 : 0
    if (given.length > 0) yield given
    to = page.next === undefined ? undefined : ownLink(page.next, answer.url, what)
    if (to !== undefined && (visited.has(to.href) || idle >= mostIdlePages))
      throw new WindrowError('service-confused', `The pages of ${what} form a circle after ${came} items.`, {
        hint: 'This is a fault of the service; report it to its operator.',
      })
  }
  if (!shrank && total !== undefined && came < total)
    throw new WindrowError('service-confused', `For ${list.what} the service announced ${total}, but ${came} came.`, {
      hint: 'Records may have changed meanwhile: run it again. If it happens again, report it to the operator of the service.',
      data: { said: total, came },
    })
  return shrank
}

/** Checks a page size against the interface's limits. */
export function limitOf(limit: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= 10_000) return limit
  throw new WindrowError('option-invalid', `${limit} is not a possible number of records per page.`, {
    hint: 'Give a whole number from 1 to 10000.',
  })
}
