/** Hides the figure of the earth: areas, lengths and centroids of longitude and latitude on the WGS 84 ellipsoid. */

import geodesic from 'geographiclib-geodesic'
import { isAreal, vertexCount, type Shape } from '../core/shape.ts'
import { firstRingOf, startOf } from './rings.ts'

/** West, south, east, north; west is greater than east where the shape passes 180 degrees (RFC 7946, section 5.2). */
export type Bbox = readonly [west: number, south: number, east: number, north: number]

/** Area without holes; perimeter of shells and holes, or the length of lines; where points are, themselves. */
export type Measured = {
  readonly areaM2: number
  readonly perimeterM: number
  readonly centroid: readonly [lon: number, lat: number]
  readonly bbox: Bbox
}

const radians = Math.PI / 180
const semiMajorM = 6378137
const e2 = (2 - 1 / 298.257223563) / 298.257223563
const e = Math.sqrt(e2)
const polar = 1 / (1 - e2) + Math.atanh(e) / e
const authalicRadiusSquaredM2 = (semiMajorM ** 2 * (1 - e2) * polar) / 2
// sin(authalic latitude) = s (c0 + c1 s² + c2 s⁴ ...): the series of s / (1 - e²s²) + atanh(e s) / e, to 1e-17.
const authalic = Array.from({ length: 8 }, (_, j) => (e2 ** j * (1 + 1 / (2 * j + 1))) / polar)
const [a0, a1, a2, a3, a4, a5, a6, a7] = authalic as [number, number, number, number, number, number, number, number]

// A geodesic leaves the great circle with the square of its length: triangles with 4 km sides were off by 2e-7, with 2 km by 6e-8.
const longEdgeM = 2_000
const wgs84 = geodesic.Geodesic.WGS84

type Sums = {
  areaM2: number
  lengthM: number
  longestM: number
  // Twice the planar area and its moments in degrees about (lon0, lat0).
  area: number
  momentX: number
  momentY: number
  // The same for lengths, the centroid of what has no area.
  lineX: number
  lineY: number
}

/** Measures a shape in longitude and latitude. Rings are closed; a ring across 180 degrees may jump there or go on beyond. */
export function measure(shape: Shape): Measured {
  const members = leavesOf(shape)
  const lon0 = members[0]?.coordinates[0] ?? 0
  const lat0 = members[0]?.coordinates[1] ?? 0
  const total: Sums = { areaM2: 0, lengthM: 0, longestM: 0, area: 0, momentX: 0, momentY: 0, lineX: 0, lineY: 0 }
  const box = { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity }
  const points = { count: 0, x: 0, y: 0 }
  for (const member of members) {
    extend(box, member, lon0)
    if (isAreal(member))
      for (let part = 0; part < member.parts.length; part += 1) addPart(total, member, part, [lon0, lat0])
    else if (member.ends.length > 0)
      for (let line = 0; line < member.ends.length; line += 1) addLine(total, member, line, [lon0, lat0])
    else addPoints(points, member, [lon0, lat0])
  }
  const [x, y] = centreOf(total, points, box, [lon0, lat0])
  return {
    areaM2: total.areaM2,
    perimeterM: total.lengthM,
    centroid: [wrap(lon0 + x), lat0 + y],
    bbox: box.west > box.east ? [lon0, lat0, lon0, lat0] : [wrap(box.west), box.south, wrap(box.east), box.north],
  }
}

/** The area of a shape alone. */
export function areaOf(shape: Shape): number {
  return measure(shape).areaM2
}

function leavesOf(shape: Shape): readonly Shape[] {
  return shape.members === undefined ? [shape] : shape.members.flatMap(leavesOf)
}

function centreOf(
  sums: Sums,
  points: { readonly count: number; readonly x: number; readonly y: number },
  box: { readonly west: number; readonly east: number; readonly south: number; readonly north: number },
  [lon0, lat0]: readonly [number, number],
): readonly [number, number] {
  if (sums.area !== 0) {
    const x = sums.momentX / (3 * sums.area)
    const y = sums.momentY / (3 * sums.area)
    // Lobes that run against each other can throw the quotient out of the shape.
    if (lon0 + x >= box.west && lon0 + x <= box.east && lat0 + y >= box.south && lat0 + y <= box.north) return [x, y]
  }
  if (sums.lengthM > 0) return [sums.lineX / sums.lengthM, sums.lineY / sums.lengthM]
  return points.count > 0 ? [points.x / points.count, points.y / points.count] : [0, 0]
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

function addPart(total: Sums, shape: Shape, part: number, origin: readonly [number, number]): void {
  const first = firstRingOf(shape, part)
  for (let ring = first; ring < shape.parts[part]!; ring += 1) {
    const sums = sumsOf(shape, ring, origin)
    const areaM2 = sums.longestM > longEdgeM ? geodesicRing(shape, ring, sums) : Math.abs(sums.areaM2)
    // Which way a ring runs does not count, only whether it is a shell or a hole.
    const sign = ring === first ? 1 : -1
    const turn = sums.area < 0 ? -sign : sign
    total.areaM2 += sign * areaM2
    total.area += turn * sums.area
    total.momentX += turn * sums.momentX
    total.momentY += turn * sums.momentY
    total.lengthM += sums.lengthM
    total.lineX += sums.lineX
    total.lineY += sums.lineY
  }
}

function addLine(total: Sums, shape: Shape, line: number, origin: readonly [number, number]): void {
  const sums = sumsOf(shape, line, origin)
  if (sums.longestM > longEdgeM) sums.lengthM = geodesicLength(shape, line)
  total.lengthM += sums.lengthM
  total.lineX += sums.lineX
  total.lineY += sums.lineY
}

function addPoints(
  points: { count: number; x: number; y: number },
  shape: Shape,
  [lon0, lat0]: readonly [number, number],
): void {
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
function sumsOf(shape: Shape, ring: number, [lon0, lat0]: readonly [number, number]): Sums {
  const { coordinates } = shape
  const start = startOf(shape, ring)
  const end = shape.ends[ring]!
  const sums: Sums = { areaM2: 0, lengthM: 0, longestM: 0, area: 0, momentX: 0, momentY: 0, lineX: 0, lineY: 0 }
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
      const u = (tan * (half + previousHalf)) / (1 + half * previousHalf)
      const u2 = u * u
      excess += u2 < 2.5e-5 ? u * (1 - u2 * (1 / 3 - u2 / 5)) : Math.atan(u)
      const across = axis - previousAxis
      const along = height - previousHeight
      const chord = Math.sqrt(across * across + along * along + 4 * axis * previousAxis * sinHalf * sinHalf)
      // Arc over chord on a circle of the mean radius; the radius matters to 3 parts in a thousand of a part in ten million.
      const length = chord * (1 + (chord * chord) / 9.73e14)
      sums.lengthM += length
      if (length > sums.longestM) sums.longestM = length
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
  sums.areaM2 = 2 * excess * authalicRadiusSquaredM2
  return sums
}

// Exact for edges of any length, at fifty times the cost.
function geodesicRing(shape: Shape, ring: number, sums: Sums): number {
  const polygon = wgs84.Polygon(false)
  for (let vertex = startOf(shape, ring); vertex < shape.ends[ring]! - 1; vertex += 1)
    polygon.AddPoint(shape.coordinates[vertex * 2 + 1]!, shape.coordinates[vertex * 2]!)
  const result = polygon.Compute(false, true)
  sums.lengthM = result.perimeter
  return Math.abs(result.area ?? 0)
}

function geodesicLength(shape: Shape, line: number): number {
  const polyline = wgs84.Polygon(true)
  for (let vertex = startOf(shape, line); vertex < shape.ends[line]!; vertex += 1)
    polyline.AddPoint(shape.coordinates[vertex * 2 + 1]!, shape.coordinates[vertex * 2]!)
  return polyline.Compute(false, true).perimeter
}

function wrap(lon: number): number {
  return lon > 180 || lon < -180 ? lon - Math.round(lon / 360) * 360 : lon
}

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
    const { areaM2 } = sumsOf(shape, firstRingOf(shape, part), [shape.coordinates[0]!, shape.coordinates[1]!])
    if (Math.abs(areaM2) <= most) continue
    most = Math.abs(areaM2)
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
