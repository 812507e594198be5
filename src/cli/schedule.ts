/** Runs `windrow schedule`: runs the pipelines in a folder when they are due. */

import { resolve } from 'node:path'
import { openTraffic, type Traffic } from '../client/traffic.ts'
import { exitCodes } from '../core/error.ts'
import { storageFailure } from '../core/storage-failure.ts'
import { notifyFile } from '../notify/settings.ts'
import { readPipeline, type Pipeline } from '../pipeline/definition/definition.ts'
import type { RunReport } from '../pipeline/report/export-report.ts'
import { errorFacts, type RunError } from '../pipeline/report/report.ts'
import { longestGapMs, type Timetable } from '../schedule/due.ts'
import type { OnEvent } from '../schedule/events.ts'
import { keepSchedule, runDue, termsOf, type Entry, type Keeping } from '../schedule/keeper.ts'
import { openScheduleMemory } from '../schedule/memory.ts'
import { isGoodReport, reportsIn, runsOf } from '../schedule/status.ts'
import { flag, usualOptions, word, type Call, type CommandSpec } from './options/command.ts'
import { formatModuleOption, knownFormats } from './options/format-module.ts'
import { logOf, logOption, logEvent, printEvent, printFailure, type Log } from './schedule/schedule-text.ts'
import {
  metricsOptions,
  pipelineMeasures,
  notifyOptions,
  noteFault,
  startScheduleWatch,
  testNotify,
} from './schedule/schedule-watch.ts'
import { stateOf } from './options/reach.ts'
import { runPipeline } from './run.ts'
import { brokenBy, readFolder, type Broken, type ReadBefore, type ScheduleFolder } from './schedule/schedule-folder.ts'
import { statusesIn } from './status.ts'

export const schedule: CommandSpec = {
  words: { folder: 'the folder with the pipeline files' },
  options: {
    '--once': 'run what is due now, then exit: for cron or the Windows Task Scheduler',
    ...notifyOptions,
    ...metricsOptions,
    ...logOption,
    ...formatModuleOption,
    ...usualOptions,
  },
  examples: [
    'windrow schedule pipelines',
    'windrow schedule pipelines --once',
    'windrow schedule pipelines --test-notify',
  ],
  run: runSchedule,
}

async function runSchedule(call: Call): Promise<number> {
  const folder = resolve(call.folder, word(call, 'folder'))
  if (flag(call, 'test-notify')) return testNotify(folder, call)
  const formats = await knownFormats(call)
  const log = logOf(call)
  const around = log === undefined ? call : { ...call, terminal: log.terminalOf() }
  const { clock, sleep, signal } = call
  const timetables = new Map<string, Timetable>()
  const before: ReadBefore = new Map()
  const readAgain = (): Promise<ScheduleFolder> => readFolder(folder, { formats, before })
  let present = await readAgain()
  const state = stateOf(call, folder)
  using memory = openScheduleMemory(state)
  await using watch = await startScheduleWatch(
    {
      folder,
      state,
      log,
      timetables: () => timetables,
      measures: async () => pipelineMeasures(await statusesIn(present, state, clock()), clock()),
    },
    around,
  )
  noteFault(state, watch.fault, call)
  const onEvent: OnEvent = (event) => {
    const zone = 'name' in event ? timetables.get(event.name)?.zone : undefined
    if (log === undefined) printEvent(event, zone, call)
    else logEvent(event, zone, log)
    watch.hear(event)
  }
  // Messages are sent while nothing runs.
  const rest: Keeping['sleep'] = async (ms, until) => {
    const began = clock().getTime()
    await watch.rest()
    await sleep(Math.max(0, ms - (clock().getTime() - began)), until)
  }
  const keeping: Keeping = { memory, clock, sleep: rest, signal, onEvent }
  const traffic = openTraffic()
  const entriesOf = ({ scheduled }: ScheduleFolder): readonly Entry[] => {
    timetables.clear()
    for (const { name, schedule: timetable } of scheduled) timetables.set(name, timetable)
    return scheduled.map((pipeline) => ({
      ...termsOf(pipeline),
      name: pipeline.name,
      timetable: pipeline.schedule,
      run: runnerOf(pipeline, { traffic, log, call }),
      ranWell(since) {
        const last = runsOf(pipeline.name, reportsIn(state, clock())).at(-1)
        const isSo = last !== undefined && isGoodReport(last) && new Date(last.started) > since
        return isSo ? { exit: last.exit, report: last } : undefined
      },
    }))
  }
  const broken = (): readonly Broken[] => [
    ...present.broken,
    ...(watch.fault === undefined ? [] : [{ file: notifyFile, failure: watch.fault }]),
  ]
  let known = reportBroken(broken(), new Map(), onEvent)
  if (flag(call, 'once')) {
    const worst = await runDue(entriesOf(present), keeping)
    await watch.finish()
    return broken().length === 0 ? worst : Math.max(worst, exitCodes.cannotUse)
  }
  await keepSchedule(async () => {
    present = await readAgain().catch((failure: unknown) => ({ scheduled: [], broken: [brokenBy(failure, folder)] }))
    known = reportBroken(broken(), known, onEvent)
    return entriesOf(present)
  }, keeping)
  return 0
}

/** Reports each pipeline that cannot be used, unless its message was reported before. Returns the present messages. */
export function reportBroken(
  broken: readonly Broken[],
  known: ReadonlyMap<string, string>,
  onEvent: OnEvent,
): ReadonlyMap<string, string> {
  for (const { file, failure } of broken)
    if (known.get(file) !== failure.message)
      onEvent({ kind: 'broken', file, exit: failure.exit, failure: errorFacts(failure) })
  const now = new Map(broken.map(({ file, failure }) => [file, failure.message]))
  for (const file of known.keys()) if (!now.has(file)) onEvent({ kind: 'repaired', file })
  return now
}

/** A bug in one run must not end the nights of the others. */
function factsOfBug(cause: unknown): RunError {
  return { code: 'bug', message: `windrow itself failed: ${cause instanceof Error ? cause.stack : String(cause)}` }
}

type RunnerDeps = {
  readonly traffic: Traffic
  readonly log: Log | undefined
  readonly call: Call
}

/** Runs a pipeline whenever it is called. A failure is reported and counted; other pipelines continue. */
export function runnerOf(
  { path, name, schedule: timetable }: Pipeline,
  { traffic, log, call: outside }: RunnerDeps,
): Entry['run'] {
  const call = log === undefined ? outside : { ...outside, terminal: log.terminalOf(name) }
  return async ({ due, failedBefore, signal }) => {
    let report: RunReport | undefined
    const onReport = (each: RunReport): void => void (report = each)
    try {
      // Read again each time, so that a change of the pipeline takes effect without a restart.
      const current = await readPipeline(path, await knownFormats(call))
      const times = current.schedule ?? timetable
      const gapMs = times && longestGapMs(times, call.clock())
      const usualOldestMs = gapMs && 2 * gapMs
      const how = { onReport, failedBefore, usualOldestMs, traffic, due }
      const exit = await runPipeline(current, { ...call, signal }, how)
      return { exit, report, failure: report?.error }
    } catch (cause) {
      const failure = storageFailure(cause)
      const facts = failure === undefined ? factsOfBug(cause) : errorFacts(failure)
      const exit = failure?.exit ?? exitCodes.bug
      // In a log, the line about the end of the run says it.
      if (log === undefined) printFailure({ file: name, exit, failure: facts }, call)
      return { exit, report, failure: facts }
    }
  }
}
