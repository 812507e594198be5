/**
 * Hides the judgements that need the whole file: repeated keys, what is gone from the source, whether the file changed or
 * broke off while it was read, and the guards. Only a stage that passes all of them is complete and may be sent.
 */

import { WindrowError } from '../core/error.ts'
import { problem } from '../core/problem.ts'
import type { Place } from '../core/row.ts'
import type { Body } from '../ledger/content.ts'
import { allows, spellLimit, type Limit } from './amounts.ts'
import type { ImportJob, Passed, StageContext } from './stage.ts'
import { composeTombstone } from './compose.ts'
import type { Stage } from './stage-store.ts'

export type Guards = {
  readonly deletes: Limit
  readonly rejected: Limit | undefined
  readonly fewerRows: Limit | undefined
  /** What to do where the file fits another reading better than the agreed one. */
  readonly reading: 'stop' | 'warn'
}

// Of the rows with one key each names so many others: 100,000 that name each other are ten thousand million.
const mostNamed = 10

/** Finds rows of one key. The same row again is skipped; different rows are all rejected, each naming the first of the others. */
export function judgeKeys(stage: Stage, source: string, keyColumn: string): void {
  if (!stage.mayRepeatKeys()) return
  const repeated = stage.query<{ key: string }>(
    `SELECT key FROM rows WHERE key IS NOT NULL AND outcome <> 'skipped' GROUP BY key HAVING count(*) > 1`,
  )
  const statement = `SELECT rows.rowid AS id, rows.layer, rows.row, rows.outcome, rows.record, records.hash FROM rows
    LEFT JOIN records ON records.id = rows.record WHERE rows.key = ? AND outcome <> 'skipped' ORDER BY rows.rowid`
  type Found = {
    id: number
    layer: string | null
    row: number
    outcome: string
    record: number | null
    hash: string | null
  }
  stage.together(() => {
    for (const { key } of repeated) {
      const rows = stage.query<Found>(statement, key)
      const place = (row: Found): Place => ({
        source,
        ...(row.layer === null ? {} : { layer: row.layer }),
        row: row.row,
      })
      const [first, ...others] = rows
      if (first === undefined) continue
      const areTheSame = first.hash !== null && others.every((each) => each.hash === first.hash)
      for (const row of areTheSame ? others : rows) {
        stage.change(
          `UPDATE rows SET outcome = ?, record = NULL WHERE rowid = ?`,
          areTheSame ? 'skipped' : 'rejected',
          row.id,
        )
        if (row.record !== null) stage.change(`UPDATE records SET action = 'void' WHERE id = ?`, row.record)
        const rest = rows
          .slice(0, mostNamed + 1)
          .filter((each) => each !== row)
          .slice(0, mostNamed)
        const more = rows.length - 1 - rest.length
        const id = decodeURIComponent(key.slice(key.lastIndexOf('/') + 1))
        stage.addProblem(
          areTheSame
            ? problem('row-repeated', place(row), {
                with: [place(first)],
                value: id,
                message: `The same row as row ${first.row}.`,
              })
            : problem('key-repeated', place(row), {
                column: keyColumn,
                with: rest.map(place),
                value: id,
                message: `The key "${id}" also stands in row ${rest.map((each) => each.row).join(', ')}${more > 0 ? ` and ${more} more` : ''}, with other values.`,
                hint: 'Give each record a key of its own, or take out the rows that are wrong.',
              }),
        )
      }
    }
  })
}

/** Plans what to do about records that this pipeline's source held before and does not hold now. */
export function judgeGone(
  job: ImportJob,
  context: StageContext,
  options: { readonly gone: 'keep' | 'delete'; readonly keyless: number },
): void {
  const { stage, ledger, now } = context
  // A row without a key may be any record: as long as there is one, nothing can be called gone for certain.
  const mayDelete = options.gone === 'delete' && options.keyless === 0
  stage.together(() => {
    for (const held of ledger.heldBy(job.name)) {
      if (stage.hasRow(held.key)) continue
      const before = JSON.parse(held.body) as Body
      const tombstone = composeTombstone(before, now)
      const source = (before['meta'] as { sourceId?: { scheme?: string; id?: string } } | undefined)?.sourceId
      stage.addRecord({
        key: held.key,
        action: mayDelete ? 'delete' : 'keep',
        hash: tombstone.hash,
        base: held.hash,
        sourceScheme: source?.scheme ?? '',
        sourceId: source?.id ?? '',
        modified: now,
        body: mayDelete ? (out) => out.text(tombstone.body) : undefined,
        before: mayDelete ? held.body : undefined,
      })
    }
  })
}

/** Stops the run when the file changed while it was read, or turned out to be broken as a whole. */
export async function judgeSource(
  job: ImportJob,
  source: { readonly before: string; fingerprint(): Promise<string> },
): Promise<void> {
  if ((await source.fingerprint()) !== source.before)
    throw new WindrowError('file-changed', `"${job.table.name}" changed while it was being read. Nothing was sent.`, {
      hint: 'Run it again when the other program has finished writing. In a pipeline, "settled: 2 min" waits for that.',
    })
  const broken = job.table.found().find((each) => each.severity === 'error')
  if (broken !== undefined)
    throw new WindrowError('file-damaged', `${broken.message} Nothing was sent.`, {
      hint: broken.hint ?? 'Export the file again from the program it comes from.',
      data: { code: broken.code },
    })
}

/** Stops the run when a limit is passed. All reasons are named at once. */
export function judgeGuards(
  job: ImportJob,
  context: StageContext,
  options: { readonly guards: Guards; readonly passed: Passed },
): void {
  const { guards, passed } = options
  const { stage, ledger } = context
  const [counts] = stage.query<{ rejected: number; deletes: number }>(
    `SELECT (SELECT count(*) FROM rows WHERE outcome = 'rejected') AS rejected,
            (SELECT count(*) FROM records WHERE action = 'delete') AS deletes`,
  )
  const { rejected, deletes } = counts!
  const held = deletes === 0 ? 0 : heldBefore(stage)
  const last = ledger.lastRowCount(job.name)
  const fewer = last === undefined ? 0 : Math.max(0, last - passed.read)
  const reasons = [
    guards.rejected !== undefined &&
      !allows(guards.rejected, rejected, passed.read) &&
      `${rejected} of ${passed.read} rows are rejected; the pipeline allows ${spellLimit(guards.rejected)}`,
    !allows(guards.deletes, deletes, held) &&
      `${deletes} of ${held} records are gone from the file and would be deleted; the pipeline allows ${spellLimit(guards.deletes)}`,
    guards.fewerRows !== undefined &&
      last !== undefined &&
      !allows(guards.fewerRows, fewer, last) &&
      `the file has ${passed.read} rows, ${fewer} fewer than the ${last} of last time; the pipeline allows ${spellLimit(guards.fewerRows)}`,
  ].filter((reason) => typeof reason === 'string')
  if (reasons.length === 0) return
  throw new WindrowError('guard-stopped', `Stopped before sending: ${reasons.join('; ')}.`, {
    hint: 'Look at the report. If the file is right, raise the limit under "guard" in the pipeline and run it again.',
    data: { reasons },
  })
}

function heldBefore(stage: Stage): number {
  const [counts] = stage.query<{ held: number }>(
    `SELECT (SELECT count(DISTINCT key) FROM rows WHERE key IS NOT NULL) + (SELECT count(*) FROM records WHERE action IN ('delete', 'keep')) AS held`,
  )
  return counts!.held
}
