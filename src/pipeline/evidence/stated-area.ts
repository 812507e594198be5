/**
 * Compares the areas in a column of the file with the measured ones: in total, row by row, and whether most of them fit another
 * unit.
 */

import { partNumberAndWord, readNumber, type DecimalMark } from '../../core/values/number-text.ts'
import { keptName } from '../../core/values/object-maker.ts'
import { problem, type Problem } from '../../core/problem.ts'
import type { Place, Row, Value } from '../../core/row.ts'
import { settingText, type SettingsIn } from '../../core/setting-text.ts'
import type { AreaColumn } from '../../mapping/area-column.ts'
import type { Group } from '../../resources/groups.ts'
import { measureOf, unitCode, unitOfCode, unitsOfKind } from '../../resources/units.ts'

/** The total of a column beside the measured total; `rows` of `measuredRows` have a value. */
export type StatedArea = {
  readonly column: string
  readonly unit: string
  readonly rows: number
  readonly measuredRows: number
  readonly statedM2: number
  readonly measuredM2: number
}

/** A comparison in progress, also of a part of the rows: each is noted, and all are judged at the end. */
export type StatedAreas = { measuredRows: number; tallies: readonly Tally[] | undefined }

/** How the areas that a file states are found and read. */
export type AreaReading = {
  columnsOf(row: Row): readonly AreaColumn[]
  readonly decimal: DecimalMark | undefined
}

type Doubt = { readonly at: Place; readonly amount: number; readonly areaM2: number }
type Tally = ReturnType<typeof tallyOf>

// Old files have units that are not in the service's list; a perch is 1/160 acre.
const known = [
  ...unitsOfKind('area').map(({ code, sign, title, factor }) => ({ code, sign, plural: pluralOf(title), m2: factor })),
  { code: undefined, sign: 'perches', plural: 'perches', m2: 25.29285264 },
  { code: undefined, sign: 'a', plural: 'ares', m2: 100 },
  { code: undefined, sign: 'daa', plural: 'decares', m2: 1000 },
]
const [tooLarge, tooSmall] = [known.length, known.length + 1]

/** An area measured in another way or on another map may differ by this share. */
const sameWithin = 0.05
const differsBeyond = 0.1
/** A smaller difference is rounding. */
const smallestM2 = 100
const mostDoubts = 1000
const mostCandidates = 4

export function startStatedAreas(): StatedAreas {
  return { measuredRows: 0, tallies: undefined }
}

/** Compares the areas that a row states with the measured one, in a table with boundaries. */
export function noteStatedArea(
  areas: StatedAreas,
  reading: AreaReading | undefined,
  { row, record, areaM2 }: { readonly row: Row; readonly record: () => Group; readonly areaM2: number },
): void {
  if (reading === undefined || !(areaM2 > 0)) return
  areas.measuredRows += 1
  areas.tallies ??= reading
    .columnsOf(row)
    .slice(0, mostCandidates)
    .map((column) => tallyOf({ ...column, name: keptName(column.name) }))
  for (const tally of areas.tallies) {
    const { name, isRecord } = tally.column
    const stated = isRecord ? statedIn(record()['totalArea']) : statedBy(row.values[name], reading.decimal)
    if (stated === undefined || !(stated.amount > 0)) continue
    tally.unit ??= stated.unit
    count(tally, { at: row.at, amount: amountFor(tally, stated), areaM2 })
  }
}

/** Judges the column that states areas most clearly: totals, problems, and a contradiction of the pipeline if there is one. */
export function verdictOnAreas({ tallies = [], measuredRows }: StatedAreas, about: Reported) {
  const judged = tallies.filter(({ rows }) => rows > 0)
  const tally = judged.find(({ column, unit }) => column.isRecord || unit !== undefined) ?? judged.find(isClear)
  return tally === undefined
    ? { stated: undefined, problems: [], contradiction: undefined }
    : verdictOf(tally, measuredRows, about)
}

function pluralOf(title: string): string {
  return title.endsWith('foot') ? title.replace('foot', 'feet') : `${title}s`
}

function tallyOf(column: AreaColumn) {
  // How many rows fit each unit, followed by a thousand times and a thousandth of the stated unit.
  const fits = Array.from({ length: known.length + 2 }, () => 0)
  const counts = { rows: 0, amount: 0, measuredM2: 0, decimals: 0, lead: 0 }
  return { column, unit: unitIndex(column.unit), ...counts, fits, doubts: [] as Doubt[] }
}

/** An amount in the unit of the others. */
function amountFor(tally: Tally, { amount, unit }: Amount): number {
  if (unit === undefined || unit === tally.unit) return amount
  return (amount * known[unit]!.m2) / known[tally.unit!]!.m2
}

function unitIndex(code: string | undefined): number | undefined {
  const index = code === undefined ? -1 : known.findIndex((each) => each.code === code)
  return index < 0 ? undefined : index
}

type Amount = { readonly amount: number; readonly unit: number | undefined }

function statedIn(measure: unknown): Amount | undefined {
  const found = measureOf(measure)
  const unit = unitIndex(unitOfCode(String(found?.units))?.code)
  return found === undefined || unit === undefined ? undefined : { amount: found.measurement, unit }
}

function statedBy(value: Value, decimal: DecimalMark | undefined): Amount | undefined {
  if (typeof value === 'number') return { amount: value, unit: undefined }
  if (typeof value !== 'string') return undefined
  const plain = readNumber(value, decimal)
  if (plain !== undefined) return { amount: plain, unit: undefined }
  const parted = partNumberAndWord(value)
  const amount = parted === undefined ? undefined : readNumber(parted.number, decimal)
  const unit = unitIndex(parted === undefined ? undefined : unitCode(parted.word, 'area'))
  return amount === undefined || unit === undefined ? undefined : { amount, unit }
}

function count(tally: Tally, doubt: Doubt): void {
  const { amount, areaM2 } = doubt
  const { fits } = tally
  tally.rows += 1
  tally.amount += amount
  tally.measuredM2 += areaM2
  while (
    tally.decimals < 4 &&
    Math.abs(amount * 10 ** tally.decimals - Math.round(amount * 10 ** tally.decimals)) > 1e-6 * Math.min(1, amount)
  )
    tally.decimals += 1
  const rounding = roundingOf(tally)
  for (let place = 0; place < fits.length; place += 1) {
    const m2 = sizeOf(tally, place)
    if (m2 === undefined || !isNear(doubt, m2, rounding)) continue
    fits[place]! += 1
    if (fits[place]! > fits[tally.lead]!) tally.lead = place
  }
  const expected = sizeOf(tally, tally.unit ?? tally.lead)!
  if (tally.doubts.length < mostDoubts && !isNear(doubt, expected, rounding)) tally.doubts.push(doubt)
}

function sizeOf({ unit }: Tally, place: number): number | undefined {
  if (place < known.length) return known[place]!.m2
  return unit === undefined ? undefined : known[unit]!.m2 * (place === tooLarge ? 1e-3 : 1e3)
}

function isNear({ amount, areaM2 }: Doubt, m2: number, rounding: number): boolean {
  const off = Math.abs(amount * m2 - areaM2)
  return off <= sameWithin * areaM2 || off <= rounding * m2
}

function roundingOf({ decimals }: Tally): number {
  return 0.5 * 10 ** -decimals
}

/** A column without a unit contains areas only if nearly all its numbers fit the same unit. */
function isClear({ fits, lead, rows }: Tally): boolean {
  return lead < known.length && fits[lead]! >= rows * 0.8
}

type Reported = { readonly source: string; readonly settingsIn: SettingsIn | undefined }

function verdictOf(tally: Tally, measuredRows: number, { source, settingsIn }: Reported) {
  const { column, rows, amount, measuredM2 } = tally
  const unit = tally.unit ?? tally.lead
  const { sign, m2 } = known[unit]!
  const stated = { column: column.name, unit: sign, rows, measuredRows, statedM2: amount * m2, measuredM2 }
  const other = otherUnit(tally, unit)
  if (other === undefined)
    return { stated, problems: rowProblems(tally, unit, { source, settingsIn }), contradiction: undefined }
  const sentence = otherSentence(tally, unit, other)
  // A single paddock may simply be wrong; two show a wrong unit.
  if (column.isRecord && rows > 1)
    return { stated, problems: [], contradiction: { sentence, write: remedy(tally, unit, other, settingsIn) } }
  const hint = column.isRecord
    ? `If the file is right:  ${remedy(tally, unit, other, settingsIn)}`
    : 'Nothing was changed: the measured areas do not depend on this column.'
  const found = problem('area-differs', { source, row: -1 }, { column: column.name, message: sentence, hint })
  return { stated, problems: [found], contradiction: undefined }
}

/** The unit that most rows fit while few fit the stated one. */
function otherUnit({ fits, lead, rows }: Tally, unit: number): number | undefined {
  return lead !== unit && fits[lead]! >= rows * 0.8 && fits[unit]! <= rows * 0.2 ? lead : undefined
}

function otherSentence({ column, fits, rows, doubts }: Tally, unit: number, other: number): string {
  const { plural, sign } = known[unit]!
  const [first] = doubts
  const example =
    first === undefined
      ? ''
      : ` (row ${first.at.row} says ${shown(first.amount)} ${sign}; its boundary measures ${inUnit(first.areaM2, unit)} ${sign})`
  const how =
    other === tooLarge
      ? 'are a thousand times the measured areas'
      : other === tooSmall
        ? 'are a thousandth of the measured areas'
        : `fit the measured boundaries in ${known[other]!.plural}`
  return `"${column.name}" should be in ${plural}, but ${fits[other]} of its ${rows} areas ${how}${example}.`
}

function remedy({ column }: Tally, unit: number, other: number, settingsIn: SettingsIn | undefined): string {
  if (other >= known.length)
    return settingText(
      settingsIn,
      'decimal: point, or decimal: comma, under "from", as the file has it',
      '--decimal point, or --decimal comma, as the file has it',
    )
  const { code, sign } = known[other]!
  const own = `totalArea: { from: ${column.name}, unit: ${sign} }`
  const line = code === undefined || unit === other ? 'totalArea: measured' : `${own}, or  totalArea: measured`
  return settingText(settingsIn, line)
}

function rowProblems(tally: Tally, unit: number, { source, settingsIn }: Reported): readonly Problem[] {
  const { column, rows, doubts } = tally
  const { m2, sign } = known[unit]!
  const rounding = roundingOf(tally)
  const off = doubts.filter((each) => {
    const difference = Math.abs(each.amount * m2 - each.areaM2)
    return difference > differsBeyond * each.areaM2 && difference > smallestM2 && !isNear(each, m2, rounding)
  })
  if (off.length === 0) return []
  const remark = column.isRecord
    ? `The record gets the value of the column. To use the measured area:  ${settingText(settingsIn, 'totalArea: measured')}`
    : 'Check whether cell and boundary belong together, and which of the two is out of date.'
  if (off.length * 2 > rows || doubts.length === mostDoubts) {
    const times = doubts.length === mostDoubts ? `${off.length} or more` : String(off.length)
    const message = `${times} of ${rows} areas in "${column.name}" differ by more than 10 % from the measured areas.`
    return [problem('area-differs', { source, row: -1 }, { column: column.name, message, hint: remark })]
  }
  return off.map(({ at, amount, areaM2 }) =>
    problem('area-differs', at, {
      column: column.name,
      value: shown(amount),
      message: `The column says ${shown(amount)} ${sign}, the boundary measures ${inUnit(areaM2, unit)} ${sign} (${differenceText(amount * m2, areaM2)}).`,
      hint: remark,
    }),
  )
}

function shown(amount: number): string {
  return String(Number(amount.toFixed(4)))
}

function inUnit(areaM2: number, unit: number): string {
  const amount = areaM2 / known[unit]!.m2
  return amount < 100 ? amount.toFixed(2) : amount.toFixed(0)
}

/** The difference of a stated area from the measured one: "0.3 % more". */
export function differenceText(statedM2: number, measuredM2: number): string {
  const percent = Math.abs(statedM2 / measuredM2 - 1) * 100
  if (percent < 0.05) return 'the same'
  const shown = percent < 10 ? percent.toFixed(1) : percent.toFixed(0)
  return `${shown} % ${statedM2 > measuredM2 ? 'more' : 'less'}`
}
