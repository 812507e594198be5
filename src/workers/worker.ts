/** Runs what comes from the queue, on one machine of many, until it is stopped; waits for a database that goes away. */

import { WindrowError } from '../core/error.ts'
import { openPostgres } from '../core/postgres.ts'
import { plural } from '../core/values/plural.ts'
import type { Pipeline } from '../pipeline/definition/definition.ts'
import { errorFacts, type RunError } from '../pipeline/report/report.ts'
import { isGood, nextTime, nextTry } from '../schedule/due.ts'
import type { Ending } from '../schedule/events.ts'
import { notAfter, termsOf, type Keeping, type Try } from '../schedule/keeper.ts'
import {
  othersOf,
  openQueue,
  type Failed,
  type FarmPipeline,
  type RunQueue,
  type Tally,
  type TakenRun,
} from './queue.ts'

export type WorkDeps = Pick<Keeping, 'onEvent' | 'clock' | 'sleep' | 'signal'> & {
  readonly store: string
  readonly atOnce: number
  /** Ends when the queue is empty, and adds nothing that is due. */
  readonly untilEmpty: boolean
  /** Reads the pipelines of all farms. */
  readonly readAll: () => Promise<readonly FarmPipeline[]>
  /** Reads one. Throws a WindrowError where it cannot be used. */
  readonly read: (file: string) => Promise<Pipeline>
  /** Makes what runs one, and reports its own failures. Its connections to a service share the pauses. */
  readonly runnerWith: (pauses: Pauses) => (pipeline: Pipeline, attempt: Try) => Promise<Ending>
  /** Writes a line about the worker itself. */
  readonly note: (level: 'info' | 'warning' | 'error', message: string) => void
  /** Hears how the queue is, every few seconds. */
  readonly onLook: (tally: Tally) => Promise<void>
}

const lookEveryMs = 2000
// Somebody waits for the end.
const lookSoonMs = 250
const readEveryMs = 30_000
const lostMs = 10_000
// For the news of new runs, the cron, and looking.
const moreConnections = 3

/** Works until the signal is aborted, or until the queue is empty. */
export async function work(deps: WorkDeps): Promise<void> {
  const { sleep, signal, note } = deps
  for (;;)
    try {
      return await workWhileConnected(deps)
    } catch (cause) {
      if (!(cause instanceof WindrowError) || cause.code !== 'store-unreachable' || signal.aborted) throw cause
      note('error', `${cause.message} This worker tries again in ${lostMs / 1000} s.`)
      await sleep(lostMs, signal).catch(() => undefined)
    }
}

async function workWhileConnected(deps: WorkDeps): Promise<void> {
  const { store, atOnce, untilEmpty, readAll, onLook, runnerWith, note, clock, sleep, signal } = deps
  await using queue = await openQueue(store, atOnce + moreConnections)
  using pauses = openPauses(store, clock)
  const lost = Promise.withResolvers<void>()
  const taking = await queue.take({
    atOnce,
    pipelines: untilEmpty ? [] : await readAll(),
    run: (taken) => tryRun(taken, { ...deps, queue, run: runnerWith(pauses), onLost: lost.reject }),
  })
  note('info', `working, ${plural(atOnce, 'run')} at once`)
  const ended = Promise.race([taking.ended, lost.promise])
  ended.catch(() => undefined)
  try {
    let readMs = clock().getTime()
    while (!signal.aborted) {
      if ((await queue.takeOver()) > 0) note('warning', 'the runs of a worker that died are in the queue again')
      if (!untilEmpty && clock().getTime() - readMs >= readEveryMs) {
        readMs = clock().getTime()
        taking.schedule(await readAll())
      }
      const tally = await queue.tally()
      await onLook(tally)
      if (untilEmpty && tally.running + tally.late + tally.waiting === 0) break
      await Promise.race([sleep(untilEmpty ? lookSoonMs : lookEveryMs, signal).catch(() => undefined), ended])
    }
  } finally {
    await taking.stop()
  }
}

type TryDeps = Pick<WorkDeps, 'read' | 'onEvent' | 'clock' | 'signal'> & {
  readonly queue: RunQueue
  readonly run: ReturnType<WorkDeps['runnerWith']>
  readonly onLost: (failure: WindrowError) => void
}

/** Tries a run, unless one that it waits for is not done. Undefined if it is done. */
async function tryRun(taken: TakenRun, deps: TryDeps): Promise<Failed | undefined> {
  const { name, farm, file, due } = taken
  const { queue, read, onEvent, clock } = deps
  let pipeline: Pipeline
  try {
    pipeline = { ...(await read(file)), name }
  } catch (cause) {
    if (!(cause instanceof WindrowError)) throw cause
    onEvent({ kind: 'broken', file, exit: cause.exit, failure: errorFacts(cause) })
    return { reason: reasonOf(cause), isFinal: true }
  }
  // This run does what those before could not. An export of a day does not do it for another day.
  if (pipeline.schedule?.missed !== 'all') await queue.forgetFailed(name)
  const before = await queue.unfinished(othersOf({ farm, pipeline }))
  if (before !== undefined && before.state !== 'failed') {
    onEvent({ kind: 'held', name, due, after: before.name })
    return { reason: `It waits for "${before.name}".`, isFinal: false }
  }
  const began = clock()
  const ending =
    before === undefined
      ? await runNow(pipeline, taken, deps)
      : notAfter(name, { name: before.name, reason: before.error ?? '' })
  return failedBy(ending, { pipeline, taken, began }, deps)
}

function runNow(pipeline: Pipeline, { name, due, tries, lastError }: TakenRun, deps: TryDeps): Promise<Ending> {
  const { run, onEvent, signal } = deps
  const { timeoutMs } = termsOf(pipeline)
  onEvent({ kind: 'started', name, due, tries })
  const timeout = timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)]
  const failedBefore = lastError?.split(':', 1)[0]
  return run(pipeline, { due, failedBefore, signal: AbortSignal.any([signal, ...timeout]) })
}

type Tried = { readonly pipeline: Pipeline; readonly taken: TakenRun; readonly began: Date }

/** What the end of a try means for the queue, and reports it. */
function failedBy(
  ending: Ending,
  { pipeline, taken: { name, due, tries }, began }: Tried,
  { onEvent, onLost, clock, signal }: TryDeps,
): Failed | undefined {
  const { exit, failure } = ending
  const reason = failure === undefined ? `exit ${exit}` : reasonOf(failure)
  if (failure?.code === 'run-busy') {
    onEvent({ kind: 'taken', name, due })
    return { reason, isFinal: false }
  }
  onEvent({ kind: 'ended', name, due, tries, ...ending })
  if (isGood(exit, failure)) return undefined
  if (failure?.code === 'store-unreachable') onLost(new WindrowError('store-unreachable', failure.message))
  if (signal.aborted) return { reason, isFinal: false }
  const { timetable, patience } = termsOf(pipeline)
  const now = clock()
  // A run may have waited long for its first try.
  const first = tries === 1 ? began : due
  const again = nextTry(ending, patience, { first, began, now, zone: timetable?.zone ?? 'UTC' })
  if (again === undefined)
    onEvent({ kind: 'gave-up', name, due, tries, next: timetable && nextTime(timetable, now), ...ending })
  else onEvent({ kind: 'retrying', name, due, tries, at: nextTryOf(tries, now), until: again.until, ...ending })
  return { reason, isFinal: again === undefined }
}

/** When graphile-worker tries a run again. */
function nextTryOf(tries: number, now: Date): Date {
  return new Date(now.getTime() + 1000 * Math.exp(Math.min(tries, 10)))
}

function reasonOf({ code, message }: RunError): string {
  return `${code}: ${message}`
}

export type Pauses = ReturnType<typeof openPauses>

/**
 * Opens the pauses that services asked for with 429 and 503, which all workers keep. Times are those of `clock`; the server's clock
 * decides, whatever a machine's own one shows.
 */
export function openPauses(url: string, clock: () => Date) {
  const database = openPostgres(url, {
    schema: 'windrow_workers',
    subject: 'pauses',
    tables: { version: 1, create: 'CREATE TABLE pauses (host TEXT PRIMARY KEY, until TIMESTAMPTZ NOT NULL)' },
  })
  const get = database.prepare(
    'SELECT CAST(extract(epoch FROM until - now()) * 1000 AS BIGINT) AS ms FROM pauses WHERE host = ? AND until > now()',
  )
  // Of two workers that were told to wait, the longer time counts.
  const set = database.prepare(
    `INSERT INTO pauses VALUES (?, now() + CAST(? AS BIGINT) * interval '1 ms')
     ON CONFLICT (host) DO UPDATE SET until = greatest(pauses.until, excluded.until)`,
  )
  return {
    get(host: string): number | undefined {
      const found = get.get(host)
      return found === undefined ? undefined : clock().getTime() + Number(found['ms'])
    },
    set: (host: string, until: number) => void set.run(host, Math.ceil(until - clock().getTime())),
    // It ends by itself: another worker may have been told later to wait longer.
    delete: () => undefined,
    [Symbol.dispose]: () => database.close(),
  }
}
