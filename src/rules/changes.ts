/** Judges what a file changes in the records that the service has: the general rule, and those that know a cause. */

import type { Rule } from '../core/rule.ts'
import { plural } from '../core/values/plural.ts'
import { farmOfStart } from '../resources/keys.ts'
import { identifierText } from '../resources/resource-type.ts'
import { titleOfField } from '../resources/titles.ts'
import { convert, measureOf, unitOfCode, type Measure } from '../resources/units.ts'

/** A boundary by the longitude and latitude of its middle, its area, and its box: west, south, east, north. */
export type BoundaryFacts = {
  readonly middle: readonly [lon: number, lat: number]
  readonly areaM2: number
  readonly box: readonly [west: number, south: number, east: number, north: number]
}

/** A field of a known record that gets another value. `isPlanned`: a day that is still to come. */
export type ValueChange = {
  readonly before: unknown
  readonly now: unknown
  readonly row: number
  readonly id: string
  readonly isPlanned?: boolean
}

/** How many known records of a farm are in the file, and how many of them get another value. `start` is that of its keys, if there are several farms. */
export type FarmCount = {
  readonly start: string
  readonly known: number
  readonly changed: number
  readonly first: readonly ValueChange[]
}

/** What a file does to one field of the known records in it. */
export type ColumnFacts = {
  /** A JSON pointer. */
  readonly field: string
  /** The known records in the file; how many had a value here, and a day whose month could be its day. */
  readonly known: number
  readonly had: number
  readonly turnable: number
  /** How many get another value, get one where they had none, and have a blank cell for their value, which keeps or clears it. */
  readonly changed: number
  readonly filled: number
  readonly blank: number
  readonly isKept: boolean
  /** The first that get another value. */
  readonly changes: readonly ValueChange[]
  /** By farm, those that get another value, without crops that were sown again. */
  readonly farms: readonly FarmCount[]
  /** True if the pipeline is another one than that of the last run. */
  readonly isMappingOther: boolean
}

/** What a file does to all fields. `elsewhere` counts boundaries that do not meet the box of the former one. */
export type NightFacts = {
  readonly columns: readonly ColumnFacts[]
  readonly elsewhere: readonly FarmCount[]
  /** What the reader says about merged cells. */
  readonly merged: string | undefined
}

/** The field of `ColumnFacts` that count crops with a later day of sowing. */
export const resownField = '/crops'
/** Fewer records than these may have been corrected by hand. */
export const fewest = 3
/** So many changes show what happened to a farm, and memory stays flat. */
export const mostKept = 1000

// What is counted

/** True if more than a fifth of the known records change, and at least five; of fewer than 25, more than half and at least three. */
function isMany({ known, changed }: FarmCount): boolean {
  return known < 25 ? changed >= fewest && changed * 2 > known : changed >= 5 && changed * 5 > known
}

/** True if the general rule looks at this field. */
export function isManyOfSome(farms: readonly FarmCount[]): boolean {
  return farms.some(isMany)
}

/**
 * Whether a value is another one. The same amount in another unit is not, nor the same day in another zone, a list in another order, or a
 * boundary that moves by less than a metre and changes its area by less than a hundredth.
 */
export function isOtherValue(field: string, before: unknown, now: unknown): boolean {
  if (field === '/spatialFeature') return isOtherBoundary(before as BoundaryFacts, now as BoundaryFacts)
  if (Array.isArray(before)) return sortedText(before) !== sortedText(now)
  const [was, is] = [measureOf(before), measureOf(now, 0)]
  if (was !== undefined && is !== undefined) return amountIn(was, is) !== was.measurement
  const day = dayOf(before)
  return day === undefined || day !== dayOf(now)
}

/** How far east and north the second place is of the first. */
export function metresBetween(
  from: readonly [number, number],
  to: readonly [number, number],
): readonly [number, number] {
  const metresPerDegree = 111_320
  const [east, north] = [to[0] - from[0], to[1] - from[1]]
  return [east * metresPerDegree * Math.cos((from[1] * Math.PI) / 180), north * metresPerDegree]
}

function isOtherBoundary(before: BoundaryFacts, now: BoundaryFacts): boolean {
  const isSameSize = Math.abs(now.areaM2 - before.areaM2) < 0.01 * before.areaM2
  return !isSameSize || Math.hypot(...metresBetween(before.middle, now.middle)) >= 1
}

function sortedText(list: unknown): string {
  return JSON.stringify(Array.isArray(list) ? list.map((each) => JSON.stringify(each)).toSorted() : list)
}

type Field = { readonly field: string; readonly kind: string; readonly before?: unknown; readonly now?: unknown }

/** The crops of a record that come with a later day of sowing and are not harvested before it, as JSON pointers. */
export function resownCrops(fields: readonly Field[]): readonly string[] {
  return fields.flatMap(({ field, kind, before, now }) => {
    const [, crop] = /^(\/crops\/\d+)\/establishmentDate$/.exec(field) ?? []
    const sown = dayOf(now)
    const isLater = sown !== undefined && (kind === 'filled' || (dayOf(before) ?? '') < sown) && kind !== 'cleared'
    const isEnded = (other: Field): boolean =>
      other.field.startsWith(`${crop}/`) && other.kind === 'changed' && (dayOf(other.now) ?? sown!) < sown!
    return crop !== undefined && isLater && !fields.some(isEnded) ? [crop] : []
  })
}

const isDay = /^\d{4}-\d\d-\d\d(?:T|$)/

/** The day of a moment, as it is written; undefined for another value. */
export function dayOf(value: unknown): string | undefined {
  return typeof value === 'string' && isDay.test(value) ? value.slice(0, 10) : undefined
}

/** A day with day and month in each other's place; undefined where that is no other day. */
export function turnedDay(value: unknown): string | undefined {
  const day = dayOf(value)
  const turned = day?.replace(/(\d\d)-(0\d|1[0-2])$/, '$2-$1')
  return turned === day ? undefined : turned
}

/** By how much of itself a measure may differ in another unit and be the same, rounded. */
export const asRounded = 0.01

/** An amount in the unit of the former one: the former one itself where only the unit is another. */
export function amountIn(before: Measure, { measurement, units }: Measure): number | undefined {
  if (units === before.units) return measurement
  if (typeof units !== 'string' || typeof before.units !== 'string') return undefined
  const amount = Number(convert(measurement, units, before.units).toPrecision(6))
  if (Number.isNaN(amount)) return undefined
  return Math.abs(amount / before.measurement - 1) < asRounded ? before.measurement : amount
}

// The general rule

type Many = FarmCount & Pick<ColumnFacts, 'field' | 'isMappingOther'> & { readonly others: number }

function manyIn({ field, farms, isMappingOther }: ColumnFacts): Many | undefined {
  const [first, ...others] = farms.filter(isMany).sort((one, other) => other.changed - one.changed)
  return first === undefined ? undefined : { ...first, field, isMappingOther, others: others.length }
}

/** The farm of a count for a sentence, if there are several in the file. */
export function farmText(start: string): string {
  return start === '' ? '' : ` of ${identifierText(farmOfStart(start))}`
}

function countText({ changed, known, start, others }: Many): string {
  const more = others === 0 ? '' : `, and in ${plural(others, 'other farm')} as many`
  return `${changed} of the ${known} known records${farmText(start)} in the file${more}`
}

function examples({ first, field }: Pick<Many, 'first' | 'field'>): string {
  const lines = first.map(
    ({ row, before, now }) => `row ${row}: ${inWords(before, field)} would become ${inWords(now, field)}`,
  )
  return lines.join('; ')
}

/** A value of a field for a sentence. */
export function inWords(value: unknown, field: string): string {
  if (field === '/spatialFeature') {
    const { areaM2, middle } = value as BoundaryFacts
    return `${hectares(areaM2)} at ${middle[1].toFixed(5)}, ${middle[0].toFixed(5)}`
  }
  const measure = measureOf(value, 0)
  if (measure !== undefined) return measureText(measure)
  const day = dayOf(value)
  if (day !== undefined) return day
  return JSON.stringify(value)
}

function hectares(areaM2: number): string {
  return `${Number((areaM2 / 10_000).toFixed(4))} ha`
}

/** Large areas in square metres are shown in hectares, as people know them. */
export function measureText({ measurement, units }: Measure): string {
  if (units === 'MTK' && measurement >= 1000) return hectares(measurement)
  return typeof units === 'string' ? `${measurement} ${unitOfCode(units)?.sign ?? units}` : String(measurement)
}

/** The title of a field for a sentence. */
export function titleText(field: string): string {
  return field === '/spatialFeature' ? 'the boundary' : `"${titleOfField(field)}"`
}

const valuesChanged: Rule<ColumnFacts, Many> = {
  id: 'values-changed',
  about: 'column',
  usual: 'stop',
  why: 'More than a fifth of the known records of a farm would get another value in one field. A file of another farm, ids that moved to other rows, a column that was sorted alone, filled down or exchanged with another, and a wrong unit or date format all show in the same way: many records get another value in one field. So windrow counts, for each farm, the records of the file that the service has. If more than a fifth of them and at least five would get another value in one field (of fewer than 25 records, more than half and at least three), nothing is sent. It does not count what windrow measures, boundaries that move by less than a metre, values where there were none, the same amount in another unit, nor crops that come with a later day of sowing. The message shows three examples. Compare them with the farm. If the pipeline was changed, check what it maps to the field.',
  find: (facts) => (facts.field === resownField ? undefined : manyIn(facts)),
  says: (many) => ({
    path: many.field,
    message: `${many.isMappingOther ? 'The pipeline was changed since its last run. ' : ''}${countText(many)} would get another value for ${titleText(many.field)} (${examples(many)}).`,
    hint: 'Check that it is the file of this farm, and that its ids and columns are what they were.',
  }),
}

const cropsResown: Rule<ColumnFacts, Many> = {
  id: 'crops-resown',
  about: 'column',
  usual: 'note',
  why: 'Many known records have a crop with a later day of sowing. Crops that come with a later day of sowing were sown again, so all their values may be others. windrow publishes them, and says how many there are, with three examples.',
  find: (facts) => (facts.field === resownField ? manyIn(facts) : undefined),
  says: (many) => ({
    path: many.field,
    message: `${countText(many)} have a crop with a later day of sowing (${examples(many)}).`,
  }),
}

// Columns that came back empty

type Emptied = { readonly field: string; readonly known: number; readonly blank: number; readonly lost: number }

/** At least this share of the rows has a blank cell; people clear some, or all. */
const mostBlank = 0.8

function emptiedIn({ field, known, had, filled, blank: lost }: ColumnFacts): Emptied | undefined {
  const blank = Math.round(known - (had - lost) - filled)
  if (lost < fewest || blank < mostBlank * known || lost <= (blank >= known ? 0.1 : 0.5) * known) return undefined
  return { field, known, blank, lost }
}

function emptiedText({ field, known, blank }: Emptied): string {
  const many = blank >= known ? `All ${known}` : `${blank} of the ${known}`
  return `${many} rows of known records have nothing for ${titleText(field)}`
}

const columnCleared: Rule<ColumnFacts, Emptied> = {
  id: 'column-cleared',
  about: 'column',
  usual: 'stop',
  why: 'A column came back empty, and the records would lose what they have there. With blank: clear, a blank cell clears the field of its record. A column that had values and is blank in at least 80 % of the rows of known records now was rather lost in the export, so nothing is sent while many of these records have a value. Export the file again with the column. Or remove the field from the pipeline, which leaves it as it is, or write blank: keep.',
  find: (facts) => (facts.isKept ? undefined : emptiedIn(facts)),
  says: (emptied) => ({
    path: emptied.field,
    message: `${emptiedText(emptied)}, and ${plural(emptied.lost, 'record')} would lose what they have there. Did a column come back empty?`,
    setting: 'blank: keep',
  }),
}

const columnBlank: Rule<ColumnFacts, Emptied> = {
  id: 'column-blank',
  about: 'column',
  usual: 'warn',
  why: 'A column came back empty; the records keep what they have there. With blank: keep, a blank cell leaves the field of its record as it is. A column that had values and is blank in at least 80 % of the rows of known records was perhaps lost in the export, and what the records keep may be old. windrow warns as long as many of them have such values. Export the file again with the column, or remove the field from the pipeline.',
  find: (facts) => (facts.isKept ? emptiedIn(facts) : undefined),
  says: (emptied) => ({
    path: emptied.field,
    message: `${emptiedText(emptied)}, and ${plural(emptied.lost, 'record')} keep what they have there. Did a column come back empty?`,
  }),
}

const cellsMergedClear: Rule<NightFacts, { readonly merged: string; readonly lost: number }> = {
  id: 'cells-merged-clear',
  about: 'night',
  usual: 'stop',
  why: 'Merged cells would clear values of records. Where cells are merged over several rows, only the first row has the value, and the others look blank. With blank: clear they would clear it in their records. Split the merged cells and fill in each row, or write blank: keep.',
  find({ merged, columns }) {
    const lost = columns.reduce((sum, { blank, isKept }) => sum + (isKept ? 0 : blank), 0)
    return merged === undefined || lost === 0 ? undefined : { merged, lost }
  },
  says: ({ merged, lost }) => ({
    message: `${merged} ${plural(lost, 'value')} of records would be cleared.`,
    setting: 'blank: keep',
  }),
}

/** The rules about a field that changed for any reason, or is blank. */
export const changeRules: readonly Rule<ColumnFacts>[] = [valuesChanged, cropsResown, columnCleared, columnBlank]
/** The rules about what all fields lose. */
export const clearingRules: readonly Rule<NightFacts>[] = [cellsMergedClear]
