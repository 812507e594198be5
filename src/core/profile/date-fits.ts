/** Chooses which date patterns to try on a text: those with the same sequence of digits, letters and signs. */

import { compileDatePattern, type DatePattern } from '../values/date-pattern.ts'

const days = [
  'yyyy-MM-dd',
  'yyyy/M/d',
  'yyyyMMdd',
  'yyyy.M.d',
  'd/M/yyyy',
  'M/d/yyyy',
  'd.M.yyyy',
  'd-M-yyyy',
  'M-d-yyyy',
  'yyyy年M月d日',
]
const shortDays = [
  'd/M/yy',
  'M/d/yy',
  'd.M.yy',
  'd MMM yyyy',
  'd-MMM-yyyy',
  'd-MMM-yy',
  'MMM d, yyyy',
  'd MMM yy',
  'd. MMM yyyy',
  'd. MMM yy',
]
const times = ['', ' H:mm', ' H:mm:ss', ' h:mm a', ' h:mm:ss a']
// As OGR and QGIS, and databases write moments in text.
const ogr = ['yyyy/MM/dd HH:mm:ssX', 'yyyy/MM/dd HH:mm:ss.SX']
const databases = ['yyyy-MM-dd HH:mm:ss.S', 'yyyy-MM-dd HH:mm:ssX', 'yyyy-MM-dd HH:mm:ss.SX', 'yyyy-MM-dd HH:mm:ss.S X']
const iso = [
  "yyyy-MM-dd'T'HH:mm:ss",
  "yyyy-MM-dd'T'HH:mm:ssX",
  "yyyy-MM-dd'T'HH:mm:ss.S",
  "yyyy-MM-dd'T'HH:mm:ss.SX",
  "yyyy-MM-dd'T'HH:mm",
]

/** The date patterns that columns are compared with. */
export const datePatterns: readonly DatePattern[] = [
  ...iso,
  ...ogr,
  ...databases,
  ...times.flatMap((time) => [...days, ...shortDays].map((day) => day + time)),
]
  .map(compileDatePattern)
  .filter((pattern) => typeof pattern !== 'string')

const [shortest, longest] = [6, 40]
/** Text that begins with a letter can only be "Sep 3, 2026 ...", which ends in a digit or in am, pm. */
const dateLike = /^(?:\d|[jfmasond].*[\d.m]$)/is

/** A form of dates, such as digits / digits / digits, and the patterns that may read it. */
export type DateForm = { readonly number: number; readonly patterns: number[] }

/** The form of a text if any pattern may read it; undefined for nearly every text that is not a date. */
export function formLike(text: string): DateForm | undefined {
  if (text.length < shortest || text.length > longest) return undefined
  return dateLike.test(text) ? forms.get(formOf(text)) : undefined
}

/** Larger than the number of any reading. */
export const mostReadings = 3 ** 8

/** How each pattern of the form reads the text, as one number; 0 if none reads it. */
export function readDates({ patterns }: DateForm, text: string): number {
  let reading = 0
  for (let index = patterns.length - 1; index >= 0; index--) {
    const read = datePatterns[patterns[index]!]!.read(text)
    reading = reading * 3 + (read === undefined ? 0 : typeof read === 'object' ? 1 : 2)
  }
  return reading
}

/** The patterns that read it, and those for which the date is impossible. */
export function patternsOf({ patterns }: DateForm, reading: number): readonly [readonly number[], readonly number[]] {
  const outcome = (index: number): number => Math.floor(reading / 3 ** index) % 3
  return [patterns.filter((_, index) => outcome(index) === 1), patterns.filter((_, index) => outcome(index) === 2)]
}

/** Such as "1/1/1": how many digits or letters there are and the points of abbreviations make no difference. */
function formOf(text: string): string {
  return text
    .replaceAll(/\d+/g, '1')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[a-z\u0080-\uffff][a-z.\u0080-\uffff]*/gi, 'a')
}

const forms = new Map<string, DateForm>()
for (const [index, { pattern }] of datePatterns.entries())
  for (const sample of new Set(samplesOf(pattern).map(formOf))) {
    const form = forms.get(sample) ?? { number: forms.size + 1, patterns: [] }
    form.patterns.push(index)
    forms.set(sample, form)
  }

function samplesOf(pattern: string): readonly string[] {
  const text = pattern
    .replaceAll("'", '')
    .replace(/MMM/, 'SEP')
    .replaceAll(/y+|d+|H+|h+|m+|s+|\bM+\b|(?<=y)MM(?=d)|(?<=\.)S/g, '1')
    .replace(/(?<![A-Z])a$/, 'pm')
  if (!text.endsWith('X')) return [text]
  return ['Z', '+1', '-1', '+1:1', '-1:1'].map((offset) => text.slice(0, -1) + offset)
}
