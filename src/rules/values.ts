/** Decides how the values of a file are written: the decimal separator, units and thousands, and words that stand for no value. */

import type { MarksSeen } from '../core/profile/judged.ts'
import type { ColumnProfile, TableProfile } from '../core/profile/profile-table.ts'
import { chosen, type Choice, type Value } from '../core/row.ts'
import type { Decider } from '../core/rule.ts'
import { isDayOrTime } from '../core/values/made-days.ts'
import {
  numberKindOf,
  numberKinds,
  partNumberAndWord,
  readNumber,
  type DecimalMark,
  type ThousandsMark,
} from '../core/values/number-text.ts'
import { plural } from '../core/values/plural.ts'
import { unitInHeader } from '../mapping/area-column.ts'
import { unitCode, unitOfCode } from '../resources/units.ts'
import { pickDates } from './dates.ts'
import {
  bestColumn,
  choiceFor,
  columnSpec,
  hasBoundaries,
  nothingWords,
  numbersIn,
  withoutNothings,
  type ColumnsRead,
  type FieldFacts,
  type Fitting,
} from './field-columns.ts'

type MarkCounts = Readonly<Record<'point' | 'comma' | 'either', number>> & { readonly like: string }
type DecimalSeen = MarkCounts | { readonly table: Choice } | { readonly before: string }

export const decimalSeparator: Decider<ColumnsRead, DecimalSeen> = {
  id: 'decimal-separator',
  about: 'file',
  decides: 'from.decimal',
  why: 'Whether the numbers of a file have a decimal comma or a decimal point. windrow counts the numbers that can have only one of them, in columns that are nearly all numbers; the more frequent one counts. Where no column is only numbers, the first numbers before a unit can show a comma. Numbers such as 1,204 could be either: where nothing else shows which, and a field needs it, a person must choose.',
  find({ profile, choices = [] }) {
    let [point, comma, either] = [0, 0, 0]
    for (const { numberFit, texts } of profile.columns.map((each) => withoutNothings(each))) {
      if (Math.max(numberFit.point, numberFit.comma) + numberFit.either < texts * 0.9) continue
      point += numberFit.point - numberFit.both
      comma += numberFit.comma - numberFit.both
      either += numberFit.both
    }
    const like = profile.columns.flatMap(({ marks }) => Object.values(marks.ambiguous)).map(({ text }) => text)
    if (point + comma + either > 0) return { point, comma, either, like: like[0] ?? '1,204' }
    const table = choices.find(({ setting, value }) => setting === 'from.decimal' && value === 'comma')
    const before = commaBeforeUnits(profile)
    return table !== undefined ? { table } : before === undefined ? undefined : { before }
  },
  says(seen) {
    if ('table' in seen) return seen.table
    if ('before' in seen) return chosen('from.decimal', 'comma', `numbers before a unit are like "${seen.before}"`)
    const { point, comma, either, like } = seen
    if (point === comma)
      return {
        setting: 'from.decimal',
        value: undefined,
        evidence: 'no number shows which',
        others: [
          { value: 'comma', evidence: `${like} is ${valueOf(like, 'comma')}` },
          { value: 'point', evidence: `${like} is ${valueOf(like, 'point')}` },
        ],
        certainty: 'ask',
        question: 'Which is the decimal separator, comma or point?',
      }
    const [value, other] = comma > point ? (['comma', 'point'] as const) : (['point', 'comma'] as const)
    const against = Math.min(point, comma)
    const evidence = [
      `${plural(Math.max(point, comma), 'number has', 'numbers have')} a decimal ${value}`,
      ...(against > 0 ? [`${against} a decimal ${other}`] : []),
      ...(either > 0 ? [`${either} could have either`] : []),
    ]
    return chosen('from.decimal', value, evidence.join(', '))
  },
}

/** A number with a comma among the first that have a unit, where none has a point, which is read without a mark. */
function commaBeforeUnits({ columns }: TableProfile): string | undefined {
  const numbers = columns
    .filter(({ numberWords }) => Object.keys(numberWords).length > 0)
    .flatMap(({ few, examples }) => (few ?? examples).map((text) => partNumberAndWord(text)?.number ?? ''))
  const isOf = (kind: number) => (number: string) => numberKindOf(number) === kind
  return numbers.some(isOf(numberKinds.point)) ? undefined : numbers.find(isOf(numberKinds.comma))
}

export const areaMeasured: Decider<
  FieldFacts,
  { readonly setting: string; readonly column: ColumnProfile | undefined }
> = {
  id: 'area-measured',
  about: 'column',
  decides: 'record',
  why: 'The area of a paddock with a boundary is measured from it. An area in a column may be that of another year, or only the part that is grazed or sown. The column is named as what else it could be.',
  find(facts) {
    if (facts.field.holds !== 'area' || !hasBoundaries(facts.profile)) return undefined
    return { setting: `record.${facts.field.field}`, column: bestAmount(facts)?.column }
  },
  says({ setting, column }) {
    const unit = column && unitOfHeader(column, 'area')
    const other = unit === undefined ? undefined : { from: column!.name, unit }
    return chosen(setting, 'measured', 'measured from the boundary', other)
  },
}

type Amounts = Fitting & {
  readonly unit: string | undefined
  /** The units after the numbers in the cells. */
  readonly units: readonly string[]
  readonly mark: DecimalMark | undefined
  /** The least of areas that may be square metres. */
  readonly least: number | undefined
}

export const columnOfAmounts: Decider<FieldFacts, Amounts> = {
  id: 'column-of-amounts',
  about: 'column',
  decides: 'record',
  why: 'Which column has an area or a length, and how its numbers are written. The unit must be in the header or in the cells: without one nothing is guessed. Where numbers such as 1,204 could have thousands or decimals, other numbers of the column show which; a guess is to be checked. Areas of thousands of hectares are to be checked, too: they may be square metres.',
  find(facts) {
    const { field, mark } = facts
    const { holds } = field
    const fit = holds === 'area' || holds === 'length' ? bestAmount(facts) : undefined
    if (fit === undefined || (holds !== 'area' && holds !== 'length')) return undefined
    const { column } = fit
    const unit = unitOfHeader(column, holds)
    const units = unitWords(column, holds)
    if (unit === undefined && units.length === 0) return undefined
    const isOfPlot = field.field === 'totalArea' && facts.type.plural !== 'holdings'
    return { ...fit, unit, units, mark, least: isOfPlot ? largeIn(column, unit, mark) : undefined }
  },
  says(seen) {
    const { column, unit, units, mark, least } = seen
    if (unit === undefined)
      return choiceFor(seen, columnSpec(column), { why: `, units in the cells: ${units.join(', ')}` })
    const own = ownDecimal(column, mark)
    const decimal = own ?? mark
    const isInDoubt = column.numberFit.both > 0 && decimal !== undefined
    const thousands = isInDoubt ? thousandsIn(column.marks, decimal) : undefined
    const number = { ...(own && { decimal: own }), ...(thousands && { thousands: thousands.mark }) }
    const value = {
      from: column.name,
      ...nothingWords(column),
      unit,
      ...(Object.keys(number).length > 0 && { number }),
    }
    const other = own === undefined ? '' : `, with a decimal ${own}, unlike the rest of the file`
    return choiceFor(seen, value, {
      why: `, unit from the header${other}${thousands === undefined ? '' : `; ${thousands.evidence}`}`,
      doubts: [
        thousands?.isShown === false ? '' : undefined,
        least === undefined ? undefined : `if areas such as ${least} ${unit} are square metres, write  unit: m²`,
      ],
    })
  },
}

function bestAmount(facts: FieldFacts): Fitting | undefined {
  const free = facts.free.map((each) => withoutNothings(each, 0.5))
  return bestColumn({ ...facts, free }, (column) => areAmounts(column, facts.field.holds as 'area' | 'length'))
}

/** True if nearly all cells are numbers, with units of the kind or without. */
export function areAmounts(column: ColumnProfile, kind: 'area' | 'length'): boolean {
  const inWords = Object.values(column.numberWords).reduce((sum, each) => sum + each, 0)
  return numbersIn(column) + (unitWords(column, kind).length === 0 ? 0 : inWords) >= column.filled * 0.9
}

/** The units after the numbers of a column, when all are of the kind. */
function unitWords({ numberWords }: ColumnProfile, kind: 'area' | 'length'): readonly string[] {
  const words = Object.keys(numberWords)
  return words.every((word) => unitCode(word, kind) !== undefined) ? words : []
}

function unitOfHeader({ name }: ColumnProfile, kind: 'area' | 'length'): string | undefined {
  return unitOfCode(unitInHeader(name, kind) ?? '')?.sign
}

/** The decimal mark of a column where it differs from the file's. */
export function ownDecimal({ numberFit: { point, comma } }: ColumnProfile, mark: DecimalMark | undefined) {
  const own = point > comma ? 'point' : comma > point ? 'comma' : mark
  return own === mark ? undefined : own
}

// Few paddocks have a thousand hectares; few of less than a thousand square metres are in a list.
const leastInDoubt = 1000

/** The least area of a column in which all are as large in hectares or acres as others are in square metres. */
function largeIn(column: ColumnProfile, unit: string | undefined, mark: DecimalMark | undefined): number | undefined {
  if (unit !== 'ha' && unit !== 'ac') return undefined
  const decimal = ownDecimal(column, mark) ?? mark
  const amounts = (column.few ?? column.examples).flatMap((text) => readNumber(text, decimal) ?? [])
  const least = Math.min(...amounts)
  return amounts.length === 0 || least < leastInDoubt ? undefined : least
}

/** The mark between thousands for a decimal mark, and whether other numbers show it; undefined where the numbers have several. */
function thousandsIn({ grouped, ambiguous, fractional }: MarksSeen, decimal: DecimalMark) {
  const other: DecimalMark = decimal === 'point' ? 'comma' : 'point'
  const seen = Object.keys(grouped) as ThousandsMark[]
  const like = ambiguous[other] ?? (seen.length === 0 ? ambiguous[decimal] : undefined)
  const marks = new Set<ThousandsMark>([...seen, ...(ambiguous[other] === undefined ? [] : [other])])
  if (marks.size > 1 || (marks.size === 0 && like === undefined)) return undefined
  const [mark = 'none'] = marks
  const shown = grouped[mark] ?? fractional[decimal]
  const numbers = like && plural(like.times, `number is "${like.text}"`, `numbers are like "${like.text}"`)
  const doubt =
    like === undefined
      ? ''
      : `${numbers}, ${valueOf(like.text, decimal)} here and ${valueOf(like.text, other)} with a decimal ${other}; `
  const because =
    shown === undefined
      ? 'no other number in the column decides'
      : `${shown.times} such as "${shown.text}" ${shown.times === 1 ? 'shows' : 'show'} it`
  return { mark, evidence: `thousands: ${doubt}${because}`, isShown: shown !== undefined }
}

function valueOf(text: string, decimal: DecimalMark): string {
  const [thousands, mark] = decimal === 'comma' ? ['.', ','] : [',', '.']
  return text.replaceAll(thousands, '').replace(mark, '.')
}

const shortCode = /^[A-Z][A-Z0-9]{0,3}$/
const numberCode = /^\d+$/

type Texts = Fitting & { readonly codes: readonly string[] }

export const columnOfTexts: Decider<FieldFacts, Texts> = {
  id: 'column-of-texts',
  about: 'column',
  decides: 'record',
  why: 'Which column has the names, the crops or another text of a record. The header decides; of several seasons the last one counts, to be checked. Words that stand for no value, such as "-" and n/a, are listed as blank cells; of names, only those that several rows have. Codes of crops are published as they are, to be checked: a pipeline says under words: what each means.',
  find(facts) {
    const { field, dates } = facts
    if (field.holds !== 'text') return undefined
    const isName = field.field === 'name'
    const fit = bestColumn(
      facts,
      (column, rank) => areTexts(column, dates) || (isName && rank < 2 && areMadeDays(column)),
    )
    if (fit === undefined) return undefined
    return { ...fit, column: isName ? asNames(fit.column) : fit.column, codes: codesOf(field.field, fit.column) }
  },
  says(seen) {
    const { column, rank, isLatest, codes } = seen
    const doubts = [
      rank >= 2 || isLatest ? '' : undefined,
      codes.length === 0
        ? undefined
        : `codes such as ${codes.slice(0, 3).join(', ')} are published as they are; words: says what each means`,
    ]
    return choiceFor(seen, columnSpec(column), { doubts })
  },
}

function areTexts(column: ColumnProfile, dates: ColumnsRead['dates']): boolean {
  const { texts, numbers, truths, filled } = column
  return texts + numbers + truths === filled && truths * 2 < filled && pickDates(column, dates) === undefined
}

/** True for names all of which a spreadsheet made days or times: read as names, their rows are rejected and say so. */
function areMadeDays({ examples, texts, filled }: ColumnProfile): boolean {
  return texts === filled && examples.every(isDayOrTime)
}

/** The values of a crop column that has nothing but short codes, such as RG and PLN, or 115 and 411. */
function codesOf(field: string, { few, truths, nothings }: ColumnProfile): readonly string[] {
  if (field !== 'crops.0.name' || few === undefined || truths > 0) return []
  const codes = few.filter((value) => !Object.hasOwn(nothings, value))
  return [shortCode, numberCode].some((code) => codes.every((value) => code.test(value))) ? codes : []
}

/** A column of names: a word such as NA or Nil that only one cell has may be a name, such as that of North A. */
function asNames(column: ColumnProfile): ColumnProfile {
  const sure = Object.entries(column.nothings).filter(([word, times]) => times > 1 || !/^\p{L}+$/u.test(word))
  return { ...column, nothings: Object.fromEntries(sure) }
}

/** True for a field whose numbers are read with the decimal mark of the file. */
export function needsDecimal(value: Value): boolean {
  return typeof value === 'object' && value !== null && 'unit' in value && !('number' in value)
}
