/** Proposes how the numbers of a file and of its columns are written: the decimal mark, and the mark between thousands. */

import type { ColumnProfile, TableProfile } from '../core/profile/profile-table.ts'
import type { Choice, Table, Value } from '../core/row.ts'
import {
  numberKindOf,
  numberKinds,
  partNumberAndWord,
  readNumber,
  type DecimalMark,
  type ThousandsMark,
} from '../core/values/number-text.ts'
import { plural } from '../core/values/plural.ts'
import { unitCode } from '../resources/units.ts'
import type { Suggested } from './choice.ts'
import { headerWords } from './header-words.ts'
import { withoutNothings } from './words.ts'

type DecimalChoice = { readonly value: DecimalMark; readonly evidence: string }

/** The mark, with evidence; undefined if no number has one, or 'unclear' if they do not show which. */
export function suggestDecimal(
  profile: TableProfile,
  choices: readonly Choice[] = [],
): DecimalChoice | 'unclear' | undefined {
  let [point, comma, either] = [0, 0, 0]
  for (const { numberFit, texts } of profile.columns.map((each) => withoutNothings(each))) {
    if (Math.max(numberFit.point, numberFit.comma) + numberFit.either < texts * 0.9) continue
    point += numberFit.point - numberFit.both
    comma += numberFit.comma - numberFit.both
    either += numberFit.both
  }
  if (point === 0 && comma === 0 && either === 0) return decimalOfTable(choices) ?? decimalBeforeUnits(profile)
  if (point === comma) return 'unclear'
  const [value, other] = comma > point ? (['comma', 'point'] as const) : (['point', 'comma'] as const)
  const against = Math.min(point, comma)
  const most = Math.max(point, comma)
  const evidence = `${plural(most, 'number has', 'numbers have')} a decimal ${value}`
  const others = [
    ...(against > 0 ? [`${against} a decimal ${other}`] : []),
    ...(either > 0 ? [`${either} could have either`] : []),
  ]
  return { value, evidence: [evidence, ...others].join(', ') }
}

/** The mark that the format found where no column is only numbers: 3,00 ha has a unit. */
function decimalOfTable(choices: readonly Choice[]): DecimalChoice | undefined {
  const found = choices.find(({ setting }) => setting === 'from.decimal')
  if (found?.value !== 'comma') return undefined
  return { value: found.value, evidence: found.evidence }
}

/** A comma where the first numbers with a unit show it and none a point, which is read without a mark. */
function decimalBeforeUnits({ columns }: TableProfile): DecimalChoice | undefined {
  const numbers = columns
    .filter(({ numberWords }) => Object.keys(numberWords).length > 0)
    .flatMap(({ few, examples }) => (few ?? examples).map((text) => partNumberAndWord(text)?.number ?? ''))
  const [comma, point] = [numberKinds.comma, numberKinds.point].map((kind) =>
    numbers.filter((number) => numberKindOf(number) === kind),
  )
  if (comma!.length === 0 || point!.length > 0) return undefined
  return { value: 'comma', evidence: `numbers before a unit are like "${comma![0]}"` }
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

/** The choice of a column of areas, as a guess where each is as large in hectares or acres as others are in square metres. */
export function weighSize(choice: Suggested, { columns }: TableProfile, mark: DecimalMark | undefined): Suggested {
  const column = columns.find(({ name }) => name === choice.column)
  const { unit } = choice.spec as { readonly unit?: unknown }
  if (column === undefined || choice.field !== '/totalArea' || (unit !== 'ha' && unit !== 'ac')) return choice
  const decimal = ownDecimal(column, mark) ?? mark
  const amounts = (column.few ?? column.examples).flatMap((text) => readNumber(text, decimal) ?? [])
  const least = Math.min(...amounts)
  if (amounts.length === 0 || least < leastInDoubt) return choice
  const evidence = `${choice.evidence}; if areas such as ${least} ${unit} are square metres, write  unit: m²`
  return { ...choice, evidence, certain: false }
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

/** Numbers of one kind: how many, and the first. */
type Seen = { times: number; readonly text: string }

/**
 * The numbers of a column by mark. `grouped` certainly have it between thousands; `ambiguous` are such as 1,204, where it may be
 * either; `fractional` have it before decimals.
 */
export type MarksSeen = {
  readonly grouped: Map<ThousandsMark, Seen>
  readonly ambiguous: Map<DecimalMark, Seen>
  readonly fractional: Map<DecimalMark, Seen>
}

/** The columns of the choices in which thousands and decimals may be confused. */
export function columnsInDoubt(fields: readonly Suggested[], { columns }: TableProfile): readonly string[] {
  const inDoubt = new Set(columns.filter(({ numberFit }) => numberFit.both > 0).map(({ name }) => name))
  return fields.flatMap(({ column, spec }) =>
    column !== undefined && inDoubt.has(column) && typeof spec === 'object' && spec !== null && 'unit' in spec
      ? [column]
      : [],
  )
}

/** Counts the marks of these columns in one more pass over the table. */
export async function countMarks(table: Table, columns: readonly string[], signal?: AbortSignal) {
  const counted = new Map(
    columns.map((column): [string, MarksSeen] => [
      column,
      { grouped: new Map(), ambiguous: new Map(), fractional: new Map() },
    ]),
  )
  for await (const batch of table.batches(signal))
    for (const { values } of batch)
      for (const [column, seen] of counted) {
        const value = Object.hasOwn(values, column) ? values[column] : undefined
        if (typeof value === 'string') countText(seen, value.trim())
      }
  return counted
}

const groupedNumber = /^[+\u2212-]?([1-9]\d{0,2})([.,' \u00a0\u2009\u202f’])\d{3}(?:\2\d{3})*([.,]\d+)?$/
const fraction = /^[+\u2212-]?\d*([.,])\d+$/
const markNames: Readonly<Record<string, Exclude<ThousandsMark, 'none'>>> = {
  '.': 'point',
  ',': 'comma',
  "'": 'apostrophe',
  '’': 'apostrophe',
}

function countText({ grouped, ambiguous, fractional }: MarksSeen, text: string): void {
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

function count<Mark>(counts: Map<Mark, Seen>, mark: Mark, text: string): void {
  const known = counts.get(mark)
  if (known === undefined) counts.set(mark, { times: 1, text: text.slice(0, 40) })
  else known.times += 1
}

/** Chooses the mark between thousands for a decimal mark; undefined where the numbers have several. */
export function chooseThousands({ grouped, ambiguous, fractional }: MarksSeen, decimal: DecimalMark) {
  const other: DecimalMark = decimal === 'point' ? 'comma' : 'point'
  const like = ambiguous.get(other) ?? (grouped.size === 0 ? ambiguous.get(decimal) : undefined)
  const marks = new Set<ThousandsMark>([...grouped.keys(), ...(ambiguous.has(other) ? [other] : [])])
  if (marks.size > 1 || (marks.size === 0 && like === undefined)) return undefined
  const [mark = 'none'] = marks
  const shown = grouped.get(mark) ?? fractional.get(decimal)
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
  const shown = [...ambiguous.values()].map(
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
