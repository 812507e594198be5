/** Packs a boundary for comparing: its box and its vertices in whole grid steps. */

import { boxAround, isAreal, type Shape } from '../../core/shape.ts'
import { gridSteps, turnSteps } from './boundary-grid.ts'

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
