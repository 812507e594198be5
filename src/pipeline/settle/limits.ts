/** Counts what a night rejects, deletes and replaces, for the rules about it. */

import type { Problem } from '../../core/problem.ts'
import { farmOfStart } from '../../resources/keys.ts'
import { identifierText } from '../../resources/resource-type.ts'
import { limitRules, type NightCounts } from '../../rules/limits.ts'
import { isCut, startOfKey, uncommon, type Stage } from '../stage/stage-store.ts'
import { find, type Judging } from './judging.ts'

type Known = Pick<NightCounts, 'read' | 'hasKey'> & {
  /** How many records of this source no pipeline owns. */
  readonly unowned: number
  /** How many rows more than keys there are, if that is known. */
  readonly repeated: number | undefined
}

/** Counts the stage and runs the rules about limits. */
export function judgeLimits(judging: Judging, { read, hasKey, unowned, repeated }: Known): void {
  const { job, stage, ledger } = judging
  const counts = countStaged(stage, repeated)
  stage.remember('records', counts.records)
  const last = ledger.lastCount(job.name)
  const ofSource = counts.known + counts.absent
  // A renamed pipeline or a lost ledger has no count: then the records of this source in the service count.
  const before = last?.records ?? (ofSource === 0 ? undefined : ofSource + unowned)
  find(judging, limitRules, {
    ...counts,
    read,
    firstError: firstError(stage),
    last: before,
    most: last?.most ?? before,
    farms: job.mapping.holding === undefined ? farmsWithGone(stage, job.type.plural) : [],
    isCut: isCut(stage),
    hasKey,
    hasBoundaries: job.geometry !== undefined,
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

type Staged = Pick<NightCounts, 'rejected' | 'records' | 'created' | 'absent' | 'deletes'> & {
  /** Records of the file that the service has. */
  readonly known: number
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
