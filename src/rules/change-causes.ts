/** Judges changes whose cause can be named: another unit, moved or exchanged dates, another datum, ids of other records, another farm. */

import type { Rule } from '../core/rule.ts'
import type { Place } from '../core/row.ts'
import { median } from '../core/values/median.ts'
import { listed } from '../core/values/plural.ts'
import { plainName } from '../core/values/same-name.ts'
import { convert, measureOf } from '../resources/units.ts'
import {
  amountIn,
  asRounded,
  dayOf,
  farmText,
  fewest,
  inWords,
  measureText,
  metresBetween,
  titleText,
  turnedDay,
  type BoundaryFacts,
  type ColumnFacts,
  type FarmCount,
  type NightFacts,
  type ValueChange,
} from './changes.ts'

/** The area of a known record. */
export type AreaFacts = { readonly at: Place; readonly before: unknown; readonly now: unknown }

// Amounts

/** By how much an amount does not change in the field, by how much of itself the quotient may miss that, and how few are enough. */
const factors = [
  {
    times: 'a thousand',
    factor: 1000,
    most: 1e-9,
    few: 2,
    isOfAll: false,
    asks: 'Does the file have another decimal separator, or another unit, than the pipeline?',
    setting: `decimal: point, or decimal: comma, under "from", or unit, as the file has it now`,
  },
  // An are is a hundredth of a hectare, and 5,23 is 523 where the comma was lost. A metre is 3.281 feet.
  ...[10_000, 4047, 2.471, 3.281, 100, 10].map((factor) => ({
    times: String(factor),
    factor,
    // Programs write two decimals.
    most: 0.01,
    few: fewest,
    // People also mistype a decimal separator, and correct it.
    isOfAll: factor <= 100 && Number.isInteger(factor),
    asks: 'Does the file have another unit than the pipeline, or did the numbers lose their decimal separator?',
    setting: 'unit: as the file has it now',
  })),
]

type Resized = {
  readonly field: string
  readonly factor: (typeof factors)[number]
  readonly count: number
  readonly changed: number
  readonly first: AmountChange
}
type AmountChange = { readonly before: number; readonly now: number; readonly units: unknown; readonly row: number }

function amountsOf(changes: readonly ValueChange[]): readonly AmountChange[] {
  return changes.flatMap(({ before, now, row }) => {
    const [was, is] = [measureOf(before), measureOf(now, 0)]
    const amount = was && is && amountIn(was, is)
    return amount === undefined ? [] : [{ before: was!.measurement, now: amount, units: was!.units, row }]
  })
}

/** How many of all that changed those are of the first of them. */
function ofAll(some: number, { changes, changed }: Pick<ColumnFacts, 'changes' | 'changed'>): number {
  return Math.round((some * changed) / changes.length)
}

const amountsResized: Rule<ColumnFacts, Resized> = {
  id: 'amounts-resized',
  about: 'column',
  usual: 'stop',
  why: 'Most amounts of a field that changed are ten times or another factor of units as large or small. No paddock becomes a thousand times as large. Where most amounts that changed did so by 10, 100, 1000, or by the factor between hectares and square metres or acres, or metres and feet, the file has another unit or decimal separator than the pipeline takes it for, and nothing is sent. Write the unit or the decimal separator that the file has now, or export it as before.',
  find({ field, changes, changed, known }) {
    const amounts = amountsOf(changes)
    // A program may write kilometres with two decimals.
    const within = field === '/totalArea' ? 0 : asRounded
    for (const factor of factors) {
      const most = Math.max(factor.most, within)
      const by = amounts.filter(({ before, now }) =>
        [now / before / factor.factor, (now / before) * factor.factor].some((each) => Math.abs(each - 1) < most),
      )
      const count = ofAll(by.length, { changes, changed })
      const [first] = by
      if (first !== undefined && by.length >= factor.few && count * 2 > (factor.isOfAll ? known : changed))
        return { field, factor, count, changed, first }
    }
    return undefined
  },
  says({ field, factor, count, changed, first: { before, now, units, row } }) {
    const [was, is] = [before, now].map((measurement) => measureText({ measurement, units }))
    return {
      path: field,
      message: `${count} of the ${changed} values of ${titleText(field)} that changed would become ${factor.times} times as ${now > before ? 'large' : 'small'} (row ${row}: ${was} would become ${is}). ${factor.asks}`,
      setting: factor.setting,
    }
  },
}

/** No paddock grows or shrinks so much in one night. */
const mostGrowth = 10

const areaLeap: Rule<AreaFacts, AmountChange & { readonly at: Place }> = {
  id: 'area-leap',
  about: 'record',
  usual: 'warn',
  why: 'A known record would become ten times as large or small. A paddock that is ten times as large or small as until now may be right, where it was split or joined. More often a decimal separator was lost or mistyped. It was published: correct the cell and run the pipeline again, or take the run back with windrow undo.',
  find({ at, before, now }) {
    const [leap] = amountsOf([{ before, now, row: at.row, id: '' }])
    if (leap === undefined || (leap.now < leap.before * mostGrowth && leap.now * mostGrowth > leap.before))
      return undefined
    return { ...leap, at }
  },
  says({ at, before, now, units }) {
    const [was, is] = [before, now].map((measurement) => measureText({ measurement, units }))
    return {
      at,
      path: '/totalArea',
      message: `The area of this record was ${was} until now and becomes ${is}. Was a decimal separator lost or mistyped?`,
    }
  },
}

// Days

type DaysMoved = {
  readonly field: string
  readonly count: number
  readonly had: number
  readonly row: number
  readonly isLater: boolean
  readonly text: string
  readonly asks: string
}
type DayMove = { readonly hours: number; readonly within: number; readonly text: string; readonly asks: string }

/** Time zones are no further apart, and clocks change by an hour. */
const [mostHours, clockHours] = [26, 1.1]

/** By how many days machines move dates, and what to ask. People move them otherwise. */
const shifts: readonly DayMove[] = [
  {
    days: 1462,
    text: '1462 days',
    asks: 'Does the workbook count its days from 1904 instead of 1900, or the other way round?',
  },
  { days: 36_525, text: '100 years', asks: 'Did a program write the year with two digits?' },
].flatMap(({ days, ...words }) => [days, -days].map((each) => ({ hours: 24 * each, within: 2.4, ...words })))

function isMoment({ before, now }: ValueChange): boolean {
  return dayOf(before) !== undefined && dayOf(now) !== undefined
}

function hoursOf({ before, now }: ValueChange): number {
  return (Date.parse(String(now)) - Date.parse(String(before))) / 3_600_000
}

function zoneMove(days: readonly ValueChange[]): DayMove {
  const usual = median(days.map(hoursOf))
  return {
    hours: Math.abs(usual) > mostHours ? 0 : usual,
    within: clockHours,
    text: Math.abs(Math.abs(usual) - 24) < clockHours ? 'a day' : `${Math.round(Math.abs(usual))} hours`,
    asks: 'Did a program write them in another time zone?',
  }
}

const datesMoved: Rule<ColumnFacts, DaysMoved> = {
  id: 'dates-moved',
  about: 'column',
  usual: 'stop',
  why: 'Most dates of a field would move by the same hours or days, as programs move them. People move dates by different days. A program that writes them in another time zone moves all by some hours or by a day, a workbook that counts its days from 1904 by 1462 days, and years with two digits by a century. Where most dates of a field would move so, nothing is sent. Write the zone or the date format that the file has now, or export it as before. Plans that move by a day, as when it rains, do not count.',
  find({ field, changes, changed, had }) {
    const days = changes.filter(isMoment)
    for (const move of [zoneMove(days), ...shifts]) {
      const { hours, within, text, asks } = move
      // Rain moves a plan by a day.
      const moved = days.filter(
        (day) => Math.abs(hoursOf(day) - hours) < within && !(text === 'a day' && day.isPlanned === true),
      )
      const count = ofAll(moved.length, { changes, changed })
      const [first] = moved
      if (hours === 0 || first === undefined || count * 2 <= had) continue
      if (new Set(moved.map(({ before }) => before)).size < fewest) continue
      return { field, count, had, row: first.row, isLater: hours > 0, text, asks }
    }
    return undefined
  },
  says: ({ field, count, had, row, isLater, text, asks }) => ({
    path: field,
    message: `${count} of the ${had} dates of ${titleText(field)} would all become ${text} ${isLater ? 'later' : 'earlier'} (row ${row}). ${asks}`,
  }),
}

type Turned = { readonly field: string; readonly count: number; readonly changed: number; readonly row: number }

const daysExchanged: Rule<ColumnFacts, Turned> = {
  id: 'days-exchanged',
  about: 'column',
  usual: 'stop',
  why: 'Most dates of a field that changed would have day and month in each other’s place. A spreadsheet program of another country reads 3/4 as 4/3, and leaves 13/4 as it is. Where most dates that changed, and most of those that can be read both ways, have day and month in each other’s place, nothing is sent. Open the file with the date format of its country, or write the format that it has now.',
  find({ field, changes, changed, turnable }) {
    const turned = changes.filter(({ before, now }) => {
      const day = turnedDay(before)
      return day !== undefined && day === dayOf(now)
    })
    const [first] = turned
    const count = ofAll(turned.length, { changes, changed })
    // A person corrects a few, a program turns each that it can.
    if (first === undefined || turned.length < fewest || count * 2 <= Math.max(changed, turnable)) return undefined
    return { field, count, changed, row: first.row }
  },
  says: ({ field, count, changed, row }) => ({
    path: field,
    message: `${count} of the ${changed} dates of ${titleText(field)} that changed would have day and month in each other's place (row ${row}). Did a program of another country read the dates?`,
  }),
}

// Land

type LandMoved = { readonly count: number; readonly changed: number; readonly distance: number; readonly row: number }

/** By how much datums differ. A metre or two is a better survey, and kilometres another farm. */
const datumMoveM = { least: 10, most: 1000 }
/** Across a farm, the distance between two datums is the same within this. */
const sameMoveM = 2

const landMoved: Rule<ColumnFacts, LandMoved> = {
  id: 'land-moved',
  about: 'column',
  usual: 'stop',
  why: 'Most boundaries would move by the same distance in the same direction. Nobody draws all paddocks again ten metres to the east. Where most boundaries would move by the same distance in the same direction, the file is in another coordinate system (datum) than before, and nothing is sent. Name the coordinate system of the file with crs: under "from".',
  find({ field, changes, changed, had }) {
    if (field !== '/spatialFeature') return undefined
    const moves = changes.map(({ before, now }) =>
      metresBetween((before as BoundaryFacts).middle, (now as BoundaryFacts).middle),
    )
    const [east, north] = [median(moves.map(([each]) => each)), median(moves.map(([, each]) => each))]
    const moved = moves.filter((move) => Math.hypot(move[0] - east, move[1] - north) < sameMoveM)
    const count = ofAll(moved.length, { changes, changed })
    const distance = Math.round(Math.hypot(east, north))
    if (moved.length < fewest || count * 2 <= had) return undefined
    if (distance < datumMoveM.least || distance > datumMoveM.most) return undefined
    return { count, changed, distance, row: changes[0]!.row }
  },
  says: ({ count, changed, distance, row }) => ({
    path: '/spatialFeature',
    message: `${count} of the ${changed} boundaries that changed would all move by ${distance} m in the same direction (row ${row}). Is the file in another coordinate system (datum) than before?`,
    setting: 'crs: with the coordinate system of the file, under "from"',
  }),
}

const otherLand: Rule<NightFacts, FarmCount> = {
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
  says: ({ start, known, changed, first }) => ({
    path: '/spatialFeature',
    message: `${changed} of the ${known} known records${farmText(start)} in the file would move to other land: ${idsText(first, changed)}. ${start === '' ? 'Is this the file' : 'Are these the rows'} of another farm, or have the ids moved to other rows?`,
    hint: 'Look at the farm, and at the key column of the file.',
  }),
}

const mostNamed = 3

function idsText(first: readonly ValueChange[], all: number): string {
  const ids = first.slice(0, mostNamed).map(({ id }) => `"${id}"`)
  return `${listed(ids, mostNamed)}${all > ids.length ? ` and ${all - ids.length} more` : ''}`
}

// Records that exchange their values

type IdsMoved = {
  readonly field: string
  readonly what: string
  readonly count: number
  readonly changed: number
  readonly first: ValueChange
}

function idsMovedTo(
  moved: readonly ValueChange[],
  all: readonly ValueChange[],
  { field, what }: Pick<IdsMoved, 'field' | 'what'>,
): IdsMoved | undefined {
  const [first] = moved
  return first === undefined ? undefined : { field, what, count: moved.length, changed: all.length, first }
}

/** The changes to what another record had. */
function takenIn(changes: readonly ValueChange[], spell: (value: unknown) => string): readonly ValueChange[] {
  const former = new Set(changes.map(({ before }) => spell(before)))
  return changes.filter(({ now }) => former.has(spell(now)))
}

function mostOf(some: readonly ValueChange[], all: readonly ValueChange[]): readonly ValueChange[] {
  return some.length >= fewest && some.length * 2 > all.length ? some : []
}

/** Names and boundaries that are those of other records. Nobody corrects both by hand, so even one pair shows that the ids moved. */
function recordsTaken(columns: readonly ColumnFacts[]): IdsMoved | undefined {
  const changesOf = (wanted: string): readonly ValueChange[] =>
    columns.find(({ field }) => field === wanted)?.changes ?? []
  const names = changesOf('/name').filter(({ before, now }) => nameText(before) !== nameText(now))
  const places = changesOf('/spatialFeature')
  const [takenNames, takenPlaces] = [takenIn(names, nameText), takenIn(places, placeText)]
  const rows = new Set(takenPlaces.map(({ row }) => row))
  const both = takenNames.filter(({ row }) => rows.has(row))
  const isShift = both.length * 2 >= Math.max(names.length, places.length)
  return (
    idsMovedTo(mostOf(takenNames, names), names, { field: '/name', what: 'names' }) ??
    idsMovedTo(isShift ? both : [], names, { field: '/name', what: 'names, with their boundaries,' }) ??
    idsMovedTo(mostOf(takenPlaces, places), places, { field: '/spatialFeature', what: 'boundaries' })
  )
}

function nameText(name: unknown): string {
  return plainName(String(name))
}

function placeText(boundary: unknown): string {
  return (boundary as BoundaryFacts).middle.map((degrees) => degrees.toFixed(5)).join(', ')
}

/** Areas or dates of which all but a few are those that other records had, each as often. */
function valuesExchanged({ field, changes }: ColumnFacts): IdsMoved | undefined {
  const isArea = field === '/totalArea'
  if (!isArea && (!changes.every(isMoment) || areMovedAlike(changes))) return undefined
  const spell = isArea ? amountText : dayOf
  const left = new Map<unknown, number>()
  for (const { before } of changes) left.set(spell(before), (left.get(spell(before)) ?? 0) + 1)
  // A farm with few different values may have the same ones by chance.
  if (left.size * 3 <= changes.length) return undefined
  const moved = changes.filter(({ now }) => {
    const count = left.get(spell(now)) ?? 0
    left.set(spell(now), count - 1)
    return count > 0
  })
  if (moved.length < fewest || moved.length < changes.length * 0.9 - 1) return undefined
  return idsMovedTo(moved, changes, { field, what: `values of ${titleText(field)}` })
}

/** People move a plan of weekly sowing by a week; the clocks may change in between. */
function areMovedAlike(days: readonly ValueChange[]): boolean {
  const hours = days.map(hoursOf)
  return Math.max(...hours) - Math.min(...hours) <= 1
}

function amountText(value: unknown): string {
  const { measurement = 0, units } = measureOf(value, 0) ?? {}
  const inM2 = typeof units === 'string' ? convert(measurement, units, 'MTK') : NaN
  return String(Number((Number.isNaN(inM2) ? measurement : inM2).toPrecision(6)))
}

const idsMoved: Rule<NightFacts, IdsMoved> = {
  id: 'ids-moved',
  about: 'night',
  usual: 'stop',
  why: 'Records would get the names, boundaries, areas or dates that other records have. Where the values that records get are those that other records of the file had until now, the ids or a column moved to other rows: a row was deleted and the ids count rows, one column was sorted alone, or a table was sorted without its shapes. Nothing is sent. One record that gets both the name and the boundary of another one is enough. Correct the ids, or export the file again.',
  find({ columns }) {
    const taken = recordsTaken(columns)
    for (const column of taken === undefined ? columns : []) {
      const exchanged = valuesExchanged(column)
      if (exchanged !== undefined) return exchanged
    }
    return taken
  },
  says: ({ field, what, count, changed, first }) => ({
    path: field,
    message: `${count} of the ${changed} ${what} that changed are those of other records until now (row ${first.row}: ${inWords(first.before, field)} would become ${inWords(first.now, field)}). Did the ids or a column move to other rows?`,
  }),
}

/** The rules about all fields together that know a cause. */
export const nightRules: readonly Rule<NightFacts>[] = [idsMoved, otherLand]
/** The rules that know why a field changed. */
export const causeRules: readonly Rule<ColumnFacts>[] = [amountsResized, datesMoved, daysExchanged, landMoved]
/** The rules about the area of one record. */
export const areaRules: readonly Rule<AreaFacts>[] = [areaLeap]
