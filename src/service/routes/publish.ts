/** Stores published records: checks each, finds its stored version and its holding, and writes what has changed. */

import { isObject } from '../../core/values/exact-json.ts'
import { findResourceType } from '../../resources/index.ts'
import type { Identifier, ResourceType } from '../../resources/resource-type.ts'
import { readSpelling, sourceIds } from '../../resources/spellings.ts'
import { check } from '../../resources/validation.ts'
import type { Account } from '../store/accounts.ts'
import { memberSpans, textWithout, type Element, type Span } from '../store/json-spans.ts'
import { quoted } from '../http/query.ts'
import type { Records, StoredRecord } from '../store/records.ts'
import { accountsNaming, keyOf, settle, type Candidate, type Intake, type Settled } from '../features/known-records.ts'
import type { Store } from '../store/store.ts'
import { inSlices, nextTurn } from '../http/share-thread.ts'

/** The outcome of one element of a list (section 2.9). `note` reports what the sender may not expect. */
export type Result = {
  readonly index: number
  readonly successful: boolean
  readonly error?: string
  readonly note?: string
}

/** A change of a record, which was `before`. A deleted record keeps its last body here. */
export type Change = {
  readonly kind: 'create' | 'update' | 'delete'
  readonly type: ResourceType
  readonly record: StoredRecord
  readonly before?: StoredRecord
}

/** What publishing needs. `onChange` is called for each change within its transaction, `onFault` for the service's own failures. */
export type Publisher = {
  readonly store: Store
  readonly records: Records
  readonly accounts: readonly Account[]
  readonly clock: () => Date
  readonly newId: () => string
  readonly onChange?: ((change: Change) => void) | undefined
  readonly onFault?: ((cause: unknown) => void) | undefined
  /** Where it gives a number, records are stored that much later than they are answered; `later` waits for it. */
  readonly storedAfterMs?: (request: Request) => number | undefined
  readonly later?: (work: () => void, ms: number) => void
}

/** One list as it was sent: its bytes, its elements, and where each is in the bytes. */
export type Sent = {
  readonly bytes: Uint8Array
  readonly elements: readonly unknown[]
  readonly spans: readonly Element[]
}

type Meta = Readonly<Record<string, unknown>>
type Outcome = { readonly error?: string; readonly note?: string }
type Arrival = Intake & Publisher & { readonly now: string }
/** A record that passed the checks: its identity, and the parts that are stored. */
type Checked = { readonly candidate: Candidate; readonly text: Uint8Array; readonly meta: Meta }

/**
 * Stores a list of records in a dataset and reports the outcome of each element, in order. Records are stored in lots, each as a
 * whole or not at all; other requests run between two lots.
 */
export async function publish(
  publisher: Publisher,
  type: ResourceType,
  account: Account,
  sent: Sent,
): Promise<readonly Result[]> {
  const checked = await checkAll(type, sent)
  const now = publisher.clock().toISOString()
  const results: Result[] = []
  while (results.length < checked.length) {
    try {
      const lot = lotFrom(checked, results.length)
      results.push(...storeLot({ ...publisher, type, account, now, named: new Map() }, lot, results.length))
    } catch (cause) {
      // Earlier lots are stored, so the answer has to say which records are not.
      if (results.length === 0) throw cause
      publisher.onFault?.(cause)
      const error = 'The service failed before this record was stored. Send it again.'
      while (results.length < checked.length) results.push({ index: results.length, successful: false, error })
    }
    if (results.length < checked.length) await nextTurn()
  }
  return results
}

const mostAtOnce = 2_500
const mostBytesAtOnce = 8_000_000

/** As many records as can be stored without delaying other requests. */
function lotFrom(checked: readonly (Checked | Outcome)[], from: number): readonly (Checked | Outcome)[] {
  let bytes = 0
  const end = checked.findIndex((each, index) => {
    if (index < from) return false
    bytes += 'text' in each ? each.text.length : 0
    return index - from >= mostAtOnce || (index > from && bytes > mostBytesAtOnce)
  })
  return checked.slice(from, end < 0 ? undefined : end)
}

/** Reports the outcome of a list but stores it later, like a service that works through a queue. */
export async function publishLater(
  publisher: Publisher,
  into: { readonly type: ResourceType; readonly account: Account; readonly ms: number },
  sent: Sent,
): Promise<readonly Result[]> {
  const { type, account, ms } = into
  const checked = await checkAll(type, sent)
  const store = (): readonly Result[] => {
    const now = publisher.clock().toISOString()
    return storeLot({ ...publisher, type, account, now, named: new Map() }, checked, 0)
  }
  const results = publisher.store.rehearse(store)
  publisher.later?.(() => {
    try {
      store()
    } catch (cause) {
      publisher.onFault?.(cause)
    }
  }, ms)
  return results
}

/** Checks everything that does not depend on stored records. */
async function checkAll(type: ResourceType, sent: Sent): Promise<readonly (Checked | Outcome)[]> {
  const turn = inSlices()
  const all: (Checked | Outcome)[] = []
  for (const [index, element] of sent.elements.entries()) {
    all.push(checkOne(type, element, sent, index))
    await turn()
  }
  return all
}

function storeLot(arrival: Arrival, checked: readonly (Checked | Outcome)[], from: number): readonly Result[] {
  return arrival.store.transaction(() =>
    checked.map((each, index) => {
      const outcome = 'candidate' in each ? take(arrival, each) : each
      return { index: from + index, successful: outcome.error === undefined, ...outcome }
    }),
  )
}

function checkOne(type: ResourceType, element: unknown, sent: Sent, index: number): Checked | Outcome {
  if (!isObject(element)) return { error: 'This is not a record: send an object { ... }.' }
  // A caller that forwards a feed also sends its context and continuation: they have a position but are not stored.
  if ('id' in element && (element.id === '@context' || element.id === '@continuation')) return {}
  const wrongDataset = datasetFault(type, element)
  if (wrongDataset !== undefined) return { error: wrongDataset }
  const span = sent.spans[index]!
  const ambiguous = ambiguity(element, span.members)
  if (ambiguous !== undefined) return { error: ambiguous }
  const body = readSpelling(type, element)
  const faults = check(type, body).filter(({ severity, path }) => severity === 'error' && !isSpared(body, path))
  if (faults.length > 0) return { error: faultsText(faults.map(({ message }) => message)) }
  const candidate = candidateOf(body)
  if (candidate === undefined)
    return {
      error:
        'The record has neither dataPointKey nor meta.sourceId, so it could not be recognised next time. Add one of them.',
    }
  const text = candidate.isDeletion ? nothing : textOf(body, element, sent, span)
  return { candidate, text, meta: metaOf(body) }
}

function take(arrival: Arrival, checked: Checked): Outcome {
  const settled = settle(arrival, checked.candidate)
  if (typeof settled === 'string') return { error: settled }
  keep(arrival, settled, checked)
  return settled.note === undefined ? {} : { note: settled.note }
}

// The schema requires a source id, but a record with a dataPointKey is accepted without one.
function isSpared(body: object, path: string): boolean {
  return path === '/meta/sourceId' && (metaOf(body)['sourceId'] ?? undefined) === undefined
}

function datasetFault(type: ResourceType, element: object): string | undefined {
  const named: unknown = 'resourceType' in element ? element.resourceType : undefined
  if (named === type.name || typeof named !== 'string') return undefined
  const found = findResourceType(named)
  if (found === type) return undefined
  if (found?.dataset !== undefined)
    return `resourceType is ${quoted(named)}. Send this record to the dataset ${found.dataset}.`
  return `resourceType is ${quoted(named)}; in the dataset ${type.dataset} it must be ${type.name}.`
}

function faultsText(messages: readonly string[]): string {
  const first = messages.slice(0, 3).join(' ')
  return messages.length > 3 ? `${first} And ${messages.length - 3} more problems.` : first
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

// The service writes these members itself; it keeps all others as they were sent.
const ownMembers: ReadonlySet<string> = new Set(['id', 'self', '@self', 'resourceType', 'dataPointKey', 'meta'])
const nothing = new Uint8Array(0)

function textOf(body: object, element: object, sent: Sent, span: Span): Uint8Array {
  const isAsSent = body === element
  const bytes = isAsSent ? sent.bytes : Buffer.from(JSON.stringify(body))
  return textWithout(bytes, memberSpans(bytes, isAsSent ? span : { start: 0, end: bytes.length }), ownMembers)
}

function keep(arrival: Arrival, settled: Settled, { candidate, text, meta }: Checked): void {
  const { existing } = settled
  const { records, store, type, now } = arrival
  const given = meta['created']
  const created = existing?.created ?? (typeof given === 'string' ? given : now)
  const sourceId = [meta['sourceId'] ?? []].flat()
  const kept = {
    // A record that comes without a dataPointKey keeps its stored key.
    key: existing !== undefined && candidate.key.startsWith('~') ? existing.key : candidate.key,
    source: candidate.source ?? null,
    deleted: candidate.isDeletion ? 1 : 0,
    meta: JSON.stringify({ ...meta, sourceId, created, isDeleted: candidate.isDeletion }),
    body: text,
  }
  if (existing !== undefined) {
    if (isUnchanged(existing, kept)) return
    const { number, holding } = existing
    const replaced = { ...existing, ...kept, changed: store.nextSequence() }
    records.replace(replaced)
    reportReplaced(arrival, existing, replaced)
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
  // Only now: before a new holding is connected, nobody may receive its event.
  if (!candidate.isDeletion) arrival.onChange?.({ kind: 'create', type, record: { ...place, ...kept } })
}

function reportReplaced({ onChange, type }: Arrival, before: StoredRecord, record: StoredRecord): void {
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

/**
 * Describes what JSON readers do not agree on (RFC 7493): a member given twice, or a text that not all of them can keep. `members`
 * is the number of members in the text that the value was parsed from.
 */
function ambiguity(value: unknown, members: number): string | undefined {
  const found: Found = { members: 0, text: undefined }
  look(value, '', found)
  if (found.text !== undefined)
    return `${quoted(found.text)} contains U+0000 or half of a surrogate pair, which many programs cannot read. Remove that character.`
  // JSON.parse keeps the last of two members with one name, other readers the first, which nobody checked.
  return found.members === members ? undefined : 'The record has the same member more than once. Keep one of them.'
}

type Found = { members: number; text: string | undefined }

function look(value: unknown, name: string, found: Found): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed() || value.includes('\0')) found.text ??= name
  } else if (Array.isArray(value)) {
    for (const each of value) if (typeof each !== 'number') look(each, name, found)
  } else if (typeof value === 'object' && value !== null)
    for (const [member, each] of Object.entries(value)) {
      found.members += 1
      look(member, member, found)
      look(each, member, found)
    }
}

/** True when both values are equal; the order of members does not matter, the order of list entries does. */
function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) || Array.isArray(other))
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((each, index) => isSameJson(each, other[index]))
    )
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every(
      (name) =>
        Object.hasOwn(other, name) &&
        isSameJson((one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name]),
    )
  )
}
