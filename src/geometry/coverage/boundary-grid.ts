/** Packs boundaries for comparing, in whole steps of 1e-7 degrees (about a centimetre) from 180 W and 90 S. */

import { boxAround, isAreal, type Box, type Shape } from '../../core/shape.ts'

/**
 * A boundary in an array of words, from `at` on: the number of rings, the end of each, then x and y of each vertex in grid steps.
 * Shells run counterclockwise, holes clockwise.
 */
export type GridBoundary = { readonly words: Uint32Array; readonly at: number }

/** Many boundaries. `boxes` are west, south, east and north of each in grid steps. */
export type Boundaries = {
  readonly count: number
  /** Only so many of them, from the first on, are compared with each other and with the rest. */
  readonly own: number
  readonly boxes: Uint32Array
  /** The words are valid until another boundary is read. */
  read(boundary: number): GridBoundary
  areaM2(boundary: number): number
}

/** Steps of the grid in one degree. */
export const gridSteps = 1e7

/** Steps of the grid round the earth. */
export const turnSteps = 360 * gridSteps

const equatorM = 6378137
const flattening = 1 / 298.257223563
const e2 = flattening * (2 - flattening)

/** The square metres of one step by one step at a row. */
export function stepM2At(row: number): number {
  const lat = ((row / gridSteps - 90) * Math.PI) / 180
  const w2 = 1 - e2 * Math.sin(lat) ** 2
  const step = (Math.PI / 180 / gridSteps) * equatorM
  return (step * step * Math.cos(lat) * (1 - e2)) / w2 ** 2
}

/** A place on the grid as longitude and latitude. */
export function degreesAt(column: number, row: number): { readonly lon: number; readonly lat: number } {
  return { lon: ((column / gridSteps) % 360) - 180, lat: row / gridSteps - 90 }
}

export function boxOf(boxes: Uint32Array, boundary: number): Box {
  const at = boundary * 4
  return [boxes[at]!, boxes[at + 1]!, boxes[at + 2]!, boxes[at + 3]!]
}

export function verticesIn({ words, at }: GridBoundary): number {
  return words[at + words[at]!]!
}

/** Calls `visit` with the places of both vertices of each side. */
export function forEachSide({ words, at }: GridBoundary, visit: (from: number, to: number) => void): void {
  const vertices = at + 1 + words[at]!
  for (let ring = 0, from = vertices; ring < words[at]!; ring += 1) {
    const end = vertices + words[at + 1 + ring]! * 2
    for (; from + 2 < end; from += 2) visit(from, from + 2)
    from = end
  }
}

/** The words from `from` to `to`: west, south, east and north, then a GridBoundary. */
export type GridOutline = { readonly words: Uint32Array; readonly from: number; readonly to: number }

/** The number of words of the box, which comes first. */
export const boxWords = 4

/** The number of words of a shape's outline; none where it has no area. */
export function outlineWords(shape: Shape): number {
  return isAreal(shape) ? boxWords + 1 + shape.ends.length + shape.coordinates.length : 0
}

/** Packs the outline of a shape into a new array. */
export function gridOutlineOf(shape: Shape): GridOutline | undefined {
  const to = outlineWords(shape)
  if (to === 0) return undefined
  const words = new Uint32Array(to)
  writeOutline(shape, words, 0)
  return { words, from: 0, to }
}

/** Writes the vertices as steps from 180 W and 90 S; a shape cut at 180 degrees is joined beyond 180 E. */
export function writeOutline({ coordinates, ends }: Shape, words: Uint32Array, from: number): void {
  words[from + boxWords] = ends.length
  words.set(ends, from + boxWords + 1)
  const first = from + boxWords + 1 + ends.length
  const end = first + coordinates.length
  for (let at = 0; at < coordinates.length; at += 2) {
    words[first + at] = Math.round((coordinates[at]! + 180) * gridSteps)
    words[first + at + 1] = Math.round((coordinates[at + 1]! + 90) * gridSteps)
  }
  let box = boxAround(words, first, end)
  if (box[2] - box[0] > turnSteps / 2) {
    for (let at = first; at < end; at += 2) if (words[at]! < turnSteps / 2) words[at]! += turnSteps
    box = boxAround(words, first, end)
  }
  words.set(box, from)
}
