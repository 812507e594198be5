/**
 * Measures the land that two boundaries have in common. A side stands for the land west of it, added where it runs north and subtracted
 * where it runs south: all sides together are what the boundary encloses. So common land is the sum of what each side of one has in
 * common with each side of the other, and sides that cross, touch or lie on top of each other are no special case.
 */

import type { Box, Shape } from '../../core/shape.ts'
import { windRings } from '../measure/rings.ts'
import { bandAt, bandSides } from '../validity/height-bands.ts'
import {
  boxOf,
  boxWords,
  forEachSide,
  gridOutlineOf,
  stepM2At,
  type GridBoundary,
  type GridOutline,
} from './boundary-grid.ts'

/**
 * The sides of a boundary by height, to compare with many others. Each is five numbers: the heights between which it runs, how far east
 * it is at the lower one, how far east it goes for a step north, and 1 or -1 if it runs north or south. Where `axis` is 1, east and
 * north change places, because then fewer sides lie at one height, as in a comb.
 */
export type ListedSides = Readonly<ReturnType<typeof listSides>>

const perSide = 5

/** Lists the sides of a boundary. */
export function listSides(boundary: GridBoundary, box: Box) {
  const { words } = boundary
  let [across, along] = [0, 0]
  forEachSide(boundary, (from, to) => {
    across += Math.abs(words[to]! - words[from]!)
    along += Math.abs(words[to + 1]! - words[from + 1]!)
  })
  const axis: 0 | 1 = along * (box[2] - box[0]) > across * (box[3] - box[1]) ? 1 : 0
  const values: number[] = []
  forEachSide(boundary, (from, to) => {
    const isNorth = words[to + 1 - axis]! > words[from + 1 - axis]!
    const [low, high] = isNorth ? [from, to] : [to, from]
    const tall = words[high + 1 - axis]! - words[low + 1 - axis]!
    if (tall === 0) return
    const lean = (words[high + axis]! - words[low + axis]!) / tall
    values.push(words[low + 1 - axis]!, words[high + 1 - axis]!, words[low + axis]!, lean, isNorth ? 1 : -1)
  })
  const bands = bandSides(values.length / perSide, (side, end) => values[side * perSide + end]!)
  return { box, axis, values: Float64Array.from(values), bands }
}

/**
 * Measures the common land of two, in grid steps: its area, and the column and row of its middle. `turned` moves the other one, which
 * has this box, by so many columns.
 */
export function commonLand(one: ListedSides, other: GridBoundary, itsBox: Box, turned = 0) {
  const { box, axis, values, bands } = one
  const { words } = other
  const { first, sides, south, perUnit } = bands
  const moved = [itsBox[0] + turned, itsBox[1], itsBox[2] + turned, itsBox[3]]
  // Land is counted from the edge of what the boxes share that the other one passes further: its sides beyond have no part in it.
  const isEast = moved[2 + axis]! - box[2 + axis]! > box[axis] - moved[axis]!
  const edge = isEast ? Math.min(box[2 + axis]!, moved[2 + axis]!) : Math.max(box[axis], moved[axis]!)
  const way = isEast ? -1 : 1
  const low = Math.max(box[1 - axis]!, moved[1 - axis]!)
  const high = Math.min(box[3 - axis]!, moved[3 - axis]!)
  const [moveX, moveY] = axis === 0 ? [turned - edge, 0] : [-edge, turned]
  const sum = { area: 0, momentX: 0, momentY: 0 }
  // The land west of a line, less that land for a line to the south.
  const add = (x1: number, y1: number, x2: number, y2: number): void => {
    const tall = y2 - y1
    sum.area += (tall * (x1 + x2)) / 2
    sum.momentX += (tall * (x1 * x1 + x1 * x2 + x2 * x2)) / 6
    sum.momentY += (tall * (y1 * (2 * x1 + x2) + y2 * (x1 + 2 * x2))) / 6
  }
  forEachSide(other, (from, to) => {
    const x1 = way * (words[from + axis]! + moveX)
    const y1 = words[from + 1 - axis]! + moveY
    const x2 = way * (words[to + axis]! + moveX)
    const y2 = words[to + 1 - axis]! + moveY
    const bottom = Math.max(low, Math.min(y1, y2))
    const top = Math.min(high, Math.max(y1, y2))
    if (bottom >= top || (x1 < 0 && x2 < 0)) return
    const lean = (x2 - x1) / (y2 - y1)
    const isNorth = y2 > y1
    const last = bandAt(bands, top)
    for (let band = bandAt(bands, bottom); band <= last; band += 1) {
      const floor = Math.max(bottom, south + band / perUnit)
      const ceiling = Math.min(top, south + (band + 1) / perUnit)
      for (let at = first[band]!; at < first[band + 1]!; at += 1) {
        const side = sides[at]! * perSide
        const itsY = values[side]!
        const start = Math.max(floor, itsY)
        const end = Math.min(ceiling, values[side + 1]!)
        if (start >= end) continue
        const isAdded = isNorth === values[side + 4]! > 0
        const begins = isAdded ? start : end
        const ends = isAdded ? end : start
        const itsX = way * (values[side + 2]! - edge)
        const itsLean = way * values[side + 3]!
        const own = x1 + (begins - y1) * lean
        const ownAtEnd = x1 + (ends - y1) * lean
        const its = itsX + (begins - itsY) * itsLean
        const itsAtEnd = itsX + (ends - itsY) * itsLean
        const apart = own - its
        const apartAtEnd = ownAtEnd - itsAtEnd
        const x = Math.min(own, its)
        const xAtEnd = Math.min(ownAtEnd, itsAtEnd)
        if (apart * apartAtEnd >= 0) add(x, begins, xAtEnd, ends)
        else {
          const share = apart / (apart - apartAtEnd)
          const crossX = own + share * (ownAtEnd - own)
          const crossY = begins + share * (ends - begins)
          add(x, begins, crossX, crossY)
          add(crossX, crossY, xAtEnd, ends)
        }
      }
    }
  })
  const middle = [edge + (way * sum.momentX) / sum.area, sum.momentY / sum.area] as const
  return { area: sum.area, column: middle[axis], row: middle[1 - axis]! }
}

/** Measures the land that only one of two boundaries has; undefined where one of them encloses none. */
export function landApartM2(one: Shape, other: Shape): number | undefined {
  const [ones, others] = [gridOutlineOf(windRings(one)), gridOutlineOf(windRings(other))]
  if (ones === undefined || others === undefined) return undefined
  const apart = areaInBoth(ones, ones) + areaInBoth(others, others) - 2 * areaInBoth(ones, others)
  const [, south, , north] = boxOf(ones.words, 0)
  return Math.max(0, apart) * stepM2At((south + north) / 2)
}

function areaInBoth(one: GridOutline, other: GridOutline): number {
  const sides = listSides({ words: one.words, at: boxWords }, boxOf(one.words, 0))
  return commonLand(sides, { words: other.words, at: boxWords }, boxOf(other.words, 0)).area
}
