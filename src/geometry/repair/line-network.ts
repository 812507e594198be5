/**
 * Maps lines that meet only at their ends: the points, the sides between them, and how many times the lines go round the land on
 * either side of each.
 */

import { bandAt, bandSides, listByPlace, type Bands } from '../validity/height-bands.ts'
import type { Rings } from '../measure/rings.ts'
import { sideOf } from '../validity/orientation.ts'

/**
 * Each side is two halves: half 2n runs from the lower point to the higher, half 2n+1 back. Points are in order of x, then y.
 * `passes` is how many times the lines come through each point. `around` lists the halves that leave each point, counterclockwise from
 * due south; `first` is where those of a point begin, `placeOf` the place of each half in it. `turns` is how many times the lines go
 * round the land on the left of each half, counterclockwise ones positive.
 */
export type Network = Readonly<ReturnType<typeof mapLines>>

/** Maps rings that were cut where they meet. Sides drawn equally often in both directions are left out: they enclose nothing. */
export function mapLines(rings: Rings) {
  const { points, xy } = pointsOf(rings)
  const passes = new Int32Array(xy.length / 2)
  for (const point of points) passes[point]! += 1
  // The last vertex of a ring repeats the first.
  for (const end of rings.ends) if (end > 0) passes[points[end - 1]!]! -= 1
  const { from, net } = sidesOf(rings, points, xy.length / 2)
  const network = { xy, passes, from, ...starsOf(xy, from), turns: new Int32Array(from.length) }
  countTurns(network, net)
  return network
}

/** The other half of the same side. */
export function twinOf(half: number): number {
  return half ^ 1
}

/** The number of each vertex's point, and the points. */
function pointsOf({ coordinates }: Rings): { readonly points: Int32Array; readonly xy: Float64Array } {
  const count = coordinates.length / 2
  const order = Int32Array.from({ length: count }, (_, vertex) => vertex).sort(
    (a, b) => coordinates[a * 2]! - coordinates[b * 2]! || coordinates[a * 2 + 1]! - coordinates[b * 2 + 1]!,
  )
  const points = new Int32Array(count)
  const xy = new Float64Array(count * 2)
  let last = -1
  for (const vertex of order) {
    const [x, y] = [coordinates[vertex * 2]!, coordinates[vertex * 2 + 1]!]
    if (last < 0 || xy[last * 2] !== x || xy[last * 2 + 1] !== y) {
      last += 1
      xy[last * 2] = x
      xy[last * 2 + 1] = y
    }
    points[vertex] = last
  }
  return { points, xy: xy.subarray(0, (last + 1) * 2) }
}

// Each side becomes one number, so that sorting brings equal sides together.
function sidesOf({ ends }: Rings, points: Int32Array, count: number) {
  const runs = new Float64Array(points.length)
  let used = 0
  for (let ring = 0, start = 0; ring < ends.length; start = ends[ring]!, ring += 1)
    for (let vertex = start + 1; vertex < ends[ring]!; vertex += 1) {
      const [one, other] = [points[vertex - 1]!, points[vertex]!]
      if (one === other) continue
      runs[used] = one < other ? (one * count + other) * 2 : (other * count + one) * 2 + 1
      used += 1
    }
  const sorted = runs.subarray(0, used).sort()
  const from: number[] = []
  const net: number[] = []
  for (let run = 0; run < used;) {
    const side = Math.floor(sorted[run]! / 2)
    let sum = 0
    for (; run < used && Math.floor(sorted[run]! / 2) === side; run += 1) sum += sorted[run]! % 2 === 0 ? 1 : -1
    if (sum === 0) continue
    from.push(Math.floor(side / count), side % count)
    net.push(sum)
  }
  return { from: Int32Array.from(from), net: Int32Array.from(net) }
}

function starsOf(xy: Float64Array, from: Int32Array) {
  const count = xy.length / 2
  const { first, items: around } = listByPlace(
    count,
    (length) => new Int32Array(length),
    (visit) => from.forEach(visit),
  )
  const target = (half: number): number => from[twinOf(half)]!
  for (let point = 0; point < count; point += 1) {
    if (first[point + 1]! - first[point]! < 2) continue
    around.subarray(first[point]!, first[point + 1]!).sort((one, other) => {
      // Points are in order of x, so that a higher one lies east, or due north.
      const isEast = target(one) > point
      if (isEast !== target(other) > point) return isEast ? -1 : 1
      return -sideOf(xy, point, target(one), target(other))
    })
  }
  const placeOf = new Int32Array(from.length)
  for (const [place, half] of around.entries()) placeOf[half] = place
  return { around, first, placeOf }
}

// Starts at the westernmost point of each connected piece, whose surroundings are known, and follows all sides from there.
function countTurns(network: Network, net: Int32Array): void {
  const { from, around, first, turns } = network
  const isKnown = new Uint8Array(first.length)
  const stepOver = (half: number): number => (half % 2 === 0 ? net[half >> 1]! : -net[half >> 1]!)
  let bands: Bands | undefined
  const waiting: number[] = []
  const goRound = (half: number): void => {
    const point = from[half]!
    isKnown[point] = 1
    const [start, end] = [first[point]!, first[point + 1]!]
    let sum = turns[half]!
    for (let step = 1, place = network.placeOf[half]!; step <= end - start; step += 1) {
      place = place + 1 === end ? start : place + 1
      const here = around[place]!
      if (step < end - start) turns[here] = sum += stepOver(here)
      const twin = twinOf(here)
      if (isKnown[from[twin]!] === 1) continue
      turns[twin] = turns[here]! - stepOver(here)
      waiting.push(twin)
    }
  }
  for (let point = 0; point + 1 < first.length; point += 1) {
    if (isKnown[point] === 1 || first[point] === first[point + 1]) continue
    const lowest = around[first[point]!]!
    if (point > 0) bands ??= bandSides(net.length, (side, end) => network.xy[from[side * 2 + end]! * 2 + 1]!)
    turns[lowest] = (bands === undefined ? 0 : turnsAround(network, net, bands, point)) + stepOver(lowest)
    goRound(lowest)
    for (let half = waiting.pop(); half !== undefined; half = waiting.pop())
      if (isKnown[from[half]!] === 0) goRound(half)
  }
}

// How many times the other pieces go round a point: counts the crossings of a ray to the west.
function turnsAround({ xy, from }: Network, net: Int32Array, bands: Bands, point: number): number {
  const y = xy[point * 2 + 1]!
  const band = bandAt(bands, y)
  let sum = 0
  for (let at = bands.first[band]!; at < bands.first[band + 1]!; at += 1) {
    const side = bands.sides[at]!
    const [low, high] = [from[side * 2]!, from[side * 2 + 1]!]
    // Sides are in the order of their lower point, and none that begins at a higher point can reach west of this one.
    if (low >= point) break
    const isUp = xy[high * 2 + 1]! > y
    if (isUp === xy[low * 2 + 1]! > y) continue
    const hand = sideOf(xy, low, high, point)
    if (isUp ? hand < 0 : hand > 0) sum += isUp ? -net[side]! : net[side]!
  }
  return sum
}
