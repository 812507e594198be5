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

// Enough for the months that a yearly pattern leaves out, and for the weekend that a pattern of minutes does.
const [fewestTimes, mostTimes, shortestMs] = [60, 1000, 8 * 86_400_000]

/** The longest time between two of the next due times; undefined for a pipeline that runs once or never. */
export function longestGapMs({ cron }: Times, after: Date): number | undefined {
  // In UTC no night is an hour longer than the others.
  const times = openCron({ cron, zone: 'UTC' })
  let longest: number | undefined
  let last = times.nextRun(after)
  for (let count = 1; last !== null && count < mostTimes; count += 1) {
    if (count >= fewestTimes && last.getTime() - after.getTime() > shortestMs) break
    const next = times.nextRun(last)
    if (next !== null) longest = Math.max(longest ?? 0, next.getTime() - last.getTime())
    last = next
  }
  return longest
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
