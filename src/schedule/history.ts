/** Keeps in PostgreSQL who ran which pipeline when, on which machine, and how it ended: for an audit, and for rates by tenant. */

import { hostname, userInfo } from 'node:os'
import { openSchedule } from './memory.ts'

/** What was asked for. `by` is a person on a machine, or the timetable; `what` is the command. */
export type Asked = {
  readonly tenant: string
  readonly pipeline: string
  readonly what: string
  readonly by: string
  readonly due?: Date | undefined
}

/** How a run ended. `records` were sent, or written by an export; `run` is the name of its folder. */
type Ended = {
  readonly exit: number
  readonly code: string | undefined
  readonly run: string | undefined
  readonly records: number
}

/** A run that began. Without `ended` it is under way, or its process died. */
export type PastRun = Omit<Asked, 'due'> & {
  readonly worker: string
  readonly due: string | undefined
  readonly began: string
  readonly ended: string | undefined
  readonly exit: number | undefined
  readonly code: string | undefined
  readonly run: string | undefined
  readonly records: number | undefined
}

export type History = ReturnType<typeof openHistory>

const keptDays = 90

/** Who asks for something on this machine. */
export function caller(): string {
  return `${userName()}@${hostname()}`
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // In a container, and on Windows without a profile, an account may have no name.
    return `user ${process.getuid?.() ?? ''}`.trim()
  }
}

/** Opens the history in the schedule's database. The server's clock gives the times. */
export function openHistory(url: string) {
  const database = openSchedule(url)
  const begin = database.prepare(
    `INSERT INTO history (tenant, pipeline, what, asked_by, worker, due) VALUES (?, ?, ?, ?, ?, CAST(? AS TIMESTAMPTZ)) RETURNING id`,
  )
  const end = database.prepare(
    'UPDATE history SET ended = now(), exit = ?, code = ?, run = ?, records = ? WHERE id = ?',
  )
  const time = (column: string): string =>
    `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS ${column}`
  const list = database.prepare(
    `SELECT tenant, pipeline, what, asked_by AS "by", worker, ${time('due')}, ${time('began')}, ${time('ended')}, exit, code, run, records
     FROM history WHERE tenant = ?1 OR ?1 = '' ORDER BY id DESC LIMIT ?2`,
  )
  const last = database.prepare(
    `SELECT exit, code FROM history WHERE began > CAST(? AS TIMESTAMPTZ) AND pipeline = ? AND ended IS NOT NULL ORDER BY id DESC LIMIT 1`,
  )
  const rates = database.prepare(
    `SELECT tenant, count(*) AS runs, sum(coalesce(records, 0)) AS records FROM history
     WHERE began > now() - interval '1 hour' GROUP BY tenant ORDER BY tenant`,
  )
  const today = database.prepare(
    `SELECT coalesce(sum(records), 0) AS n FROM history WHERE tenant = ? AND began > now() - interval '1 day'`,
  )
  const prune = database.prepare(`DELETE FROM history WHERE began < now() - interval '${keptDays} days'`)
  const worker = `${hostname()}:${process.pid}`
  return {
    /** Notes a run that begins. Returns the number to end it with. */
    begin: ({ tenant, pipeline, what, by, due }: Asked) =>
      Number(begin.get(tenant, pipeline, what, by, worker, due?.toISOString() ?? null)!['id']),
    end: (id: number, { exit, code, run: name, records }: Ended) =>
      void end.run(exit, code ?? null, name ?? null, records, id),
    /** The newest first. */
    list: ({ tenant = '', most }: { readonly tenant?: string | undefined; readonly most: number }) =>
      list.all(tenant, most).map((row) => {
        const given = Object.entries(row).map(([name, value]) => [name, value ?? undefined] as const)
        return Object.fromEntries(given) as PastRun
      }),
    /** How the last run of a pipeline ended that began after a moment; undefined while there is none. */
    lastSince(pipeline: string, since: Date): Pick<PastRun, 'exit' | 'code'> | undefined {
      const found = last.get(since.toISOString(), pipeline)
      return found && { exit: Number(found['exit']), code: (found['code'] as string | null) ?? undefined }
    },
    /** The runs of each tenant that began in the last hour, and what they sent. */
    rates: () =>
      rates.all().map(({ tenant, runs, records }) => ({
        tenant: String(tenant),
        runs: Number(runs),
        records: Number(records),
      })),
    /** What the runs of a tenant sent that began in the last 24 hours. */
    recordsToday: (tenant: string) => Number(today.get(tenant)!['n']),
    /** Removes what is older than 90 days. */
    prune: () => void prune.run(),
    [Symbol.dispose]: () => database.close(),
  }
}
