/** Hides how a run ends, however it ends: its report, its files, its exit status, and whether the next run goes on with it. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exitCodes, WindrowError } from '../core/error.ts'
import type { Identifier } from '../resources/resource-type.ts'
import type { Outline } from '../web/farm-map.ts'
import { reportPage } from '../web/report-page.ts'
import type { Course, ImportOptions, PreparedImport } from './course.ts'
import { noteAnswers, noteGone } from './notes.ts'
import { writeRejects } from './rejects.ts'
import { makeReport, type Outcome, type Report } from './report.ts'
import { isSaid } from './said-holding.ts'
import type { Stage } from './stage-store.ts'

/** Does the work of a run and makes its report, whatever happens on the way. */
export async function conclude(course: Course, work: () => Promise<{ unseen: number }>): Promise<Report> {
  const { prepared, options, stage, run } = course
  let failure: WindrowError | undefined
  let unseen = 0
  try {
    unseen = (await work()).unseen
  } catch (cause) {
    failure = asFailure(cause, options.signal)
  }
  noteAnswers(stage, prepared.source.name)
  noteGone(stage, prepared.source.name)
  // Only a stage that is complete and still has something to send is worth coming back to.
  const isOpen = failure !== undefined && stage.isComplete && !options.dryRun && !course.isAbandoned
  if (!isOpen) stage.remember('finished', true)
  const files = await writeFiles(course, failure).catch((cause: unknown) => {
    // Rows that cannot be given back are told in the report, which must come whatever happens.
    failure ??= asFailure(cause, undefined)
    return {}
  })
  const page = join(run.folder, 'report.html')
  const report = makeReport(stage, {
    run: run.id,
    pipeline: prepared.job.name,
    started: course.started,
    ended: options.clock().toISOString(),
    outcome: outcomeOf(failure, options.dryRun),
    exit: 0,
    source: describeSource(prepared, stage),
    target: describeTarget(prepared, options, stage),
    unseen,
    files: { ...files, page, report: join(run.folder, 'report.json') },
    ...(failure === undefined
      ? {}
      : {
          error: {
            code: failure.code,
            message: failure.message,
            ...(failure.hint === undefined ? {} : { hint: failure.hint }),
          },
        }),
  })
  const finished: Report = { ...report, exit: exitOf(report, failure) }
  await writeFile(page, reportPage(finished, stage.recall<readonly Outline[]>('outlines') ?? []), { mode: 0o600 })
  await writeFile(join(run.folder, 'report.json'), `${JSON.stringify(finished, null, 2)}\n`, { mode: 0o600 })
  return finished
}

function asFailure(cause: unknown, signal: AbortSignal | undefined): WindrowError {
  if (signal?.aborted === true)
    return new WindrowError('interrupted', 'The run was interrupted.', {
      hint: 'Run it again: it goes on where it stopped.',
      cause,
    })
  if (cause instanceof WindrowError) return cause
  throw cause
}

function outcomeOf(failure: WindrowError | undefined, dryRun: boolean): Outcome {
  if (failure === undefined) return dryRun ? 'would-be' : 'done'
  return failure.code === 'interrupted' ? 'interrupted' : 'stopped'
}

function exitOf(report: Report, failure: WindrowError | undefined): number {
  if (failure !== undefined) return failure.exit
  const { rows, records, problems } = report
  // A refused deletion is none of the records.
  const isRefused = problems.some(({ code }) => code === 'refused')
  return isRefused || rows.rejected + records.unsent + report.unseen > 0 ? exitCodes.doneWithRejects : exitCodes.done
}

async function writeFiles(course: Course, failure: WindrowError | undefined) {
  const { prepared, stage, run } = course
  const files: Record<string, string> = {}
  // The rows are read again for this, so the file must be the one that was staged.
  const isReadable = !course.isAbandoned && failure?.code !== 'file-changed' && failure?.code !== 'file-damaged'
  const rejected = isReadable ? await writeRejects(stage, prepared.job.table, prepared.rejectFormats) : undefined
  if (rejected !== undefined) files['rejected'] = rejected
  if (stage.isComplete) files['bodies'] = join(run.folder, 'ready.ndjson')
  return files
}

function describeSource(prepared: PreparedImport, stage: Stage): Report['source'] {
  const { table } = prepared.job
  const passed = stage.recall<{ kinds: Record<string, number>; bbox?: number[] }>('passed')
  return {
    name: prepared.source.name,
    table: table.name,
    format: table.format,
    kinds: passed?.kinds ?? {},
    decisions: table.decisions,
    ...(passed?.bbox === undefined ? {} : { bbox: passed.bbox }),
    ...(prepared.crs === undefined ? {} : { crs: prepared.crs }),
  }
}

function describeTarget(prepared: PreparedImport, options: ImportOptions, stage: Stage): Report['target'] {
  const holdings = (stage.recall<readonly Identifier[]>('holdings') ?? []).filter(isSaid)
  return {
    type: prepared.job.type.plural,
    holdings: holdings.slice(0, 100).map((each) => `${each.scheme} ${each.id}`),
    ...(options.connection === undefined
      ? {}
      : { connection: options.connection.name, service: options.connection.service }),
  }
}
