/** Finds where two long boundaries come near each other, by the boxes of runs of sides. */

import { boxAround, emptyBox, type Box } from '../../core/shape.ts'
import { indexBoxes, type BoxIndex } from '../validity/box-index.ts'
import type { GridBoundary } from './boundary-grid.ts'

/** `starts` and `ends` are the places of the first and last vertex of each run, counted from the start of the boundary. */
export type Runs = {
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  /** Four numbers a run: west, south, east, north. */
  readonly boxes: Uint32Array
  readonly index: BoxIndex
}

const sidesEach = 16

/** Divides the rings of a boundary into runs. */
export function runsOf({ words, at }: GridBoundary): Runs {
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
  return { starts: Uint32Array.from(starts), ends: Uint32Array.from(ends), boxes: packed, index: indexBoxes(packed) }
}

/** The box round all places where the two come near each other; undefined where they do not. */
export function placesNear({ boxes, index }: Runs, other: Runs, { marginX, marginY, turned }: Search): Box | undefined {
  const places = emptyBox()
  for (let at = 0; at < other.boxes.length; at += 4) {
    const west = other.boxes[at]! + turned - marginX
    const south = other.boxes[at + 1]! - marginY
    const east = other.boxes[at + 2]! + turned + marginX
    const north = other.boxes[at + 3]! + marginY
    index.visit(west, south, east, north, (run) => {
      const its = run * 4
      places[0] = Math.min(places[0], Math.max(west, boxes[its]! - marginX))
      places[1] = Math.min(places[1], Math.max(south, boxes[its + 1]! - marginY))
      places[2] = Math.max(places[2], Math.min(east, boxes[its + 2]! + marginX))
      places[3] = Math.max(places[3], Math.min(north, boxes[its + 3]! + marginY))
      return false
    })
  }
  return places[0] > places[2] ? undefined : places
}

/** How near they must come, and how far the other one is turned, in grid steps. */
type Search = { readonly marginX: number; readonly marginY: number; readonly turned: number }
