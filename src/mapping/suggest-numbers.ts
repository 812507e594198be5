/** Proposes how the numbers of a file and of its columns are written: the decimal mark, and the mark between thousands. */

import type { ColumnProfile, TableProfile } from '../core/profile/profile-table.ts'
import { chosen, type Choice, type Value } from '../core/row.ts'
import {
  numberKindOf,
  numberKinds,
  partNumberAndWord,
  readNumber,
  type DecimalMark,
  type ThousandsMark,
} from '../core/values/number-text.ts'
import type { MarksSeen, Seen } from '../core/profile/number-marks.ts'
import { plural } from '../core/values/plural.ts'
import { unitCode } from '../resources/units.ts'
import { headerWords } from '../core/values/header-words.ts'
import { withoutNothings } from './words.ts'

/** The mark of the file; asked for if its numbers do not show which, and undefined if no number has one. */
export function suggestDecimal(profile: TableProfile, choices: readonly Choice[] = []): Choice | undefined {
  let [point, comma, either] = [0, 0, 0]
  for (const { numberFit, texts } of profile.columns.map((each) => withoutNothings(each))) {
    if (Math.max(numberFit.point, numberFit.comma) + numberFit.either < texts * 0.9) continue
    point += numberFit.point - numberFit.both
    comma += numberFit.comma - numberFit.both
    either += numberFit.both
  }
  if (point === 0 && comma === 0 && either === 0)
    return (
      choices.find(({ setting, value }) => setting === 'from.decimal' && value === 'comma') ??
      decimalBeforeUnits(profile)
    )
  if (point === comma) return decimalUnclear
  const [value, other] = comma > point ? (['comma', 'point'] as const) : (['point', 'comma'] as const)
  const against = Math.min(point, comma)
  const evidence = `${plural(Math.max(point, comma), 'number has', 'numbers have')} a decimal ${value}`
  const others = [
    ...(against > 0 ? [`${against} a decimal ${other}`] : []),
    ...(either > 0 ? [`${either} could have either`] : []),
  ]
  return chosen('from.decimal', value, [evidence, ...others].join(', '))
}

const decimalUnclear: Choice = {
  setting: 'from.decimal',
  value: undefined,
  evidence: 'no number shows which',
  others: [
    { value: 'comma', evidence: '1,204 is a little more than 1' },
    { value: 'point', evidence: '1,204 is a little more than 1200' },
  ],
  certainty: 'ask',
  question: 'Which is the decimal separator, comma or point?',
}

/** A comma where the first numbers with a unit show it and none a point, which is read without a mark. */
function decimalBeforeUnits({ columns }: TableProfile): Choice | undefined {
  const numbers = columns
    .filter(({ numberWords }) => Object.keys(numberWords).length > 0)
    .flatMap(({ few, examples }) => (few ?? examples).map((text) => partNumberAndWord(text)?.number ?? ''))
  const [comma, point] = [numberKinds.comma, numberKinds.point].map((kind) =>
    numbers.filter((number) => numberKindOf(number) === kind),
  )
  if (comma!.length === 0 || point!.length > 0) return undefined
  return chosen('from.decimal', 'comma', `numbers before a unit are like "${comma![0]}"`)
}

/** True for a field whose numbers are read with the decimal mark of the file. */
export function needsDecimal(spec: Value): boolean {
  return typeof spec === 'object' && spec !== null && 'unit' in spec && !('number' in spec)
}

/** The decimal mark of a column where it differs from the file's. */
export function ownDecimal({ numberFit: { point, comma } }: ColumnProfile, mark: DecimalMark | undefined) {
  const own = point > comma ? 'point' : comma > point ? 'comma' : mark
  return own === mark ? undefined : own
}

// Few paddocks have a thousand hectares; few of less than a thousand square metres are in a list.
const leastInDoubt = 1000

/** The doubt about areas that are as large in hectares or acres as others are in square metres; undefined without one. */
export function sizeDoubt(column: ColumnProfile, spec: Value, mark: DecimalMark | undefined): string | undefined {
  const { unit } = spec as { readonly unit?: unknown }
  if (unit !== 'ha' && unit !== 'ac') return undefined
  const decimal = ownDecimal(column, mark) ?? mark
  const amounts = (column.few ?? column.examples).flatMap((text) => readNumber(text, decimal) ?? [])
  const least = Math.min(...amounts)
  return amounts.length === 0 || least < leastInDoubt
    ? undefined
    : `if areas such as ${least} ${unit} are square metres, write  unit: m²`
}

/** An area and its unit from two columns, as Agworld and Operations Center write them; undefined where they may not belong together. */
export function unitBeside(
  column: ColumnProfile,
  { columns }: TableProfile,
  mark: DecimalMark | undefined,
): { readonly column: string; readonly spec: Value } | undefined {
  const units = columns.find(({ name }) => /^(?:area )?units?$/.test(headerWords(name)))
  const isUnclearWhich = columns.some(({ name }) => name === `${units?.name} (2)`)
  const areUnits = units?.blank === 0 && units.few?.every((word) => unitCode(word, 'area') !== undefined)
  const isOfOneKind = column.numbers === 0 || column.texts === 0
  const hasNothings = Object.keys(column.nothings).length > 0
  const isUnclear = column.numberFit.both > 0 && mark === undefined
  if (units === undefined || isUnclearWhich || areUnits !== true || !isOfOneKind || hasNothings || isUnclear)
    return undefined
  // A number of a workbook is written with a point.
  const decimal = column.texts === 0 ? 'point' : ownDecimal(column, mark)
  const number = decimal === undefined ? {} : { number: { decimal } }
  // A unit may stand beside a blank area, also in a later file only.
  const words = Object.fromEntries(units.few!.map((unit) => [unit, '']))
  return { column: units.name, spec: { text: `<${column.name}> <${units.name}>`, words, otherwise: 'keep', ...number } }
}

/** Chooses the mark between thousands for a decimal mark; undefined where the numbers have several. */
export function chooseThousands({ grouped, ambiguous, fractional }: MarksSeen, decimal: DecimalMark) {
  const other: DecimalMark = decimal === 'point' ? 'comma' : 'point'
  const seen = Object.keys(grouped) as ThousandsMark[]
  const like = ambiguous[other] ?? (seen.length === 0 ? ambiguous[decimal] : undefined)
  const marks = new Set<ThousandsMark>([...seen, ...(ambiguous[other] === undefined ? [] : [other])])
  if (marks.size > 1 || (marks.size === 0 && like === undefined)) return undefined
  const [mark = 'none'] = marks
  const shown = grouped[mark] ?? fractional[decimal]
  const doubt =
    like === undefined
      ? ''
      : `${numbersLike(like)}, ${valueOf(like.text, decimal)} here and ${valueOf(like.text, other)} with a decimal ${other}; `
  const because =
    shown === undefined
      ? 'no other number in the column decides'
      : `${shown.times} such as "${shown.text}" ${shown.times === 1 ? 'shows' : 'show'} it`
  return { mark, evidence: `thousands: ${doubt}${because}`, certain: shown !== undefined }
}

/** Describes the numbers with two readings, where nothing shows the decimal mark. */
export function ambiguousNumbers({ ambiguous }: MarksSeen): string | undefined {
  const shown = Object.values(ambiguous).map(
    (seen) =>
      `${numbersLike(seen)}, ${valueOf(seen.text, 'point')} with a decimal point and ${valueOf(seen.text, 'comma')} with a decimal comma`,
  )
  return shown.length === 0 ? undefined : shown.join('; ')
}

function numbersLike({ times, text }: Seen): string {
  return plural(times, `number is "${text}"`, `numbers are like "${text}"`)
}

function valueOf(text: string, decimal: DecimalMark): string {
  const [thousands, mark] = decimal === 'comma' ? ['.', ','] : [',', '.']
  return text.replaceAll(thousands, '').replace(mark, '.')
}
