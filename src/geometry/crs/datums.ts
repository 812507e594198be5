/** Finds datums by the names files give them: ellipsoid, the way to WGS 84, and how good it is. */

import { once } from '../../core/sources/once.ts'
import table from './coordinate-systems.json' with { type: 'json' }
import { plainName } from './wkt.ts'

/** `toWgs84` is a position vector: three shifts in metres, three rotations in seconds, a scale in parts per million. */
export type Datum = {
  readonly name: string
  readonly semiMajorM: number
  readonly inverseFlattening: number
  readonly toWgs84?: readonly number[]
  /** The way to WGS 84 as EPSG knows it, by code and name; nothing where the datum is taken as WGS 84 for want of one. */
  readonly transformation?: string
  /** How far a position may be off once it is in WGS 84. */
  readonly accuracyM: number
  readonly aliases: readonly string[]
}

type Ellipsoid = readonly [semiMajorM: number, inverseFlattening: number]

/**
 * The datums whose way to WGS 84 is known, by their key in the table. Those that move with their plate (GDA94, ETRS89, NAD83) are
 * taken as WGS 84, as mapping programs do. The accuracy is what EPSG states, or more where a national survey says so; a grid
 * would be better where it is above 1 m.
 */
export const datums = once(
  (): ReadonlyMap<string, Datum> =>
    new Map((table.datums as readonly Line[]).map(({ key, ...line }) => [key, datumOf(line)])),
)

/** One datum as the table has it. */
type Line = {
  readonly key: string
  readonly name: string
  readonly ellipsoid: readonly number[]
  readonly accuracyM: number
  readonly transformation?: string
  readonly toWgs84?: readonly number[]
  readonly names: readonly string[]
}

function datumOf({ ellipsoid, names, ...line }: Omit<Line, 'key'>): Datum {
  const [semiMajorM, inverseFlattening] = ellipsoid as Ellipsoid
  return { ...line, semiMajorM, inverseFlattening, aliases: [line.name, ...names].map(plainName) }
}

/** Finds the datums by the name a file gives them: several where the way to WGS 84 depends on the region. */
export function datumsNamed(name: string): readonly Datum[] {
  const plain = plainName(name)
  const bare = plainName(name.replace(/^D_/i, ''))
  return [...datums().values()].filter((each) => each.aliases.includes(plain) || each.aliases.includes(bare))
}

// Israel's steps between its old datum and the new one, 78 m from WGS 84.
const elsewhere = ['IG05 Intermediate Datum', 'IG05/12 Intermediate Datum', 'IG05(2012) Intermediate Datum'].map(
  plainName,
)

/** True for a datum that is known to lie elsewhere than WGS 84 though it is on such an ellipsoid, and not by which way. */
export function isElsewhere(name: string): boolean {
  return elsewhere.includes(plainName(name)) || elsewhere.includes(plainName(name.replace(/^D_/i, '')))
}

/** True for an ellipsoid that is WGS 84's or GRS 80's: they differ by 0.1 mm. */
export function isModernEllipsoid(semiMajorM: number, inverseFlattening: number): boolean {
  return Math.abs(semiMajorM - 6378137) < 0.01 && Math.abs(inverseFlattening - 298.25722) < 0.0001
}

/** A datum that no list knows, on a modern ellipsoid: taken as WGS 84, as all such datums are within a few metres of it. */
export function modernDatum(name: string, [semiMajorM, inverseFlattening]: Ellipsoid): Datum {
  return { name, semiMajorM, inverseFlattening, accuracyM: 3, aliases: [plainName(name)] }
}

/** A datum that no list knows, by the shift to WGS 84 that its description gives; nothing where that says nothing. */
export function shiftedDatum(
  name: string,
  [semiMajorM, inverseFlattening]: Ellipsoid,
  shift: readonly number[],
): Datum | undefined {
  const isShift = (shift.length === 3 || shift.length === 7) && shift.every(Number.isFinite)
  // Noughts are what programs write that do not know the shift: an old ellipsoid never lies in the middle of WGS 84.
  if (!isShift || shift.every((each) => each === 0)) return undefined
  const accuracyM = shift.length === 7 ? 5 : 10
  const transformation = 'the shift that the file gives'
  return { name, semiMajorM, inverseFlattening, accuracyM, toWgs84: shift, transformation, aliases: [plainName(name)] }
}
