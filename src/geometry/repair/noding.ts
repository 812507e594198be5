/**
 * Cuts lines where they meet, so that they share only points. The lines are on a grid, because floating-point numbers cannot give the
 * place of a crossing exactly: it is rounded to the grid, and lines that pass there are led through it.
 */

import type { Rings } from '../measure/rings.ts'
import { edgesOf, visitNearPairs, type Edges } from '../validity/edges.ts'
import { sideOf } from '../validity/orientation.ts'

// Leading a line through a place moves it by half a step, which can make it meet others; two rounds are usual.
const mostRounds = 12
// A second or two of work; a line that needs more is a scribble.
const mostCuts = 200_000
const mostPairs = 8_000_000
const pairsPerEdge = 100

/** Cuts closed rings, in whole steps of a grid, until they meet at vertices only; undefined when they are too tangled for that. */
export function cutWhereTheyMeet(rings: Rings): Rings | undefined {
  let cut = rings
  for (let round = 0; round < mostRounds; round += 1) {
    const edges = edgesOf(cut, () => true)
    const cuts = findCuts(edges, cut.coordinates)
    if (cuts === undefined) return undefined
    if (cuts.edges.length === 0) return cut
    cut = applyCuts(cut, edges, cuts)
  }
  return undefined
}

/** The places that edges must go through, in no order. */
type Cuts = { readonly edges: number[]; readonly x: number[]; readonly y: number[] }

function findCuts(edges: Edges, xy: Float64Array): Cuts | undefined {
  const cuts: Cuts = { edges: [], x: [], y: [] }
  const finished = visitNearPairs(
    edges,
    (one, other) => {
      const [p1, p2, q1, q2] = [edges.from[one]!, edges.to[one]!, edges.from[other]!, edges.to[other]!]
      const known = cuts.edges.length
      cutAtVertex(cuts, { edges, xy }, one, q1)
      cutAtVertex(cuts, { edges, xy }, one, q2)
      cutAtVertex(cuts, { edges, xy }, other, p1)
      cutAtVertex(cuts, { edges, xy }, other, p2)
      // Once one is led through a vertex of the other, they may no longer cross; the next round checks that.
      if (cuts.edges.length === known) cutAtCrossing(cuts, { edges, xy }, one, other)
      return cuts.edges.length > mostCuts
    },
    mostPairs + edges.count * pairsPerEdge,
  )
  return finished && cuts.edges.length <= mostCuts ? cuts : undefined
}

type Drawing = { readonly edges: Edges; readonly xy: Float64Array }

// A vertex owns the square of one step around it: an edge that comes through the square goes through the vertex.
function cutAtVertex(cuts: Cuts, { edges, xy }: Drawing, edge: number, vertex: number): void {
  const x = xy[vertex * 2]!
  const y = xy[vertex * 2 + 1]!
  const { box } = edges
  if (x < box[edge * 4]! || x > box[edge * 4 + 2]! || y < box[edge * 4 + 1]! || y > box[edge * 4 + 3]!) return
  if (isEnd({ edges, xy }, edge, x, y)) return
  const [from, to] = [edges.from[edge]! * 2, edges.to[edge]! * 2]
  const dx = xy[to]! - xy[from]!
  const dy = xy[to + 1]! - xy[from + 1]!
  const off = dx * (y - xy[from + 1]!) - dy * (x - xy[from]!)
  if (Math.abs(off) < (Math.abs(dx) + Math.abs(dy)) / 2) addCut(cuts, edge, x, y)
}

function cutAtCrossing(cuts: Cuts, { edges, xy }: Drawing, one: number, other: number): void {
  const [p1, p2, q1, q2] = [edges.from[one]!, edges.to[one]!, edges.from[other]!, edges.to[other]!]
  if (!isBetween(sideOf(xy, q1, q2, p1), sideOf(xy, q1, q2, p2))) return
  if (!isBetween(sideOf(xy, p1, p2, q1), sideOf(xy, p1, p2, q2))) return
  const [x1, y1] = [xy[p1 * 2]!, xy[p1 * 2 + 1]!]
  const [px, py] = [xy[p2 * 2]! - x1, xy[p2 * 2 + 1]! - y1]
  const [qx, qy] = [xy[q2 * 2]! - xy[q1 * 2]!, xy[q2 * 2 + 1]! - xy[q1 * 2 + 1]!]
  const share = ((xy[q1 * 2]! - x1) * qy - (xy[q1 * 2 + 1]! - y1) * qx) / (px * qy - py * qx)
  const x = Math.round(x1 + share * px)
  const y = Math.round(y1 + share * py)
  for (const edge of [one, other]) if (!isEnd({ edges, xy }, edge, x, y)) addCut(cuts, edge, x, y)
}

function isBetween(one: number, other: number): boolean {
  return (one > 0 && other < 0) || (one < 0 && other > 0)
}

function isEnd({ edges, xy }: Drawing, edge: number, x: number, y: number): boolean {
  const [from, to] = [edges.from[edge]! * 2, edges.to[edge]! * 2]
  return (xy[from] === x && xy[from + 1] === y) || (xy[to] === x && xy[to + 1] === y)
}

function addCut(cuts: Cuts, edge: number, x: number, y: number): void {
  cuts.edges.push(edge)
  cuts.x.push(x)
  cuts.y.push(y)
}

function applyCuts(rings: Rings, edges: Edges, cuts: Cuts): Rings {
  const { coordinates: xy } = rings
  const along = cuts.edges.map((edge, cut) => {
    const [from, to] = [edges.from[edge]! * 2, edges.to[edge]! * 2]
    return (
      (xy[to]! - xy[from]!) * (cuts.x[cut]! - xy[from]!) +
      (xy[to + 1]! - xy[from + 1]!) * (cuts.y[cut]! - xy[from + 1]!)
    )
  })
  const order = [...cuts.edges.keys()].sort((a, b) => cuts.edges[a]! - cuts.edges[b]! || along[a]! - along[b]!)
  const coordinates: number[] = []
  const ends: number[] = []
  for (let ring = 0, edge = 0, next = 0; ring < rings.ends.length; ring += 1) {
    const last = edges.first[ring + 1]!
    if (edge < last) coordinates.push(xy[edges.from[edge]! * 2]!, xy[edges.from[edge]! * 2 + 1]!)
    for (; edge < last; edge += 1) {
      for (; next < order.length && cuts.edges[order[next]!] === edge; next += 1)
        coordinates.push(cuts.x[order[next]!]!, cuts.y[order[next]!]!)
      coordinates.push(xy[edges.to[edge]! * 2]!, xy[edges.to[edge]! * 2 + 1]!)
    }
    ends.push(coordinates.length / 2)
  }
  return { coordinates: Float64Array.from(coordinates), ends }
}
