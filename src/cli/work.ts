/** Runs `windrow work`: takes runs of many farms from the queue in PostgreSQL, beside other workers on other machines. */

import { dirname, join, resolve } from 'node:path'
import { openTraffic, type Traffic } from '../client/traffic.ts'
import { WindrowError } from '../core/error.ts'
import { takeLock } from '../core/postgres.ts'
import { isGood, type Timetable } from '../schedule/due.ts'
import type { OnEvent } from '../schedule/events.ts'
import { inOrder, openTimes, termsOf, tryNight, type Keeping } from '../schedule/keeper.ts'
import { openScheduleMemory, type ScheduleMemory } from '../schedule/memory.ts'
import {
  openPauses,
  openQueue,
  prepareQueue,
  queueStates,
  startWorker,
  type Outcome,
  type QueuedRun,
  type RunQueue,
  type Worker,
} from '../schedule/queue.ts'
import { gauge, type Measure } from '../service/store/metrics.ts'
import {
  connectionOption,
  flag,
  storeOption,
  wholeNumber,
  word,
  type Call,
  type CommandSpec,
} from './options/command.ts'
import {
  readFarms,
  readUnlessKnown,
  type FarmPipeline,
  type Broken,
  type ReadBefore,
} from './schedule/schedule-folder.ts'
import { formatModuleOption, knownFormats } from './options/format-module.ts'
import { logOf, logOption, logEvent, type Log } from './schedule/schedule-text.ts'
import {
  metricsOptions,
  notifyOptions,
  startScheduleWatch,
  testNotify,
  type ScheduleWatch,
} from './schedule/schedule-watch.ts'
import { storeOf } from './options/reach.ts'
import { reportBroken, runnerOf } from './schedule.ts'
import { counted } from './screen/terminal.ts'

export const work: CommandSpec = {
  words: { folder: 'the folder of all farms: each folder in it has the pipelines of one farm' },
  options: {
    '--at-once <NUMBER>': 'how many farms this worker runs at once (default: 2)',
    '--until-empty': 'exit when the queue is empty, and add nothing that is due',
    ...notifyOptions,
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

const lookEveryMs = 2000
// Somebody waits for the end.
const lookSoonMs = 250
const timetableEveryMs = 30_000
// Messages and metrics.
const restEveryMs = 15_000
const lostMs = 10_000

type Working = {
  readonly root: string
  readonly store: string
  readonly log: Log
  readonly call: Call
  /** What this worker knows of pipelines: where they are, and when they are due. */
  readonly known: Map<string, { readonly file: string; readonly timetable: Timetable | undefined }>
}

async function runWork(call: Call): Promise<number> {
  const { signal, sleep } = call
  const store = requiredStore(call)
  const root = resolve(call.folder, word(call, 'folder'))
  if (flag(call, 'test-notify')) return testNotify(root, call)
  const log = logOf({ ...call, options: { log: 'text', ...call.options } })!
  const working = { root, store, log, call, known: new Map() }
  for (;;)
    try {
      await workWhileConnected(working)
      return 0
    } catch (cause) {
      if (!(cause instanceof WindrowError) || cause.code !== 'store-unreachable' || signal.aborted) throw cause
      log.line({ level: 'error', message: `${cause.message} This worker tries again in ${lostMs / 1000} s.` })
      await sleep(lostMs, signal).catch(() => undefined)
    }
}

async function workWhileConnected(working: Working): Promise<void> {
  const { root, store, log, call, known } = working
  const { signal, sleep, clock } = call
  const atOnce = wholeNumber(call, 'at-once', { from: 1, to: 32 }) ?? 2
  const untilEmpty = flag(call, 'until-empty')
  await prepareQueue(store)
  using memory = openScheduleMemory(store)
  using queue = openQueue(store)
  using pauses = openPauses(store, clock)
  const traffic = openTraffic(pauses)
  let lead: ReturnType<typeof takeLock>
  let worker: Worker | undefined
  let [lookedMs, restedMs] = [-Infinity, -Infinity]
  await using watch = await startScheduleWatch(
    {
      folder: root,
      place: store,
      stateOf: (name) => join(root, dirname(known.get(name)?.file ?? ''), '.windrow'),
      timetables: () => timetablesIn(known),
      summarises: () => lead !== undefined,
      log,
      measures: () => queueMeasures(queue),
    },
    { ...call, terminal: log.terminalOf() },
  )
  try {
    if (watch.fault !== undefined) log.line({ level: 'error', message: watch.fault.message })
    const deps = { ...working, memory, queue, traffic, watch }
    const addDue = dueAdder(deps)
    worker = await startWorker(store, atOnce, { run: (queued) => runQueued(queued, deps) })
    log.line({ level: 'info', message: `working, ${counted(atOnce, 'run')} at once` })
    while (!signal.aborted) {
      const died = queue.takeOver()
      if (died > 0) log.line({ level: 'warning', message: 'the runs of a worker that died are in the queue again' })
      if (untilEmpty && queue.countOpen() === 0) break
      // One of the workers watches the clock for all.
      lead ??= untilEmpty ? undefined : takeLock(store, 'timetable')
      const now = clock().getTime()
      if (lead !== undefined && now - lookedMs >= timetableEveryMs) {
        lookedMs = now
        await addDue()
      }
      if (now - restedMs >= restEveryMs) {
        restedMs = now
        await watch.rest()
      }
      await sleep(untilEmpty ? lookSoonMs : lookEveryMs, signal).catch(() => undefined)
    }
    await worker.stop()
    worker = undefined
    if (untilEmpty) await watch.finish()
  } finally {
    await worker?.stop()
    lead?.release()
  }
}

type Deps = Working & {
  readonly memory: ScheduleMemory
  readonly queue: RunQueue
  readonly traffic: Traffic
  readonly watch: ScheduleWatch
}

/** Writes each event into the log and has it reported. Of a pipeline's failed runs, only the last stays in the queue; none when it is well again. */
function hearing({ log, watch, queue }: Deps, zone: string | undefined): OnEvent {
  return (event) => {
    logEvent(event, zone, log)
    watch.hear(event)
    const isGoodEnd = event.kind === 'ended' && isGood(event.exit, event.failure)
    if (isGoodEnd || event.kind === 'healed' || event.kind === 'gave-up') queue.forgetFailed(event.name)
  }
}

function timetablesIn(known: Working['known']): ReadonlyMap<string, Timetable> {
  return new Map([...known].flatMap(([name, { timetable }]) => (timetable === undefined ? [] : [[name, timetable]])))
}

/** Makes the function that adds what is due to the queue, and reports files that cannot be used, once for each new mistake. */
function dueAdder(deps: Deps): () => Promise<void> {
  const { root, call, memory, queue, watch, known } = deps
  const read: ReadBefore = new Map()
  let reported: ReadonlyMap<string, string> = new Map()
  const report = (broken: readonly Broken[]): void => {
    reported = reportBroken(broken, reported, hearing(deps, undefined))
  }
  return async () => {
    const { pipelines, broken } = await readFarms(root, { formats: await knownFormats(call), before: read })
    report(broken)
    const before = new Set(known.keys())
    for (const { name, file, pipeline } of pipelines) {
      known.set(name, { file, timetable: pipeline.schedule })
      before.delete(name)
    }
    // A ping for all must not wait for a pipeline that is gone.
    for (const name of before) {
      known.delete(name)
      watch.hear({ kind: 'left', name })
    }
    const now = call.clock()
    for (const each of inOrder(pipelines.map(asTried))) {
      const { timetable } = each
      if (timetable === undefined) continue
      for (const due of openTimes({ ...each, timetable }, memory, now)) enqueue({ ...each, due }, memory, queue)
    }
  }
}

/** A pipeline with what its place in the order depends on. */
export function asTried({ pipeline, ...found }: FarmPipeline) {
  const terms = termsOf(pipeline)
  return { ...found, ...terms, after: terms.after.map((other) => `${found.farm}/${other}`) }
}

/** Adds a run, unless one for this time was added before. */
export function enqueue({ name, farm, file, due }: QueuedRun, memory: ScheduleMemory, queue: RunQueue): boolean {
  return memory.claim(name, due, due, () => queue.add({ name, farm, file, due }))
}

/** Runs what came from the queue. */
async function runQueued(queued: QueuedRun & { readonly tries: number }, deps: Deps): Promise<Outcome> {
  try {
    return await runNow(queued, deps)
  } catch (cause) {
    if (!(cause instanceof WindrowError)) throw cause
    deps.log.line({ level: 'error', pipeline: queued.name, message: cause.message })
    return { kind: cause.code === 'store-unreachable' ? 'again' : 'failed', reason: cause.message }
  }
}

async function runNow(queued: QueuedRun, deps: Deps): Promise<Outcome> {
  const { root, log, memory, traffic, known, call } = deps
  const { name, farm, file } = queued
  const pipeline = await readUnlessKnown(join(root, file), await knownFormats(call))
  const { clock, signal, sleep } = call
  known.set(name, { file, timetable: pipeline.schedule })
  const keeping: Keeping = { memory, clock, sleep, signal, onEvent: hearing(deps, pipeline.schedule?.zone) }
  const run = runnerOf({ ...pipeline, name }, { traffic, log, call })
  const ended = await tryNight({ ...asTried({ name, farm, file, pipeline }), run }, keeping)
  if (ended !== undefined && isGood(ended.exit, ended.failure)) return { kind: 'done' }
  const night = memory.night(name)
  const reason = night?.reason ?? `"${name}" is held, or another process runs it`
  return { kind: ended === undefined || night?.next !== undefined ? 'again' : 'failed', reason }
}

/** The queue for Prometheus. */
function queueMeasures(queue: RunQueue): readonly Measure[] {
  const counts = Map.groupBy(queue.list(), ({ state }) => state)
  return queueStates.map((state) =>
    gauge('windrow_queue_runs', 'The runs in the queue.', counts.get(state)?.length ?? 0, { state }),
  )
}
