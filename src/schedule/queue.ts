/**
 * Queues runs in PostgreSQL. There graphile-worker gives each run to one worker, keeps the runs of a farm in order, tries a
 * failed one again, and keeps one that failed for good until a person looks at it.
 */

import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type * as Graphile from 'graphile-worker'
import { WindrowError } from '../core/error.ts'
import { once } from '../core/once.ts'
import { openPool } from '../core/postgres-client.ts'
import { failureOf, takeLock } from '../core/postgres.ts'
import { openSchedule } from './memory.ts'

/** A run to do: the pipeline by its name and its file below the folder of all farms, and the time that it is due for. */
export type QueuedRun = {
  readonly name: string
  readonly farm: string
  readonly file: string
  readonly due: Date
}

/** A run in the queue. `worker` is the one that has it now. */
export type Queued = ReturnType<RunQueue['list']>[number]

/** What became of a try: done with; to be tried again by the queue; or failed for good. */
export type Outcome = { readonly kind: 'done' } | { readonly kind: 'again' | 'failed'; readonly reason: string }

/** One that has failed is not tried again by itself. */
export const queueStates = ['running', 'late', 'waiting', 'failed'] as const
export type QueueState = (typeof queueStates)[number]

export type RunQueue = ReturnType<typeof openQueue>

const task = 'windrow-run'
// With the waiting times of the queue these take about four hours.
const mostTries = 10

// A run that is due for longer is late: a farm's runs wait for each other, and workers look every second.
const runs = `(SELECT *, CASE WHEN locked_by IS NOT NULL THEN 'running' WHEN attempts >= max_attempts THEN 'failed'
    WHEN run_at < now() - interval '15 minutes' THEN 'late' ELSE 'waiting' END AS state
  FROM graphile_worker.jobs WHERE task_identifier = '${task}') AS runs`

/** Creates the queue in a database, or updates it. Throws 'part-missing' without the package for it. */
export async function prepareQueue(url: string): Promise<void> {
  const { runMigrations, Logger } = await import('graphile-worker').catch(failAs(url))
  const pool = await openPool(url, 2)
  try {
    await runMigrations({ pgPool: pool, logger: new Logger(silence) }).catch(failAs(url))
  } finally {
    await pool.end()
  }
}

/** Makes the failure of the queue's own connection, or of a package that is missing, one of the store. */
function failAs(url: string): (cause: unknown) => never {
  return (cause) => {
    const { message, code } = cause as Error & { readonly code?: string }
    throw failureOf({ fault: message, code }, url)
  }
}

/** The schedule and the log of windrow say what happens. */
const silence = () => () => undefined

/** Opens the queue, which `prepareQueue` has made. */
export function openQueue(url: string) {
  const database = openSchedule(url)
  const add = database.prepare(
    `SELECT graphile_worker.add_job('${task}', CAST(? AS JSON), queue_name => ?, job_key => ?, max_attempts => ${mostTries},
       job_key_mode => 'unsafe_dedupe')`,
  )
  const list = database.prepare(
    `SELECT id, key, queue_name AS farm, CAST(run_at AS TEXT) AS "runAt", attempts AS tries, locked_by AS worker,
       state, last_error AS error
     FROM ${runs} ORDER BY locked_by IS NULL, run_at, id`,
  )
  const open = database.prepare(`SELECT count(*) AS n FROM ${runs} WHERE state <> 'failed'`)
  const failed = `SELECT id FROM ${runs} WHERE state = 'failed' AND (left(key, -${' at 2026-03-01T02:15:00.000Z'.length}) = ?1 OR ?1 = '')`
  const retry = database.prepare(
    `SELECT count(*) AS n FROM graphile_worker.reschedule_jobs(ARRAY(${failed}), run_at => now(), attempts => 0)`,
  )
  const forget = database.prepare(`SELECT count(*) AS n FROM graphile_worker.complete_jobs(ARRAY(${failed}))`)
  const workers = database.prepare(
    'SELECT DISTINCT locked_by AS worker FROM graphile_worker.jobs WHERE locked_by IS NOT NULL',
  )
  const unlock = database.prepare('SELECT graphile_worker.force_unlock_workers(ARRAY[?])')
  return {
    /** Adds a run; one for the same pipeline and time is there once. Within a transaction of the schedule it is a part of that. */
    add(run: QueuedRun) {
      const due = run.due.toISOString()
      add.get(JSON.stringify({ ...run, due }), run.farm, `${run.name} at ${due}`)
    },
    /** All runs that wait, are running or have failed, the next ones first. */
    list: () =>
      list.all().map(({ id, key, farm, runAt, tries, worker, state, error }) => {
        const written = String(key)
        const cut = written.lastIndexOf(' at ')
        return {
          id: Number(id),
          name: written.slice(0, cut),
          farm: String(farm),
          due: written.slice(cut + 4),
          runAt: new Date(String(runAt)).toISOString(),
          tries: Number(tries),
          worker: worker === null ? undefined : String(worker),
          state: state as QueueState,
          error: error === null ? (state === 'failed' ? 'each worker that had it died' : undefined) : String(error),
        }
      }),
    /** How many runs are waiting or running. */
    countOpen: () => Number(open.get()!['n']),
    /** Runs that failed for good are tried once more, soon; of all pipelines, or of one. Returns how many. */
    retry: (name?: string) => Number(retry.get(name ?? '')!['n']),
    /** Removes the failed runs of a pipeline, but not one that a worker still has. */
    forgetFailed: (name: string) => void forget.get(name),
    /** Gives the runs of workers that died to others. Returns how many workers that were. */
    takeOver(): number {
      let dead = 0
      for (const { worker } of workers.all()) {
        // A living worker holds its own lock.
        const lock = takeLock(url, lockOf(String(worker)))
        if (lock === undefined) continue
        unlock.get(worker!)
        lock.release()
        dead += 1
      }
      return dead
    },
    [Symbol.dispose]: () => database.close(),
  }
}

const lockOf = (worker: string): string => `worker ${worker}`

/** A worker takes runs, `atOnce` at a time, until it is stopped; then it finishes those that it has. */
export type Worker = { stop(): Promise<void> }

/** What a worker does. `run` never throws. */
export type WorkerDeps = {
  readonly run: (queued: QueuedRun & { readonly tries: number }) => Promise<Outcome>
}

export async function startWorker(url: string, atOnce: number, { run }: WorkerDeps): Promise<Worker> {
  const graphile = await import('graphile-worker')
  const { EventEmitter } = await import('node:events')
  const database = openSchedule(url)
  const giveUp = database.prepare(
    'SELECT count(*) AS n FROM graphile_worker.permanently_fail_jobs(ARRAY[CAST(? AS BIGINT)], ?)',
  )
  const locks: { release(): void }[] = []
  /** What is to be written about a job once the queue has written that its try failed. Returns whether it was. */
  const after = new Map<string, () => boolean>()
  const underWay = new Set<Promise<void>>()
  // The queue writes that a try failed only after it has said so.
  const write = async (isWritten: () => boolean): Promise<void> => {
    for (let tries = 0; tries < 50 && !isWritten(); tries += 1) await sleep(50)
  }
  const events: Graphile.WorkerEvents = new EventEmitter()
  // Before it takes its first run, a worker shows that it lives.
  events.on('pool:create', ({ workerPool }) => void locks.push(takeLock(url, lockOf(workerPool.id))!))
  events.on('job:complete', ({ job: { id } }) => {
    const isWritten = after.get(id)
    if (isWritten === undefined) return
    after.delete(id)
    const writing = write(isWritten).finally(() => underWay.delete(writing))
    underWay.add(writing)
  })
  ignoreLostWrites()
  const pool = await openPool(url, atOnce + 2)
  const starting = graphile.run({
    pgPool: pool,
    concurrency: atOnce,
    noHandleSignals: true,
    pollInterval: 1000,
    logger: new graphile.Logger(silence),
    events,
    parsedCronItems: [],
    taskList: {
      async [task](payload, { job }) {
        const { due, ...queued } = payload as Omit<QueuedRun, 'due'> & { readonly due: string }
        const outcome = await run({ ...queued, due: new Date(due), tries: job.attempts })
        if (outcome.kind === 'done') return
        const { kind, reason } = outcome
        if (kind === 'failed') after.set(job.id, () => Number(giveUp.get(job.id, reason)!['n']) > 0)
        throw new Error(reason)
      },
    },
  })
  const runner: Graphile.Runner = await starting.catch(failAs(url))
  return {
    async stop() {
      // Without a database nothing can be given back: others take over what this worker had.
      await runner.stop().catch(() => undefined)
      // The queue does not wait for its last writes, and a pool that ends gives them no connection any more.
      await nextTurn()
      await pool.end()
      await Promise.allSettled(underWay)
      for (const lock of locks) lock.release()
      database.close()
    },
  }
}

// When the database goes away, the queue does not catch the failures of its own writes, which may come long after its end: it tries
// some again for minutes. Whoever asks the database next reports it.
const ignoreLostWrites = once(() =>
  process.on('unhandledRejection', (cause) => {
    if (!isLostWrite(cause)) throw cause
  }),
)

function isLostWrite(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false
  const { code, message, stack = '' }: NodeJS.ErrnoException = cause
  const isLost = (failure: Error): boolean => failure instanceof WindrowError && failure.code === 'store-unreachable'
  // Most have no code, and the driver has many sentences for a connection that is gone.
  return (
    isLost(cause) ||
    (/[\\/](pg|pg-pool|graphile-worker)[\\/]/.test(stack) && isLost(failureOf({ fault: message, code }, '')))
  )
}

/**
 * Opens the pauses that services asked for, which all workers share; times are those of `clock`. The server's clock decides, whatever
 * a machine's own one shows.
 */
export function openPauses(url: string, clock: () => Date) {
  const database = openSchedule(url)
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
