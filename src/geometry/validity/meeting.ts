/** Finds how two edges meet: they cross, run along each other or touch. The result is exact. */

import { isSamePoint } from '../../core/shape.ts'
import { edgeBefore, type Edges } from './edges.ts'
import { sideOf } from './orientation.ts'

/** How two edges meet, in which rings, and where: at a vertex, or between vertices at a longitude and latitude. */
export type Meeting = {
  readonly verb: 'crosses' | 'runs along' | 'touches'
  readonly rings: readonly [number, number]
  readonly vertex: number
  readonly at?: readonly [number, number]
}

/** How two edges that do not follow each other meet. A meeting at a vertex counts only for the edge that begins there, so it is reported once. */
export function meetingOf(edges: Edges, xy: Float64Array, one: number, other: number): Meeting | undefined {
  const p1 = edges.from[one]!
  const p2 = edges.to[one]!
  const q1 = edges.from[other]!
  const q2 = edges.to[other]!
  const side1 = sideOf(xy, q1, q2, p1)
  const side2 = sideOf(xy, q1, q2, p2)
  if ((side1 > 0 && side2 > 0) || (side1 < 0 && side2 < 0)) return undefined
  const side3 = sideOf(xy, p1, p2, q1)
  const side4 = sideOf(xy, p1, p2, q2)
  if ((side3 > 0 && side4 > 0) || (side3 < 0 && side4 < 0)) return undefined
  const rings = [edges.ring[one]!, edges.ring[other]!] as const
  if (side1 === 0 && side2 === 0) {
    const vertex = overlapOnLine(xy, [p1, p2], [q1, q2])
    if (vertex >= 0) return { verb: 'runs along', rings, vertex }
  } else if (side1 !== 0 && side2 !== 0 && side3 !== 0 && side4 !== 0) {
    const share = side1 / (side1 - side2)
    const lon = xy[p1 * 2]! + share * (xy[p2 * 2]! - xy[p1 * 2]!)
    const lat = xy[p1 * 2 + 1]! + share * (xy[p2 * 2 + 1]! - xy[p1 * 2 + 1]!)
    return { verb: 'crosses', rings, vertex: p1, at: [lon, lat] }
  }
  if (side1 === 0 && isWithin(edges, other, xy, p1) && !isSamePoint(xy, p1, q2))
    return judgeTouch(edges, xy, one, other)
  if (side3 === 0 && isWithin(edges, one, xy, q1) && !isSamePoint(xy, q1, p2) && !isSamePoint(xy, q1, p1))
    return judgeTouch(edges, xy, other, one)
  return undefined
}

// Of two edges on one line, the vertex where the stretch they share begins; -1 when that is a point at most.
function overlapOnLine(
  xy: Float64Array,
  [p1, p2]: readonly [number, number],
  [q1, q2]: readonly [number, number],
): number {
  const axis = Math.abs(xy[p1 * 2]! - xy[p2 * 2]!) > Math.abs(xy[p1 * 2 + 1]! - xy[p2 * 2 + 1]!) ? 0 : 1
  const at = (vertex: number): number => xy[vertex * 2 + axis]!
  const low = Math.max(Math.min(at(p1), at(p2)), Math.min(at(q1), at(q2)))
  const high = Math.min(Math.max(at(p1), at(p2)), Math.max(at(q1), at(q2)))
  return high > low ? [p1, p2, q1, q2].find((vertex) => at(vertex) === low)! : -1
}

function isWithin({ box }: Edges, edge: number, xy: Float64Array, vertex: number): boolean {
  const x = xy[vertex * 2]!
  const y = xy[vertex * 2 + 1]!
  return x >= box[edge * 4]! && x <= box[edge * 4 + 2]! && y >= box[edge * 4 + 1]! && y <= box[edge * 4 + 3]!
}

// The start of edge `one` lies on edge `other`. Two lines that meet there cross when one's ends lie on both sides of the other.
function judgeTouch(edges: Edges, xy: Float64Array, one: number, other: number): Meeting {
  const vertex = edges.from[one]!
  const before = edges.from[edgeBefore(edges, one)]!
  const after = edges.to[one]!
  const otherBefore = edges.from[isSamePoint(xy, vertex, edges.from[other]!) ? edgeBefore(edges, other) : other]!
  const otherAfter = edges.to[other]!
  const rings = [edges.ring[one]!, edges.ring[other]!] as const
  const path: Path = { xy, before, vertex, after }
  const comes = sideOfPath(path, otherBefore)
  const goes = sideOfPath(path, otherAfter)
  return { verb: comes * goes < 0 ? 'crosses' : 'touches', rings, vertex }
}

type Path = { readonly xy: Float64Array; readonly before: number; readonly vertex: number; readonly after: number }

// 1 left of a bent path, -1 right of it, 0 along it.
function sideOfPath({ xy, before, vertex, after }: Path, point: number): number {
  const fromBefore = sideOf(xy, before, vertex, point)
  const fromAfter = sideOf(xy, vertex, after, point)
  if (fromBefore === 0 && isAhead(xy, vertex, before, point)) return 0
  if (fromAfter === 0 && isAhead(xy, vertex, after, point)) return 0
  const turnsLeft = sideOf(xy, before, vertex, after) > 0
  return (turnsLeft ? fromBefore > 0 && fromAfter > 0 : fromBefore > 0 || fromAfter > 0) ? 1 : -1
}

/** True when, seen from a vertex, a point does not lie behind another one. */
export function isAhead(xy: Float64Array, from: number, to: number, point: number): boolean {
  return (
    (xy[to * 2]! - xy[from * 2]!) * (xy[point * 2]! - xy[from * 2]!) +
      (xy[to * 2 + 1]! - xy[from * 2 + 1]!) * (xy[point * 2 + 1]! - xy[from * 2 + 1]!) >
    0
  )
}
