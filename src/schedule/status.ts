/** Finds how each pipeline of a schedule is: its last runs, its next one, the age of its file, and whether all is well. */

import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { exitCodes } from '../core/error.ts'
import { isWebAddress } from '../core/sources/web-address.ts'
import type { Pipeline } from '../pipeline/definition/definition.ts'
import { isDryRun, type RunReport } from '../pipeline/report/export-report.ts'
import { listRuns } from '../pipeline/report/run-folder.ts'
import { hasFailed, wasClockAhead, isGood, nextTime } from './due.ts'
import type { NightState } from './memory.ts'

/** How one pipeline is. `why` says what is not well; `ageSeconds` is how long ago its file changed. */
export type PipelineStatus = Pick<Status, 'pipeline' | 'isWell'> & Partial<Status>
type Status = Awaited<ReturnType<typeof statusOf>>

export type Scheduled = Pipeline & { readonly schedule: NonNullable<Pipeline['schedule']> }

type Known = {
  /** The reports of the state folder, oldest first. */
  readonly reports: readonly RunReport[]
  /** The last due time that a schedule took, and what became of it. */
  readonly lastDue: Date | undefined
  readonly night: NightState | undefined
  readonly now: Date
}

/**
 * The reports of a state folder, oldest first. With `now`, without those from a time when the clock was ahead: each would be the last
 * run until that time has come, and hide that a night failed.
 */
export function reportsIn(state: string, now?: Date): readonly RunReport[] {
  const reports = listRuns(state).runs.map(({ report }) => report)
  return now === undefined ? reports : reports.filter(({ started }) => !wasClockAhead(new Date(started), now))
}

/** True for the report of a run that did its work; single rows may have been rejected. */
export function isGoodReport({ exit, outcome, error }: RunReport): boolean {
  return outcome === 'done' && isGood(exit, error)
}

/**
 * The real runs of a pipeline, oldest first: no dry runs, undos or retries. With a store it ran under the name of its folder too,
 * such as rimu/paddocks.
 */
export function runsOf(name: string, reports: readonly RunReport[]): readonly RunReport[] {
  return reports.filter(
    (report) =>
      (report.pipeline === name || report.pipeline.endsWith(`/${name}`)) &&
      !isDryRun(report) &&
      (report.kind === 'export' || (report.undoes === undefined && report.retries === undefined)),
  )
}

export async function statusOf(pipeline: Scheduled, known: Known) {
  const { now } = known
  const runs = runsOf(pipeline.name, known.reports)
  const last = runs.at(-1)
  const good = runs.findLast(isGoodReport)
  const why = troubleOf(pipeline, last, known)
  const next = nextTime(pipeline.schedule, now)
  const file = await fileOf(pipeline, good, now)
  return {
    pipeline: pipeline.name,
    isWell: why === undefined,
    why,
    lastRun: last && inShort(last),
    lastGoodRun: good && inShort(good),
    records: good && recordsIn(good),
    nextRun: next?.toISOString(),
    file,
  }
}

// A run may wait for other pipelines of the folder before it begins.
const latenessMs = 3_600_000

function troubleOf({ schedule }: Scheduled, last: RunReport | undefined, known: Known): string | undefined {
  const { night, lastDue, now } = known
  const again = hasFailed(night) ? night.next : undefined
  const then = again === undefined ? '' : ` It will be tried again at ${timeIn(again, schedule.zone)}.`
  // A later night without a new file is good, and leaves no report.
  const isPast = last !== undefined && night?.exit === exitCodes.done && new Date(last.started) < night.due
  if (last !== undefined && !isGoodReport(last) && !isPast)
    return `The last run failed (exit ${last.exit}). ${[firstLine(last.error?.message), firstLine(last.error?.hint)].join(' ').trim()}${then}`.trim()
  // Some tries leave no report.
  if (hasFailed(night) && !(last !== undefined && new Date(last.started) > night.due))
    return `The last run failed (exit ${night.exit}). ${firstLine(night.reason)}${then}`.trim()
  const times = [last && new Date(last.started), lastDue].filter(
    (time) => time !== undefined && !wasClockAhead(time, now),
  )
  const seen = Math.max(0, ...times.map((time) => time!.getTime()))
  if (seen === 0) return 'It has never run, and no schedule looks after it.'
  const due = nextTime(schedule, new Date(seen))
  if (due !== undefined && due.getTime() + latenessMs + (schedule.timeoutMs ?? 0) < now.getTime())
    return `It was due at ${timeIn(due, schedule.zone)} and did not run. Is windrow schedule or windrow work running?`
  return undefined
}

function firstLine(text = ''): string {
  return text.split('\n', 1)[0]!
}

/** A moment as a clock there shows it, with its zone. */
export function timeIn(moment: Date, zone: string): string {
  const time = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: zone })
  return `${time.format(moment)} (${zone})`
}

function inShort({ run, started, ended, exit, error }: RunReport) {
  return { run, started, ended, exit, error: error?.message }
}

/** How many records the pipeline's file had, or the export wrote. */
function recordsIn(report: RunReport): number {
  return report.kind === 'export' ? report.records.written : report.records.ready + report.records.unchanged
}

/** The file of an import, or the last one that an export wrote: its name may have the day. */
async function fileOf(pipeline: Pipeline, good: RunReport | undefined, now: Date) {
  const written = good?.kind === 'export' ? good.file?.path : undefined
  const file = pipeline.kind === 'import' ? pipeline.from.file : (written ?? pipeline.to.file)
  // In a watched folder files come and go.
  if (isWebAddress(file) || (pipeline.kind === 'import' && pipeline.from.watch !== undefined)) return undefined
  const facts = await stat(file).catch(() => undefined)
  if (facts === undefined) return { name: basename(file) }
  const ageSeconds = Math.max(0, Math.round((now.getTime() - facts.mtimeMs) / 1000))
  return { name: basename(file), modified: facts.mtime.toISOString(), ageSeconds }
}
