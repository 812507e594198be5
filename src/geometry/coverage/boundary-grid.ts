/** Defines the grid for comparing boundaries: whole steps of 1e-7 degrees (about a centimetre) from 180 W and 90 S. */

import type { Box } from '../../core/shape.ts'

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

/** The size of a grid step in metres at a row. */
export function stepsAt(row: number): { readonly stepX: number; readonly stepY: number } {
  const lat = ((row / gridSteps - 90) * Math.PI) / 180
  const w2 = 1 - e2 * Math.sin(lat) ** 2
  const step = Math.PI / 180 / gridSteps
  return {
    stepX: (equatorM / Math.sqrt(w2)) * Math.cos(lat) * step,
    stepY: ((equatorM * (1 - e2)) / w2 ** 1.5) * step,
  }
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
