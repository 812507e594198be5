/** Finds the side of a line on which a point lies. The result is exact. */

import { orient2d } from 'robust-predicates'

/** Above zero when vertex c lies left of the line from vertex a to vertex b, below zero when right of it, zero when exactly on it. */
export function sideOf(xy: Float64Array, a: number, b: number, c: number): number {
  // The package counts y downwards.
  return -orient2d(xy[a * 2]!, xy[a * 2 + 1]!, xy[b * 2]!, xy[b * 2 + 1]!, xy[c * 2]!, xy[c * 2 + 1]!)
}
