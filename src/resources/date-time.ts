/** Checks the service's date-times: RFC 3339 with a zone and any number of fraction digits, kept as text. */

/** What is wrong with a text that should be a moment: another format, or a day or time that does not exist. */
export type DateTimeFault = 'form' | 'impossible'

/** Undefined when the text is a moment. */
export function dateTimeFault(text: string): DateTimeFault | undefined {
  const year = digits(text, 0, 4)
  const month = digits(text, 5, 2)
  const day = digits(text, 8, 2)
  const hour = digits(text, 11, 2)
  const minute = digits(text, 14, 2)
  const second = digits(text, 17, 2)
  if (year < 0 || month < 0 || day < 0 || hour < 0 || minute < 0 || second < 0) return 'form'
  if (text[4] !== '-' || text[7] !== '-' || (text[10] !== 'T' && text[10] !== 't')) return 'form'
  if (text[13] !== ':' || text[16] !== ':') return 'form'
  const zoneAt = fractionEnd(text)
  const offset = zoneAt < 0 ? undefined : zoneFault(text, zoneAt)
  if (zoneAt < 0 || offset === 'form') return 'form'
  const exists = month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
  // A leap second is at the end of an hour in every zone.
  const onTheClock = hour <= 23 && minute <= 59 && (second <= 59 || (second === 60 && minute === 59))
  return exists && onTheClock ? offset : 'impossible'
}

/** The number of days of a month; months count from 1. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** The index after the fraction of a second, where the zone begins; -1 when a point has no digit after it. */
function fractionEnd(text: string): number {
  if (text[19] !== '.') return 19
  let end = 20
  while (isDigit(text, end)) end += 1
  return end === 20 ? -1 : end
}

function zoneFault(text: string, at: number): DateTimeFault | undefined {
  const sign = text[at]
  if (sign === 'Z' || sign === 'z') return text.length === at + 1 ? undefined : 'form'
  if ((sign !== '+' && sign !== '-') || text[at + 3] !== ':' || text.length !== at + 6) return 'form'
  const hours = digits(text, at + 1, 2)
  const minutes = digits(text, at + 4, 2)
  if (hours < 0 || minutes < 0) return 'form'
  return hours <= 23 && minutes <= 59 ? undefined : 'impossible'
}

function digits(text: string, from: number, count: number): number {
  let value = 0
  for (let at = from; at < from + count; at += 1) {
    if (!isDigit(text, at)) return -1
    value = value * 10 + text.charCodeAt(at) - 48
  }
  return value
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 48 && code <= 57
}
