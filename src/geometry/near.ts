/** Hides when a place is near another: what tells a farm's own land from an ocean. */

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
