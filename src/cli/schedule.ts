/** Runs `windrow schedule`: runs the pipelines in a folder when they are due. */

import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { exitCodes, WindrowError } from '../core/error.ts'
import type { Format } from '../formats/format.ts'
import { readPipeline, type Pipeline } from '../pipeline/definition/definition.ts'
import { nextTime } from '../schedule/due.ts'
import { keepSchedule, runDue, type Entry, type Keeping, type ScheduleEvent } from '../schedule/keeper.ts'
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
import { plain, say } from './terminal.ts'

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
  const first = await readFolder(folder, formats, surroundings.clock())
  let known = reportBroken(first.broken, new Map(), input, surroundings)
  const memory = openScheduleMemory(stateOf(input, surroundings, folder))
  const keeping: Keeping = {
    memory,
    clock: surroundings.clock,
    sleep: surroundings.sleep,
    signal: surroundings.signal,
    onEvent: (event) => printEvent(event, flag(input, 'json'), surroundings),
  }
  const entriesOf = ({ scheduled }: Folder): readonly Entry[] =>
    scheduled.map((pipeline) => entryOf(pipeline, input, surroundings))
  try {
    if (flag(input, 'once')) {
      const worst = await runDue(entriesOf(first), keeping)
      return first.broken.length === 0 ? worst : Math.max(worst, exitCodes.cannotUse)
    }
    await keepSchedule(async () => {
      const now = await readFolder(folder, formats, surroundings.clock()).catch(asBroken(folder))
      known = reportBroken(now.broken, known, input, surroundings)
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
async function readFolder(folder: string, formats: readonly Format[], now: Date): Promise<Folder> {
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
  if (scheduled.length + broken.length > 0) return { scheduled, broken }
  throw new WindrowError('option-invalid', `None of the ${files.length} pipelines in "${folder}" has a schedule.`, {
    hint: 'Add one to a pipeline, such as  schedule: { cron: "15 2 * * *", zone: Pacific/Auckland }',
  })
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
  input: Input,
  surroundings: Surroundings,
): ReadonlyMap<string, string> {
  for (const { file, failure } of broken)
    if (known.get(file) !== failure.message) reportFailure(file, failure, input, surroundings)
  return new Map(broken.map(({ file, failure }) => [file, failure.message]))
}

function reportFailure(pipeline: string, failure: WindrowError, input: Input, { terminal }: Surroundings): void {
  const { code, message, hint, exit } = failure
  if (flag(input, 'json')) say(terminal, JSON.stringify({ pipeline, error: { code, message, hint }, exit }))
  else
    for (const line of `${pipeline}: ${message}\n${hint ?? ''}`.trimEnd().split('\n'))
      terminal.err.write(`${plain(line)}\n`)
}

function listYaml(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /\.ya?ml$/i.test(name))
      .sort()
  } catch (cause) {
    throw new WindrowError('file-missing', `The folder "${folder}" was not found.`, {
      hint: 'Name the folder with the pipeline files.',
      cause,
    })
  }
}

/** A failure of one pipeline is reported and counted; the others continue. */
function entryOf(pipeline: Scheduled, input: Input, surroundings: Surroundings): Entry {
  const { schedule: timetable, name } = pipeline
  return {
    name,
    timetable,
    timeoutMs: timetable.timeoutMs,
    async run(_due, signal) {
      try {
        // Read again each time, so that a change of the pipeline takes effect without a restart.
        const current = await readPipeline(pipeline.path, await knownFormats(input, surroundings))
        return await runPipeline(current, input, { ...surroundings, signal })
      } catch (cause) {
        if (!(cause instanceof WindrowError)) throw cause
        reportFailure(name, cause, input, surroundings)
        return cause.exit
      }
    },
  }
}

function printEvent(event: ScheduleEvent, asJson: boolean, { terminal, clock }: Surroundings): void {
  if (asJson) {
    say(terminal, JSON.stringify({ at: clock().toISOString(), ...event }))
    return
  }
  if (event.kind === 'hindered') {
    terminal.err.write(`${plain(`${clock().toISOString()}  ${event.reason} Due pipelines will run later.`)}\n`)
    return
  }
  say(terminal, plain(`${clock().toISOString()}  ${event.name}  ${wordsOf(event)}`))
}

function wordsOf(event: Exclude<ScheduleEvent, { readonly kind: 'hindered' }>): string {
  switch (event.kind) {
    case 'waiting':
      return `next run at ${event.due.toISOString()}`
    case 'started':
      return `due ${event.due.toISOString()}, starting`
    case 'taken':
      return 'is already run by another process'
    case 'ended':
      return `finished with exit ${event.exit}`
    case 'left':
      return 'is no longer scheduled'
  }
}
