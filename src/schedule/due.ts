/** Finds when a pipeline is due: by a cron expression in a time zone, and after times that were missed. */

import { Cron } from 'croner'
import { WindrowError } from '../core/error.ts'

export type Missed = 'once' | 'skip' | 'all'
export type Timetable = { readonly cron: string; readonly zone: string; readonly missed: Missed }

/** After a long stop, at most this many missed times are run one by one. */
const mostMissed = 50

/** The times that are due and not yet done, oldest first. Without a last time only the future counts. */
export function dueTimes(timetable: Timetable, last: Date | undefined, now: Date): readonly Date[] {
  if (last === undefined) return []
  const cron = openCron(timetable)
  const passed: Date[] = []
  for (let next = cron.nextRun(last); next !== null && next <= now && passed.length < 10_000; next = cron.nextRun(next))
    passed.push(next)
  switch (timetable.missed) {
    case 'all':
      return passed.slice(-mostMissed)
    case 'once':
      return passed.slice(-1)
    case 'skip':
      // What came due within the last minute counts as now, not as missed.
      return passed.filter((time) => now.getTime() - time.getTime() < 60_000).slice(-1)
  }
}

type Times = Pick<Timetable, 'cron' | 'zone'>

/** The first due time after the given one, if any. */
export function nextTime(timetable: Times, after: Date): Date | undefined {
  return openCron(timetable).nextRun(after) ?? undefined
}

const lookedAt = 1000

/** The longest time between two of the next due times; undefined for a pipeline that runs once or never. */
export function longestGapMs({ cron }: Times, after: Date): number | undefined {
  // In UTC no night is an hour longer than the others.
  const times = openCron({ cron, zone: 'UTC' }).nextRuns(lookedAt, after)
  const gaps = times.slice(1).map((time, index) => time.getTime() - times[index]!.getTime())
  return gaps.length === 0 ? undefined : gaps.reduce((longest, gap) => Math.max(longest, gap), 0)
}

function openCron({ cron, zone }: Times): Cron {
  try {
    return new Cron(cron, { timezone: zone, paused: true })
  } catch (cause) {
    throw new WindrowError(
      'pipeline-invalid',
      `The schedule "${cron}" in zone "${zone}" cannot be read: ${(cause as Error).message}`,
      {
        hint: 'Five fields: minute, hour, day of month, month, day of week. "15 2 * * *" is a quarter past two every night.',
        cause,
      },
    )
  }
}
