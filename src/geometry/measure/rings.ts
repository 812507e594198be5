/** Closes and winds rings (RFC 7946: shells counterclockwise), removes repeated points and unwraps longitudes at 180 degrees. */

import { createRequire } from 'node:module'
import type rewind from '@mapbox/geojson-rewind'
import { once } from '../../core/once.ts'
import {
  changeHeights,
  isAreal,
  isSamePoint,
  pickVertices,
  reverseVertices,
  startOf,
  type Shape,
} from '../../core/shape.ts'
import type { Geometry } from '../../core/shapes/shape-geojson.ts'

/** The coordinates and ends of rings, as in a shape. */
export type Rings = Pick<Shape, 'coordinates' | 'ends'>

/** The whole numbers from `from` to before `to`, such as the rings of a part or the vertices of a ring. */
export function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, index) => from + index)
}

/** Closes rings and removes points that repeat the one before; returns the same shape when it is tidy, and how many it changed. */
export function tidyRings(shape: Shape) {
  const { coordinates, ends } = shape
  const closes = isAreal(shape)
  let opened = 0
  let repeated = 0
  for (let ring = 0, start = 0; ring < ends.length; ring += 1) {
    const end = ends[ring]!
    if (closes && end > start && !isSamePoint(coordinates, start, end - 1)) opened += 1
    for (let vertex = start + 1; vertex < end; vertex += 1)
      if (isSamePoint(coordinates, vertex, vertex - 1)) repeated += 1
    start = end
  }
  // A ring that repeats one point becomes one vertex, so vertices cannot be counted afterwards.
  return { shape: opened === 0 && repeated === 0 ? shape : tidied(shape, closes), opened, repeated }
}

/** The shape rounded to decimals and tidied; the new coordinates are written to `coordinates`. */
export function tidyRounded(
  shape: Shape,
  decimals: number,
  coordinates: Float64Array = new Float64Array(shape.coordinates.length),
): Shape {
  const factor = 10 ** decimals
  // Adding zero turns -0 into 0.
  for (let index = 0; index < coordinates.length; index += 1)
    coordinates[index] = Math.round(shape.coordinates[index]! * factor) / factor + 0
  return tidyRings({ ...shape, coordinates }).shape
}

function tidied(shape: Shape, closes: boolean): Shape {
  const { coordinates, ends } = shape
  const vertices: number[] = []
  const newEnds: number[] = []
  for (let ring = 0, start = 0; ring < ends.length; ring += 1) {
    const end = ends[ring]!
    for (let vertex = start; vertex < end; vertex += 1)
      if (vertex === start || !isSamePoint(coordinates, vertex, vertex - 1)) vertices.push(vertex)
    if (closes && end > start && !isSamePoint(coordinates, start, end - 1)) vertices.push(start)
    newEnds.push(vertices.length)
    start = end
  }
  return pickVertices(shape, vertices, newEnds)
}

/** Turns shells counterclockwise and holes clockwise; returns the same shape when they are. Rings must be closed. */
export function windRings(shape: Shape): Shape {
  return wind(shape, (drawn) => withOwnHeights({ ...drawn, coordinates: drawn.coordinates.slice() }))
}

/** The same in place, for coordinates that no other shape shares; heights are copied. */
export function windOwnRings(shape: Shape): Shape {
  return wind(shape, withOwnHeights)
}

function wind(shape: Shape, own: (shape: Shape) => Shape): Shape {
  if (!isAreal(shape)) return shape
  let wound: Shape | undefined
  for (let part = 0, ring = 0; part < shape.parts.length; part += 1) {
    const first = ring
    for (; ring < shape.parts[part]!; ring += 1) {
      const area = signedArea(shape.coordinates, startOf(shape, ring), shape.ends[ring]!)
      if (area === 0 || area > 0 === (ring === first)) continue
      wound ??= own(shape)
      reverseVertices(wound, startOf(shape, ring), shape.ends[ring]!)
    }
  }
  return wound ?? shape
}

/** Twice the signed planar area of a ring, counterclockwise positive, relative to its first vertex, across 180 degrees as well. */
export function signedArea(coordinates: Float64Array, start: number, end: number): number {
  const x0 = coordinates[start * 2]!
  const y0 = coordinates[start * 2 + 1]!
  let previousX = 0
  let previousY = 0
  let sum = 0
  for (let index = (start + 1) * 2; index < end * 2; index += 2) {
    let x = coordinates[index]! - x0
    if (x > 180 || x < -180) x -= Math.round(x / 360) * 360
    const y = coordinates[index + 1]! - y0
    sum += previousX * y - x * previousY
    previousX = x
    previousY = y
  }
  return sum
}

function withOwnHeights(shape: Shape): Shape {
  return { ...shape, ...changeHeights(shape, (values) => values.slice()) }
}

/** The rings in the opposite direction, so that land becomes a hole and a hole land; heights are not reversed. */
export function reverseRings(rings: Rings): Rings {
  const coordinates = rings.coordinates.slice()
  for (const [ring, end] of rings.ends.entries()) reverseVertices({ coordinates }, startOf(rings, ring), end)
  return { coordinates, ends: rings.ends }
}

export function joinRings(all: readonly Rings[]): Rings {
  const coordinates = new Float64Array(all.reduce((sum, each) => sum + each.coordinates.length, 0))
  const ends: number[] = []
  let at = 0
  for (const each of all) {
    coordinates.set(each.coordinates, at)
    for (const end of each.ends) ends.push(at / 2 + end)
    at += each.coordinates.length
  }
  return { coordinates, ends }
}

/** True when a line or ring of the shape jumps by more than half the globe, or a longitude leaves the range from -180 to 180. */
export function crossesDateline(shape: Shape): boolean {
  const { coordinates, ends } = shape
  if (ends.length === 0) {
    for (let index = 0; index < coordinates.length; index += 2) if (Math.abs(coordinates[index]!) > 180) return true
    return false
  }
  for (let ring = 0, start = 0; ring < ends.length; ring += 1) {
    const end = ends[ring]!
    let previous = coordinates[start * 2]!
    for (let vertex = start; vertex < end; vertex += 1) {
      const lon = coordinates[vertex * 2]!
      if (lon > 180 || lon < -180 || lon - previous > 180 || previous - lon > 180) return true
      previous = lon
    }
    start = end
  }
  return false
}

/** Makes longitudes continuous along each line and ring, and all of them near the first; they may then pass 180. */
export function unwrapLongitudes(shape: Shape): Shape {
  const coordinates = shape.coordinates.slice()
  const { ends } = shape
  const origin = coordinates[0] ?? 0
  for (let ring = 0, start = 0; ring < ends.length; ring += 1) {
    const end = ends[ring]!
    let previous = origin
    for (let vertex = start; vertex < end; vertex += 1) {
      const lon = coordinates[vertex * 2]!
      previous = lon - Math.round((lon - previous) / 360) * 360
      coordinates[vertex * 2] = previous
    }
    start = end
  }
  return { ...shape, coordinates }
}

const library = once(() => createRequire(import.meta.url)('@mapbox/geojson-rewind') as typeof rewind)

/** Winds a GeoJSON geometry in place, shells counterclockwise; for geometry that already consists of objects, as after clipping. */
export function rewindGeometry<G extends Geometry>(geometry: G): G {
  return library()(geometry, false)
}
