/** Judges what a file changes in the records that the service has: the general rule, and those that know a cause. */

import type { Place } from '../core/problem.ts'
import type { Rule } from '../core/rule.ts'
import { median } from '../core/values/median.ts'
import { plural } from '../core/values/plural.ts'
import { plainName } from '../core/values/same-name.ts'
import { distanceKm } from '../geometry/crs/area.ts'
import type { Measured } from '../geometry/measure/measure.ts'
import { farmOfStart } from '../resources/keys.ts'
import { identifierText } from '../resources/resource-type.ts'
import { titleOfField } from '../resources/titles.ts'
import { convert, measureOf, unitOfCode } from '../resources/units.ts'

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
  /** By farm, boundaries that do not meet the box of the former one. */
  readonly elsewhere: readonly FarmCount[]
  /** True if the pipeline is another one than that of the last run. */
  readonly isMappingOther: boolean
  /** What the reader says about merged cells. */
  readonly merged: string | undefined
}

/** The area of a known record. */
export type AreaFacts = ValueChange & { readonly at: Place }

/** The field of `ColumnFacts` that count crops with a later day of sowing. */
export const resownField = '/crops'
/** Fewer records than these may have been corrected by hand. */
export const fewest = 3

// Values

/**
 * Whether a value is another one. The same amount in another unit is not, nor the same day in another zone, a list in another order, or a
 * boundary that moves by less than a metre and changes its area by less than a hundredth.
 */
export function isOtherValue(field: string, { before, now }: Pick<ValueChange, 'before' | 'now'>): boolean {
  if (field === '/spatialFeature') {
    const [was, is] = [before as Measured, now as Measured]
    return Math.abs(is.areaM2 - was.areaM2) >= 0.01 * was.areaM2 || kmBetween(was, is) >= 0.001
  }
  if (Array.isArray(before)) return sortedText(before) !== sortedText(now)
  if (timesOf({ before, now }) === 1) return false
  const day = dayOf(before)
  return day === undefined || day !== dayOf(now)
}

/** How far the middle of a boundary is from that of another one. */
export function kmBetween({ centroid: from }: Measured, { centroid: to }: Measured): number {
  return distanceKm({ lon: from[0], lat: from[1] }, { lon: to[0], lat: to[1] })
}

/** The entries of a list in one order. */
export function sortedText(list: unknown): string {
  return JSON.stringify(Array.isArray(list) ? list.map((each) => JSON.stringify(each)).toSorted() : list)
}

/** By how much of itself a measure may differ in another unit and be the same, rounded. */
const asRounded = 0.01

/** How many times as large an amount becomes: 1 where only its unit is another one, NaN of other values. */
function timesOf({ before, now }: Pick<ValueChange, 'before' | 'now'>): number {
  const [was, is] = [measureOf(before), measureOf(now, 0)]
  if (was === undefined || is === undefined) return NaN
  if (is.units === was.units) return is.measurement / was.measurement
  const times = convert(is.measurement, String(is.units), String(was.units)) / was.measurement
  return Math.abs(times - 1) < asRounded ? 1 : times
}

/** The day of a moment, as it is written; undefined for another value. */
export function dayOf(value: unknown): string | undefined {
  return typeof value === 'string' ? /^\d{4}-\d\d-\d\d(?=T|$)/.exec(value)?.[0] : undefined
}

/** A day with day and month in each other's place; undefined where that is no other day. */
export function turnedDay(value: unknown): string | undefined {
  const day = dayOf(value)
  const turned = day?.replace(/(\d\d)-(0\d|1[0-2])$/, '$2-$1')
  return turned === day ? undefined : turned
}

function changeText({ row, before, now }: ValueChange, field: string): string {
  return `row ${row}: ${inWords(before, field)} would become ${inWords(now, field)}`
}

function inWords(value: unknown, field: string): string {
  if (field === '/spatialFeature') {
    const { areaM2, centroid } = value as Measured
    return `${hectares(areaM2)} at ${centroid[1].toFixed(5)}, ${centroid[0].toFixed(5)}`
  }
  const { measurement, units } = measureOf(value, 0) ?? {}
  if (measurement === undefined) return dayOf(value) ?? JSON.stringify(value)
  // People know large areas in hectares.
  if (units === 'MTK' && measurement >= 1000) return hectares(measurement)
  return typeof units === 'string' ? `${measurement} ${unitOfCode(units)?.sign ?? units}` : String(measurement)
}

function hectares(areaM2: number): string {
  return `${Number((areaM2 / 10_000).toFixed(4))} ha`
}

function titleText(field: string): string {
  return field === '/spatialFeature' ? 'the boundary' : `"${titleOfField(field)}"`
}

function farmText(start: string): string {
  return start === '' ? '' : ` of ${identifierText(farmOfStart(start))}`
}

// The general rule

type Many = FarmCount & Pick<ColumnFacts, 'field' | 'isMappingOther'> & { readonly others: number }

/** True if more than a fifth of the known records change, and at least five; of fewer than 25, more than half and at least three. */
function isMany({ known, changed }: FarmCount): boolean {
  return known < 25 ? changed >= fewest && changed * 2 > known : changed >= 5 && changed * 5 > known
}

function manyIn({ field, farms, isMappingOther }: ColumnFacts): Many | undefined {
  const [first, ...others] = farms.filter(isMany).sort((one, other) => other.changed - one.changed)
  return first === undefined ? undefined : { ...first, field, isMappingOther, others: others.length }
}

function manyText({ changed, known, start, others, first, field }: Many, what: string): string {
  const more = others === 0 ? '' : `, and in ${plural(others, 'other farm')} as many`
  const examples = first.map((each) => changeText(each, field)).join('; ')
  return `${changed} of the ${known} known records${farmText(start)} in the file${more} ${what} (${examples}).`
}

const valuesChanged: Rule<ColumnFacts, Many> = {
  id: 'values-changed',
  about: 'column',
  usual: 'stop',
  why: 'More than a fifth of the known records of a farm would get another value in one field. A file of another farm, ids that moved to other rows, a column that was sorted alone, filled down or exchanged with another, and a wrong unit or date format all show in the same way: many records get another value in one field. So windrow counts, for each farm, the records of the file that the service has. If more than a fifth of them and at least five would get another value in one field (of fewer than 25 records, more than half and at least three), nothing is sent. It does not count what windrow measures, boundaries that move by less than a metre, values where there were none, the same amount in another unit, nor crops that come with a later day of sowing. The message shows three examples. Compare them with the farm. If the pipeline was changed, check what it maps to the field.',
  find: (facts) => (facts.field === resownField ? undefined : manyIn(facts)),
  says: (many) => ({
    path: many.field,
    message: `${many.isMappingOther ? 'The pipeline was changed since its last run. ' : ''}${manyText(many, `would get another value for ${titleText(many.field)}`)}`,
    hint: 'Check that it is the file of this farm, and that its ids and columns are what they were.',
  }),
}

const cropsResown: Rule<ColumnFacts, Many> = {
  id: 'crops-resown',
  about: 'column',
  usual: 'note',
  why: 'Many known records have a crop with a later day of sowing. Crops that come with a later day of sowing were sown again, so all their values may be others. windrow publishes them, and says how many there are, with three examples.',
  find: (facts) => (facts.field === resownField ? manyIn(facts) : undefined),
  says: (many) => ({ path: many.field, message: manyText(many, 'have a crop with a later day of sowing') }),
}

// Columns that came back empty

/** `empty`: the rows that have nothing there. */
type Emptied = ColumnFacts & { readonly empty: number }

/** At least this share of the rows has a blank cell; people clear some, or all. */
const mostBlank = 0.8

function emptiedIn(facts: ColumnFacts): Emptied | undefined {
  const { known, had, filled, blank } = facts
  const empty = Math.round(known - (had - blank) - filled)
  const isLost = blank >= fewest && empty >= mostBlank * known && blank > (empty >= known ? 0.1 : 0.5) * known
  return isLost ? { ...facts, empty } : undefined
}

function emptiedText({ field, known, blank, empty }: Emptied, does: string): string {
  const many = empty >= known ? `All ${known}` : `${empty} of the ${known}`
  return `${many} rows of known records have nothing for ${titleText(field)}, and ${plural(blank, 'record')} ${does} what they have there. Did a column come back empty?`
}

const columnCleared: Rule<ColumnFacts, Emptied> = {
  id: 'column-cleared',
  about: 'column',
  usual: 'stop',
  why: 'A column came back empty, and the records would lose what they have there. With blank: clear, a blank cell clears the field of its record. A column that had values and is blank in at least 80 % of the rows of known records now was rather lost in the export, so nothing is sent while many of these records have a value. Where cells are merged over several rows, only the first row has the value, and the others look blank: there, one record that would lose its value is enough. Export the file again with the column, or with the merged cells split and filled in. Or remove the field from the pipeline, which leaves it as it is, or write blank: keep.',
  find(facts) {
    if (facts.isKept) return undefined
    return facts.merged !== undefined && facts.blank > 0 ? { ...facts, empty: facts.blank } : emptiedIn(facts)
  },
  says: (emptied) => ({
    path: emptied.field,
    message:
      emptied.merged === undefined
        ? emptiedText(emptied, 'would lose')
        : `${emptied.merged} ${plural(emptied.blank, 'record')} would lose what they have for ${titleText(emptied.field)}.`,
    setting: 'blank: keep',
  }),
}

const columnBlank: Rule<ColumnFacts, Emptied> = {
  id: 'column-blank',
  about: 'column',
  usual: 'warn',
  why: 'A column came back empty; the records keep what they have there. With blank: keep, a blank cell leaves the field of its record as it is. A column that had values and is blank in at least 80 % of the rows of known records was perhaps lost in the export, and what the records keep may be old. windrow warns as long as many of them have such values. Export the file again with the column, or remove the field from the pipeline.',
  find: (facts) => (facts.isKept ? emptiedIn(facts) : undefined),
  says: (emptied) => ({ path: emptied.field, message: emptiedText(emptied, 'keep') }),
}

// Amounts

type Evidence = { readonly count: number; readonly first: ValueChange }

/** How many of all that changed those are of the first of them. */
function ofAll(some: number, { changes, changed }: ColumnFacts): number {
  return Math.round((some * changed) / changes.length)
}

// An are is a hundredth of a hectare, and 5,23 is 523 where the comma was lost. A metre is 3.281 feet.
const factors = [1000, 10_000, 4047, 2.471, 3.281, 100, 10]

type Resized = Pick<ColumnFacts, 'field' | 'changed'> & Evidence & { readonly factor: number }

const amountsResized: Rule<ColumnFacts, Resized> = {
  id: 'amounts-resized',
  about: 'column',
  usual: 'stop',
  why: 'Most amounts of a field that changed are ten times or another factor of units as large or small. No paddock becomes a thousand times as large. Where most amounts that changed did so by 10, 100, 1000, or by the factor between hectares and square metres or acres, or metres and feet, the file has another unit or decimal separator than the pipeline takes it for, and nothing is sent. Write the unit or the decimal separator that the file has now, or export it as before.',
  find(facts) {
    const { field, changes, changed, known } = facts
    for (const factor of factors) {
      const isThousand = factor === 1000
      // A program may write kilometres with two decimals.
      const most = isThousand && field === '/totalArea' ? 1e-9 : asRounded
      const by = changes.filter((change) => {
        const times = timesOf(change)
        return [times / factor, times * factor].some((each) => Math.abs(each - 1) < most)
      })
      const count = ofAll(by.length, facts)
      // People also mistype a decimal separator, and correct it.
      const all = factor === 100 || factor === 10 ? known : changed
      if (by.length >= (isThousand ? 2 : fewest) && count * 2 > all)
        return { field, factor, count, changed, first: by[0]! }
    }
    return undefined
  },
  says: ({ field, factor, count, changed, first }) => ({
    path: field,
    message: `${count} of the ${changed} values of ${titleText(field)} that changed would become ${factor} times as ${timesOf(first) > 1 ? 'large' : 'small'} (${changeText(first, field)}). Does the file have another unit, or another decimal separator, than the pipeline?`,
    setting: 'from.decimal or unit as the file has it now',
  }),
}

/** The rule about the area of one record. */
export const areaLeap: Rule<AreaFacts, AreaFacts> = {
  id: 'area-leap',
  about: 'record',
  usual: 'warn',
  why: 'A known record would become ten times as large or small. A paddock that is ten times as large or small as until now may be right, where it was split or joined. More often a decimal separator was lost or mistyped. It was published: correct the cell and run the pipeline again, or take the run back with windrow undo.',
  find(facts) {
    const times = timesOf(facts)
    // Ten times, as far as numbers are exact.
    return times > 9.999 || times < 0.10001 ? facts : undefined
  },
  says: ({ at, before, now }) => ({
    at,
    path: '/totalArea',
    message: `The area of this record was ${inWords(before, '/totalArea')} until now and becomes ${inWords(now, '/totalArea')}. Was a decimal separator lost or mistyped?`,
  }),
}

// Days

type Cause = { readonly becomes: string; readonly asks: string }
type DaysMoved = Pick<ColumnFacts, 'field' | 'had'> & Evidence & Cause

const exchanged: Cause = {
  becomes: "have day and month in each other's place",
  asks: 'Did a program of another country read the dates?',
}

/** Time zones are no further apart, and clocks change by an hour. */
const [mostHours, clockHours] = [26, 1.1]

function hoursOf({ before, now }: ValueChange): number {
  return (Date.parse(String(now)) - Date.parse(String(before))) / 3_600_000
}

function isADay(hours: number): boolean {
  return Math.abs(Math.abs(hours) - 24) < clockHours
}

/** Why a program moved dates by so many hours. People move them otherwise. */
function causeOf(hours: number): Cause | undefined {
  const size = Math.abs(hours)
  const when = hours > 0 ? 'later' : 'earlier'
  const isNear = (days: number): boolean => Math.abs(size / 24 - days) < 0.1
  if (isNear(1462))
    return {
      becomes: `all become 1462 days ${when}`,
      asks: 'Does the workbook count its days from 1904 instead of 1900, or the other way round?',
    }
  if (isNear(36_525))
    return { becomes: `all become 100 years ${when}`, asks: 'Did a program write the year with two digits?' }
  if (size === 0 || !(size <= mostHours)) return undefined
  const much = isADay(hours) ? 'a day' : `${Math.round(size)} hours`
  return { becomes: `all become ${much} ${when}`, asks: 'Did a program write them in another time zone?' }
}

const datesMoved: Rule<ColumnFacts, DaysMoved> = {
  id: 'dates-moved',
  about: 'column',
  usual: 'stop',
  why: 'Most dates of a field would move by the same hours or days, or have day and month in each other’s place, as programs do it. People move dates by different days. A program that writes them in another time zone moves all by some hours or by a day, a workbook that counts its days from 1904 by 1462 days, and years with two digits by a century. A spreadsheet program of another country reads 3/4 as 4/3, and leaves 13/4 as it is. Where most dates of a field would change so, nothing is sent. Write the zone or the date format that the file has now, or export it as before. Plans that move by a day, as when it rains, do not count.',
  find(facts) {
    const { field, changes, changed, had, turnable } = facts
    const days = changes.filter(({ before, now }) => dayOf(before) !== undefined && dayOf(now) !== undefined)
    const turned = days.filter(({ before, now }) => turnedDay(before) === dayOf(now))
    const countTurned = ofAll(turned.length, facts)
    // A person corrects a few, a program turns each that it can.
    if (turned.length >= fewest && countTurned * 2 > Math.max(changed, turnable))
      return { field, count: countTurned, had, first: turned[0]!, ...exchanged }
    const usual = median(days.map(hoursOf))
    const cause = causeOf(usual)
    const moved = days.filter(
      (day) => Math.abs(hoursOf(day) - usual) < clockHours && !(isADay(usual) && day.isPlanned === true),
    )
    const count = ofAll(moved.length, facts)
    const isMost = count * 2 > had && new Set(moved.map(({ before }) => before)).size >= fewest
    return cause === undefined || !isMost ? undefined : { field, count, had, first: moved[0]!, ...cause }
  },
  says: ({ field, count, had, first, becomes, asks }) => ({
    path: field,
    message: `${count} of the ${had} dates of ${titleText(field)} would ${becomes} (${changeText(first, field)}). ${asks}`,
  }),
}

// Other records, other land

type IdsMoved = Record<'field' | 'what', string> & Record<'moved' | 'all', readonly ValueChange[]>

/** The changes to what another record had. */
function takenIn(changes: readonly ValueChange[], spell: (value: unknown) => string): readonly ValueChange[] {
  const former = new Set(changes.map(({ before }) => spell(before)))
  return changes.filter(({ now }) => former.has(spell(now)))
}

function nameText(name: unknown): string {
  return plainName(String(name))
}

function placeText(boundary: unknown): string {
  return (boundary as Measured).centroid.map((degrees) => degrees.toFixed(5)).join(', ')
}

/** The rule about all fields together. */
export const idsMoved: Rule<readonly ColumnFacts[], IdsMoved> = {
  id: 'ids-moved',
  about: 'night',
  usual: 'stop',
  why: 'Records would get the names or boundaries that other records have. Where the names or boundaries that records get are those that other records of the file had until now, the ids or a column moved to other rows: a row was deleted and the ids count rows, one column was sorted alone, or a table was sorted without its shapes. Nothing is sent. Nobody corrects both by hand, so one record that gets both the name and the boundary of another one is enough. Correct the ids, or export the file again.',
  find(columns) {
    const changesOf = (wanted: string): readonly ValueChange[] =>
      columns.find(({ field }) => field === wanted)?.changes ?? []
    const names = changesOf('/name').filter(({ before, now }) => nameText(before) !== nameText(now))
    const places = changesOf('/spatialFeature')
    const [takenNames, takenPlaces] = [takenIn(names, nameText), takenIn(places, placeText)]
    const rows = new Set(takenPlaces.map(({ row }) => row))
    const both = takenNames.filter(({ row }) => rows.has(row))
    const ways: readonly (IdsMoved & { readonly least: number })[] = [
      { field: '/name', what: 'names', moved: takenNames, all: names, least: fewest },
      { field: '/name', what: 'names, with their boundaries,', moved: both, all: names, least: 1 },
      { field: '/spatialFeature', what: 'boundaries', moved: takenPlaces, all: places, least: fewest },
    ]
    const isShift = both.length * 2 >= Math.max(names.length, places.length)
    return ways.find(
      ({ moved, all, least }) => moved.length >= least && (moved === both ? isShift : moved.length * 2 > all.length),
    )
  },
  says: ({ field, what, moved, all }) => ({
    path: field,
    message: `${moved.length} of the ${all.length} ${what} that changed are those of other records until now (${changeText(moved[0]!, field)}). Did the ids or a column move to other rows?`,
  }),
}

const otherLand: Rule<ColumnFacts, FarmCount> = {
  id: 'other-land',
  about: 'night',
  usual: 'stop',
  why: 'Most known records of a farm would move to other land. Paddocks are called 1, 2 and 3 on every farm. Where most known records of a farm, be it one, would get a boundary that does not even meet the box of the one they have, the file is that of another farm, or its ids moved to other rows, and nothing is sent. Name the right farm, or correct the ids.',
  find({ elsewhere }) {
    const enough = elsewhere.length > 1 ? fewest : 1
    return elsewhere
      .filter(({ known, changed }) => changed >= enough && changed * 2 > known)
      .sort((one, other) => other.changed - one.changed)[0]
  },
  says({ start, known, changed, first }) {
    const ids = first.map(({ id }) => `"${id}"`)
    const more = changed > ids.length ? ` and ${changed - ids.length} more` : ''
    return {
      path: '/spatialFeature',
      message: `${changed} of the ${known} known records${farmText(start)} in the file would move to other land: ${ids.join(', ')}${more}. ${start === '' ? 'Is this the file' : 'Are these the rows'} of another farm, or have the ids moved to other rows?`,
      hint: 'Look at the farm, and at the key column of the file.',
    }
  },
}

/** The rules that know why a field changed. */
export const causeRules: readonly Rule<ColumnFacts>[] = [otherLand, amountsResized, datesMoved]
/** The rules about a field that changed for any reason. */
export const changeRules: readonly Rule<ColumnFacts>[] = [valuesChanged, cropsResown]
/** The rules about a field that is blank. */
export const blankRules: readonly Rule<ColumnFacts>[] = [columnCleared, columnBlank]
