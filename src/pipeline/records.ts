/**
 * Makes records of the rows of a file without a run, for programs that write or send them themselves. It knows neither other
 * rows nor the service's records: no fields are carried over, and repeated keys are not found.
 */

import { TextBytes } from '../core/shapes/text-bytes.ts'
import { WindrowError } from '../core/error.ts'
import { refuseUnknown } from '../core/values/nearest.ts'
import { hasError, type Problem } from '../core/problem.ts'
import type { Place } from '../core/row.ts'
import { ownedFields } from './stage/carry-over.ts'
import { identify } from './stage/compose.ts'
import type { PreparedImport } from './report/course.ts'
import { boundedBatches, draftRow, type Drafted } from './stage/draft-row.ts'
import { composeDraft, findingsOf, withRecordName } from './stage/settle-row.ts'

/** The outcome of a row. `body` is JSON as UTF-8, present if the row is ready. */
export type RowRecord = {
  readonly at: Place
  readonly outcome: 'ready' | 'rejected' | 'skipped'
  readonly key?: string
  readonly body?: Uint8Array
  readonly problems: readonly Problem[]
}

const firstBytes = 1 << 16

/** Makes the records of a prepared import with the checks of a run, in batches and in the order of the file. */
export async function* recordsOf(
  { job }: Pick<PreparedImport, 'job'>,
  options: { readonly now: string; readonly signal?: AbortSignal },
): AsyncGenerator<readonly RowRecord[]> {
  refuseUnknown('recordsOf', options, { now: true, signal: true })
  const { now, signal } = options
  if (job.rows === 'group')
    throw new WindrowError('option-invalid', 'Only a run can group rows (rows: group).', {
      hint: 'Call importPipeline with dryRun, and read ready.ndjson in the folder of the run.',
    })
  const settling = { job, owned: ownedFields(job.mapping), context: { now } }
  const recordOf = (at: Place, drafted: Drafted, out: TextBytes): RowRecord => {
    if (drafted.kind === 'skipped') return { at, outcome: 'skipped', problems: [drafted.reason, ...drafted.problems] }
    if (drafted.kind === 'unreadable') return { at, outcome: 'rejected', problems: drafted.problems }
    const { mapped } = drafted
    const { holding, sourceId, sources } = mapped
    if (holding === undefined || sourceId === undefined || hasError(mapped.problems))
      return { at, outcome: 'rejected', problems: withRecordName(mapped) }
    const identity = identify(job, { holding, id: sourceId, sources })
    const record = { identity, isMatched: false, live: undefined, deleted: undefined, previous: undefined }
    const composed = composeDraft(drafted, record, settling)
    const { problems } = findingsOf(drafted, { record, composed, at }, settling)
    const { key } = identity
    if (hasError(problems)) return { at, outcome: 'rejected', key, problems }
    const from = out.at
    composed.write(out)
    return { at, outcome: 'ready', key, body: out.bytes.subarray(from, out.at), problems }
  }
  const drafting = { partsMade: { rows: 0, parts: 0 }, wantsOutlines: false, signal }
  let bytes = firstBytes
  for await (const { rows, boundaries } of boundedBatches(job, drafting)) {
    signal?.throwIfAborted()
    const out = new TextBytes(bytes)
    const records = rows.map((row, index) => recordOf(row.at, draftRow(row, boundaries[index], job), out))
    bytes = Math.max(firstBytes, Math.round(out.at * 1.2))
    yield records
  }
}
