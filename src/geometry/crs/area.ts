/** Compares positions with areas of use, and with each other. */

import type { Box } from '../../core/shape.ts'

export const world: Box = [-180, -90, 180, 90]

/** True where a longitude, counted either way round the globe, and a latitude are in a box. */
export function isWithin(lon: number, lat: number, box: Box): boolean {
  const [west, south, east, north] = box
  return lat >= south && lat <= north && ((lon >= west && lon <= east) || (lon + 360 >= west && lon + 360 <= east))
}

/** The box with a margin on all sides. */
export function widen([west, south, east, north]: Box, degrees: number): Box {
  return [west - degrees, south - degrees, east + degrees, north + degrees]
}

export type Position = { readonly lon: number; readonly lat: number }

/** A known place and its name in a message, such as "the records of Rimu Farm". */
export type Near = Position & { readonly name: string }

/** `farKm`: further than the land of one farm reaches. `nearKm`: within a farm's region. */
export const farKm = 1000
export const nearKm = 300

/** The distance on a sphere, exact enough to compare the places of farms. */
export function distanceKm(one: Position, other: Position): number {
  const radians = Math.PI / 180
  const across = Math.sin(((one.lon - other.lon) * radians) / 2) ** 2
  const up = Math.sin(((one.lat - other.lat) * radians) / 2) ** 2
  const share = up + Math.cos(one.lat * radians) * Math.cos(other.lat * radians) * across
  return 12_742 * Math.asin(Math.min(1, Math.sqrt(share)))
}
