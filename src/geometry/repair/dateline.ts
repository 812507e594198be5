/** Cuts shapes at 180 degrees. */

import { createRequire } from 'node:module'
import type * as Clipping from '@turf/bbox-clip'
import type * as Making from '@turf/helpers'
import { once } from '../../core/once.ts'
import { firstRingOf, isAreal, startOf, type Shape } from '../../core/shape.ts'
import { shapeFromGeoJson } from '../../core/shapes/shape-geojson.ts'
import { repair } from './repair.ts'
import { wrap } from '../measure/measure.ts'
import { crossesDateline, range, rewindGeometry, unwrapLongitudes } from '../measure/rings.ts'
import { findFaults } from '../validity/validity.ts'

const load = createRequire(import.meta.url)
const clipping = once(() => load('@turf/bbox-clip') as typeof Clipping)
const making = once(() => load('@turf/helpers') as typeof Making)

/** Cuts a shape at 180 degrees (RFC 7946, section 3.1.9), so that no longitude leaves the range and no ring jumps across it. */
export function splitAtDateline(shape: Shape): Shape {
  if (!crossesDateline(shape)) return shape
  const whole = unwrapLongitudes(shape)
  if (isAreal(whole)) return splitPolygons(whole)
  return whole.ends.length > 0
    ? splitLines(whole)
    : { ...whole, coordinates: whole.coordinates.map((value, index) => (index % 2 === 0 ? wrap(value) : value)) }
}

// Unwrapped longitudes lie at most one full turn to either side.
const turns = [-1, 0, 1]

function boxOf(turn: number): [west: number, south: number, east: number, north: number] {
  return [turn * 360 - 180, -90, turn * 360 + 180, 90]
}

function splitPolygons(whole: Shape): Shape {
  const pieces: (readonly Ring[])[] = []
  for (const [part, end] of whole.parts.entries()) {
    const rings = range(firstRingOf(whole, part), end)
      .map((ring) => ringOf(whole, ring))
      .filter((ring) => ring.length >= 4)
    for (const turn of turns) {
      const clipped = clipping().bboxClip(making().polygon(rings), boxOf(turn)).geometry
      if (clipped.coordinates.length === 0) continue
      const { coordinates } = rewindGeometry({ type: 'Polygon' as const, coordinates: clipped.coordinates as Ring[] })
      pieces.push(coordinates.map((ring) => turned(ring, turn)))
    }
  }
  if (pieces.length === 0) return whole
  const split = shapeFromGeoJson(
    pieces.length === 1 ? { type: 'Polygon', coordinates: pieces[0] } : { type: 'MultiPolygon', coordinates: pieces },
  ) as Shape
  // Clipping a bent boundary joins its pieces by sides along the cut; a repair separates them.
  return findFaults(split).length > 0 ? (repair(split)?.shape ?? split) : split
}

function splitLines(whole: Shape): Shape {
  const lines: Ring[] = []
  for (const turn of turns)
    for (let line = 0; line < whole.ends.length; line += 1) {
      const drawn = ringOf(whole, line)
      if (drawn.length < 2) continue
      const { type, coordinates } = clipping().bboxClip(making().lineString(drawn), boxOf(turn)).geometry
      const found = (type === 'LineString' ? [coordinates] : coordinates) as unknown as readonly Ring[]
      // A line that only touches the cut leaves a point there.
      for (const each of found) if (hasLength(each)) lines.push(turned(each, turn))
    }
  return shapeFromGeoJson(
    lines.length === 1
      ? { type: 'LineString', coordinates: lines[0] }
      : { type: 'MultiLineString', coordinates: lines },
  ) as Shape
}

function hasLength([first, ...others]: Ring): boolean {
  return others.some(([x, y]) => x !== first![0] || y !== first![1])
}

function turned(ring: Ring, turn: number): Ring {
  return ring.map(([lon, lat]) => [lon - turn * 360, lat])
}

type Ring = [number, number][]

function ringOf(shape: Shape, ring: number): Ring {
  const positions: Ring = []
  for (let vertex = startOf(shape, ring); vertex < shape.ends[ring]!; vertex += 1)
    positions.push([shape.coordinates[vertex * 2]!, shape.coordinates[vertex * 2 + 1]!])
  return positions
}
