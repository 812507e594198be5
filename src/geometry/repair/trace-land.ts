/** Traces the edges of land on a map of lines, and finds the land around each hole. */

import type { Shape } from '../../core/shape.ts'
import { isInside, nestOf } from '../validity/nesting.ts'
import { twinOf, type Network } from './line-network.ts'

/** The points of a loop in order, the first not repeated. */
export type Loop = readonly number[]

/**
 * `isEdge` is true for halves with land only on their left; narrower land or holes than `leastWidth` steps are ignored; `straightens`
 * removes points on straight edges that a line no longer meets.
 */
export type Edges = {
  readonly isEdge: (half: number) => boolean
  readonly leastWidth: number
  readonly straightens: boolean
}

/** Lists the lands, each with its shell (counterclockwise) and its holes (clockwise); no loop goes through a point twice. */
export function traceLand(network: Network, { isEdge, leastWidth, straightens }: Edges): readonly (readonly Loop[])[] {
  const lands: Loop[][] = []
  const looseHoles: Loop[] = []
  const paths = tracePaths(network, isEdge)
  const visits = new Uint8Array(network.first.length)
  for (const point of paths.flat(2)) visits[point]! += 1
  // Where two edges meet, the point separates them.
  const isKept = (point: number): boolean => !straightens || visits[point]! > 1 || network.passes[point] === 1
  for (const path of paths) {
    const loops = path
      .map((loop) => straighten(network.xy, loop, isKept))
      .filter((loop) => loop.length > 2 && Math.abs(areaOf(network.xy, loop)) > leastWidth * extentOf(network.xy, loop))
    const shells = loops.filter((loop) => areaOf(network.xy, loop) > 0)
    const holes = loops.filter((loop) => areaOf(network.xy, loop) < 0)
    for (const shell of shells) lands.push([shell])
    if (shells.length === 1) lands.at(-1)!.push(...holes)
    else looseHoles.push(...holes)
  }
  if (looseHoles.length > 0) placeHoles(network.xy, lands, looseHoles)
  return lands
}

// Follows the edge of the land with the land on the left. A path that goes through a point twice is divided into loops there.
function tracePaths(network: Network, isEdge: (half: number) => boolean): readonly (readonly Loop[])[] {
  const { from, around, first, placeOf } = network
  const isDone = new Uint8Array(from.length)
  const placeInPath = new Int32Array(first.length).fill(-1)
  const paths: Loop[][] = []
  for (let start = 0; start < from.length; start += 1) {
    if (isDone[start] === 1 || !isEdge(start)) continue
    const loops: number[][] = []
    const path: number[] = []
    let half = start
    do {
      isDone[half] = 1
      const point = from[half]!
      const before = placeInPath[point]!
      if (before >= 0) {
        const loop = path.splice(before)
        for (const each of loop) placeInPath[each] = -1
        loops.push(loop)
      }
      placeInPath[point] = path.length
      path.push(point)
      half = twinOf(half)
      const turn = from[half]!
      do {
        const place = placeOf[half]!
        half = around[place === first[turn]! ? first[turn + 1]! - 1 : place - 1]!
      } while (!isEdge(half))
    } while (half !== start)
    for (const each of path) placeInPath[each] = -1
    loops.push(path)
    paths.push(loops)
  }
  return paths
}

function straighten(xy: Float64Array, loop: Loop, isKept: (point: number) => boolean): Loop {
  if (loop.every(isKept)) return loop
  const kept: number[] = []
  for (const [index, point] of loop.entries()) {
    const [before, after] = [kept.at(-1) ?? loop.at(-1)!, loop[(index + 1) % loop.length]!]
    const dx = xy[after * 2]! - xy[before * 2]!
    const dy = xy[after * 2 + 1]! - xy[before * 2 + 1]!
    const off = dx * (xy[point * 2 + 1]! - xy[before * 2 + 1]!) - dy * (xy[point * 2]! - xy[before * 2]!)
    if (isKept(point) || Math.abs(off) > (Math.abs(dx) + Math.abs(dy)) / 2) kept.push(point)
  }
  return kept
}

function extentOf(xy: Float64Array, loop: Loop): number {
  const first = loop[0]! * 2
  return loop.reduce(
    (most, point) =>
      Math.max(most, Math.abs(xy[point * 2]! - xy[first]!) + Math.abs(xy[point * 2 + 1]! - xy[first + 1]!)),
    0,
  )
}

/** Twice the area of a loop. */
function areaOf(xy: Float64Array, loop: Loop): number {
  const [x0, y0] = [xy[loop[0]! * 2]!, xy[loop[0]! * 2 + 1]!]
  let sum = 0
  for (let index = 1; index + 1 < loop.length; index += 1) {
    const [one, other] = [loop[index]! * 2, loop[index + 1]! * 2]
    sum += (xy[one]! - x0) * (xy[other + 1]! - y0) - (xy[other]! - x0) * (xy[one + 1]! - y0)
  }
  return sum
}

// Holes that do not touch their shell were traced separately; each belongs to the smallest land around it.
function placeHoles(xy: Float64Array, lands: readonly Loop[][], looseHoles: readonly Loop[]): void {
  const shells = lands.map(([shell]) => shell!)
  const nest = nestOf(shapeOf([[...shells, ...looseHoles]], (point) => [xy[point * 2]!, xy[point * 2 + 1]!]))
  const order = [...shells.keys()].sort((one, other) => areaOf(xy, shells[one]!) - areaOf(xy, shells[other]!))
  for (const [index, hole] of looseHoles.entries()) {
    const own = shells.length + index
    const land = order.find((shell) => isInside(nest, own, shell))
    if (land !== undefined) lands[land]!.push(hole)
  }
}

/** The loops of each land as the rings of a part, each closed; `place` gives the coordinates of a point. */
export function shapeOf(
  lands: readonly (readonly Loop[])[],
  place: (point: number) => readonly [number, number],
): Shape {
  const coordinates: number[] = []
  const ends: number[] = []
  const parts: number[] = []
  for (const land of lands) {
    for (const loop of land) {
      for (const point of loop) coordinates.push(...place(point))
      coordinates.push(...place(loop[0]!))
      ends.push(coordinates.length / 2)
    }
    parts.push(ends.length)
  }
  const kind = parts.length === 1 ? 'Polygon' : 'MultiPolygon'
  return { kind, coordinates: Float64Array.from(coordinates), ends, parts }
}
