/** Hides how the table of coordinate systems is written: one short row for each, the numbers in a fixed order. */

import type { DatumName } from './datums.ts'

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

/** West, south, east, north in degrees; east may pass 180. */
export type Box = readonly [west: number, south: number, east: number, north: number]

/** A projection's numbers in degrees and metres. */
export type Numbers = readonly [
  lat0: number,
  lon0: number,
  k: number,
  x0: number,
  y0: number,
  lat1?: number,
  lat2?: number,
]

/** One system: its EPSG code, the name people know, the projection. */
export type Row = readonly [code: number, name: string, method: Method, numbers?: Numbers]

/** Systems of one datum and area; `national` is the code of the grid one thinks of first there. */
export type Group = {
  readonly datum: DatumName
  readonly area: Box
  readonly national?: number
  readonly unitM?: number
  readonly rows: readonly Row[]
}

/** Everywhere. */
export const world: Box = [-180, -90, 180, 90]

/** The whole numbers from the first to the last. */
export function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

/** The numbers of a UTM zone. */
export function utm(zone: number, south = false): Numbers {
  return [0, zone * 6 - 183, 0.9996, 500000, south ? 10000000 : 0]
}
