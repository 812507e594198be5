/** Defines a coordinate system by its projection, its numbers and its datum. */

import type { Datum } from './datums.ts'

export type Method =
  | 'longlat'
  | 'tmerc'
  | 'webmerc'
  | 'merc'
  | 'lcc'
  | 'laea'
  | 'aea'
  | 'cea'
  | 'sterea'
  | 'krovak'
  | 'somerc'
  | 'nzmg'
  | 'poly'

/** The projection with its numbers (degrees, metres), the unit of the file, and the datum. */
export type Definition = Readonly<Record<'lat0' | 'lon0' | 'k' | 'x0' | 'y0' | 'lat1' | 'lat2' | 'unitM', number>> & {
  readonly method: Method
  readonly datum: Datum
}

/** Makes a definition; numbers that the projection does not need are zero. */
export function define(
  method: Method,
  datum: Datum,
  more: Partial<Omit<Definition, 'method' | 'datum'>> = {},
): Definition {
  return { lat0: 0, lon0: 0, k: 1, x0: 0, y0: 0, lat1: 0, lat2: 0, unitM: 1, ...more, method, datum }
}
