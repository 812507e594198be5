/** Finds a time zone's offset from UTC at a local time, also when that time is missing or comes twice. */

import type { Moment } from '../core/values/date-pattern.ts'
import { once } from '../core/once.ts'
import { offsetText, zoneOffset } from '../core/values/zone-offset.ts'

/** A local time with its offset: unchanged, moved out of a gap in the clock, or one of two with the same reading. */
export type LocalTime = {
  readonly offset: string
  readonly fate: 'clear' | 'gap' | 'twice'
  /** For a gap: the first time that exists; for twice: the offset of the second. */
  readonly other: string
}

/** A time zone by its IANA name; `place` finds the offset of a local time. */
export type Zone = { readonly name: string; place(moment: Moment): LocalTime }

type Change = { readonly at: number; readonly before: number; readonly after: number }
/** The offset before a year begins, and the changes that affect it. */
type Year = { readonly atStart: number; readonly changes: readonly Change[] }

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const known = new Map<string, Zone>()

/** Finds a zone by name, or undefined. Offsets without a place, such as +12:00, are zones too. */
export function findZone(name: string): Zone | undefined {
  const before = known.get(name)
  if (before !== undefined) return before
  const clock = clockOf(name)
  if (clock === undefined) return undefined
  const zone = zoneOf(name, clock)
  known.set(name, zone)
  return zone
}

/** The time zone of this machine, which TZ in the environment can set; UTC when that zone is unknown. */
export function machineZone(): string {
  // The type promises a name, but an unknown TZ gives undefined or Etc/Unknown.
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined
  return findZone(name ?? 'UTC')?.name ?? 'UTC'
}

/** Splits a header of windrow's exports such as "Start (Pacific/Auckland)"; undefined when it names no zone. */
export function zoneInHeader(header: string): { readonly words: string; readonly zone: string } | undefined {
  // Only names with a place: "(est)" would be a zone too, but means estimated.
  const [, words, name] = /^(.*\S) \((UTC|[\w+-]+\/[\w+/-]+)\)$/.exec(header) ?? []
  return words === undefined || findZone(name!) === undefined ? undefined : { words, zone: name! }
}

type Clock = (utcMs: number) => number

function zoneOf(name: string, clock: Clock): Zone {
  const years = new Map<number, Year>()
  const yearOf = (year: number): Year => {
    const known = years.get(year)
    if (known !== undefined) return known
    const made = { atStart: clock(startOf(year) - dayMs), changes: findChanges(clock, year) }
    years.set(year, made)
    return made
  }
  return {
    name,
    place(moment) {
      const local = localMs(moment)
      const { atStart, changes } = yearOf(moment.year)
      let offset = atStart
      for (const change of changes) {
        const [first, last] = [change.at + change.before, change.at + change.after]
        if (local < Math.min(first, last)) break
        if (change.after > change.before && local < last)
          return { offset: spell(change.after), fate: 'gap', other: new Date(last).toISOString().slice(0, 19) }
        if (change.after < change.before && local < first)
          return { offset: spell(change.before), fate: 'twice', other: spell(change.after) }
        offset = change.after
      }
      return { offset: spell(offset), fate: 'clear', other: '' }
    },
  }
}

const listed = once(() => new Set(Intl.supportedValuesOf('timeZone')))

/** Makes the offset function of a zone; undefined for an unknown name. */
function clockOf(name: string): Clock | undefined {
  const offsetAt = zoneOffset(name)
  try {
    if (!listed().has(name)) offsetAt(0)
  } catch {
    return undefined
  }
  return (utcMs) => offsetAt(utcMs) * minuteMs
}

function localMs(moment: Pick<Moment, 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second'>): number {
  // Date.UTC reads the years 0 to 99 as 1900 to 1999.
  const date = new Date(Date.UTC(2000, moment.month - 1, 1, moment.hour, moment.minute, moment.second))
  return date.setUTCFullYear(moment.year, moment.month - 1, moment.day)
}

function startOf(year: number): number {
  return localMs({ year, month: 1, day: 1, hour: 0, minute: 0, second: 0 })
}

/** The clock changes that affect local times of that year; weekly steps catch even a month of Ramadan time. */
function findChanges(clock: Clock, year: number): readonly Change[] {
  const changes: Change[] = []
  const end = startOf(year + 1) + dayMs
  let at = startOf(year) - dayMs
  let before = clock(at)
  while (at < end) {
    const next = Math.min(at + 7 * dayMs, end)
    const after = clock(next)
    if (after !== before) changes.push({ at: findMinute(clock, at, next), before, after })
    at = next
    before = after
  }
  return changes
}

function findMinute(clock: Clock, from: number, until: number): number {
  const before = clock(from)
  let [low, high] = [from, until]
  while (high - low > minuteMs) {
    const middle = low + Math.floor((high - low) / 2 / minuteMs) * minuteMs
    if (clock(middle) === before) low = middle
    else high = middle
  }
  return high
}

function spell(offsetMs: number): string {
  return offsetText(offsetMs / minuteMs)
}
