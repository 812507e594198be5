/** Finds the pairs of sides of two boundaries whose boxes come near each other, without comparing each with each. */

import { bandAt, bandSides, type Bands } from './bands.ts'
import type { Sides } from './sides.ts'

// So many pairs are compared as they are.
const fewPairs = 4096
// A tenth of a second. Sides that pass each other by the thousand at a slant are not followed further.
const mostLooks = 30_000_000

/** The sides' places in their values, four numbers each. */
type Visit = (one: number, other: number) => void

/** Calls `visit` once with each pair whose boxes come within a distance. False when there were too many to look at all of them. */
export function forNearPairs(one: Sides, other: Sides, withinM: number, visit: Visit): boolean {
  const isFew = one.count * other.count <= fewPairs
  // Along the axis on which fewer sides lie behind each other.
  const axis = isFew || crowdOf(other, 1) <= crowdOf(other, 0) ? 1 : 0
  const bands = isFew ? undefined : bandSides(other.count, (side, end) => other.values[side * 4 + axis + 2 * end]!)
  let looks = 0
  for (let at = 0; at < one.count * 4; at += 4) {
    const { values } = one
    const west = Math.min(values[at]!, values[at + 2]!) - withinM
    const east = Math.max(values[at]!, values[at + 2]!) + withinM
    const south = Math.min(values[at + 1]!, values[at + 3]!) - withinM
    const north = Math.max(values[at + 1]!, values[at + 3]!) + withinM
    const low = axis === 1 ? south : west
    const [firstBand, lastBand] =
      bands === undefined ? [0, 0] : [bandAt(bands, low), bandAt(bands, axis === 1 ? north : east)]
    for (let band = firstBand; band <= lastBand; band += 1) {
      const [from, end] = bands === undefined ? [0, other.count] : [bands.first[band]!, bands.first[band + 1]!]
      looks += end - from
      if (looks > mostLooks) return false
      for (let place = from; place < end; place += 1) {
        const its = (bands === undefined ? place : bands.sides[place]!) * 4
        const [x1, y1, x2, y2] = [
          other.values[its]!,
          other.values[its + 1]!,
          other.values[its + 2]!,
          other.values[its + 3]!,
        ]
        if ((y1 > north && y2 > north) || (y1 < south && y2 < south)) continue
        if ((x1 < west && x2 < west) || (x1 > east && x2 > east)) continue
        if (
          bands !== undefined &&
          band > firstBand &&
          isInBandBefore(bands, band, axis === 1 ? Math.min(y1, y2) : Math.min(x1, x2))
        )
          continue
        visit(at, its)
      }
    }
  }
  return true
}

function isInBandBefore(bands: Bands, band: number, low: number): boolean {
  return bandAt(bands, low) < band
}

function crowdOf({ values, count }: Sides, axis: 0 | 1): number {
  let [low, high, sum] = [Infinity, -Infinity, 0]
  for (let at = axis; at < count * 4; at += 4) {
    const [one, other] = [values[at]!, values[at + 2]!]
    low = Math.min(low, one, other)
    high = Math.max(high, one, other)
    sum += Math.abs(one - other)
  }
  return sum / (high - low)
}
