/** Lists the pairs of sides of two boundaries that come near each other. */

import { indexBoxes } from '../validity/box-index.ts'
import { doubled, type Sides } from './sides.ts'

/** The sides' places in their values, two numbers a pair. The list is valid until the next call; `isWhole` is false when it ends early. */
export type NearPairs = { readonly places: Int32Array; readonly count: number; readonly isWhole: boolean }

// So many pairs are compared without an index.
const fewPairs = 4096
// Some tenths of a second; thousands of long sides close beside each other are not compared further.
const mostLooks = 30_000_000

let places: Int32Array = new Int32Array(256)
let count = 0

/** Lists each pair once that comes within a distance and lies abreast: only such sides cross or face each other. */
export function nearPairs(one: Sides, other: Sides, withinM: number): NearPairs {
  count = 0
  const isFew = one.count * other.count <= fewPairs
  const index = isFew ? undefined : indexBoxes(other.values.subarray(0, other.count * 4))
  const { values } = one
  let looks = 0
  for (let at = 0; at < one.count * 4; at += 4) {
    const west = Math.min(values[at]!, values[at + 2]!) - withinM
    const east = Math.max(values[at]!, values[at + 2]!) + withinM
    const south = Math.min(values[at + 1]!, values[at + 3]!) - withinM
    const north = Math.max(values[at + 1]!, values[at + 3]!) + withinM
    if (index === undefined) {
      for (let its = 0; its < other.count * 4; its += 4) {
        const [x1, y1] = [other.values[its]!, other.values[its + 1]!]
        const [x2, y2] = [other.values[its + 2]!, other.values[its + 3]!]
        if ((y1 > north && y2 > north) || (y1 < south && y2 < south)) continue
        if ((x1 < west && x2 < west) || (x1 > east && x2 > east)) continue
        if (areAbreast(values, at, other.values, its)) addPair(at, its)
      }
      continue
    }
    const isTooMuch = index.visit(west, south, east, north, (side) => {
      if (areAbreast(values, at, other.values, side * 4)) addPair(at, side * 4)
      return (looks += 1) > mostLooks
    })
    if (isTooMuch) return { places, count, isWhole: false }
  }
  return { places, count, isWhole: true }
}

/** False when a side lies wholly before or behind another one, in the direction of that. */
function areAbreast(values: Float64Array, at: number, others: Float64Array, its: number): boolean {
  const [fromX, fromY] = [values[at]!, values[at + 1]!]
  const [alongX, alongY] = [values[at + 2]! - fromX, values[at + 3]! - fromY]
  const squared = alongX * alongX + alongY * alongY
  const begin = (others[its]! - fromX) * alongX + (others[its + 1]! - fromY) * alongY
  const end = (others[its + 2]! - fromX) * alongX + (others[its + 3]! - fromY) * alongY
  return (begin > 0 || end > 0) && (begin < squared || end < squared)
}

function addPair(at: number, its: number): void {
  if (count * 2 === places.length) places = doubled(places)
  places[count * 2] = at
  places[count * 2 + 1] = its
  count += 1
}
