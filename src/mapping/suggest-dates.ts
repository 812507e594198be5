/** Hides how the form of a column's dates is decided, over all its values: above all whether the day or the month comes first. */

import { compileDatePattern, dayInWords, type DatePattern } from '../core/values/date-pattern.ts'
import { problem, type Problem } from '../core/problem.ts'
import type { ColumnProfile, PatternFit } from '../core/profile/profile-table.ts'

/** The pattern that reads a column, why, and what else would. A guess is not `certain`. */
export type DateChoice = {
  readonly pattern: string
  readonly hasOffset: boolean
  readonly evidence: string
  readonly runnerUp?: string
  readonly certain: boolean
  /** True where another pattern reads the column just as well. */
  readonly isTie?: boolean
}

// A typing mistake or two must not hide a column of dates; more of them, and it is none.
const leastShare = 0.9

/** Decides the pattern of a column, which is the one that a person `said` where that fits; undefined where it does not hold dates. */
export function pickDates(column: ColumnProfile, said?: DatePattern): DateChoice | undefined {
  if (column.texts === 0 || column.texts < column.filled) return undefined
  const asSaid = said && patternAsSaid(column, said)
  if (asSaid !== undefined) return { ...asSaid, evidence: `${asSaid.pattern}, as you said`, certain: true }
  const able = column.dates.filter(({ fits }) => fits >= column.texts * leastShare)
  const [best, second] = able.toSorted(
    (left, right) => right.fits - left.fits || left.misfits - right.misfits || dayFirst(left) - dayFirst(right),
  )
  if (best === undefined) return undefined
  const compiled = compileDatePattern(best.pattern)
  const hasOffset = typeof compiled !== 'string' && compiled.hasOffset
  const isTie = second !== undefined && second.fits === best.fits && second.misfits === best.misfits
  return {
    pattern: best.pattern,
    hasOffset,
    evidence: `${best.pattern} reads ${best.fits} of ${column.texts}${isTie ? '; no value tells it from the runner-up' : ruledOut(best, column)}`,
    ...(isTie ? { runnerUp: `${second.pattern} (reads them all as well)` } : {}),
    certain: !isTie && best.misfits === 0,
    isTie,
  }
}

/** The pattern that a person said, with the time of day that the column has beside it; undefined where it does not fit. */
function patternAsSaid(
  { dates, texts, examples }: ColumnProfile,
  said: DatePattern,
): Pick<DateChoice, 'pattern' | 'hasOffset'> | undefined {
  const { pattern, hasOffset } = said
  const tried = dates.filter((each) => each.pattern === pattern || each.pattern.startsWith(`${pattern} `))
  const fitting = tried.find(({ fits }) => fits >= texts * leastShare)
  if (fitting !== undefined) return { pattern: fitting.pattern, hasOffset }
  // A pattern that no column is tried with by itself is tried on the examples.
  const fits = tried.length === 0 && examples.every((text) => typeof said.read(text) === 'object')
  return fits ? { pattern, hasOffset } : undefined
}

/** A column whose dates have two readings, the likelier first, with a date that shows both. */
export type UndecidedDates = {
  readonly column: string
  readonly patterns: readonly [string, string]
  readonly example: string
  /** "4 May or 5 April". */
  readonly meanings: string
}

/** The two readings of a column where nothing shows whether the day or the month comes first. */
export function undecidedDates(column: ColumnProfile, said?: DatePattern): UndecidedDates | undefined {
  const choice = pickDates(column, said)
  const other = choice && exchanged(choice.pattern)
  if (choice?.isTie !== true || other === undefined) return undefined
  const patterns = [choice.pattern, other] as const
  const readings = column.examples.map((text) => ({ text, days: patterns.map((each) => dayRead(each, text)) }))
  const { text, days } = readings.find(({ days: [one, two] }) => one !== two) ?? readings[0]!
  return { column: column.name, patterns, example: text, meanings: days.join(' or ') }
}

function dayRead(pattern: string, text: string): string {
  const compiled = compileDatePattern(pattern)
  const moment = typeof compiled === 'string' ? undefined : compiled.read(text)
  return typeof moment === 'object' ? dayInWords(moment) : 'no date'
}

/** Warns that a column is not published until somebody says how its dates are written. */
export function dateOrderProblem({ column, patterns, example, meanings }: UndecidedDates, source: string): Problem {
  const [one, other] = patterns.map((pattern) => (/\s/.test(pattern) ? `"${pattern}"` : pattern))
  return problem(
    'date-order-unclear',
    { source, row: -1 },
    {
      column,
      value: example,
      message:
        `The dates in column "${column}" of ${source} have two readings: ${example} is ${meanings}. Nothing shows which, so they are not published. ` +
        `Write --dates ${one} or --dates ${other}; in a pipeline, date: ${one} or date: ${other}.`,
    },
  )
}

type DatesSeen = {
  readonly filled: number
  readonly dates: readonly { readonly pattern: string; readonly fits: number }[]
}

/** How a column is written that holds dates in more than one form, such as "d/M/yyyy 3 of 5, yyyy-MM-dd 1"; else undefined. */
export function mixedDates({ dates, filled }: DatesSeen): string | undefined {
  const reads = dates.filter(({ fits }) => fits > 0).toSorted((left, right) => right.fits - left.fits)
  const all = reads.reduce((sum, { fits }) => sum + fits, 0)
  if (reads.length < 2 || all < filled * leastShare || reads[0]!.fits >= filled * leastShare) return undefined
  const [first, ...others] = reads.slice(0, 5).map(({ pattern, fits }) => `${pattern} ${fits}`)
  return [`${first} of ${filled}`, ...others].join(', ')
}

/** Where nothing decides, the day comes first, as nearly everywhere. */
function dayFirst(fit: PatternFit): number {
  return fit.pattern.startsWith('M') ? 1 : 0
}

/** The value that speaks against the reading with day and month exchanged. */
function ruledOut(best: PatternFit, column: ColumnProfile): string {
  const opposite = exchanged(best.pattern)
  const other = opposite === undefined ? undefined : column.dates.find(({ pattern }) => pattern === opposite)
  const misfit = other?.firstMisfit
  if (other === undefined || misfit === undefined) return ''
  return `; ${opposite} does not read ${column.texts - other.fits} of them, first ${misfit.text} in row ${misfit.at.row}`
}

/** The pattern with day and month exchanged; undefined where they are not side by side at its start. */
function exchanged(pattern: string): string | undefined {
  const other = pattern.replace(/^(d|M)([/.-])(d|M)\b/, '$3$2$1')
  return other === pattern ? undefined : other
}
