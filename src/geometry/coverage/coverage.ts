/** Compares the boundaries of a whole file with each other, and finds those with common land. */

import { rowsPerBatch } from '../../core/row.ts'
import { indexBoxes } from '../validity/box-index.ts'
import {
  boxOf,
  degreesAt,
  forEachSide,
  stepM2At,
  turnSteps,
  verticesIn,
  type Boundaries,
  type GridBoundary,
} from './boundary-grid.ts'
import { commonLand, listSides, type ListedSides } from './common-land.ts'

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

// Rounding leaves some land where two only touch.
const leastM2 = 1

/** Finds the boundaries with common land: each pair once, in batches, in no order. */
export function* findMeetings(boundaries: Boundaries, within?: Within): Generator<readonly Meeting[]> {
  const { boxes, own, count, read } = boundaries
  const isCopy = new Uint8Array(count)
  for (const copies of copiesOf(boundaries)) {
    for (const copy of copies.slice(1)) isCopy[copy] = 1
    if (isWithin(boxes[copies[0]! * 4]!, within)) yield meetingsOfCopies(boundaries, copies)
  }
  const vertices = Uint32Array.from({ length: count }, (_, boundary) => verticesIn(read(boundary)))
  // The sides of the longer one of two are listed, once for all that are compared with it.
  const isFirst = (one: number, other: number): boolean =>
    vertices[one] === vertices[other] ? one < other : vertices[one]! > vertices[other]!
  const index = indexBoxes(boxes)
  let found: Meeting[] = []
  // Those in one region follow each other, so that most of what is read is in memory.
  for (const [place, one] of index.inOrder().entries()) {
    if (isCopy[one] === 1) continue
    const box = boxOf(boxes, one)
    let sides: ListedSides | undefined
    // A boundary across 180 degrees has neighbours at the other end of the grid.
    for (const turned of box[2] > turnSteps ? [0, turnSteps] : [0])
      for (const other of index.search([box[0] - turned, box[1], box[2] - turned, box[3]])) {
        const isTurn = isCopy[other] === 0 && (turned === 0 ? isFirst(one, other) : one !== other)
        if (!isTurn || (one >= own && other >= own)) continue
        const itsBox = boxOf(boxes, other)
        if (!isWithin(Math.max(box[0] - turned, itsBox[0]), within)) continue
        sides ??= listSides(read(one), box)
        const { area, column, row } = commonLand(sides, read(other), itsBox, turned)
        const areaM2 = area * stepM2At(row)
        // Not a number where they have none.
        if (!(areaM2 >= leastM2)) continue
        const [smaller, larger] = [Math.min(one, other), Math.max(one, other)]
        const areasM2 = [boundaries.areaM2(smaller), boundaries.areaM2(larger)] as const
        found.push({ one: smaller, other: larger, areasM2, areaM2, ...degreesAt(column, row) })
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
function copiesOf({ count, read }: Boundaries): readonly (readonly number[])[] {
  // Most boundaries have no copy, and a list for each would take several times the memory.
  const firsts = new Map<number, number>()
  const groups = new Map<number, number[]>()
  for (let boundary = 0; boundary < count; boundary += 1) {
    const sum = sideSum(read(boundary))
    const first = firsts.get(sum)
    const group = groups.get(sum)
    if (first === undefined) firsts.set(sum, boundary)
    else if (group === undefined) groups.set(sum, [first, boundary])
    else group.push(boundary)
  }
  return [...groups.values()]
}

// A sum over all sides does not depend on their order; two sums of 26 bits each fit exactly into one number.
function sideSum(boundary: GridBoundary): number {
  const { words } = boundary
  let [one, other] = [0, 0]
  forEachSide(boundary, (from, to) => {
    const [begin, end] = [mix(words[from]!, words[from + 1]!), mix(words[to + 1]!, words[to]!)]
    one = (one + mix(begin, end)) | 0
    other = (other + mix(end, begin)) | 0
  })
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
