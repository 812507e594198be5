/** Counts what a night rejects, deletes and replaces, for the rules about it. */

import type { Problem } from '../../core/problem.ts'
import type { LastCount } from '../../ledger/ledger.ts'
import { farmOfStart } from '../../resources/keys.ts'
import { identifierText } from '../../resources/resource-type.ts'
import { limitRules } from '../../rules/limits.ts'
import type { RowTotals } from '../stage/row-totals.ts'
import { isCut, startOfKey, uncommon, type Stage } from '../stage/stage-store.ts'
import { find, type Judging } from './judging.ts'

/** Counts the stage and runs the rules about limits. */
export function judgeLimits(
  judging: Judging,
  {
    totals,
    unowned,
    hasKey,
    repeated,
  }: {
    readonly totals: RowTotals
    /** How many records of this source no pipeline owns. */
    readonly unowned: number
    /** False for a preview: its keys say nothing about the known records before a person has chosen the column. */
    readonly hasKey: boolean
    /** How many rows more than keys there are, if that is known. */
    readonly repeated: number | undefined
  },
): void {
  const { job, stage, ledger } = judging
  const counts = countStaged(stage, repeated)
  stage.remember('records', counts.records)
  const last = ledger.lastCount(job.name)
  const before = recordsBefore(last, counts, unowned)
  find(judging, limitRules, {
    ...counts,
    read: totals.read,
    firstError: firstError(stage),
    last: before,
    most: last?.most ?? before,
    farms: job.mapping.holding === undefined ? farmsWithGone(stage, job.type.plural) : [],
    isCut: isCut(stage),
    hasKey,
    hasBoundaries: job.geometry !== undefined,
    settingsIn: job.settingsIn,
  })
}

/** The farms of which records would be deleted. */
function farmsWithGone(stage: Stage, type: string) {
  const farms = stage.query<{ start: string; gone: number; present: number }>(
    `SELECT start, gone,
       (SELECT count(DISTINCT key) FROM rows WHERE key BETWEEN start AND start || char(1114111) AND outcome <> 'skipped')
         + (SELECT coalesce(sum(count), 0) FROM same_rows WHERE same_rows.start = farms.start) AS present
     FROM (SELECT ${startOfKey} AS start, count(*) AS gone FROM records
           WHERE ${uncommon} AND action = 'delete' AND base <> hash GROUP BY start) AS farms
     WHERE start LIKE ?`,
    `${type}/%`,
  )
  return farms.map(({ start, ...counts }) => ({ farm: identifierText(farmOfStart(start)), ...counts }))
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
