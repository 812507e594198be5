/** Decides which column has the dates of a field and in which format, above all whether day or month comes first. */

import { compileDatePattern, dayInWords, type DatePattern, type Moment } from '../core/values/date-pattern.ts'
import { zoneOffset } from '../core/values/zone-offset.ts'
import { problem } from '../core/problem.ts'
import type { Choice, Other, Value } from '../core/row.ts'
import type { Decider } from '../core/rule.ts'
import type { ColumnProfile, PatternFit, TableProfile } from '../core/profile/profile-table.ts'
import { unitInHeader } from '../mapping/area-column.ts'
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
  /** Another pattern that reads the column too. */
  readonly other?: string | undefined
  readonly hasOffset: boolean
  /** True for days and moments in ISO form, which are read without a pattern. */
  readonly isAnyIso?: boolean
  /** True when another pattern reads the column just as well. */
  readonly isTie?: boolean
}

/** What suggests the month first, as in the United States: a header with acres or feet, and the zone that a person named. */
export type DateClues = { readonly units: string | undefined; readonly zone: string | undefined }

export function dateClues({ columns }: Pick<TableProfile, 'columns'>, zone: string | undefined): DateClues {
  for (const { name } of columns) {
    const area = unitInHeader(name, 'area')
    if (area === 'ACR' || area === 'FTK')
      return { units: `<${name}> is in ${area === 'ACR' ? 'acres' : 'square feet'}`, zone }
    if (unitInHeader(name, 'length') === 'FOT') return { units: `<${name}> is in feet`, zone }
  }
  return { units: undefined, zone }
}

const zonesOfUnitedStates =
  /^(?:US\/.+|Pacific\/Honolulu|America\/(?:New_York|Detroit|Kentucky\/.+|Louisville|Indiana\/.+|Indianapolis|Fort_Wayne|Knox_IN|Chicago|Menominee|North_Dakota\/.+|Denver|Shiprock|Boise|Phoenix|Los_Angeles|Anchorage|Juneau|Sitka|Metlakatla|Yakutat|Nome|Adak|Atka))$/

/** The clues for month first in a column; a zone outside the United States contradicts the units. */
function monthFirstIn(column: ColumnProfile, { units, zone: said }: DateClues): readonly string[] {
  const zone = zoneInHeader(column.name)?.zone ?? said
  if (zone !== undefined && !zonesOfUnitedStates.test(zone)) return []
  const inZone = zone === undefined ? undefined : `the zone ${zone} is in the United States`
  return [units, inZone].filter((each) => each !== undefined)
}

const noClues: DateClues = { units: undefined, zone: undefined }

// A few typing mistakes must not hide a column of dates.
const leastShare = 0.9

/**
 * Decides the pattern of a column: the `chosen` one where it fits; undefined for a column without dates. Where no value shows the
 * order of day and month, two clues decide for month first; one alone does not.
 */
export function pickDates(
  column: ColumnProfile,
  chosen?: DatePattern,
  clues: DateClues = noClues,
): DateChoice | undefined {
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
  const monthFirst = monthFirstIn(column, clues)
  if (isTie && turned === undefined && monthFirst.length === 2 && exchanged(best.pattern) === second.pattern) {
    const [pattern, other] = best.pattern.startsWith('M')
      ? [best.pattern, second.pattern]
      : [second.pattern, best.pattern]
    const evidence = `${pattern} and ${other} both fit; ${monthFirst.join(' and ')}, where the month comes first`
    return { pattern, hasOffset, evidence, other, certain: false }
  }
  if (turned !== undefined)
    return {
      pattern: best.pattern,
      hasOffset,
      evidence: `${best.pattern} fits ${best.fits} of ${column.texts}; with the year first the years would be nearly the same`,
      other: turned,
      certain: false,
      isTie: true,
    }
  return {
    pattern: best.pattern,
    hasOffset,
    evidence: `${best.pattern} fits ${best.fits} of ${column.texts}${isTie ? '; no value decides between it and the runner-up' : ruledOut(best, column)}`,
    ...(isTie ? { other: second.pattern } : {}),
    certain: !isTie && best.misfits === 0,
    isTie,
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
  why: 'Which column has the dates of a field, and in which format. All values count: 31/8/2026 shows that the day comes first. Where no value shows it, acres or feet together with a zone of the United States decide for the month; without both, a person must choose, and the field is left out until then. A date is read with the zone that its header names, else with that of the pipeline.',
  find(facts) {
    const { field, dates: set, zone, profile, saidZone } = facts
    if (field.holds !== 'date') return undefined
    const free = facts.free.map((each) => withoutNothings(each))
    const fit = bestColumn({ ...facts, free }, (column) => pickDates(column, set) !== undefined)
    if (fit === undefined) return undefined
    const clues = dateClues(profile, saidZone)
    const dates = pickDates(fit.column, set, clues)!
    const undecided = undecidedDates(fit.column, set, clues)
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
    const { patterns, meanings, suggested } = undecided
    return {
      setting,
      value: suggested && valueOf(suggested),
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
export function undecidedDates(column: ColumnProfile, chosen?: DatePattern, clues: DateClues = noClues) {
  const choice = pickDates(column, chosen, clues)
  const turned = choice && yearFirst(choice.pattern, column)
  const other = turned ?? (choice && exchanged(choice.pattern))
  if (choice?.isTie !== true || other === undefined) return undefined
  const patterns = [choice.pattern, other] as const
  const readings = (column.few ?? column.examples).map((text) => ({
    text,
    days: patterns.map((each) => dayRead(each, text, turned !== undefined)),
  }))
  const { text, days } = readings.find(({ days: [one, two] }) => one !== two) ?? readings[0]!
  const [clue] = turned === undefined ? monthFirstIn(column, clues) : []
  const suggested = clue && patterns.find((each) => each.startsWith('M'))
  const forOne = suggested === undefined ? '' : `; ${clue}, which suggests ${suggested}`
  return {
    column: column.name,
    patterns,
    /** "3/9/2026 is 3 September", for each pattern. */
    meanings: days.map((day) => `${text} is ${day}`),
    evidence: `${text} is ${days.join(' or ')}${forOne}`,
    /** The pattern that the one clue speaks for, which does not decide. */
    suggested,
  }
}

function dayRead(pattern: string, text: string, hasYear: boolean): string {
  const moment = momentIn(pattern, text)
  if (moment === undefined) return 'no date'
  return `${dayInWords(moment)}${hasYear ? ` ${moment.year}` : ''}`
}

function momentIn(pattern: string, text: string): Moment | undefined {
  const compiled = compileDatePattern(pattern)
  const moment = typeof compiled === 'string' ? undefined : compiled.read(text)
  return typeof moment === 'object' ? moment : undefined
}

/** The column, the patterns and the evidence of a choice about the order of day and month. */
export function dateOrderOf({ others, evidence }: Choice) {
  const specs = others.map(({ value }) => value as { readonly from: string; readonly date: string })
  return { column: specs[0]!.from, patterns: specs.map(({ date }) => date), evidence }
}

/** Warns that a column is not published until somebody chooses its date format. */
export function dateOrderProblem(
  {
    column,
    patterns,
    evidence,
  }: { readonly column: string; readonly patterns: readonly string[]; readonly evidence: string },
  source: string,
) {
  const [one, other] = patterns.map((pattern) => (/\s/.test(pattern) ? `"${pattern}"` : pattern))
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

/** The formats of a column with dates in more than one format, such as "d/M/yyyy 3 of 5, yyyy-MM-dd 1"; else undefined. */
export function mixedDates({ dates, filled }: Pick<ColumnProfile, 'dates' | 'filled'>): string | undefined {
  const reads = dates.filter(({ fits }) => fits > 0).toSorted((left, right) => right.fits - left.fits)
  const all = reads.reduce((sum, { fits }) => sum + fits, 0)
  if (reads.length < 2 || all < filled * leastShare || reads[0]!.fits >= filled * leastShare) return undefined
  // 12/3/2026 is a date in two formats, 31/2/2026 in none: beside each other they are not dates in several formats.
  const misfit = reads[0]!.firstMisfit?.text
  if (misfit !== undefined && reads.every(({ pattern }) => momentIn(pattern, misfit) === undefined)) return undefined
  const [first, ...others] = reads.slice(0, 5).map(({ pattern, fits }) => `${pattern} ${fits}`)
  return [`${first} of ${filled}`, ...others].join(', ')
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
