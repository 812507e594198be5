/** Turns words such as "last month" into days, by the calendar of a time zone. */

import { WindrowError } from '../../core/error.ts'
import { readIsoDate } from '../../core/values/date-pattern.ts'
import { zoneClock } from '../../resources/date-time.ts'

/** Days from the first to the last, both included, as yyyy-MM-dd; an open end is undefined. */
export type Period = { readonly from: string | undefined; readonly until: string | undefined }

/** A period as written: a day or a word for days, or its first and last day, each also as a word. */
export type PeriodSpec = { readonly [Part in 'day' | 'from' | 'until']?: string | undefined }

const units = ['week', 'month', 'year']
const words = ['today', 'yesterday', ...units.flatMap((unit) => [`this ${unit}`, `last ${unit}`])]

const dayMs = 86_400_000

/** What is wrong with a day or a word for days; undefined if it is right. */
export function faultOfDay(written: string, wordsToo: boolean): string | undefined {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(written) && typeof readIsoDate(written) === 'object'
  if (isDay || (wordsToo && (countsFromToday(written) || oneMonth.test(written)))) return undefined
  const known = wordsToo
    ? `, a month such as 2026-09, "2 weeks ago" (days, weeks, months or years), or one of: ${words.join(', ')}`
    : ''
  return `"${written}" is not a day. Write a day such as 2026-09-01${known}.`
}

/** True for words that mean other days each day, such as yesterday. */
export function countsFromToday(written: string): boolean {
  return words.includes(written) || daysAgo.test(written)
}

/**
 * The days of a period in the zone's calendar; undefined if none are named. A week starts on Monday. Throws if it ends before it
 * begins.
 */
export function periodOf(spec: PeriodSpec, zone: string, now: Date): Period | undefined {
  const today = dayOf(now, zone)
  const first = spec.day ?? spec.from
  const last = spec.day ?? spec.until
  if (first === undefined && last === undefined) return undefined
  const from = first === undefined ? undefined : daysOf(first, today).from
  const until = last === undefined ? undefined : daysOf(last, today).until
  if (from !== undefined && until !== undefined && from > until)
    throw new WindrowError('option-invalid', `The period ends (${until}) before it begins (${from}).`, {
      hint: 'Change its first or its last day: both are included.',
    })
  return { from, until }
}

/** The first of the days that a day or word means. */
export function firstDay(written: string, zone: string, now: Date): string {
  return daysOf(written, dayOf(now, zone)).from
}

function daysOf(written: string, today: string): { readonly from: string; readonly until: string } {
  const ago = daysAgo.exec(written)
  if (ago !== null) {
    const day = dayBefore(today, Number(ago[1]), ago[2]!)
    return { from: day, until: day }
  }
  const [, year, month] = oneMonth.exec(written) ?? []
  if (year !== undefined) return { from: `${written}-01`, until: spell(Date.UTC(Number(year), Number(month), 0)) }
  return words.includes(written) ? periodOfWord(written, today) : { from: written, until: written }
}

const oneMonth = /^(\d{4})-(0[1-9]|1[0-2])$/
const daysAgo = /^(\d{1,3}) (day|week|month|year)s? ago$/

/** A month before 31 March is the last day of February. */
function dayBefore(today: string, many: number, unit: string): string {
  const date = new Date(`${today}T00:00:00Z`)
  if (unit === 'day' || unit === 'week') return spell(date.getTime() - many * (unit === 'week' ? 7 : 1) * dayMs)
  const months = date.getUTCFullYear() * 12 + date.getUTCMonth() - many * (unit === 'year' ? 12 : 1)
  const [year, month] = [Math.floor(months / 12), months % 12]
  const lastOfMonth = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return spell(Date.UTC(year, month, Math.min(date.getUTCDate(), lastOfMonth)))
}

/** The local day in the zone, as yyyy-MM-dd. */
export function dayOf(moment: Date, zone: string): string {
  return zoneClock(zone)(moment.toISOString())!.slice(0, 10)
}

/** The placeholders of an export's file name. */
export const placeholders = ['day', 'month', 'year'] as const

/** The placeholders that tell the days of a word from those that it means the next time; undefined for days that stay the same. */
export function placeholdersFor(written: string): readonly string[] | undefined {
  if (!countsFromToday(written)) return undefined
  if (written.endsWith(' year')) return placeholders
  return written.endsWith(' month') ? ['day', 'month'] : ['day']
}

/** Fills {day}, {month} and {year} from the first day of the period, or from today without one. */
export function fillPlaceholders(file: string, period: Period | undefined, today: string): string {
  const day = period?.from ?? period?.until ?? today
  return file.replaceAll(/\{(day|month|year)\}/g, (_, part: string) =>
    part === 'year' ? day.slice(0, 4) : part === 'month' ? day.slice(0, 7) : day,
  )
}

function periodOfWord(word: string, today: string): { readonly from: string; readonly until: string } {
  const at = Date.parse(`${today}T00:00:00Z`)
  const date = new Date(at)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const monday = at - ((date.getUTCDay() + 6) % 7) * dayMs
  const span = (from: number, until: number) => ({ from: spell(from), until: spell(until) })
  const back = word === 'yesterday' || word.startsWith('last') ? 1 : 0
  if (word.endsWith('day')) return span(at - back * dayMs, at - back * dayMs)
  if (word.endsWith('week')) return span(monday - 7 * back * dayMs, monday + (6 - 7 * back) * dayMs)
  if (word.endsWith('month')) return span(Date.UTC(year, month - back, 1), Date.UTC(year, month - back + 1, 0))
  return span(Date.UTC(year - back, 0, 1), Date.UTC(year - back, 11, 31))
}

function spell(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
