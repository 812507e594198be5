/** Lists the edges of rings and visits the pairs that come near each other: all pairs of few edges, a quadtree for many. */

import { boxAround } from '../../core/shape.ts'
import type { Rings } from '../measure/rings.ts'

/** The edges of some rings, one after the other; edges without length are left out. `box` holds four numbers an edge. */
export type Edges = {
  readonly count: number
  readonly from: Int32Array
  readonly to: Int32Array
  readonly ring: Int32Array
  /** The number of the first edge of each ring, and at the end the count. */
  readonly first: Int32Array
  readonly box: Float64Array
}

type Room = { from: Int32Array; to: Int32Array; ring: Int32Array; first: Int32Array; box: Float64Array }

/** A list of up to so many edges is small; its memory is reused. */
const fewEdges = 128

function makeRoom(edges: number, rings: number): Room {
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
export function edgesOf({ coordinates: xy, ends }: Rings, include: (ring: number) => boolean): Edges {
  const isSmall = xy.length <= fewEdges * 2 && ends.length <= fewEdges
  const room = isSmall ? smallRoom : makeRoom(xy.length / 2, ends.length)
  const { from, to, ring: ringOf, first, box } = room
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

const leafEdges = 16
const deepest = 22
// About a second of work; a line that needs more is a scribble.
const mostWork = 40_000_000

type Visit = (one: number, other: number) => boolean

/** How near edges must be, and the limit of comparisons. */
type Effort = { readonly reach?: number; readonly work?: number }

/**
 * Calls `visit` with the pairs of edges whose boxes meet and that come within `reach` of each other, some of them more than once,
 * until it returns true. False when the work exceeded its limit and pairs were left out, as with a hundred thousand edges through
 * one point or long edges close beside each other.
 */
export function visitNearPairs(
  edges: Edges,
  coordinates: Float64Array,
  visit: Visit,
  { reach = 1e-13, work = mostWork }: Effort = {},
): boolean {
  if (edges.count <= fewEdges) {
    visitAll(edges, visit)
    return true
  }
  const walk: Walk = { edges, coordinates, visit, reach, left: work, done: false, lists: [] }
  walk.lists.push(Int32Array.from({ length: edges.count }, (_, edge) => edge))
  divide(walk, edges.count, boxAround(edges.box, 0, edges.count * 4), 0)
  return walk.done || walk.left > 0
}

// `lists` holds the edges of the current cell at each depth, so that a million cells share twenty lists.
type Walk = {
  readonly edges: Edges
  readonly coordinates: Float64Array
  readonly visit: Visit
  readonly reach: number
  readonly lists: Int32Array[]
  left: number
  done: boolean
}

type Cell = readonly [minX: number, minY: number, maxX: number, maxY: number]

function visitAll({ box, count }: Edges, visit: Visit): void {
  for (let one = 1; one < count; one += 1) {
    const minX = box[one * 4]!
    const minY = box[one * 4 + 1]!
    const maxX = box[one * 4 + 2]!
    const maxY = box[one * 4 + 3]!
    for (let other = 0, at = 0; other < one; other += 1, at += 4) {
      if (box[at]! > maxX || box[at + 2]! < minX || box[at + 1]! > maxY || box[at + 3]! < minY) continue
      if (visit(other, one)) return
    }
  }
}

function visitLeaf(walk: Walk, among: Int32Array, length: number): void {
  const { box } = walk.edges
  walk.left -= (length * length) / 2
  if (walk.left <= 0) return
  for (let index = 1; index < length; index += 1) {
    const one = among[index]!
    const minX = box[one * 4]!
    const minY = box[one * 4 + 1]!
    const maxX = box[one * 4 + 2]!
    const maxY = box[one * 4 + 3]!
    for (let before = 0; before < index; before += 1) {
      const at = among[before]! * 4
      if (box[at]! > maxX || box[at + 2]! < minX || box[at + 1]! > maxY || box[at + 3]! < minY) continue
      if (walk.visit(among[before]!, one)) {
        walk.done = true
        return
      }
    }
  }
}

function divide(walk: Walk, length: number, cell: Cell, depth: number): void {
  const among = walk.lists[depth]!
  if (length <= leafEdges || depth >= deepest) return visitLeaf(walk, among, length)
  walk.left -= length * 4
  const [minX, minY, maxX, maxY] = cell
  const midX = (minX + maxX) / 2
  const midY = (minY + maxY) / 2
  const quarters: readonly Cell[] = [
    [minX, minY, midX, midY],
    [midX, minY, maxX, midY],
    [minX, midY, midX, maxY],
    [midX, midY, maxX, maxY],
  ]
  if ((walk.lists[depth + 1]?.length ?? 0) < length) walk.lists[depth + 1] = new Int32Array(length)
  for (const quarter of quarters) {
    if (walk.done || walk.left <= 0) return
    divide(walk, gather(walk, depth, length, quarter), quarter, depth + 1)
  }
}

// Puts the edges that touch a cell into the next list. The cell is slightly enlarged, so that rounding never loses an edge at a corner.
function gather(walk: Walk, depth: number, length: number, [minX, minY, maxX, maxY]: Cell): number {
  const { coordinates: xy, reach } = walk
  const { box, from, to } = walk.edges
  const among = walk.lists[depth]!
  const chosen = walk.lists[depth + 1]!
  const midX = (minX + maxX) / 2
  const midY = (minY + maxY) / 2
  const halfX = ((maxX - minX) / 2) * (1 + 1e-9) + reach
  const halfY = ((maxY - minY) / 2) * (1 + 1e-9) + reach
  let count = 0
  for (let index = 0; index < length; index += 1) {
    const edge = among[index]!
    const at = edge * 4
    if (box[at]! > maxX + reach || box[at + 2]! < minX - reach) continue
    if (box[at + 1]! > maxY + reach || box[at + 3]! < minY - reach) continue
    const x1 = xy[from[edge]! * 2]!
    const y1 = xy[from[edge]! * 2 + 1]!
    const dx = xy[to[edge]! * 2]! - x1
    const dy = xy[to[edge]! * 2 + 1]! - y1
    const off = dx * (midY - y1) - dy * (midX - x1)
    if (Math.abs(off) > Math.abs(dx) * halfY + Math.abs(dy) * halfX) continue
    chosen[count] = edge
    count += 1
  }
  return count
}
