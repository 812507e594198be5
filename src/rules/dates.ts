/** Decides which column has the dates of a field and in which format, above all whether day or month comes first. */

import { compileDatePattern, dayInWords, type DatePattern } from '../core/values/date-pattern.ts'
import { zoneOffset } from '../core/values/zone-offset.ts'
import { problem } from '../core/problem.ts'
import type { Choice, Other, Value } from '../core/row.ts'
import type { Decider } from '../core/rule.ts'
import type { ColumnProfile, PatternFit } from '../core/profile/profile-table.ts'
import { findZone, zoneInHeader } from '../mapping/zones.ts'
import {
  bestColumn,
  columnSpec,
  nothingWords,
  withoutNothings,
  type FieldFacts,
  type Fitting,
} from './field-columns.ts'

/** The pattern that reads a column, why, and the runner-up. A guess is not `certain`. */
export type DateChoice = {
  readonly pattern: string
  readonly evidence: string
  readonly certain: boolean
  /** Another pattern that reads the column just as well. */
  readonly other?: string | undefined
  readonly hasOffset: boolean
  /** True for days and moments in ISO form, which are read without a pattern. */
  readonly isAnyIso?: boolean
}

// A few typing mistakes must not hide a column of dates.
const leastShare = 0.9

/** Decides the pattern of a column: the `chosen` one where it fits; undefined for a column without dates. */
export function pickDates(column: ColumnProfile, chosen?: DatePattern): DateChoice | undefined {
  if (column.texts === 0 || column.texts < column.filled) return undefined
  const fitting = chosen && patternAsChosen(column, chosen)
  if (fitting !== undefined) return { ...fitting, evidence: `${fitting.pattern}, set by you`, certain: true }
  const able = column.dates.filter(({ fits }) => fits >= column.texts * leastShare)
  const [best, second] = able.toSorted(
    (left, right) => right.fits - left.fits || left.misfits - right.misfits || dayFirst(left) - dayFirst(right),
  )
  if (best === undefined) return isoDates(column)
  const compiled = compileDatePattern(best.pattern)
  const hasOffset = typeof compiled !== 'string' && compiled.hasOffset
  const turned = yearFirst(best.pattern, column)
  const isTie = second !== undefined && second.fits === best.fits && second.misfits === best.misfits
  const other = turned ?? (isTie ? second.pattern : undefined)
  const why =
    turned !== undefined
      ? '; with the year first the years would be nearly the same'
      : isTie
        ? '; no value decides between it and the runner-up'
        : ruledOut(best, column)
  return {
    pattern: best.pattern,
    hasOffset,
    evidence: `${best.pattern} fits ${best.fits} of ${column.texts}${why}`,
    other,
    certain: other === undefined && best.misfits === 0,
  }
}

// A workbook writes its days and its moments in the first two; databases and Python write a fraction only where there is one.
const isoPatterns: ReadonlySet<string> = new Set([
  'yyyy-MM-dd',
  "yyyy-MM-dd'T'HH:mm:ss",
  "yyyy-MM-dd'T'HH:mm:ss.S",
  'yyyy-MM-dd H:mm:ss',
  'yyyy-MM-dd HH:mm:ss.S',
])

/** A column of days and moments in ISO form: without a pattern, both are read. */
function isoDates({ dates, texts }: ColumnProfile): DateChoice | undefined {
  const iso = dates.filter(({ pattern }) => isoPatterns.has(pattern))
  if (iso.reduce((sum, { fits }) => sum + fits, 0) < texts * leastShare) return undefined
  const evidence = iso.map(({ pattern, fits }) => `${pattern} fits ${fits}`).join(', ')
  return { pattern: 'yyyy-MM-dd', isAnyIso: true, hasOffset: false, evidence: `${evidence} of ${texts}`, certain: true }
}

const midnight = /^\d{4}-\d\d-\d\d[T ]00:00(?::00(?:\.0+)?)?(Z|\+00(?::?00)?)$/

/**
 * The pattern that reads as days what a program wrote as midnight in universal time: west of it that moment is still the day before, so
 * that a paddock would be shown as sown a day early. Undefined for other columns.
 */
export function asUniversalDays(column: ColumnProfile, { dates, zone }: Pick<FieldFacts, 'dates' | 'zone'>) {
  const texts = column.few ?? column.examples
  const [, sign] = midnight.exec(texts[0] ?? '') ?? []
  const { pattern, hasOffset } = pickDates(column, dates) ?? { pattern: '', hasOffset: false }
  if (!hasOffset || sign === undefined || zone === undefined || findZone(zone) === undefined) return undefined
  const offsetAt = zoneOffset(zone)
  const isDayBefore = texts.every((text) => midnight.test(text) && offsetAt(Date.parse(text.slice(0, 10))) < 0)
  return isDayBefore ? pattern.replace(/X+$/, `'${sign}'`) : undefined
}

type Dated = Fitting & {
  readonly dates: DateChoice
  readonly undecided: ReturnType<typeof undecidedDates>
  readonly zone: string | undefined
}

export const columnOfDates: Decider<FieldFacts, Dated> = {
  id: 'column-of-dates',
  about: 'column',
  decides: 'record',
  why: 'Which column has the dates of a field, and in which format. All values count: 31/8/2026 shows that the day comes first. Where no value shows it, a person must choose, and the field is left out until then. A date is read with the zone that its header names, else with that of the pipeline.',
  find(facts) {
    const { field, dates: set, zone } = facts
    if (field.holds !== 'date') return undefined
    const free = facts.free.map((each) => withoutNothings(each))
    const fit = bestColumn({ ...facts, free }, (column) => pickDates(column, set) !== undefined)
    if (fit === undefined) return undefined
    const dates = pickDates(fit.column, set)!
    const undecided = undecidedDates(fit.column, set)
    return { ...fit, dates, undecided, zone: zoneInHeader(fit.column.name)?.zone ?? zone }
  },
  says({ setting, column, dates, undecided, zone }) {
    const { pattern, evidence, certain, other } = dates
    const valueOf = (each: string): Value => dateSpec(column, { ...dates, pattern: each }, zone)
    const next = (each: string, why: string): Other => ({ value: valueOf(each), evidence: why })
    if (undecided === undefined) {
      const others = other === undefined ? [] : [next(other, 'fits all of them too')]
      return { setting, value: valueOf(pattern), evidence, others, certainty: certain ? 'sure' : 'check' }
    }
    const { patterns, meanings } = undecided
    return {
      setting,
      value: undefined,
      evidence: undecided.evidence,
      others: patterns.map((each, at) => next(each, meanings[at]!)),
      certainty: 'ask',
      question: `Which comes first in the dates of "${column.name}", day or ${patterns[1].startsWith('yy') ? 'year' : 'month'}?`,
    }
  },
}

function dateSpec(
  column: ColumnProfile,
  { pattern, hasOffset, isAnyIso }: DateChoice,
  zone: string | undefined,
): Value {
  if (hasOffset && pattern.startsWith('yyyy-')) return columnSpec(column)
  return {
    from: column.name,
    ...nothingWords(column),
    ...(isAnyIso !== true && { date: pattern }),
    ...(zone !== undefined && !hasOffset && { zone }),
  }
}

/** The pattern that a person chose, with the column's time of day; undefined when it does not fit. */
function patternAsChosen({ dates, texts, examples }: ColumnProfile, chosen: DatePattern) {
  const { pattern, hasOffset } = chosen
  const tried = dates.filter((each) => each.pattern === pattern || each.pattern.startsWith(`${pattern} `))
  const fitting = tried.find(({ fits }) => fits >= texts * leastShare)
  if (fitting !== undefined) return { pattern: fitting.pattern, hasOffset }
  // The profile does not try every pattern: this one is tried on the examples.
  const fits = tried.length === 0 && examples.every((text) => typeof chosen.read(text) === 'object')
  return fits ? { pattern, hasOffset } : undefined
}

/** The two readings of a column in which nothing shows whether day or month comes first, the likelier first. */
export function undecidedDates(column: ColumnProfile, chosen?: DatePattern) {
  const choice = pickDates(column, chosen)
  const turned = choice && yearFirst(choice.pattern, column)
  const other = turned ?? (choice && exchanged(choice.pattern))
  if (choice?.other === undefined || other === undefined) return undefined
  const patterns = [choice.pattern, other] as const
  const readings = (column.few ?? column.examples).map((text) => ({
    text,
    days: patterns.map((each) => dayRead(each, text, turned !== undefined)),
  }))
  const { text, days } = readings.find(({ days: [one, two] }) => one !== two) ?? readings[0]!
  return {
    column: column.name,
    patterns,
    /** "3/9/2026 is 3 September", for each pattern. */
    meanings: days.map((day) => `${text} is ${day}`),
    evidence: `${text} is ${days.join(' or ')}`,
  }
}

function dayRead(pattern: string, text: string, hasYear: boolean): string {
  const compiled = compileDatePattern(pattern)
  const moment = typeof compiled === 'string' ? undefined : compiled.read(text)
  if (typeof moment !== 'object') return 'no date'
  return `${dayInWords(moment)}${hasYear ? ` ${moment.year}` : ''}`
}

/** True for the question whether day or month comes first in the dates of a field. */
export function isDateOrder({ setting, certainty }: Choice): boolean {
  return setting.startsWith('record.') && certainty === 'ask'
}

/** Warns that a column is not published until somebody answers such a question. */
export function dateOrderProblem({ others, evidence }: Choice, source: string) {
  const specs = others.map(({ value }) => value as { readonly from: string; readonly date: string })
  const column = specs[0]!.from
  const [one, other] = specs.map(({ date }) => (/\s/.test(date) ? `"${date}"` : date))
  return problem(
    'date-order-unclear',
    { source, row: -1 },
    {
      column,
      message:
        `The dates in column "${column}" of ${source} are ambiguous: ${evidence}. They are not published. ` +
        `Set  dates: ${one}  or  dates: ${other}`,
    },
  )
}

/** Sorts day first when nothing decides, as it is written nearly everywhere. */
function dayFirst(fit: PatternFit): number {
  return fit.pattern.startsWith('M') ? 1 : 0
}

/** The first value that does not fit with day and month exchanged. */
function ruledOut(best: PatternFit, column: ColumnProfile): string {
  const opposite = exchanged(best.pattern)
  const other = opposite === undefined ? undefined : column.dates.find(({ pattern }) => pattern === opposite)
  const misfit = other?.firstMisfit
  if (other === undefined || misfit === undefined) return ''
  return `; ${opposite} fails on ${column.texts - other.fits} of them, first ${misfit.text} in row ${misfit.at.row}`
}

const dayOfShortYear = /^d([/.])M\1yy\b/

/**
 * The pattern with the year first, if otherwise the days are nearly the same and the years are not: 26/02/13 is of 2026 in Japan, Hungary
 * and South Africa. Orchards that were all planted on 1 July have one day, too, but 1 to 12 is hardly the year of a list of today.
 */
function yearFirst(pattern: string, { few, examples }: ColumnProfile): string | undefined {
  if (!dayOfShortYear.test(pattern)) return undefined
  const dates = (few ?? examples).map((text) => text.split(/[/.\s]/).map(Number))
  const rangeOf = (part: number): readonly [least: number, most: number] => {
    const numbers = dates.map((date) => date[part] ?? Number.NaN)
    return [Math.min(...numbers), Math.max(...numbers)]
  }
  const [[firstYear, lastYear], [, month], [firstDay, lastDay]] = [rangeOf(0), rangeOf(1), rangeOf(2)]
  const areDates = lastYear > 12 && month <= 12 && lastDay <= 31
  // Three seasons at most, and days from more than one part of the month.
  return dates.length > 2 && areDates && lastYear - firstYear <= 2 && lastDay - firstDay >= 10
    ? pattern.replace(dayOfShortYear, 'yy$1M$1d')
    : undefined
}

/** The pattern with day and month exchanged; undefined unless they are side by side at its start. */
function exchanged(pattern: string): string | undefined {
  const other = pattern.replace(/^(d|M)([/.-])(d|M)\b/, '$3$2$1')
  return other === pattern ? undefined : other
}
