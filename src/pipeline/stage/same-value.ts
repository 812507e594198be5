/** Decides whether a value from a file is the record's earlier value, apart from rounding and the way it is written. */

import { isObject } from '../../core/values/exact-json.ts'
import { shapeFromGeoJson } from '../../core/shapes/shape-geojson.ts'
import { rearmed } from '../../core/values/formula-text.ts'
import { plainText } from '../../core/values/same-name.ts'
import { convert, unitOfCode } from '../../resources/units.ts'
import type { Group } from '../definition/yaml-source.ts'

/** A moment of an hour that the clock showed twice, and the other moment of the same reading. */
export type OtherMoments = ReadonlyMap<string, string> | undefined

/**
 * True for two texts, moments, numbers, measures, lists or groups that mean the same. Identifiers may be in another order, and a
 * moment may be the other one of its reading.
 */
export function sameValue(now: unknown, before: unknown, others?: OtherMoments): boolean {
  if (now === before) return true
  if (typeof now === 'string' && typeof before === 'string')
    return sameText(now, before) || sameText(others?.get(now) ?? now, before)
  if (Array.isArray(now) && Array.isArray(before))
    return now.length === before.length && now.every((each) => before.some((other) => sameValue(each, other, others)))
  if (!isObject(now) || !isObject(before)) return false
  if ('measurement' in now) return sameMeasure(now, before)
  const names = Object.keys(now)
  return (
    names.length === Object.keys(before).length && names.every((name) => sameValue(now[name], before[name], others))
  )
}

const moment = /^\d{4}-\d\d-\d\dT/
// A workbook keeps moments to the millisecond, of which the last may be rounded.
const sameMomentMs = 1

function sameText(now: string, before: string): boolean {
  if (moment.test(now) && moment.test(before)) return Math.abs(Date.parse(now) - Date.parse(before)) <= sameMomentMs
  const [one, other] = [plainText(now), plainText(before)]
  return one === other || rearmed(one) === other || isCut(one, other)
}

/** True for what is left of a long text in a shapefile: up to 254 bytes, in whole letters of up to four. */
function isCut(one: string, other: string): boolean {
  const bytes = other.startsWith(one) ? Buffer.byteLength(one) : 0
  return bytes > 250 && bytes <= 254
}

/** True for two measures that are equal, or of which the new one is the earlier one rounded to fewer digits. */
export function sameMeasure(now: Group, before: Group): boolean {
  const { measurement: amount, units } = now
  const { measurement: earlier, units: earlierUnits } = before
  if (typeof amount !== 'number' || typeof earlier !== 'number') return false
  if (typeof units !== 'string' || typeof earlierUnits !== 'string') return false
  const exact = convert(earlier, earlierUnits, units)
  // An export converts to twelve digits.
  if (Math.abs(amount - exact) <= Math.abs(exact) * 1e-11) return true
  const decimals = Math.max(decimalsOf(amount), usualDecimals(units))
  return decimals <= 12 && Math.abs(amount - exact) <= (0.5 + 1e-6) * 10 ** -decimals
}

function decimalsOf(amount: number): number {
  const [digits = '', exponent = '0'] = String(amount).split('e')
  return (digits.split('.')[1] ?? '').length - Number(exponent)
}

/** The fewest decimals that areas (to 100 m²) and lengths (to a metre) are rounded to: coarser ones are another value. */
function usualDecimals(units: string): number {
  const { kind, factor } = unitOfCode(units) ?? { kind: 'area', factor: 1 }
  return Math.max(0, Math.ceil(Math.log10(factor / (kind === 'area' ? 100 : 1)) - 1e-9))
}

// Seven decimals of a degree, of which the last may be rounded: about a centimetre.
const sameDegrees = 1.01e-7

/** True for two geometries with the same vertices in the same order, apart from rounding. One polygon is a list of one. */
export function sameGeometry(now: unknown, before: unknown): boolean {
  const [one, other] = [shapeFromGeoJson(now), shapeFromGeoJson(before)]
  if (typeof one === 'string' || typeof other === 'string' || one.members !== undefined) return false
  if (one.kind.replace('Multi', '') !== other.kind.replace('Multi', '')) return false
  return (
    one.coordinates.length === other.coordinates.length &&
    sameNumbers(endsOf(one), endsOf(other)) &&
    sameNumbers(one.parts, other.parts) &&
    one.coordinates.every((each, index) => Math.abs(each - other.coordinates[index]!) <= sameDegrees)
  )
}

/** A LineString has one line, whether or not its end is listed. */
function endsOf({ ends, coordinates, kind }: { ends: readonly number[]; coordinates: Float64Array; kind: string }) {
  return kind.endsWith('Point') ? [] : ends.length === 0 ? [coordinates.length / 2] : ends
}

function sameNumbers(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index])
}
