/** Reads dates by patterns such as d/M/yyyy: strictly, with the reason if a date is impossible. */

/** A date as written: a day, a time of day if it has one, and an offset if it has one. */
export type Moment = {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly fraction: string
  readonly offset: string | undefined
}

/** The result of reading a text: a moment, a sentence if there is no such moment, or undefined if it has another form. */
export type DateReading = Moment | string | undefined

/** A pattern ready for use; `spoken` is how a person would say it: day/month/year. */
export type DatePattern = {
  readonly pattern: string
  readonly spoken: string
  readonly hasOffset: boolean
  read(text: string): DateReading
}

const monthNames = 'January February March April May June July August September October November December'.split(' ')

// In English, German, French, Spanish and Dutch; none of them is another month in another of these languages.
const namesOfMonths = [
  'january jan januar jänner jän janvier janv enero ene januari',
  'february feb februar février fevrier févr fevr fév fev febrero februari',
  'march mar märz maerz mär mrz mars marzo maart mrt',
  'april apr avril avr abril abr',
  'may mai mayo mei',
  'june jun juni juin junio',
  'july jul juli juillet juil julio',
  'august aug août aout agosto ago augustus',
  'september sept sep septembre septiembre setiembre',
  'october oct oktober okt octobre octubre',
  'november nov novembre noviembre',
  'december dec dezember dez décembre decembre déc diciembre dic',
]
/** The months by their names and short names, in small letters. */
export const monthByName: ReadonlyMap<string, number> = new Map(
  namesOfMonths.flatMap((names, index) => names.split(' ').map((name): [string, number] => [name, index + 1])),
)

type Part = 'year' | 'month' | 'day' | 'hour' | 'halfDay' | 'minute' | 'second' | 'fraction' | 'offset'
type Letters = { readonly part: Part; readonly regex: string; readonly spoken: string; readonly varies?: true }

const monthRegex = `(${[...monthByName.keys()].toSorted((a, b) => b.length - a.length).join('|')})\\.?`
const letterTable: Readonly<Record<string, Letters>> = {
  y: { part: 'year', regex: '(\\d{4})', spoken: 'year' },
  yy: { part: 'year', regex: '(\\d{2})', spoken: 'year (two digits)' },
  yyyy: { part: 'year', regex: '(\\d{4})', spoken: 'year' },
  M: { part: 'month', regex: '(\\d{1,2})', spoken: 'month', varies: true },
  MM: { part: 'month', regex: '(\\d{2})', spoken: 'month' },
  MMM: { part: 'month', regex: monthRegex, spoken: 'name of the month' },
  MMMM: { part: 'month', regex: monthRegex, spoken: 'name of the month' },
  d: { part: 'day', regex: '(\\d{1,2})', spoken: 'day', varies: true },
  dd: { part: 'day', regex: '(\\d{2})', spoken: 'day' },
  H: { part: 'hour', regex: '(\\d{1,2})', spoken: 'hour', varies: true },
  HH: { part: 'hour', regex: '(\\d{2})', spoken: 'hour' },
  h: { part: 'hour', regex: '(\\d{1,2})', spoken: 'hour', varies: true },
  hh: { part: 'hour', regex: '(\\d{2})', spoken: 'hour' },
  a: { part: 'halfDay', regex: '([ap])\\.?m\\.?', spoken: 'am or pm' },
  m: { part: 'minute', regex: '(\\d{1,2})', spoken: 'minute', varies: true },
  mm: { part: 'minute', regex: '(\\d{2})', spoken: 'minute' },
  s: { part: 'second', regex: '(\\d{1,2})', spoken: 'second', varies: true },
  ss: { part: 'second', regex: '(\\d{2})', spoken: 'second' },
  S: { part: 'fraction', regex: '(\\d{1,9})', spoken: 'fraction', varies: true },
  SSS: { part: 'fraction', regex: '(\\d{3})', spoken: 'fraction' },
  X: { part: 'offset', regex: '(z|[+-]\\d{2}(?::?\\d{2})?)', spoken: 'offset from UTC' },
  XXX: { part: 'offset', regex: '(z|[+-]\\d{2}:\\d{2})', spoken: 'offset from UTC' },
}

type Built = {
  regex: string
  spoken: string
  readonly parts: Part[]
  varies: boolean
  twelveHours: boolean
}

/** Compiles a pattern of the letters y M d H h a m s S X; returns a sentence if the pattern makes no sense. */
export function compileDatePattern(pattern: string): DatePattern | string {
  const built: Built = { regex: '', spoken: '', parts: [], varies: false, twelveHours: false }
  for (const [token] of pattern.matchAll(/'[^']*'|([A-Za-z])\1*|\s+|[^A-Za-z\s']|'/g)) {
    const fault = addToken(built, token, pattern)
    if (fault !== undefined) return fault
  }
  const missing = (['year', 'month', 'day'] as const).find((part) => !built.parts.includes(part))
  if (missing !== undefined) return missingPart(pattern, missing)
  if (built.twelveHours !== built.parts.includes('halfDay'))
    return `"${pattern}" needs h (1 to 12) and a (am or pm) together; hours from 0 to 23 are H.`
  const { parts, spoken } = built
  const regex = new RegExp(`^${built.regex}$`, 'iu')
  return {
    pattern,
    spoken,
    hasOffset: parts.includes('offset'),
    read(text) {
      const found = regex.exec(text)
      return found === null ? undefined : momentOf(parts, found)
    },
  }
}

function addToken(built: Built, token: string, pattern: string): string | undefined {
  if (token === "'") return `"${pattern}" has a quote (') that is never closed.`
  if (!/^[A-Za-z]/.test(token)) {
    const literal = token.startsWith("'") ? token.slice(1, -1) || "'" : token
    built.regex += /^\s+$/.test(literal) ? '\\s+' : literal.replaceAll(/[$()*+./?[\\\]^{|}]/g, '\\$&')
    built.spoken += literal
    built.varies = false
    return undefined
  }
  const letters = letterTable[token]
  if (letters === undefined) return unknownLetters(token, pattern)
  if (built.parts.includes(letters.part)) return `"${pattern}" names the ${letters.spoken} twice.`
  if (built.varies && letters.regex.startsWith('(\\d'))
    return `"${pattern}" does not show where one number ends and the next begins; write two letters each, as in yyyyMMdd.`
  if (token.startsWith('h')) built.twelveHours = true
  built.regex += letters.regex
  built.spoken += letters.spoken
  built.parts.push(letters.part)
  built.varies = letters.varies === true
  return undefined
}

function unknownLetters(token: string, pattern: string): string {
  const better = pattern.replaceAll('D', 'd').replaceAll('Y', 'y')
  const hint = better === pattern ? 'The letters are y, M, d, H, h, a, m, s, S and X.' : `Did you mean "${better}"?`
  return `"${token}" in the date pattern "${pattern}" has no meaning. ${hint}`
}

function missingPart(pattern: string, part: 'year' | 'month' | 'day'): string {
  if (part === 'month' && pattern.includes('m'))
    return `In "${pattern}" the small m is minutes; the month is a capital M. Did you mean "${pattern.replace(/m+/, (run) => run.toUpperCase())}"?`
  return `The date pattern "${pattern}" has no ${part}.`
}

function momentOf(parts: readonly Part[], found: RegExpExecArray): Moment | string {
  let [year, month, day, hour, minute, second] = [0, 0, 0, 0, 0, 0]
  let fraction = ''
  let halfDay: string | undefined
  let offset: string | undefined
  for (let index = 0; index < parts.length; index++) {
    const text = found[index + 1] ?? ''
    const part = parts[index]
    if (part === 'year') year = text.length === 2 ? fullYear(Number(text)) : Number(text)
    else if (part === 'month') month = monthByName.get(text.toLowerCase()) ?? Number(text)
    else if (part === 'day') day = Number(text)
    else if (part === 'hour') hour = Number(text)
    else if (part === 'minute') minute = Number(text)
    else if (part === 'second') second = Number(text)
    else if (part === 'fraction') fraction = text
    else if (part === 'halfDay') halfDay = text.toLowerCase()
    else offset = spellOffset(text)
  }
  if (halfDay !== undefined) {
    if (hour < 1 || hour > 12) return `There is no ${hour} o'clock ${halfDay}m.`
    hour = (hour % 12) + (halfDay === 'p' ? 12 : 0)
  }
  const moment = { year, month, day, hour, minute, second, fraction, offset }
  return impossibility(moment) ?? moment
}

/** Two digits mean 1970 to 2069. */
function fullYear(twoDigits: number): number {
  return twoDigits < 70 ? 2000 + twoDigits : 1900 + twoDigits
}

function spellOffset(text: string): string {
  if (text === 'z' || text === 'Z') return 'Z'
  const digits = text.slice(1).replace(':', '').padEnd(4, '0')
  return `${text[0]}${digits.slice(0, 2)}:${digits.slice(2)}`
}

function impossibility(moment: Moment): string | undefined {
  const { year, month, day, hour, minute, second, offset } = moment
  if (month < 1 || month > 12) return `There is no month ${month}.`
  const days = daysInMonth(year, month)
  if (day < 1) return `There is no day ${day}.`
  if (day > days) return `${monthNames[month - 1]} ${year} has ${days} days.`
  if (hour > 23) return `There is no hour ${hour}.`
  if (minute > 59) return `There is no minute ${minute}.`
  if (second > 59) return `There is no second ${second}.`
  if (offset !== undefined && offset !== 'Z' && (Number(offset.slice(1, 3)) > 23 || Number(offset.slice(4)) > 59))
    return `There is no offset ${offset}.`
  return undefined
}

/** The day without its year, such as 4 May. */
export function dayInWords({ day, month }: Moment): string {
  return `${day} ${monthNames[month - 1]}`
}

export function isDay(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
}

/** How many days the month has, in today's calendar for old years too. */
export function daysInMonth(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
}

/** A moment that begins a day in its own zone. */
export const startOfDay = /^\d{4}-\d\d-\d\dT00:00(?::00(?:\.0+)?)?(?:Z|[+-]\d\d:\d\d)$/i

const isoRegex =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?: ?([Zz]|[+-]\d{2}(?::?\d{2})?))?)?$/
const isoParts: readonly Part[] = ['year', 'month', 'day', 'hour', 'minute', 'second', 'fraction', 'offset']

/** Reads an ISO date or date-time without a pattern: nothing else starts with a four-digit year and a dash. */
export function readIsoDate(text: string): DateReading {
  const found = isoRegex.exec(text)
  if (found === null) return undefined
  return momentOf(isoParts.slice(0, found[8] === undefined ? 7 : 8), found)
}
