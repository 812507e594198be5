/** Stores published records: checks each, finds its stored version and its holding, and writes what has changed. */

import { isDeepStrictEqual } from 'node:util'
import { isObject, type Members } from '../../core/values/exact-json.ts'
import { findResourceType } from '../../resources/index.ts'
import type { Identifier, ResourceType } from '../../resources/resource-type.ts'
import { readSpelling, sourceIds } from '../../resources/spellings.ts'
import { check } from '../../resources/validation.ts'
import type { Account } from '../store/accounts.ts'
import { boxAround } from '../features/find-by-box.ts'
import { quoted, readMoment } from '../http/query.ts'
import { Refusal } from '../http/responses.ts'
import type { Content, Records, StoredRecord } from '../store/records.ts'
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

/** A change of a record. A deleted one keeps its last body here. */
export type Change = {
  readonly kind: 'create' | 'update' | 'delete'
  readonly type: ResourceType
  readonly record: StoredRecord
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
  /** True for a request whose outcome is reported, but whose records are not stored. */
  readonly isRehearsal?: ((request: Request) => boolean) | undefined
}

type Outcome = { readonly error?: string; readonly note?: string }
type Arrival = Intake & Publisher & { readonly now: string }
/** A record that passed the checks: its identity, and what is stored of it. */
type Checked = { readonly candidate: Candidate; readonly meta: Members; readonly content: Omit<Content, 'meta'> }

/** A list, and where it goes. A rehearsal stores nothing. */
export type Delivery = {
  readonly type: ResourceType
  readonly account: Account
  readonly list: readonly unknown[]
  readonly isRehearsal: boolean
}

/**
 * Stores a list of records in a dataset and reports the outcome of each, in order. Records are stored in lots, each as a whole or
 * not at all; other requests run between two lots.
 */
export async function publish(publisher: Publisher, delivery: Delivery): Promise<readonly Result[]> {
  const { type, account, list, isRehearsal } = delivery
  const { store } = publisher
  const checked = await checkAll(type, list)
  const now = publisher.clock().toISOString()
  const results: Result[] = []
  while (results.length < checked.length) {
    try {
      const lot = lotFrom(checked, results.length)
      const arrival = {
        ...publisher,
        type,
        account,
        now,
        named: new Map(),
        ...(isRehearsal && { onChange: undefined }),
      }
      const within = isRehearsal ? store.rehearse : store.transaction
      for (const outcome of within(() => lot.map((each) => ('candidate' in each ? take(arrival, each) : each))))
        results.push({ index: results.length, successful: outcome.error === undefined, ...outcome })
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
const mostCharactersAtOnce = 8_000_000

/** As many records as can be stored without delaying other requests. */
function lotFrom(checked: readonly (Checked | Outcome)[], from: number): readonly (Checked | Outcome)[] {
  let characters = 0
  const end = checked.findIndex((each, index) => {
    if (index < from) return false
    characters += 'content' in each ? each.content.body.length : 0
    return index - from >= mostAtOnce || (index > from && characters > mostCharactersAtOnce)
  })
  return checked.slice(from, end < 0 ? undefined : end)
}

/** Checks everything that does not depend on stored records. */
async function checkAll(type: ResourceType, list: readonly unknown[]): Promise<readonly (Checked | Outcome)[]> {
  const turn = inSlices()
  const all: (Checked | Outcome)[] = []
  for (const element of list) {
    all.push(checkOne(type, element))
    await turn()
  }
  return all
}

function checkOne(type: ResourceType, element: unknown): Checked | Outcome {
  const unreadable = unreadableMember(element)
  if (!isObject(element)) return { error: 'This is not a record: send an object { ... }.' }
  // A caller that forwards a feed also sends its context and continuation: they have a position but are not stored.
  if (element['id'] === '@context' || element['id'] === '@continuation') return {}
  const wrongDataset = datasetFault(type, element)
  if (wrongDataset !== undefined) return { error: wrongDataset }
  if (unreadable !== undefined)
    return {
      error: `${quoted(unreadable)} contains U+0000 or half of a surrogate pair, which many programs cannot read. Remove that character.`,
    }
  const body = readSpelling(type, element) as Members
  const faults = check(type, body).filter(({ severity, path }) => severity === 'error' && !isSpared(body, path))
  if (faults.length > 0) return { error: faultsText(faults.map(({ message }) => message)) }
  const candidate = candidateOf(body)
  if (candidate === undefined)
    return {
      error:
        'The record has neither dataPointKey nor meta.sourceId, so it could not be recognised next time. Add one of them.',
    }
  return { candidate, meta: metaOf(body), content: contentOf(candidate.isDeletion ? { meta: metaOf(body) } : body) }
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

function metaOf(body: object): Members {
  return (body as { readonly meta: Members }).meta
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

// The service writes these members itself, or keeps them apart.
const notInBody: ReadonlySet<string> = new Set(['id', 'self', '@self', 'resourceType', 'dataPointKey', 'meta', 'links'])

function contentOf(body: Members): Checked['content'] {
  const { links, spatialFeature, meta } = body
  const { west = null, south = null, east = null, north = null } = boxAround(body) ?? {}
  const geometry = isObject(spatialFeature) && isObject(spatialFeature['geometry']) ? spatialFeature['geometry'] : null
  const { validFrom, validTo } = meta as Members
  return {
    body: JSON.stringify(Object.fromEntries(Object.entries(body).filter(([name]) => !notInBody.has(name)))),
    links: Array.isArray(links) ? JSON.stringify(links) : null,
    geometry: geometry && JSON.stringify(geometry),
    west,
    south,
    east,
    north,
    validFrom: momentOf(validFrom),
    validTo: momentOf(validTo),
  }
}

/** The milliseconds of a date and time, null without one. */
export function momentOf(value: unknown): number | null {
  return typeof value === 'string' ? (readMoment(value, 'first') ?? null) : null
}

function keep(arrival: Arrival, settled: Settled, { candidate, content, meta }: Checked): void {
  const { existing } = settled
  const { records, store, type, now, onChange } = arrival
  const given = meta['created']
  const created = existing?.created ?? (typeof given === 'string' ? given : now)
  const sourceId = [meta['sourceId'] ?? []].flat()
  const kept = {
    // A record that comes without a dataPointKey keeps its stored key.
    key: existing !== undefined && candidate.key.startsWith('~') ? existing.key : candidate.key,
    source: candidate.source ?? null,
    deleted: candidate.isDeletion ? 1 : 0,
    meta: JSON.stringify({ ...meta, sourceId, created, isDeleted: candidate.isDeletion }),
    ...content,
  }
  if (existing !== undefined && isUnchanged(existing, kept)) return
  const changed = store.nextSequence()
  const located = content.geometry === null ? null : (existing?.located ?? changed)
  const number = existing?.number ?? records.nextNumber()
  const holding = existing?.holding ?? settled.holding ?? number
  const id = existing?.id ?? arrival.newId()
  const record = { ...kept, number, id, dataset: type.dataset!, holding, created, changed, located }
  records.write(record)
  if (number === holding) {
    if (existing === undefined) records.connect(arrival.account.number, number, { origin: 'published', at: now })
    if (!candidate.isDeletion) nameHolding(arrival, number, candidate.identifiers)
  }
  // Only now: before a new holding is connected, nobody may receive its event.
  const was = existing?.deleted === 0 ? existing : undefined
  if (!candidate.isDeletion) onChange?.({ kind: was === undefined ? 'create' : 'update', type, record })
  else if (was !== undefined)
    onChange?.({ kind: 'delete', type, record: { ...record, body: was.body, links: was.links } })
}

type Kept = Pick<StoredRecord, 'key' | 'source' | 'deleted' | 'meta' | 'links' | 'body'>

/** The order of members does not matter. */
function isUnchanged(existing: Kept, kept: Kept): boolean {
  const { key, source, deleted, meta, links, body } = existing
  return (
    key === kept.key &&
    source === kept.source &&
    deleted === kept.deleted &&
    isSameJson(links ?? '[]', kept.links ?? '[]') &&
    isSameJson(meta, kept.meta) &&
    isSameJson(body, kept.body)
  )
}

function isSameJson(one: string, other: string): boolean {
  return one === other || isDeepStrictEqual(JSON.parse(one), JSON.parse(other))
}

function nameHolding(arrival: Arrival, holding: number, identifiers: readonly Identifier[]): void {
  const { records, accounts, now } = arrival
  records.setIdentifiers(holding, identifiers)
  for (const { number } of accountsNaming(accounts, identifiers))
    records.connect(number, holding, { origin: 'configured', at: now })
}

// A record nests about a dozen levels.
const deepest = 64

/** The name of the first member with U+0000 or half of a surrogate pair. Refuses a list that nests too deeply. */
function unreadableMember(value: unknown, name = '', depth = 1): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0') ? undefined : name
  if (typeof value !== 'object' || value === null) return undefined
  if (depth === deepest)
    throw new Refusal(400, `The body nests more than ${deepest} levels deep; no record needs that.`)
  if (Array.isArray(value)) {
    for (const each of value) {
      const found = typeof each === 'number' ? undefined : unreadableMember(each, name, depth + 1)
      if (found !== undefined) return found
    }
    return undefined
  }
  for (const [member, each] of Object.entries(value)) {
    const found = unreadableMember(member, member) ?? unreadableMember(each, member, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}
