/** Hides how a side is held only against those at its height, where a boundary has thousands, as along a river. */

import type { Sides } from './sides.ts'

/** Where each side begins in the values, from the lowest up, and how tall the tallest is; no order where they are few. */
export type Levels = { readonly order: Uint32Array | undefined; readonly tallest: number }

// Two hundred sides are compared as they stand.
const few = 200
const asTheyStand: Levels = { order: undefined, tallest: 0 }

/** The sides by their heights, good until the list is filled again. */
export function levelsOf({ values, count }: Sides): Levels {
  if (count <= few) return asTheyStand
  const order = Uint32Array.from({ length: count }, (_, side) => side * 4)
  order.sort((one, other) => lowOf(values, one) - lowOf(values, other))
  let tallest = 0
  for (let at = 0; at < count * 4; at += 4) tallest = Math.max(tallest, Math.abs(values[at + 1]! - values[at + 3]!))
  return { order, tallest }
}

/** The place in the order from which on sides may reach a height. */
export function firstReaching({ values }: Sides, { order, tallest }: Levels, y: number): number {
  if (order === undefined) return 0
  let [from, to] = [0, order.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (lowOf(values, order[middle]!) < y - tallest) from = middle + 1
    else to = middle
  }
  return from
}

/** The place in the order from which on sides lie above a height. */
export function firstAbove({ values, count }: Sides, { order }: Levels, y: number): number {
  if (order === undefined) return count
  let [from, to] = [0, order.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (lowOf(values, order[middle]!) <= y) from = middle + 1
    else to = middle
  }
  return from
}

function lowOf(values: Float64Array, at: number): number {
  return Math.min(values[at + 1]!, values[at + 3]!)
}
