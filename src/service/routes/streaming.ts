/** Serves the streaming API (section 4.3): control, datasets, the feed of changes, and the publishing of records. */

import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { byName, type Members } from '../../core/values/exact-json.ts'
import { publishedTypes } from '../../resources/index.ts'
import type { Identifier, ResourceType } from '../../resources/resource-type.ts'
import type { Account } from '../store/accounts.ts'
import { readBody, type BodyLimits } from '../http/body.ts'
import { publish, type Publisher } from './publish.ts'
import { quoted, readCount } from '../http/query.ts'
import type { ConnectedHolding, StoredRecord } from '../store/records.ts'
import { joined, json, mediaTypes, Refusal, written } from '../http/responses.ts'
import { get, type Call, type Route } from '../http/router.ts'
import { dataPointKeyOf } from '../features/known-records.ts'
import { inSlices, nextTurn } from '../http/share-thread.ts'

const root = '/data/streaming'

export function streamingRoutes(publisher: Publisher, limits: BodyLimits): readonly Route[] {
  const read = (path: string, answer: Route['answer'], query: readonly string[] = []): Route =>
    get(root + path, answer, { isRegional: true, query })
  const inOrder = queues()
  const intake = (path: string): Route => ({
    method: 'POST',
    path: root + path,
    access: 'account',
    isRegional: true,
    answer: (call) => inDataset(call, (type) => receiveList(call, publisher, { type, limits, inOrder })),
  })
  return [
    read('/control', (call) => control(call, publisher)),
    read('/datasets', (call) => json(publishedTypes.map((type) => datasetDocument(type, call.base)))),
    read('/datasets/:dataset', (call) => inDataset(call, (type) => json(datasetDocument(type, call.base)))),
    read('/datasets/:dataset/changes', (call) => inDataset(call, (type) => feed(call, publisher, type)), [
      'since',
      'limit',
    ]),
    intake('/datasets/:dataset/resources'),
    intake('/dataset/:dataset/resources'),
  ]
}

function inDataset(call: Call, answer: (type: ResourceType) => Response | Promise<Response>) {
  const name = call.parameter('dataset')
  const type = publishedTypes.find(({ dataset }) => dataset === name)
  if (type !== undefined) return answer(type)
  const known = publishedTypes.map(({ dataset }) => dataset).join(', ')
  throw new Refusal(404, `The dataset ${quoted(name)} was not found. The datasets are ${known}.`)
}

function datasetLinks({ dataset }: ResourceType, base: string) {
  const url = `${base}${root}/datasets/${dataset}`
  return { url, changes: `${url}/changes`, updates: `${url}/resources` }
}

function datasetDocument(type: ResourceType, base: string) {
  return { name: type.dataset, ...datasetLinks(type, base), containedTypes: [type.name] }
}

function control(call: Call, { records }: Publisher): Response {
  const holdings = records.connectedTo(call.viewer)
  if (holdings.length === 0)
    throw new Refusal(404, 'No holding is connected to your account yet. Publish one to the dataset holdings.')
  return json(holdings.map((each) => controlItem(each, records.identifiersOf(each.number), call)))
}

function controlItem(holding: ConnectedHolding, identifiers: readonly Identifier[], { account, base }: Call) {
  const { connector, clientId } = account!.config
  const item = {
    holdingId: holding.id,
    connectedAt: holding.connectedAt,
    identifiers,
    resourceTypes: publishedTypes
      .toSorted((one, other) => (one.shortCode! < other.shortCode! ? -1 : 1))
      .map((type) => {
        const { url, changes, updates } = datasetLinks(type, base)
        return { id: type.shortCode, href: url, changes, updates, description: `${type.title} records` }
      }),
    connectorIdentifiers: [connector ?? { id: clientId, scheme: 'windrow.client' }],
  }
  return { ...item, signature: createHash('sha256').update(JSON.stringify(item, byName)).digest('hex') }
}

const mostFeedCharacters = 32 * 1024 * 1024
const mostAtOnce = 500
const mostCharactersAtOnce = 2 * 1024 * 1024
const fullSync = { 'universal-data-api-fullsync': 'true' }

async function feed(call: Call, publisher: Publisher, type: ResourceType): Promise<Response> {
  const { store, records } = publisher
  const dataset = type.dataset!
  const limit = readCount(call.query, 'limit', { fallback: 1000, least: 1, most: 10_000 })
  const given = call.query.get('since')
  const tokenAt = (changed: number): string => writeToken({ dataset, start: store.startOf(changed), sequence: changed })
  const since = given === null ? { dataset, start: store.startOf(0), sequence: 0 } : readToken(given)
  if (since === undefined || since.dataset !== dataset)
    throw new Refusal(
      400,
      'since is not a continuation token of this dataset. Leave it out to start from the beginning.',
    )
  // A change that does not exist, or was made after another start, means that an older copy of the store was restored.
  if (since.start !== store.startOf(since.sequence) || since.sequence > store.lastSequence())
    return feedPage(dataset, [], tokenAt(0), fullSync)
  const items: string[] = []
  let characters = 0
  let { sequence } = since
  for (let left = limit; left > 0 && characters <= mostFeedCharacters;) {
    await nextTurn()
    const before = items.length
    const most = Math.min(left, mostAtOnce)
    const until = characters + mostCharactersAtOnce
    for (const record of records.changes({ dataset, viewer: call.viewer }, sequence, most)) {
      const item = feedItem(record, type)
      items.push(item)
      sequence = record.changed
      characters += item.length
      if (characters > until) break
    }
    if (items.length === before) break
    left -= items.length - before
  }
  return feedPage(dataset, items, tokenAt(sequence))
}

function feedPage(
  dataset: string,
  items: readonly string[],
  token: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const context = JSON.stringify({ id: '@context', description: dataset })
  const continuation = JSON.stringify({ id: '@continuation', token })
  return written(`[${[context, ...items, continuation].join(',\n')}]`, {
    'Content-Type': mediaTypes.json,
    ...headers,
  })
}

/** The text of a record as the feed has it. */
export function feedItem({ id, key, meta: given, links, body }: StoredRecord, type: ResourceType): string {
  const { sourceId, ...meta } = JSON.parse(given) as { readonly sourceId: readonly unknown[] }
  const own = JSON.stringify({
    id,
    resourceType: type.name,
    dataPointKey: dataPointKeyOf(key),
    meta: { sourceId: sourceId[0], ...meta },
    ...(links === null ? {} : { links: JSON.parse(links) as Members }),
  })
  return joined(own, body)
}

type Continuation = { readonly dataset: string; readonly start: string; readonly sequence: number }

/**
 * Writes a continuation token (base64, as in the standard of the streaming API). The checksum detects a made-up token, and the
 * start one of a store that was reset or restored; neither protects anything, because the token gives no rights.
 */
function writeToken({ dataset, start, sequence }: Continuation): string {
  const text = `${dataset}|${start}|${sequence}`
  return Buffer.from(`${text}|${checksum(text)}`).toString('base64')
}

/** Reads a continuation token, undefined when the service never wrote it. */
function readToken(token: string): Continuation | undefined {
  const parts = /^(([a-z-]+)\|([\w-]+)\|(\d{1,15}))\|([\w-]+)$/.exec(Buffer.from(token, 'base64').toString())
  if (parts === null || checksum(parts[1]!) !== parts[5]) return undefined
  return { dataset: parts[2]!, start: parts[3]!, sequence: Number(parts[4]) }
}

function checksum(text: string): string {
  return createHash('sha256').update(`continuation ${text}`).digest('base64url').slice(0, 16)
}

// It limits the memory of the results.
const mostEntries = 50_000

type Into = { readonly type: ResourceType; readonly limits: BodyLimits; readonly inOrder: ReturnType<typeof queues> }

/**
 * Makes the function that stores the lists of an account one at a time, in the order in which they came. Short ones share a slice: if
 * each waited for a turn of its own, the last of many would wait as often for everybody who reads.
 */
function queues() {
  const queued = new Map<number, { readonly last: Promise<unknown>; readonly turn: () => Promise<void> }>()
  return (account: Account, work: () => Promise<Response>): Promise<Response> => {
    const { last, turn } = queued.get(account.number) ?? { last: Promise.resolve(), turn: inSlices() }
    const mine = last.then(turn).then(work)
    queued.set(account.number, { last: mine.catch(() => undefined), turn })
    return mine
  }
}

async function receiveList(call: Call, publisher: Publisher, into: Into): Promise<Response> {
  const media = call.request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? mediaTypes.json
  if (media !== mediaTypes.json && !/^(text|application)\/([\w.-]+\+)?json$/.test(media))
    throw new Refusal(415, `The Content-Type is ${quoted(media)}; it must be ${mediaTypes.json}.`)
  const bytes = await readBody(call.request, into.limits)
  const fullSync = [...call.request.headers.keys()].find((name) => /full-?sync/.test(name))
  if (fullSync !== undefined)
    throw new Refusal(
      501,
      `${fullSync}: this service does not support full syncs and stored nothing of this request. Publish without this header; send records that are gone with meta.isDeleted: true.`,
    )
  // A waiting list needs memory like an arriving one.
  const { room = { leftBytes: Infinity } } = into.limits
  room.leftBytes -= bytes.length
  return into
    .inOrder(call.account!, () => storeList(call, publisher, into, bytes))
    .finally(() => (room.leftBytes += bytes.length))
}

async function storeList(call: Call, publisher: Publisher, { type }: Into, bytes: Uint8Array): Promise<Response> {
  const isRehearsal = publisher.isRehearsal?.(call.request) === true
  return json(await publish(publisher, { type, account: call.account!, list: readList(bytes), isRehearsal }))
}

function readList(bytes: Uint8Array): readonly unknown[] {
  if (!isUtf8(bytes)) throw new Refusal(400, 'The body is not UTF-8 text. Save or send it as UTF-8.')
  const list = parsed(new TextDecoder().decode(bytes))
  if (!Array.isArray(list)) throw new Refusal(400, 'The body is not a JSON list. Send the records as [ ... ].')
  if (list.length > mostEntries)
    throw new Refusal(413, `The list has more than ${mostEntries} entries. Send fewer records at a time.`)
  return list
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Refusal(400, `The body is not JSON: it has the error ${quoted((cause as Error).message)}.`)
  }
}
