/** Finds the land that tangled rings cover, as shells and holes that do not cross: cuts the lines, maps them and traces the land. */

import type { Rings } from '../measure/rings.ts'
import { mapLines, twinOf, type Network } from './line-network.ts'
import { cutWhereTheyMeet } from './noding.ts'
import { shapeOf, traceLand } from './trace-land.ts'

/**
 * What counts as land: `around`, everything that a line encloses, in either direction; `inside`, where more counterclockwise rings
 * than clockwise ones (holes) enclose it.
 */
export type Rule = 'around' | 'inside'

/**
 * The decimals of a degree to which new points are rounded. Drawn points keep their place, and points on straight lines are removed;
 * when `strict`, all points are rounded and none is removed, so that nothing can cross.
 */
export type Grid = { readonly decimals: number; readonly strict: boolean }

/**
 * Finds the land that closed rings cover; `shape` is undefined when nothing is land. In square degrees: the area it covers; the area
 * enclosed against the direction of the rest; the area enclosed more than once, counted each further time. Undefined when the rings
 * are too tangled.
 */
export function cover(rings: Rings, rule: Rule, grid: Grid) {
  const factor = 10 ** grid.decimals
  const onGrid: Rings = { coordinates: rings.coordinates.map((value) => Math.round(value * factor)), ends: rings.ends }
  const cut = cutWhereTheyMeet(onGrid)
  if (cut === undefined) return undefined
  const network = mapLines(cut)
  const isLand = rule === 'around' ? (turns: number) => turns !== 0 : (turns: number) => turns > 0
  const lands = traceLand(network, {
    isEdge: (half) => isLand(network.turns[half]!) && !isLand(network.turns[twinOf(half)]!),
    leastWidth: leastWidth * factor,
    straightens: !grid.strict,
  })
  const originals = grid.strict ? undefined : originalsOf(network.xy, onGrid)
  const place = (point: number): readonly [number, number] => {
    const vertex = originals?.[point] ?? -1
    return vertex < 0
      ? [network.xy[point * 2]! / factor + 0, network.xy[point * 2 + 1]! / factor + 0]
      : [rings.coordinates[vertex * 2]!, rings.coordinates[vertex * 2 + 1]!]
  }
  const integral = (valueOf: (turns: number) => number): number => integrate(network, valueOf) / factor / factor
  const left = integral((turns) => (turns > 0 ? 1 : 0))
  const right = integral((turns) => (turns < 0 ? 1 : 0))
  return {
    shape: lands.length === 0 ? undefined : shapeOf(lands, place),
    covered: rule === 'around' ? left + right : left,
    against: Math.min(left, right),
    again: integral((turns) => Math.max(0, Math.abs(turns) - 1)),
  }
}

// Narrower land, in degrees (a hundredth of a millimetre), comes only from rounding.
const leastWidth = 2e-10

// The integral of a function of the turns over the plane, in square steps (Green's theorem: each side counts with the change across it).
function integrate({ xy, from, turns }: Network, valueOf: (turns: number) => number): number {
  const [x0, y0] = [xy[0] ?? 0, xy[1] ?? 0]
  let sum = 0
  for (let half = 0; half < from.length; half += 2) {
    const step = valueOf(turns[half]!) - valueOf(turns[half + 1]!)
    if (step === 0) continue
    const [a, b] = [from[half]! * 2, from[half + 1]! * 2]
    sum += step * ((xy[a]! - x0) * (xy[b + 1]! - y0) - (xy[b]! - x0) * (xy[a + 1]! - y0))
  }
  return sum / 2
}

// The drawn vertex of each point, -1 for points that cutting added.
function originalsOf(xy: Float64Array, onGrid: Rings): Int32Array {
  const originals = new Int32Array(xy.length / 2).fill(-1)
  for (let vertex = onGrid.coordinates.length / 2 - 1; vertex >= 0; vertex -= 1) {
    const point = pointAt(xy, onGrid.coordinates[vertex * 2]!, onGrid.coordinates[vertex * 2 + 1]!)
    if (point >= 0) originals[point] = vertex
  }
  return originals
}

function pointAt(xy: Float64Array, x: number, y: number): number {
  let low = 0
  let high = xy.length / 2 - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const order = xy[middle * 2]! - x || xy[middle * 2 + 1]! - y
    if (order === 0) return middle
    if (order < 0) low = middle + 1
    else high = middle - 1
  }
  return -1
}
