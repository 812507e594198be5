/** Hides how the table of coordinate systems is written: one short row for each, the numbers in a fixed order. */

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

/** One system: its EPSG code, the name people know, the projection, where it is used if that is not said of its group. */
export type Row = readonly [code: number, name: string, method: Method, numbers?: Numbers, area?: Box]

/** Systems of one datum and area; `national` is the code of the grid one thinks of first there. */
export type Group = {
  /** The key of a line of the datum table. */
  readonly datum: string
  readonly area?: Box
  readonly national?: number
  readonly unitM?: number
  readonly rows: readonly Row[]
}

/** True where a longitude, counted either way round the globe, and a latitude are in a box. */
export function isWithin(lon: number, lat: number, box: Box): boolean {
  const west = box[0]
  const east = box[2]
  return lat >= box[1] && lat <= box[3] && ((lon >= west && lon <= east) || (lon + 360 >= west && lon + 360 <= east))
}

export const usFootM = 1200 / 3937
export const footM = 0.3048

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

/** Reads rows from lines: code, projection, its numbers, area, name; a dash stands for nothing. */
export function rowsOf(lines: string): readonly Row[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => rowOf(line.trim()))
}

/** Reads one such line. */
export function rowOf(line: string): Row {
  const [code, method, numbers, area, ...name] = line.split(' ')
  const [lat0 = 0, lon0 = 0, k = 1, x0 = 0, y0 = 0, lat1 = 0, lat2 = 0] = listed(numbers!)
  const [west, south, east, north] = listed(area!)
  const projection: Numbers = [lat0, lon0, k, x0, y0, lat1, lat2]
  const row = [Number(code), name.join(' '), method as Method, projection] as const
  return west === undefined ? row : [...row, [west, south!, east!, north!]]
}

function listed(text: string): readonly number[] {
  return text === '-' ? [] : text.split(',').map(Number)
}
