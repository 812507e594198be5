/**
 * Hides the judgements that need the whole file: repeated keys, whether the file changed or broke off while it was
 * read, and the guards. Only a stage that passes all of them is complete and may be sent.
 */

import { WindrowError } from '../../core/error.ts'
import { problem } from '../../core/problem.ts'
import type { Place } from '../../core/row.ts'
import type { LastCount } from '../../ledger/ledger.ts'
import { idInKey } from '../../resources/keys.ts'
import { allows, spellLimit, type Limit } from '../definition/amounts.ts'
import type { ImportJob, Passed, StageContext } from '../stage/import-job.ts'
import type { Stage } from '../stage/stage-store.ts'

export type Guards = {
  readonly deletes: Limit
  readonly rejected: Limit | undefined
  readonly fewerRows: Limit | undefined
  /** How many known records may be missing while as many are new. */
  readonly replaced: Limit
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
        const id = idInKey(key)
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
  options: { readonly guards: Guards; readonly passed: Passed; readonly unowned: number },
): void {
  const { guards, passed } = options
  const counts = countStaged(context.stage)
  context.stage.remember('records', counts.records)
  const { rejected, deletes, created, records } = counts
  const held = records + counts.absent
  const last = recordsBefore(context.ledger.lastCount(job.name), counts, options.unowned)
  const fewer = Math.max(0, (last ?? 0) - records)
  // What was gone before was no part of the last count.
  const missing = Math.min(counts.absent, Math.max(0, (last ?? 0) - (records - created)))
  const replaced = Math.min(created, missing)
  const reasons = [
    guards.rejected !== undefined &&
      !allows(guards.rejected, rejected, passed.read) &&
      `${rejected} of ${passed.read} rows are rejected; the pipeline allows ${spellLimit(guards.rejected)}`,
    !allows(guards.deletes, deletes, held) &&
      `${deletes} of ${held} records are gone from the file and would be deleted; the pipeline allows ${spellLimit(guards.deletes)}`,
    guards.fewerRows !== undefined &&
      last !== undefined &&
      !allows(guards.fewerRows, fewer, last) &&
      `the file has ${records} records, ${fewer} fewer than the ${last} known before; the pipeline allows ${spellLimit(guards.fewerRows)}`,
    last !== undefined &&
      !allows(guards.replaced, replaced, last) &&
      `${created} of ${records} records are new and ${missing} of the ${last} known ones are missing, as if the key column or the holding had changed; ` +
        `the pipeline allows ${spellLimit(guards.replaced)} to be replaced`,
  ].filter((reason) => typeof reason === 'string')
  if (reasons.length === 0) return
  throw new WindrowError('guard-stopped', `Stopped before sending: ${reasons.join('; ')}.`, {
    hint: 'Look at the report. If the file is right, raise the limit under "guard" in the pipeline (windrow init writes one) and run it again.',
    data: { reasons },
  })
}

type Staged = {
  readonly rejected: number
  readonly deletes: number
  /** What the file does not have any more, without deletions that are only sent again. */
  readonly absent: number
  readonly created: number
  /** Those of the file that the service has. */
  readonly known: number
  /** All of the file: rows that only repeat others do not count, nor do rows that are no records. */
  readonly records: number
}

function countStaged(stage: Stage): Staged {
  const distinct = stage.mayRepeatKeys() ? 'count(DISTINCT key)' : 'count(key)'
  const [counts] = stage.query<Staged>(
    `SELECT (SELECT count(*) FROM rows WHERE outcome = 'rejected') AS rejected,
            (SELECT count(*) FROM records WHERE action = 'delete' AND base <> hash) AS deletes,
            (SELECT count(*) FROM records WHERE action IN ('delete', 'keep') AND base <> hash) AS absent,
            (SELECT count(*) FROM records WHERE action = 'create' AND base IS NULL) AS created,
            (SELECT count(*) FROM records WHERE action IN ('create', 'update', 'unchanged') AND base IS NOT NULL) AS known,
            (SELECT ${distinct} + count(*) - count(key) FROM rows WHERE outcome <> 'skipped') AS records`,
  )
  return counts!
}

/**
 * How many records the file had last time. Where nobody counted them (a new name, a lost ledger), it is what the service has of
 * this source; a windrow of before counted rows, among them repeated and filtered ones. Undefined where the service has none.
 */
export function recordsBefore(
  last: LastCount | undefined,
  { known, absent }: Pick<Staged, 'known' | 'absent'>,
  unowned: number,
): number | undefined {
  if (last !== undefined && last.records !== null) return last.records
  if (known + absent === 0) return undefined
  return Math.min(known + absent + unowned, last?.rows ?? Infinity)
}
