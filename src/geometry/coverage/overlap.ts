/**
 * Measures the common land of two boundaries: it cuts the ground into slabs at the heights where a side ends or two sides cross, so
 * that every side is straight within a slab. Sides on top of each other need no special case.
 */

import { emptyBox, widen, type GrowingBox } from '../../core/shape.ts'
import { bandAt, bandSides, type Bands } from '../validity/height-bands.ts'
import type { NearPairs } from './near-pairs.ts'
import { doubled, type Ground, type Sides, type SidesAt } from './sides.ts'

// Where many sides cross most heights, as in a comb or along a winding fence, exact slabs would take more steps than this; then
// the slabs lie at even distances, and the area is right to about one part in a thousand.
const mostSteps = 1_000_000
const stepsOfLines = 150_000
const leastLines = 100
// Rounding makes ends that are meant to be equal differ slightly.
const thinnestM = 1e-6
// Lines that are meant to be one differ by the rounding of their coordinates, which does not count as reach.
const roundingM = 0.03

// Reused: one pair is measured at a time.
let heights: Float64Array = new Float64Array(1024)
let heightCount = 0

type Found = { areaM2: number; x: number; y: number; largest: number; moment: number; readonly box: GrowingBox }

/**
 * Measures the common land of two boundaries on this ground, in metres: its area, where most of it lies, its length from end to end, and
 * its thickness across its sides; zero where they only touch. Where two people drew one fence, the lines cross again and again by
 * centimetres; only the thickness shows that. `pairs` are the sides that may cross.
 */
export function overlapOf(one: SidesAt, other: SidesAt, ground: Ground, pairs: NearPairs) {
  const box = emptyBox()
  const found: Found = { areaM2: 0, x: 0, y: 0, largest: 0, moment: 0, box }
  startCrossing(ones, one, ground)
  startCrossing(others, other, ground)
  const cuts = cutUp(one.near, other.near, ground, pairs)
  for (let cut = 1; cut < cuts; cut += 1) {
    const height = heights[cut]! - heights[cut - 1]!
    if (height < thinnestM) continue
    const y = (heights[cut]! + heights[cut - 1]!) / 2
    cross(ones, y)
    if (ones.count === 0) continue
    cross(others, y)
    if (others.count > 0) addCommon(found, ground, y, height)
  }
  const [west, south, east, north] = box
  const reachM = west > east ? 0 : Math.hypot(east - west, north - south)
  const thicknessM = found.areaM2 > 0 ? found.moment / found.areaM2 : Infinity
  return { areaM2: found.areaM2, x: found.x, y: found.y, reachM, thicknessM }
}

/** Where the sides of one boundary cross a height, from west to east, and how far each leans east for a step north. */
type Crossing = {
  near: Sides
  left: Sides
  nearBands: Bands | undefined
  leftBands: Bands | undefined
  /** How many sides cross a height on average. */
  passing: number
  xs: Float64Array
  leans: Float64Array
  count: number
  /** The sides that cross the height: where they are in the list of their band, or in `few` where there are no bands. */
  readonly places: Int32Array
  readonly few: Int32Array
}

const fewSides = 64
const mostInOrder = 48
const noSides: Sides = { values: new Float64Array(0), count: 0 }
// Reused for each pair.
const [ones, others] = [noCrossing(), noCrossing()]

function noCrossing(): Crossing {
  const [xs, leans] = [new Float64Array(256), new Float64Array(256)]
  const [places, few] = [new Int32Array(mostInOrder), new Int32Array(fewSides)]
  const bands = { nearBands: undefined, leftBands: undefined }
  return { near: noSides, left: noSides, ...bands, passing: 0, xs, leans, count: 0, places, few }
}

function startCrossing(crossing: Crossing, { near, left }: SidesAt, { tall }: Ground): void {
  let rise = 0
  for (let at = 0; at < near.count * 4; at += 4) rise += Math.abs(near.values[at + 3]! - near.values[at + 1]!)
  crossing.near = near
  crossing.left = left
  for (let side = 0; side < fewSides; side += 1) crossing.few[side] = side
  crossing.nearBands = bandsOf(near)
  crossing.leftBands = bandsOf(left)
  crossing.passing = 1 + Math.min(near.count, rise / tall)
}

function bandsOf({ values, count }: Sides): Bands | undefined {
  return count <= fewSides ? undefined : bandSides(count, (side, end) => values[side * 4 + 1 + 2 * end]!)
}

// Fills `heights` with the limits of the slabs from south to north, and returns their number.
function cutUp(one: Sides, other: Sides, { tall }: Ground, pairs: NearPairs): number {
  const passing = ones.passing + others.passing
  const mostCuts = mostSteps / passing
  heightCount = 0
  let isExact = pairs.isWhole && one.count + other.count <= mostCuts
  if (isExact) {
    for (const { values, count } of [one, other])
      for (let at = 0; at < count * 4; at += 4) {
        // Most sides begin where the one before them ends.
        if (at === 0 || values[at + 1] !== values[at - 1]) cut(values[at + 1]!, tall)
        cut(values[at + 3]!, tall)
      }
    for (let pair = 0; pair < pairs.count * 2 && heightCount <= mostCuts; pair += 2)
      cut(heightOfCrossing(one.values, pairs.places[pair]!, other.values, pairs.places[pair + 1]!), tall)
    isExact = heightCount <= mostCuts
  }
  if (!isExact) {
    heightCount = 0
    const lines = Math.max(leastLines, Math.floor(stepsOfLines / passing))
    for (let line = 1; line < lines; line += 1) cut((tall * line) / lines, tall)
  }
  cut(0, tall)
  cut(tall, tall)
  heights.subarray(0, heightCount).sort()
  return heightCount
}

function cut(y: number, tall: number): void {
  if (!(y >= 0 && y <= tall)) return
  if (heightCount === heights.length) heights = doubled(heights)
  heights[heightCount] = y
  heightCount += 1
}

/** The height at which a side crosses the line of another one whose box meets its own; NaN where it does not. */
function heightOfCrossing(ones: Float64Array, at: number, others: Float64Array, its: number): number {
  const [x1, y1, x2, y2] = [ones[at]!, ones[at + 1]!, ones[at + 2]!, ones[at + 3]!]
  const [u1, v1, u2, v2] = [others[its]!, others[its + 1]!, others[its + 2]!, others[its + 3]!]
  if (Math.max(v1, v2) < Math.min(y1, y2) || Math.min(v1, v2) > Math.max(y1, y2)) return NaN
  if (Math.max(u1, u2) < Math.min(x1, x2) || Math.min(u1, u2) > Math.max(x1, x2)) return NaN
  const turn = (x2 - x1) * (v2 - v1) - (y2 - y1) * (u2 - u1)
  const share = ((u1 - x1) * (v2 - v1) - (v1 - y1) * (u2 - u1)) / turn
  return share > 0 && share < 1 ? y1 + share * (y2 - y1) : NaN
}

// Land west of the ground counts as a crossing at minus infinity, land east of it as one at infinity.
function cross(crossing: Crossing, y: number): void {
  const { near, left, nearBands, leftBands } = crossing
  crossing.count = 0
  let isWithin = false
  const [leftFrom, leftEnd] = placesAt(left, leftBands, y)
  for (let place = leftFrom; place < leftEnd; place += 1) {
    const at = (leftBands === undefined ? place : leftBands.sides[place]!) * 4
    if (left.values[at + 1]! > y !== left.values[at + 3]! > y) isWithin = !isWithin
  }
  if (isWithin) addCrossing(crossing, -Infinity, 0)
  const { values } = near
  const list = nearBands === undefined ? crossing.few : nearBands.sides
  const [from, end] = placesAt(near, nearBands, y)
  const first = crossing.count
  for (let place = from; place < end; place += 1) {
    const side = list[place]!
    const y1 = values[side * 4 + 1]!
    const y2 = values[side * 4 + 3]!
    if (y1 > y === y2 > y) continue
    const lean = (values[side * 4 + 2]! - values[side * 4]!) / (y2 - y1)
    const x = values[side * 4]! + (y - y1) * lean
    let at = crossing.count
    addCrossing(crossing, x, lean)
    if (at >= mostInOrder) continue
    const { xs, leans, places } = crossing
    // The list keeps this order, so that the next height finds its sides almost in order.
    for (places[at] = place; at > first && xs[at - 1]! > x; at -= 1) {
      xs[at] = xs[at - 1]!
      leans[at] = leans[at - 1]!
      list[places[at]!] = list[places[at - 1]!]!
    }
    xs[at] = x
    leans[at] = lean
    list[places[at]!] = side
  }
  if (crossing.count % 2 === 1) addCrossing(crossing, Infinity, 0)
  const { xs, leans, count } = crossing
  if (count <= mostInOrder) return
  // The lean of each of so many sides does not matter.
  xs.subarray(0, count).sort()
  leans.fill(0, 0, count)
}

function placesAt({ count }: Sides, bands: Bands | undefined, y: number): readonly [from: number, end: number] {
  if (bands === undefined) return [0, count]
  const band = bandAt(bands, y)
  return [bands.first[band]!, bands.first[band + 1]!]
}

function addCrossing(crossing: Crossing, x: number, lean: number): void {
  if (crossing.count === crossing.xs.length) {
    crossing.xs = doubled(crossing.xs)
    crossing.leans = doubled(crossing.leans)
  }
  crossing.xs[crossing.count] = x
  crossing.leans[crossing.count] = lean
  crossing.count += 1
}

// oxlint-disable-next-line max-params -- the innermost step of the comparison
function addCommon(found: Found, ground: Ground, y: number, height: number): void {
  for (let at = 0, its = 0; at < ones.count && its < others.count;) {
    const west = Math.max(ones.xs[at]!, others.xs[its]!, 0)
    const east = Math.min(ones.xs[at + 1]!, others.xs[its + 1]!, ground.wide)
    if (east > west) {
      const areaM2 = (east - west) * height
      const lean = (leanAt(at, its, west) + leanAt(at + 1, its + 1, east)) / 2
      found.areaM2 += areaM2
      found.moment += (areaM2 * (east - west)) / Math.sqrt(1 + lean * lean)
      if (areaM2 > found.largest) {
        found.largest = areaM2
        found.x = (west + east) / 2
        found.y = y
      }
      if (east - west > roundingM) widen(found.box, [west, y - height / 2, east, y + height / 2])
    }
    if (ones.xs[at + 1]! < others.xs[its + 1]!) at += 2
    else its += 2
  }
}

function leanAt(at: number, its: number, x: number): number {
  if (ones.xs[at] === x) return ones.leans[at]!
  return others.xs[its] === x ? others.leans[its]! : 0
}
