/**
 * Hides which stretches of a boundary lie open: no other boundary covers them or runs along them within a width. In a farm drawn
 * fence to fence these are its outline and the edges of what was left out.
 */

import type { BoxIndex } from './box-index.ts'
import { stepsAt, turnSteps, type Boundaries } from './coverage.ts'
import { firstAbove, firstReaching, levelsOf, type Levels } from './levels.ts'
import { reach, reached } from './reach.ts'
import { fillSides, roomForSides, type GridBoundary, type Ground, type SidesAt } from './sides.ts'
import { measureStretch, type Stretch } from './stretch.ts'

export type Exposing = {
  readonly boundaries: Boundaries
  readonly index: BoxIndex
  /** Boundaries that do not count. */
  isOut(boundary: number): boolean
  /** What another boundary comes nearer than is covered. */
  readonly withinM: number
  /** How far off others are listed. */
  readonly besideM: number
}

/** The open stretches of a boundary, and which others lie near it, by how many steps they are turned to do so. */
export type Exposed = { readonly stretches: readonly Stretch[]; readonly beside: readonly Beside[] }
export type Beside = { readonly number: number; readonly turned: number }

// What lies beside more than a whole district of others is an outline; none of it is followed.
const mostOthers = 1000

/** Finds the open stretches of one boundary after the other, each in the order of its rings. */
export function startExposing({ boundaries, index, isOut, withinM, besideM }: Exposing): (boundary: number) => Exposed {
  const own = roomForSides()
  const rooms: SidesAt[] = []
  const { boxes } = boundaries
  return (boundary) => {
    const at = boundary * 4
    const [west, south, east, north] = [boxes[at]!, boxes[at + 1]!, boxes[at + 2]!, boxes[at + 3]!]
    const steps = stepsAt((south + north) / 2)
    const ground = {
      column: west,
      row: south,
      ...steps,
      wide: (east - west) * steps.stepX,
      tall: (north - south) * steps.stepY,
    }
    const others: Other[] = []
    const beside: Beside[] = []
    const [marginX, marginY] = [besideM / steps.stepX, besideM / steps.stepY]
    for (const turned of turnsOf(west - marginX, east + marginX))
      index.search([west - marginX - turned, south - marginY, east + marginX - turned, north + marginY], (other) => {
        if (other === boundary || others.length > mostOthers || isOut(other)) return
        beside.push({ number: other, turned })
        const room = (rooms[others.length] ??= roomForSides())
        fillSides(room, boundaries.read(other), ground, { marginM: withinM, turned })
        if (room.near.count === 0 && room.left.count === 0) return
        others.push(otherOf(room, ground, { boxes, number: other, turned, isLater: other > boundary }))
      })
    if (others.length === 0 || others.length > mostOthers) return { stretches: [], beside: [] }
    const read = boundaries.read(boundary)
    fillSides(own, read, ground, { marginM: withinM, turned: 0 })
    const stretches = stretchesOf({ boundary, read, ground, values: own.near.values, others, withinM })
    return { stretches, beside }
  }
}

/** By how many steps others may lie beside a box that counts on beyond 180 degrees, or that such a one reaches. */
function turnsOf(west: number, east: number): readonly number[] {
  if (east > turnSteps) return [0, turnSteps]
  return west < turnSteps / 2 ? [0, -turnSteps] : [0]
}

type Other = SidesAt & {
  readonly isLater: boolean
  readonly levels: Levels
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

type Place = Beside & { readonly boxes: Uint32Array; readonly isLater: boolean }

function otherOf(
  room: SidesAt,
  { column, row, stepX, stepY }: Ground,
  { boxes, number, turned, isLater }: Place,
): Other {
  const at = number * 4
  return {
    near: room.near,
    left: room.left,
    isLater,
    levels: levelsOf(room.near),
    west: (boxes[at]! + turned - column) * stepX,
    south: (boxes[at + 1]! - row) * stepY,
    east: (boxes[at + 2]! + turned - column) * stepX,
    north: (boxes[at + 3]! - row) * stepY,
  }
}

type Drawn = {
  readonly boundary: number
  readonly read: GridBoundary
  readonly ground: Ground
  readonly values: Float64Array
  readonly others: readonly Other[]
  readonly withinM: number
}

type Open = { from: number; to: number }

const crumbShare = 0.5

function stretchesOf(drawn: Drawn): readonly Stretch[] {
  const { words, at } = drawn.read
  const found: Stretch[] = []
  for (let ring = 0, first = 0, start = 0; ring < words[at]!; ring += 1) {
    const sides = words[at + 1 + ring]! - start - 1
    const open = openOf(drawn, first, sides)
    const [head, tail] = [open[0], open.at(-1)]
    if (head !== undefined && tail !== undefined && head !== tail && head.from === 0 && tail.to === sides) {
      tail.to += head.to
      open.shift()
    }
    for (const { from, to } of open) {
      const ends = measureStretch({ values: drawn.values, first, sides, ground: drawn.ground }, from, to)
      // Crumbs between two that meet are no stretch.
      if (ends.lengthM < crumbShare * drawn.withinM) continue
      found.push({ boundary: drawn.boundary, ring, from, to, isWhole: from === 0 && to === sides, ...ends })
    }
    first += sides
    start = words[at + 1 + ring]!
  }
  return found
}

/** Lists the stretches of the sides of one ring that are neither run along nor covered. */
function openOf(drawn: Drawn, first: number, sides: number): Open[] {
  const open: Open[] = []
  // What lies inside another or outside goes on so past a vertex, until something is met.
  let goesOn: boolean | undefined
  for (let side = 0; side < sides; side += 1) {
    const at = (first + side) * 4
    const count = meetSide(drawn, at)
    let from = 0
    for (let cover = 0; cover <= count; cover += 1) {
      const to = cover === count ? 1 : covers[cover * 2]!
      while (from < to) {
        const cut = nextCut(from, to)
        const isOpen: boolean = goesOn ?? !isInside(drawn, at, (from + cut) / 2)
        if (isOpen) addOpen(open, side + from, side + cut)
        goesOn = cut === 1 ? isOpen : undefined
        from = cut
      }
      if (cover === count) continue
      from = Math.max(from, covers[cover * 2 + 1]!)
      goesOn = undefined
    }
  }
  return open
}

function addOpen(open: Open[], from: number, to: number): void {
  const last = open.at(-1)
  if (last?.to === from) last.to = to
  else open.push({ from, to })
}

// Of the side that is looked at, as shares of it: from where to where it is run along, in order, and where else it meets another.
let covers: Float64Array = new Float64Array(64)
let cuts: Float64Array = new Float64Array(64)
let cutCount = 0

function nextCut(from: number, to: number): number {
  let next = to
  for (let cut = 0; cut < cutCount; cut += 1) if (cuts[cut]! > from && cuts[cut]! < next) next = cuts[cut]!
  return next
}

/** Fills what meets the side, and tells how many stretches of it are run along. */
function meetSide({ values, others, withinM }: Drawn, at: number): number {
  const [x1, y1, x2, y2] = [values[at]!, values[at + 1]!, values[at + 2]!, values[at + 3]!]
  const [west, east] = [Math.min(x1, x2) - withinM, Math.max(x1, x2) + withinM]
  const [south, north] = [Math.min(y1, y2) - withinM, Math.max(y1, y2) + withinM]
  let count = 0
  cutCount = 0
  let isWhole = false
  for (const other of others) {
    if (isWhole) break
    if (other.west > east || other.east < west || other.south > north || other.north < south) continue
    const { near, levels, isLater } = other
    const its = near.values
    const end = firstAbove(near, levels, north)
    for (let place = firstReaching(near, levels, south); place < end; place += 1) {
      const b = levels.order === undefined ? place * 4 : levels.order[place]!
      if ((its[b + 1]! < south && its[b + 3]! < south) || (its[b + 1]! > north && its[b + 3]! > north)) continue
      if ((its[b]! < west && its[b + 2]! < west) || (its[b]! > east && its[b + 2]! > east)) continue
      if (!reach(x1, y1, x2, y2, its, b, withinM)) continue
      // Of two that run the same way, as where a field stands there twice, the earlier one stays open.
      if (isLater && (x2 - x1) * (its[b + 2]! - its[b]!) + (y2 - y1) * (its[b + 3]! - its[b + 1]!) > 0) {
        addCuts(reached[0], reached[1])
        continue
      }
      if (count * 2 + 2 > covers.length) covers = grown(covers)
      covers[count * 2] = reached[0]
      covers[count * 2 + 1] = reached[1]
      count += 1
      isWhole = reached[0] === 0 && reached[1] === 1
      if (isWhole) break
    }
  }
  if (isWhole) [covers[0], covers[1], count] = [0, 1, 1]
  return merged(count)
}

function addCuts(from: number, to: number): void {
  if (cutCount + 2 > cuts.length) cuts = grown(cuts)
  cuts[cutCount] = from
  cuts[cutCount + 1] = to
  cutCount += 2
}

/** Sorts the covers by where they begin and joins those that touch; tells how many are left. */
function merged(count: number): number {
  if (count < 2) return count
  if (count > 48) sortMany(count)
  else
    for (let at = 2; at < count * 2; at += 2) {
      const [from, to] = [covers[at]!, covers[at + 1]!]
      let place = at
      for (; place > 0 && covers[place - 2]! > from; place -= 2) {
        covers[place] = covers[place - 2]!
        covers[place + 1] = covers[place - 1]!
      }
      covers[place] = from
      covers[place + 1] = to
    }
  let last = 0
  for (let at = 2; at < count * 2; at += 2) {
    if (covers[at]! > covers[last + 1]!) {
      last += 2
      covers[last] = covers[at]!
      covers[last + 1] = covers[at + 1]!
    } else if (covers[at + 1]! > covers[last + 1]!) covers[last + 1] = covers[at + 1]!
  }
  return last / 2 + 1
}

function sortMany(count: number): void {
  const order = Array.from({ length: count }, (_, cover) => cover * 2)
  order.sort((one, other) => covers[one]! - covers[other]!)
  covers = Float64Array.from({ length: covers.length }, (_, at) => covers[(order[at >> 1] ?? 0) + (at & 1)]!)
}

/** Whether a place on a side, which nothing is near, lies in another boundary. */
function isInside({ values, others, withinM }: Drawn, at: number, share: number): boolean {
  const [east, north] = [values[at + 2]! - values[at]!, values[at + 3]! - values[at + 1]!]
  const x = values[at]! + share * east
  const y = values[at + 1]! + share * north
  return others.some((other) => {
    if (x < other.west || x > other.east || y < other.south || y > other.north) return false
    if (!holds(other, x, y)) return false
    return !other.isLater || !runsAlong(other, { x, y, east, north, withinM })
  })
}

function holds({ near, left, levels }: Other, x: number, y: number): boolean {
  let isWithin = false
  for (let at = 0; at < left.count * 4; at += 4)
    if (left.values[at + 1]! > y !== left.values[at + 3]! > y) isWithin = !isWithin
  const { values } = near
  const end = firstAbove(near, levels, y)
  for (let place = firstReaching(near, levels, y); place < end; place += 1) {
    const at = levels.order === undefined ? place * 4 : levels.order[place]!
    const [y1, y2] = [values[at + 1]!, values[at + 3]!]
    if (y1 > y === y2 > y) continue
    if (values[at]! + ((y - y1) / (y2 - y1)) * (values[at + 2]! - values[at]!) < x) isWithin = !isWithin
  }
  return isWithin
}

type On = {
  readonly x: number
  readonly y: number
  readonly east: number
  readonly north: number
  readonly withinM: number
}

function runsAlong({ near, levels }: Other, { x, y, east, north, withinM }: On): boolean {
  const { values } = near
  const end = firstAbove(near, levels, y + withinM)
  for (let place = firstReaching(near, levels, y - withinM); place < end; place += 1) {
    const b = levels.order === undefined ? place * 4 : levels.order[place]!
    const [bx, by] = [values[b + 2]! - values[b]!, values[b + 3]! - values[b + 1]!]
    if (bx * east + by * north <= 0) continue
    const share = ((x - values[b]!) * bx + (y - values[b + 1]!) * by) / (bx * bx + by * by)
    const on = Math.max(0, Math.min(1, share))
    if (Math.hypot(x - values[b]! - on * bx, y - values[b + 1]! - on * by) <= withinM) return true
  }
  return false
}

function grown(values: Float64Array): Float64Array {
  const larger = new Float64Array(values.length * 2)
  larger.set(values)
  return larger
}
