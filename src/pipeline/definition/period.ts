/** Turns words such as "last month" into days, by the calendar of a time zone. */

/** Days from the first to the last, both included, as yyyy-MM-dd; an open end is undefined. */
export type Period = { readonly from: string | undefined; readonly until: string | undefined }

/** A period as written: a word, or its first and last day. */
export type PeriodSpec = { readonly day?: string; readonly from?: string; readonly until?: string }

const words = [
  'today',
  'yesterday',
  'this week',
  'last week',
  'this month',
  'last month',
  'this year',
  'last year',
] as const

type Word = (typeof words)[number]

const dayMs = 86_400_000

/** What is wrong with a day or a word for days; undefined if it is right. */
export function faultOfDay(written: string, wordsToo: boolean): string | undefined {
  if (isDay(written) || (wordsToo && isWord(written))) return undefined
  const known = wordsToo ? ` or one of: ${words.join(', ')}` : ''
  return `"${written}" is not a day. Write a day such as 2026-09-01${known}.`
}

/** The days of a period in the zone's calendar; undefined if none are named. A week starts on Monday. */
export function periodOf(spec: PeriodSpec, zone: string, now: Date): Period | undefined {
  const { day, from, until } = spec
  if (day === undefined) return from === undefined && until === undefined ? undefined : { from, until }
  return isWord(day) ? periodOfWord(day, dayOf(now, zone)) : { from: day, until: day }
}

/** The local day in the zone, as yyyy-MM-dd. */
export function dayOf(moment: Date, zone: string): string {
  let formatter = formatters.get(zone)
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat('en-US', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' })
    formatters.set(zone, formatter)
  }
  const parts = new Map(formatter.formatToParts(moment).map(({ type, value }) => [type, value]))
  return `${(parts.get('year') ?? '').padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`
}

const formatters = new Map<string, Intl.DateTimeFormat>()

/** The placeholders of an export's file name. */
export const placeholders = ['day', 'month', 'year'] as const

/** Fills {day}, {month} and {year} from the first day of the period, or from today without one. */
export function fillPlaceholders(file: string, period: Period | undefined, today: string): string {
  const day = period?.from ?? period?.until ?? today
  return file.replaceAll(/\{(day|month|year)\}/g, (_, part: string) =>
    part === 'year' ? day.slice(0, 4) : part === 'month' ? day.slice(0, 7) : day,
  )
}

function isWord(written: string): written is Word {
  return (words as readonly string[]).includes(written)
}

function isDay(written: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(written)) return false
  const time = Date.parse(`${written}T00:00:00Z`)
  return !Number.isNaN(time) && spell(time) === written
}

function periodOfWord(word: Word, today: string): Period {
  const at = Date.parse(`${today}T00:00:00Z`)
  const date = new Date(at)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const monday = at - ((date.getUTCDay() + 6) % 7) * dayMs
  const span = (from: number, until: number): Period => ({ from: spell(from), until: spell(until) })
  switch (word) {
    case 'today':
      return span(at, at)
    case 'yesterday':
      return span(at - dayMs, at - dayMs)
    case 'this week':
      return span(monday, monday + 6 * dayMs)
    case 'last week':
      return span(monday - 7 * dayMs, monday - dayMs)
    case 'this month':
      return span(Date.UTC(year, month, 1), Date.UTC(year, month + 1, 0))
    case 'last month':
      return span(Date.UTC(year, month - 1, 1), Date.UTC(year, month, 0))
    case 'this year':
      return span(Date.UTC(year, 0, 1), Date.UTC(year, 11, 31))
    case 'last year':
      return span(Date.UTC(year - 1, 0, 1), Date.UTC(year - 1, 11, 31))
  }
}

function spell(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
