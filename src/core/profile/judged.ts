/** Finds out which numbers, dates and units the texts of a column contain, and counts them. */

import { meansNothing } from '../values/no-value.ts'
import {
  numberKindOf,
  numberKinds,
  partNumberAndWord,
  type DecimalMark,
  type ThousandsMark,
} from '../values/number-text.ts'
import type { Place } from '../row.ts'
import { datePatterns, formLike, mostReadings, patternsOf, readDates, type DateForm } from './date-fits.ts'
import { copyOf } from './distinct.ts'

/** How a date pattern reads a column's texts: read, impossible (31 February), or of another form, with the first that is not read. */
export type PatternFit = ReturnType<typeof patternFits>[number]

/** What a text shows besides a possible number, with the first text that showed it. */
type Finding = {
  readonly fits: readonly number[]
  readonly impossible: readonly number[]
  readonly word: string | undefined
  /** True for "-", n/a and the like. */
  readonly isNothing: boolean
  readonly text: string
  readonly at: Place
}

/** Numbers of one kind: how many different ones, and the first. */
type Numbers = { times: number; readonly text: string }

/**
 * The numbers of a column by mark. `grouped` certainly have it between thousands; `ambiguous` are such as 1,204, where it may be
 * either; `fractional` have it before decimals.
 */
export type MarksSeen = {
  readonly grouped: Partial<Record<ThousandsMark, Numbers>>
  readonly ambiguous: Partial<Record<DecimalMark, Numbers>>
  readonly fractional: Partial<Record<DecimalMark, Numbers>>
}

const groupedNumber = /^[+\u2212-]?([1-9]\d{0,2})([.,' \u00a0\u2009\u202f’])\d{3}(?:\2\d{3})*([.,]\d+)?$/
const fraction = /^[+\u2212-]?\d*([.,])\d+$/
const markNames: Readonly<Record<string, Exclude<ThousandsMark, 'none'>>> = {
  '.': 'point',
  ',': 'comma',
  "'": 'apostrophe',
  '’': 'apostrophe',
}

const mostWords = 8
const longestNothing = 10
const marksOfFinding = 16
const zeroMark = 8
const digitsOnly = /^[+-]?\d+$/

/** The findings of a column in order of appearance, and how many texts have each mark: finding, kind of number, leading zero. */
type Judged = ReturnType<typeof startJudged>

/** Starts a column of texts. */
export function startJudged() {
  return {
    findings: [] as Finding[],
    findingBySaying: new Map<number | string, number>(),
    /** The mark of a text that shows at most a number; -1 until there is one. */
    plain: -1,
    /** The form of the last date. */
    form: undefined as DateForm | undefined,
    counts: [] as number[],
    marks: { grouped: {}, ambiguous: {}, fractional: {} } as MarksSeen,
  }
}

/** Examines a text once: which number it is, which dates it may be, which word follows its number. */
export function judge(column: Judged, text: string, at: Place): number {
  const kind = numberKindOf(text)
  const first = text.charCodeAt(0)
  const second = text.charCodeAt(1)
  const mark = kind + (first === 48 && second >= 48 && second <= 57 ? zeroMark : 0)
  if (kind !== numberKinds.none && (kind !== numberKinds.either || !digitsOnly.test(text)))
    countMarks(column.marks, text)
  // Of the texts that are numbers, only those like 20260903 may be dates.
  if (kind !== numberKinds.none && (kind !== numberKinds.either || text.length !== 8))
    return mark + plainFinding(column, text, at)
  // The last date's form usually fits, and a text has only one form.
  let form = column.form
  let reading = form === undefined ? 0 : readDates(form, text)
  if (reading === 0) {
    form = formLike(text)
    reading = form === undefined ? 0 : readDates(form, text)
  }
  if (reading > 0) {
    column.form = form
    return mark + findingOf(column, form!.number * mostReadings + reading, { form, reading, text, at })
  }
  if (kind === numberKinds.none && text.length < longestNothing && mayBeNothing(first) && meansNothing.test(text))
    return mark + nothingFinding(column, text, at)
  const word = kind === numberKinds.none && first < 58 ? wordOf(column, text) : undefined
  return mark + (word === undefined ? plainFinding(column, text, at) : findingOf(column, word, { word, text, at }))
}

function plainFinding(column: Judged, text: string, at: Place): number {
  if (column.plain === -1) column.plain = findingOf(column, '', { text, at })
  return column.plain
}

/** Rules out nearly all texts: those that begin with a digit or a letter other than n and u. */
function mayBeNothing(first: number): boolean {
  const small = first | 0x20
  const isLetter = small >= 0x61 && small <= 0x7a && small !== 0x6e && small !== 0x75
  return !isLetter && !(first >= 48 && first <= 57)
}

function nothingFinding(column: Judged, text: string, at: Place): number {
  const isMany = column.findings.filter((each) => each.isNothing).length >= mostWords
  const saying = `nothing ${text}`
  return isMany && !column.findingBySaying.has(saying)
    ? plainFinding(column, text, at)
    : findingOf(column, saying, { isNothing: true, text, at })
}

type Seen = Pick<Finding, 'text' | 'at'> &
  Partial<Pick<Finding, 'word' | 'isNothing'>> & { readonly form?: DateForm | undefined; readonly reading?: number }

function findingOf(
  column: Judged,
  saying: number | string,
  { form, reading = 0, word, isNothing = false, text, at }: Seen,
): number {
  const { findings, counts, findingBySaying } = column
  const known = findingBySaying.get(saying)
  if (known !== undefined) return known
  const [fits, impossible] = form === undefined ? [[], []] : patternsOf(form, reading)
  const marks = counts.length
  findingBySaying.set(saying, marks)
  findings.push({ fits, impossible, word, isNothing, text: copyOf(text.slice(0, 60)), at })
  for (let mark = 0; mark < marksOfFinding; mark += 1) counts.push(0)
  return marks
}

/** The word behind a number, while there are few different ones: units are few, house numbers are many. */
function wordOf({ findings, findingBySaying }: Judged, text: string): string | undefined {
  const word = text.length > 60 ? undefined : partNumberAndWord(text)?.word
  if (word === undefined || findingBySaying.has(word)) return word
  return findings.filter((each) => each.word !== undefined).length < mostWords ? word : undefined
}

/**
 * Adds up the marks: the verdict on a column's texts. `numberFit` has how many of them are numbers with a decimal point, with a decimal
 * comma, and the same number with both; its `both` counts those that are different numbers with point and comma, such as 1,204.
 * `nothings` has the words for no value, such as "-" and n/a.
 */
export function sumUp({ findings, counts, marks }: Judged) {
  const byKind = Array.from({ length: zeroMark }, () => 0)
  const byFinding = findings.map(() => 0)
  let leadingZeros = 0
  for (const [mark, times] of counts.entries()) {
    byKind[mark % zeroMark]! += times
    byFinding[Math.floor(mark / marksOfFinding)]! += times
    if (mark % marksOfFinding >= zeroMark) leadingZeros += times
  }
  const both = byKind[numberKinds.both]!
  return {
    leadingZeros,
    numberFit: {
      point: byKind[numberKinds.point]! + both,
      comma: byKind[numberKinds.comma]! + both,
      either: byKind[numberKinds.either]!,
      both,
    },
    numberWords: Object.fromEntries(
      findings.flatMap(({ word }, index) => (word === undefined ? [] : [[word, byFinding[index]!]])),
    ),
    nothings: Object.fromEntries(
      findings.flatMap(({ isNothing, text }, index) => (isNothing ? [[text, byFinding[index]!]] : [])),
    ),
    dates: patternFits(findings, byFinding),
    marks,
  }
}

function patternFits(all: readonly Finding[], timesOfAll: readonly number[]) {
  const findings = all.filter(({ isNothing }) => !isNothing)
  const times = timesOfAll.filter((_, index) => !all[index]!.isNothing)
  const texts = times.reduce((sum, each) => sum + each, 0)
  const sumOf = (has: (finding: Finding) => boolean): number =>
    findings.reduce((sum, finding, index) => (has(finding) ? sum + times[index]! : sum), 0)
  const able = new Set(findings.flatMap(({ fits }) => fits))
  return [...able]
    .map((index) => {
      const { pattern, spoken } = datePatterns[index]!
      const fits = sumOf((finding) => finding.fits.includes(index))
      const impossible = sumOf((finding) => finding.impossible.includes(index))
      const against = findings.find((finding) => !finding.fits.includes(index))
      const firstMisfit = against === undefined ? undefined : { text: against.text, at: against.at }
      return { pattern, spoken, fits, impossible, misfits: texts - fits - impossible, firstMisfit }
    })
    .toSorted((left, right) => right.fits - left.fits)
}

/** Counts the marks of a text that is a number with some decimal mark. */
function countMarks({ grouped, ambiguous, fractional }: MarksSeen, text: string): void {
  const [, first, between, decimals] = groupedNumber.exec(text) ?? []
  if (first === undefined || between === undefined) {
    const mark = markNames[fraction.exec(text)?.[1] ?? '']
    if (mark === 'point' || mark === 'comma') count(fractional, mark, text)
    return
  }
  const mark = markNames[between] ?? 'space'
  // 1,204,5 is not a number with either mark.
  if (decimals?.startsWith(between) === true) return
  const isAmbiguous = decimals === undefined && text.replace(/^[^\d]/, '').length === first.length + 4
  if (isAmbiguous && (mark === 'point' || mark === 'comma')) count(ambiguous, mark, text)
  else count(grouped, mark, text)
  if (decimals !== undefined) count(fractional, decimals.startsWith(',') ? 'comma' : 'point', text)
}

function count<Mark extends string>(counts: Partial<Record<Mark, Numbers>>, mark: Mark, text: string): void {
  const known = counts[mark]
  if (known === undefined) counts[mark] = { times: 1, text: copyOf(text.slice(0, 40)) }
  else known.times += 1
}
