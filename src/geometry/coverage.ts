/** Hides how the boundaries of a whole file are held against each other: what two of them both claim, and the strips that none does. */

import { rowsPerBatch } from '../core/row.ts'
import { indexBoxes } from './box-index.ts'
import { gapOf } from './gap.ts'
import { overlapOf, thicknessOf } from './overlap.ts'
import { fillSides, roomForSides, type GridBoundary, type Ground, type SidesAt } from './sides.ts'

/** Many boundaries, wherever they are kept. `boxes` are west, south, east and north of each in grid steps. */
export type Boundaries = {
  readonly count: number
  /** How many of them, from the first on, are looked at; the others are only met by these. */
  readonly own: number
  readonly boxes: Uint32Array
  read(boundary: number): GridBoundary
  areaM2(boundary: number): number
}

/** Two boundaries that have land in common, or a strip between them. `widthM` is how wide that is in the middle of all. */
export type Meeting = {
  readonly kind: 'overlap' | 'gap'
  /** The numbers of both, the lesser one first. */
  readonly one: number
  readonly other: number
  readonly areasM2: readonly [number, number]
  readonly areaM2: number
  readonly widthM: number
  readonly lon: number
  readonly lat: number
}

/** Steps of the grid in one degree: a step is a centimetre. */
export const gridSteps = 1e7

// Narrower than this, two people who drew the same fence agree.
const narrowestM = 0.1
const leastM2 = 1
export const turnSteps = 360 * gridSteps

export type Wanted = {
  /** How wide a strip between two may be. */
  readonly widestGapM: number
  /** What of the strips between two is told otherwise, in square metres. */
  toldOf?(one: number, other: number): number
}

/** Finds where boundaries meet, the strips between them up to a width: each pair once, in batches, in no order. */
export function* findMeetings(boundaries: Boundaries, wanted: Wanted): Generator<readonly Meeting[]> {
  const { widestGapM } = wanted
  const { boxes, count, own } = boundaries
  const index = indexBoxes(boxes)
  const rooms = [roomForSides(), roomForSides()] as const
  const near: number[] = []
  let found: Meeting[] = []
  for (let place = 0; place < count; place += 1) {
    const one = index.order[place]!
    const at = one * 4
    const [west, south, east, north] = [boxes[at]!, boxes[at + 1]!, boxes[at + 2]!, boxes[at + 3]!]
    const { stepX, stepY } = stepsAt((south + north) / 2)
    const [marginX, marginY] = [widestGapM / stepX, widestGapM / stepY]
    // What counts on beyond 180 degrees has neighbours at the other end of the grid.
    for (const turned of east > turnSteps ? [0, turnSteps] : [0]) {
      near.length = 0
      const reach = [west - marginX - turned, south - marginY, east + marginX - turned, north + marginY] as const
      index.search(reach, (other) => {
        if (turned === 0 ? other <= one : other === one) return
        if (one < own || other < own) near.push(other)
      })
      for (const other of near) meet(boundaries, { one, other, turned, wanted, rooms }, found)
    }
    if (place % rowsPerBatch !== rowsPerBatch - 1) continue
    yield found
    found = []
  }
  yield found
}

type Pair = {
  readonly one: number
  readonly other: number
  readonly turned: number
  readonly wanted: Wanted
  readonly rooms: readonly [SidesAt, SidesAt]
}

function meet(boundaries: Boundaries, pair: Pair, into: Meeting[]): void {
  const { one, other, turned, wanted, rooms } = pair
  const { widestGapM } = wanted
  const ground = groundOf(boundaries.boxes, pair)
  const [ones, others] = rooms
  fillSides(ones, boundaries.read(one), ground, { marginM: widestGapM, turned: 0 })
  if (isBeside(ones)) return
  fillSides(others, boundaries.read(other), ground, { marginM: widestGapM, turned })
  if (isBeside(others)) return
  const say = (kind: Meeting['kind'], found: { areaM2: number; x: number; y: number }, lengthM: number): void => {
    const widthM = found.areaM2 / Math.max(lengthM, 1e-9)
    const [first, second] = one < other ? [one, other] : [other, one]
    const areaM2 = found.areaM2 - (kind === 'gap' ? (wanted.toldOf?.(first, second) ?? 0) : 0)
    if (areaM2 < leastM2 || widthM < narrowestM) return
    into.push({
      kind,
      one: first,
      other: second,
      areasM2: [boundaries.areaM2(first), boundaries.areaM2(second)],
      areaM2,
      widthM,
      lon: (((ground.column + found.x / ground.stepX) / gridSteps) % 360) - 180,
      lat: (ground.row + found.y / ground.stepY) / gridSteps - 90,
    })
  }
  if (ground.wide > narrowestM && ground.tall > narrowestM) {
    const overlap = overlapOf(ones, others, ground)
    const isLarge = overlap.areaM2 >= leastM2 && overlap.areaM2 >= narrowestM * overlap.reachM
    if (isLarge) say('overlap', overlap, Math.max(overlap.reachM, overlap.areaM2 / thicknessOf(ones, others, ground)))
  }
  const gap = gapOf(ones.near, others.near, widestGapM)
  say('gap', gap, gap.lengthM)
}

/** A boundary that covers the ground has sides west of it, if not on it. */
function isBeside({ near, left }: SidesAt): boolean {
  return near.count === 0 && left.count === 0
}

/** The box that two boxes have in common; where they have none, it is less than nothing wide, and only a margin reaches both. */
function groundOf(boxes: Uint32Array, { one, other, turned }: Pair): Ground {
  const [at, its] = [one * 4, other * 4]
  const west = Math.max(boxes[at]!, boxes[its]! + turned)
  const south = Math.max(boxes[at + 1]!, boxes[its + 1]!)
  const east = Math.min(boxes[at + 2]!, boxes[its + 2]! + turned)
  const north = Math.min(boxes[at + 3]!, boxes[its + 3]!)
  const steps = stepsAt((south + north) / 2)
  return {
    column: west,
    row: south,
    ...steps,
    wide: (east - west) * steps.stepX,
    tall: (north - south) * steps.stepY,
  }
}

const equatorM = 6378137
const flattening = 1 / 298.257223563
const e2 = flattening * (2 - flattening)

/** What a step of the grid is in metres at a height of it. */
export function stepsAt(row: number): { readonly stepX: number; readonly stepY: number } {
  const lat = ((row / gridSteps - 90) * Math.PI) / 180
  const w2 = 1 - e2 * Math.sin(lat) ** 2
  const step = Math.PI / 180 / gridSteps
  return {
    stepX: (equatorM / Math.sqrt(w2)) * Math.cos(lat) * step,
    stepY: ((equatorM * (1 - e2)) / w2 ** 1.5) * step,
  }
}
