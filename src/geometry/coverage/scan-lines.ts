/**
 * Measures the common land of two long boundaries along horizontal lines: each boundary is cut at its lines once, and then compared
 * quickly with any other, however many sides they have.
 */

import { verticesIn, type GridBoundary } from './boundary-grid.ts'
import { listByPlace } from '../validity/height-bands.ts'
import type { Ground } from './sides.ts'

/**
 * Where lines `step` rows apart cross a boundary, from west to east; the crossings of line n are in `columns` from `first[n]` to
 * `first[n + 1]`. Line 0 is number `lowest` of all lines of the grid at this step, and every second line of one step is a line of the
 * next. `missed` is true when a ring lies between two lines.
 */
export type ScanLines = {
  readonly step: number
  readonly lowest: number
  readonly first: Int32Array
  readonly columns: Float64Array
  readonly missed: boolean
}

// Enough lines to show the shape: more for a boundary with more vertices.
const leastLines = 256
const mostLines = 1024
const verticesPerLine = 16
// Limits the crossings of a comb, where each line crosses every tooth.
const crossingsPerVertex = 64
// No vertex lies on a line, because vertices have whole rows.
const offset = 0.5

/** Cuts a boundary between two rows. */
export function scanLinesOf({ words, at }: GridBoundary, south: number, north: number): ScanLines {
  const vertexCount = verticesIn({ words, at })
  const lines = Math.max(leastLines, Math.min(mostLines, vertexCount / verticesPerLine))
  const mostCrossings = vertexCount * crossingsPerVertex
  const rise = riseOf({ words, at })
  let step = 1
  while ((north - south) / step > lines || rise / step > mostCrossings) step *= 2
  const lowest = Math.ceil((south - offset) / step)
  const count = Math.max(0, Math.floor((north - offset) / step) - lowest + 1)
  let missed = false
  const rings = words[at]!
  const vertices = at + 1 + rings
  const forEachCrossing = (visit: (line: number, column: number) => void): void => {
    for (let ring = 0, start = vertices; ring < rings; ring += 1) {
      const end = vertices + words[at + 1 + ring]! * 2
      let isMissed = true
      for (let vertex = start + 2; vertex < end; vertex += 2) {
        const [x1, y1, x2, y2] = [words[vertex - 2]!, words[vertex - 1]!, words[vertex]!, words[vertex + 1]!]
        const last = Math.floor((Math.max(y1, y2) - offset) / step)
        for (let line = Math.ceil((Math.min(y1, y2) - offset) / step); line <= last; line += 1) {
          isMissed = false
          visit(line - lowest, x1 + ((line * step + offset - y1) / (y2 - y1)) * (x2 - x1))
        }
      }
      missed ||= isMissed
      start = end
    }
  }
  const { first, items: columns } = listByPlace(count, (length) => new Float64Array(length), forEachCrossing)
  for (let line = 0; line < count; line += 1) columns.subarray(first[line], first[line + 1]).sort()
  return { step, lowest, first, columns, missed }
}

/** The sum of the rows that all sides rise or fall. */
function riseOf({ words, at }: GridBoundary): number {
  let [rise, start] = [0, at + 1 + words[at]!]
  for (let ring = 0; ring < words[at]!; ring += 1) {
    const end = at + 1 + words[at]! + words[at + 1 + ring]! * 2
    for (let vertex = start + 3; vertex < end; vertex += 2) rise += Math.abs(words[vertex]! - words[vertex - 2]!)
    start = end
  }
  return rise
}

/**
 * Measures the common land of two, in metres on the ground; `turned` moves the other one by so many columns. `lines` is the number of
 * lines it lies on, `tallM` and `wideM` its height and width there.
 */
export function scanCommon(one: ScanLines, other: ScanLines, ground: Ground, turned: number) {
  const step = Math.max(one.step, other.step)
  const [oneEach, otherEach] = [step / one.step, step / other.step]
  const lineM = step * ground.stepY
  const from = Math.max(Math.ceil(one.lowest / oneEach), Math.ceil(other.lowest / otherEach))
  const end = Math.min((one.lowest + lineCount(one)) / oneEach, (other.lowest + lineCount(other)) / otherEach)
  let [lines, sum, squares, widest, x, y] = [0, 0, 0, 0, 0, 0]
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
  for (let line = from; line < end; line += 1) {
    let at = one.first[line * oneEach - one.lowest]!
    let its = other.first[line * otherEach - other.lowest]!
    const atEnd = one.first[line * oneEach - one.lowest + 1]!
    const itsEnd = other.first[line * otherEach - other.lowest + 1]!
    const before = sum
    while (at < atEnd && its < itsEnd) {
      const enters = Math.max(one.columns[at]!, other.columns[its]! + turned)
      const leaves = Math.min(one.columns[at + 1]!, other.columns[its + 1]! + turned)
      const wide = leaves - enters
      if (wide > 0) {
        sum += wide
        squares += wide * wide
        west = Math.min(west, enters)
        east = Math.max(east, leaves)
        if (wide > widest) {
          widest = wide
          x = enters + wide / 2
          y = line * step + offset
        }
      }
      if (one.columns[at + 1]! < other.columns[its + 1]! + turned) at += 2
      else its += 2
    }
    if (sum === before) continue
    lines += 1
    south = Math.min(south, line * step)
    north = (line + 1) * step
  }
  const { column, row, stepX, stepY } = ground
  return {
    areaM2: sum * stepX * lineM,
    lines,
    tallM: lines * lineM,
    wideM: sum > 0 ? (squares / sum) * stepX : 0,
    x: (x - column) * stepX,
    y: (y - row) * stepY,
    reachM: sum > 0 ? Math.hypot((east - west) * stepX, (north - south) * stepY) : 0,
  }
}

function lineCount({ first }: ScanLines): number {
  return first.length - 1
}
