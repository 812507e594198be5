/** Compares positions with areas of use, and with each other. */

/** West, south, east, north in degrees; east may pass 180. */
export type Box = readonly [west: number, south: number, east: number, north: number]

/** Everywhere. */
export const world: Box = [-180, -90, 180, 90]

/** True where a longitude, counted either way round the globe, and a latitude are in a box. */
export function isWithin(lon: number, lat: number, box: Box): boolean {
  const [west, south, east, north] = box
  return lat >= south && lat <= north && ((lon >= west && lon <= east) || (lon + 360 >= west && lon + 360 <= east))
}

/** A place that is known, and what lies there in words, such as "the records of Rimu Farm". */
export type Near = { readonly lon: number; readonly lat: number; readonly name: string }

/** Further off than any farm's own land; and as near as its region is. */
export const farKm = 1000
export const nearKm = 300

/** The distance on a sphere, which is near enough to tell a farm from an ocean. */
export function distanceKm(
  one: { readonly lon: number; readonly lat: number },
  other: { readonly lon: number; readonly lat: number },
): number {
  const radians = Math.PI / 180
  const across = Math.sin(((one.lon - other.lon) * radians) / 2) ** 2
  const up = Math.sin(((one.lat - other.lat) * radians) / 2) ** 2
  const share = up + Math.cos(one.lat * radians) * Math.cos(other.lat * radians) * across
  return 12_742 * Math.asin(Math.min(1, Math.sqrt(share)))
}
