/**
 * Compares the values of a file with those that its records have. Where most change in the same odd way, the file is not what the
 * pipeline takes it for, although each row looks right: another decimal separator ("1,250" became "1.250"), another unit, ids that
 * moved to other rows, days or boundaries that all moved by the same, a column that came back empty, or one that has the same value
 * in every row.
 */

import type { Problem } from '../../core/problem.ts'
import { median } from '../../core/values/median.ts'
import { withoutMarks } from '../../core/values/plain-words.ts'
import type { Place } from '../../core/row.ts'
import { idInKey } from '../../resources/keys.ts'
import type { Contradiction } from './encoding-evidence.ts'

/** Counts of rows and of records that are there already; the first of each kind with its place. */
export type ChangedValues = {
  rows: number
  /** Areas that changed, the first of them, and those that changed by each factor. */
  readonly areas: {
    changed: number
    readonly first: Change<number>[]
    readonly by: Record<string, { count: number; readonly first: Change<number> }>
  }
  /** The first names that changed. */
  readonly names: Change<string>[]
  /** By field, how many texts changed, how many of them to what belongs into another field, and the first of these. */
  readonly copied: Record<string, { changed: number; copied: number; first?: Change<string> }>
  /** The first boundaries that changed, each by the longitude and latitude of its middle. */
  readonly places: Change<readonly number[]>[]
  /** The first days of crops that both have, in milliseconds. */
  readonly days: Change<number>[]
  /** By field: blank cells, and those that would clear a value. */
  readonly cleared: Record<string, { blank: number; lost: number }>
}

type Change<Value> = { readonly before: Value; readonly now: Value; readonly at: Place }
type Fields = Readonly<Record<string, unknown>>

export function startChangedValues(): ChangedValues {
  return { rows: 0, areas: { changed: 0, first: [], by: {} }, names: [], copied: {}, places: [], days: [], cleared: {} }
}

/** Adds the counts of a later part of the rows. */
export function addChangedValues(values: ChangedValues, part: ChangedValues): void {
  const { areas, names, places, days, cleared } = values
  values.rows += part.rows
  areas.changed += part.areas.changed
  areas.first.push(...part.areas.first.slice(0, mostKept - areas.first.length))
  for (const [name, { count, first }] of Object.entries(part.areas.by))
    (areas.by[name] ??= { count: 0, first }).count += count
  for (const [field, { changed, copied, first }] of Object.entries(part.copied)) {
    const count = (values.copied[field] ??= { changed: 0, copied: 0 })
    count.changed += changed
    count.copied += copied
    if (first !== undefined) count.first ??= first
  }
  names.push(...part.names.slice(0, mostKept - names.length))
  places.push(...part.places.slice(0, mostKept - places.length))
  days.push(...part.days.slice(0, mostKept - days.length))
  for (const [field, { blank, lost }] of Object.entries(part.cleared)) {
    const count = (cleared[field] ??= { blank: 0, lost: 0 })
    count.blank += blank
    count.lost += lost
  }
}

/** A row and its record. `blank` are the fields with a blank cell, where that clears the value. */
type ChangedRow = Change<Fields> & {
  readonly blank: readonly string[]
  /** The middle of the row's boundary. */
  readonly middle: readonly number[] | undefined
  /** True for a record that the file knows under another id, and so perhaps under another name. */
  readonly isMatched: boolean
}

/** Compares the fields of a row with those that its record has. */
export function noteChangedValues(values: ChangedValues, { before, now, at, ...row }: ChangedRow): void {
  values.rows += 1
  noteArea(values.areas, { before: before['totalArea'], now: now['totalArea'], at })
  if (!row.isMatched) {
    noteName(values.names, { before: before['name'], now: now['name'], at })
    noteCopied(values.copied, { before, now, at })
  }
  notePlace(values.places, { before: before['centroid'], now: row.middle, at })
  noteDays(values.days, { before: before['crops'], now: now['crops'], at })
  for (const field of row.blank) {
    const count = (values.cleared[field] ??= { blank: 0, lost: 0 })
    count.blank += 1
    if (hasValue(before, field)) count.lost += 1
  }
}

function noteArea(areas: ChangedValues['areas'], { before, now, at }: Change<unknown>): void {
  const [old, young] = [measureOf(before), measureOf(now, 0)]
  if (old === undefined || young === undefined || old.units !== young.units) return
  if (old.measurement === young.measurement) return
  areas.changed += 1
  const change = { before: old.measurement, now: young.measurement, at }
  if (areas.first.length < mostKept) areas.first.push(change)
  const share = young.measurement / old.measurement
  const found = factors.find(({ factor, most }) =>
    [share / factor, share * factor].some((each) => Math.abs(each - 1) < most),
  )
  if (found === undefined) return
  ;(areas.by[found.times] ??= { count: 0, first: change }).count += 1
}

/** By how much an area does not change in the field, by how much of itself the quotient may miss that, and how few are enough. */
const factors = [
  {
    times: 'a thousand',
    factor: 1000,
    most: 1e-9,
    few: 2,
    isOfAll: false,
    asks: 'Does the file have another decimal separator than the pipeline?',
    write: `decimal: point, or decimal: comma, as the file has it now, under "from"`,
  },
  // An are is a hundredth of a hectare, and 5,23 is 523 where the comma was lost.
  ...[10_000, 4047, 2.471, 100, 10].map((factor) => ({
    times: String(factor),
    factor,
    // Programs write two decimals.
    most: 0.01,
    few: 3,
    // People also mistype a decimal separator, and correct it.
    isOfAll: factor <= 100 && Number.isInteger(factor),
    asks: 'Does the file have another unit of area than the pipeline, or did the numbers lose their decimal separator?',
    write: 'unit: as the file has it now, under "totalArea"',
  })),
]

/** A measure greater than zero, or not smaller than `least`, as records have it. */
export function measureOf(
  area: unknown,
  least = Number.MIN_VALUE,
): { readonly measurement: number; readonly units: unknown } | undefined {
  if (typeof area !== 'object' || area === null || !('measurement' in area)) return undefined
  const { measurement, units } = area as { readonly measurement: unknown; readonly units?: unknown }
  return typeof measurement === 'number' && measurement >= least ? { measurement, units } : undefined
}

function noteName(names: ChangedValues['names'], { before, now, at }: Change<unknown>): void {
  if (names.length === mostKept || typeof before !== 'string' || typeof now !== 'string') return
  if (before !== now && plainName(before) !== plainName(now)) names.push({ before, now, at })
}

/** Counts names that became the id or the crop of their record, crops that became its name or a number, and both if they became n/a. */
function noteCopied(copied: ChangedValues['copied'], { before, now, at }: Change<Fields>): void {
  const crops = cropNames(before['crops'])
  const id = idInKey(String(before['dataPointKey']))
  const note = (field: string, was: unknown, is: unknown, others: readonly unknown[]): void => {
    if (typeof was !== 'string' || typeof is !== 'string' || was === is) return
    const count = (copied[field] ??= { changed: 0, copied: 0 })
    count.changed += 1
    // "Paddock 12" may be called 12.
    if (plainName(was).includes(plainName(is))) return
    const isCopy = others.some((other) => typeof other === 'string' && plainName(other) === plainName(is))
    const becameNumber = field === 'crops' && isNumber.test(is) && !isNumber.test(was)
    if (!isCopy && !becameNumber && !meansNothing.test(is)) return
    count.copied += 1
    count.first ??= { before: was, now: is, at }
  }
  note('names', before['name'], now['name'], [id, ...cropNames(now['crops'] ?? before['crops'])])
  for (const [index, crop] of cropNames(now['crops']).entries())
    note('crops', crops[index], crop, [id, now['name'] ?? before['name']])
}

const isNumber = /^[\d.,]+$/
/** What people and programs write where there is no name and no crop: dashes, a question mark, n/a. */
const meansNothing = /^(?:[^\p{L}\p{N}]+|n\/?a|none|nil|unknown|undefined|false|true)$/iu

function cropNames(crops: unknown): readonly unknown[] {
  return Array.isArray(crops) ? (crops as readonly Fields[]).map(({ name }) => name) : []
}

function notePlace(
  places: ChangedValues['places'],
  { before, now, at }: { readonly before: unknown; readonly now: readonly number[] | undefined; readonly at: Place },
): void {
  const old = (before as { readonly coordinates?: readonly number[] } | null | undefined)?.coordinates
  if (places.length === mostKept || old === undefined || now === undefined) return
  // A metre, as programs round.
  if (old.every((degrees, axis) => Math.abs(degrees - now[axis]!) < 1e-5)) return
  places.push({ before: old, now, at })
}

/** Compares the days of crops that are at the same place of the list. */
function noteDays(days: ChangedValues['days'], { before, now, at }: Change<unknown>): void {
  if (!Array.isArray(before) || !Array.isArray(now)) return
  const had = new Set((before as readonly Fields[]).flatMap((crop) => Object.values(crop)))
  for (const [index, crop] of (now as readonly Fields[]).entries())
    for (const field of ['establishmentDate', 'maturityDate', 'harvestDate']) {
      const [old, young] = [(before as readonly Fields[])[index]?.[field], crop[field]]
      if (typeof old !== 'string' || typeof young !== 'string' || days.length === mostKept) continue
      // The crops of a record may come in another order.
      if (old !== young && had.has(young)) continue
      // The same day in another zone was corrected.
      const now = old.slice(0, 10) === young.slice(0, 10) ? old : young
      days.push({ before: Date.parse(old), now: Date.parse(now), at })
    }
}

/** A name without capitals, white space, macrons and other marks on letters. */
export function plainName(name: string): string {
  return withoutMarks(name).replaceAll(/\s+/g, '').toLowerCase()
}

function hasValue(record: Fields, field: string): boolean {
  let value: unknown = record
  for (const step of field.split('/').slice(1)) value = (value as Fields | null | undefined)?.[step]
  return value !== undefined && value !== null && value !== ''
}

/** What most changes have in common. A few changes may be corrected mistakes. `merged` is about merged cells of a sheet. */
export function contradictionsOfChangedValues(
  values: ChangedValues,
  merged: Problem | undefined,
): readonly Contradiction[] {
  const { rows, areas, cleared } = values
  const found: Contradiction[] = [...daysMoved(values), ...landMoved(values), ...columnsMixedUp(values)]
  for (const { times, few, isOfAll, asks, write } of factors) {
    const { count, first } = areas.by[times] ?? { count: 0 }
    if (first === undefined || count < few || count * 2 <= (isOfAll ? rows : areas.changed)) continue
    const { before, now, at } = first
    found.push({
      sentence: `${count} of the ${areas.changed} areas that changed would become ${times} times as ${now > before ? 'large' : 'small'} (row ${at.row}: ${before} would become ${now}). ${asks}`,
      write,
    })
  }
  const emptied = Object.entries(cleared).filter(
    ([, { blank, lost }]) => lost >= fewest && blank >= mostBlank * rows && lost > (blank === rows ? 0.1 : 0.5) * rows,
  )
  const lost = Object.values(cleared).reduce((sum, each) => sum + each.lost, 0)
  if (merged !== undefined && lost > 0)
    found.push({
      sentence: `${merged.message} ${lost} ${lost === 1 ? 'value' : 'values'} of records would be cleared.`,
    })
  if (emptied.length > 0) {
    const fields = emptied
      .map(([field]) => (field === '/spatialFeature' ? 'the boundary' : field.slice(1).replaceAll('/', '.')))
      .join(', ')
    const most = Math.max(...emptied.map(([, { lost }]) => lost))
    const least = Math.min(...emptied.map(([, { blank }]) => blank))
    const many = least === rows ? `All ${rows}` : `${least} of the ${rows}`
    found.push({
      sentence: `${many} rows of known records are blank in ${fields}, and ${most} records would lose what they have there. Did a column come back empty?`,
    })
  }
  return [...found, ...recordsMixedUp(values)]
}

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

/** Most days, and at least three different ones, moved by the same number of days, or by the hours between two time zones. */
function* daysMoved({ days }: ChangedValues): Generator<Contradiction> {
  const hoursOf = ({ before, now }: Change<number>): number => (now - before) / 3_600_000
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
  for (const { hours, within, text, asks } of [zones, ...byDays]) {
    const moved = days.filter((day) => hoursOf(day) !== 0 && Math.abs(hoursOf(day) - hours) < within)
    const [first] = moved
    if (hours === 0 || first === undefined || moved.length * 2 <= days.length) continue
    if (new Set(moved.map(({ before }) => before)).size < fewest) continue
    yield {
      sentence: `${moved.length} of the ${days.length} dates of crops would all become ${text} ${hours > 0 ? 'later' : 'earlier'} (row ${first.at.row}). ${asks}`,
    }
  }
}

/** By how much datums differ. A metre or two is a better survey, and kilometres another farm. */
const datumMoveM = { least: 10, most: 1000 }
/** Across a farm, the distance between two datums is the same within this. */
const sameMoveM = 2

/** Most known boundaries moved by the same distance in the same direction, as with another datum. */
function* landMoved({ rows, places }: ChangedValues): Generator<Contradiction> {
  const moves = places.map(({ before, now }) => metresBetween(before, now))
  const [east, north] = [median(moves.map(([each]) => each)), median(moves.map(([, each]) => each))]
  const moved = moves.filter((move) => Math.hypot(move[0] - east, move[1] - north) < sameMoveM)
  const distance = Math.round(Math.hypot(east, north))
  if (moved.length < fewest || moved.length * 2 <= Math.min(rows, mostKept)) return
  if (distance < datumMoveM.least || distance > datumMoveM.most) return
  yield {
    sentence: `${moved.length} of the ${places.length} boundaries that changed would all move by ${distance} m in the same direction (row ${places[0]!.at.row}). Is the file in another coordinate system (datum) than before?`,
  }
}

/** How far east and north the second place is of the first. */
function metresBetween(from: readonly number[], to: readonly number[]): readonly [number, number] {
  const metresPerDegree = 111_320
  const [east, north] = [to[0]! - from[0]!, to[1]! - from[1]!]
  return [east * metresPerDegree * Math.cos((from[1]! * Math.PI) / 180), north * metresPerDegree]
}

/** Most texts that changed are what the record has in another field, or no value. */
function* columnsMixedUp({ copied }: ChangedValues): Generator<Contradiction> {
  for (const [field, { changed, copied: count, first }] of Object.entries(copied)) {
    if (first === undefined || count < fewest || count * 2 <= changed) continue
    yield {
      sentence: `${count} of the ${changed} ${field} that changed would become what belongs into another field, or no value (row ${first.at.row}: "${first.before}" would become "${first.now}"). Did the columns move, or lose their values?`,
    }
  }
}

/** Records that would get each other's names, boundaries, areas or dates, or all the same name or area. */
function recordsMixedUp({ areas, names, places, days }: ChangedValues): readonly Contradiction[] {
  const movedNames = movedTo(names, plainName)
  const movedPlaces = movedTo(places, (place) => place.map((degrees) => degrees.toFixed(5)).join(', '))
  const changed = days.filter(({ before, now }) => before !== now)
  const moves = changed.map(({ before, now }) => now - before)
  // People move a plan of weekly sowing by a week; the clocks may change in between.
  const sown = Math.max(...moves) - Math.min(...moves) > 3_600_000 ? changed : []
  return [
    ...movedNames.slice(0, 1).map(({ before, now, at }) => ({
      sentence: `${movedNames.length} of the ${names.length} names that changed are those of other records until now (row ${at.row}: "${before}" would become "${now}"). Did the ids or a column move to other rows?`,
    })),
    ...movedPlaces.slice(0, 1).map(({ at }) => ({
      sentence: `${movedPlaces.length} of the ${places.length} boundaries that changed are those of other records until now (row ${at.row}). Was the table sorted without its shapes?`,
    })),
    ...exchanged('areas', areas.first),
    ...exchanged('dates of crops', sown),
    ...sameForAll('names', names),
    ...sameForAll('areas', areas.first),
  ]
}

/** The changes to what another record had, if they are most. */
function movedTo<Value>(changes: readonly Change<Value>[], spell: (value: Value) => string): readonly Change<Value>[] {
  const former = new Set(changes.map(({ before }) => spell(before)))
  const moved = changes.filter(({ now }) => former.has(spell(now)))
  return moved.length >= fewest && moved.length * 2 > changes.length ? moved : []
}

/**
 * All but a few values are those that other records had until now, each as often: a column was sorted alone, or moved by a row. A farm
 * with few different values may have the same ones by chance.
 */
function exchanged(what: string, changes: readonly Change<number>[]): readonly Contradiction[] {
  const former = new Map<number, number>()
  for (const { before } of changes) former.set(before, (former.get(before) ?? 0) + 1)
  if (former.size * 3 <= changes.length) return []
  const moved = changes.filter(({ now }) => {
    const left = former.get(now) ?? 0
    former.set(now, left - 1)
    return left > 0
  })
  const [first] = moved
  if (first === undefined || moved.length < fewest || moved.length < changes.length * 0.9 - 1) return []
  const sentence = `${moved.length} of the ${changes.length} ${what} that changed are those of other records until now (row ${first.at.row}). Did the ids or a column move to other rows?`
  return [{ sentence }]
}

/** Most records get one value, where they had different ones. */
function sameForAll<Value extends string | number>(
  what: string,
  changes: readonly Change<Value>[],
): readonly Contradiction[] {
  const to = Map.groupBy(changes, ({ now }) => now)
  const most = [...to.values()].find(({ length }) => length >= fewest && length * 2 > changes.length) ?? []
  const [first] = most
  if (first === undefined || new Set(most.map(({ before }) => before)).size < fewest) return []
  const sentence = `${most.length} of the ${changes.length} ${what} that changed would all become "${first.now}" (row ${first.at.row}: "${first.before}" until now). Does the column still have the ${what} of the records?`
  return [{ sentence }]
}

/** A column with so many blanks came back empty if most records would lose what they have there; people clear some, or all. */
const mostBlank = 0.8
/** Fewer records than these may have been corrected by hand. */
const fewest = 3
/** So many show what happened to a farm, and memory stays flat. */
const mostKept = 1000
