/** Selects the sides of a boundary near the common ground with another, in metres from its corner. */

import type { GridBoundary } from './boundary-grid.ts'
import type { Runs } from './close-runs.ts'

/** Where two boundaries meet: a corner in grid steps, the size of a step in metres there, and the extent of the ground. */
export type Ground = {
  readonly column: number
  readonly row: number
  readonly stepX: number
  readonly stepY: number
  readonly wide: number
  readonly tall: number
}

/** Sides as drawn, four numbers each: from x, y to x, y. A list is valid until it is filled again. */
export type Sides = { values: Float64Array; count: number }

/** `near` are the sides that reach into the ground or its margin; `left` those that pass west of it, which decide between inside and outside. */
export type SidesAt = { readonly near: Sides; readonly left: Sides }

/** Makes growing room for the sides of one boundary. */
export function roomForSides(): SidesAt {
  return { near: { values: new Float64Array(256), count: 0 }, left: { values: new Float64Array(256), count: 0 } }
}

/** How far beyond the ground sides still matter, how many grid steps the boundary is turned, and the runs of a long boundary. */
type Reach = { readonly marginM: number; readonly turned: number; readonly runs: Runs | undefined }

/** Fills the room with the sides of a boundary on this ground and its margin. */
export function fillSides(
  into: SidesAt,
  { words, at }: GridBoundary,
  ground: Ground,
  { marginM, turned, runs }: Reach,
): void {
  into.near.count = 0
  into.left.count = 0
  const frame = { ...ground, column: ground.column - turned, marginM }
  if (runs !== undefined) {
    const { starts, ends, index } = runs
    const [marginX, marginY] = [marginM / frame.stepX, marginM / frame.stepY]
    const east = frame.column + frame.wide / frame.stepX + marginX
    const north = frame.row + frame.tall / frame.stepY + marginY
    index.visit(-Infinity, frame.row - marginY, east, north, (run) => {
      addSides(into, words, at + starts[run]!, at + ends[run]!, frame)
      return false
    })
    return
  }
  const rings = words[at]!
  const vertices = at + 1 + rings
  for (let ring = 0, start = vertices; ring < rings; ring += 1) {
    const end = vertices + words[at + 1 + ring]! * 2
    addSides(into, words, start, end - 2, frame)
    start = end
  }
}

// oxlint-disable-next-line max-params -- called for each ring of each pair
function addSides(
  { near, left }: SidesAt,
  words: Uint32Array,
  first: number,
  last: number,
  { column, row, stepX, stepY, wide, tall, marginM }: Ground & { readonly marginM: number },
): void {
  const [west, south, east, north] = [-marginM, -marginM, wide + marginM, tall + marginM]
  let x1 = (words[first]! - column) * stepX
  let y1 = (words[first + 1]! - row) * stepY
  for (let vertex = first + 2; vertex <= last; vertex += 2) {
    const x2 = (words[vertex]! - column) * stepX
    const y2 = (words[vertex + 1]! - row) * stepY
    const isBeside = (y1 < south && y2 < south) || (y1 > north && y2 > north) || (x1 > east && x2 > east)
    if (!isBeside) add(x1 < west && x2 < west ? left : near, x1, y1, x2, y2)
    x1 = x2
    y1 = y2
  }
}

// oxlint-disable-next-line max-params -- the innermost step of the comparison
function add(sides: Sides, x1: number, y1: number, x2: number, y2: number): void {
  const at = sides.count * 4
  if (at + 4 > sides.values.length) sides.values = doubled(sides.values)
  const { values } = sides
  values[at] = x1
  values[at + 1] = y1
  values[at + 2] = x2
  values[at + 3] = y2
  sides.count += 1
}

/** The values in an array that is twice as long. */
export function doubled<T extends Float64Array | Int32Array>(values: T): T {
  const larger = new (values.constructor as new (length: number) => T)(values.length * 2)
  larger.set(values)
  return larger
}
