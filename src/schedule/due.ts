/** Finds when a pipeline is due: by a cron expression in a time zone, after times that were missed, and again after it failed. */

import { Cron } from 'croner'
import { WindrowError, exitCodes } from '../core/error.ts'
import type { Patience } from '../pipeline/definition/schedule-keys.ts'
import type { Ending } from './events.ts'
import type { NightState } from './memory.ts'

export type Missed = 'once' | 'skip' | 'all'
export type Timetable = { readonly cron: string; readonly zone: string; readonly missed: Missed }

/** After a long stop, at most this many missed times are run one by one. */
const mostMissed = 50

/** The times that are due and not yet done, oldest first. Without a last time only the future counts. */
export function dueTimes(timetable: Timetable, last: Date | undefined, now: Date): readonly Date[] {
  if (last === undefined) return []
  const cron = openCron(timetable)
  const next = cron.nextRun(last)
  // Nearly always nothing is due, and to look back at many times takes long.
  if (next === null || next > now) return []
  // What is due at this very moment has passed, too.
  const moment = new Date(now.getTime() + 1)
  const newest = cron.previousRuns(timetable.missed === 'all' ? mostMissed : 1, moment)
  const passed = newest.toReversed().filter((time) => time > last)
  if (timetable.missed !== 'skip') return passed
  // What came due within the last minute counts as now, not as missed.
  return passed.filter((time) => now.getTime() - time.getTime() < 60_000)
}

// The clocks of several machines differ by less than an hour.
const aheadMs = 3_600_000

/** True for a moment that was written as now and is in the future: the clock was ahead then. */
export function wasClockAhead(moment: Date, now: Date): boolean {
  return moment.getTime() - now.getTime() > aheadMs
}

type Times = Pick<Timetable, 'cron' | 'zone'>

/** The first due time after the given one, if any. */
export function nextTime(timetable: Times, after: Date): Date | undefined {
  return openCron(timetable).nextRun(after) ?? undefined
}

// Enough for the months that a yearly pattern leaves out, and for the weekend that a pattern of minutes does.
const [fewestTimes, mostTimes, shortestMs] = [60, 1000, 8 * 86_400_000]

/** Throws 'pipeline-invalid' where the times cannot be read, or never come, such as 30 February. */
export function checkTimes(timetable: Times): void {
  if (openCron(timetable).nextRun(new Date(0)) !== null) return
  throw new WindrowError('pipeline-invalid', `The schedule "${timetable.cron}" is never due: there is no such day.`, {
    hint: 'Correct the day or the month.',
  })
}

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
    const message = `The schedule "${cron}" in zone "${zone}" cannot be read: ${(cause as Error).message}`
    const hint =
      'Five fields: minute, hour, day of month, month, day of week. "15 2 * * *" is a quarter past two every night.'
    throw new WindrowError('pipeline-invalid', message, { hint, cause })
  }
}

/** With these the file may be ready later: it is not there, not complete, or in use. */
const fileCodes: ReadonlySet<string> = new Set(['file-missing', 'file-empty', 'source-changed', 'file-locked'])

/**
 * True for a run that came to its end, with or without rejected rows. One that failed after it had sent something has the exit status
 * of rejected rows, too.
 */
export function isGood(exit: number, failure: unknown): boolean {
  return failure === undefined && (exit === exitCodes.done || exit === exitCodes.doneWithRejects)
}

/** True for a night whose last try ended, but not well. */
export function hasFailed(night: NightState | undefined): night is NightState & { readonly exit: number } {
  return night?.exit !== undefined && !isGood(night.exit, night.code)
}

/** When to try again after the try that `began`, and the end of trying; undefined if trying would not help, or the time is up. */
export function nextTry(
  { exit, failure }: Ending,
  patience: Patience,
  { first, began, now, zone }: { readonly [Time in 'first' | 'began' | 'now']: Date } & { readonly zone: string },
): { readonly at: Date; readonly until: Date } | undefined {
  const until = endOfTrying({ exit, code: failure?.code ?? '' }, patience, { first, zone })
  if (until === undefined || now >= until) return undefined
  // Counted from the start of this try: 02:15, 02:25, 02:35, however long each takes.
  const steps = Math.floor((now.getTime() - began.getTime()) / patience.everyMs) + 1
  return { at: new Date(Math.min(began.getTime() + steps * patience.everyMs, until.getTime())), until }
}

function endOfTrying(
  { exit, code }: { readonly exit: number; readonly code: string },
  { forMs, waitForFile }: Patience,
  { first, zone }: { readonly first: Date; readonly zone: string },
): Date | undefined {
  if (fileCodes.has(code)) {
    if (waitForFile === undefined) return undefined
    if ('ms' in waitForFile) return new Date(first.getTime() + waitForFile.ms)
    const { minuteOfDay } = waitForFile
    return nextTime({ cron: `${minuteOfDay % 60} ${Math.floor(minuteOfDay / 60)} * * *`, zone }, first)
  }
  // A run that took too long continues where it was stopped.
  const passing: readonly number[] = [exitCodes.unreachable, exitCodes.interrupted, exitCodes.terminated]
  // A workbook that somebody left open in Excel is closed in the morning.
  const mayPass = passing.includes(exit) || code === 'disk-full' || code === 'target-busy'
  return mayPass && forMs !== undefined ? new Date(first.getTime() + forMs) : undefined
}
