/** Measures areas, lengths and centroids of shapes on the WGS 84 ellipsoid. */

import { createRequire } from 'node:module'
import type geodesic from 'geographiclib-geodesic'
import { once } from '../../core/once.ts'
import { firstRingOf, isAreal, startOf, vertexCount, type Shape } from '../../core/shape.ts'

/** West, south, east, north; west is greater than east where the shape passes 180 degrees (RFC 7946, section 5.2). */
export type Bbox = readonly [west: number, south: number, east: number, north: number]

/** The area without holes, the perimeter of shells and holes (or the length of lines), the centroid and the box. */
export type Measured = Readonly<ReturnType<typeof measure>>

const radians = Math.PI / 180
const semiMajorM = 6378137
const e2 = (2 - 1 / 298.257223563) / 298.257223563
const e = Math.sqrt(e2)
const polar = 1 / (1 - e2) + Math.atanh(e) / e
const authalicRadiusSquaredM2 = (semiMajorM ** 2 * (1 - e2) * polar) / 2
// sin(authalic latitude) = s (c0 + c1 s² + c2 s⁴ ...): the series of s / (1 - e²s²) + atanh(e s) / e, to 1e-17.
const authalic = Array.from({ length: 8 }, (_, j) => (e2 ** j * (1 + 1 / (2 * j + 1))) / polar)
const [a0, a1, a2, a3, a4, a5, a6, a7] = authalic as [number, number, number, number, number, number, number, number]

// The great circle differs from the geodesic with the square of the length: areas with 4 km sides are off by 2e-7, with 2 km by 6e-8.
const longEdgeM = 2_000
const library = once(() => (createRequire(import.meta.url)('geographiclib-geodesic') as typeof geodesic).Geodesic)

/** The origin of the sums in degrees. */
type Origin = { readonly lon0: number; readonly lat0: number }

type Sums = {
  areaM2: number
  lengthM: number
  // Twice the planar area and its moments in degrees about (lon0, lat0).
  area: number
  momentX: number
  momentY: number
  // The same for lengths, the centroid of what has no area.
  lineX: number
  lineY: number
}

function noSums(): Sums {
  return { areaM2: 0, lengthM: 0, area: 0, momentX: 0, momentY: 0, lineX: 0, lineY: 0 }
}

/** Measures a shape in longitude and latitude. Rings are closed; a ring across 180 degrees may jump there or continue beyond. */
export function measure(shape: Shape) {
  const members = leavesOf(shape)
  const lon0 = members[0]?.coordinates[0] ?? 0
  const lat0 = members[0]?.coordinates[1] ?? 0
  const origin: Origin = { lon0, lat0 }
  const total = noSums()
  const box = { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity }
  const points = { count: 0, x: 0, y: 0 }
  for (const member of members) {
    extend(box, member, lon0)
    if (member.ends.length === 0) addPoints(points, member, origin)
    let part = 0
    for (let ring = 0; ring < member.ends.length; ring += 1) {
      while (ring >= member.parts[part]!) part += 1
      const sign = !isAreal(member) ? 0 : ring === firstRingOf(member, part) ? 1 : -1
      addRing(total, sumsOf(member, ring, origin), sign)
    }
  }
  if (box.west < -180 || box.east > 180) total.lengthM -= seamLength(members)
  const { x, y } = centreOf(total, points, box, origin)
  const centroid = [wrap(lon0 + x), lat0 + y] as const
  const bbox: Bbox =
    box.west > box.east ? [lon0, lat0, lon0, lat0] : [wrap(box.west), box.south, wrap(box.east), box.north]
  return { areaM2: total.areaM2, perimeterM: total.lengthM, centroid, bbox }
}

// A field that its file cuts at 180 degrees has no fence along the cut.
function seamLength(members: readonly Shape[]): number {
  let lengthM = 0
  for (const { coordinates, ends } of members.filter(isAreal))
    for (let ring = 0, vertex = 0; ring < ends.length; ring += 1)
      for (vertex += 1; vertex < ends[ring]!; vertex += 1)
        if (Math.abs(coordinates[vertex * 2]!) === 180 && coordinates[vertex * 2 - 2] === coordinates[vertex * 2])
          lengthM += geodesicEdge(coordinates, vertex).lengthM
  return lengthM
}

/** The box round two boxes, the narrower way round the earth. */
export function joinBoxes(one: Bbox, other: Bbox): Bbox {
  const west = one[0]
  const east = eastOf(one)
  // The other box may be a full turn away; the nearest position makes the narrowest result.
  const middle = (other[0] + eastOf(other)) / 2
  const turn = Math.round(((west + east) / 2 - middle) / 360) * 360
  const farWest = Math.min(west, other[0] + turn)
  const farEast = Math.max(east, eastOf(other) + turn)
  const [south, north] = [Math.min(one[1], other[1]), Math.max(one[3], other[3])]
  return farEast - farWest >= 360 ? [-180, south, 180, north] : [wrap(farWest), south, wrap(farEast), north]
}

function eastOf([west, , east]: Bbox): number {
  return west > east ? east + 360 : east
}

export function areaOf(shape: Shape): number {
  return measure(shape).areaM2
}

/** The shape, or the members of a collection however deep. */
function leavesOf(shape: Shape): readonly Shape[] {
  return shape.members === undefined ? [shape] : shape.members.flatMap(leavesOf)
}

function centreOf(
  sums: Sums,
  points: { readonly count: number; readonly x: number; readonly y: number },
  box: { readonly west: number; readonly east: number; readonly south: number; readonly north: number },
  { lon0, lat0 }: Origin,
): { readonly x: number; readonly y: number } {
  if (sums.area !== 0) {
    const x = sums.momentX / (3 * sums.area)
    const y = sums.momentY / (3 * sums.area)
    // Lobes with opposite directions can put this point outside the shape.
    if (lon0 + x >= box.west && lon0 + x <= box.east && lat0 + y >= box.south && lat0 + y <= box.north) return { x, y }
  }
  if (sums.lengthM > 0) return { x: sums.lineX / sums.lengthM, y: sums.lineY / sums.lengthM }
  return points.count > 0 ? { x: points.x / points.count, y: points.y / points.count } : { x: 0, y: 0 }
}

function extend(box: { west: number; south: number; east: number; north: number }, shape: Shape, lon0: number): void {
  const { coordinates } = shape
  for (let index = 0; index < coordinates.length; index += 2) {
    let lon = coordinates[index]!
    if (lon - lon0 > 180 || lon - lon0 < -180) lon -= Math.round((lon - lon0) / 360) * 360
    const lat = coordinates[index + 1]!
    if (lon < box.west) box.west = lon
    if (lon > box.east) box.east = lon
    if (lat < box.south) box.south = lat
    if (lat > box.north) box.north = lat
  }
}

/** Adds a shell (1), a hole (-1) or a line (0). */
function addRing(total: Sums, sums: Sums, sign: 1 | -1 | 0): void {
  // The direction of a ring does not matter, only whether it is a shell or a hole.
  const turn = sums.area < 0 ? -sign : sign
  total.areaM2 += sign * Math.abs(sums.areaM2)
  total.area += turn * sums.area
  total.momentX += turn * sums.momentX
  total.momentY += turn * sums.momentY
  total.lengthM += sums.lengthM
  total.lineX += sums.lineX
  total.lineY += sums.lineY
}

function addPoints(points: { count: number; x: number; y: number }, shape: Shape, { lon0, lat0 }: Origin): void {
  for (let vertex = 0; vertex < vertexCount(shape); vertex += 1) {
    const x = shape.coordinates[vertex * 2]! - lon0
    points.count += 1
    points.x += x - Math.round(x / 360) * 360
    points.y += shape.coordinates[vertex * 2 + 1]! - lat0
  }
}

/**
 * One pass over a ring: spherical excess on the authalic sphere (after which the area agrees with the geodesic one to
 * some 1e-8 for paddocks), chord lengths between points of the ellipsoid stretched to arcs, and planar moments.
 */
function sumsOf(shape: Shape, ring: number, { lon0, lat0 }: Origin): Sums {
  const { coordinates } = shape
  const start = startOf(shape, ring)
  const end = shape.ends[ring]!
  const sums = noSums()
  let excess = 0
  let previousX = 0
  let previousY = 0
  let previousHalf = 0
  let previousAxis = 0
  let previousHeight = 0
  for (let vertex = start; vertex < end; vertex += 1) {
    let x = coordinates[vertex * 2]! - lon0
    const y = coordinates[vertex * 2 + 1]! - lat0
    const sin = Math.sin(coordinates[vertex * 2 + 1]! * radians)
    const s2 = sin * sin
    const sinAuthalic = sin * (a0 + s2 * (a1 + s2 * (a2 + s2 * (a3 + s2 * (a4 + s2 * (a5 + s2 * (a6 + s2 * a7)))))))
    const half = sinAuthalic / (1 + Math.sqrt(Math.max(0, 1 - sinAuthalic * sinAuthalic)))
    const normal = semiMajorM / Math.sqrt(1 - e2 * s2)
    const axis = normal * Math.sqrt(1 - s2)
    const height = normal * (1 - e2) * sin
    if (x > 180 || x < -180) x -= Math.round(x / 360) * 360
    if (vertex > start) {
      const step = x - previousX
      const h = (step > 180 || step < -180 ? step - Math.round(step / 360) * 360 : step) * (radians / 2)
      const h2 = h * h
      const isShort = h2 < 2.5e-5
      const tan = isShort ? h * (1 + h2 * (1 / 3 + h2 * (2 / 15))) : Math.tan(h)
      const sinHalf = isShort ? h * (1 - h2 * (1 / 6 - h2 / 120)) : Math.sin(h)
      const across = axis - previousAxis
      const along = height - previousHeight
      const chord = Math.sqrt(across * across + along * along + 4 * axis * previousAxis * sinHalf * sinHalf)
      // Stretches the chord to an arc on a circle of the mean radius.
      let length = chord * (1 + (chord * chord) / 9.73e14)
      if (length > longEdgeM) {
        const edge = geodesicEdge(coordinates, vertex)
        length = edge.lengthM
        sums.areaM2 += edge.areaM2
      } else {
        const u = (tan * (half + previousHalf)) / (1 + half * previousHalf)
        const u2 = u * u
        excess += u2 < 2.5e-5 ? u * (1 - u2 * (1 / 3 - u2 / 5)) : Math.atan(u)
      }
      sums.lengthM += length
      sums.lineX += length * (previousX + x) * 0.5
      sums.lineY += length * (previousY + y) * 0.5
      const cross = previousX * y - x * previousY
      sums.area += cross
      sums.momentX += cross * (previousX + x)
      sums.momentY += cross * (previousY + y)
    }
    previousX = x
    previousY = y
    previousHalf = half
    previousAxis = axis
    previousHeight = height
  }
  sums.areaM2 += 2 * excess * authalicRadiusSquaredM2
  return sums
}

// Exact for an edge of any length: its length, and the area between it and the equator.
function geodesicEdge(xy: Float64Array, end: number): { readonly lengthM: number; readonly areaM2: number } {
  const { WGS84, DISTANCE, AREA } = library()
  const { s12 = 0, S12 = 0 } = WGS84.Inverse(
    xy[end * 2 - 1]!,
    xy[end * 2 - 2]!,
    xy[end * 2 + 1]!,
    xy[end * 2]!,
    DISTANCE | AREA,
  )
  return { lengthM: s12, areaM2: S12 }
}

/** A longitude in the range from -180 to 180. */
export function wrap(lon: number): number {
  return lon > 180 || lon < -180 ? lon - Math.round(lon / 360) * 360 : lon
}
