/** Runs `windrow work`: takes runs of many farms from the queue in PostgreSQL, beside other workers on other machines. */

import { join, resolve } from 'node:path'
import { openTraffic } from '../client/traffic.ts'
import { WindrowError } from '../core/error.ts'
import type { OnEvent } from '../schedule/events.ts'
import { counter, gauge, type Measure } from '../service/store/metrics.ts'
import { queueStates, type FarmPipeline, type Tally } from '../workers/queue.ts'
import { work as workOn } from '../workers/worker.ts'
import {
  connectionOption,
  flag,
  storeOption,
  wholeNumber,
  word,
  type Call,
  type CommandSpec,
} from './options/command.ts'
import { formatModuleOption, knownFormats } from './options/format-module.ts'
import { nameInStore, storeOf } from './options/reach.ts'
import { brokenBy, readFarms, readUnlessKnown, type ReadBefore } from './schedule/schedule-folder.ts'
import { logOf, logOption, logEvent } from './schedule/schedule-text.ts'
import { metricsOptions, startMetrics } from './schedule/schedule-watch.ts'
import { reportBroken, runnerOf } from './schedule.ts'

export const work: CommandSpec = {
  words: { folder: 'the folder of all farms: each folder in it has the pipelines of one farm' },
  options: {
    '--at-once <NUMBER>': 'how many farms this worker runs at once (default: 2)',
    '--until-empty': 'exit when the queue is empty, and add nothing that is due',
    ...metricsOptions,
    ...logOption,
    ...formatModuleOption,
    ...connectionOption,
    ...storeOption,
  },
  examples: [
    'windrow work farms --store postgres://windrow@db.example/windrow',
    'windrow work farms --until-empty --log json',
  ],
  run: runWork,
}

/** The address of --store or WINDROW_STORE. Throws 'option-invalid' without one. */
export function requiredStore(call: Call): string {
  const store = storeOf(call)
  if (store !== undefined) return store
  throw new WindrowError('option-invalid', 'Workers share their work in a PostgreSQL database, and none is named.', {
    hint: 'Name it with --store postgres://user@host/database, or in WINDROW_STORE. One machine alone needs none: use windrow schedule.',
  })
}

async function runWork(call: Call): Promise<number> {
  const { clock, sleep, signal } = call
  const store = requiredStore(call)
  const root = resolve(call.folder, word(call, 'folder'))
  const formats = await knownFormats(call)
  const log = logOf({ ...call, options: { log: 'text', ...call.options } })!
  const zones = new Map<string, string | undefined>()
  const exits = new Map<number, number>()
  const onEvent: OnEvent = (event) => {
    logEvent(event, 'name' in event ? zones.get(event.name) : undefined, log)
    if (event.kind === 'ended') exits.set(event.exit, (exits.get(event.exit) ?? 0) + 1)
  }
  const before: ReadBefore = new Map()
  let pipelines: readonly FarmPipeline[] | undefined
  let reported: ReadonlyMap<string, string> = new Map()
  await using metrics = await startMetrics({ ...call, terminal: log.terminalOf() })
  await workOn({
    store,
    atOnce: wholeNumber(call, 'at-once', { from: 1, to: 32 }) ?? 2,
    untilEmpty: flag(call, 'until-empty'),
    async readAll() {
      const found = await readFarms(root, { formats, before }).catch((failure: unknown) => {
        // A share that is away for a moment does not end a worker. What is due runs all the same.
        if (pipelines === undefined) throw failure
        return { pipelines, broken: [brokenBy(failure, root)] }
      })
      reported = reportBroken(found.broken, reported, onEvent)
      return (pipelines = found.pipelines)
    },
    async read(file) {
      const pipeline = await readUnlessKnown(join(root, file), formats)
      zones.set(nameInStore(pipeline), pipeline.schedule?.zone)
      return pipeline
    },
    runnerWith(pauses) {
      const traffic = openTraffic(pauses)
      return (pipeline, attempt) => runnerOf(pipeline, { traffic, log, call })(attempt)
    },
    onEvent,
    onLook: async (tally) => metrics?.show(measuresOf(tally, exits)),
    note: (level, message) => log.line({ level, message }),
    clock,
    sleep,
    signal,
  })
  return 0
}

/** The queue, and the runs of this worker, for Prometheus. */
function measuresOf(tally: Tally, exits: ReadonlyMap<number, number>): readonly Measure[] {
  return [
    ...queueStates.map((state) => gauge('windrow_queue_runs', 'The runs in the queue.', tally[state], { state })),
    ...[...exits].map(([exit, runs]) =>
      counter('windrow_worker_runs_total', 'The runs that this worker tried, by exit status.', runs, {
        exit: `${exit}`,
      }),
    ),
  ]
}
