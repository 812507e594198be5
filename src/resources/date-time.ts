/**
 * Checks the service's date-times, RFC 3339 with a zone and any number of fraction digits, and writes a moment as the local time of a zone
 * with its offset, so that the instant is kept.
 */

import { isDay } from '../core/values/date-pattern.ts'
import { WindrowError } from '../core/error.ts'
import { offsetText, zoneOffset } from '../core/values/zone-offset.ts'

/** What is wrong with a text that should be a moment: another format, or a day or time that does not exist. */
export type DateTimeFault = 'form' | 'impossible'

const moment = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/
// A leap second is at the end of an hour in every zone.
const onTheClock = /[Tt](?:[01]\d|2[0-3]):(?:[0-5]\d:[0-5]\d|59:60)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** Undefined when the text is a moment. */
export function dateTimeFault(text: string): DateTimeFault | undefined {
  if (!moment.test(text)) return 'form'
  const isOnADay = isDay(Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10)))
  return isOnADay && onTheClock.test(text) ? undefined : 'impossible'
}

/** Converts a moment to the zone; without one it keeps its own offset. Undefined when the text is not a moment. */
export function zoneClock(zone?: string): (text: string) => string | undefined {
  const offsetAt = zone === undefined || zone === 'UTC' ? () => 0 : offsetsOf(zone)
  return (text) => {
    if (dateTimeFault(text) !== undefined) return undefined
    const fraction = /\.\d+/.exec(text)?.[0] ?? ''
    const instantMs = Date.parse((text.slice(0, 19) + text.slice(19 + fraction.length)).toUpperCase())
    if (Number.isNaN(instantMs)) return undefined
    // In UTC, midnight at the farm would become the day before.
    if (zone === undefined) return text.toUpperCase()
    const offsetMinutes = offsetAt(instantMs)
    const local = new Date(instantMs + offsetMinutes * 60_000).toISOString()
    // A year of more than four digits has a sign before it; no farm record is that far away, so the text stays unchanged.
    if (local.length > 24) return text
    return `${local.slice(0, 19)}${fraction}${zone === 'UTC' ? 'Z' : offsetText(offsetMinutes)}`
  }
}

// Offsets change only at a quarter of an hour, so each answer of Intl, which is slow, serves a whole one.
const stepMs = 15 * 60_000
const mostSteps = 50_000

function offsetsOf(zone: string): (instantMs: number) => number {
  const offsetAt = zoneOffset(zone)
  try {
    offsetAt(0)
  } catch (cause) {
    throw new WindrowError('option-invalid', `"${zone}" is not a time zone.`, {
      hint: 'Write it like Pacific/Auckland or Europe/London.',
      cause,
    })
  }
  const known = new Map<number, number>()
  return (instantMs) => {
    const step = Math.floor(instantMs / stepMs)
    const before = known.get(step)
    if (before !== undefined) return before
    if (known.size >= mostSteps) known.clear()
    const offset = offsetAt(step * stepMs)
    known.set(step, offset)
    return offset
  }
}
