/** Hides how far a place's clock is from UTC, and the two days a year when a time of day is missing or comes twice. */

import type { Moment } from '../core/values/date-pattern.ts'
import { once } from '../core/sources/once.ts'

/** A local time with its offset: as it stands, moved out of a gap in the clock, or one of two that read the same. */
export type LocalTime = {
  readonly offset: string
  readonly fate: 'clear' | 'gap' | 'twice'
  /** For a gap: the first time that exists; for twice: the offset of the second. */
  readonly other: string
}

/** A time zone by its IANA name; `place` finds the offset a local time stands at. */
export type Zone = { readonly name: string; place(moment: Moment): LocalTime }

type Change = { readonly at: number; readonly before: number; readonly after: number }

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const known = new Map<string, Zone>()

/** Finds a zone; undefined when there is none of that name. Offsets without a place, such as +12:00, are zones too. */
export function findZone(name: string): Zone | undefined {
  const before = known.get(name)
  if (before !== undefined) return before
  const clock = clockOf(name)
  if (clock === undefined) return undefined
  const zone = zoneOf(name, clock)
  known.set(name, zone)
  return zone
}

/** The time zone of this machine, which TZ in the environment can set; UTC where that is none that is known. */
export function machineZone(): string {
  // The type promises a name, but an unknown TZ gives undefined or Etc/Unknown.
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined
  return findZone(name ?? 'UTC')?.name ?? 'UTC'
}

/** A header as windrow's exports write it over times, "Start (Pacific/Auckland)", in its parts; undefined where it names no zone. */
export function zoneInHeader(header: string): { readonly words: string; readonly zone: string } | undefined {
  // Only names with a place: "(est)" is a zone too, and means estimated.
  const [, words, name] = /^(.*\S) \((UTC|[\w+-]+\/[\w+/-]+)\)$/.exec(header) ?? []
  return words === undefined || findZone(name!) === undefined ? undefined : { words, zone: name! }
}

type Clock = (utcMs: number) => number

function zoneOf(name: string, clock: Clock): Zone {
  const changesByYear = new Map<number, readonly Change[]>()
  const changesIn = (year: number): readonly Change[] => {
    let changes = changesByYear.get(year)
    if (changes === undefined) {
      changes = findChanges(clock, year)
      changesByYear.set(year, changes)
    }
    return changes
  }
  const baseByYear = new Map<number, number>()
  const offsetAtStart = (year: number): number => {
    let offset = baseByYear.get(year)
    if (offset === undefined) {
      offset = clock(startOf(year) - dayMs)
      baseByYear.set(year, offset)
    }
    return offset
  }
  return {
    name,
    place(moment) {
      const local = localMs(moment)
      const changes = changesIn(moment.year)
      let offset = offsetAtStart(moment.year)
      for (const change of changes) {
        const [first, last] = [change.at + change.before, change.at + change.after]
        if (local < Math.min(first, last)) break
        if (change.after > change.before && local < last)
          return { offset: spell(change.after), fate: 'gap', other: spellTime(last) }
        if (change.after < change.before && local < first)
          return { offset: spell(change.before), fate: 'twice', other: spell(change.after) }
        offset = change.after
      }
      return { offset: spell(offset), fate: 'clear', other: '' }
    },
  }
}

const listed = once(() => new Set(Intl.supportedValuesOf('timeZone')))

/** The offset of a zone at each moment. Making the first one takes 16 ms: that of a name in the engine's list waits until it is asked. */
function clockOf(name: string): Clock | undefined {
  const formatter = once(() => formatterOf(name))
  try {
    if (!listed().has(name)) formatter()
  } catch {
    return undefined
  }
  return (utcMs) => {
    const shown: Record<string, number> = {}
    let era = 'AD'
    for (const { type, value } of formatter().formatToParts(utcMs))
      if (type === 'era') era = value
      else shown[type] = Number(value)
    const year = era.startsWith('B') ? 1 - (shown['year'] ?? 0) : (shown['year'] ?? 0)
    const { month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown
    // RFC 3339 offsets know minutes only; the sun times of before 1900 lose their seconds.
    return Math.round((localMs({ year, month, day, hour, minute, second }) - utcMs) / minuteMs) * minuteMs
  }
}

function formatterOf(name: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
}

function localMs(moment: Pick<Moment, 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second'>): number {
  // Date.UTC takes the years 0 to 99 for 1900 to 1999.
  const date = new Date(Date.UTC(2000, moment.month - 1, 1, moment.hour, moment.minute, moment.second))
  return date.setUTCFullYear(moment.year, moment.month - 1, moment.day)
}

function startOf(year: number): number {
  return localMs({ year, month: 1, day: 1, hour: 0, minute: 0, second: 0 })
}

/** The changes of the clock that a local time of that year may meet; weekly looks catch even a month of Ramadan time. */
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
  const minutes = Math.abs(offsetMs) / minuteMs
  const two = (number: number): string => String(number).padStart(2, '0')
  return `${offsetMs < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

function spellTime(local: number): string {
  return new Date(local).toISOString().slice(0, 19)
}
