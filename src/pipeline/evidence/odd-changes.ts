/**
 * Finds odd changes: where most values of a file change in the same odd way, the file is not what the pipeline takes it for, although
 * each row looks right: another decimal separator ("1,250" became "1.250"), another unit, ids that moved to other rows, days or
 * boundaries that all moved by the same, a column that came back empty, or one that has the same value in every row.
 */

import { problem, type Problem } from '../../core/problem.ts'
import type { Place } from '../../core/row.ts'
import { median } from '../../core/values/median.ts'
import { plural } from '../../core/values/plural.ts'
import { plainName } from '../../core/values/same-name.ts'
import { titleOfField } from '../../resources/titles.ts'
import { unitOfCode } from '../../resources/units.ts'
import {
  factors,
  mostKept,
  type Change,
  type ChangedValues,
  type DayChange,
  type MeasureChange,
} from './changed-values.ts'

/** Evidence that the pipeline does not fit the file: a sentence, and what to write into the pipeline if the file is right and that helps. */
export type Contradiction = { readonly sentence: string; readonly write?: string }

/** What most changes have in common. A few changes may be corrected mistakes. `merged` is about merged cells of a sheet. */
export function oddChangesIn(values: ChangedValues, merged: Problem | undefined): readonly Contradiction[] {
  const { rows, areas, amounts } = values
  const saying = (...sentences: readonly string[]) => sentences.map((sentence) => ({ sentence }))
  return [
    ...saying(...daysMoved(values), ...landMoved(values), ...landRounded(values), ...columnsMixedUp(values)),
    ...resizedBy('areas', areas, rows),
    ...Object.entries(amounts).flatMap(([field, each]) => [
      ...resizedBy(`amounts of "${titleOfField(`/${field}`)}"`, each, rows),
    ]),
    ...saying(...valuesCleared(values, merged), ...recordsMixedUp(values)),
  ]
}

/** Values that cells cleared which are merged, or a column that came back empty. */
function* valuesCleared({ rows, cleared }: ChangedValues, merged: Problem | undefined): Generator<string> {
  const lost = Object.values(cleared).reduce((sum, each) => sum + each.lost, 0)
  if (merged !== undefined && lost > 0) yield `${merged.message} ${plural(lost, 'value')} of records would be cleared.`
  const emptied = Object.entries(cleared).filter(
    ([, { blank, lost }]) => lost >= fewest && blank >= mostBlank * rows && lost > (blank === rows ? 0.1 : 0.5) * rows,
  )
  if (emptied.length === 0) return
  const fields = emptied
    .map(([field]) => (field === '/spatialFeature' ? 'the boundary' : `"${titleOfField(field)}"`))
    .join(', ')
  const most = Math.max(...emptied.map(([, { lost }]) => lost))
  const least = Math.min(...emptied.map(([, { blank }]) => blank))
  const many = least === rows ? `All ${rows}` : `${least} of the ${rows}`
  yield `${many} rows of known records have nothing for ${fields}, and ${most} records would lose what they have there. Did a column come back empty?`
}

/** Measures most of which changed by one factor, as in another unit. */
function* resizedBy(what: string, { changed, by }: ChangedValues['areas'], rows: number): Generator<Contradiction> {
  for (const { times, few, isOfAll, asks, write } of factors) {
    const { count, first } = by[times] ?? { count: 0 }
    if (first === undefined || count < few || count * 2 <= (isOfAll ? rows : changed)) continue
    const { before, now } = shown(first)
    yield {
      sentence: `${count} of the ${changed} ${what} that changed would become ${times} times as ${first.now > first.before ? 'large' : 'small'} (row ${first.at.row}: ${before} would become ${now}). ${asks}`,
      write,
    }
  }
}

/** A measure before and now, each with its unit. Large areas in square metres are shown in hectares, as people know them. */
function shown({ before, now, units }: MeasureChange): Record<'before' | 'now', string> {
  const text = (amount: number): string => {
    if (units === 'MTK' && amount >= 1000) return `${Number((amount / 10_000).toFixed(4))} ha`
    return typeof units === 'string' ? `${amount} ${unitOfCode(units)?.sign ?? units}` : String(amount)
  }
  return { before: text(before), now: text(now) }
}

/** Changes that are a mistake more often than not, and sometimes right: each is a warning, because a night that stops costs money too. */
export function doubtfulChangesIn(
  values: ChangedValues,
  { file, sameRows }: { readonly file: Place; readonly sameRows: number },
): readonly Problem[] {
  const leaps = [...values.areas.first, ...values.areas.converted].filter(
    ({ before, now }) => now >= before * mostGrowth || now * mostGrowth <= before,
  )
  return [
    ...Array.from(doubtsOfFile(values, sameRows), (message) => problem('change-doubtful', file, { message })),
    ...leaps.map((leap) => {
      const { before, now } = shown(leap)
      const message = `The area of this record was ${before} until now and becomes ${now}. Was a decimal separator lost or mistyped?`
      return problem('change-doubtful', leap.at, { message })
    }),
  ]
}

function* doubtsOfFile(values: ChangedValues, sameRows: number): Generator<string> {
  const { crops, classes } = values
  const rows = values.rows + sameRows
  const year = { within: 12 + clockHours, text: 'a year', asks: 'Were they sown again, or did only the year change?' }
  for (const days of daysByField(values))
    for (const by of [365.5, -365.5]) yield* movedBy(days, { hours: 24 * by, ...year })
  for (const days of daysByField(values)) yield* sameDay(days, rows)
  yield* namesAlike(values)
  yield* areasResized(values, sameRows)
  yield* exchanged('crops', crops, 0)
  yield* exchanged('classes of land', classes, 0)
  if (crops.length * 2 > rows) yield* sameForAll('crops', crops)
  if (classes.length * 2 > rows) yield* sameForAll('classes of land', classes)
}

/** Most areas are others, as where boundaries lost parts, or are those of other years. A new survey changes them by less. */
function* areasResized({ rows, areas }: ChangedValues, sameRows: number): Generator<string> {
  const resized = areas.first.filter(isResized)
  const [first] = resized
  if (first === undefined || resized.length < fewest || resized.length * 2 <= Math.min(rows + sameRows, mostKept))
    return
  const { before, now } = shown(first)
  yield `${resized.length} of the ${areas.changed} areas that changed differ by more than a fifth (row ${first.at.row}: ${before} until now, ${now} in the file). Are the boundaries or areas those of the same paddocks?`
}

function isResized({ before, now }: Change<number>): boolean {
  return Math.abs(now - before) > 0.2 * before
}

/** No paddock grows or shrinks so much in one night. */
const mostGrowth = 10

/** By how many days machines move dates, and what to ask. People move them otherwise. */
const shifts = [
  {
    by: 1462,
    text: '1462 days',
    asks: 'Does the workbook count its days from 1904 instead of 1900, or the other way round?',
  },
  { by: 36_525, text: '100 years', asks: 'Did a program write the year with two digits?' },
]
/** Time zones are no further apart, and clocks change by an hour. */
const [mostHours, clockHours] = [26, 1.1]

/** The days of sowing, of maturity and of harvest: a column of one is wrong by itself. */
function daysByField({ days }: ChangedValues): readonly (readonly DayChange[])[] {
  return [...Map.groupBy(days, ({ field }) => field).values()]
}

/** Dates moved by days, or by the hours between two time zones, or with day and month in each other's place. */
function* daysMoved(values: ChangedValues): Generator<string> {
  const ofAll = [...movedAlike(values.days)]
  yield* ofAll
  for (const days of daysByField(values)) {
    // Rain moves a plan of harvests by a day.
    if (ofAll.length === 0) yield* movedAlike(days.filter(({ isPlanned }) => !isPlanned))
    yield* turned(days)
  }
}

/** A spreadsheet program of another country reads 3/4 as 4/3, and leaves 13/4 as it is. */
function* turned(days: readonly DayChange[]): Generator<string> {
  const changed = days.filter(({ before, now }) => before !== now)
  const [first, ...others] = changed.filter(({ isTurned }) => isTurned)
  const count = others.length + 1
  // A person corrects a few, a program turns each that it can.
  const most = Math.max(changed.length, days.filter(({ mayTurn }) => mayTurn).length)
  if (first === undefined || count < fewest || count * 2 <= most) return
  yield `${count} of the ${changed.length} dates of crops that changed would have day and month in each other's place (row ${first.at.row}). Did a program of another country read the dates?`
}

/** All dates are the same day now, as those of a column that was filled down, or that has the day of the file. */
function* sameDay(days: readonly DayChange[], rows: number): Generator<string> {
  const changed = days.filter(({ before, now, isOfOtherCrop }) => before !== now && !isOfOtherCrop)
  const [first] = changed
  if (first === undefined || changed.length * 2 <= Math.min(rows, mostKept)) return
  if (changed.some(({ now }) => now !== first.now)) return
  if (new Set(changed.map(({ before }) => before)).size < mostOnOneDay) return
  yield `All ${changed.length} dates of crops that changed become the same day (row ${first.at.row}). Is it the day of the crop, or that of the file?`
}

/** Fewer paddocks than these are sown or harvested on one day. */
const mostOnOneDay = 5

function* movedAlike(days: readonly DayChange[]): Generator<string> {
  const usual = median(days.map(hoursOf))
  const zones = {
    hours: Math.abs(usual) > mostHours ? 0 : usual,
    within: clockHours,
    text: Math.abs(Math.abs(usual) - 24) < clockHours ? 'a day' : `${Math.round(Math.abs(usual))} hours`,
    asks: 'Did a program write them in another time zone?',
  }
  const byDays = shifts.flatMap(({ by, ...rest }) =>
    [by, -by].map((days) => ({ hours: 24 * days, within: 2.4, ...rest })),
  )
  for (const move of [zones, ...byDays]) yield* movedBy(days, move)
}

function hoursOf({ before, now }: Change<number>): number {
  return (now - before) / 3_600_000
}

type Move = { readonly hours: number; readonly within: number; readonly text: string; readonly asks: string }

/** Most days, and at least three different ones, moved by so many hours. */
function* movedBy(days: readonly DayChange[], { hours, within, text, asks }: Move): Generator<string> {
  const moved = days.filter((day) => hoursOf(day) !== 0 && Math.abs(hoursOf(day) - hours) < within)
  const [first] = moved
  if (hours === 0 || first === undefined || moved.length * 2 <= days.length) return
  if (new Set(moved.map(({ before }) => before)).size < fewest) return
  yield `${moved.length} of the ${days.length} dates of crops would all become ${text} ${hours > 0 ? 'later' : 'earlier'} (row ${first.at.row}). ${asks}`
}

/** By how much datums differ. A metre or two is a better survey, and kilometres another farm. */
const datumMoveM = { least: 10, most: 1000 }
/** Across a farm, the distance between two datums is the same within this. */
const sameMoveM = 2

/** Most known boundaries moved by the same distance in the same direction, as with another datum. */
function* landMoved({ rows, places }: ChangedValues): Generator<string> {
  const moves = places.map(({ before, now }) => metresBetween(before, now))
  const [east, north] = [median(moves.map(([each]) => each)), median(moves.map(([, each]) => each))]
  const moved = moves.filter((move) => Math.hypot(move[0] - east, move[1] - north) < sameMoveM)
  const distance = Math.round(Math.hypot(east, north))
  if (moved.length < fewest || moved.length * 2 <= Math.min(rows, mostKept)) return
  if (distance < datumMoveM.least || distance > datumMoveM.most) return
  yield `${moved.length} of the ${places.length} boundaries that changed would all move by ${distance} m in the same direction (row ${places[0]!.at.row}). Is the file in another coordinate system (datum) than before?`
}

/** Most boundaries have fewer decimals than before: rounded to three, a corner is up to 70 m beside the fence. */
function* landRounded({ rows, places }: ChangedValues): Generator<string> {
  const [first, ...others] = places.filter(({ isCoarse }) => isCoarse)
  const count = others.length + 1
  if (first === undefined || count < fewest || count * 2 <= Math.min(rows, mostKept)) return
  yield `${count} of the ${places.length} boundaries that changed have four decimals of a degree or fewer, and had more until now (row ${first.at.row}). Were the coordinates rounded?`
}

/** How far east and north the second place is of the first. */
function metresBetween(from: readonly number[], to: readonly number[]): readonly [number, number] {
  const metresPerDegree = 111_320
  const [east, north] = [to[0]! - from[0]!, to[1]! - from[1]!]
  return [east * metresPerDegree * Math.cos((from[1]! * Math.PI) / 180), north * metresPerDegree]
}

/** Most texts that changed are what the record has in another field, or no value. */
function* columnsMixedUp({ copied }: ChangedValues): Generator<string> {
  for (const [field, { changed, copied: count, first }] of Object.entries(copied)) {
    if (first === undefined || count < fewest || count * 2 <= changed) continue
    yield `${count} of the ${changed} ${field} that changed would become what belongs into another field, or no value (row ${first.at.row}: "${first.before}" would become "${first.now}"). Did the columns move, or lose their values?`
  }
}

/** Records that would get each other's names, boundaries, areas or dates, or all the same name or area. */
function* recordsMixedUp({ areas, names, places, days }: ChangedValues): Generator<string> {
  const [ofNames, ofPlaces] = [takenIn(names, plainName), takenIn(places, placeText)]
  const areNamesMoved = isMost(ofNames, names)
  // Nobody corrects both by hand, so even one shows that the ids moved.
  const rows = new Set(ofPlaces.map(({ at }) => at.row))
  const both = ofNames.filter(({ at }) => rows.has(at.row))
  const isShift = !areNamesMoved && both.length * 2 >= Math.max(names.length, places.length)
  for (const { before, now, at } of isShift ? both.slice(0, 1) : [])
    yield `${both.length} of the ${names.length} records whose names changed would get the name and the boundary of another record (row ${at.row}: "${before}" would become "${now}"). Did the ids move to other rows?`
  for (const { before, now, at } of areNamesMoved ? ofNames.slice(0, 1) : [])
    yield `${ofNames.length} of the ${names.length} names that changed are those of other records until now (row ${at.row}: "${before}" would become "${now}"). Did the ids or a column move to other rows?`
  for (const { at } of isMost(ofPlaces, places) ? ofPlaces.slice(0, 1) : [])
    yield `${ofPlaces.length} of the ${places.length} boundaries that changed are those of other records until now (row ${at.row}). Was the table sorted without its shapes?`
  yield* exchanged('areas', [...areas.first, ...areas.converted])
  const changed = days.filter(({ before, now }) => before !== now)
  const moves = changed.map(({ before, now }) => now - before)
  // People move a plan of weekly sowing by a week; the clocks may change in between.
  const sown = Math.max(...moves) - Math.min(...moves) > 3_600_000 ? changed : []
  // Small paddocks have the same area in whole hectares.
  const resized = areas.converted.filter(isResized)
  yield* exchanged('dates of crops', sown)
  yield* sameForAll('names', names)
  yield* sameForAll('areas', [...areas.first, ...resized])
}

/** Most records get names that are few words or differ only in their numbers, where they had names of their own. */
function* namesAlike({ rows, names }: ChangedValues): Generator<string> {
  const wordsOf = (name: string): string => plainName(name).replaceAll(/[\d.,]+/g, '')
  const [had, get] = [names.map(({ before }) => wordsOf(before)), names.map(({ now }) => wordsOf(now))].map(
    (words) => new Set(words).size,
  ) as [number, number]
  if (names.length * 2 <= Math.min(rows, mostKept) || had < fewest || get * 3 > had) return
  const { before, now, at } = names[0]!
  yield `${names.length} records get names that many share, or that differ in numbers only (row ${at.row}: "${before}" until now, "${now}" in the file). Does the column still have the names, or was it filled down?`
}

function placeText(place: readonly number[]): string {
  return place.map((degrees) => degrees.toFixed(5)).join(', ')
}

/** The changes to what another record had. */
function takenIn<Value>(changes: readonly Change<Value>[], spell: (value: Value) => string): readonly Change<Value>[] {
  const former = new Set(changes.map(({ before }) => spell(before)))
  return changes.filter(({ now }) => former.has(spell(now)))
}

function isMost(some: readonly unknown[], all: readonly unknown[]): boolean {
  return some.length >= fewest && some.length * 2 > all.length
}

/**
 * All but a few values are those that other records had until now, each as often: a column was sorted alone, or moved by a row. A farm
 * with few different values may have the same ones by chance.
 */
function* exchanged<Value extends string | number>(
  what: string,
  changes: readonly Change<Value>[],
  leastDifferent = 1 / 3,
): Generator<string> {
  const former = new Map<Value, number>()
  for (const { before } of changes) former.set(before, (former.get(before) ?? 0) + 1)
  if (former.size <= changes.length * leastDifferent) return
  const moved = changes.filter(({ now }) => {
    const left = former.get(now) ?? 0
    former.set(now, left - 1)
    return left > 0
  })
  const [first] = moved
  if (first === undefined || moved.length < fewest || moved.length < changes.length * 0.9 - 1) return
  yield `${moved.length} of the ${changes.length} ${what} that changed are those of other records until now (row ${first.at.row}). Did the ids or a column move to other rows?`
}

/** Most records get one value, where they had different ones. */
function* sameForAll<Value extends string | number>(what: string, changes: readonly Change<Value>[]) {
  const to = Map.groupBy(changes, ({ now }) => now)
  const most = [...to.values()].find(({ length }) => length >= fewest && length * 2 > changes.length) ?? []
  const [first] = most
  if (first === undefined || new Set(most.map(({ before }) => before)).size < fewest) return
  yield `${most.length} of the ${changes.length} ${what} that changed would all become "${first.now}" (row ${first.at.row}: "${first.before}" until now). Does the column still have the ${what} of the records?`
}

/** A column with so many blanks came back empty if most records would lose what they have there; people clear some, or all. */
const mostBlank = 0.8
/** Fewer records than these may have been corrected by hand. */
const fewest = 3
