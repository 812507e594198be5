/**
 * Keeps the runs that are to be done in PostgreSQL. There graphile-worker gives each run to one worker, keeps the runs of a farm in
 * order, adds what is due, tries a failed run again, and keeps one that failed for good until a person looks at it. Here are thin views
 * of its tables.
 */

import { EventEmitter } from 'node:events'
import type * as Graphile from 'graphile-worker'
import { openPool } from '../core/postgres-client.ts'
import { failureOf, takeLock, type Lock } from '../core/postgres.ts'
import { inOrder, termsOf } from '../schedule/keeper.ts'
import type { Pipeline } from '../pipeline/definition/definition.ts'
import { nextTime, type Missed, type Timetable } from '../schedule/due.ts'

/** A pipeline of a farm. `file` is its path below the folder of all farms, with slashes; `name` has the name of its folder, too. */
export type FarmPipeline = {
  readonly name: string
  readonly farm: string
  readonly file: string
  readonly pipeline: Pipeline
}

/** One that has failed is not tried again by itself. */
export const queueStates = ['running', 'late', 'waiting', 'failed'] as const
export type QueueState = (typeof queueStates)[number]

/** How many runs are in each state. */
export type Tally = Readonly<Record<QueueState, number>>

/** A run in the queue. `worker` is the one that has it now. */
export type Queued = ReturnType<typeof queuedFrom>

export type RunQueue = Awaited<ReturnType<typeof openQueue>>

/** What a worker does. `run` returns undefined when the run is done, else why it failed, and whether it failed for good. */
export type Taking = {
  readonly atOnce: number
  /** The pipelines that are added to the queue when they are due. */
  readonly pipelines: readonly FarmPipeline[]
  readonly run: (run: TakenRun) => Promise<Failed | undefined>
}

/** A run that a worker has taken; `lastError` is that of the try before. */
export type TakenRun = Omit<FarmPipeline, 'pipeline'> & {
  readonly due: Date
  readonly tries: number
  readonly lastError: string | undefined
}

export type Failed = { readonly reason: string; readonly isFinal: boolean }

const task = 'windrow-run'

// The key of a job is the name of its pipeline; one that is replaced while it runs loses its key, so the payload has the name, too. A
// run that is due for long is late: the runs of a farm wait for each other, and workers look every second.
const runs = `(SELECT jobs.*, payload ->> 'name' AS name, payload ->> 'farm' AS farm, coalesce(payload -> '_cron' ->> 'ts', payload ->> 'due') AS due,
    CASE WHEN locked_by IS NOT NULL THEN 'running' WHEN attempts >= max_attempts THEN 'failed'
      WHEN run_at < now() - interval '15 minutes' THEN 'late' ELSE 'waiting' END AS state
  FROM graphile_worker._private_jobs AS jobs
    JOIN (SELECT id AS task_id FROM graphile_worker._private_tasks WHERE identifier = '${task}') AS ours USING (task_id)) AS runs`

const failedOnes = `ARRAY(SELECT id FROM ${runs} WHERE state = 'failed' AND (name = $1 OR $1 = ''))`

/** Opens the queue with up to `most` connections; creates or updates it. Throws 'part-missing' without the packages for it. */
export async function openQueue(url: string, most = 2) {
  const fail = failAs(url)
  const graphile = await import('graphile-worker').catch(fail)
  const pool = await openPool(url, most).catch(fail)
  const logger = new graphile.Logger(() => () => undefined)
  try {
    await graphile.runMigrations({ pgPool: pool, logger }).catch(fail)
  } catch (failure) {
    await pool.end()
    throw failure
  }
  const ask = async <Row extends object>(sql: string, ...values: readonly unknown[]): Promise<readonly Row[]> =>
    (await pool.query<Row>(sql, [...values]).catch(fail)).rows
  const countOf = async (sql: string, ...values: readonly unknown[]): Promise<number> =>
    Number((await ask<{ readonly n: string }>(`SELECT count(*) AS n FROM ${sql}`, ...values))[0]!.n)
  const find = async (which: string, ...values: readonly unknown[]): Promise<readonly Queued[]> =>
    (await ask<Job>(`SELECT * FROM ${runs} ${which}`, ...values)).map(queuedFrom)
  return {
    /** All runs that wait, are running or have failed, the next ones first. */
    list: () => find('ORDER BY locked_by IS NULL, priority, run_at, id'),
    /** Adds a run of each. One that waits already keeps its place; one that failed or waits for its next try begins again. */
    add: (pipelines: readonly FarmPipeline[], due: Date) =>
      ask(
        `SELECT graphile_worker.add_job('${task}', run -> 'payload', queue_name => run ->> 'queueName', job_key => run ->> 'jobKey',
           priority => (run ->> 'priority')::INTEGER, job_key_mode => 'preserve_run_at') FROM json_array_elements($1::JSON) AS run`,
        JSON.stringify(jobsOf(pipelines).map(({ payload, options }) => ({ payload: { ...payload, due }, ...options }))),
      ),
    /** How many runs are in each state. */
    async tally(): Promise<Tally> {
      const counted = await ask<{ state: QueueState; n: string }>(`SELECT state, count(*) AS n FROM ${runs} GROUP BY 1`)
      const none: Tally = { running: 0, late: 0, waiting: 0, failed: 0 }
      return { ...none, ...Object.fromEntries(counted.map(({ state, n }) => [state, Number(n)])) }
    },
    /** Runs that failed for good are tried once more, soon; of all pipelines, or of one. Returns how many. */
    retry: (name = '') =>
      countOf(`graphile_worker.reschedule_jobs(${failedOnes}, run_at => now(), attempts => 0)`, name),
    /** Removes the runs of a pipeline that failed for good. */
    forgetFailed: (name: string) => countOf(`graphile_worker.complete_jobs(${failedOnes})`, name),
    /** The run of one of these pipelines that is not done yet; else one that failed for good. */
    unfinished: async (names: readonly string[]) =>
      (await find(`WHERE name = ANY($1) ORDER BY state = 'failed' LIMIT 1`, names))[0],
    /** Gives the runs of workers that died to others. Returns how many workers that were. */
    async takeOver(): Promise<number> {
      const busy = await ask<{ worker: string }>(
        `SELECT DISTINCT locked_by AS worker FROM ${runs} WHERE state = 'running'`,
      )
      let dead = 0
      for (const { worker } of busy) {
        // A living worker holds its own lock.
        using lock = takeLock(url, lockOf(worker))
        if (lock === undefined) continue
        await ask('SELECT graphile_worker.force_unlock_workers(ARRAY[$1])', worker)
        dead += 1
      }
      return dead
    },
    /** Takes runs, `atOnce` at a time, until `stop`, which waits for those that it has. `ended` rejects when it takes no more. */
    async take({ atOnce, pipelines, run }: Taking) {
      const locks: Lock[] = []
      const due = graphile.parseCronItems(cronItemsOf(pipelines))
      const events: Graphile.WorkerEvents = new EventEmitter()
      // Before it takes its first run, a worker shows that it lives.
      events.on('pool:create', ({ workerPool }) => void locks.push(takeLock(url, lockOf(workerPool.id))!))
      const lost = Promise.withResolvers<never>()
      events.on('pool:fatalError', ({ error }) => lost.reject(error as Error))
      const underWay = new Set<Promise<unknown>>()
      const runner = await graphile
        .run({
          pgPool: pool,
          concurrency: atOnce,
          noHandleSignals: true,
          pollInterval: 1000,
          logger,
          events,
          parsedCronItems: due,
          // With a delay, even of nothing, graphile-worker waits for its last writes, and catches those that fail.
          preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
          taskList: {
            async [task](payload, { job }) {
              const { _cron: cron, ...written } = payload as Payload
              const named = { ...written, due: new Date(cron?.ts ?? written.due!) }
              const running = run({ ...named, tries: job.attempts, lastError: job.last_error ?? undefined })
              underWay.add(running)
              const failed = await running.finally(() => underWay.delete(running))
              if (failed === undefined) return
              // It has a function for this, but only for a run that no worker has.
              if (failed.isFinal)
                await ask('UPDATE graphile_worker._private_jobs SET attempts = max_attempts WHERE id = $1', job.id)
              throw new Error(failed.reason)
            },
          },
        })
        .catch(fail)
      // It ends without a failure where its last writes failed, too.
      const unasked = runner.promise.then(() => Promise.reject(new Error('the queue ended')))
      const ended = Promise.race([unasked, lost.promise]).catch(fail)
      // Whoever waits for it hears of a failure; before, it must not end the process.
      ended.catch(() => undefined)
      return {
        ended,
        /** Takes the place of the pipelines before. */
        schedule: (present: readonly FarmPipeline[]): void =>
          void due.splice(0, due.length, ...graphile.parseCronItems(cronItemsOf(present))),
        async stop(): Promise<void> {
          // One that ended by itself is stopped already. Without a database nothing can be given back, and graphile-worker may wait for
          // its last writes for ever: others take over what it had.
          await Promise.race([Promise.allSettled([runner.stop(), ended]), lost.promise.catch(() => undefined)])
          await Promise.allSettled(underWay)
          for (const lock of locks) lock.release()
        },
      }
    },
    [Symbol.asyncDispose]: () => pool.end(),
  }
}

type Payload = Omit<FarmPipeline, 'pipeline'> & { readonly due?: string; readonly _cron?: { readonly ts: string } }

/** A row of the view `runs`; only what is used here. */
type Job = {
  readonly id: string
  readonly name: string
  readonly farm: string
  readonly due: string
  readonly run_at: Date
  readonly attempts: number
  readonly locked_by: string | null
  readonly state: QueueState
  readonly last_error: string | null
}

const lockOf = (worker: string): string => `worker ${worker}`

/** The jobs of pipelines. Those of one farm that are due together go in the order of `after`. */
function jobsOf(pipelines: readonly FarmPipeline[]) {
  return [...Map.groupBy(pipelines, ({ farm }) => farm).values()].flatMap((ofFarm) =>
    inOrder(ofFarm.map((each) => ({ ...each, after: othersOf(each) }))).map(
      ({ name, farm, file, pipeline }, priority) => ({
        pipeline,
        payload: { name, farm, file },
        options: { queueName: farm, jobKey: name, priority },
      }),
    ),
  )
}

/** What the cron adds. Each missed time of an export of that day is a run of its own; else one run for all of them is enough. */
function cronItemsOf(pipelines: readonly FarmPipeline[]): Graphile.CronItem[] {
  return jobsOf(pipelines).flatMap(({ pipeline: { schedule }, payload, options: { jobKey, ...options } }) => {
    if (schedule === undefined) return []
    const key = schedule.missed === 'all' ? {} : ({ jobKey, jobKeyMode: 'preserve_run_at' } as const)
    const more = { ...options, ...key, backfillPeriod: lookBackMs[schedule.missed] }
    return [{ task, identifier: jobKey, match: isDueBy(schedule), payload, options: more }]
  })
}

/** The names of the pipelines that one waits for, which are of the same farm. */
export function othersOf({ farm, pipeline }: Pick<FarmPipeline, 'farm' | 'pipeline'>): readonly string[] {
  return termsOf(pipeline).after.map((other) => `${farm}/${other}`)
}

/** Makes the failure of the queue's connection, or of a package that is missing, one of the store. */
function failAs(url: string): (cause: unknown) => never {
  return (cause) => {
    const { message, code } = cause as Error & { readonly code?: string }
    throw failureOf({ fault: message, code }, url)
  }
}

function queuedFrom(job: Job) {
  const { name, farm, state } = job
  return {
    id: Number(job.id),
    name,
    farm,
    due: new Date(job.due).toISOString(),
    runAt: job.run_at.toISOString(),
    tries: job.attempts,
    worker: job.locked_by ?? undefined,
    state,
    error: job.last_error ?? (state === 'failed' ? 'each worker that had it died' : undefined),
  }
}

/** A minute in UTC without its year; `month` counts from 1. */
type Minute = Readonly<Record<'min' | 'hour' | 'date' | 'month', number>>

type IsDue = (minute: Minute) => boolean

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000]

/**
 * How far back a worker that starts looks for what came due while none ran. A day may have 25 hours. Only a pipeline that runs once for
 * each time that it missed is still worth it after days.
 */
const lookBackMs: Readonly<Record<Missed, number>> = { skip: minuteMs, once: 25 * hourMs, all: 7 * dayMs }

/** Whether a timetable is due in a minute. The minutes of one that was asked before are known by the time that comes next. */
export function isDueBy({ cron, zone }: Pick<Timetable, 'cron' | 'zone'>): IsDue {
  const name = `${cron} ${zone}`
  const known = asked.get(name)
  if (known !== undefined) return known
  let [from, next] = [Infinity, -Infinity]
  const isDue: IsDue = (minute) => {
    const moment = momentOf(minute)
    if (moment < from || moment > next)
      [from, next] = [moment, nextTime({ cron, zone }, new Date(moment - 1))?.getTime() ?? Infinity]
    return moment === next
  }
  asked.set(name, isDue)
  return isDue
}

/** Thousands of farms have a few timetables between them. */
const asked = new Map<string, IsDue>()

/** The last such minute, by the clock of the machine, as the cron counts them. */
function momentOf({ month, date, hour, min }: Minute): number {
  const now = new Date()
  const inYear = (year: number): number => Date.UTC(year, month - 1, date, hour, min)
  const thisYear = inYear(now.getUTCFullYear())
  return thisYear > now.getTime() + dayMs ? inYear(now.getUTCFullYear() - 1) : thisYear
}
