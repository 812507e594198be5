/**
 * Sends a complete stage to the service in batches, a few at a time, and writes each answer into the stage. If it is stopped,
 * the next call continues where it ended.
 */

import { inParallel } from '../core/in-parallel.ts'
import { batchesAtOnce, recordsPerBatch } from '../client/streaming.ts'
import { WindrowError } from '../core/error.ts'
import { plural } from '../core/values/plural.ts'
import { deletionHash, sameInstant } from '../ledger/content.ts'
import { isLive, type Acceptance, type Ledger } from '../ledger/ledger.ts'
import type { Intent, Post } from '../ledger/posts.ts'
import { sameKeys, type Receipt, type Stage, type StagedRecord } from './stage/stage-store.ts'
import type { Course } from './report/course.ts'
import { readFeed } from './send/feed.ts'
import { datasetOf } from './stage/import-job.ts'

const bytesPerBatch = 4 << 20

type Bodied = StagedRecord & { readonly body: Uint8Array }

/** Sends all records without an answer to this address. */
export async function sendStage(course: Course, updates: string): Promise<void> {
  const { signal, onProgress } = course.options
  let sent = 0
  await inParallel(batchesToSend(course), batchesAtOnce, async (batch) => {
    signal?.throwIfAborted()
    await sendBatch(batch, course, updates)
    sent += batch.size
    onProgress?.('sent', sent)
  })
}

type Batch = {
  readonly size: number
  readonly sent: readonly Fresh[]
  readonly post: Post | undefined
}

function* batchesToSend(course: Course): Generator<Batch> {
  const { prepared, options, ledger, stage } = course
  const limits = { items: options.recordsPerBatch ?? recordsPerBatch, bytes: bytesPerBatch }
  for (const batch of stage.unanswered(limits)) {
    const { fresh, settled } = sortByFreshness(batch, course)
    if (settled.length > 0) stage.addReceipts(settled)
    const post = fresh.length === 0 ? undefined : ledger.markSent(prepared.job.name, fresh)
    yield { size: batch.length, sent: fresh, post }
  }
}

async function sendBatch({ sent, post }: Batch, course: Course, updates: string): Promise<void> {
  if (sent.length === 0) return
  const bodies = sent.map(({ body }) => body)
  const { prepared, options, ledger, stage, posting } = course
  // A run that is killed before the first answer may have changed something, too.
  if (!posting.hasBegun) stage.remember('posted', true)
  posting.hasBegun = true
  const { client } = options.connection!
  for await (const { first, items } of client.publishHalving(updates, bodies, options.signal)) {
    const receipts: Receipt[] = []
    const accepted: Acceptance[] = []
    const refused: string[] = []
    for (const [index, outcome] of items.entries()) {
      const record = sent[first + index]!
      if (outcome.state === 'accepted') {
        accepted.push(record)
        receipts.push({ record: record.id, state: 'accepted' })
      } else if (outcome.state === 'refused') {
        receipts.push({ record: record.id, state: 'refused', error: outcome.error })
        refused.push(record.key)
      }
    }
    try {
      // The ledger first: after a crash between the two, the next run finds the record with this content.
      ledger.accept(prepared.job.name, accepted, post)
      if (refused.length > 0) ledger.release(refused, post)
      stage.addReceipts(receipts)
    } catch (cause) {
      posting.unkept.push(...receipts)
      throw cause
    }
  }
}

type Fresh = Bodied & Acceptance & Intent

/** A record that was changed since it was planned is not overwritten; one that was already sent is not sent twice. */
function sortByFreshness(batch: readonly Bodied[], { prepared: { job }, ledger }: Course) {
  const fresh: Fresh[] = []
  const settled: Receipt[] = []
  const ours: string[] = []
  const dataset = datasetOf(job)
  ledger.whileReading(() => {
    ledger.foresee(dataset, () => batch)
    for (const record of batch) {
      const known = ledger.stateOf(record.key)
      const current = isLive(known) ? known.hash : null
      const deleted = record.action === 'delete'
      if (current === record.base) fresh.push(Object.assign(record, { dataset, deleted, isNew: known === undefined }))
      else if (known !== undefined && sameInstant(known.modified, record.modified)) {
        ours.push(record.key)
        settled.push({ record: record.id, state: 'accepted' })
      } else settled.push({ record: record.id, state: 'stale' })
    }
  })
  if (ours.length > 0) ledger.claim(job.name, ours)
  return { fresh, settled }
}

/** Waits until the changes feed shows the accepted records, as long as the run may. Returns the keys it does not show. */
export async function confirmStage({ prepared: { job }, options, ledger, stage }: Course): Promise<readonly string[]> {
  const { connection, confirmWithinMs, clock, sleep, signal } = options
  const dataset = datasetOf(job)
  const end = clock().getTime() + confirmWithinMs
  const isUnseen = (key: string): boolean => {
    const known = ledger.stateOf(key)
    return known === undefined || known.inDoubt || known.state === 'accepted' || known.state === 'deleting'
  }
  let unseen: string[] | undefined
  for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, 2_000)) {
    await readFeed(connection!.client, ledger, dataset, signal)
    const asked: Iterable<readonly string[]> =
      unseen === undefined ? stage.keysWhere(`receipts.state = 'accepted'`) : [unseen]
    unseen = []
    for (const keys of asked) {
      const found = ledger.whileReading(() => {
        ledger.foresee(dataset, () => keys.map((key) => ({ key })))
        return keys.filter(isUnseen)
      })
      unseen = unseen.concat(found)
    }
    if (unseen.length === 0 || clock().getTime() + pauseMs > end) return unseen
    await sleep(pauseMs)
  }
}

/** Whether the service has a record otherwise than this stage found or sent it, because somebody changed it before the stage was continued. */
export function hasDrifted({ prepared: { job }, ledger, stage }: Course): boolean {
  for (const records of stage.pages<Pick<StagedRecord, 'id' | 'key' | 'hash'>>(foundOrSent)) {
    const isOther = ledger.whileReading(() => {
      ledger.foresee(datasetOf(job), () => records)
      return records.some(({ key, hash }) => {
        const known = ledger.stateOf(key)
        return known?.state === 'missing' || (known?.hash ?? deletionHash) !== hash
      })
    })
    if (isOther) return true
  }
  const known = ledger.sourceRows.keysOf(job.name)
  return stage.query<{ key: string }>(sameKeys).some(({ key }) => !known.has(key))
}

const foundOrSent = `SELECT records.id, key, CASE WHEN action IN ('unchanged', 'keep') THEN base ELSE hash END AS hash
  FROM records LEFT JOIN receipts ON receipts.record = records.id
  WHERE (action IN ('unchanged', 'keep') OR receipts.state = 'accepted' AND hash <> '') AND records.id > ?
  ORDER BY records.id LIMIT 5000`

/**
 * Gives records to the pipelines that own them after the run; those that were not sent stay with theirs. A pipeline that had
 * records of `pipeline` before shares them from now on.
 */
export function settleOwners(stage: Stage, ledger: Ledger, pipeline: string): void {
  const owners = stage.query<{ key: string; before: string | null; after: string | null }>(
    `SELECT key, before, after FROM owners WHERE key NOT IN (SELECT key FROM records LEFT JOIN receipts ON receipts.record = records.id
       WHERE action IN ('create', 'update', 'delete') AND receipts.state IS NOT 'accepted')`,
  )
  const keysOf = (its: typeof owners): readonly string[] => its.map(({ key }) => key)
  for (const [owner, its] of Map.groupBy(owners, ({ after }) => after)) ledger.claim(owner, keysOf(its))
  const taken = owners.filter(({ before, after }) => after === pipeline && before !== null && before !== after)
  for (const [owner, its] of Map.groupBy(taken, ({ before }) => before!)) ledger.shared.add(owner, keysOf(its))
}

/** Throws 'service-confused' if a record has no answer. */
export function assertAnswered(stage: Stage): void {
  const [left] = stage.query<{ n: number }>(
    `SELECT count(*) AS n FROM records WHERE action IN ('create', 'update', 'delete') AND id NOT IN (SELECT record FROM receipts)`,
  )
  const count = left!.n
  if (count > 0)
    throw new WindrowError('service-confused', `The service gave no answer for ${plural(count, 'record')}.`, {
      hint: 'Run it again: only the records without an answer are sent again.',
    })
}
