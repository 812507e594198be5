/** Ends a run: writes its report and files, and decides the exit status. */

import { join } from 'node:path'
import { exitCodes, naming, WindrowError } from '../../core/error.ts'
import { storageFailure } from '../../core/storage-failure.ts'
import { quoted } from '../../core/shell-word.ts'
import { standardInput } from '../../core/sources/source.ts'
import { writeTarget } from '../../core/sources/target.ts'
import { withoutSecrets } from '../../core/sources/web-address.ts'
import { identifierText } from '../../resources/resource-type.ts'
import { reportPage } from '../../web/report-page.ts'
import type { Ended } from './course.ts'
import { noteAnswers, noteGone } from './note-answers.ts'
import { pageContent } from './page-content.ts'
import { writeRejects } from './rejects.ts'
import { errorFacts, makeReport, type Outcome, type Report, type Retried, type RunError } from './report.ts'
import { readRuns, readStage, withoutUndone, type KeptRun } from './run-folder.ts'
import { isSaid } from '../definition/holding-text.ts'
import type { Stage } from '../stage/stage-store.ts'

/** Does the work of a run and makes its report, even if the work fails. */
export async function conclude(course: Ended, work: () => Promise<{ unseen: number }>): Promise<Report> {
  const { prepared, options, stage, run } = course
  let failure: WindrowError | undefined
  let unseen = 0
  // Counting a large stage takes a while.
  let counted: Report | undefined
  /** A full or failing disk must not cost the whole report: a file that cannot be written is left out, and the run reports why. */
  const attempt = async (step: () => unknown): Promise<void> => {
    try {
      await step()
    } catch (cause) {
      const found = asFailure(cause, course, undefined)
      failure ??= found
      counted = undefined
    }
  }
  try {
    unseen = (await work()).unseen
  } catch (cause) {
    failure = asFailure(naming(prepared.source.name, cause), course, options.signal)
  }
  await attempt(() => {
    noteAnswers(stage, prepared.source.name)
    noteGone(stage, prepared.source.name)
  })
  let files: Record<string, string> = {}
  await attempt(async () => (files = await writeFiles(course, failure)))
  const ended = options.clock().toISOString()
  const reportWith = (all: Readonly<Record<string, string>>): Report => ({
    ...(counted ??= reportOf(course, { failure, unseen, files, ended })),
    files: all,
  })
  const write = (use: 'page' | 'report', name: string, contentOf: (report: Report) => string): Promise<void> =>
    attempt(async () => {
      const all = { ...files, [use]: join(run.folder, name) }
      await writeTarget(all[use]!, contentOf(reportWith(all)))
      files = all
    })
  try {
    await write('page', 'report.html', (report) => reportPage(report, pageContent(stage, report.outcome === 'dry-run')))
    await write('report', 'report.json', (report) => `${JSON.stringify(report, null, 2)}\n`)
    // A run without its report is continued or closed by the next one; a report that is written stays as it is.
    if (files['report'] !== undefined) await attempt(() => stage.remember('finished', true))
    return reportWith(files)
  } catch (cause) {
    throw unreported(asFailure(cause, course, undefined), course)
  }
}

/** The failure of a run that cannot make its report. Exit 2 would promise that nothing was sent. */
function unreported(failure: WindrowError, { posting, run }: Ended): WindrowError {
  if (!posting.hasBegun || failure.exit !== exitCodes.cannotUse) return failure
  return new WindrowError(
    'run-unreported',
    `Records were sent, but the run "${run.id}" has no report: ${failure.message}`,
    { hint: failure.hint, cause: failure },
  )
}

type Ending = {
  readonly failure: WindrowError | undefined
  readonly unseen: number
  readonly files: Readonly<Record<string, string>>
  readonly ended: string
}

function reportOf(course: Ended, { failure, unseen, files, ended }: Ending): Report {
  const { prepared, options, stage, run, posting } = course
  const outcome = outcomeOf(failure, course)
  const { table, type } = prepared.job
  const totals = stage.recall('passed')
  const holdings = (stage.recall('holdings') ?? []).filter(isSaid).slice(0, 100)
  const { client, name: connection } = options.connection ?? {}
  const target = { type: type.plural, holdings: holdings.map(identifierText), connection, service: client?.service }
  const unchecked = outcome === 'dry-run' && options.connection === undefined ? uncheckedFor(target, stage) : undefined
  const retries = stage.recall('retries')
  const { rejected } = files
  // The other rows of an incomplete stage are never sent; a retry of a retry corrects rows of the run before it.
  const mayRetry = !options.dryRun && (stage.isComplete || retries !== undefined)
  const report = makeReport(stage, posting.unkept, {
    run: run.id,
    pipeline: prepared.job.name,
    started: run.started,
    ended,
    applied: stage.recall('applied'),
    outcome,
    dryRun: options.dryRun || undefined,
    exit: 0,
    undoes: stage.recall('undoes'),
    retries: retries === undefined ? undefined : retriedBooks(options.state, retries),
    retry:
      rejected === undefined || !mayRetry ? undefined : { file: rejected, command: `windrow retry ${placeOf(course)}` },
    source: {
      name: prepared.source.name,
      table: table.name,
      format: table.format,
      kinds: totals?.kinds ?? {},
      bbox: totals?.bbox,
      crs: prepared.crs,
    },
    choices: stage.recall('choices') ?? [],
    target,
    unchecked,
    unseen,
    files,
    error: failure && errorFacts(failure),
  })
  const commands = commandsFor(course, report)
  const error = report.error && withWayOn(report.error, commands.apply, placeOf(course))
  return { ...report, ...commands, error, exit: exitOf(report, failure, posting.hasBegun) }
}

/** The words for this run in a command, with the connection that it needs, too. */
function placeOf({ run, options: { state, connection } }: Ended): string {
  const named = connection?.isNamed === true ? ` --connection ${quoted(connection.name)}` : ''
  return `${run.id} --state ${quoted(state)}${named}`
}

/** What to type to send what a dry run staged, or to take back what a run changed. */
function commandsFor(course: Ended, report: Report): Partial<Report> {
  const { source, pipeline } = course.prepared
  const { options, stage } = course
  const { outcome, error, records, gone } = report
  const place = placeOf(course)
  const isStopped = error?.code === 'rule-stopped' && stage.recall('stopped') === true
  if (outcome !== 'dry-run' && !isStopped)
    return records.created + records.updated + gone.deleted > 0 ? { undo: `windrow undo ${place}` } : {}
  // Neither standard input nor an address with a secret can be read again.
  const isThereAgain =
    pipeline !== undefined && source.name !== standardInput && withoutSecrets(pipeline.path) === pipeline.path
  // A plan that sends nothing may still take records over, or remember which ones its rows are.
  const isIdle =
    records.ready + gone.deleted === 0 &&
    !isStopped &&
    stage.recall('take over') !== true &&
    (stage.recall('matches') ?? []).length === 0
  const mayApply = (error === undefined || isStopped) && options.connection !== undefined && !isIdle
  return isThereAgain && mayApply ? { apply: `windrow apply ${place}` } : {}
}

/** The error of a run that a rule stopped, with how to look at it and to send it once before how to allow it for good. */
function withWayOn(error: RunError, apply: string | undefined, place: string): RunError {
  if (apply === undefined) return error
  const once = `Look at it:  windrow plan ${place}. If the file is right, send exactly this once:  ${apply}.`
  return { ...error, hint: error.hint === undefined ? once : `${once} ${error.hint}` }
}

/** The error of a run that was stopped by its signal. */
export function interrupted(cause: unknown): WindrowError {
  return new WindrowError('interrupted', 'The run was interrupted.', {
    hint: 'Run it again: it continues where it stopped.',
    cause,
  })
}

function asFailure(cause: unknown, { options }: Ended, signal: AbortSignal | undefined): WindrowError {
  if (signal?.aborted === true) return interrupted(cause)
  const failure = storageFailure(cause, options.state)
  if (failure === undefined) throw cause
  return failure
}

/** A dry run that staged everything shows what would happen, even if the real run would then be refused. */
function outcomeOf(failure: WindrowError | undefined, { options, stage }: Ended): Outcome {
  if (options.dryRun && stage.isComplete && failure?.code !== 'interrupted') return 'dry-run'
  if (failure === undefined) return 'done'
  return failure.code === 'interrupted' ? 'interrupted' : 'stopped'
}

function exitOf(report: Report, failure: WindrowError | undefined, hasPosted: boolean): number {
  const { rows, records, accepted, unseen, problems, undoes } = report
  const leftAlone = undoes === undefined ? 0 : rows.skipped
  // A refused deletion is not counted in the records.
  const isRefused = problems.some(({ code }) => code === 'refused')
  if (failure === undefined)
    return isRefused || rows.rejected + records.unsent + unseen + leftAlone > 0
      ? exitCodes.doneWithRejects
      : exitCodes.done
  // Exit 2 promises that nothing was sent.
  const hasSent = hasPosted || accepted + records.refused > 0
  return failure.exit === exitCodes.cannotUse && hasSent ? exitCodes.doneWithRejects : failure.exit
}

async function writeFiles(course: Ended, failure: WindrowError | undefined) {
  const { prepared, stage, run } = course
  const files: Record<string, string> = {}
  // Rejects are read from the file again, so it must be the file that was staged.
  const { rejects } = prepared
  const isReadable = !course.isAbandoned && failure?.code !== 'source-changed' && failure?.code !== 'file-damaged'
  const rejected = isReadable && rejects ? await writeRejects(stage, rejects) : undefined
  if (rejected !== undefined) files['rejected'] = rejected
  if (stage.isComplete) files['bodies'] = join(run.folder, 'ready.ndjson')
  return files
}

/** What only a service knows. */
function uncheckedFor({ type, holdings }: Report['target'], stage: Stage): readonly string[] {
  const farms = holdings.length === 0 ? 'this farm' : holdings.slice(0, 3).join(', ')
  const hasBoundaries = stage.recall('coverage') !== undefined
  return [
    `whether you may publish ${type} for ${farms}`,
    'duplicates of records that are in the service already',
    'changes that other programs made there, so that "created" and "updated" may differ',
    ...(hasBoundaries ? ['overlaps with boundaries that are in the service already'] : []),
  ]
}

/** The books of a run after all of its retries. */
function retriedBooks(state: string, run: string): Retried {
  const rows = { read: 0, ready: 0, unchanged: 0, skipped: 0, rejected: 0 }
  readStage(join(state, 'runs', run), (database) => {
    for (const { outcome, n } of database.prepare(outcomes).iterate()) {
      rows[outcome as 'ready'] = Number(n)
      rows.read += Number(n)
    }
  })
  const published = new Map<string, number>()
  let open = rows.rejected
  const isSent = ({ retries, isComplete, isDryRun }: KeptRun): boolean => retries === run && isComplete && !isDryRun
  for (const { folder } of withoutUndone(readRuns(state).runs).filter(isSent))
    readStage(folder, (database) => {
      for (const { key, n } of database.prepare(inService).iterate())
        published.set(String(key), Math.max(published.get(String(key)) ?? 0, Number(n)))
      // What the last file of corrected rows no longer has, somebody took out.
      open = Number(database.prepare(stillOpen).get()!['n'])
    })
  const found = [...published.values()].reduce((sum, n) => sum + n, 0)
  const corrected = Math.min(rows.rejected, found)
  const rejected = Math.min(rows.rejected - corrected, open)
  return { run, ...rows, corrected, takenOut: rows.rejected - corrected - rejected, rejected }
}

const outcomes = `SELECT CASE receipts.state WHEN 'refused' THEN 'rejected' ELSE outcome END AS outcome, count(*) AS n
  FROM rows LEFT JOIN receipts ON receipts.record = rows.record GROUP BY 1`

const stillOpen = `SELECT count(*) AS n FROM rows LEFT JOIN receipts ON receipts.record = rows.record
  WHERE outcome = 'rejected' OR outcome = 'ready' AND receipts.state IS NOT 'accepted'`

const inService = `SELECT rows.key, count(*) AS n FROM rows LEFT JOIN receipts ON receipts.record = rows.record
  WHERE outcome = 'unchanged' OR outcome = 'ready' AND receipts.state = 'accepted' GROUP BY rows.key`
