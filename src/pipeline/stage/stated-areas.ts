/** Counts, while rows pass, how the areas in a column of the file fit the measured ones, in each unit. */

import { partNumberAndWord, readNumber, type DecimalMark } from '../../core/values/number-text.ts'
import { keptName } from '../../core/values/object-maker.ts'
import type { Row, Value } from '../../core/row.ts'
import type { AreaColumn } from '../../mapping/area-column.ts'
import type { Group } from '../../resources/groups.ts'
import { unitCode, unitOfCode, unitsOfKind } from '../../resources/units.ts'
import type { AreaUnit, StatedColumn, StatedRow } from '../../rules/land.ts'

/** The total of a column beside the measured total; `rows` of `measuredRows` have a value. */
export type StatedArea = {
  readonly column: string
  readonly unit: string
  readonly rows: number
  readonly measuredRows: number
  readonly statedM2: number
  readonly measuredM2: number
}

/** The columns that may state areas, as far as rows have passed. */
export type StatedAreas = { measuredRows: number; columns: readonly CountedColumn[] | undefined }

/** How the areas that a file states are found and read. */
export type AreaReading = {
  columnsOf(row: Row): readonly AreaColumn[]
  readonly decimal: DecimalMark | undefined
}

type CountedColumn = ReturnType<typeof startColumn>

// Old files have units that are not in the service's list; a perch is 1/160 acre.
const known: readonly AreaUnit[] = [
  ...unitsOfKind('area').map(({ code, sign, title, factor }) => ({ code, sign, plural: pluralOf(title), m2: factor })),
  { code: undefined, sign: 'perches', plural: 'perches', m2: 25.29285264 },
  { code: undefined, sign: 'a', plural: 'ares', m2: 100 },
  { code: undefined, sign: 'daa', plural: 'decares', m2: 1000 },
]
/** The places in `fits` after those of the units: what fits if the decimal separator is another. */
const tooLarge = known.length

/** An area measured in another way or on another map may differ by this share. */
const sameWithin = 0.05
const mostDoubts = 1000
const mostCandidates = 4

/** Compares the areas that a row states with the measured one, in a table with boundaries. */
export function noteStatedArea(
  areas: StatedAreas,
  reading: AreaReading | undefined,
  { row, record, areaM2 }: { readonly row: Row; readonly record: () => Group; readonly areaM2: number },
): void {
  if (reading === undefined || !(areaM2 > 0)) return
  areas.measuredRows += 1
  areas.columns ??= reading.columnsOf(row).slice(0, mostCandidates).map(startColumn)
  for (const counted of areas.columns) {
    const { name, isRecord } = counted
    const stated = isRecord ? statedIn(record()['totalArea']) : statedBy(row.values[name], reading.decimal)
    if (stated === undefined || !(stated.amount > 0)) continue
    counted.unit ??= stated.unit
    count(counted, { at: row.at, amount: amountFor(counted, stated), areaM2 })
  }
}

/** The column that states areas most clearly: how its numbers fit, and its total; undefined without one. */
export function statedColumnIn({ columns = [], measuredRows }: StatedAreas) {
  const filled = columns.filter(({ rows }) => rows > 0)
  const counted = filled.find(({ isRecord, unit }) => isRecord || unit !== undefined) ?? filled.find(isClear)
  if (counted === undefined) return undefined
  const { name, isRecord, rows, amount, measuredM2, fits, lead, doubts } = counted
  const place = counted.unit ?? lead
  const unit = known[place]!
  const column: StatedColumn = {
    name,
    isRecord,
    rows,
    unit,
    rounding: roundingOf(counted),
    fitting: fits[place]!,
    best: { rows: fits[lead]!, unit: known[lead] ?? (lead === tooLarge ? 'a thousand times' : 'a thousandth of') },
    doubts,
    hasMore: doubts.length === mostDoubts,
  }
  const total: StatedArea = {
    column: name,
    unit: unit.sign,
    rows,
    measuredRows,
    statedM2: amount * unit.m2,
    measuredM2,
  }
  return { column, total }
}

function pluralOf(title: string): string {
  return title.endsWith('foot') ? title.replace('foot', 'feet') : `${title}s`
}

function startColumn({ name, unit, isRecord }: AreaColumn) {
  // How many rows fit each unit, followed by a thousand times and a thousandth of the stated unit.
  const fits = Array.from({ length: known.length + 2 }, () => 0)
  const counts = { rows: 0, amount: 0, measuredM2: 0, decimals: 0, lead: 0 }
  return { name: keptName(name), isRecord, unit: unitIndex(unit), ...counts, fits, doubts: [] as StatedRow[] }
}

/** An amount in the unit of the others. */
function amountFor(counted: CountedColumn, { amount, unit }: Amount): number {
  if (unit === undefined || unit === counted.unit) return amount
  return (amount * known[unit]!.m2) / known[counted.unit!]!.m2
}

function unitIndex(code: string | undefined): number | undefined {
  const index = code === undefined ? -1 : known.findIndex((each) => each.code === code)
  return index < 0 ? undefined : index
}

type Amount = { readonly amount: number; readonly unit: number | undefined }

function statedIn(area: unknown): Amount | undefined {
  const { measurement, units } = (area ?? {}) as { readonly measurement?: unknown; readonly units?: unknown }
  const unit = unitIndex(unitOfCode(String(units))?.code)
  return typeof measurement !== 'number' || unit === undefined ? undefined : { amount: measurement, unit }
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

function count(counted: CountedColumn, row: StatedRow): void {
  const { amount, areaM2 } = row
  const { fits } = counted
  counted.rows += 1
  counted.amount += amount
  counted.measuredM2 += areaM2
  while (
    counted.decimals < 4 &&
    Math.abs(amount * 10 ** counted.decimals - Math.round(amount * 10 ** counted.decimals)) > 1e-6 * Math.min(1, amount)
  )
    counted.decimals += 1
  const rounding = roundingOf(counted)
  for (let place = 0; place < fits.length; place += 1) {
    const m2 = sizeOf(counted, place)
    if (m2 === undefined || !isNear(row, m2, rounding)) continue
    fits[place]! += 1
    if (fits[place]! > fits[counted.lead]!) counted.lead = place
  }
  const expected = sizeOf(counted, counted.unit ?? counted.lead)!
  if (counted.doubts.length < mostDoubts && !isNear(row, expected, rounding)) counted.doubts.push(row)
}

function sizeOf({ unit }: CountedColumn, place: number): number | undefined {
  if (place < known.length) return known[place]!.m2
  return unit === undefined ? undefined : known[unit]!.m2 * (place === tooLarge ? 1e-3 : 1e3)
}

function isNear({ amount, areaM2 }: StatedRow, m2: number, rounding: number): boolean {
  const off = Math.abs(amount * m2 - areaM2)
  return off <= sameWithin * areaM2 || off <= rounding * m2
}

function roundingOf({ decimals }: CountedColumn): number {
  return 0.5 * 10 ** -decimals
}

/** A column without a unit contains areas only if nearly all its numbers fit the same unit. */
function isClear({ fits, lead, rows }: CountedColumn): boolean {
  return lead < known.length && fits[lead]! >= rows * 0.8
}
