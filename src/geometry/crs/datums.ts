/** Finds datums by the names that files use: ellipsoid, transformation to WGS 84, and its accuracy. */

import { once } from '../../core/once.ts'
import table from './coordinate-systems.json' with { type: 'json' }
import { plainCrsName, type DescribedCrs } from './wkt.ts'

/** `toWgs84` is a position vector: three shifts in metres, three rotations in seconds, a scale in parts per million. */
export type Datum = {
  readonly name: string
  readonly semiMajorM: number
  readonly inverseFlattening: number
  readonly toWgs84?: readonly number[]
  /** EPSG's transformation to WGS 84, code and name; undefined where there is none and the datum is taken as WGS 84. */
  readonly transformation?: string
  /** How far off a position in WGS 84 may be. */
  readonly accuracyM: number
  readonly aliases: readonly string[]
  /** What ESRI's programs call its geographic system, itself and its ellipsoid; only datums of the table have it. */
  readonly esri?: readonly string[]
}

/**
 * The datums with a known transformation to WGS 84, by their key in the table. Those that move with their plate (GDA94, ETRS89,
 * NAD83) are taken as WGS 84, as mapping programs do. The accuracy is EPSG's, or worse where a national survey says so.
 */
export const datums = once(
  (): ReadonlyMap<string, Datum> =>
    new Map((table.datums as readonly Line[]).map(({ key, ...line }) => [key, datumOf(line)])),
)

type Line = Omit<Datum, 'semiMajorM' | 'inverseFlattening' | 'aliases'> & {
  readonly key: string
  readonly ellipsoid: readonly number[]
  readonly names: readonly string[]
}

function datumOf({ ellipsoid, names, ...line }: Omit<Line, 'key'>): Datum {
  const [semiMajorM, inverseFlattening] = ellipsoid as readonly [number, number]
  return { ...line, semiMajorM, inverseFlattening, aliases: [line.name, ...names].map(plainCrsName) }
}

/** Finds the datums with a name from a file: several where the transformation to WGS 84 depends on the region. */
export function datumsNamed(name: string): readonly Datum[] {
  const plain = plainCrsName(name)
  const bare = plainCrsName(name.replace(/^D_/i, ''))
  return [...datums().values()].filter((each) => each.aliases.includes(plain) || each.aliases.includes(bare))
}

// Israel's steps between its old datum and the new one, 78 m from WGS 84.
const elsewhere = ['IG05 Intermediate Datum', 'IG05/12 Intermediate Datum', 'IG05(2012) Intermediate Datum'].map(
  plainCrsName,
)

/** True for a datum that is known to differ from WGS 84, though its ellipsoid does not, by an unknown shift. */
export function isElsewhere(name: string): boolean {
  return elsewhere.includes(plainCrsName(name)) || elsewhere.includes(plainCrsName(name.replace(/^D_/i, '')))
}

/** True for an ellipsoid that is WGS 84's or GRS 80's: they differ by 0.1 mm. */
export function isModernEllipsoid(semiMajorM: number, inverseFlattening: number): boolean {
  return Math.abs(semiMajorM - 6378137) < 0.01 && Math.abs(inverseFlattening - 298.25722) < 0.0001
}

/** An unlisted datum on a modern ellipsoid: taken as WGS 84, because all such datums are within a few metres of it. */
export function modernDatum({ datum: name, semiMajorM, inverseFlattening }: DescribedCrs): Datum {
  return { name, semiMajorM, inverseFlattening, accuracyM: 3, aliases: [plainCrsName(name)] }
}

/** An unlisted datum with the shift to WGS 84 in its description; undefined where that has none. */
export function shiftedDatum(described: DescribedCrs): Datum | undefined {
  const { datum: name, semiMajorM, inverseFlattening, toWgs84: shift = [] } = described
  const isShift = (shift.length === 3 || shift.length === 7) && shift.every(Number.isFinite)
  // Programs write zeros for an unknown shift: an old ellipsoid is never centred on that of WGS 84.
  if (!isShift || shift.every((each) => each === 0)) return undefined
  const accuracyM = shift.length === 7 ? 5 : 10
  const transformation = 'the shift in the file'
  return {
    name,
    semiMajorM,
    inverseFlattening,
    accuracyM,
    toWgs84: shift,
    transformation,
    aliases: [plainCrsName(name)],
  }
}
