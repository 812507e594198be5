/** Hides where to put a label, or a finger: a point that is surely on the land of a boundary. */

import { isAreal, vertexCount, type Shape } from '../core/shape.ts'
import { leavesOf, wrap } from './measure.ts'
import { firstRingOf, signedArea, startOf } from './rings.ts'

/**
 * A point inside a polygon, midway in the widest stretch of land on a line through its middle, so that it never falls in a hole
 * or beside a bent shape; of other shapes their middle vertex.
 */
export function interiorPoint(shape: Shape): readonly [lon: number, lat: number] {
  const areal = leavesOf(shape).filter(isAreal)
  const whole = areal[0]
  if (whole === undefined) return middleVertex(leavesOf(shape))
  const part = largestPart(whole)
  let best: readonly [number, number, number] = [0, 0, -1]
  for (const share of [0.5, 0.382, 0.618, 0.25, 0.75]) {
    const found = widestStretch(whole, part, share)
    if (found[2] > best[2]) best = found
    if (share === 0.5 && best[2] > 0) break
  }
  return best[2] > 0 ? [wrap(best[0]), best[1]] : middleVertex([whole])
}

function middleVertex(shapes: readonly Shape[]): readonly [number, number] {
  const shape = shapes.find((each) => each.coordinates.length > 0)
  if (shape === undefined) return [NaN, NaN]
  const middle = Math.floor(vertexCount(shape) / 2) * 2
  return [shape.coordinates[middle]!, shape.coordinates[middle + 1]!]
}

function largestPart(shape: Shape): number {
  let largest = 0
  let most = -1
  for (let part = 0; part < shape.parts.length; part += 1) {
    const shell = firstRingOf(shape, part)
    const area = Math.abs(signedArea(shape.coordinates, startOf(shape, shell), shape.ends[shell]!))
    if (area <= most) continue
    most = area
    largest = part
  }
  return largest
}

function widestStretch(shape: Shape, part: number, share: number): readonly [lon: number, lat: number, width: number] {
  const { coordinates } = shape
  const first = firstRingOf(shape, part)
  const lon0 = coordinates[startOf(shape, first) * 2]!
  let south = Infinity
  let north = -Infinity
  for (let vertex = startOf(shape, first); vertex < shape.ends[first]!; vertex += 1) {
    south = Math.min(south, coordinates[vertex * 2 + 1]!)
    north = Math.max(north, coordinates[vertex * 2 + 1]!)
  }
  const lat = south + (north - south) * share
  const crossings: number[] = []
  for (let ring = first; ring < shape.parts[part]!; ring += 1)
    for (let vertex = startOf(shape, ring) + 1; vertex < shape.ends[ring]!; vertex += 1) {
      const y1 = coordinates[vertex * 2 - 1]!
      const y2 = coordinates[vertex * 2 + 1]!
      if (y1 > lat === y2 > lat) continue
      const x1 = near(coordinates[vertex * 2 - 2]!, lon0)
      const x2 = near(coordinates[vertex * 2]!, lon0)
      crossings.push(x1 + ((lat - y1) / (y2 - y1)) * (x2 - x1))
    }
  crossings.sort((one, other) => one - other)
  let best: readonly [number, number, number] = [0, 0, -1]
  for (let index = 1; index < crossings.length; index += 2) {
    const width = crossings[index]! - crossings[index - 1]!
    if (width > best[2]) best = [crossings[index - 1]! + width / 2, lat, width]
  }
  return best
}

function near(lon: number, lon0: number): number {
  return lon - Math.round((lon - lon0) / 360) * 360
}
