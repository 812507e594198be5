/** Finds which rings lie inside others; the rings must not cross. */

import { boxAround, isInBox, startOf, type Box, type Shape } from '../../core/shape.ts'
import { visitNearPairs } from './edges.ts'
import { bandAt, bandSides, type Bands } from './height-bands.ts'
import { sideOf } from './orientation.ts'

/** The rings of a shape with the boxes and bands computed so far. */
export type Nest = Readonly<ReturnType<typeof nestOf>>

export function nestOf(shape: Shape) {
  return { shape, boxes: [] as (Box | undefined)[], bands: new Map<number, Bands>() }
}

/** Calls `visit` with each two rings of which one lies inside the other, until it returns true; they must not cross. */
export function forNested(
  nest: Nest,
  rings: readonly number[],
  visit: (inner: number, outer: number) => boolean,
): void {
  if (rings.length < 2) return
  const box = Float64Array.from(rings.flatMap((ring) => boxOf(nest, ring)))
  const visitPair = (low: number, high: number): boolean => {
    const [one, other] = [rings[low]!, rings[high]!]
    if (isInside(nest, other, one)) return visit(other, one)
    return isInside(nest, one, other) && visit(one, other)
  }
  visitNearPairs({ box, count: rings.length }, visitPair, Infinity)
}

/** True when a ring lies inside another, or on it; they must not cross. */
export function isInside(nest: Nest, inner: number, outer: number): boolean {
  return isInBox(boxOf(nest, inner), boxOf(nest, outer)) && lieOf(nest, inner, outer) >= 0
}

function boxOf({ shape, boxes }: Nest, ring: number): Box {
  return (boxes[ring] ??= boxAround(shape.coordinates, startOf(shape, ring) * 2, shape.ends[ring]! * 2))
}

/** 1 when a ring lies inside another, -1 outside, by the first vertex or side that is not on the other; 0 when all are. */
export function lieOf(nest: Nest, inner: number, outer: number): number {
  const { coordinates, ends } = nest.shape
  const start = startOf(nest.shape, inner)
  for (let vertex = start; vertex < ends[inner]!; vertex += 1) {
    const lie = lieOfPoint(nest, outer, coordinates[vertex * 2]!, coordinates[vertex * 2 + 1]!)
    if (lie !== 0) return lie
  }
  // Every vertex touches the other ring, so the middles of the sides decide.
  for (let vertex = start + 1; vertex < ends[inner]!; vertex += 1) {
    const x = (coordinates[vertex * 2 - 2]! + coordinates[vertex * 2]!) / 2
    const y = (coordinates[vertex * 2 - 1]! + coordinates[vertex * 2 + 1]!) / 2
    const lie = lieOfPoint(nest, outer, x, y)
    if (lie !== 0) return lie
  }
  return 0
}

// The two ends of a side and the point, as the exact predicate expects them.
const three = new Float64Array(6)

function lieOfPoint(nest: Nest, ring: number, x: number, y: number): number {
  const { shape } = nest
  const { coordinates: xy, ends } = shape
  const first = startOf(shape, ring) + 1
  const bands = ends[ring]! - first < fewSides ? undefined : bandsOf(nest, ring)
  const band = bands === undefined ? 0 : bandAt(bands, y)
  const from = bands === undefined ? first : bands.first[band]!
  const end = bands === undefined ? ends[ring]! : bands.first[band + 1]!
  let inside = false
  for (let at = from; at < end; at += 1) {
    const to = bands === undefined ? at : bands.sides[at]! + first
    const y1 = xy[to * 2 - 1]!
    const y2 = xy[to * 2 + 1]!
    if ((y1 > y && y2 > y) || (y1 < y && y2 < y)) continue
    three[0] = xy[to * 2 - 2]!
    three[1] = y1
    three[2] = xy[to * 2]!
    three[3] = y2
    three[4] = x
    three[5] = y
    const side = sideOf(three, 0, 1, 2)
    if (side === 0) {
      const x1 = xy[to * 2 - 2]!
      const x2 = xy[to * 2]!
      if (x >= Math.min(x1, x2) && x <= Math.max(x1, x2)) return 0
    } else if (y1 > y !== y2 > y && side > 0 === y2 > y1) inside = !inside
  }
  return inside ? 1 : -1
}

const fewSides = 100

function bandsOf(nest: Nest, ring: number): Bands {
  const known = nest.bands.get(ring)
  if (known !== undefined) return known
  const { coordinates: xy, ends } = nest.shape
  const start = startOf(nest.shape, ring) + 1
  const bands = bandSides(ends[ring]! - start, (side, end) => xy[(start + side + end) * 2 - 1]!)
  nest.bands.set(ring, bands)
  return bands
}
