/** Hides how the form of a column's dates is decided, over all its values: above all whether the day or the month comes first. */

import { compileDatePattern } from '../core/date-pattern.ts'
import type { ColumnProfile, PatternFit } from '../core/profile.ts'

/** The pattern that reads a column, why, and what else would. A guess is not `certain`. */
export type DateChoice = {
  readonly pattern: string
  readonly hasOffset: boolean
  readonly evidence: string
  readonly runnerUp?: string
  readonly certain: boolean
}

// A typing mistake or two must not hide a column of dates; more of them, and it is none.
const leastShare = 0.9

/** Decides the pattern of a column; undefined where it does not hold dates. */
export function pickDates(column: ColumnProfile): DateChoice | undefined {
  if (column.texts === 0 || column.texts < column.filled) return undefined
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
  }
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
  const exchanged = best.pattern.replace(/^(d|M)([/.-])(d|M)/, '$3$2$1')
  const other = exchanged === best.pattern ? undefined : column.dates.find(({ pattern }) => pattern === exchanged)
  const misfit = other?.firstMisfit
  if (other === undefined || misfit === undefined) return ''
  return `; ${exchanged} does not read ${column.texts - other.fits} of them, first ${misfit.text} in row ${misfit.at.row}`
}
