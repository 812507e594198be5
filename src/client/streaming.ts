/** Calls the streaming API: what may be published where, the results of a batch, and the feeds of changes. */

import { WindrowError } from '../core/error.ts'
import { findResourceType } from '../resources/index.ts'
import type { Identifier } from '../resources/resource-type.ts'
import { readSpelling } from '../resources/spellings.ts'
import { ownLink, pathOf } from './address.ts'
import { limitOf } from './paging.ts'
import { identifiersOf, membersOf, objectsOf, serviceConfused, textOf, type Members } from './reading.ts'
import type { Answer, Requester } from './request.ts'

/** A dataset with absolute addresses. Members that windrow does not know are kept. */
export type Dataset = Members & {
  readonly name: string
  readonly url?: string | undefined
  readonly changes: string | undefined
  readonly updates: string | undefined
  readonly containedTypes: readonly string[]
}

/** A type of record that may be published for a holding, by its short code. */
export type WritableType = Members & {
  readonly id: string
  readonly href?: string | undefined
  readonly description?: string | undefined
  readonly changes: string | undefined
  readonly updates: string | undefined
}

/** A holding that the account is connected to. `signature` changes when anything else here does. */
export type ControlItem = Members & {
  readonly holdingId: string | undefined
  readonly connectedAt?: string | undefined
  readonly signature: string | undefined
  readonly identifiers: readonly Identifier[]
  readonly connectorIdentifiers?: readonly Identifier[]
  readonly resourceTypes: readonly WritableType[]
}

/** The result of one published item. `unsent`: the service gave no result for it. */
export type ItemOutcome =
  | { readonly state: 'accepted' }
  | { readonly state: 'refused'; readonly error: string }
  | { readonly state: 'unsent' }

/** The outcomes of consecutive items of a batch, from item number `first` on. */
export type PublishedPart = { readonly first: number; readonly items: readonly ItemOutcome[] }

/** A record as JSON text, or the bytes of that text in UTF-8. */
export type RecordText = string | Uint8Array

/**
 * A page of a feed. Continue from `token` once the items are safely stored. `fullSync`: drop what was stored of this feed
 * before this page, and when the page is empty, read the feed again from its start. An empty page never means a deletion.
 */
export type ChangesPage = {
  readonly items: readonly Members[]
  readonly token: string | undefined
  readonly fullSync: boolean
}

/** Where to continue reading, and how many items per page. */
export type ChangesOptions = { readonly since?: string | undefined; readonly limit?: number | undefined }

/** A dataset, or a type of the control list, whose changes can be read. */
export type Feed = { readonly changes?: string | undefined }

/**
 * How many records to publish in one request, and how many requests at a time. Measured over loopback, this reaches 97 to 100 % of
 * the best throughput of a storing server.
 */
export const recordsPerBatch = 500
export const batchesAtOnce = 4

/** Makes the streaming calls of one connection. */
export function streamingApi(requester: Requester) {
  return {
    control: (signal?: AbortSignal) => readControl(requester, signal),
    async datasets(signal?: AbortSignal): Promise<readonly Dataset[]> {
      const what = 'the list of datasets'
      const answer = await requester.ask({ to: '/data/streaming/datasets', what, signal })
      return listOf(answer, what).map((item) => datasetOf(item, answer.url))
    },
    async dataset(name: string, signal?: AbortSignal): Promise<Dataset> {
      const to = `/data/streaming/datasets${pathOf(name)}`
      const answer = await requester.ask({ to, what: `the dataset "${requester.clean(name, 100)}"`, signal })
      return datasetOf(membersOf(answer.body), answer.url)
    },
    publish: (updates: string, bodies: readonly RecordText[], signal?: AbortSignal) =>
      publishTo(requester, updates, bodies, signal),
    async *publishHalving(
      updates: string,
      bodies: readonly RecordText[],
      signal?: AbortSignal,
    ): AsyncGenerator<PublishedPart> {
      const pending = bodies.length === 0 ? [] : [{ first: 0, end: bodies.length }]
      for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
        const { first, end } = part
        let items: readonly ItemOutcome[]
        try {
          items = await publishTo(requester, updates, bodies.slice(first, end), signal)
        } catch (cause) {
          if (!(cause instanceof WindrowError && cause.code === 'request-refused')) throw cause
          if (!wholeBatchRefused.has(cause.data['status'])) throw cause
          if (end - first > 1) {
            const middle = first + Math.ceil((end - first) / 2)
            pending.push({ first: middle, end }, { first, end: middle })
            continue
          }
          items = [{ state: 'refused', error: textOf(cause.data['detail']) ?? cause.message }]
        }
        yield { first, items }
      }
    },
    changes: (feed: Feed, options: ChangesOptions = {}, signal?: AbortSignal) =>
      changesOf(requester, feed, options, signal),
  }
}

async function readControl(requester: Requester, signal: AbortSignal | undefined): Promise<readonly ControlItem[]> {
  const what = 'the list of types that may be published'
  const answer = await requester.ask({ to: '/data/streaming/control', what, welcome: 404, signal })
  if (answer.status === 404) return []
  return listOf(answer, what).map((item) => ({
    ...item,
    holdingId: textOf(item['holdingId']),
    connectedAt: textOf(item['connectedAt']),
    signature: textOf(item['signature']),
    identifiers: identifiersOf(item['identifiers']),
    connectorIdentifiers: identifiersOf(item['connectorIdentifiers']),
    resourceTypes: objectsOf(item['resourceTypes']).flatMap((type) => {
      const id = textOf(type['id'])
      if (id === undefined) return []
      const [href, description] = [absolute(type['href'], answer.url), textOf(type['description'])]
      return [{ ...type, id, href, description, ...addressesOf(type, answer.url) }]
    }),
  }))
}

function listOf(answer: Answer, what: string): readonly Members[] {
  const list = objectsOf(answer.body)
  if (Array.isArray(answer.body) && list.length === answer.body.length) return list
  throw serviceConfused(what)
}

function datasetOf(item: Members | undefined, document: URL): Dataset {
  const name = textOf(item?.['name'])
  if (item === undefined || name === undefined)
    throw new WindrowError('service-confused', 'The service listed a dataset without a name.')
  const types: unknown = item['containedTypes']
  const containedTypes = Array.isArray(types) ? types.filter((each): each is string => typeof each === 'string') : []
  return { ...item, name, url: absolute(item['url'], document), ...addressesOf(item, document), containedTypes }
}

function addressesOf(item: Members, document: URL): Pick<Dataset, 'changes' | 'updates'> {
  return { changes: absolute(item['changes'], document), updates: absolute(item['updates'], document) }
}

function absolute(link: unknown, document: URL): string | undefined {
  const given = textOf(link)
  return given === undefined ? undefined : URL.parse(given, document.href)?.href
}

async function publishTo(
  requester: Requester,
  updates: string,
  bodies: readonly RecordText[],
  signal: AbortSignal | undefined,
): Promise<readonly ItemOutcome[]> {
  if (bodies.length === 0) return []
  const what = bodies.length === 1 ? 'the publishing of a record' : `the publishing of ${bodies.length} records`
  const to = ownLink(updates, requester.service, what)
  const { body } = await requester.ask({ to, what, body: listText(bodies), signal })
  if (!Array.isArray(body))
    throw new WindrowError(
      'service-confused',
      `The service answered ${what} with something that is not a list of results.`,
    )
  const outcomes = bodies.map((): ItemOutcome | undefined => undefined)
  for (const entry of body) {
    const result = membersOf(entry)
    const index = result?.['index']
    const successful = result?.['successful']
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= bodies.length)
      throw confusedResult(`has a result for an item that was not sent (${bodies.length} were sent)`)
    if (outcomes[index] !== undefined) throw confusedResult(`has two results for item ${index}`)
    if (typeof successful !== 'boolean') throw confusedResult(`does not say whether item ${index} was successful`)
    outcomes[index] = successful ? { state: 'accepted' } : { state: 'refused', error: reasonOf(requester, result) }
  }
  return outcomes.map((outcome) => outcome ?? { state: 'unsent' })
}

const [opening, comma, closing] = [Buffer.from('['), Buffer.from(','), Buffer.from(']')]

function listText(bodies: readonly RecordText[]): Uint8Array<ArrayBuffer> {
  const parts = bodies.flatMap((body, index) => [
    index === 0 ? opening : comma,
    typeof body === 'string' ? Buffer.from(body) : body,
  ])
  return Buffer.concat([...parts, closing])
}

function reasonOf(requester: Requester, result: Members | undefined): string {
  return requester.clean(textOf(result?.['error']) ?? '', 500) || 'The service gave no reason.'
}

function confusedResult(fault: string): WindrowError {
  return new WindrowError('service-confused', `The service's answer to a batch ${fault}.`, {
    hint: 'It is unknown which records were accepted. Publishing them again is safe; report this to the operator of the service.',
  })
}

const wholeBatchRefused: ReadonlySet<unknown> = new Set([400, 413, 422])

async function* changesOf(
  requester: Requester,
  dataset: Feed,
  options: ChangesOptions,
  signal: AbortSignal | undefined,
): AsyncGenerator<ChangesPage> {
  const what = 'the changes'
  if (dataset.changes === undefined)
    throw new WindrowError('service-confused', 'The service gave no address for the changes of this dataset.')
  const feed = ownLink(dataset.changes, requester.service, what)
  const used = new Set<string>()
  const ask = (since: string | undefined): Promise<Answer> => {
    if (since !== undefined) used.add(since)
    return requester.ask({ to: feedAddress(feed, since, options.limit), what, signal })
  }
  let coming = ask(options.since)
  for (let token = options.since; ;) {
    const { items, given, fullSync } = readFeed(await coming)
    // Without a new token, the next request would give the same page again.
    const isLast = items.length === 0 || given === undefined
    const isRepeated = !isLast && used.has(given)
    if (!isLast && !isRepeated) {
      // The next page comes while the caller works on this one.
      coming = ask(given)
      coming.catch(() => undefined)
    }
    // A token from before a full sync belongs to dropped items.
    yield { items, token: given ?? (fullSync ? undefined : token), fullSync }
    if (isLast) return
    if (isRepeated)
      throw new WindrowError('service-confused', 'The feed of changes repeats a page.', {
        hint: 'This is a fault of the service; the changes read so far are valid. Report it to its operator.',
      })
    token = given
  }
}

function feedAddress(feed: URL, since: string | undefined, limit: number | undefined): URL {
  const url = new URL(feed)
  const kept = url.search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !/^(since|limit)(=|$)/.test(pair))
  // Tokens contain + and /, which have another meaning in a query.
  if (since !== undefined) kept.push(`since=${encodeURIComponent(since)}`)
  if (limit !== undefined) kept.push(`limit=${limitOf(limit)}`)
  url.search = kept.join('&')
  return url
}

/** An item of an unknown type stays unchanged. */
function inOurSpelling(item: Members): Members {
  const named = textOf(item['resourceType'])
  const type = named === undefined ? undefined : findResourceType(named)
  return type === undefined ? item : (readSpelling(type, item) as Members)
}

function readFeed(answer: Answer) {
  const elements = listOf(answer, 'a feed of changes')
  const items = elements.filter(({ id }) => id !== '@context' && id !== '@continuation').map(inOurSpelling)
  // There may be several, anywhere; the last one is valid.
  const tokens = elements.filter(({ id }) => id === '@continuation').map(({ token }) => textOf(token))
  const fullSync = ['universal-data-api-fullsync', 'icar-full-sync'].some(
    (name) => answer.headers.get(name)?.trim().toLowerCase() === 'true',
  )
  return { items, given: tokens.findLast((token) => token !== undefined), fullSync }
}
