/** Notes how the values of a file differ from those that its records have. */

import { meansNothing } from '../../core/values/no-value.ts'
import { plainName } from '../../core/values/same-name.ts'
import type { Place } from '../../core/row.ts'
import { entriesIn, groupIn, type Group } from '../../resources/groups.ts'
import { idInKey } from '../../resources/keys.ts'
import { convert } from '../../resources/units.ts'

export type ChangedValues = ReturnType<typeof startChangedValues>
export type Change<Value> = { readonly before: Value; readonly now: Value; readonly at: Place }
/** A measure in the units that the record has. */
export type MeasureChange = Change<number> & { readonly units: unknown }
/** `isCoarse`: no coordinate has more than four decimals, and one had until now. */
type Move = Change<readonly number[]> & { readonly isCoarse: boolean }
/** A day of a crop in milliseconds, and its field. `isTurned`: day and month changed places, `mayTurn`: they can. */
export type DayChange = Change<number> & {
  readonly field: string
  readonly isTurned: boolean
  readonly mayTurn: boolean
  /** True for a day that was still to come. */
  readonly isPlanned: boolean
  readonly isOfOtherCrop: boolean
}

/** Starts to count rows and records that are there already; the first of each kind are kept with their place. */
export function startChangedValues() {
  return {
    rows: 0,
    areas: noMeasures(),
    /** Measures in other fields by their names, such as totalLength. */
    amounts: Object.create(null) as Record<string, ChangedMeasures>,
    /** The first names that changed. */
    names: [] as Change<string>[],
    /** By field, how many texts changed, how many of them to what belongs into another field, and the first of these. */
    copied: {} as Record<string, { changed: number; copied: number; first?: Change<string> }>,
    /** The first crops that changed, where no other day of sowing came with them, and the first classes of land. */
    crops: [] as Change<string>[],
    classes: [] as Change<string>[],
    /** The first boundaries that moved, each by the longitude and latitude of its middle. */
    places: [] as Move[],
    /** The first days of crops that both have. */
    days: [] as DayChange[],
    /** By field: blank cells, and those that would clear a value. */
    cleared: {} as Record<string, { blank: number; lost: number }>,
  }
}

/** Measures that changed, the first of them, the first in other units than the record has, and those that changed by each factor. */
type ChangedMeasures = {
  changed: number
  readonly first: MeasureChange[]
  readonly converted: MeasureChange[]
  readonly by: Record<string, { count: number; readonly first: MeasureChange }>
}

function noMeasures(): ChangedMeasures {
  return { changed: 0, first: [], converted: [], by: {} }
}

/** A row and its record. `blank` are the fields with a blank cell, where that clears the value. */
type ChangedRow = Change<Group> & {
  readonly blank: readonly string[]
  /** The middle of the row's boundary. */
  readonly middle: readonly number[] | undefined
  /** The row's boundary as GeoJSON. */
  readonly boundary: Uint8Array | undefined
  /** True for a record that the file knows under another id, and so perhaps under another name. */
  readonly isMatched: boolean
  readonly today: string
}

/** Compares the fields of a row with those that its record has. */
export function noteChangedValues(values: ChangedValues, { before, now, at, ...row }: ChangedRow): void {
  values.rows += 1
  noteMeasure(values.areas, { before: before['totalArea'], now: now['totalArea'], at })
  const { totalArea: _, ...others } = now
  noteAmounts(values.amounts, '', { before, now: others, at })
  if (!row.isMatched) {
    noteName(values.names, { before: before['name'], now: now['name'], at })
    noteCopied(values.copied, { before, now, at })
  }
  const crops = { before: entriesIn(before, 'crops'), now: entriesIn(now, 'crops'), at }
  noteCrops(values.crops, crops)
  noteName(values.classes, { before: classOf(before), now: classOf(now), at })
  notePlace(values.places, { before, at, ...row })
  noteDays(values.days, crops, row.today)
  for (const field of row.blank) {
    const count = (values.cleared[field] ??= { blank: 0, lost: 0 })
    count.blank += 1
    if (hasValue(before, field)) count.lost += 1
  }
}

function noteMeasure(measures: ChangedMeasures, { before, now, at }: Change<unknown>, within = 0): void {
  const [old, young] = [measureOf(before), measureOf(now, 0)]
  if (old === undefined || young === undefined) return
  noteConverted(measures.converted, old, young, at)
  const amount = inUnitsOf(old, young)
  if (amount === undefined || amount === old.measurement) return
  measures.changed += 1
  const change = { before: old.measurement, now: amount, at, units: old.units }
  // In other units it may be the measure of another source, which measures otherwise.
  if (measures.first.length < mostKept && young.units === old.units) measures.first.push(change)
  const share = amount / old.measurement
  const found = factors.find(({ factor, most }) =>
    [share / factor, share * factor].some((each) => Math.abs(each - 1) < Math.max(most, within)),
  )
  if (found === undefined) return
  ;(measures.by[found.times] ??= { count: 0, first: change }).count += 1
}

/** Compares the measures inside a value; `field` is the name of the field that has it. */
function noteAmounts(amounts: ChangedValues['amounts'], field: string, { before, now, at }: Change<unknown>): void {
  if (typeof before !== 'object' || before === null || typeof now !== 'object' || now === null) return
  // A program may write kilometres with two decimals.
  if ('measurement' in now) return noteMeasure((amounts[field] ??= noMeasures()), { before, now, at }, asRounded)
  for (const [name, inside] of Object.entries(now))
    noteAmounts(amounts, Array.isArray(now) ? field : name, { before: (before as Group)[name], now: inside, at })
}

/** Notes a measure in other units with six digits: so the hectares of an export are the square metres that they come from. */
function noteConverted(converted: MeasureChange[], old: Measure, { measurement, units }: Measure, at: Place): void {
  if (converted.length === mostKept || units === old.units) return
  if (typeof units !== 'string' || typeof old.units !== 'string') return
  const before = Number(old.measurement.toPrecision(6))
  const now = Number(convert(measurement, units, old.units).toPrecision(6))
  if (!Number.isNaN(now) && now !== before) converted.push({ before, now, at, units: old.units })
}

type Measure = { readonly measurement: number; readonly units: unknown }

/** The new amount in the units of the old one: the old amount itself where only the units are others. */
function inUnitsOf(old: Measure, { measurement, units }: Measure): number | undefined {
  if (units === old.units) return measurement
  if (typeof units !== 'string' || typeof old.units !== 'string') return undefined
  const amount = Number(convert(measurement, units, old.units).toPrecision(6))
  if (Number.isNaN(amount)) return undefined
  return Math.abs(amount / old.measurement - 1) < asRounded ? old.measurement : amount
}

/** By how much of itself a measure may differ in other units and be the same, rounded. */
const asRounded = 0.01

/** By how much an area or a length does not change in the field, by how much of itself the quotient may miss that, and how few are enough. */
export const factors = [
  {
    times: 'a thousand',
    factor: 1000,
    most: 1e-9,
    few: 2,
    isOfAll: false,
    asks: 'Does the file have another decimal separator, or another unit, than the pipeline?',
    write: `decimal: point, or decimal: comma, under "from", or unit, as the file has it now`,
  },
  // An are is a hundredth of a hectare, and 5,23 is 523 where the comma was lost. A metre is 3.281 feet.
  ...[10_000, 4047, 2.471, 3.281, 100, 10].map((factor) => ({
    times: String(factor),
    factor,
    // Programs write two decimals.
    most: 0.01,
    few: 3,
    // People also mistype a decimal separator, and correct it.
    isOfAll: factor <= 100 && Number.isInteger(factor),
    asks: 'Does the file have another unit than the pipeline, or did the numbers lose their decimal separator?',
    write: 'unit: as the file has it now',
  })),
]

/** A measure greater than zero, or not smaller than `least`, as records have it. */
export function measureOf(area: unknown, least = Number.MIN_VALUE): Measure | undefined {
  if (typeof area !== 'object' || area === null || !('measurement' in area)) return undefined
  const { measurement, units } = area as { readonly measurement: unknown; readonly units?: unknown }
  return typeof measurement === 'number' && measurement >= least ? { measurement, units } : undefined
}

function noteName(names: ChangedValues['names'], { before, now, at }: Change<unknown>): void {
  if (names.length === mostKept || typeof before !== 'string' || typeof now !== 'string') return
  if (before !== now && plainName(before) !== plainName(now)) names.push({ before, now, at })
}

/**
 * Counts names that became the id or a crop of their record, as it is or was, crops that became its name or a number, and both if
 * they became n/a; and days of crops that became another day of the crop.
 */
function noteCopied(copied: ChangedValues['copied'], { before, now, at }: Change<Group>): void {
  const crops = entriesIn(before, 'crops')
  const id = idInKey(String(before['dataPointKey']))
  const note = (field: string, was: unknown, is: unknown, others: readonly unknown[]): void => {
    if (typeof was !== 'string' || typeof is !== 'string' || was === is) return
    const count = (copied[field] ??= { changed: 0, copied: 0 })
    count.changed += 1
    // "Paddock 12" may be called 12.
    if (plainName(was).includes(plainName(is))) return
    const isCopy = others.some((other) => typeof other === 'string' && withoutZeros(other) === withoutZeros(is))
    const becameNumber = field === 'crops' && isNumber.test(is) && !isNumber.test(was)
    if (!isCopy && !becameNumber && !meansNothing.test(is) && !isTruth.test(is)) return
    count.copied += 1
    count.first ??= { before: was, now: is, at }
  }
  // Where two columns changed places, only the record before has what each should be.
  const ofBoth = [...crops, ...entriesIn(now, 'crops')].map(({ name }) => name)
  note('names', before['name'], now['name'], [id, ...ofBoth, classOf(before), classOf(now)])
  const ofRecord = [id, before['name'], now['name']]
  for (const [index, { name }] of entriesIn(now, 'crops').entries())
    note('crops', crops[index]?.['name'], name, ofRecord)
  note('classes of land', classOf(before), classOf(now), ofRecord)
  for (const [index, crop] of entriesIn(now, 'crops').entries()) {
    const was = crops[index] ?? {}
    for (const field of cropDays) {
      // A crop is sown when the last one is harvested, and is mature then, but not harvested when it was sown.
      const others = cropDays.filter(
        (other) => other !== field && (other === 'establishmentDate' || dayOf(crop[other]) === dayOf(was[field])),
      )
      const days = others.map((other) => dayOf(was[other]))
      note('dates of crops', dayOf(was[field]), dayOf(crop[field]), days)
    }
  }
}

const cropDays = ['establishmentDate', 'maturityDate', 'harvestDate']

function dayOf(moment: unknown): string | undefined {
  return typeof moment === 'string' ? moment.slice(0, 10) : undefined
}

/** The plain text of an id or a name, in which a spreadsheet program may have dropped the zeros in front. */
function withoutZeros(text: string): string {
  return plainName(text).replace(/^0+(?=\d)/, '')
}

function classOf(record: Group): unknown {
  return (record['landCoverClass'] as Group | null | undefined)?.['primary']
}

const isNumber = /^[\d.,]+$/
const isTruth = /^(?:true|false)$/i

/** Notes crops that are another one now, in a row that does not say that something was sown on another day. */
function noteCrops(crops: ChangedValues['crops'], { before, now, at }: Change<readonly Group[]>): void {
  for (const [index, is] of now.entries()) {
    const was = before[index]
    if (crops.length === mostKept || typeof was?.['name'] !== 'string' || typeof is['name'] !== 'string') continue
    const isSownAnew = (is['establishmentDate'] ?? was['establishmentDate']) !== was['establishmentDate']
    if (!isSownAnew && plainName(was['name']) !== plainName(is['name']))
      crops.push({ before: was['name'], now: is['name'], at })
  }
}

function notePlace(places: Move[], { before, middle, at, boundary }: Omit<ChangedRow, 'now'>): void {
  const old = groupIn(before, 'centroid')['coordinates'] as readonly number[] | undefined
  if (places.length === mostKept || !Array.isArray(old) || middle === undefined) return
  // A metre, as programs round.
  if (old.every((degrees, axis) => Math.abs(degrees - middle[axis]!) < 1e-5)) return
  const isCoarse =
    boundary !== undefined &&
    !isFine.test(Buffer.from(boundary).toString('latin1')) &&
    isFine.test(JSON.stringify(before['spatialFeature'] ?? ''))
  places.push({ before: old, now: middle, at, isCoarse })
}

/** A coordinate with five decimals or more: the fourth is 11 m. */
const isFine = /\d\.\d{5}/

/** Compares the days of crops that are at the same place of the list. */
function noteDays(days: DayChange[], { before, now, at }: Change<readonly Group[]>, today: string): void {
  const had = new Set(before.flatMap((crop) => Object.values(crop)))
  for (const [index, crop] of now.entries())
    for (const field of cropDays) {
      const [old, young] = [before[index]?.[field], crop[field]]
      if (typeof old !== 'string' || typeof young !== 'string' || days.length === mostKept) continue
      // The crops of a record may come in another order.
      if (old !== young && had.has(young)) continue
      // The same day in another zone was corrected.
      const now = old.slice(0, 10) === young.slice(0, 10) ? old : young
      const inTurn = dayOf(old)!.replace(/(\d\d)-(0\d|1[0-2])$/, '$2-$1')
      const mayTurn = inTurn !== dayOf(old)
      days.push({
        before: Date.parse(old),
        now: Date.parse(now),
        at,
        field,
        isTurned: mayTurn && inTurn === dayOf(now),
        mayTurn,
        isPlanned: Date.parse(old) > Date.parse(today),
        isOfOtherCrop: (crop['name'] ?? before[index]?.['name']) !== before[index]?.['name'],
      })
    }
}

function hasValue(record: Group, field: string): boolean {
  let value: unknown = record
  for (const step of field.split('/').slice(1)) value = (value as Group | null | undefined)?.[step]
  return value !== undefined && value !== null && value !== ''
}

/** So many show what happened to a farm, and memory stays flat. */
export const mostKept = 1000
