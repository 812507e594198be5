/** Reads the amounts of a pipeline, "5 % or 10", "up to 1 %" or "2 min", and how its rows find records. */

import { WindrowError } from '../../core/error.ts'

/** How the text of a key is read. Each reader returns what the text means, or a sentence about what is wrong with it. */
export const readers = {
  '/from/settled': readDurationMs,
  '/from/then': readThen,
  '/schedule/timeout': readDurationMs,
  '/schedule/retry/every': readRetryEveryMs,
  '/schedule/retry/for': readDurationMs,
  '/schedule/wait for file': readWaitLimit,
  '/geometry/repair': readRepair,
  '/geometry/slivers': readWidthM,
  '/match': readMatch,
  '/guard/deletes': readLimit,
  '/guard/rejected': readLimit,
  '/guard/fewer rows': readLimit,
  '/guard/replaced': readLimit,
  '/guard/older than': (written: string) => (written === 'none' ? undefined : readDurationMs(written)),
} as const

type Meaning<Key extends keyof typeof readers> = Exclude<ReturnType<(typeof readers)[Key]>, string>

/** What the text of a key means, once it was checked; undefined if none is written. */
export function meaningOf<Key extends keyof typeof readers>(
  key: Key,
  written: string | number | undefined,
): Meaning<Key> | undefined {
  const meaning = written === undefined ? undefined : readers[key](String(written))
  if (typeof meaning === 'string') throw new TypeError(meaning)
  return meaning as Meaning<Key> | undefined
}

/** How much is allowed: a share of the whole, a count, or the larger of the two. */
export type Limit = { readonly share?: number | undefined; readonly count?: number | undefined }

/** How many records a file may replace by default. One paddock of two is an ordinary change. */
export const usualReplaced: Limit = { share: 0.5, count: 1 }

/** How many rows of a pipeline's file may be rejected by default. A night on which all of several are rejected is not a good one. */
export const usualRejected: Limit = { share: 0.99, count: 1 }

const share = /^(\d+(?:\.\d+)?)\s*(?:%|per ?cent)$/i
const whole = /^\d{1,12}$/

/** Reads "5 %", "10" or "5 % or 10"; otherwise returns a sentence. */
export function readLimit(written: string | number): Limit | string {
  const parts = String(written)
    .trim()
    .split(/\s+or\s+/i)
  const shares = parts.flatMap((part) => readShareParts(part))
  const counts = parts.filter((part) => whole.test(part)).map(Number)
  const [oneShare] = shares
  const [oneCount] = counts
  if (parts.length > 2 || shares.length > 1 || counts.length > 1 || shares.length + counts.length < parts.length)
    return `"${written}" is not a limit. Write a share, a number, or both: 5 %, 10, 5 % or 10.`
  if (oneShare !== undefined && oneShare > 1) return `"${written}" is more than 100 %.`
  return { share: oneShare, count: oneCount }
}

function readShareParts(part: string): readonly number[] {
  const found = share.exec(part)
  // Dividing the text by hundred keeps 12.8 % at 0.128, not 0.12800000000000003.
  return found === null ? [] : [Number(`${found[1]}e-2`)]
}

/** True while `count` out of `total` is within the limit; given both a share and a count, one of the two is enough. */
export function allows(limit: Limit, count: number, total: number): boolean {
  if (count === 0) return true
  const byShare = limit.share !== undefined && count <= limit.share * total
  const byCount = limit.count !== undefined && count <= limit.count
  return byShare || byCount
}

/**
 * Deletions: on a small farm, where the share is less than the count, the share decides. `mayGo` records may go unless the count is
 * less. "5 % or 10" lets a farm of 22 paddocks lose one, not ten.
 */
export function allowsDeletes(limit: Limit, count: number, total: number, mayGo = 1): boolean {
  const { share: part, count: most } = limit
  if (part === undefined || most === undefined) return allows(limit, count, total)
  return count <= Math.max(Math.min(mayGo, most), part * total)
}

/** A limit as a person writes it. */
export function spellLimit(limit: Limit): string {
  const percent = limit.share === undefined ? [] : [`${Number((limit.share * 100).toPrecision(12))} %`]
  return [...percent, ...(limit.count === undefined ? [] : [String(limit.count)])].join(' or ')
}

/** Reads "up to 1 %" or "none" as a share; otherwise returns a sentence. */
export function readRepair(written: string | number): number | string {
  const text = String(written).trim()
  if (text === 'none') return 0
  const [found] = readShareParts(text.replace(/^up to\s+/i, ''))
  if (found === undefined) return `"${written}" is not a limit for repairs. Write: up to 1 %, or none.`
  return found > 1 ? `"${written}" is more than 100 %.` : found
}

const metresIn: Readonly<Record<string, number>> = { m: 1, cm: 0.01, mm: 0.001 }

/** Reads "under 0.5 m" or "none" as metres, at most 10; otherwise returns a sentence. */
export function readWidthM(written: string | number): number | string {
  const text = String(written).trim()
  if (text === 'none') return 0
  const found = /^(?:under\s+)?(\d{1,4}(?:\.\d{1,4})?)\s*(mm|cm|m)$/i.exec(text)
  if (found === null) return `"${written}" is not a width. Write a number with its unit, such as: under 0.5 m, or none.`
  const widthM = Number(found[1]) * metresIn[found[2]!.toLowerCase()]!
  return widthM > 10 ? `"${written}" is too wide for a sliver: the limit is 10 m.` : widthM
}

const msIn: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const duration = /^(\d{1,6}(?:\.\d{1,3})?)\s*(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)$/i

/** Reads "2 min", "30 s", "1 h" or "1 day" as milliseconds; otherwise returns a sentence. */
export function readDurationMs(written: string | number): number | string {
  const [, amount, unit] = duration.exec(String(written).trim()) ?? []
  if (unit === undefined) return `"${written}" is not a time. Write a number with its unit: 30 s, 2 min, 1 h.`
  return Math.round(Number(amount) * msIn[unit[0]!.toLowerCase()]!)
}

/** A duration as a person writes it: 90 min, 36 h, 3 days. */
export function spellDuration(ms: number): string {
  const hours = ms / 3_600_000
  if (hours < 2) return `${Math.max(1, Math.round(ms / 60_000))} min`
  return hours <= 48 ? `${Math.round(hours)} h` : `${Math.round(hours / 24)} days`
}

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const

/** How often something comes: each day, on the first day of each month, or on one day of the week. */
export const rhythms = ['day', 'month', ...weekdays] as const

/** A time of day: 02:15. */
export const timeOfDay = /^([01]?\d|2[0-3]):[0-5]\d$/

/** How often and at which time, as cron writes it. */
export function cronOf(every: (typeof rhythms)[number], at: string): string {
  const [hour, minute] = at.split(':').map(Number)
  const weekday = weekdays.findIndex((each) => each === every)
  return `${minute} ${hour} ${every === 'month' ? 1 : '*'} * ${weekday < 0 ? '*' : (weekday + 1) % 7}`
}

/** Reads how often to try again, at least 10 s: a run that fails at once must not be tried without a pause. */
function readRetryEveryMs(written: string | number): number | string {
  const ms = readDurationMs(written)
  return typeof ms === 'number' && ms < 10_000 ? `"${written}" is too often: the least is 10 s.` : ms
}

/** A time of day in minutes after midnight, or a time to wait. */
export type WaitLimit = { readonly minuteOfDay: number } | { readonly ms: number }

/** Reads "until 06:00", "4 h" or "none" (undefined); otherwise returns a sentence. */
export function readWaitLimit(written: string | number): WaitLimit | undefined | string {
  const text = String(written).trim()
  if (text === 'none') return undefined
  const [, hour, minute] = /^until\s+(\d{1,2}):(\d{2})$/i.exec(text) ?? []
  if (hour !== undefined && Number(hour) < 24 && Number(minute) < 60)
    return { minuteOfDay: Number(hour) * 60 + Number(minute) }
  const ms = readDurationMs(text)
  return typeof ms === 'number' ? { ms } : `"${written}" is not a time to wait. Write: until 06:00, or 4 h, or none.`
}

/** Reads the folder of "move to FOLDER"; undefined for "keep"; otherwise returns a sentence. */
export function readThen(written: string): { readonly folder: string } | undefined | string {
  const text = written.trim()
  if (text === 'keep') return undefined
  const [, folder] = /^move to\s+(\S.*)$/i.exec(text) ?? []
  return folder === undefined ? `"${written}" is not known. Write: move to done, or keep.` : { folder }
}

/** By boundary, by name, or by a column whose value is an identifier of the record. */
export type MatchPolicy = { readonly by: 'boundary' | 'name' } | { readonly by: 'identifier'; readonly column: string }

/** Reads "boundary", "name" or "<COLUMN>=identifier"; otherwise returns a sentence. */
function readMatch(written: string): MatchPolicy | string {
  const text = written.trim()
  if (text === 'boundary' || text === 'name') return { by: text }
  const [, column] = /^<?([^<>]+?)>?\s*=\s*identifier$/.exec(text) ?? []
  if (column !== undefined) return { by: 'identifier', column: column.trim() }
  return `"${written}" is no way to match records. Write: boundary, name, or <COLUMN>=identifier.`
}

/** The policy of an option; undefined without one. Throws a WindrowError if it is none. */
export function matchOption(given: string | undefined): MatchPolicy | undefined {
  const match = given === undefined ? undefined : readMatch(given)
  if (typeof match === 'string') throw new WindrowError('option-invalid', match)
  return match
}
