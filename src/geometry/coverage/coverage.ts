/** Compares the boundaries of a whole file with each other, and finds overlaps and gaps. */

import { rowsPerBatch } from '../../core/row.ts'
import { boxOf, degreesAt, stepsAt, turnSteps, verticesIn, type Boundaries } from './boundary-grid.ts'
import type { Box } from '../../core/shape.ts'
import { gapOf, type Gap } from './gap.ts'
import { startLongBoundaries, type LongBoundaries } from './long-boundaries.ts'
import { nearPairs } from './near-pairs.ts'
import { fillSides, roomForSides, type Ground, type SidesAt } from './sides.ts'
import { startNeighbours } from './neighbouring-boundaries.ts'
import { overlapOf } from './overlap.ts'
import { placesNear } from './close-runs.ts'
import { scanCommon } from './scan-lines.ts'

/** Two boundaries with common land, or a gap between them. `widthM` is its average width. */
export type Meeting = {
  readonly kind: 'overlap' | 'gap'
  /** The numbers of both, the smaller one first. */
  readonly one: number
  readonly other: number
  readonly areasM2: readonly [number, number]
  readonly areaM2: number
  readonly widthM: number
  readonly lon: number
  readonly lat: number
  /** All boundaries identical to these. The first is compared with each copy, and only the first with all others. */
  readonly copies?: readonly number[]
}

export type Comparing = {
  /** How wide a gap between two may be. */
  readonly widestGapM: number
  /** The strip of the grid to report, from its first column to before its last: what is west of it or east of it is left out. */
  readonly within?: { readonly from: number; readonly until: number }
  /** Called for a boundary that overlaps so many others that it was compared only with the nearest of them. */
  onCrowd?(boundary: number): void
}

// Two people who draw the same fence differ by this much.
const narrowestM = 0.1
const leastM2 = 1

/** Finds overlaps, and gaps up to a width: each pair once, in batches, in no order. */
export function* findMeetings(boundaries: Boundaries, comparing: Comparing): Generator<readonly Meeting[]> {
  const { widestGapM, within, onCrowd } = comparing
  const { boxes, own } = boundaries
  const isCopy = new Uint8Array(boundaries.count)
  for (const copies of copiesOf(boundaries)) {
    for (const copy of copies.slice(1)) isCopy[copy] = 1
    if (isWithin(boxes[copies[0]! * 4]!, within)) yield meetingsOfCopies(boundaries, copies)
  }
  const neighbours = startNeighbours(boundaries, isCopy, widestGapM)
  const long = startLongBoundaries(boundaries)
  const rooms = [roomForSides(), roomForSides()] as const
  let found: Meeting[] = []
  for (const [place, one] of neighbours.order.entries()) {
    // A boundary across 180 degrees has neighbours at the other end of the grid.
    for (const turned of boxes[one * 4 + 2]! > turnSteps ? [0, turnSteps] : [0]) {
      const { others, isCrowd } = neighbours.of(one, turned)
      if (isCrowd) onCrowd?.(one)
      for (const other of others) {
        const isWanted = one < own || other < own
        if (isWanted && isWithin(Math.max(boxes[one * 4]! - turned, boxes[other * 4]!), within))
          meet(boundaries, { one, other, turned, widestGapM, rooms, long }, found)
      }
    }
    if (place % rowsPerBatch !== rowsPerBatch - 1) continue
    yield found
    found = []
  }
  yield found
}

function isWithin(west: number, within: Comparing['within']): boolean {
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
    kind: 'overlap',
    one,
    other,
    areasM2: [area, area],
    areaM2: area,
    widthM: Math.sqrt(area),
    ...middle,
    copies,
  }))
}

type Pair = {
  readonly one: number
  readonly other: number
  readonly turned: number
  readonly widestGapM: number
  readonly rooms: readonly [SidesAt, SidesAt]
  readonly long: LongBoundaries
}

function meet(boundaries: Boundaries, pair: Pair, into: Meeting[]): void {
  const { one, other, turned, widestGapM, rooms, long } = pair
  const box = commonBox(boundaries.boxes, pair)
  const whole = groundOf(box)
  const areasM2 = [boundaries.areaM2(Math.min(one, other)), boundaries.areaM2(Math.max(one, other))] as const
  const addMeeting = (
    kind: Meeting['kind'],
    { areaM2, lengthM, x, y }: Gap,
    { column, row, stepX, stepY }: Ground,
  ): void => {
    const widthM = areaM2 / Math.max(lengthM, 1e-9)
    if (areaM2 < leastM2 || widthM < narrowestM) return
    const place = degreesAt(column + x / stepX, row + y / stepY)
    into.push({ kind, one: Math.min(one, other), other: Math.max(one, other), areasM2, areaM2, widthM, ...place })
  }
  const isMuch = sidesNear(boundaries, pair, box) >= fewSides
  const ground = isMuch ? scanLong(long, pair, box, whole) : whole
  if (ground === undefined) return
  if ('lines' in ground) {
    // The area between the scan lines is an estimate, so it must not exceed either boundary.
    const areaM2 = Math.min(ground.areaM2, ...areasM2)
    return addMeeting('overlap', { ...ground, areaM2, lengthM: ground.reachM }, whole)
  }
  const [ones, others] = rooms
  fillSides(ones, boundaries.read(one), ground, { marginM: widestGapM, turned: 0, runs: long.runsOf(one) })
  if (isBeside(ones)) return
  fillSides(others, boundaries.read(other), ground, { marginM: widestGapM, turned, runs: long.runsOf(other) })
  if (isBeside(others)) return
  const pairs = nearPairs(ones.near, others.near, widestGapM)
  if (ground.wide > narrowestM && ground.tall > narrowestM) {
    const overlap = overlapOf(ones, others, ground, pairs)
    const isLarge = overlap.areaM2 >= leastM2 && overlap.areaM2 >= narrowestM * overlap.reachM
    const lengthM = Math.max(overlap.reachM, overlap.areaM2 / overlap.thicknessM)
    if (isLarge) addMeeting('overlap', { ...overlap, lengthM }, ground)
  }
  addMeeting('gap', gapOf(ones.near, others.near, pairs, widestGapM), ground)
}

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
function scanLong(long: LongBoundaries, { one, other, turned, widestGapM }: Pair, box: Box, ground: Ground) {
  const [lines, otherLines] = [long.scanLinesOf(one), long.scanLinesOf(other)]
  const common = scanCommon(lines, otherLines, ground, turned)
  const isClear = common.lines >= clearLines && Math.min(common.tallM, common.wideM) >= clearWidthM
  if (isClear) return common
  const [runs, otherRuns] = [long.runsOf(one), long.runsOf(other)]
  if (common.lines > 0 || lines.missed || otherLines.missed || !runs || !otherRuns) return ground
  const [marginX, marginY] = [widestGapM / ground.stepX, widestGapM / ground.stepY]
  const near = placesNear(runs, otherRuns, { marginX, marginY, turned })
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
