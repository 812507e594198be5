/** Runs `windrow schedule`: runs the pipelines in a folder when they are due. */

import { readdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { exitCodes, WindrowError } from '../core/error.ts'
import { storageFailure } from '../core/storage-failure.ts'
import type { Pauses } from '../client/exchange.ts'
import type { Format } from '../formats/format.ts'
import { notifyFile } from '../notify/settings.ts'
import { readPipeline, type Pipeline } from '../pipeline/definition/definition.ts'
import type { RunReport } from '../pipeline/report/export-report.ts'
import { faultOfOrder } from '../schedule/dependencies.ts'
import { longestGapMs, nextTime } from '../schedule/due.ts'
import type { Failure, OnEvent } from '../schedule/events.ts'
import { keepSchedule, runDue, type Entry, type Keeping } from '../schedule/keeper.ts'
import { openScheduleMemory } from '../schedule/memory.ts'
import {
  connectionOption,
  flag,
  jsonOption,
  stateOption,
  word,
  type CommandSpec,
  type Input,
  type Surroundings,
} from './command.ts'
import { formatModuleOption, knownFormats } from './format-module.ts'
import { stateOf } from './reach.ts'
import { runPipeline } from './run.ts'
import { printEvent, printFailure } from './schedule-text.ts'

export const schedule: CommandSpec = {
  words: [{ name: 'folder', description: 'the folder with the pipeline files' }],
  options: [
    { flags: '--once', description: 'run what is due now, then exit: for cron or the Windows Task Scheduler' },
    formatModuleOption,
    connectionOption,
    stateOption,
    jsonOption,
  ],
  examples: ['windrow schedule pipelines', 'windrow schedule pipelines --once'],
  run: runSchedule,
}

async function runSchedule(input: Input, surroundings: Surroundings): Promise<number> {
  const folder = resolve(surroundings.folder, word(input, 'folder'))
  const formats = await knownFormats(input, surroundings)
  const zones = new Map<string, string>()
  const onEvent: OnEvent = (event) =>
    printEvent(event, 'name' in event ? zones.get(event.name) : undefined, input, surroundings)
  const first = await readFolder(folder, formats, surroundings.clock())
  let known = reportBroken(first.broken, new Map(), onEvent)
  const memory = openScheduleMemory(stateOf(input, surroundings, folder))
  const { clock, sleep, signal } = surroundings
  const keeping: Keeping = { memory, clock, sleep, signal, onEvent }
  const pauses: Pauses = new Map()
  const entriesOf = ({ scheduled }: Folder): readonly Entry[] =>
    scheduled.map((pipeline) => {
      zones.set(pipeline.name, pipeline.schedule.zone)
      return entryOf(pipeline, pauses, input, surroundings)
    })
  try {
    if (flag(input, 'once')) {
      const worst = await runDue(entriesOf(first), keeping)
      return first.broken.length === 0 ? worst : Math.max(worst, exitCodes.cannotUse)
    }
    await keepSchedule(async () => {
      const now = await readFolder(folder, formats, clock()).catch(asBroken(folder))
      known = reportBroken(now.broken, known, onEvent)
      return entriesOf(now)
    }, keeping)
    return 0
  } finally {
    memory.close()
  }
}

type Scheduled = Pipeline & { readonly schedule: NonNullable<Pipeline['schedule']> }

type Broken = { readonly file: string; readonly failure: WindrowError }
type Folder = { readonly scheduled: readonly Scheduled[]; readonly broken: readonly Broken[] }

/** Reads all pipelines in the folder. One that cannot be used does not stop the others. */
export async function readFolder(folder: string, formats: readonly Format[], now: Date): Promise<Folder> {
  const files = listYaml(folder)
  const scheduled: Scheduled[] = []
  const broken: Broken[] = []
  for (const file of files)
    try {
      const pipeline = await readPipeline(join(folder, file), formats)
      if (!isScheduled(pipeline)) continue
      // Throws a WindrowError where the schedule cannot be read.
      nextTime(pipeline.schedule, now)
      scheduled.push(pipeline)
    } catch (failure) {
      broken.push(...asBroken(file)(failure).broken)
    }
  if (scheduled.length + broken.length === 0)
    throw new WindrowError('option-invalid', `None of the ${files.length} pipelines in "${folder}" has a schedule.`, {
      hint: 'Add one to a pipeline, such as  schedule: { cron: "15 2 * * *", zone: Pacific/Auckland }',
    })
  return inOrder(scheduled, broken)
}

/** A pipeline that waits for one that cannot run is broken too, until that one is repaired. */
function inOrder(scheduled: readonly Scheduled[], broken: readonly Broken[]): Folder {
  const waiting = scheduled.map((pipeline) => ({ pipeline, fault: faultOfOrder(pipeline, scheduled) }))
  const stuck = waiting.flatMap(({ pipeline, fault }) =>
    fault === undefined ? [] : [{ file: basename(pipeline.path), failure: fault }],
  )
  if (stuck.length === 0) return { scheduled, broken }
  const sound = waiting.flatMap(({ pipeline, fault }) => (fault === undefined ? [pipeline] : []))
  return inOrder(sound, [...broken, ...stuck])
}

function isScheduled(pipeline: Pipeline): pipeline is Scheduled {
  return pipeline.schedule !== undefined
}

function asBroken(file: string): (failure: unknown) => Folder {
  return (failure) => {
    if (!(failure instanceof WindrowError)) throw failure
    return { scheduled: [], broken: [{ file, failure }] }
  }
}

/** Reports each pipeline that cannot be used, unless its message was reported before. Returns the present messages. */
function reportBroken(
  broken: readonly Broken[],
  known: ReadonlyMap<string, string>,
  onEvent: OnEvent,
): ReadonlyMap<string, string> {
  for (const { file, failure } of broken)
    if (known.get(file) !== failure.message)
      onEvent({ kind: 'broken', file, exit: failure.exit, failure: factsOf(failure) })
  const now = new Map(broken.map(({ file, failure }) => [file, failure.message]))
  for (const file of known.keys()) if (!now.has(file)) onEvent({ kind: 'repaired', file })
  return now
}

function factsOf({ code, message, hint }: WindrowError): Failure {
  return { code, message, hint }
}

/** A bug in one run must not end the nights of the others. */
function factsOfBug(cause: unknown): Failure {
  return { code: 'bug', message: `windrow itself failed: ${cause instanceof Error ? cause.stack : String(cause)}` }
}

function listYaml(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /\.ya?ml$/i.test(name) && name !== notifyFile)
      .sort()
  } catch (cause) {
    throw new WindrowError('file-missing', `The folder "${folder}" was not found.`, {
      hint: 'Name the folder with the pipeline files.',
      cause,
    })
  }
}

/** A failure of one pipeline is reported and counted; the others continue. */
function entryOf(pipeline: Scheduled, pauses: Pauses, input: Input, surroundings: Surroundings): Entry {
  const { schedule: timetable, name, after = [] } = pipeline
  return {
    name,
    timetable,
    timeoutMs: timetable.timeoutMs,
    patience: timetable.patience,
    after,
    async run({ failedBefore, signal }) {
      let report: RunReport | undefined
      const onReport = (each: RunReport): void => void (report = each)
      try {
        // Read again each time, so that a change of the pipeline takes effect without a restart.
        const current = await readPipeline(pipeline.path, await knownFormats(input, surroundings))
        const gapMs = longestGapMs(current.schedule ?? timetable, surroundings.clock())
        const usualOldestMs = gapMs && 2 * gapMs
        const how = { onReport, failedBefore, usualOldestMs, pauses }
        const exit = await runPipeline(current, input, { ...surroundings, signal }, how)
        return { exit, report, failure: report?.error }
      } catch (cause) {
        const failure = storageFailure(cause)
        const facts = failure === undefined ? factsOfBug(cause) : factsOf(failure)
        const exit = failure?.exit ?? exitCodes.bug
        printFailure({ file: name, exit, failure: facts }, input, surroundings)
        return { exit, report, failure: facts }
      }
    },
  }
}
