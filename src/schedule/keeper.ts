/** Runs each pipeline when it is due, one after the other; a failure of one never stops the others. */

import { storageFailure } from '../core/storage-failure.ts'
import { dueTimes, nextTime, type Timetable } from './due.ts'
import type { ScheduleMemory } from './memory.ts'

/** One pipeline on the timetable. `run` reports its own failures and returns an exit status. */
export type Entry = {
  readonly name: string
  readonly timetable: Timetable
  readonly timeoutMs: number | undefined
  run(due: Date, signal: AbortSignal): Promise<number>
}

export type ScheduleEvent =
  | { readonly kind: 'waiting'; readonly name: string; readonly due: Date }
  | { readonly kind: 'started' | 'taken'; readonly name: string; readonly due: Date }
  | { readonly kind: 'hindered'; readonly reason: string }
  | { readonly kind: 'ended'; readonly name: string; readonly due: Date; readonly exit: number }
  | { readonly kind: 'left'; readonly name: string }

export type Keeping = {
  readonly memory: ScheduleMemory
  readonly clock: () => Date
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
  readonly onEvent: (event: ScheduleEvent) => void
}

// A clock may be set and a machine may sleep, so the timetable is checked at least this often.
const longestSleepMs = 30_000

/** Runs everything that is due now, else reports what is due next. Returns the worst exit status. */
export async function runDue(entries: readonly Entry[], keeping: Keeping): Promise<number> {
  const exits = await runPassed(entries, keeping)
  if (exits === undefined) reportNext(entries, keeping)
  return exits ?? 0
}

/** The worst exit status of what was due; undefined when nothing was. A pipeline seen for the first time counts from now. */
async function runPassed(entries: readonly Entry[], keeping: Keeping): Promise<number | undefined> {
  let worst: number | undefined
  for (const entry of entries) {
    const now = keeping.clock()
    const last = keeping.memory.last(entry.name)
    if (last === undefined) keeping.memory.claim(entry.name, now)
    for (const due of dueTimes(entry.timetable, last, now)) {
      if (keeping.signal.aborted) return worst
      worst ??= 0
      if (keeping.memory.claim(entry.name, due)) worst = Math.max(worst, await runOne(entry, due, keeping))
      else keeping.onEvent({ kind: 'taken', name: entry.name, due })
    }
  }
  return worst
}

function reportNext(entries: readonly Entry[], keeping: Keeping): void {
  for (const entry of entries) {
    const due = nextTime(entry.timetable, keeping.clock())
    if (due !== undefined) keeping.onEvent({ kind: 'waiting', name: entry.name, due })
  }
}

async function runOne(entry: Entry, due: Date, keeping: Keeping): Promise<number> {
  keeping.onEvent({ kind: 'started', name: entry.name, due })
  const timeout = entry.timeoutMs === undefined ? [] : [AbortSignal.timeout(entry.timeoutMs)]
  const exit = await entry.run(due, AbortSignal.any([keeping.signal, ...timeout]))
  keeping.onEvent({ kind: 'ended', name: entry.name, due, exit })
  return exit
}

/** Runs pipelines until the signal is aborted. Reads the timetable again each time and reports its changes. */
export async function keepSchedule(read: () => Promise<readonly Entry[]>, keeping: Keeping): Promise<void> {
  const reported = new Map<string, string>()
  while (!keeping.signal.aborted) {
    const entries = await read()
    reportChanges(entries, reported, keeping)
    await runPassed(entries, keeping).catch((cause: unknown) => {
      const failure = storageFailure(cause)
      if (failure === undefined) throw cause
      // A disk that is full now may have room next time; what is due is not lost.
      keeping.onEvent({ kind: 'hindered', reason: failure.message })
    })
    const now = keeping.clock()
    const waits = entries.map(({ timetable }) => (nextTime(timetable, now)?.getTime() ?? Infinity) - now.getTime())
    await keeping.sleep(Math.max(50, Math.min(longestSleepMs, ...waits)), keeping.signal).catch(() => undefined)
  }
}

function reportChanges(entries: readonly Entry[], reported: Map<string, string>, keeping: Keeping): void {
  for (const entry of entries) {
    const timetable = JSON.stringify(entry.timetable)
    if (reported.get(entry.name) !== timetable) reportNext([entry], keeping)
    reported.set(entry.name, timetable)
  }
  for (const name of reported.keys())
    if (!entries.some((entry) => entry.name === name)) {
      reported.delete(name)
      keeping.onEvent({ kind: 'left', name })
    }
}
