/** Lists the edges of rings, and visits the pairs of edges whose boxes meet. */

import { boxAround } from '../../core/shape.ts'
import type { Rings } from '../measure/rings.ts'
import { indexBoxes } from './box-index.ts'

/** The edges of some rings, one after the other; edges without length are left out. `box` holds four numbers an edge. */
export type Edges = {
  readonly count: number
  readonly from: readonly number[]
  readonly to: readonly number[]
  readonly ring: readonly number[]
  /** The number of the first edge of each ring, and at the end the count. */
  readonly first: readonly number[]
  readonly box: readonly number[]
}

/** Lists the edges of all rings for which `include` is true. */
export function edgesOf({ coordinates: xy, ends }: Rings, include: (ring: number) => boolean): Edges {
  const [from, to, ringOf, first, box]: [number[], number[], number[], number[], number[]] = [[], [], [], [], []]
  let start = 0
  for (let ring = 0; ring < ends.length; ring += 1) {
    const end = ends[ring]!
    let previous = start
    first.push(from.length)
    start = end
    if (!include(ring)) continue
    for (let vertex = previous + 1; vertex < end; vertex += 1) {
      const x1 = xy[previous * 2]!
      const y1 = xy[previous * 2 + 1]!
      const x2 = xy[vertex * 2]!
      const y2 = xy[vertex * 2 + 1]!
      if (x1 === x2 && y1 === y2) continue
      from.push(previous)
      to.push(vertex)
      ringOf.push(ring)
      box.push(x1 < x2 ? x1 : x2, y1 < y2 ? y1 : y2, x1 < x2 ? x2 : x1, y1 < y2 ? y2 : y1)
      previous = vertex
    }
  }
  first.push(from.length)
  return { count: from.length, from, to, ring: ringOf, first, box }
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

/** So many edges are compared each with each. Of more, edges that follow each other have one box in an index. */
const fewEdges = 200
const edgesPerBox = 8

type Visit = (one: number, other: number) => boolean

/**
 * Calls `visit` with each pair of edges whose boxes meet, the smaller number first, until it returns true. False when that takes more
 * than `most` comparisons of boxes and pairs were left out, as with long edges close beside each other.
 */
export function visitNearPairs({ box, count }: Edges, visit: Visit, most: number): boolean {
  if (count <= fewEdges) {
    visitPairs(box, { from: 1, end: count, othersFrom: 0, othersEnd: count }, visit)
    return true
  }
  const boxes: number[] = []
  for (let at = 0; at < count * 4; at += edgesPerBox * 4)
    boxes.push(...boxAround(box, at, Math.min(at + edgesPerBox * 4, count * 4)))
  const index = indexBoxes(boxes)
  let [from, left, isDone] = [0, most, false]
  const visitBox = (other: number): boolean => {
    const othersFrom = other * edgesPerBox
    if (othersFrom > from) return false
    left -= edgesPerBox ** 2
    const span = { from, end: from + edgesPerBox, othersFrom, othersEnd: othersFrom + edgesPerBox }
    isDone = left > 0 && visitPairs(box, { ...span, end: Math.min(span.end, count) }, visit)
    return isDone || left <= 0
  }
  for (let at = 0; at < boxes.length && left > 0 && !isDone; at += 4, from += edgesPerBox)
    index.visit(boxes[at]!, boxes[at + 1]!, boxes[at + 2]!, boxes[at + 3]!, visitBox)
  return left > 0
}

/** Two spans of edges; of the others, only those before each edge count. */
type Spans = { readonly from: number; readonly end: number; readonly othersFrom: number; readonly othersEnd: number }

function visitPairs(box: readonly number[], { from, end, othersFrom, othersEnd }: Spans, visit: Visit): boolean {
  for (let one = from; one < end; one += 1) {
    const [minX, minY, maxX, maxY] = [box[one * 4]!, box[one * 4 + 1]!, box[one * 4 + 2]!, box[one * 4 + 3]!]
    const last = Math.min(one, othersEnd)
    for (let other = othersFrom, at = othersFrom * 4; other < last; other += 1, at += 4) {
      if (box[at]! > maxX || box[at + 2]! < minX || box[at + 1]! > maxY || box[at + 3]! < minY) continue
      if (visit(other, one)) return true
    }
  }
  return false
}
