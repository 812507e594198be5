/** Runs each pipeline when it is due, one after the other, and tries a failed run again; a failure of one never stops the others. */

import { WindrowError } from '../core/error.ts'
import { storageFailure } from '../core/storage-failure.ts'
import type { Pipeline } from '../pipeline/definition/definition.ts'
import { usualPatience, type Patience } from '../pipeline/definition/schedule-keys.ts'
import { hasFailed, wasClockAhead, isGood, nextTry, dueTimes, nextTime, type Timetable } from './due.ts'
import type { Ending, OnEvent } from './events.ts'
import type { NightState, ScheduleMemory } from './memory.ts'

/** A try to run a pipeline: for which due time, and the code of the failure of the try before. */
export type Try = { readonly due: Date; readonly failedBefore: string | undefined; readonly signal: AbortSignal }

/** One pipeline on the timetable. `run` reports its own failures. */
export type Entry = {
  readonly name: string
  readonly timetable: Timetable
  readonly timeoutMs: number | undefined
  readonly patience: Patience
  /** The pipelines that must have run well first. */
  readonly after: readonly string[]
  run(attempt: Try): Promise<Ending>
  /** The last run of the pipeline if it was good and began after that moment. Somebody may have started it by hand. */
  ranWell(since: Date): Ending | undefined
}

/** How a pipeline wants to be tried. */
export function termsOf({ schedule, after = [] }: Pick<Pipeline, 'schedule' | 'after'>) {
  return {
    timetable: schedule,
    timeoutMs: schedule?.timeoutMs,
    patience: schedule?.patience ?? usualPatience,
    after,
  }
}

export type Keeping = {
  readonly memory: ScheduleMemory
  readonly clock: () => Date
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
  readonly onEvent: OnEvent
}

// A clock may be set and a machine may sleep, so the timetable is checked at least this often.
const longestSleepMs = 30_000

/** Runs everything that is due now, else reports what is due next. Returns the worst exit status of all last due runs. */
export async function runDue(entries: readonly Entry[], keeping: Keeping): Promise<number> {
  const exits = await runPassed(entries, keeping)
  if (exits.size === 0) reportNext(entries, keeping)
  for (const { name } of entries) {
    const night = exits.has(name) ? undefined : keeping.memory.night(name)
    if (!hasFailed(night)) continue
    const { due, exit, reason = '', next: at } = night
    keeping.onEvent({ kind: 'failing', name, due, exit, reason, at })
    exits.set(name, exit)
  }
  return Math.max(0, ...exits.values())
}

/**
 * The due times that no scheduler has claimed. A pipeline that is seen for the first time counts from now, and so does one that was
 * run while the clock was ahead: otherwise it would not run again before that time.
 */
function openTimes(
  { name, timetable }: { readonly name: string; readonly timetable: Timetable },
  memory: ScheduleMemory,
  now: Date,
): readonly Date[] {
  const last = memory.last(name)
  if (last === undefined) memory.claim(name, now)
  else if (wasClockAhead(last, now)) memory.setBack(name, last, now)
  return dueTimes(timetable, last, now)
}

/** The exit status of each pipeline that ran. */
async function runPassed(entries: readonly Entry[], keeping: Keeping): Promise<Map<string, number>> {
  const { memory, clock, signal } = keeping
  const exits = new Map<string, number>()
  for (const entry of inOrder(entries)) {
    const { name, timetable, patience } = entry
    healByHand(entry, keeping)
    const lease = (): Date => new Date(clock().getTime() + patience.everyMs)
    const attempt = async (): Promise<void> => {
      const ended = await tryNight(entry, keeping)
      if (ended !== undefined) exits.set(name, ended.exit)
    }
    for (const due of openTimes({ name, timetable }, memory, clock())) {
      if (signal.aborted) return exits
      if (memory.claim(name, due, lease())) await attempt()
      else keeping.onEvent({ kind: 'taken', name, due })
    }
    const night = memory.night(name)
    if (signal.aborted) return exits
    if (night?.next !== undefined && night.next <= clock() && memory.takeTry(name, night, lease())) await attempt()
  }
  return exits
}

/** A good run by hand ends a failed night: it is not tried again, and what waits for it may run. */
function healByHand(
  { name, ranWell }: Pick<Entry, 'name' | 'ranWell'>,
  { memory, onEvent }: Pick<Keeping, 'memory' | 'onEvent'>,
): void {
  const night = memory.night(name)
  if (!hasFailed(night)) return
  const ending = ranWell(night.first ?? night.due)
  if (ending === undefined) return
  const { due, tries, failingSince: since = due } = night
  const { exit } = ending
  memory.save(name, { ...night, exit, code: undefined, reason: undefined, next: undefined, failingSince: undefined })
  onEvent({ kind: 'healed', name, due, tries, since, ...ending })
}

/** The entries, each behind those that it waits for. */
export function inOrder<Each extends Pick<Entry, 'name' | 'after'>>(entries: readonly Each[]): readonly Each[] {
  const ordered = new Set<Each>()
  const place = (entry: Each, within: readonly Each[]): void => {
    if (ordered.has(entry) || within.includes(entry)) return
    for (const other of entries) if (entry.after.includes(other.name)) place(other, [...within, entry])
    ordered.add(entry)
  }
  for (const entry of entries) place(entry, [])
  return [...ordered]
}

/** Tries the night that was taken; undefined if it did not run. */
async function tryNight(entry: Entry, keeping: Keeping): Promise<Ending | undefined> {
  const { memory, clock, onEvent, signal } = keeping
  const { name, timetable, timeoutMs } = entry
  const taken = memory.night(name)
  if (taken === undefined) return undefined
  const { due } = taken
  const began = clock()
  const first = taken.first ?? began
  const tries = taken.tries + 1
  const before = beforeOf(entry, memory)
  if (before?.isPending === true) {
    if (taken.code !== 'held') onEvent({ kind: 'held', name, due, after: before.name })
    memory.save(name, { ...taken, next: clock(), code: 'held' })
    return undefined
  }
  let ending: Ending
  if (before === undefined) {
    memory.save(name, { ...taken, first, tries })
    onEvent({ kind: 'started', name, due, tries })
    const timeout = timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)]
    ending = await entry.run({ due, failedBefore: taken.code, signal: AbortSignal.any([signal, ...timeout]) })
  } else ending = notAfter(name, before)
  if (ending.failure?.code === 'run-busy') {
    // Another process runs it: nothing has failed, and this one looks again later.
    onEvent({ kind: 'taken', name, due })
    memory.save(name, { ...taken, next: new Date(clock().getTime() + entry.patience.everyMs) })
    return undefined
  }
  onEvent({ kind: 'ended', name, due, tries, ...ending })
  const night: NightState = {
    ...taken,
    first,
    tries,
    exit: ending.exit,
    code: ending.failure?.code,
    reason: ending.failure?.message,
  }
  if (isGood(ending.exit, ending.failure)) {
    memory.save(name, { ...night, next: undefined, failingSince: undefined })
    if (taken.failingSince !== undefined)
      onEvent({ kind: 'healed', name, due, tries, since: taken.failingSince, ...ending })
    return ending
  }
  if (signal.aborted) {
    // Stopped by a person or the system: the next start tries it at once.
    memory.save(name, { ...night, next: clock() })
    return ending
  }
  const failed = { ...night, failingSince: taken.failingSince ?? due }
  const again =
    before === undefined
      ? nextTry(ending, entry.patience, { first, began, now: clock(), zone: timetable.zone })
      : undefined
  memory.save(name, { ...failed, next: again?.at })
  if (again !== undefined) onEvent({ kind: 'retrying', name, due, tries, ...again, ...ending })
  else onEvent({ kind: 'gave-up', name, due, tries, next: nextTime(timetable, clock()), ...ending })
  return ending
}

type Before = { readonly name: string; readonly isPending: boolean; readonly reason: string }

/** The first of the pipelines to wait for whose last due run is not good yet, or was not. */
function beforeOf({ after }: Entry, memory: ScheduleMemory): Before | undefined {
  for (const name of after) {
    const night = memory.night(name)
    if (night === undefined || (night.exit !== undefined && isGood(night.exit, night.code))) continue
    return { name, isPending: night.next !== undefined, reason: night.reason ?? '' }
  }
  return undefined
}

/** The end of a run that did not begin, because the one before it failed. */
export function notAfter(name: string, before: Pick<Before, 'name' | 'reason'>): Ending {
  const failure = new WindrowError(
    'after-failed',
    `"${name}" was not run, because the last run of "${before.name}" failed: ${before.reason}`,
    { hint: `Repair "${before.name}" first. "${name}" runs again when it is due and "${before.name}" has run well.` },
  )
  return { exit: failure.exit, failure }
}

/** Reports the next of these pipelines to be due. */
function reportNext(entries: readonly Entry[], keeping: Keeping): void {
  const times = entries.flatMap(({ name, timetable }) => {
    const due = nextTime(timetable, keeping.clock())
    return due === undefined ? [] : [{ kind: 'waiting', name, due } as const]
  })
  const [next] = times.toSorted((one, other) => one.due.getTime() - other.due.getTime())
  if (next !== undefined) keeping.onEvent(next)
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
    const waits = entries.map((entry) => (nextLook(entry, keeping.memory, now)?.getTime() ?? Infinity) - now.getTime())
    await keeping.sleep(Math.max(50, Math.min(longestSleepMs, ...waits)), keeping.signal).catch(() => undefined)
  }
}

/** When something may be to do for a pipeline. One that waits for another has nothing to do by itself. */
function nextLook({ name, timetable }: Entry, memory: ScheduleMemory, now: Date): Date | undefined {
  const due = nextTime(timetable, now)
  const again = memory.night(name)?.next
  return again === undefined || again <= now || (due !== undefined && due < again) ? due : again
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

export type Waiting = Pick<Pipeline, 'name'> & Partial<Pick<Pipeline, 'after'>>

/** Why a pipeline cannot wait for others as it says; undefined if it can. */
export function faultOfOrder(pipeline: Waiting, all: readonly Waiting[]): WindrowError | undefined {
  const { name, after = [] } = pipeline
  const missing = after.find((other) => !all.some((each) => each.name === other))
  if (missing !== undefined)
    return new WindrowError(
      'pipeline-invalid',
      `"${name}" waits for "${missing}" (after), but no pipeline of this name with a schedule can be used in this folder.`,
      { hint: 'Write the name of its file without .yaml, and give it a schedule.' },
    )
  const circle = wayBack(pipeline, all)
  if (circle === undefined) return undefined
  const [first, ...others] = circle.map((each) => `"${each}"`)
  const message = `These pipelines wait for each other (after), so none could ever run: ${first} waits for ${others.join(', which waits for ')}.`
  const hint = 'Remove one of these "after" lines.'
  return new WindrowError('pipeline-invalid', message, { hint })
}

/** The names from a pipeline through those that it waits for back to itself. */
function wayBack({ name, after = [] }: Waiting, all: readonly Waiting[]): readonly string[] | undefined {
  const seen = new Set<string>()
  const ways = after.map((next) => [name, next])
  for (let way = ways.pop(); way !== undefined; way = ways.pop()) {
    const last = way.at(-1)!
    if (last === name) return way
    if (seen.has(last)) continue
    seen.add(last)
    const next = all.find((each) => each.name === last)?.after ?? []
    ways.push(...next.map((each) => [...way!, each]))
  }
  return undefined
}
