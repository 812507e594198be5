/** Hides how broken boundaries are mended: on GeoJSON objects, by a union that keeps every lobe a line encloses. */

import { bboxClip } from '@turf/bbox-clip'
import { featureCollection, lineString, multiPolygon, polygon } from '@turf/helpers'
import { union } from '@turf/union'
import { isAreal, vertexCount, type Shape } from '../core/shape.ts'
import { shapeFromGeoJson, type Geometry } from '../core/shape-geojson.ts'
import { edgesOf, visitNearPairs } from './edges.ts'
import { areaOf } from './measure.ts'
import { sideOf } from './orientation.ts'
import {
  crossesDateline,
  firstRingOf,
  rewindGeometry,
  signedArea,
  startOf,
  tidyRings,
  unwrapLongitudes,
  windRings,
} from './rings.ts'
import { untie } from './untie.ts'
import { findFaults, isError, isFlat } from './validity.ts'

/**
 * A mended shape and what mending did. `areaBeforeM2` is what the drawn lines enclose: the sum of the absolute areas of all lobes, those
 * of holes taken off. `lostShare` is the share of it that the mended shape takes otherwise than it was drawn:
 * - lobes that run against the rest of their ring (a program that adds up signed areas takes them off, the mended shape keeps them);
 * - land that a ring or several parts go round twice (counted twice before, once after);
 * - holes, or pieces of them, that lie outside their shell or on another hole.
 * No land inside a shell is ever dropped.
 */
export type Repaired = {
  readonly shape: Shape
  readonly areaBeforeM2: number
  readonly areaAfterM2: number
  readonly lostShare: number
  readonly partsBefore: number
  readonly partsAfter: number
}

type Ring = [number, number][]
type Areal = Parameters<typeof union>[0]['features'][number]

// The union takes 0.7 s for 20,000 vertices and 1 s for 5,000 crossings; beyond these it would seem to hang.
const mostVertices = 50_000
const mostCrossings = 1_000

/**
 * Mends polygons whose rings cross themselves or each other; rings may pass 180 degrees if they are unwrapped. Undefined when nothing
 * is left or the lines are too tangled. Heights are not kept: where lines cross there is none.
 */
export function repair(shape: Shape): Repaired | undefined {
  if (!isAreal(shape) || vertexCount(shape) > mostVertices || isTangled(shape)) return undefined
  if (!findFaults(shape).some(isError)) return untouched(windRings(shape))
  const rings = shape.ends.map((_, ring) => ringOf(shape, ring))
  const judged = rings.map(drawnOf)
  const drawn = judged.filter((each) => each !== undefined)
  // A ring that cannot be mended must not pass for one that encloses nothing: its land would be dropped without a word.
  if (drawn.length < judged.length) return undefined
  const isLand = (ring: number): boolean => drawn[ring]!.covered > 0
  const parts = shape.parts
    .map((end, part) => ringsOf(shape, part, end))
    .filter(([shell]) => shell !== undefined && isLand(shell))
  // A ring on its own was mended when it was looked at; the union is what mending costs.
  const alone = rings.length === 1 ? drawn[0]!.mended : undefined
  const pieces = parts.map((part) => part.filter(isLand).map((ring) => rings[ring]!))
  const mended = alone ?? mendApart(pieces) ?? mend(pieces)
  if (mended === undefined || mended === 'tangled') return undefined
  const after = planarArea(mended)
  const shells = parts.map(([shell]) => drawn[shell!]!)
  const holes = parts.flatMap(([, ...rest]) => rest.map((ring) => drawn[ring]!))
  const covered = sum(shells, (each) => each.covered) - sum(holes, (each) => each.covered)
  const lobes = sum(shells, (each) => each.lobes) - sum(holes, (each) => each.lobes)
  const lost = sum([...shells, ...holes], (each) => each.lost) + Math.abs(after - covered)
  // Holes that outweigh their shells leave nothing to take a share of; the shells do then.
  const before = lobes > 0 ? lobes : sum(shells, (each) => each.lobes)
  const lostShare = Math.min(1, lost / before)
  const areaAfterM2 = areaOf(mended)
  return {
    shape: mended,
    areaBeforeM2: (before / after) * areaAfterM2,
    areaAfterM2,
    // Below this it is the rounding of areas, not land.
    lostShare: lostShare < 1e-9 ? 0 : lostShare,
    partsBefore: shape.parts.length,
    partsAfter: mended.parts.length,
  }
}

function untouched(shape: Shape): Repaired {
  const areaM2 = areaOf(shape)
  const parts = shape.parts.length
  return { shape, areaBeforeM2: areaM2, areaAfterM2: areaM2, lostShare: 0, partsBefore: parts, partsAfter: parts }
}

// Areas are compared in the plane of the coordinates: on the ellipsoid a side with a point in its middle encloses another area than
// one without, 80 m² for a side of 2 km, which would be told as land lost.
function planarArea(shape: Shape): number {
  return sum([...shape.parts.keys()], (part) =>
    sum(ringsOf(shape, part, shape.parts[part]!), (ring) => {
      const area = Math.abs(signedArea(shape.coordinates, startOf(shape, ring), shape.ends[ring]!)) / 2
      return ring === firstRingOf(shape, part) ? area : -area
    }),
  )
}

type Drawn = {
  readonly covered: number
  readonly lobes: number
  readonly lost: number
  readonly mended?: Shape | undefined
}

/**
 * What one ring encloses. A ring whose lobes run against each other nets less than it covers, by twice the lesser ones; one that goes
 * round twice nets more. A ring that does both is judged by the balance. Undefined when it cannot be mended.
 */
function drawnOf(ring: Ring): Drawn | undefined {
  const alone = shapeOfParts([[ring]])
  const faults = findFaults(alone)
  if (faults.some((each) => each.code === 'boundary-no-area' || each.code === 'boundary-too-few-points')) return nothing
  const netted = planarArea(alone)
  if (!faults.some(isError)) return { covered: netted, lobes: netted, lost: 0 }
  const united = mend([[ring]])
  if (united === 'tangled') return undefined
  const covered = united === undefined ? 0 : planarArea(united)
  return {
    covered,
    lobes: Math.max(covered, netted),
    lost: Math.max(netted - covered, (covered - netted) / 2),
    mended: united,
  }
}

const nothing: Drawn = { covered: 0, lobes: 0, lost: 0 }

function sum<T>(items: readonly T[], valueOf: (item: T) => number): number {
  return items.reduce((total, each) => total + valueOf(each), 0)
}

// Where only a few of many parts are broken, each is mended by itself: the union of them all takes long, and may fail on sides that
// two sound parts have almost in common. Undefined when the parts need each other.
function mendApart(parts: readonly (readonly Ring[])[]): Shape | undefined {
  if (parts.length < 2) return undefined
  const mended: (readonly Ring[])[] = []
  for (const part of parts) {
    const drawn = shapeOfParts([part])
    const shape = findFaults(drawn).some(isError) ? mend([part]) : drawn
    if (shape === undefined || shape === 'tangled') return undefined
    for (const [index, end] of shape.parts.entries())
      mended.push(ringsOf(shape, index, end).map((ring) => ringOf(shape, ring)))
  }
  const together = windRings(tidyRings(shapeOfParts(mended)).shape)
  return findFaults(together).some(isError) ? undefined : together
}

// The point of a crossing is rounded and so lies a hair off both lines, which may make them cross anew beside it. Undefined when
// nothing is left.
function mend(parts: readonly (readonly Ring[])[]): Shape | 'tangled' | undefined {
  let mended = untied(parts) ?? unite(parts)
  for (let turn = 0; turn < 3; turn += 1) {
    if (mended === 'tangled' || mended === undefined) return mended
    const shape = mended
    if (!findFaults(shape).some(isError)) return shape
    mended = unite(shape.parts.map((end, part) => ringsOf(shape, part, end).map((ring) => ringOf(shape, ring))))
  }
  return 'tangled'
}

function untied(parts: readonly (readonly Ring[])[]): Shape | undefined {
  if (parts.length !== 1 || parts[0]!.length !== 1) return undefined
  const lobes = untie(shapeOfParts(parts))
  if (lobes === undefined) return undefined
  const { shape } = tidyRings(windRings(lobes))
  const isWide = (end: number, ring: number): boolean =>
    end - startOf(shape, ring) >= 4 && !isFlat(shape, startOf(shape, ring), end)
  return shape.ends.every(isWide) ? shape : undefined
}

// Joins the parts of a polygon into what they cover together; undefined when that is nothing, a word when the library fails.
function unite(parts: readonly (readonly Ring[])[]): Shape | 'tangled' | undefined {
  if (parts.length === 0) return undefined
  // The library wants two things to unite; an empty one adds nothing.
  const features: Areal[] = [...parts.map((rings) => polygon(rings.map((ring) => ring.slice()))), multiPolygon([])]
  try {
    const united = union(featureCollection(features))
    return united === null ? undefined : shapeOf(united.geometry as Geometry)
  } catch {
    return 'tangled'
  }
}

// A lobe no wider than the rounding of its coordinates is a trace of the computing, not land.
function shapeOf(geometry: Geometry): Shape | undefined {
  const shape = shapeFromGeoJson(rewindGeometry(geometry))
  if (typeof shape === 'string') return undefined
  const isWide = (ring: number): boolean => !isFlat(shape, startOf(shape, ring), shape.ends[ring]!)
  const parts = shape.parts
    .map((end, part) => ringsOf(shape, part, end))
    .filter(([shell]) => shell !== undefined && isWide(shell))
    .map((part) => part.filter(isWide).map((ring) => ringOf(shape, ring)))
  if (parts.length === 0) return undefined
  return tidyRings(shapeOfParts(parts)).shape
}

function ringsOf(shape: Shape, part: number, end: number): readonly number[] {
  const first = firstRingOf(shape, part)
  return Array.from({ length: end - first }, (_, index) => first + index)
}

function ringOf(shape: Shape, ring: number): Ring {
  const positions: Ring = []
  for (let vertex = startOf(shape, ring); vertex < shape.ends[ring]!; vertex += 1)
    positions.push([shape.coordinates[vertex * 2]!, shape.coordinates[vertex * 2 + 1]!])
  return positions
}

function isRing(ring: Ring): boolean {
  return ring.length >= 4
}

function shapeOfParts(parts: readonly (readonly Ring[])[]): Shape {
  const rings = parts.flat()
  let end = 0
  let ring = 0
  return {
    kind: parts.length === 1 ? 'Polygon' : 'MultiPolygon',
    coordinates: Float64Array.from(rings.flat(2)),
    ends: rings.map((each) => (end += each.length)),
    parts: parts.map((part) => (ring += part.length)),
  }
}

function isTangled(shape: Shape): boolean {
  const { coordinates: xy } = shape
  const edges = edgesOf(shape, () => true)
  let crossings = 0
  const finished = visitNearPairs(edges, xy, (one, other) => {
    const [p1, p2, q1, q2] = [edges.from[one]!, edges.to[one]!, edges.from[other]!, edges.to[other]!]
    if (sideOf(xy, q1, q2, p1) * sideOf(xy, q1, q2, p2) < 0 && sideOf(xy, p1, p2, q1) * sideOf(xy, p1, p2, q2) < 0)
      crossings += 1
    return crossings > mostCrossings
  })
  return !finished || crossings > mostCrossings
}

/** Cuts a shape at 180 degrees (RFC 7946, section 3.1.9), so that no longitude leaves the range and no ring jumps across it. */
export function splitAtDateline(shape: Shape): Shape {
  if (!crossesDateline(shape)) return shape
  const whole = unwrapLongitudes(shape)
  if (isAreal(whole)) return splitPolygons(whole)
  return whole.ends.length > 0
    ? splitLines(whole)
    : { ...whole, coordinates: whole.coordinates.map((value, index) => (index % 2 === 0 ? wrap(value) : value)) }
}

// The worlds a longitude may be counted in; unwrapping leaves at most one turn to either side.
const turns = [-1, 0, 1]

function splitPolygons(whole: Shape): Shape {
  const pieces: (readonly Ring[])[] = []
  for (const [part, end] of whole.parts.entries()) {
    const rings = ringsOf(whole, part, end).map((ring) => ringOf(whole, ring))
    for (const turn of turns) {
      const clipped = bboxClip(polygon(rings.filter(isRing)), [turn * 360 - 180, -90, turn * 360 + 180, 90]).geometry
        .coordinates
      if (clipped.length > 0) pieces.push((clipped as Ring[]).map((ring) => turned(ring, turn)))
    }
  }
  if (pieces.length === 0) return whole
  const split = shapeOfParts(pieces)
  // Clipping a bent boundary joins its pieces by sides along the line; the union takes them apart.
  return findFaults(split).some(isError) ? (repair(split)?.shape ?? split) : split
}

function splitLines(whole: Shape): Shape {
  const lines: [number, number][][] = []
  for (const turn of turns)
    for (let line = 0; line < whole.ends.length; line += 1) {
      const drawn = ringOf(whole, line)
      if (drawn.length < 2) continue
      const clipped = bboxClip(lineString(drawn), [turn * 360 - 180, -90, turn * 360 + 180, 90]).geometry as Geometry
      const found =
        clipped.type === 'LineString'
          ? [clipped.coordinates]
          : clipped.type === 'MultiLineString'
            ? clipped.coordinates
            : []
      // A line that only touches the edge of a world leaves a point there.
      for (const each of found)
        if (each.length > 1 && lengthOf(each as Ring) > 0) lines.push(turned(each as Ring, turn))
    }
  const split = shapeFromGeoJson(
    lines.length === 1
      ? { type: 'LineString', coordinates: lines[0] }
      : { type: 'MultiLineString', coordinates: lines },
  )
  return typeof split === 'string' ? whole : split
}

function lengthOf(line: Ring): number {
  return line.reduce(
    (total, [x, y], index) =>
      index === 0 ? 0 : total + Math.abs(x - line[index - 1]![0]) + Math.abs(y - line[index - 1]![1]),
    0,
  )
}

function turned(ring: Ring, turn: number): Ring {
  return ring.map(([lon, lat]) => [lon - turn * 360, lat])
}

function wrap(lon: number): number {
  return lon > 180 || lon < -180 ? lon - Math.round(lon / 360) * 360 : lon
}
