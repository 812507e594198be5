/** Chooses which date patterns to try on a text: those with the same sequence of digits, letters and signs. */

import { compileDatePattern, type DatePattern } from '../values/date-pattern.ts'

const days = ['yyyy-MM-dd', 'yyyy/M/d', 'yyyyMMdd', 'd/M/yyyy', 'M/d/yyyy', 'd.M.yyyy', 'd-M-yyyy', 'M-d-yyyy']
const shortDays = ['d/M/yy', 'M/d/yy', 'd.M.yy', 'd MMM yyyy', 'd-MMM-yyyy', 'd-MMM-yy', 'MMM d, yyyy', 'd MMM yy']
const times = ['', ' H:mm', ' H:mm:ss', ' h:mm a', ' h:mm:ss a']
const iso = ["yyyy-MM-dd'T'HH:mm:ss", "yyyy-MM-dd'T'HH:mm:ssX", "yyyy-MM-dd'T'HH:mm:ss.SX", "yyyy-MM-dd'T'HH:mm"]

/** The date patterns that columns are compared with. */
export const datePatterns: readonly DatePattern[] = [
  ...iso,
  ...times.flatMap((time) => [...days, ...shortDays].map((day) => day + time)),
]
  .map(compileDatePattern)
  .filter((pattern) => typeof pattern !== 'string')

const [shortest, longest] = [6, 40]
const [digits, letters, space] = [1, 2, 3]
const pointCode = 46

/** A form of dates, such as digits / digits / digits, and the patterns that may read it. */
export type DateForm = { readonly number: number; readonly patterns: number[] }

/** The form of a text if any pattern may read it; undefined for nearly every text that is not a date. */
export function formLike(text: string): DateForm | undefined {
  if (text.length < shortest || text.length > longest) return undefined
  const first = text.charCodeAt(0)
  // A text that begins with a letter can only be "Sep 3, 2026 ...", which ends in a digit or in am, pm.
  if (!mayBeginDate(first) || (first > 57 && !endsLikeDate(text))) return undefined
  return forms.get(signOf(text))
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

/** A digit, or the first letter of a month's name. */
function mayBeginDate(unit: number): boolean {
  return unit < beginsDate.length && beginsDate[unit] === 1
}

const beginsDate = Uint8Array.from({ length: 128 }, (_, unit) =>
  (unit >= 48 && unit <= 57) || (unit > 57 && 'jfmasond'.includes(String.fromCharCode(unit | 32))) ? 1 : 0,
)

function endsLikeDate(text: string): boolean {
  const last = text.charCodeAt(text.length - 1)
  return (last >= 48 && last <= 57) || last === pointCode || last === 109 || last === 77
}

/** A number for "digits / digits / digits"; how many digits there are and the points of abbreviations make no difference. */
function signOf(text: string): number {
  let sign = 0
  let before = 0
  for (let at = 0; at < text.length; at++) {
    const token = tokenOf(text.charCodeAt(at))
    if (token === before && token <= space) continue
    if (token === pointCode && before === letters) continue
    sign = (Math.imul(sign, 1009) + token) | 0
    before = token
  }
  return sign
}

function tokenOf(code: number): number {
  if (code >= 48 && code <= 57) return digits
  if (code < 128) {
    if (code === 32 || (code >= 9 && code <= 13)) return space
    const small = code | 32
    return small >= 97 && small <= 122 ? letters : code
  }
  return /\s/.test(String.fromCharCode(code)) ? space : letters
}

const forms = new Map<number, DateForm>()
for (const [index, { pattern }] of datePatterns.entries())
  for (const sign of new Set(samplesOf(pattern).map(signOf))) {
    const form = forms.get(sign) ?? { number: forms.size + 1, patterns: [] }
    form.patterns.push(index)
    forms.set(sign, form)
  }

function samplesOf(pattern: string): readonly string[] {
  const text = pattern
    .replaceAll("'", '')
    .replace(/MMM/, 'SEP')
    .replaceAll(/y+|d+|H+|h+|m+|s+|\bM+\b|(?<=y)MM(?=d)|S(?=X)/g, '1')
    .replace(/(?<![A-Z])a$/, 'pm')
  if (!text.endsWith('X')) return [text]
  return ['Z', '+1', '-1', '+1:1', '-1:1'].map((offset) => text.slice(0, -1) + offset)
}
