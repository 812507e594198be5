/**
 * Makes the checks that need the whole file: repeated keys, a file that changed or broke off while it was read, and the
 * guards. Only a stage that passes all of them is complete and may be sent.
 */

import { WindrowError } from '../../core/error.ts'
import type { Problem } from '../../core/problem.ts'
import type { Place, Table } from '../../core/row.ts'
import { settingText } from '../../core/setting-text.ts'
import { contentHashOfBody, readBody } from '../../ledger/content.ts'
import type { LastCount } from '../../ledger/ledger.ts'
import { idInKey } from '../../resources/keys.ts'
import { allows, allowsDeletes, spellLimit } from '../definition/amounts.ts'
import type { ImportJob } from '../stage/import-job.ts'
import type { RowTotals } from '../stage/row-totals.ts'
import { placeOf, type Stage } from '../stage/stage-store.ts'
import { emptiedFarm } from './judge-gone.ts'
import { allowOption, isCut, warnIfAllowed, type GuardName, type Judging } from '../settle/judging.ts'

// Each row of a repeated key names at most this many others: 100,000 naming each other would be 10,000,000,000.
const mostNamed = 10

type Found = {
  readonly id: number
  readonly layer: string | null
  readonly row: number
  readonly record: number | null
  readonly hash: string | null
}

/**
 * Finds rows of one key. The same row again is skipped; different rows are all rejected, each naming the first of the others. Returns
 * how many rows more than keys were rejected.
 */
export function judgeKeys({ stage, source, job }: Judging): number {
  let repeated = 0
  const statement = `SELECT rows.rowid AS id, rows.layer, rows.row, rows.record, records.hash FROM rows
    LEFT JOIN records ON records.id = rows.record WHERE rows.key = ? AND outcome <> 'skipped' ORDER BY rows.rowid`
  stage.together(() => {
    for (const key of stage.repeatedKeys()) {
      const place = (row: Found): Place => placeOf(row, source)
      const rows = stage.query<Found>(statement, key)
      const [first, others] = [rows[0]!, rows.slice(1)]
      // The same row again would have to be compared with the first one every time.
      if (first.record !== null) stage.change('DELETE FROM digests WHERE record = ?', first.record)
      const hash = contentOf(first, stage)
      const areTheSame = hash !== null && others.every((each) => contentOf(each, stage) === hash)
      if (!areTheSame) repeated += others.length
      for (const row of areTheSame ? others : rows) {
        stage.change(
          `UPDATE rows SET outcome = ?, record = NULL WHERE rowid = ?`,
          areTheSame ? 'skipped' : 'rejected',
          row.id,
        )
        if (row.record !== null) stage.change(`UPDATE records SET action = 'void' WHERE id = ?`, row.record)
        const value = idInKey(key)
        if (areTheSame) {
          const message = `This row is identical to row ${first.row}.`
          stage.report('row-repeated', place(row), { with: [place(first)], value, message })
          continue
        }
        const rest = rows
          .slice(0, mostNamed + 1)
          .filter((each) => each !== row)
          .slice(0, mostNamed)
        const more = rows.length - 1 - rest.length
        stage.report('key-repeated', place(row), {
          column: job.keyColumn,
          with: rest.map(place),
          value,
          message: `The key "${value}" is also in row ${rest.map((each) => each.row).join(', ')}${more > 0 ? ` and ${more} more` : ''}, with other values.`,
          hint: 'Give each record a different key, or remove the wrong rows.',
        })
      }
    }
  })
  return repeated
}

/** The content hash of a row's record; null without one. */
function contentOf({ record, hash }: Found, stage: Stage): string | null {
  return record === null || hash !== '' ? hash : contentHashOfBody(readBody(stage.bodyOf(record)!))
}

/** Stops the run if the file changed while it was read, or is damaged as a whole. */
export async function judgeSource(
  job: ImportJob,
  source: { readonly before: string; fingerprint(): Promise<string> },
): Promise<void> {
  if ((await source.fingerprint()) !== source.before)
    throw new WindrowError('file-changed', `"${job.table.name}" changed while it was being read. Nothing was sent.`, {
      hint: 'Run it again after the other program has finished writing. In a pipeline, "settled: 2 min" waits for that.',
    })
  const damage = damageOf(job.table)
  if (damage !== undefined) throw damage
}

/** The error of a file that is damaged as a whole, once it was read. */
export function damageOf(table: Pick<Table, 'found'>): WindrowError | undefined {
  const broken = table.found().find((each) => each.severity === 'error')
  if (broken === undefined) return undefined
  return new WindrowError('file-damaged', `${broken.message} Nothing was sent.`, {
    hint: broken.hint ?? 'Export the file again from the program it comes from.',
    data: { code: broken.code },
  })
}

/** Stops the run if a limit is exceeded, with all reasons at once. */
export function judgeGuards(
  judging: Judging,
  {
    totals,
    unowned,
    hasKey,
    repeated,
  }: {
    readonly totals: RowTotals
    readonly unowned: number
    /** False for a preview: its keys say nothing about the known records before a person has chosen the column. */
    readonly hasKey: boolean
    /** How many rows more than keys there are, if that is known. */
    readonly repeated: number | undefined
  },
): void {
  const { job, stage, ledger, guards } = judging
  const counts = countStaged(stage, repeated)
  stage.remember('records', counts.records)
  const { rejected, deletes, created, records } = counts
  const held = records + counts.absent
  const last = recordsBefore(ledger.lastCount(job.name), counts, unowned)
  const fewer = Math.max(0, (last ?? 0) - records)
  // Records that were gone before are not in the last count.
  const missing = Math.min(counts.absent, Math.max(0, (last ?? 0) - (records - created)))
  const replaced = Math.min(created, missing)
  const isReplaced = hasKey && last !== undefined && !allows(guards.replaced, replaced, last)
  const stops: { readonly name: GuardName; readonly share: number; readonly reason: string }[] = []
  const stop = (name: GuardName, share: number, reason: string): void => {
    if (!warnIfAllowed(judging, name, [reason])) stops.push({ name, share, reason })
  }
  // From an empty file not even one is deleted: it may be the only one.
  const isWithinDeletes = allowsDeletes(guards.deletes, deletes, held, Math.min(1, records))
  const emptied = isWithinDeletes ? emptiedFarm(judging) : undefined
  const wouldGo = `are gone from the file and would be deleted; the limit is ${spellLimit(guards.deletes)}`
  if (!isWithinDeletes) stop('deletes', deletes / held, `${deletes} of ${held} records ${wouldGo}`)
  if (emptied !== undefined)
    stop('deletes', 1, `${emptied.gone} of the ${emptied.held} records of the farm ${emptied.farm} ${wouldGo}`)
  if (guards.rejected !== undefined && !allows(guards.rejected, rejected, totals.read))
    stop(
      'rejected',
      rejected / totals.read,
      `${rejected} of ${totals.read} rows are rejected${firstError(stage)}; the limit is ${spellLimit(guards.rejected)}`,
    )
  if (guards.fewerRows !== undefined && last !== undefined && !allows(guards.fewerRows, fewer, last))
    stop(
      'fewer rows',
      fewer / last,
      `the file has ${records === 1 ? '1 record' : `${records} records`}, ${fewer} fewer than the ${last} known before; the limit is ${spellLimit(guards.fewerRows)}`,
    )
  if (isReplaced)
    stop(
      'replaced',
      replaced / last,
      `${created} of ${records} records are new and ${missing} of the ${last} known ones are missing, as if the key column or the holding had changed; the limit is ${spellLimit(guards.replaced)}`,
    )
  if (stops.length === 0) return
  const by = job.geometry === undefined ? 'name' : 'boundary'
  const enough = stops.map(({ name, share }) => `${name}: ${Math.ceil(share * 100)} %`).join(', ')
  const raised = settingText(job.settingsIn, `guard: { ${enough} }`)
  const reasons = stops.map(({ reason }) => reason)
  if (isCut(stage)) reasons.push('it does not end with a line break and was perhaps copied only in part')
  throw new WindrowError('guard-stopped', `Stopped before sending: ${reasons.join('; ')}.`, {
    hint:
      `Check the report. If the file is right, ` +
      (job.settingsIn === 'pipeline'
        ? `let it through once:  windrow run ${job.file} ${stops.map(({ name }) => allowOption(name)).join(' ')}${emptied === undefined ? `, or raise the limit:  ${raised}` : ''}`
        : `raise the limit and run it again:  ${raised}`) +
      (isReplaced
        ? `. If they are the same records with new keys:  ${settingText(job.settingsIn, `match: ${by}`, `--match ${by}`)}`
        : ''),
    data: { reasons },
  })
}

/** Why the first row was rejected: a message about the night has no list of the rows. */
function firstError(stage: Stage): string {
  const [first] = stage.query<{ row: number; column: string | null; detail: string }>(
    `SELECT row, "column", detail FROM problems WHERE severity = 'error' ORDER BY id LIMIT 1`,
  )
  if (first === undefined) return ''
  const { message } = JSON.parse(first.detail) as Pick<Problem, 'message'>
  return ` (first row ${first.row}${first.column === null ? '' : `, ${first.column}`}: ${message.replace(/\.$/, '')})`
}

type Staged = {
  readonly rejected: number
  readonly deletes: number
  /** Records no longer in the file, without deletions that are only sent again. */
  readonly absent: number
  readonly created: number
  /** Records of the file that the service has. */
  readonly known: number
  /** All records of the file, without repeated and skipped rows. */
  readonly records: number
}

function countStaged(stage: Stage, repeated: number | undefined): Staged {
  // To count different keys, SQLite sorts them.
  const ofRows = repeated === undefined ? 'count(DISTINCT key) + count(*) - count(key)' : `count(*) - ${repeated}`
  const [counts] = stage.query<Staged>(
    `SELECT *, ofRows + (SELECT coalesce(sum(count), 0) FROM same_rows) AS records FROM
       (SELECT count(*) FILTER (WHERE outcome = 'rejected') AS rejected, ${ofRows} AS ofRows
        FROM rows WHERE outcome <> 'skipped'),
       (SELECT count(*) FILTER (WHERE action = 'delete' AND base <> hash) AS deletes,
               count(*) FILTER (WHERE action IN ('delete', 'keep') AND base <> hash) AS absent,
               count(*) FILTER (WHERE action = 'create' AND base IS NULL) AS created,
               count(*) FILTER (WHERE action IN ('create', 'update', 'unchanged') AND base IS NOT NULL) AS known
        FROM records)`,
  )
  return counts!
}

/**
 * The number of records in the file last time. Without a count (a renamed pipeline, a lost ledger), it is the number of this
 * source's records in the service, undefined if there are none.
 */
function recordsBefore(
  last: LastCount | undefined,
  { known, absent }: Pick<Staged, 'known' | 'absent'>,
  unowned: number,
): number | undefined {
  if (last !== undefined && last.records !== null) return last.records
  if (known + absent === 0) return undefined
  return known + absent + unowned
}
