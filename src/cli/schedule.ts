/** Hides `windrow schedule`: the pipelines of a folder, each when its timetable says. */

import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { WindrowError } from '../core/error.ts'
import type { Format } from '../formats/format.ts'
import { readPipeline, type Pipeline } from '../pipeline/definition.ts'
import { keepSchedule, runDue, type Entry, type Keeping, type ScheduleEvent } from '../schedule/keeper.ts'
import { openScheduleMemory } from '../schedule/memory.ts'
import {
  connectionOption,
  flag,
  jsonOption,
  stateOption,
  word,
  type Command,
  type Input,
  type Surroundings,
} from './command.ts'
import { formatModuleOption, knownFormats } from './format-module.ts'
import { stateOf } from './reach.ts'
import { runPipeline } from './run.ts'
import { plain, say } from './terminal.ts'

export const schedule: Command = {
  name: 'schedule',
  summary: 'Run the pipelines of a folder when they are due, until stopped.',
  words: [{ name: 'folder', description: 'the folder with the pipeline files' }],
  options: [
    { flags: '--once', description: 'run what is due now and end: for cron or the Task Scheduler' },
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
  const pipelines = await readFolder(folder, formats)
  const memory = openScheduleMemory(stateOf(input, surroundings, folder))
  const keeping: Keeping = {
    memory,
    clock: surroundings.clock,
    sleep: surroundings.sleep,
    signal: surroundings.signal,
    onEvent: (event) => tellEvent(event, flag(input, 'json'), surroundings),
  }
  const entries = pipelines.map((pipeline) => entryOf(pipeline, input, surroundings))
  try {
    if (flag(input, 'once')) return await runDue(entries, keeping)
    await keepSchedule(entries, keeping)
    return 0
  } finally {
    memory.close()
  }
}

type Scheduled = Pipeline & { readonly schedule: NonNullable<Pipeline['schedule']> }

async function readFolder(folder: string, formats: readonly Format[]): Promise<readonly Scheduled[]> {
  const names = listYaml(folder)
  const pipelines = await Promise.all(names.map((name) => readPipeline(join(folder, name), formats)))
  const scheduled = pipelines.filter((each): each is Scheduled => each.schedule !== undefined)
  if (scheduled.length > 0) return scheduled
  throw new WindrowError('option-invalid', `None of the ${names.length} pipelines in "${folder}" has a schedule.`, {
    hint: 'Add one to a pipeline:  schedule: { cron: "15 2 * * *", zone: Pacific/Auckland }',
  })
}

function listYaml(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /\.ya?ml$/i.test(name))
      .sort()
  } catch (cause) {
    throw new WindrowError('file-missing', `There is no folder "${folder}".`, {
      hint: 'Name the folder with the pipeline files.',
      cause,
    })
  }
}

/** A failure of one pipeline is told and counted; the others go on. */
function entryOf(pipeline: Scheduled, input: Input, surroundings: Surroundings): Entry {
  const { schedule: timetable, name } = pipeline
  return {
    name,
    timetable,
    timeoutMs: timetable.timeoutMs,
    async run(_due, signal) {
      try {
        // The file is read again each time, so that a change of the pipeline takes effect without a restart.
        const current = await readPipeline(pipeline.path, await knownFormats(input, surroundings))
        return await runPipeline(current, input, { ...surroundings, signal })
      } catch (cause) {
        if (!(cause instanceof WindrowError)) throw cause
        const { code, message, hint } = cause
        if (flag(input, 'json'))
          say(
            surroundings.terminal,
            JSON.stringify({ pipeline: name, error: { code, message, hint }, exit: cause.exit }),
          )
        else surroundings.terminal.err.write(`${plain(`${name}: ${message} ${hint ?? ''}`)}\n`)
        return cause.exit
      }
    },
  }
}

function tellEvent(event: ScheduleEvent, asJson: boolean, { terminal, clock }: Surroundings): void {
  if (asJson) {
    say(terminal, JSON.stringify({ at: clock().toISOString(), ...event }))
    return
  }
  if (event.kind === 'hindered') {
    terminal.err.write(`${plain(`${clock().toISOString()}  ${event.reason} What is due waits.`)}\n`)
    return
  }
  const words = {
    waiting: `next at ${event.due.toISOString()}`,
    started: `due ${event.due.toISOString()}, starts`,
    taken: 'is run by another process',
    ended: event.kind === 'ended' ? `ended with exit ${event.exit}` : '',
  }
  say(terminal, plain(`${clock().toISOString()}  ${event.name}  ${words[event.kind]}`))
}
