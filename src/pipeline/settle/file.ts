/**
 * Judges how the file is read, what its rows add up to, whose rows it has, whether it is whole, and how much a night rejects, deletes
 * and replaces.
 */

import { WindrowError } from '../../core/error.ts'
import type { Problem } from '../../core/problem.ts'
import { judge } from '../../core/rule.ts'
import type { Table } from '../../core/row.ts'
import { otherFarmNamed, filterEmpty, otherReading } from '../../rules/file.ts'
import { otherEncoding } from '../../rules/letters.ts'
import { areaUnit } from '../../rules/land.ts'
import { limitRules, type NightCounts } from '../../rules/limits.ts'
import { columnRules, tableRules } from '../../rules/rows.ts'
import { farmOfStart } from '../../resources/keys.ts'
import { identifierText } from '../../resources/resource-type.ts'
import { farmsNamedIn, farmsToWrite } from '../export/find-holding.ts'
import type { ImportJob } from '../stage/import-job.ts'
import type { RowTotals } from '../stage/row-totals.ts'
import { isCut, startOfKey, uncommon, wholeFile, type Stage } from '../stage/stage-store.ts'
import { statedColumnIn } from '../stage/stated-areas.ts'
import { find, type Judging } from './judging.ts'

/** What speaks against the way in which the pipeline reads the file. It is not in the stage yet, which may have to be filled again. */
export function doubtsAboutReading(judging: Judging): readonly Problem[] {
  const { job, readings, letters, statedAreas, source } = judging
  const { only, policy } = job
  const by = { policy, place: wholeFile(source) }
  const stated = statedColumnIn(statedAreas)
  // A column may be read for several fields.
  const columns = new Map([...readings.values()].map((each) => [`${each.kind} ${each.agreed} ${each.column}`, each]))
  return [
    ...(only.length === 0 ? [] : judge([filterEmpty], filterFacts(judging), by)),
    ...[...columns.values()].flatMap((each) => judge([otherReading], each, by)),
    ...(letters === undefined ? [] : judge([otherEncoding], letters, by)),
    ...(stated === undefined ? [] : judge([areaUnit], stated.column, by)),
  ]
}

function filterFacts({ stage, ledger, job: { only, name } }: Judging) {
  const [counts] = stage.query<{ left: number; taken: number }>(
    `SELECT (SELECT count(*) FROM problems WHERE code = 'row-filtered') AS left,
       (SELECT count(*) FROM rows WHERE outcome <> 'skipped') + (SELECT count(*) FROM same_rows) AS taken`,
  ) as [{ left: number; taken: number }]
  return { only, ...counts, lastRecords: ledger.lastCount(name)?.records }
}

/** Judges the farms of the account that new or changed rows name. */
export async function judgeFarmsNamed(judging: Judging, { farmsNamed }: RowTotals): Promise<void> {
  const { job, source, client, signal } = judging
  const chosen = job.mapping.holding
  const columns = Object.entries(farmsNamed)
  if (client === undefined || chosen === undefined || columns.length === 0) return
  const farms = await farmsToWrite(client, signal)
  const named = farmsNamedIn(columns, { chosen, farms })
  find(judging, [otherFarmNamed], { file: source, chosen, columns: named })
}

/** Judges columns, and what all rows add up to, which would be noise on every row. */
export function judgeTotals(judging: Judging, totals: RowTotals): void {
  const { job, source, stage } = judging
  const { type } = job
  const { numericIds, wordedBlanks } = totals
  stage.together(() => {
    for (const column of new Set([...Object.keys(numericIds), ...Object.keys(wordedBlanks)])) {
      const [idFromNumber, blanks] = [numericIds[column], wordedBlanks[column]]
      find(judging, columnRules, { source, column, idFromNumber, wordedBlanks: blanks })
    }
    find(judging, tableRules, { ...totals, type })
  })
}

/** Stops the run if the file changed while it was read, or is damaged as a whole. */
export async function judgeSource(
  job: ImportJob,
  source: { readonly before: string; fingerprint(): Promise<string> },
): Promise<void> {
  if ((await source.fingerprint()) !== source.before) throw sourceChanged(job.table.name)
  const damage = damageOf(job.table)
  if (damage !== undefined) throw damage
}

/** The error of a file that another program writes at the same time. */
export function sourceChanged(name: string): WindrowError {
  return new WindrowError('source-changed', `"${name}" changed while it was being read. Nothing was sent.`, {
    hint: 'Run it again after the other program has finished writing. In a pipeline, "settled: 2 min" waits for that.',
  })
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
