/** Converts dates to and from the day numbers of spreadsheets, without a clock or time zone. */

/** The day number of 1 January 1900 is 1; Lotus took 1900 for a leap year, so every day from 1 March 1900 counts one more. */
const lotusLeapDay = 60
const daysTo1904 = 1462

/** Days from 1 January 1970 to a day of the Gregorian calendar (month 1 to 12); undefined if there is no such day. */
function dayNumber(year: number, month: number, day: number): number | undefined {
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined
  const shifted = month <= 2 ? year - 1 : year
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

const isoMoment = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?)?$/

/** An ISO date or date-time as a day number, unconverted; `zone` means that a zone was left out. */
export type Serial = { readonly serial: number; readonly zone: boolean }

/** Converts ISO text to a day number of the 1900 system; undefined if it is not such text or is outside 1900 to 9999. */
export function serialOfIso(text: string): Serial | undefined {
  const match = isoMoment.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '0', zone] = match
  const days = dayNumber(Number(year), Number(month), Number(day))
  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(second) + Number(`0.${fraction}`)
  if (days === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const since1900 = days + 25_568
  if (since1900 < 1) return undefined
  return { serial: since1900 + (since1900 >= lotusLeapDay ? 1 : 0) + seconds / 86_400, zone: zone !== undefined }
}

/** Converts a day number to ISO text: a date, or a date-time if it has a time of day; undefined outside 1900 to 9999. */
export function isoOfSerial(serial: number, from1904 = false): string | undefined {
  const { day, time } = dayAndTime(from1904 ? serial + daysTo1904 : serial)
  // Day 60 is the 29 February 1900 that never existed.
  if (!(day >= 1 && day < 2_958_466) || day === lotusLeapDay) return undefined
  const date = dateText(day - (day > lotusLeapDay ? 1 : 0) - 25_568)
  return time === '00:00:00' ? date : `${date}T${time}`
}

/** The time of day of a day number, as hours, minutes and seconds. */
export function timeOfSerial(serial: number): string {
  return dayAndTime(serial).time
}

/** Rounded to the millisecond before it is split, so that 10:10:10 does not become 10:10:09.999. */
function dayAndTime(serial: number): { readonly day: number; readonly time: string } {
  const milliseconds = Math.round(serial * 86_400_000)
  const day = Math.floor(milliseconds / 86_400_000)
  const rest = milliseconds - day * 86_400_000
  const two = (value: number): string => String(value).padStart(2, '0')
  const seconds = Math.floor(rest / 1000)
  const fraction = rest % 1000 === 0 ? '' : `.${String(rest % 1000).padStart(3, '0')}`
  return {
    day,
    time: `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${fraction}`,
  }
}

function dateText(days: number): string {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
}
