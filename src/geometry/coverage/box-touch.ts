/** Tests whether a shape itself, not just its box, touches a box. */

import type { Shape } from '../../core/shape.ts'

/** A box that does not cross the 180th meridian. */
export type TouchBox = { readonly west: number; readonly south: number; readonly east: number; readonly north: number }

/** True when they share a point, edges included; a box inside a hole does not touch. */
export function touchesBox(shape: Shape, box: TouchBox): boolean {
  if (shape.kind === 'GeometryCollection') return (shape.members ?? []).some((member) => touchesBox(member, box))
  const { coordinates, ends, kind } = shape
  if (kind === 'Point' || kind === 'MultiPoint') {
    for (let at = 0; at < coordinates.length; at += 2)
      if (segmentTouches([coordinates[at]!, coordinates[at + 1]!, coordinates[at]!, coordinates[at + 1]!], box))
        return true
    return false
  }
  let from = 0
  // Where no edge enters the box, all of it is inside or outside: one corner decides, by the edges to its east.
  let isInside = false
  for (const end of ends) {
    for (let vertex = from; vertex + 1 < end; vertex += 1) {
      const [x1, y1, x2, y2] = coordinates.subarray(vertex * 2, vertex * 2 + 4) as unknown as Segment
      if (segmentTouches([x1, y1, x2, y2], box)) return true
      const crosses = y1 > box.south !== y2 > box.south
      if (crosses && box.west < x1 + ((box.south - y1) / (y2 - y1)) * (x2 - x1)) isInside = !isInside
    }
    from = end
  }
  return isInside && (kind === 'Polygon' || kind === 'MultiPolygon')
}

type Segment = readonly [x1: number, y1: number, x2: number, y2: number]

/** Cuts the segment at each side of the box in turn (Liang and Barsky); what is left is inside. */
function segmentTouches([x1, y1, x2, y2]: Segment, { west, south, east, north }: TouchBox): boolean {
  let [enters, leaves] = [0, 1]
  const sides: readonly (readonly [towards: number, room: number])[] = [
    [x1 - x2, x1 - west],
    [x2 - x1, east - x1],
    [y1 - y2, y1 - south],
    [y2 - y1, north - y1],
  ]
  for (const [towards, room] of sides) {
    if (towards === 0 && room < 0) return false
    if (towards === 0) continue
    const cut = room / towards
    if (towards < 0) enters = Math.max(enters, cut)
    else leaves = Math.min(leaves, cut)
  }
  return enters <= leaves
}
