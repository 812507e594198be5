/** Hides which ring lies inside which, for rings that do not cross. */

import type { Shape } from '../core/shape.ts'
import { sideOf } from './orientation.ts'
import { startOf } from './rings.ts'

/** Calls `tell` with each two rings of which one lies inside the other; they must not cross. */
export function forNested(shape: Shape, rings: readonly number[], tell: (inner: number, outer: number) => void): void {
  // Sorted by their western edge, the rings that another could hold follow it closely.
  const boxes = rings
    .map((ring) => ({ ring, ...extentOf(shape, ring) }))
    .toSorted((one, other) => one.west - other.west)
  for (const [index, outer] of boxes.entries())
    for (let next = index + 1; next < boxes.length && boxes[next]!.west <= outer.east; next += 1) {
      const other = boxes[next]!
      const isInside = other.east <= outer.east && other.south >= outer.south && other.north <= outer.north
      const isAround =
        other.west === outer.west &&
        other.east >= outer.east &&
        other.south <= outer.south &&
        other.north >= outer.north
      if (isInside && lieOf(shape, other.ring, outer.ring) >= 0) tell(other.ring, outer.ring)
      else if (isAround && lieOf(shape, outer.ring, other.ring) >= 0) tell(outer.ring, other.ring)
    }
}

function extentOf(
  { coordinates: xy, ends }: Shape,
  ring: number,
): { west: number; south: number; east: number; north: number } {
  const extent = { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity }
  for (let vertex = ring === 0 ? 0 : ends[ring - 1]!; vertex < ends[ring]!; vertex += 1) {
    extent.west = Math.min(extent.west, xy[vertex * 2]!)
    extent.east = Math.max(extent.east, xy[vertex * 2]!)
    extent.south = Math.min(extent.south, xy[vertex * 2 + 1]!)
    extent.north = Math.max(extent.north, xy[vertex * 2 + 1]!)
  }
  return extent
}

/** 1 when a ring lies inside another, -1 outside, by the first vertex or side that is not on the other; 0 when all are. */
export function lieOf(shape: Shape, inner: number, outer: number): number {
  for (let vertex = startOf(shape, inner); vertex < shape.ends[inner]!; vertex += 1) {
    const lie = lieOfPoint(shape, vertex, outer)
    if (lie !== 0) return lie
  }
  // Every vertex touches the other ring, so the middles of the sides have to tell.
  const probe = { ...shape, coordinates: new Float64Array(shape.coordinates.length + 2) }
  probe.coordinates.set(shape.coordinates)
  const middle = shape.coordinates.length
  for (let vertex = startOf(shape, inner) + 1; vertex < shape.ends[inner]!; vertex += 1) {
    probe.coordinates[middle] = (shape.coordinates[vertex * 2 - 2]! + shape.coordinates[vertex * 2]!) / 2
    probe.coordinates[middle + 1] = (shape.coordinates[vertex * 2 - 1]! + shape.coordinates[vertex * 2 + 1]!) / 2
    const lie = lieOfPoint(probe, middle / 2, outer)
    if (lie !== 0) return lie
  }
  return 0
}

function lieOfPoint(shape: Shape, vertex: number, ring: number): number {
  const { coordinates: xy } = shape
  const x = xy[vertex * 2]!
  const y = xy[vertex * 2 + 1]!
  let inside = false
  for (let to = startOf(shape, ring) + 1; to < shape.ends[ring]!; to += 1) {
    const y1 = xy[to * 2 - 1]!
    const y2 = xy[to * 2 + 1]!
    if ((y1 > y && y2 > y) || (y1 < y && y2 < y)) continue
    const side = sideOf(xy, to - 1, to, vertex)
    if (side === 0) {
      const x1 = xy[to * 2 - 2]!
      const x2 = xy[to * 2]!
      if (x >= Math.min(x1, x2) && x <= Math.max(x1, x2)) return 0
    } else if (y1 > y !== y2 > y && side > 0 === y2 > y1) inside = !inside
  }
  return inside ? 1 : -1
}
