/** Reads the amounts of a pipeline, "5 % or 10", "up to 1 %" or "2 min", and how its rows find records. */

import { readDurationMs } from '../../core/values/duration.ts'

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

const share = /^(\d+(?:\.\d+)?)\s*(?:%|per ?cent)$/i

function readShareParts(part: string): readonly number[] {
  const found = share.exec(part)
  // Dividing the text by hundred keeps 12.8 % at 0.128, not 0.12800000000000003.
  return found === null ? [] : [Number(`${found[1]}e-2`)]
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
