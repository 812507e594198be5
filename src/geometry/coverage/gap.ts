/** Measures the gap between two boundaries: sides that face each other at a small distance. */

import type { NearPairs } from './near-pairs.ts'
import type { Sides } from './sides.ts'

/** The gap between two boundaries: its area, its length and a place in it, in metres on the ground. */
export type Gap = { readonly areaM2: number; readonly lengthM: number; readonly x: number; readonly y: number }

// Sides that face each other run in opposite directions, within 15 degrees.
const mostTurn = Math.cos((15 * Math.PI) / 180) ** 2
// Lines nearer than this are one line that was rounded twice.
const nearestM = 0.03

type Found = { areaM2: number; lengthM: number; longest: number; x: number; y: number }

/** Measures the gaps between two boundaries up to a width. Land lies left of every side. */
export function gapOf(one: Sides, other: Sides, pairs: NearPairs, widestM: number): Gap {
  const found: Found = { areaM2: 0, lengthM: 0, longest: 0, x: 0, y: 0 }
  for (let pair = 0; pair < pairs.count * 2; pair += 2)
    addStrip(found, one.values, pairs.places[pair]!, { values: other.values, its: pairs.places[pair + 1]!, widestM })
  return found
}

type Facing = { readonly values: Float64Array; readonly its: number; readonly widestM: number }

function addStrip(found: Found, one: Float64Array, at: number, { values, its, widestM }: Facing): void {
  const x1 = one[at]!
  const y1 = one[at + 1]!
  const alongX = one[at + 2]! - x1
  const alongY = one[at + 3]! - y1
  const itsX = values[its + 2]! - values[its]!
  const itsY = values[its + 3]! - values[its + 1]!
  const against = -(alongX * itsX + alongY * itsY)
  if (against <= 0) return
  const squared = alongX * alongX + alongY * alongY
  if (against * against < mostTurn * squared * (itsX * itsX + itsY * itsY)) return
  const length = Math.sqrt(squared)
  const ux = alongX / length
  const uy = alongY / length
  // Where the other side begins and ends along this one, and how far to the right of it.
  const begin = (values[its + 2]! - x1) * ux + (values[its + 3]! - y1) * uy
  const end = (values[its]! - x1) * ux + (values[its + 1]! - y1) * uy
  const outAtBegin = (values[its + 2]! - x1) * uy - (values[its + 3]! - y1) * ux
  const outAtEnd = (values[its]! - x1) * uy - (values[its + 1]! - y1) * ux
  const slope = (outAtEnd - outAtBegin) / (end - begin)
  let from = Math.max(0, begin)
  let to = Math.min(length, end)
  // Only where the gap is neither closed nor too wide.
  if (slope !== 0) {
    const closes = begin + (nearestM - outAtBegin) / slope
    const opens = begin + (widestM - outAtBegin) / slope
    from = Math.max(from, Math.min(closes, opens))
    to = Math.min(to, Math.max(closes, opens))
  } else if (outAtBegin < nearestM || outAtBegin > widestM) return
  if (to <= from) return
  const middle = (from + to) / 2
  const out = outAtBegin + (middle - begin) * slope
  found.areaM2 += (to - from) * out
  found.lengthM += to - from
  if (to - from <= found.longest) return
  found.longest = to - from
  found.x = x1 + middle * ux + (out / 2) * uy
  found.y = y1 + middle * uy - (out / 2) * ux
}
