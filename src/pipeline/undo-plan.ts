/** Finds out what undoing a run would do to each record that it changed. Sends nothing. */

import { contentHashOfBody, deletionHash, nameOf, readBody, type Body, sameInstant } from '../ledger/content.ts'
import { isLive, type Ledger, type LedgerRecord } from '../ledger/ledger.ts'
import { lastSenders, type KeptRun } from './report/run-folder.ts'
import { composeTombstone } from './stage/compose.ts'
import type { Receipt, Stage, StagedRecord } from './stage/stage-store.ts'

/** What is sent to undo the change of a record. */
export type Remedy = Pick<StagedRecord, 'hash' | 'modified' | 'sourceScheme' | 'sourceId'> & {
  readonly kind: 'put-back' | 'delete' | 'restore'
  readonly body: string
}

/** One record that the run changed; `known` is the record as the ledger has it now. */
export type UndoStep = {
  readonly key: string
  readonly known: LedgerRecord | undefined
  readonly name: string | undefined
  readonly outcome: Remedy | { readonly kind: 'as-before' } | { readonly kind: 'left-alone'; readonly reason: string }
}

export const undoKinds = ['put-back', 'delete', 'restore', 'as-before', 'left-alone'] as const
export type UndoKind = (typeof undoKinds)[number]

type Sent = Pick<StagedRecord, 'id' | 'key' | 'action' | 'hash' | 'base' | 'sourceScheme' | 'sourceId' | 'modified'> & {
  readonly before: string | null
  readonly receipt: Receipt['state'] | null
}

const sentRecords = `SELECT records.id, key, action, hash, base, source_scheme AS sourceScheme, source_id AS sourceId, modified, before,
    receipts.state AS receipt
  FROM records LEFT JOIN receipts ON receipts.record = records.id
  WHERE action IN ('create', 'update', 'delete') AND (receipts.state IS NULL OR receipts.state = 'accepted') AND records.id > ?
  ORDER BY records.id LIMIT 500`

/** The records that a run changed, in pages, each with what undoing it would do. `later` are the runs after it. */
export function* undoSteps(
  undone: Stage,
  ledger: Ledger,
  { later, now }: { readonly later: readonly KeptRun[]; readonly now: string },
): Generator<readonly UndoStep[]> {
  let senders: ReadonlyMap<string, KeptRun> | undefined
  const senderOf = (key: string): KeptRun | undefined => (senders ??= lastSenders(later)).get(key)
  for (const found of undone.pages<Sent>(sentRecords))
    yield ledger.whileReading(() =>
      found.flatMap((sent) => stepFor(sent, ledger.find(sent.key), { senderOf, now }) ?? []),
    )
}

type Around = { readonly senderOf: (key: string) => KeptRun | undefined; readonly now: string }

function stepFor(sent: Sent, known: LedgerRecord | undefined, { senderOf, now }: Around): UndoStep | undefined {
  const { key, action, before, receipt } = sent
  // The run only repeated a deletion that an earlier run sent.
  if (action === 'delete' && sent.base === deletionHash) return undefined
  const wasAbsent = action === 'create' || sent.base === deletionHash
  const earlier = wasAbsent || before === null ? undefined : putBack(readBody(before), sent, now)
  const name = nameIn(known?.body) ?? nameIn(before ?? undefined)
  const step = (outcome: UndoStep['outcome']): UndoStep => ({ key, known, name, outcome })
  if (isAsBefore(known, wasAbsent, earlier)) return step({ kind: 'as-before' })
  if (!isUndoUnseen(known, wasAbsent, earlier) && !isStillOfRun(sent, known, senderOf))
    return receipt === null ? undefined : step({ kind: 'left-alone', reason: whatHappened(known, senderOf(key)) })
  if (wasAbsent) return step(deletion(known!, sent, now))
  if (earlier === undefined) return step({ kind: 'left-alone', reason: 'the run did not keep its earlier content' })
  return step({ kind: isThere(known) ? 'put-back' : 'restore', ...earlier })
}

function isThere(known: LedgerRecord | undefined): known is LedgerRecord {
  return isLive(known) && known.state !== 'deleting' && known.state !== 'missing'
}

type Earlier = Pick<Remedy, 'hash'> | undefined

function isAsBefore(known: LedgerRecord | undefined, wasAbsent: boolean, earlier: Earlier): boolean {
  if (wasAbsent) return !isLive(known) || known.state === 'missing'
  return known?.state === 'confirmed' && !known.inDoubt && known.hash === earlier?.hash
}

/** What an earlier undo sent is sent again if the service does not show it. */
function isUndoUnseen(known: LedgerRecord | undefined, wasAbsent: boolean, earlier: Earlier): boolean {
  if (wasAbsent) return known?.state === 'deleting'
  return known?.state === 'accepted' && known.hash === earlier?.hash
}

function isStillOfRun(sent: Sent, known: LedgerRecord | undefined, senderOf: Around['senderOf']): boolean {
  // The ledger forgets old deletions.
  if (known === undefined) return sent.action === 'delete' && senderOf(sent.key) === undefined
  const isSameTime = sameInstant(known.modified, sent.modified)
  if (sent.action === 'delete') {
    const isGone = known.state === 'deleted' || known.state === 'deleting'
    return isGone && (isSameTime || senderOf(sent.key)?.undoes !== undefined)
  }
  // The service may spell the content of a post without an answer otherwise; its time is ours.
  return isThere(known) && (known.hash === sent.hash || (sent.receipt === null && isSameTime))
}

function whatHappened(known: LedgerRecord | undefined, sender: KeptRun | undefined): string {
  const by = sender === undefined ? '' : ` by the run ${sender.id}`
  return isThere(known) ? `changed since${by}` : `deleted since${by}`
}

/** The earlier body as it is sent: without the members that a service adds, with the time of now. */
function putBack(before: Body, sent: Sent, modified: string): Omit<Remedy, 'kind'> {
  const { id: _, self: __, '@self': ___, ...record } = before
  const { isDeleted: ____, ...meta } = (record['meta'] ?? {}) as Body
  const body = { ...record, dataPointKey: sent.key, meta: { ...meta, modified } }
  return { body: JSON.stringify(body), hash: contentHashOfBody(body), modified, ...sourceIn(meta, sent) }
}

function deletion(known: LedgerRecord, sent: Sent, now: string): Remedy {
  // A repeated deletion must have the same bytes.
  const modified = (known.state === 'deleting' ? known.modified : null) ?? now
  const { key: dataPointKey, sourceScheme, sourceId } = sent
  const tombstone = composeTombstone({ ...readBody(known.body), dataPointKey }, modified)
  return { kind: 'delete', modified, sourceScheme, sourceId, ...tombstone }
}

/** A run may have changed the source id of a record that it found otherwise. */
function sourceIn({ sourceId }: Body, sent: Sent): Pick<Sent, 'sourceScheme' | 'sourceId'> {
  const { scheme, id } = (sourceId ?? {}) as { readonly scheme?: unknown; readonly id?: unknown }
  const isNamed = typeof scheme === 'string' && typeof id === 'string'
  return isNamed ? { sourceScheme: scheme, sourceId: id } : { sourceScheme: sent.sourceScheme, sourceId: sent.sourceId }
}

function nameIn(body: string | undefined): string | undefined {
  return body === undefined ? undefined : nameOf(readBody(body))
}
