/** Reads query parameters. A reader throws a Refusal where a value cannot be used. */

import { dateTimeFault } from '../../resources/date-time.ts'
import { Refusal } from './responses.ts'

/** A box in longitude and latitude; `west` is larger than `east` where it crosses the 180th meridian. */
export type Box = { readonly west: number; readonly south: number; readonly east: number; readonly north: number }

/** Which part of a list the caller wants: from an offset or, with `after`, behind the last record read, as in a `next` link. */
export type Page = { readonly limit: number; readonly offset: number; readonly after?: readonly number[] }

type CountRule = { readonly fallback: number; readonly least: number; readonly most: number }

/** Refuses a query with a parameter that is unknown or repeated. */
export function checkQuery(query: URLSearchParams, known: readonly string[]): void {
  const seen = new Set<string>()
  for (const name of query.keys()) {
    if (!known.includes(name)) {
      const list = known.length === 0 ? 'This address takes no parameters.' : `This address takes ${known.join(', ')}.`
      throw new Refusal(400, `Unknown parameter ${quoted(name)}. ${list}`)
    }
    if (seen.has(name)) throw new Refusal(400, `The parameter ${quoted(name)} is given more than once. Give it once.`)
    seen.add(name)
  }
}

/** Reads a whole number. Above `most` it is lowered to `most` (OGC API Features 1.0.1 has limits clamped, not refused). */
export function readCount(query: URLSearchParams, name: string, rule: CountRule): number {
  const text = query.get(name)
  if (text === null) return rule.fallback
  if (!/^\d+$/.test(text) || Number(text) < rule.least)
    throw unfit(name, text, `it must be a whole number, ${rule.least} or more.`)
  return Math.min(Number(text), rule.most)
}

/** The largest limit (section 8, ruling on default limits). */
export const largestLimit = 10_000

/** Reads `limit`, `offset` and `after`, a list of `afterNumbers` numbers. */
export function readPage(query: URLSearchParams, defaultLimit: number, afterNumbers: number): Page {
  const limit = readCount(query, 'limit', { fallback: defaultLimit, least: 1, most: largestLimit })
  const offset = readCount(query, 'offset', { fallback: 0, least: 0, most: Number.MAX_SAFE_INTEGER })
  const text = query.get('after')
  if (text === null) return { limit, offset }
  const after = text.split('.').map((each) => (/^\d{1,15}$/.test(each) ? Number(each) : Number.NaN))
  if (after.length === afterNumbers && after.every(Number.isInteger)) return { limit, offset, after }
  throw unfit('after', text, 'copy it unchanged from the link to the next page.')
}

const decimal = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i

/** Reads `bbox`: four numbers, or six with heights, which are ignored. */
export function readBox(query: URLSearchParams): Box | undefined {
  const text = query.get('bbox')
  if (text === null) return undefined
  const numbers = text.split(',').map((part) => (decimal.test(part.trim()) ? Number(part) : Number.NaN))
  if ((numbers.length !== 4 && numbers.length !== 6) || !numbers.every(Number.isFinite))
    throw unfit('bbox', text, 'it must be four numbers: minx,miny,maxx,maxy (longitude, latitude).')
  const [west, south] = numbers as [number, number]
  const [east, north] = numbers.slice(numbers.length / 2) as [number, number]
  if (south > north) throw unfit('bbox', text, 'miny is larger than maxy. The order is minx,miny,maxx,maxy.')
  return { west, south, east, north }
}

// The country codes of ISO 3166-1. Intl accepts more: EU, UK, XK, ZZ, and those of former countries.
const countries = new Set(
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH
  CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP
  GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR
  LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF
  PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ
  TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`.split(/\s+/),
)

/** Reads X-Requested-Region: a two-letter country code (ISO 3166-1), null where there is none. */
export function readRegion(header: string | undefined): string | null {
  if (header === undefined || header.trim() === '') return null
  const code = header.trim().toUpperCase()
  if (countries.has(code)) return code
  throw unfit('X-Requested-Region', header, 'it must be a two-letter country code such as NZ or GB.')
}

/** Which moment of a whole day is meant. */
type Edge = 'first' | 'last'

/**
 * Reads a date, or a date and time, as milliseconds, undefined when the text is neither. A date means the whole day, and a time
 * without zone is UTC. A blank before the offset was a plus sign that the caller did not encode.
 */
export function readMoment(text: string, edge: Edge): number | undefined {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text)
  const isLocal = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?$/i.test(text)
  const whole = isDay ? `${text}T00:00:00Z` : isLocal ? `${text}Z` : text.replace(/ (?=\d\d:\d\d$)/, '+')
  if (dateTimeFault(whole) !== undefined) return undefined
  // Date does not know leap seconds.
  const milliseconds = Date.parse(whole.toUpperCase().replace(/:60(?=[.Z+-])/, ':59'))
  return isDay && edge === 'last' ? milliseconds + 86_399_999 : milliseconds
}

/** Reads a parameter that is a date, or a date and time. */
export function readBound(query: URLSearchParams, name: string, edge: Edge): number | undefined {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  const moment = readMoment(text, edge)
  if (moment !== undefined) return moment
  throw unfit(name, text, 'it must be a date, or a date and time, such as 2026-11-01 or 2026-11-01T00:00:00Z.')
}

/** A period in milliseconds, both ends included; a missing end is open. */
export type Interval = { readonly from: number | undefined; readonly to: number | undefined }

/** Reads `datetime`: one moment, or two with a slash between them; one of the two may be missing or `..`. */
export function readInterval(query: URLSearchParams): Interval | undefined {
  const text = query.get('datetime')
  if (text === null) return undefined
  const [first = '', last = first, ...more] = text.split('/')
  const isOpen = (end: string): boolean => text.includes('/') && (end === '' || end === '..')
  const from = isOpen(first) ? undefined : readMoment(first, 'first')
  const to = isOpen(last) ? undefined : readMoment(last, 'last')
  const isRead = (isOpen(first) || from !== undefined) && (isOpen(last) || to !== undefined)
  if (more.length > 0 || !isRead || (isOpen(first) && isOpen(last)))
    throw unfit(
      'datetime',
      text,
      'it must be a time such as 2026-11-01T00:00:00Z, or two with / between them (.. for an open end).',
    )
  if (from !== undefined && to !== undefined && from > to) throw unfit('datetime', text, 'the end is before the start.')
  return { from, to }
}

/** Reads a parameter that is true or false; false where it is missing. */
export function readTruth(query: URLSearchParams, name: string): boolean {
  const text = query.get(name)?.toLowerCase()
  if (text === undefined || text === 'false') return false
  if (text === 'true') return true
  throw unfit(name, query.get(name)!, 'it must be true or false.')
}

function unfit(name: string, text: string, why: string): Refusal {
  return new Refusal(400, `${name} is ${quoted(text)}; ${why}`)
}

/** Quotes a value from a request for a sentence: shortened, without control characters. */
export function quoted(text: string): string {
  const plain = text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '?')
  return `"${plain.length > 80 ? `${plain.slice(0, 80)}…` : plain}"`
}
