/** Converts dates to and from the day numbers of spreadsheets, without a clock or time zone. */

import { isDay } from '../core/values/date-pattern.ts'

/** The day number of 1 January 1900 is 1; Lotus took 1900 for a leap year, so every day from 1 March 1900 counts one more. */
const lotusLeapDay = 60
const daysTo1904 = 1462
const dayMs = 86_400_000

const isoMoment = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?)?$/

/**
 * Converts ISO text to a day number of the 1900 system; undefined if it is not such text or is outside 1900 to 9999. `zone` means that
 * a zone was left out.
 */
export function serialOfIso(text: string) {
  const match = isoMoment.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '0', zone] = match
  if (Number(year) < 1900 || !isDay(Number(year), Number(month), Number(day))) return undefined
  const since1900 = Date.UTC(Number(year), Number(month) - 1, Number(day)) / dayMs + 25_568
  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(second) + Number(`0.${fraction}`)
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  return { serial: since1900 + (since1900 >= lotusLeapDay ? 1 : 0) + seconds / 86_400, zone: zone !== undefined }
}

/** Converts a day number to ISO text: a date, or a date-time if it has a time of day; undefined outside 1900 to 9999. */
export function isoOfSerial(serial: number, from1904 = false): string | undefined {
  // Rounded to the millisecond before it is split, so that 10:10:10 does not become 10:10:09.999.
  const milliseconds = Math.round((from1904 ? serial + daysTo1904 : serial) * dayMs)
  const day = Math.floor(milliseconds / dayMs)
  // Day 60 is the 29 February 1900 that never existed.
  if (!(day >= 1 && day < 2_958_466) || day === lotusLeapDay) return undefined
  const leapMs = day > lotusLeapDay ? dayMs : 0
  const since1970 = new Date(milliseconds - leapMs - 25_568 * dayMs)
  return since1970.toISOString().replace(/(?:(?:T00:00:00)?\.000)?Z$/, '')
}

/** The time of day of a day number that is not negative, as hours, minutes and seconds. */
export function timeOfSerial(serial: number): string {
  return new Date(Math.round(serial * dayMs) % dayMs).toISOString().slice(11, -1).replace('.000', '')
}
