/**
 * Hides how published records get into the store: one list is one transaction, each record is checked, settled and written,
 * and what says nothing new changes nothing.
 */

import { findResourceType } from '../resources/index.ts'
import type { Identifier, ResourceType } from '../resources/resource-type.ts'
import { readSpelling, sourceIds } from '../resources/spellings.ts'
import { check } from '../resources/validation.ts'
import type { Account } from './accounts.ts'
import { memberSpans, textWithout, type Span } from './json-spans.ts'
import { quoted } from './query.ts'
import type { Records, StoredRecord } from './records.ts'
import { isSameJson } from './same-json.ts'
import { accountsNaming, keyOf, settle, type Candidate, type Intake, type Settled } from './settle.ts'
import type { Store } from './store.ts'

/** What became of one element of a list (section 2.9). `note` says what the sender may not expect. */
export type Result = {
  readonly index: number
  readonly successful: boolean
  readonly error?: string
  readonly note?: string
}

/** What became of a record, which was `before`. A deleted one has its last representation as body. */
export type Change = {
  readonly kind: 'create' | 'update' | 'delete'
  readonly type: ResourceType
  readonly record: StoredRecord
  readonly before?: StoredRecord
}

/** What publishing needs. `onChange` is told of each change within its transaction. */
export type Publisher = {
  readonly store: Store
  readonly records: Records
  readonly accounts: readonly Account[]
  readonly clock: () => Date
  readonly newId: () => string
  readonly onChange?: ((change: Change) => void) | undefined
  /** Where it says a number, records are taken in so much later than they are answered for; `later` is what waits. */
  readonly storedAfterMs?: (request: Request) => number | undefined
  readonly later?: (work: () => void, ms: number) => void
}

/** One list as it was sent: its bytes, its elements, and where each stands in the bytes. */
export type Sent = {
  readonly bytes: Uint8Array
  readonly elements: readonly unknown[]
  readonly spans: readonly Span[]
}

type Meta = Readonly<Record<string, unknown>>
type Outcome = { readonly error?: string; readonly note?: string }
type Arrival = Intake & Publisher & { readonly now: string }

/** Takes a list of records into a dataset and says of each element, in order, what became of it. */
export function publish(publisher: Publisher, type: ResourceType, account: Account, sent: Sent): readonly Result[] {
  const arrival = { ...publisher, type, account, now: publisher.clock().toISOString(), named: new Map() }
  return publisher.store.transaction(() =>
    sent.elements.map((element, index) => {
      const outcome = take(arrival, element, sent, index)
      return { index, successful: outcome.error === undefined, ...outcome }
    }),
  )
}

/** Says what would become of a list and takes it in later, as a service does that works through a queue. */
export function publishLater(
  publisher: Publisher,
  into: { readonly type: ResourceType; readonly account: Account; readonly ms: number },
  sent: Sent,
): readonly Result[] {
  const { type, account, ms } = into
  const results = publisher.store.rehearse(() => publish(publisher, type, account, sent))
  publisher.later?.(() => void publish(publisher, type, account, sent), ms)
  return results
}

function take(arrival: Arrival, element: unknown, sent: Sent, index: number): Outcome {
  if (typeof element !== 'object' || element === null || Array.isArray(element))
    return { error: 'This is not an object with the members of a record.' }
  // Who passes a feed on sends its context and continuation, too: positions count them, nothing comes of them.
  if ('id' in element && (element.id === '@context' || element.id === '@continuation')) return {}
  const wrongDataset = datasetFault(arrival.type, element)
  if (wrongDataset !== undefined) return { error: wrongDataset }
  const body = readSpelling(arrival.type, element)
  const faults = check(arrival.type, body).filter(({ severity, path }) => severity === 'error' && !isSpared(body, path))
  if (faults.length > 0) return { error: sayFaults(faults.map(({ message }) => message)) }
  const candidate = candidateOf(body)
  if (candidate === undefined)
    return { error: 'The record has neither dataPointKey nor meta.sourceId, so it could not be known again.' }
  const text = candidate.isDeletion ? nothing : textOf(body, element, sent, sent.spans[index]!)
  if (text === undefined) return { error: 'The record has the same member more than once.' }
  const settled = settle(arrival, candidate)
  if (typeof settled === 'string') return { error: settled }
  keep(arrival, candidate, settled, { text, meta: metaOf(body) })
  return settled.note === undefined ? {} : { note: settled.note }
}

// The schema wants a source id; a record that is known by its key alone is taken all the same.
function isSpared(body: object, path: string): boolean {
  const meta: unknown = metaOf(body)
  return (
    path === '/meta/sourceId' &&
    typeof meta === 'object' &&
    ((meta as Meta | null)?.['sourceId'] ?? undefined) === undefined
  )
}

function datasetFault(type: ResourceType, element: object): string | undefined {
  const named: unknown = 'resourceType' in element ? element.resourceType : undefined
  if (named === type.name || typeof named !== 'string') return undefined
  const found = findResourceType(named)
  if (found === type) return undefined
  if (found?.dataset !== undefined)
    return `resourceType is ${quoted(named)}, which belongs in the dataset ${found.dataset}.`
  return `resourceType is ${quoted(named)}; the dataset ${type.dataset} takes ${type.name}.`
}

function sayFaults(messages: readonly string[]): string {
  const said = messages.slice(0, 3).join(' ')
  return messages.length > 3 ? `${said} And ${messages.length - 3} more.` : said
}

function metaOf(body: object): Meta {
  return (body as { readonly meta: Meta }).meta
}

function candidateOf(body: object): Candidate | undefined {
  const { dataPointKey, identifiers } = body as { readonly dataPointKey?: unknown; readonly identifiers?: unknown }
  const [first] = sourceIds(metaOf(body))
  const source = first === undefined ? undefined : JSON.stringify([first.scheme, first.id])
  const key = keyOf(dataPointKey, source)
  if (key === undefined) return undefined
  return {
    key,
    source,
    identifiers: Array.isArray(identifiers) ? (identifiers as readonly Identifier[]) : [],
    isDeletion: metaOf(body)['isDeleted'] === true,
  }
}

// What the service gives or writes in its own way; all else is kept as it was sent.
const ownMembers: ReadonlySet<string> = new Set(['id', 'self', '@self', 'resourceType', 'dataPointKey', 'meta'])
const nothing = new Uint8Array(0)

function textOf(body: object, element: object, sent: Sent, span: Span): Uint8Array | undefined {
  const isAsSent = body === element
  const bytes = isAsSent ? sent.bytes : Buffer.from(JSON.stringify(body))
  const members = memberSpans(bytes, isAsSent ? span : { start: 0, end: bytes.length })
  // JSON.parse saw the last of two members of one name, other readers may see the first: nobody checked that one.
  return members.length === Object.keys(body).length ? textWithout(bytes, members, ownMembers) : undefined
}

function keep(arrival: Arrival, candidate: Candidate, settled: Settled, sent: { text: Uint8Array; meta: Meta }): void {
  const { existing } = settled
  const { records, store, type, now } = arrival
  const given = sent.meta['created']
  const created = existing?.created ?? (typeof given === 'string' ? given : now)
  const sourceId = [sent.meta['sourceId'] ?? []].flat()
  const kept = {
    // Without a key of its own a record keeps the key that it is known by.
    key: existing !== undefined && candidate.key.startsWith('~') ? existing.key : candidate.key,
    source: candidate.source ?? null,
    deleted: candidate.isDeletion ? 1 : 0,
    meta: JSON.stringify({ ...sent.meta, sourceId, created, isDeleted: candidate.isDeletion }),
    body: sent.text,
  }
  if (existing !== undefined) {
    if (isUnchanged(existing, kept)) return
    const { number, holding } = existing
    const replaced = { ...existing, ...kept, changed: store.nextSequence() }
    records.replace(replaced)
    tellReplaced(arrival, existing, replaced)
    if (number === holding && !candidate.isDeletion) nameHolding(arrival, number, candidate.identifiers)
    return
  }
  const number = records.nextNumber()
  const holding = settled.holding ?? number
  const place = { number, id: arrival.newId(), dataset: type.dataset!, holding, changed: store.nextSequence(), created }
  records.insert({ ...place, ...kept })
  if (number === holding) {
    records.connect(arrival.account.number, number, { origin: 'published', at: now })
    if (!candidate.isDeletion) nameHolding(arrival, number, candidate.identifiers)
  }
  // A new holding is told of when it is connected: before that, nobody may hear of it.
  if (!candidate.isDeletion) arrival.onChange?.({ kind: 'create', type, record: { ...place, ...kept } })
}

function tellReplaced({ onChange, type }: Arrival, before: StoredRecord, record: StoredRecord): void {
  if (record.deleted === 0) onChange?.({ kind: before.deleted === 0 ? 'update' : 'create', type, record, before })
  else if (before.deleted === 0) onChange?.({ kind: 'delete', type, record: { ...record, body: before.body }, before })
}

type Kept = Pick<StoredRecord, 'key' | 'source' | 'deleted' | 'meta' | 'body'>

function isUnchanged(existing: StoredRecord, kept: Kept): boolean {
  if (existing.key !== kept.key || existing.source !== kept.source || existing.deleted !== kept.deleted) return false
  const isSameMeta = existing.meta === kept.meta || isSameJson(JSON.parse(existing.meta), JSON.parse(kept.meta))
  if (!isSameMeta) return false
  return Buffer.compare(existing.body, kept.body) === 0 || isSameJson(parsed(existing.body), parsed(kept.body))
}

function parsed(body: Uint8Array): unknown {
  return JSON.parse(`{${Buffer.from(body.buffer, body.byteOffset, body.length).toString()}}`)
}

function nameHolding(arrival: Arrival, holding: number, identifiers: readonly Identifier[]): void {
  const { records, accounts, now } = arrival
  records.setIdentifiers(holding, identifiers)
  for (const { number } of accountsNaming(accounts, identifiers))
    records.connect(number, holding, { origin: 'configured', at: now })
}
