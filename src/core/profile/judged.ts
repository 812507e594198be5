/** Hides what the texts of a column show, number by number and date by date, and how that is counted over all of them. */

import { partNumberAndWord } from '../values/number-text.ts'
import type { Place } from '../row.ts'
import { datePatterns, formLike, mostReadings, patternsOf, readDates, type DateForm } from './date-fits.ts'
import { copyOf } from './distinct.ts'
import { numberKindOf, numberKinds } from './number-kind.ts'

/** What a date pattern makes of a column's texts: read, impossible (31 February), or of another form; the first that is not read. */
export type PatternFit = {
  readonly pattern: string
  readonly spoken: string
  readonly fits: number
  readonly impossible: number
  readonly misfits: number
  readonly firstMisfit: { readonly text: string; readonly at: Place } | undefined
}

/**
 * How many of the texts are numbers with a decimal point, with a comma, and the same number with both; `both` are those of point
 * and comma that are another number with each, such as 1,204.
 */
export type NumberFit = {
  readonly point: number
  readonly comma: number
  readonly either: number
  readonly both: number
}

/** What a text shows beside the number that it may be. The first text of each finding stands for it. */
type Finding = {
  readonly fits: readonly number[]
  readonly impossible: readonly number[]
  readonly word: string | undefined
  readonly text: string
  readonly at: Place
}

/** The findings of a column, and how many texts came to each mark: a finding, a kind of number, whether it begins with a zero. */
export type Judged = {
  /** In the order in which they turned up. */
  readonly findings: Finding[]
  readonly findingBySaying: Map<number | string, number>
  /** The mark of a text that shows nothing but perhaps a number; -1 before there is one. */
  plain: number
  /** How the last date was written. */
  form: DateForm | undefined
  readonly counts: number[]
}

const mostWords = 8
const marksOfFinding = 16
const zeroMark = 8

/** Starts a column of texts. */
export function startJudged(): Judged {
  return { findings: [], findingBySaying: new Map(), plain: -1, form: undefined, counts: [] }
}

/** Looks at a text once: what number it is, which dates it may be, what word stands behind its number. */
export function judge(column: Judged, text: string, at: Place): number {
  const kind = numberKindOf(text)
  const first = text.charCodeAt(0)
  const mark = markOf(kind, first, text.charCodeAt(1))
  if (isOnlyNumber(kind, text.length)) return mark + plainFinding(column, text, at)
  // The form of the last date mostly fits, and what fits one form fits no other.
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
  const word = kind === numberKinds.none && first < 58 ? wordOf(column, text) : undefined
  return mark + (word === undefined ? plainFinding(column, text, at) : findingOf(column, word, { word, text, at }))
}

/** The part of a mark that says which number a text is, and whether it begins like 007. */
function markOf(kind: number, first: number, second: number): number {
  return kind + (first === 48 && second >= 48 && second <= 57 ? zeroMark : 0)
}

/** Of the texts that are numbers only 20260903 may be a date. */
function isOnlyNumber(kind: number, length: number): boolean {
  return kind !== numberKinds.none && (kind !== numberKinds.either || length !== 8)
}

function plainFinding(column: Judged, text: string, at: Place): number {
  if (column.plain === -1) column.plain = findingOf(column, '', { text, at })
  return column.plain
}

function findingOf(column: Judged, saying: number | string, seen: Seen): number {
  return column.findingBySaying.get(saying) ?? addFinding(column, saying, seen)
}

type Seen = {
  readonly form?: DateForm | undefined
  readonly reading?: number
  readonly word?: string
  readonly text: string
  readonly at: Place
}

function addFinding(column: Judged, saying: number | string, { form, reading = 0, word, text, at }: Seen): number {
  const { findings, counts, findingBySaying } = column
  const [fits, impossible] = form === undefined ? [none, none] : patternsOf(form, reading)
  const marks = counts.length
  findingBySaying.set(saying, marks)
  findings.push({ fits, impossible, word, text: copyOf(text.slice(0, 60)), at })
  for (let mark = 0; mark < marksOfFinding; mark += 1) counts.push(0)
  return marks
}

const none: readonly never[] = []

/** The word behind a number, as long as they are few: units are, house numbers are not. */
function wordOf({ findings, findingBySaying }: Judged, text: string): string | undefined {
  const word = text.length > 60 ? undefined : partNumberAndWord(text)?.word
  if (word === undefined || findingBySaying.has(word)) return word
  return findings.filter((each) => each.word !== undefined).length < mostWords ? word : undefined
}

/** What the texts of a column turned out to be. */
export type Verdict = {
  readonly leadingZeros: number
  readonly numberFit: NumberFit
  readonly numberWords: Readonly<Record<string, number>>
  readonly dates: readonly PatternFit[]
}

/** Adds up the marks. */
export function sumUp({ findings, counts }: Judged): Verdict {
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
    dates: patternFits(findings, byFinding),
  }
}

function patternFits(findings: readonly Finding[], times: readonly number[]): readonly PatternFit[] {
  const all = times.reduce((sum, each) => sum + each, 0)
  const sumOf = (has: (finding: Finding) => boolean): number =>
    findings.reduce((sum, finding, index) => (has(finding) ? sum + times[index]! : sum), 0)
  const able = new Set(findings.flatMap(({ fits }) => fits))
  return [...able]
    .map((index): PatternFit => {
      const { pattern, spoken } = datePatterns[index]!
      const fits = sumOf((finding) => finding.fits.includes(index))
      const impossible = sumOf((finding) => finding.impossible.includes(index))
      const against = findings.find((finding) => !finding.fits.includes(index))
      const firstMisfit = against === undefined ? undefined : { text: against.text, at: against.at }
      return { pattern, spoken, fits, impossible, misfits: all - fits - impossible, firstMisfit }
    })
    .toSorted((left, right) => right.fits - left.fits)
}
