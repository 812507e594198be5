/** Hides figures of a shape in the numbers of its file, before anything is projected or mended. */

import { isAreal, type Shape } from '../../src/core/shape.ts'
import { signedArea } from '../../src/formats/shapefile/shapefile-rings.ts'
import { firstRingOf, startOf } from '../../src/geometry/measure/rings.ts'

/** An extent that grows; empty while its west is greater than its east. */
export type GrowingBox = [west: number, south: number, east: number, north: number]

/** An extent of nothing. */
export function emptyBox(): GrowingBox {
  return [Infinity, Infinity, -Infinity, -Infinity]
}

/** Makes the extent hold the shape and its members. */
export function widen(box: GrowingBox, { coordinates, members = [] }: Shape): void {
  for (let at = 0; at + 1 < coordinates.length; at += 2) {
    box[0] = Math.min(box[0], coordinates[at]!)
    box[1] = Math.min(box[1], coordinates[at + 1]!)
    box[2] = Math.max(box[2], coordinates[at]!)
    box[3] = Math.max(box[3], coordinates[at + 1]!)
  }
  for (const member of members) widen(box, member)
}

/** The area on the plane in the file's own units: shells without their holes, however they run. */
export function planarArea(shape: Shape): number {
  const ofMembers = (shape.members ?? []).reduce((sum, member) => sum + planarArea(member), 0)
  if (!isAreal(shape)) return ofMembers
  return shape.parts.reduce((sum, end, part) => {
    const first = firstRingOf(shape, part)
    let area = 0
    for (let ring = first; ring < end; ring += 1)
      area +=
        Math.abs(signedArea(shape.coordinates, startOf(shape, ring), shape.ends[ring]!)) * (ring === first ? 1 : -1)
    return sum + area
  }, ofMembers)
}
