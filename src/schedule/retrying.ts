/** Decides whether a failed run is tried again, and when. */

import { exitCodes } from '../core/error.ts'
import type { Patience } from '../pipeline/definition/schedule-keys.ts'
import type { Ending } from './events.ts'
import { nextTime } from './due.ts'
import type { NightState } from './memory.ts'

/** With these the file may be ready later: it is not there, not complete, or in use. */
const fileCodes: ReadonlySet<string> = new Set(['file-missing', 'file-empty', 'file-changed', 'file-locked'])

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
  const mayPass = exit === exitCodes.unreachable || exit === exitCodes.interrupted || exit === exitCodes.terminated
  return mayPass && forMs !== undefined ? new Date(first.getTime() + forMs) : undefined
}
