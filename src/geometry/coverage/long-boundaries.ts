/** Caches runs and scan lines of boundaries with many vertices, because they are compared with many others. */

import { verticesIn, type Boundaries } from './boundary-grid.ts'
import { runsOf } from './close-runs.ts'
import { scanLinesOf } from './scan-lines.ts'

export type LongBoundaries = ReturnType<typeof startLongBoundaries>

const leastVertices = 500
// 32 MB each.
const mostNumbers = 4_000_000

/** Starts with an empty cache. */
export function startLongBoundaries({ read, boxes }: Boundaries) {
  const runs = keeping(
    (boundary) => runsOf(read(boundary)),
    (each) => each.boxes.length,
  )
  const lines = keeping(
    (boundary) => scanLinesOf(read(boundary), boxes[boundary * 4 + 1]!, boxes[boundary * 4 + 3]!),
    (each) => each.columns.length,
  )
  return {
    /** The runs of a boundary; undefined for one with few vertices. */
    runsOf: (boundary: number) => (verticesIn(read(boundary)) < leastVertices ? undefined : runs(boundary)),
    scanLinesOf: lines,
  }
}

/** Makes each once, and again where it was dropped for others. */
function keeping<T>(make: (boundary: number) => T, sizeOf: (made: T) => number): (boundary: number) => T {
  const kept = new Map<number, T>()
  let numbers = 0
  return (boundary) => {
    const known = kept.get(boundary)
    if (known !== undefined) return known
    const made = make(boundary)
    numbers += sizeOf(made)
    for (const [oldest, each] of kept) {
      if (numbers <= mostNumbers) break
      kept.delete(oldest)
      numbers -= sizeOf(each)
    }
    kept.set(boundary, made)
    return made
  }
}
