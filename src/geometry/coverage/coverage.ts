/** Compares the boundaries of a whole file with each other, and finds those with common land. */

import { rowsPerBatch } from '../../core/row.ts'
import { boxOf, degreesAt, stepsAt, turnSteps, verticesIn, type Boundaries } from './boundary-grid.ts'
import type { Box } from '../../core/shape.ts'
import { indexBoxes } from '../validity/box-index.ts'
import { startLongBoundaries, type LongBoundaries } from './long-boundaries.ts'
import { nearPairs } from './near-pairs.ts'
import { fillSides, roomForSides, type Ground, type SidesAt } from './sides.ts'
import { overlapOf } from './overlap.ts'
import { placesNear } from './close-runs.ts'
import { scanCommon } from './scan-lines.ts'

/** Two boundaries with common land, and the middle of it. */
export type Meeting = {
  /** The numbers of both, the smaller one first. */
  readonly one: number
  readonly other: number
  readonly areasM2: readonly [number, number]
  readonly areaM2: number
  readonly lon: number
  readonly lat: number
  /** All boundaries identical to these. The first is compared with each copy, and only the first with all others. */
  readonly copies?: readonly number[]
}

/** The strip of the grid to report, from its first column to before its last: what is west of it or east of it is left out. */
export type Within = { readonly from: number; readonly until: number }

const leastM2 = 1

/** Finds the boundaries with common land: each pair once, in batches, in no order. */
export function* findMeetings(boundaries: Boundaries, within?: Within): Generator<readonly Meeting[]> {
  const { boxes, own } = boundaries
  const isCopy = new Uint8Array(boundaries.count)
  for (const copies of copiesOf(boundaries)) {
    for (const copy of copies.slice(1)) isCopy[copy] = 1
    if (isWithin(boxes[copies[0]! * 4]!, within)) yield meetingsOfCopies(boundaries, copies)
  }
  const index = indexBoxes(boxes)
  const long = startLongBoundaries(boundaries)
  const rooms = [roomForSides(), roomForSides()] as const
  let found: Meeting[] = []
  // Those in one region follow each other, so that most of what is read is in memory.
  for (const [place, one] of index.inOrder().entries()) {
    if (isCopy[one] === 1) continue
    const [west, south, east, north] = boxOf(boxes, one)
    // A boundary across 180 degrees has neighbours at the other end of the grid.
    for (const turned of east > turnSteps ? [0, turnSteps] : [0])
      for (const other of index.search([west - turned, south, east - turned, north])) {
        const isTurn = isCopy[other] === 0 && (turned === 0 ? one < other : one !== other)
        if (!isTurn || (one >= own && other >= own)) continue
        if (isWithin(Math.max(west - turned, boxes[other * 4]!), within))
          meet(boundaries, { one, other, turned, rooms, long }, found)
      }
    if (place % rowsPerBatch !== rowsPerBatch - 1) continue
    yield found
    found = []
  }
  yield found
}

function isWithin(west: number, within: Within | undefined): boolean {
  return within === undefined || (west >= within.from && west < within.until)
}

/** Lists groups of identical boundaries, whichever vertex or part comes first, in the order of their numbers. */
function copiesOf(boundaries: Boundaries): readonly (readonly number[])[] {
  const all = Uint32Array.from({ length: boundaries.count }, (_, boundary) => boundary)
  // Few have the same box, and only these are read.
  const alike = groupsBy(all, (boundary) => boxSum(boundaries, boundary)).flat()
  return groupsBy(
    alike.sort((one, other) => one - other),
    (boundary) => sideSum(boundaries, boundary),
  )
}

/** The numbers that share a sum with others, in groups. */
function groupsBy(numbers: ArrayLike<number>, sumOf: (number: number) => number): readonly (readonly number[])[] {
  const sums = Float64Array.from(numbers, sumOf)
  // A map of all sums would take several times the memory.
  const repeated = new Set(sums.toSorted().filter((sum, place, sorted) => sum === sorted[place - 1]))
  const groups = new Map<number, number[]>()
  for (const [place, sum] of sums.entries()) {
    const group = groups.get(sum)
    if (group !== undefined) group.push(numbers[place]!)
    else if (repeated.has(sum)) groups.set(sum, [numbers[place]!])
  }
  return [...groups.values()]
}

function boxSum({ boxes }: Boundaries, boundary: number): number {
  const [west, south, east, north] = boxOf(boxes, boundary)
  return mix(mix(west, south), mix(east, north))
}

// A sum over all sides does not depend on their order; two sums of 26 bits each fit exactly into one number.
function sideSum({ read }: Boundaries, boundary: number): number {
  const { words, at } = read(boundary)
  const rings = words[at]!
  const first = at + 1 + rings
  let [one, other] = [0, 0]
  for (let ring = 0, start = first; ring < rings; ring += 1) {
    const end = first + words[at + 1 + ring]! * 2
    for (let vertex = start + 2; vertex < end; vertex += 2) {
      const [from, to] = [mix(words[vertex - 2]!, words[vertex - 1]!), mix(words[vertex + 1]!, words[vertex]!)]
      one = (one + mix(from, to)) | 0
      other = (other + mix(to, from)) | 0
    }
    start = end
  }
  return (one >>> 6) * 2 ** 26 + (other >>> 6)
}

// The final steps of MurmurHash3, which spread every bit over all 32.
function mix(one: number, other: number): number {
  let bits = Math.imul(one, 0x9e3779b1) ^ other
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return bits ^ (bits >>> 16)
}

function meetingsOfCopies({ own, areaM2, boxes }: Boundaries, copies: readonly number[]): readonly Meeting[] {
  const one = copies[0]!
  if (one >= own) return []
  const area = areaM2(one)
  const [west, south, east, north] = boxOf(boxes, one)
  const middle = degreesAt((west + east) / 2, (south + north) / 2)
  return copies.slice(1).map((other) => ({
    one,
    other,
    areasM2: [area, area],
    areaM2: area,
    ...middle,
    copies,
  }))
}

type Pair = {
  readonly one: number
  readonly other: number
  readonly turned: number
  readonly rooms: readonly [SidesAt, SidesAt]
  readonly long: LongBoundaries
}

function meet(boundaries: Boundaries, pair: Pair, into: Meeting[]): void {
  const { one, other, turned, rooms, long } = pair
  const box = commonBox(boundaries.boxes, pair)
  const whole = groundOf(box)
  const areasM2 = [boundaries.areaM2(Math.min(one, other)), boundaries.areaM2(Math.max(one, other))] as const
  const addMeeting = (areaM2: number, { x, y }: Place, { column, row, stepX, stepY }: Ground): void => {
    if (areaM2 < leastM2) return
    const place = degreesAt(column + x / stepX, row + y / stepY)
    into.push({ one: Math.min(one, other), other: Math.max(one, other), areasM2, areaM2, ...place })
  }
  const isMuch = sidesNear(boundaries, pair, box) >= fewSides
  const ground = isMuch ? scanLong(long, pair, box, whole) : whole
  if (ground === undefined) return
  // The area between the scan lines is an estimate, so it must not exceed either boundary.
  if ('lines' in ground) return addMeeting(Math.min(ground.areaM2, ...areasM2), ground, whole)
  const [ones, others] = rooms
  fillSides(ones, boundaries.read(one), ground, { marginM: 0, turned: 0, runs: long.runsOf(one) })
  if (isBeside(ones)) return
  fillSides(others, boundaries.read(other), ground, { marginM: 0, turned, runs: long.runsOf(other) })
  if (isBeside(others)) return
  const pairs = nearPairs(ones.near, others.near, 0)
  if (ground.wide <= 0 || ground.tall <= 0) return
  const overlap = overlapOf(ones, others, ground, pairs)
  addMeeting(overlap.areaM2, overlap, ground)
}

type Place = { readonly x: number; readonly y: number }

/** True for a boundary without sides on the ground or west of it, which cannot cover the ground. */
function isBeside({ near, left }: SidesAt): boolean {
  return near.count === 0 && left.count === 0
}

const fewSides = 256

/** Estimates how many sides of both lie in their common box, by its share of the box of each. */
function sidesNear({ boxes, read }: Boundaries, { one, other }: Pair, box: Box): number {
  const [ones, others] = [verticesIn(read(one)), verticesIn(read(other))]
  if (ones + others < fewSides) return 0
  const shareOf = (boundary: number): number => areaOf(box) / Math.max(1, areaOf(boxOf(boxes, boundary)))
  return ones * shareOf(one) + others * shareOf(other)
}

function areaOf([west, south, east, north]: Box): number {
  return Math.max(0, east - west) * Math.max(0, north - south)
}

// Common land on so many lines and so wide is not a strip along a fence, whatever its direction.
const clearLines = 64
const clearWidthM = 32

/**
 * The land that two long boundaries clearly have in common, or the ground on which to compare their sides; undefined where they are
 * apart.
 */
function scanLong(long: LongBoundaries, { one, other, turned }: Pair, box: Box, ground: Ground) {
  const [lines, otherLines] = [long.scanLinesOf(one), long.scanLinesOf(other)]
  const common = scanCommon(lines, otherLines, ground, turned)
  const isClear = common.lines >= clearLines && Math.min(common.tallM, common.wideM) >= clearWidthM
  if (isClear) return common
  const [runs, otherRuns] = [long.runsOf(one), long.runsOf(other)]
  if (common.lines > 0 || lines.missed || otherLines.missed || !runs || !otherRuns) return ground
  const near = placesNear(runs, otherRuns, { marginX: 0, marginY: 0, turned })
  if (near === undefined) return undefined
  const [west, south, east, north] = near
  return groundOf([Math.max(box[0], west), Math.max(box[1], south), Math.min(box[2], east), Math.min(box[3], north)])
}

/** The common box of two boxes; where they are apart, its width or height is negative. */
function commonBox(boxes: Uint32Array, { one, other, turned }: Pair): Box {
  const [[west, south, east, north], its] = [boxOf(boxes, one), boxOf(boxes, other)]
  return [
    Math.max(west, its[0] + turned),
    Math.max(south, its[1]),
    Math.min(east, its[2] + turned),
    Math.min(north, its[3]),
  ]
}

function groundOf([west, south, east, north]: Box): Ground {
  const steps = stepsAt((south + north) / 2)
  return { column: west, row: south, ...steps, wide: (east - west) * steps.stepX, tall: (north - south) * steps.stepY }
}
