/** Judges land that two boundaries share, and areas that a file states beside the measured ones. */

import type { Rule, Sentence } from '../core/rule.ts'
import type { Place } from '../core/row.ts'
import type { Meeting } from '../geometry/coverage/coverage.ts'

/** How two boundaries share land. */
export type SharingKind = 'twice' | 'inside' | 'overlap'

/** The land that two boundaries share, as the row has it at which that is reported. */
export type SharedLand = Pick<Meeting, 'areaM2'> & {
  /** The area of this boundary and of the other one. */
  readonly areasM2: Meeting['areasM2']
  readonly where: { readonly lon: number; readonly lat: number }
  readonly at: Place
  readonly id: string
  /** The record of the other one as a person knows it, such as "Top" (row 3). */
  readonly other: string
  /** The rows of the other one and of its copies. */
  readonly with: readonly Place[]
  /** How many boundaries are the same, with these two; 0 if they differ. */
  readonly copies: number
  /** How many lie inside this one, if it may be the outline of the farm: the other one is the first of them. */
  readonly contained?: number
}

// Two people who draw one fence differ by as much along one side of a field.
const fenceM = 2
const sameShare = 0.99
const insideShare = 0.95

/** How two boundaries share land; undefined for a strip as narrow as the difference between two drawings of one fence. */
export function sharingOf({ areaM2, areasM2 }: Pick<Meeting, 'areaM2' | 'areasM2'>): SharingKind | undefined {
  const [least, most] = [Math.min(...areasM2), Math.max(...areasM2)]
  if (areaM2 >= sameShare * most) return 'twice'
  if (areaM2 >= insideShare * least) return 'inside'
  return areaM2 < fenceM * Math.sqrt(least) ? undefined : 'overlap'
}

function sentenceOf({ at, id, where, with: others }: SharedLand, message: string, hint: string): Sentence {
  return { at, value: id, where, with: others, message, hint }
}

const twice: Rule<SharedLand, SharedLand> = {
  id: 'boundary-twice',
  about: 'record',
  usual: 'warn',
  why: 'The same boundary occurs again under another key. Two records have the same boundary under different keys, so its land would count twice. windrow publishes both, because only you know which one is right. If it is the same field, keep only one of the rows.',
  find: (land) => (sharingOf(land) === 'twice' ? land : undefined),
  says(land) {
    const { other, copies } = land
    const [more, times] = copies > 2 ? [` and ${copies - 2} more`, `${copies} times`] : ['', 'twice']
    const message = `The boundary is the same as that of ${other}${more}: ${areaText(land.areasM2[0])} count ${times}.`
    return sentenceOf(land, message, 'If it is the same field, keep only one of these rows.')
  },
}

const inside: Rule<SharedLand, SharedLand> = {
  id: 'boundary-inside-another',
  about: 'record',
  usual: 'warn',
  why: 'A boundary lies inside another one. One boundary lies wholly inside another one, so its land counts twice. It may be a separate field, or the other one may be the outline of the farm. Draw the inner one as a hole in the outer one, or remove the row with the outline.',
  find: (land) => (sharingOf(land) === 'inside' ? land : undefined),
  says(land) {
    const { other, areaM2, areasM2, contained } = land
    if (contained !== undefined)
      return sentenceOf(
        land,
        `The boundary contains ${contained} others, such as ${other}. Is it the outline of the farm?`,
        'If it is, remove the row, because its land counts twice. An outline belongs to the holding.',
      )
    // The inner one may be a record that only the service has.
    const how = areasM2[0] > areasM2[1] ? 'contains' : 'lies inside'
    const message = `The boundary ${how} that of ${other}: ${areaText(areaM2)} count twice.`
    return sentenceOf(land, message, 'If the inner one is a separate field, draw it as a hole in the outer one.')
  },
}

const overlap: Rule<SharedLand, SharedLand> = {
  id: 'boundaries-overlap',
  about: 'record',
  usual: 'warn',
  why: 'Two boundaries overlap. Two boundaries cover the same land, which counts in both. The message says how much it is and whose the other boundary is. Redraw the fence between the two in the program that made the file. A strip less than about 2 m wide is not reported: two people who draw one fence differ by as much.',
  find: (land) => (sharingOf(land) === 'overlap' ? land : undefined),
  says(land) {
    const { other, areaM2, areasM2 } = land
    const share = `${((areaM2 / areasM2[0]) * 100).toFixed(1)} % of it`
    const message = `The boundary overlaps that of ${other}: ${areaText(areaM2)}, ${share}, count twice.`
    return sentenceOf(land, message, 'Redraw the fence between the two.')
  },
}

export const landRules: readonly Rule<SharedLand>[] = [twice, inside, overlap]

/** A unit of areas; `code` only where the service knows it. */
export type AreaUnit = {
  readonly code: string | undefined
  readonly sign: string
  readonly plural: string
  readonly m2: number
}

/** An area in a row, in the unit of its column, and that of its boundary. */
export type StatedRow = { readonly at: Place; readonly amount: number; readonly areaM2: number }

/** A column that states areas. */
export type StatedColumn = {
  readonly name: string
  /** True if the record gets its area from the column. */
  readonly isRecord: boolean
  readonly rows: number
  readonly unit: AreaUnit
  /** By how much an amount may be rounded. */
  readonly rounding: number
  /** How many rows fit the unit of the column. */
  readonly fitting: number
  /** What most rows fit: a unit, or so many times that of the column, where the decimal separator is another. */
  readonly best: { readonly rows: number; readonly unit: AreaUnit | 'a thousand times' | 'a thousandth of' }
  /** Rows that do not fit the unit. `hasMore`: there may be others. */
  readonly doubts: readonly StatedRow[]
  readonly hasMore: boolean
}

/** A column, or one row of it. */
export type StatedFacts = StatedColumn & { readonly row?: StatedRow }

const differsBeyond = 0.1
/** A smaller difference is rounding. */
const smallestM2 = 100

export const areaUnit: Rule<StatedColumn, StatedColumn> = {
  id: 'area-unit',
  about: 'column',
  usual: 'stop',
  why: 'The areas that records get from a column are in another unit than the pipeline says. Most areas in the column fit the measured boundaries in another unit, or are a thousand times as large or small, and few fit the unit that the pipeline says. Acres that are published as hectares are wrong by more than half, so nothing was sent. Write the unit of the column, or the decimal separator of the file, or let windrow measure: totalArea: measured.',
  find: (stated) => (isWrongUnit(stated) ? stated : undefined),
  says: (stated) => ({ column: stated.name, message: otherUnitText(stated), setting: unitSetting(stated) }),
}

export const areaDiffers: Rule<StatedFacts, StatedFacts> = {
  id: 'area-differs',
  about: 'column',
  usual: 'warn',
  why: 'The measured area and the area column of the file differ. The area in a column of the file is not the area of the drawn boundary. The boundary may be old, the column may have another unit, or it may exclude tracks and trees. Compare both with what you know, and correct the one that is wrong; { from: Area, unit: ac } names the unit.',
  find(stated) {
    if (isWrongUnit(stated)) return undefined
    const { row } = stated
    const isOfColumn = fitsOther(stated) || doMostDiffer(stated)
    const isFound = row === undefined ? isOfColumn : !isOfColumn && differs(row, stated)
    return isFound ? stated : undefined
  },
  says(stated) {
    const { name, isRecord, rows, unit, doubts, hasMore, row } = stated
    if (fitsOther(stated)) {
      const found = { column: name, message: otherUnitText(stated) }
      if (isRecord) return { ...found, setting: unitSetting(stated) }
      return { ...found, hint: 'Nothing was changed: the measured areas do not depend on this column.' }
    }
    const hint = isRecord
      ? 'The record gets the value of the column. To use the measured area:  totalArea: measured'
      : 'Check whether cell and boundary belong together, and which of the two is out of date.'
    if (row === undefined) {
      const count = `${doubts.filter((each) => differs(each, stated)).length}${hasMore ? ' or more' : ''}`
      const message = `${count} of ${rows} areas in "${name}" differ by more than 10 % from the measured areas.`
      return { column: name, message, hint }
    }
    const { at, amount, areaM2 } = row
    const measured = `${amountIn(unit, areaM2)} ${unit.sign}`
    const message = `The column says ${shortened(amount)} ${unit.sign}, the boundary measures ${measured} (${differenceText(amount * unit.m2, areaM2)}).`
    return { at, column: name, value: shortened(amount), message, hint }
  },
}

/** True if most rows fit another unit than that of the column, and few fit that. */
function fitsOther({ best, unit, rows, fitting }: StatedColumn): boolean {
  return best.unit !== unit && best.rows >= rows * 0.8 && fitting <= rows * 0.2
}

/** A single paddock may simply be wrong; two show a wrong unit. */
function isWrongUnit(column: StatedColumn): boolean {
  return column.isRecord && column.rows > 1 && fitsOther(column)
}

function differs({ amount, areaM2 }: StatedRow, { unit, rounding }: StatedColumn): boolean {
  const difference = Math.abs(amount * unit.m2 - areaM2)
  return difference > Math.max(differsBeyond * areaM2, smallestM2, rounding * unit.m2)
}

function doMostDiffer(column: StatedColumn): boolean {
  const count = column.doubts.filter((each) => differs(each, column)).length
  return count * 2 > column.rows || (column.hasMore && count > 0)
}

function otherUnitText({ name, rows, unit, best, doubts: [first] }: StatedColumn): string {
  const example =
    first === undefined
      ? ''
      : ` (row ${first.at.row} says ${shortened(first.amount)} ${unit.sign}; its boundary measures ${amountIn(unit, first.areaM2)} ${unit.sign})`
  const how =
    typeof best.unit === 'string'
      ? `are ${best.unit} the measured areas`
      : `fit the measured boundaries in ${best.unit.plural}`
  return `"${name}" should be in ${unit.plural}, but ${best.rows} of its ${rows} areas ${how}${example}.`
}

function unitSetting({ name, best }: StatedColumn): string {
  if (typeof best.unit === 'string') return 'from: { decimal: comma }, or point, as the file has it'
  const unit = best.unit.code === undefined ? [] : [`totalArea: { from: ${name}, unit: ${best.unit.sign} }`]
  return [...unit, 'totalArea: measured'].join(', or  ')
}

function shortened(amount: number): string {
  return String(Number(amount.toFixed(4)))
}

function amountIn({ m2 }: AreaUnit, areaM2: number): string {
  const amount = areaM2 / m2
  return amount < 100 ? amount.toFixed(2) : amount.toFixed(0)
}

/** The difference of a stated area from the measured one: "0.3 % more". */
export function differenceText(statedM2: number, measuredM2: number): string {
  const percent = Math.abs(statedM2 / measuredM2 - 1) * 100
  if (percent < 0.05) return 'the same'
  const shown = percent < 10 ? percent.toFixed(1) : percent.toFixed(0)
  return `${shown} % ${statedM2 > measuredM2 ? 'more' : 'less'}`
}

function areaText(areaM2: number): string {
  return areaM2 < 1000 ? `${areaM2.toFixed(0)} m²` : `${(areaM2 / 10_000).toFixed(2)} ha`
}
