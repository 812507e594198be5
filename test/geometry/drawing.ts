/** Draws shapes for the geometry tests, in steps of a hundred-thousandth of a degree (about a metre) from a corner of Rimu Farm. */

import geodesic from 'geographiclib-geodesic'
import type { Shape, ShapeKind } from '../../src/core/shape.ts'
import { shapeFromGeoJson } from '../../src/core/shapes/shape-geojson.ts'
import { type Boundaries, boxWords, gridOutlineOf } from '../../src/geometry/coverage/boundary-grid.ts'
import { areaOf } from '../../src/geometry/measure/measure.ts'
import { windRings } from '../../src/geometry/measure/rings.ts'

export type Drawn = readonly (readonly [number, number])[]

const corner = [175.312, -37.787] as const

/** Positions from text such as '0 0, 100 0, 100 100'. */
export function xy(text: string): [number, number][] {
  return text.split(', ').map((each) => each.split(' ').map(Number) as [number, number])
}

/** One step east and north as longitude and latitude. */
export function place([x, y]: readonly [number, number]): [number, number] {
  return [corner[0] + x * 1e-5, corner[1] + y * 1e-5]
}

/** A polygon of drawn rings, the shell first, as given: neither closed nor wound. */
export function polygon(...rings: readonly Drawn[]): Shape {
  return flat('Polygon', [rings])
}

export function multiPolygon(...parts: readonly (readonly Drawn[])[]): Shape {
  return flat('MultiPolygon', parts)
}

function flat(kind: ShapeKind, parts: readonly (readonly Drawn[])[]): Shape {
  const rings = parts.flat()
  const coordinates = new Float64Array(2 * rings.reduce((sum, each) => sum + each.length, 0))
  let at = 0
  for (const each of rings)
    for (const point of each) {
      const [lon, lat] = place(point)
      coordinates[at++] = lon
      coordinates[at++] = lat
    }
  let end = 0
  let ring = 0
  return {
    kind,
    coordinates,
    ends: rings.map((each) => (end += each.length)),
    parts: parts.map((each) => (ring += each.length)),
  }
}

/** A rectangle by two corners, closed, counterclockwise. */
export function box(x1: number, y1: number, x2: number, y2: number): Drawn {
  return [
    [x1, y1],
    [x2, y1],
    [x2, y2],
    [x1, y2],
    [x1, y1],
  ]
}

export const square: Drawn = box(0, 0, 100, 100)

/** A bow tie with two equal lobes. */
export const bow: Drawn = xy('0 0, 100 100, 100 0, 0 100, 0 0')

/** A bow tie whose smaller lobe is 250 of 4250. */
export const twisted: Drawn = xy('0 0, 100 62.5, 100 37.5, 0 100, 0 0')

/** Drawn shapes as the boundaries of a file. */
export function boundariesOf(shapes: readonly Shape[]): Boundaries {
  const kept = shapes.map((each) => {
    const shape = windRings(each)
    const { words, from } = gridOutlineOf(shape)!
    return { words, at: from + boxWords, areaM2: areaOf(shape) }
  })
  return {
    count: kept.length,
    own: kept.length,
    boxes: Uint32Array.from(kept.flatMap(({ words }) => [...words.subarray(0, boxWords)])),
    read: (number) => kept[number]!,
    areaM2: (number) => kept[number]!.areaM2,
  }
}

/** A shape from GeoJSON text or an object. */
export function geoJson(geometry: unknown): Shape {
  const shape = shapeFromGeoJson(geometry)
  if (typeof shape === 'string') throw new Error(shape)
  return shape
}

export function point(lon: number, lat: number): Shape {
  return { kind: 'Point', coordinates: Float64Array.of(lon, lat), ends: [], parts: [] }
}

/** A ring that goes round its middle once with a changing radius, so it never crosses itself. */
export function roundShape(middle: readonly [number, number], radiusDegrees: number, swings: readonly number[]): Shape {
  const stretch = 1 / Math.cos((middle[1] * Math.PI) / 180)
  const positions = swings.map((swing, index): [number, number] => {
    const angle = (2 * Math.PI * index) / swings.length
    const radius = radiusDegrees * (0.5 + swing / 2)
    return [middle[0] + stretch * radius * Math.cos(angle), middle[1] + radius * Math.sin(angle)]
  })
  positions.push(positions[0]!)
  return { kind: 'Polygon', coordinates: Float64Array.from(positions.flat()), ends: [positions.length], parts: [1] }
}

/** The area and perimeter of the first ring from the geodesic library. */
export function geodesicRing(shape: Shape): { readonly areaM2: number; readonly perimeterM: number } {
  const ring = geodesic.Geodesic.WGS84.Polygon(false)
  for (let vertex = 0; vertex < shape.ends[0]! - 1; vertex += 1)
    ring.AddPoint(shape.coordinates[vertex * 2 + 1]!, shape.coordinates[vertex * 2]!)
  const { area, perimeter } = ring.Compute(false, true)
  return { areaM2: Math.abs(area ?? 0), perimeterM: perimeter }
}
