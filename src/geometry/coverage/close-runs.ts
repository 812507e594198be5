/** Finds where two long boundaries come near each other, by the boxes of runs of sides. */

import { boxAround, type Box } from '../../core/shape.ts'
import { bandAt, bandSides, type Bands } from '../validity/height-bands.ts'
import type { GridBoundary } from './boundary-grid.ts'

/** `starts` and `ends` are the places of the first and last vertex of each run, counted from the start of the boundary. */
export type Runs = {
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  /** Four numbers a run: west, south, east, north. */
  readonly boxes: Uint32Array
  readonly box: Box
  readonly bands: Bands
}

const sidesEach = 16

/** Divides the rings of a boundary into runs. */
export function runsOf({ words, at }: GridBoundary, box: Box): Runs {
  const rings = words[at]!
  const [starts, ends, boxes]: [number[], number[], number[]] = [[], [], []]
  const first = 1 + rings
  for (let ring = 0, start = first; ring < rings; ring += 1) {
    const last = first + words[at + 1 + ring]! * 2 - 2
    for (let from = start; from < last; from += sidesEach * 2) {
      const to = Math.min(from + sidesEach * 2, last)
      starts.push(from)
      ends.push(to)
      boxes.push(...boxAround(words, at + from, at + to + 2))
    }
    start = last + 2
  }
  const packed = Uint32Array.from(boxes)
  const bands = bandSides(starts.length, (run, end) => packed[run * 4 + 1 + 2 * end]!)
  return { starts: Uint32Array.from(starts), ends: Uint32Array.from(ends), boxes: packed, box, bands }
}

/** The box round all places where the two come near each other; undefined where they do not. */
export function placesNear(one: Runs, other: Runs, { marginX, marginY, turned }: Search): Box | undefined {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
  for (let at = 0; at < other.boxes.length; at += 4) {
    const itsWest = other.boxes[at]! + turned - marginX
    const itsSouth = other.boxes[at + 1]! - marginY
    const itsEast = other.boxes[at + 2]! + turned + marginX
    const itsNorth = other.boxes[at + 3]! + marginY
    if (itsEast < one.box[0] || itsWest > one.box[2] || itsNorth < one.box[1] || itsSouth > one.box[3]) continue
    const { bands, boxes } = one
    const end = bands.first[bandAt(bands, itsNorth) + 1]!
    for (let place = bands.first[bandAt(bands, itsSouth)]!; place < end; place += 1) {
      const run = bands.sides[place]! * 4
      if (boxes[run]! > itsEast || boxes[run + 2]! < itsWest) continue
      if (boxes[run + 1]! > itsNorth || boxes[run + 3]! < itsSouth) continue
      west = Math.min(west, Math.max(itsWest, boxes[run]! - marginX))
      south = Math.min(south, Math.max(itsSouth, boxes[run + 1]! - marginY))
      east = Math.max(east, Math.min(itsEast, boxes[run + 2]! + marginX))
      north = Math.max(north, Math.min(itsNorth, boxes[run + 3]! + marginY))
    }
  }
  return west > east ? undefined : [west, south, east, north]
}

/** How near they must come, and how far the other one is turned, in grid steps. */
type Search = { readonly marginX: number; readonly marginY: number; readonly turned: number }
