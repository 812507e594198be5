/** Writes a moment as the local time of a zone, with its offset, so that the instant is kept. */

import { WindrowError } from '../core/error.ts'
import { dateTimeFault } from './date-time.ts'

/** Converts a moment to the zone; without one it keeps its own offset. Undefined when the text is not a moment. */
export function zoneClock(zone?: string): (text: string) => string | undefined {
  const offsetAt = zone === undefined || zone === 'UTC' ? () => 0 : zoneOffset(zone)
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

function zoneOffset(zone: string): (instantMs: number) => number {
  const format = offsetFormat(zone)
  const known = new Map<number, number>()
  return (instantMs) => {
    const step = Math.floor(instantMs / stepMs)
    const before = known.get(step)
    if (before !== undefined) return before
    if (known.size >= mostSteps) known.clear()
    const name = format.formatToParts(step * stepMs).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    const offset = offsetMinutes(name)
    known.set(step, offset)
    return offset
  }
}

function offsetFormat(zone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
  } catch (cause) {
    throw new WindrowError('option-invalid', `"${zone}" is not a time zone.`, {
      hint: 'Write it like Pacific/Auckland or Europe/London.',
      cause,
    })
  }
}

/** "GMT+13:00" is 780. Seconds, which offsets had before standard time, are dropped. */
function offsetMinutes(name: string): number {
  const [, sign, hours, minutes] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? []
  return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

function offsetText(minutes: number): string {
  const size = Math.abs(minutes)
  const two = (value: number): string => `${value}`.padStart(2, '0')
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}
