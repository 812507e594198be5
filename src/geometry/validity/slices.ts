/**
 * Checks quickly that no edges of a small boundary meet: its box is cut into sixteen slices each way, and edges that share no slice
 * cannot meet. One bit mask for each edge lists its slices.
 */

import { fewEdges, type Edges } from './edges.ts'

const count = 16
const lowHalf = 0xffff
// Slightly less than the count, so that the far side of the box belongs to the last slice.
const upToEnd = count * (1 - 1e-9)
const slices = new Int32Array(fewEdges)

/** Tests a pair of edges whose coordinates are `xy`. */
type PairTest = (edges: Edges, xy: Float64Array, one: number, other: number) => boolean

/**
 * True when `test` is true for a pair of edges whose boxes meet; most pairs that follow each other are left out. Only for lists of few
 * edges.
 */
export function someMeet(edges: Edges, xy: Float64Array, test: PairTest): boolean {
  const { box, ring } = edges
  listSlices(edges)
  for (let one = 1; one < edges.count; one += 1) {
    const mine = slices[one]!
    const end = ring[one] === ring[one - 1] ? one - 1 : one
    for (let other = 0; other < end; other += 1) {
      const shared = mine & slices[other]!
      // Both halves must share a slice.
      if (Math.imul(shared & lowHalf, shared >>> count) === 0) continue
      const at = one * 4
      const by = other * 4
      if (box[at]! > box[by + 2]! || box[at + 2]! < box[by]!) continue
      if (box[at + 1]! > box[by + 3]! || box[at + 3]! < box[by + 1]!) continue
      if (test(edges, xy, other, one)) return true
    }
  }
  return false
}

/** A bit for each slice that an edge's box touches: west to east in the low half, south to north in the high one. */
function listSlices({ box, count: edges }: Edges): void {
  let west = Infinity
  let south = Infinity
  let east = -Infinity
  let north = -Infinity
  for (let at = 0; at < edges * 4; at += 4) {
    west = Math.min(west, box[at]!)
    south = Math.min(south, box[at + 1]!)
    east = Math.max(east, box[at + 2]!)
    north = Math.max(north, box[at + 3]!)
  }
  const perX = upToEnd / (east - west)
  const perY = upToEnd / (north - south)
  for (let edge = 0; edge < edges; edge += 1) {
    const at = edge * 4
    const x = between((box[at]! - west) * perX, (box[at + 2]! - west) * perX)
    const y = between((box[at + 1]! - south) * perY, (box[at + 3]! - south) * perY)
    slices[edge] = x | (y << count)
  }
}

function between(low: number, high: number): number {
  return (2 << (high | 0)) - (1 << (low | 0))
}
