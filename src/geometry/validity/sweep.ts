/**
 * Finds crossings with a sweep line (Shamos and Hoey, "Geometric intersection problems", 1976), for lines that run long and close
 * beside each other, as in a comb or a spiral: a front moves from west to east and compares neighbouring edges.
 */

import { edgeBefore, type Edges } from './edges.ts'
import { sideOf } from './orientation.ts'

// Edges that touch in one point are all compared with each other; no field needs a million comparisons.
const mostAtPoints = 2_000_000

type Front = {
  readonly edges: Edges
  readonly xy: Float64Array
  /** The edges that cross the front, from south to north. */
  readonly across: Int32Array
  count: number
}

/**
 * Calls `visit` with pairs of edges until it returns true: with all that touch, and if any cross, with two that do. Some pairs may
 * neither touch nor cross. False when too many edges touch in one place.
 */
export function sweepPairs(
  edges: Edges,
  coordinates: Float64Array,
  visit: (one: number, other: number) => boolean,
): boolean {
  const front: Front = { edges, xy: coordinates, across: new Int32Array(edges.count + 2), count: 0 }
  const events = Int32Array.from({ length: edges.count }, (_, edge) => edge).sort((one, other) =>
    compareVertices(coordinates, edges.from[one]!, edges.from[other]!),
  )
  let left = mostAtPoints
  for (let next = 0; next < events.length;) {
    const vertex = edges.from[events[next]!]!
    const here: number[] = []
    for (; next < events.length && compareVertices(coordinates, vertex, edges.from[events[next]!]!) === 0; next += 1)
      here.push(edgeBefore(edges, events[next]!), events[next]!)
    const { from, to } = rangeAt(front, vertex)
    left -= (here.length + to - from) ** 2 / 2
    if (left < 0) return false
    const through = from === to ? [] : [...front.across.subarray(from, to)].filter((edge) => !here.includes(edge))
    const meeting = [...here, ...through]
    if (meeting.length > 2 && visitEach(meeting, visit)) return true
    const beginning = here.filter((edge) => compareVertices(coordinates, vertex, easternEnd(front, edge)) < 0)
    const onwards = [...beginning, ...through]
    if (onwards.length > 1) onwards.sort((one, other) => compareAbove(front, vertex, one, other))
    replace(front, from, to, onwards)
    const last = from + onwards.length
    if (from > 0 && from < front.count && visit(front.across[from - 1]!, front.across[from]!)) return true
    if (last > from && last < front.count && visit(front.across[last - 1]!, front.across[last]!)) return true
  }
  return true
}

// West before east, then south before north.
function compareVertices(xy: Float64Array, one: number, other: number): number {
  return xy[one * 2]! - xy[other * 2]! || xy[one * 2 + 1]! - xy[other * 2 + 1]!
}

function visitEach(all: readonly number[], visit: (one: number, other: number) => boolean): boolean {
  for (let index = 1; index < all.length; index += 1)
    for (let before = 0; before < index; before += 1) if (visit(all[before]!, all[index]!)) return true
  return false
}

// The range of edges on the front that contain a vertex; empty, at its place, when none does.
function rangeAt(front: Front, vertex: number): { readonly from: number; readonly to: number } {
  let low = 0
  let high = front.count
  while (low < high) {
    const middle = (low + high) >> 1
    if (sideOfEdge(front, front.across[middle]!, vertex) > 0) low = middle + 1
    else high = middle
  }
  let to = low
  while (to < front.count && sideOfEdge(front, front.across[to]!, vertex) === 0) to += 1
  return { from: low, to }
}

// Above zero when a vertex lies north of an edge, taken from west to east; zero on a vertical edge of the front.
function sideOfEdge({ edges, xy }: Front, edge: number, vertex: number): number {
  const { from, to } = edges
  return compareVertices(xy, from[edge]!, to[edge]!) < 0
    ? sideOf(xy, from[edge]!, to[edge]!, vertex)
    : sideOf(xy, to[edge]!, from[edge]!, vertex)
}

function easternEnd({ edges, xy }: Pick<Front, 'edges' | 'xy'>, edge: number): number {
  const { from, to } = edges
  return compareVertices(xy, from[edge]!, to[edge]!) < 0 ? to[edge]! : from[edge]!
}

// Compares two edges that continue eastward from a vertex, the southern one first.
function compareAbove(front: Front, vertex: number, one: number, other: number): number {
  return -sideOf(front.xy, vertex, easternEnd(front, one), easternEnd(front, other))
}

function replace(front: Front, from: number, to: number, edges: readonly number[]): void {
  const moved = from + edges.length
  if (moved !== to) front.across.copyWithin(moved, to, front.count)
  front.across.set(edges, from)
  front.count += moved - to
}
