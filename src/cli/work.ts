/** Runs `windrow work`: takes runs of many farms from the queue in PostgreSQL, beside other workers on other machines. */

import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { openTraffic, type Traffic } from '../client/traffic.ts'
import { WindrowError } from '../core/error.ts'
import { takeLock } from '../core/postgres.ts'
import { isGood, type Timetable } from '../schedule/due.ts'
import type { Ending, OnEvent } from '../schedule/events.ts'
import { openHistory, type History } from '../schedule/history.ts'
import { healByHand, inOrder, openTimes, termsOf, tryNight, type Keeping } from '../schedule/keeper.ts'
import { openScheduleMemory, type ScheduleMemory } from '../schedule/memory.ts'
import {
  openPauses,
  openQueue,
  prepareQueue,
  startWorker,
  type Outcome,
  type QueuedRun,
  type RunQueue,
  type Worker,
} from '../schedule/queue.ts'
import { openQuotas, type Quotas } from '../schedule/quotas.ts'
import {
  connectionOption,
  flag,
  storeOption,
  wholeNumber,
  word,
  type Call,
  type CommandSpec,
} from './options/command.ts'
import { clusterMeasures } from './schedule/cluster-status.ts'
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
import { refuseConnection, storeOf, tenantsOf, tenantsPath } from './options/reach.ts'
import { reportBroken, runnerOf } from './schedule.ts'
import { tenantsFile } from './platform/tenants.ts'
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
  /** The same for a run, which names tenants.yaml. */
  readonly forRuns: () => Call
  /** What this worker knows of pipelines: where they are, and when they are due. */
  readonly known: Map<string, { readonly file: string; readonly timetable: Timetable | undefined }>
}

async function runWork(call: Call): Promise<number> {
  const { signal, sleep } = call
  const store = requiredStore(call)
  const root = resolve(call.folder, word(call, 'folder'))
  if (flag(call, 'test-notify')) return testNotify(root, call)
  const log = logOf({ ...call, options: { log: 'text', ...call.options } })!
  const forRuns = withTenants(root, call)
  await tenantsOf(root, forRuns())
  refuseConnection(call, tenantsPath(forRuns()))
  const working = { root, store, log, call, forRuns, known: new Map() }
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

/** Once there was a tenants.yaml, nothing runs without it: whoever replaces it may remove it for a moment. */
function withTenants(root: string, call: Call): () => Call {
  const beside = join(root, tenantsFile)
  let isShared = false
  return () => {
    isShared ||= existsSync(beside)
    const { env } = call
    return isShared ? { ...call, env: { ...env, WINDROW_TENANTS: env['WINDROW_TENANTS'] || beside } } : call
  }
}

async function workWhileConnected(working: Working): Promise<void> {
  const { root, store, log, call, forRuns, known } = working
  const { signal, sleep, clock } = call
  const atOnce = wholeNumber(call, 'at-once', { from: 1, to: 32 }) ?? 2
  const untilEmpty = flag(call, 'until-empty')
  await prepareQueue(store)
  using memory = openScheduleMemory(store)
  using queue = openQueue(store)
  using pauses = openPauses(store, clock)
  const traffic = openTraffic(pauses)
  using history = openHistory(store)
  using quotas = openQuotas(store, history, sleep)
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
      measures: async () => clusterMeasures(queue, history, await tenantsOf(root, forRuns())),
    },
    { ...call, terminal: log.terminalOf() },
  )
  try {
    if (watch.fault !== undefined) log.line({ level: 'error', message: watch.fault.message })
    const deps = { ...working, memory, queue, traffic, quotas, watch }
    const addDue = dueAdder(deps)
    worker = await startWorker(store, atOnce, {
      run: (queued) => runQueued(queued, deps),
      full: quotas.full,
    })
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
        healFailed(deps, history)
        history.prune()
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
  readonly quotas: Quotas
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
  const { root, call, forRuns, memory, queue, watch, known } = deps
  const read: ReadBefore = new Map()
  let reported: ReadonlyMap<string, string> = new Map()
  const report = (broken: readonly Broken[]): void => {
    reported = reportBroken(broken, reported, hearing(deps, undefined))
  }
  return async () => {
    let found: Awaited<ReturnType<typeof readFarms>>
    try {
      const formats = await knownFormats(call)
      found = await readFarms(root, { formats, tenants: await tenantsOf(root, forRuns()), before: read })
    } catch (failure) {
      if (!(failure instanceof WindrowError) || failure.code !== 'tenants-invalid') throw failure
      return report([{ file: tenantsFile, failure }])
    }
    const { pipelines, broken } = found
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
      for (const due of openTimes({ ...each, timetable }, memory, now))
        enqueue({ ...each, due, by: 'timetable' }, memory, queue)
    }
  }
}

/** Ends the failed nights of pipelines that a person has run well since. */
function healFailed(deps: Deps, history: History): void {
  const { memory } = deps
  for (const name of memory.troubled()) {
    const ranWell = (since: Date): Ending | undefined => {
      const { exit, code } = history.lastSince(name, since) ?? {}
      return exit !== undefined && isGood(exit, code) ? { exit } : undefined
    }
    healByHand({ name, ranWell }, { memory, onEvent: hearing(deps, undefined) })
  }
}

/** A pipeline with what its place in the order depends on. */
export function asTried({ pipeline, ...found }: FarmPipeline) {
  const terms = termsOf(pipeline)
  return { ...found, ...terms, after: terms.after.map((other) => `${found.farm}/${other}`) }
}

/** Adds a run, unless one for this time was added before. */
export function enqueue(
  { name, farm, tenant, file, due, by }: QueuedRun,
  memory: ScheduleMemory,
  queue: RunQueue,
): boolean {
  return memory.claim(name, due, due, () => queue.add({ name, farm, tenant, file, due, by }))
}

/** Runs what came from the queue, if its tenant may run it now. */
async function runQueued(queued: QueuedRun & { readonly tries: number }, deps: Deps): Promise<Outcome> {
  const { root, log, quotas, forRuns } = deps
  const { name, tenant, file } = queued
  try {
    const found = (await tenantsOf(root, forRuns()))?.of(join(root, file))
    if (found === undefined) return await runNow(queued, deps)
    const place = quotas.begin(found.name, found.quota, tenant)
    if ('reason' in place) return { kind: 'postponed', reason: place.reason }
    return await runNow(queued, deps).finally(() => place.release())
  } catch (cause) {
    if (!(cause instanceof WindrowError)) throw cause
    if (cause.code === 'tenants-invalid') {
      quotas.spare(tenant)
      return { kind: 'postponed', reason: cause.message }
    }
    log.line({ level: 'error', pipeline: name, message: cause.message })
    return { kind: cause.code === 'store-unreachable' ? 'again' : 'failed', reason: cause.message }
  }
}

async function runNow(queued: QueuedRun, deps: Deps): Promise<Outcome> {
  const { root, log, memory, traffic, known } = deps
  const { name, farm, tenant, file, by } = queued
  const call = deps.forRuns()
  const pipeline = await readUnlessKnown(join(root, file), await knownFormats(call))
  const { clock, signal, sleep } = call
  known.set(name, { file, timetable: pipeline.schedule })
  const keeping: Keeping = { memory, clock, sleep, signal, onEvent: hearing(deps, pipeline.schedule?.zone) }
  const run = runnerOf({ ...pipeline, name }, { traffic, by, log, call })
  const ended = await tryNight({ ...asTried({ name, farm, tenant, file, pipeline }), run }, keeping)
  if (ended !== undefined && isGood(ended.exit, ended.failure)) return { kind: 'done' }
  const night = memory.night(name)
  const reason = night?.reason ?? `"${name}" is held, or another process runs it`
  return { kind: ended === undefined || night?.next !== undefined ? 'again' : 'failed', reason }
}
