/**
 * Hides how much land two boundaries have in common: the ground is cut into slabs between the heights where a side ends or two
 * sides cross, and in a slab every side is straight. Sides that lie on each other need no special case, because nothing is joined anew.
 */

import type { Ground, Sides, SidesAt } from './sides.ts'

/** Common land: how much, where most of it lies, and how far it reaches from end to end; in metres on the ground. */
export type Overlap = { readonly areaM2: number; readonly x: number; readonly y: number; readonly reachM: number }

// Beyond this many sides the ground is measured along lines, evenly apart: good to a hundredth of what is found.
const mostSides = 512
const lines = 4000
// Rounded coordinates make ends that are meant to be one differ by a hair.
const thinnestM = 1e-6

// One pair is measured at a time.
let heights: Float64Array = new Float64Array(1024)
let ones: Float64Array = new Float64Array(256)
let others: Float64Array = new Float64Array(256)

type Found = { areaM2: number; x: number; y: number; largest: number; readonly box: [number, number, number, number] }

/** Measures what two boundaries have in common on this ground; zero where they only touch. */
export function overlapOf(one: SidesAt, other: SidesAt, ground: Ground): Overlap {
  const found: Found = { areaM2: 0, x: 0, y: 0, largest: 0, box: [Infinity, Infinity, -Infinity, -Infinity] }
  const cuts = cutUp(one.near, other.near, ground)
  for (let cut = 1; cut < cuts; cut += 1) {
    const height = heights[cut]! - heights[cut - 1]!
    if (height < thinnestM) continue
    const y = (heights[cut]! + heights[cut - 1]!) / 2
    ones = crossed(one, y, ones)
    if (ones[0] === 0) continue
    others = crossed(other, y, others)
    if (others[0] !== 0) addCommon(found, ground, y, height)
  }
  const [west, south, east, north] = found.box
  const reachM = west > east ? 0 : Math.hypot(east - west, north - south)
  return { areaM2: found.areaM2, x: found.x, y: found.y, reachM }
}

let higherOnes: Float64Array = new Float64Array(256)
let higherOthers: Float64Array = new Float64Array(256)

/**
 * How thick the common land is across its sides, in the middle of all. Two that follow one fence with the hands of two people weave
 * through each other by centimetres all along; how far that reaches says nothing.
 */
export function thicknessOf(one: SidesAt, other: SidesAt, ground: Ground): number {
  let [areaM2, moment] = [0, 0]
  const cuts = cutUp(one.near, other.near, ground)
  for (let cut = 1; cut < cuts; cut += 1) {
    const height = heights[cut]! - heights[cut - 1]!
    if (height < thinnestM) continue
    const y = (heights[cut]! + heights[cut - 1]!) / 2
    const rise = height / 4
    ones = crossed(one, y, ones)
    others = crossed(other, y, others)
    if (ones[0] === 0 || others[0] === 0) continue
    higherOnes = crossed(one, y + rise, higherOnes)
    higherOthers = crossed(other, y + rise, higherOthers)
    for (let at = 1, its = 1; at < ones[0]! && its < others[0]!;) {
      const [west, east] = [Math.max(ones[at]!, others[its]!), Math.min(ones[at + 1]!, others[its + 1]!)]
      if (east > west) {
        const westward = ones[at] === west ? higherOnes[at]! - west : higherOthers[its]! - west
        const eastward = ones[at + 1] === east ? higherOnes[at + 1]! - east : higherOthers[its + 1]! - east
        const lean = (westward + eastward) / 2 / rise
        const thick = (east - west) / Math.sqrt(1 + lean * lean)
        areaM2 += (east - west) * height
        moment += (east - west) * height * thick
      }
      if (ones[at + 1]! < others[its + 1]!) at += 2
      else its += 2
    }
  }
  return areaM2 > 0 && Number.isFinite(moment) ? moment / areaM2 : Infinity
}

// Fills `heights` with where the slabs begin and end, from below, and tells how many there are.
function cutUp(one: Sides, other: Sides, { tall }: Ground): number {
  const isMany = one.count + other.count > mostSides
  let count = 0
  const cut = (y: number): void => {
    if (y <= 0 || y >= tall) return
    if (count + 2 >= heights.length) heights = grown(heights)
    heights[count] = y
    count += 1
  }
  if (isMany) for (let line = 1; line < lines; line += 1) cut((tall * line) / lines)
  else {
    for (const { values, count: sides } of [one, other])
      for (let at = 0; at < sides * 4; at += 4) {
        cut(values[at + 1]!)
        cut(values[at + 3]!)
      }
    cutAtCrossings(one, other, cut)
  }
  heights[count] = 0
  heights[count + 1] = tall
  sortFirst(heights, 0, count + 2)
  return count + 2
}

function cutAtCrossings(one: Sides, other: Sides, cut: (y: number) => void): void {
  for (let at = 0; at < one.count * 4; at += 4) {
    const x1 = one.values[at]!
    const y1 = one.values[at + 1]!
    const x2 = one.values[at + 2]!
    const y2 = one.values[at + 3]!
    const west = x1 < x2 ? x1 : x2
    const east = x1 < x2 ? x2 : x1
    const south = y1 < y2 ? y1 : y2
    const north = y1 < y2 ? y2 : y1
    for (let its = 0; its < other.count * 4; its += 4) {
      const u1 = other.values[its]!
      const v1 = other.values[its + 1]!
      const u2 = other.values[its + 2]!
      const v2 = other.values[its + 3]!
      if ((v1 < south && v2 < south) || (v1 > north && v2 > north)) continue
      if ((u1 < west && u2 < west) || (u1 > east && u2 > east)) continue
      const turn = (x2 - x1) * (v2 - v1) - (y2 - y1) * (u2 - u1)
      if (turn === 0) continue
      const share = ((u1 - x1) * (v2 - v1) - (v1 - y1) * (u2 - u1)) / turn
      if (share > 0 && share < 1) cut(y1 + share * (y2 - y1))
    }
  }
}

// Where the boundary is crossed at this height, from the west, counted from place 1; place 0 says how many. What lies west of the
// ground counts as one crossing far out, what lies east of it as one at the far end.
function crossed({ near, left }: SidesAt, y: number, given: Float64Array): Float64Array {
  let xs = given
  let count = 0
  let isWithin = false
  for (let at = 0; at < left.count * 4; at += 4)
    if (left.values[at + 1]! > y !== left.values[at + 3]! > y) isWithin = !isWithin
  if (isWithin) xs[(count += 1)] = -Infinity
  const { values } = near
  for (let at = 0; at < near.count * 4; at += 4) {
    const y1 = values[at + 1]!
    const y2 = values[at + 3]!
    if (y1 > y === y2 > y) continue
    if (count + 3 > xs.length) xs = grown(xs)
    xs[(count += 1)] = values[at]! + ((y - y1) / (y2 - y1)) * (values[at + 2]! - values[at]!)
  }
  if (count % 2 === 1) xs[(count += 1)] = Infinity
  sortFirst(xs, 1, count + 1)
  xs[0] = count
  return xs
}

// oxlint-disable-next-line max-params -- the innermost step: an object for each slab takes longer than the comparing
function addCommon(found: Found, ground: Ground, y: number, height: number): void {
  const [count, itsCount] = [ones[0]!, others[0]!]
  for (let at = 1, its = 1; at < count && its < itsCount;) {
    const west = Math.max(ones[at]!, others[its]!, 0)
    const east = Math.min(ones[at + 1]!, others[its + 1]!, ground.wide)
    if (east > west) {
      const areaM2 = (east - west) * height
      found.areaM2 += areaM2
      if (areaM2 > found.largest) {
        found.largest = areaM2
        found.x = (west + east) / 2
        found.y = y
      }
      // Lines that are meant to be one differ by the rounding of their coordinates, which reaches nowhere.
      if (east - west > roundingM) widen(found.box, { west, east, south: y - height / 2, north: y + height / 2 })
    }
    if (ones[at + 1]! < others[its + 1]!) at += 2
    else its += 2
  }
}

const roundingM = 0.03

type Piece = { readonly west: number; readonly east: number; readonly south: number; readonly north: number }

function widen(box: [number, number, number, number], { west, east, south, north }: Piece): void {
  if (west < box[0]) box[0] = west
  if (south < box[1]) box[1] = south
  if (east > box[2]) box[2] = east
  if (north > box[3]) box[3] = north
}

// Sorting a few in place takes a fraction of the library's call.
function sortFirst(values: Float64Array, from: number, to: number): void {
  if (to - from > 48) {
    values.subarray(from, to).sort()
    return
  }
  for (let at = from + 1; at < to; at += 1) {
    const value = values[at]!
    let place = at
    for (; place > from && values[place - 1]! > value; place -= 1) values[place] = values[place - 1]!
    values[place] = value
  }
}

function grown(values: Float64Array): Float64Array {
  const larger = new Float64Array(values.length * 2)
  larger.set(values)
  return larger
}
