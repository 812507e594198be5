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

/** The offsets before and after a day and its neighbours, and when the clock changes between them; Infinity if it does not. */
type Day = { readonly before: number; readonly after: number; readonly changeAt: number }

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

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
  const days = new Map<number, Day>()
  const dayOf = (number: number): Day => {
    const known = days.get(number)
    if (known !== undefined) return known
    const made = lookAtDay(clock, number * dayMs)
    days.set(number, made)
    return made
  }
  return {
    name,
    place(moment) {
      const local = localMs(moment)
      const { before, after, changeAt } = dayOf(Math.floor(local / dayMs))
      const [first, last] = [changeAt + before, changeAt + after]
      if (local < Math.min(first, last)) return { offset: spell(before), fate: 'clear', other: '' }
      if (local >= Math.max(first, last)) return { offset: spell(after), fate: 'clear', other: '' }
      return after > before
        ? { offset: spell(after), fate: 'gap', other: new Date(last).toISOString().slice(0, 19) }
        : { offset: spell(before), fate: 'twice', other: spell(after) }
    },
  }
}

/** No offset is as long as a day, and no clock changes twice in three days. */
function lookAtDay(clock: Clock, startMs: number): Day {
  const [from, until] = [startMs - dayMs, startMs + 2 * dayMs]
  const [before, after] = [clock(from), clock(until)]
  return { before, after, changeAt: before === after ? Infinity : findMinute(clock, from, until) }
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

function localMs({ year, month, day, hour, minute, second }: Moment): number {
  // Date.UTC reads the years 0 to 99 as 1900 to 1999.
  const date = new Date(Date.UTC(2000, month - 1, 1, hour, minute, second))
  return date.setUTCFullYear(year, month - 1, day)
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
