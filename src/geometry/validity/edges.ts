/** Lists the edges of rings, and visits the pairs of edges whose boxes meet. */

import type { Rings } from '../measure/rings.ts'
import { indexBoxes } from './box-index.ts'

/**
 * The edges of some rings, one after the other; edges without length are left out. `first` has the number of the first edge of each
 * ring, and at the end the count; `box` holds four numbers an edge.
 */
export type Edges = Readonly<ReturnType<typeof edgesOf>>

/** Of so few edges each is compared with each, and the memory of their list is reused. */
const fewEdges = 300

function makeRoom(edges: number, rings: number) {
  return {
    from: new Int32Array(edges),
    to: new Int32Array(edges),
    ring: new Int32Array(edges),
    first: new Int32Array(rings + 1),
    box: new Float64Array(edges * 4),
  }
}

const smallRoom = makeRoom(fewEdges, fewEdges)

/** Lists the edges of all rings for which `include` is true. A list of few edges is valid until the next call. */
export function edgesOf({ coordinates: xy, ends }: Rings, include: (ring: number) => boolean) {
  const isSmall = xy.length <= fewEdges * 2 && ends.length <= fewEdges
  const { from, to, ring: ringOf, first, box } = isSmall ? smallRoom : makeRoom(xy.length / 2, ends.length)
  let count = 0
  let start = 0
  for (let ring = 0; ring < ends.length; ring += 1) {
    const end = ends[ring]!
    let previous = start
    first[ring] = count
    start = end
    if (!include(ring)) continue
    for (let vertex = previous + 1; vertex < end; vertex += 1) {
      const x1 = xy[previous * 2]!
      const y1 = xy[previous * 2 + 1]!
      const x2 = xy[vertex * 2]!
      const y2 = xy[vertex * 2 + 1]!
      if (x1 === x2 && y1 === y2) continue
      from[count] = previous
      to[count] = vertex
      ringOf[count] = ring
      box[count * 4] = x1 < x2 ? x1 : x2
      box[count * 4 + 1] = y1 < y2 ? y1 : y2
      box[count * 4 + 2] = x1 < x2 ? x2 : x1
      box[count * 4 + 3] = y1 < y2 ? y2 : y1
      count += 1
      previous = vertex
    }
  }
  first[ends.length] = count
  return { count, from, to, ring: ringOf, first, box }
}

/** The edge of the same ring before this one. */
export function edgeBefore(edges: Edges, edge: number): number {
  const ring = edges.ring[edge]!
  return edge === edges.first[ring]! ? edges.first[ring + 1]! - 1 : edge - 1
}

/** True for two edges of one ring that follow each other. */
export function areNeighbours(edges: Edges, one: number, other: number): boolean {
  return edges.ring[one] === edges.ring[other] && (edgeBefore(edges, one) === other || edgeBefore(edges, other) === one)
}

/**
 * Calls `visit` with each pair of edges or rings whose boxes meet, the smaller number first, until it returns true. False when there
 * are more than `most` of them and some were left out, as with long edges close beside each other.
 */
export function visitNearPairs({ box, count }: Pick<Edges, 'box' | 'count'>, visit: Visit, most: number): boolean {
  if (count <= fewEdges) {
    visitAll(box, count, visit)
    return true
  }
  const index = indexBoxes(box.subarray(0, count * 4))
  let [one, left, isDone] = [0, most, false]
  const visitOne = (other: number): boolean => {
    left -= 1
    isDone = left > 0 && other < one && visit(other, one)
    return isDone || left <= 0
  }
  for (; one < count && left > 0 && !isDone; one += 1)
    index.visit(box[one * 4]!, box[one * 4 + 1]!, box[one * 4 + 2]!, box[one * 4 + 3]!, visitOne)
  return left > 0
}

function visitAll(box: Float64Array, count: number, visit: Visit): void {
  for (let one = 1; one < count; one += 1) {
    const [minX, minY, maxX, maxY] = [box[one * 4]!, box[one * 4 + 1]!, box[one * 4 + 2]!, box[one * 4 + 3]!]
    for (let other = 0, at = 0; other < one; other += 1, at += 4) {
      if (box[at]! > maxX || box[at + 2]! < minX || box[at + 1]! > maxY || box[at + 3]! < minY) continue
      if (visit(other, one)) return
    }
  }
}

type Visit = (one: number, other: number) => boolean
