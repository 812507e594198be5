/** Checks in one pass whether the service accepts the coordinates of a record. */

import { isObject } from '../core/values/exact-json.ts'
import type { ShapeKind } from '../core/shape.ts'
import { positionDepth } from '../core/shapes/shape-geojson.ts'
import type { Finding } from './findings.ts'
import { sayValue } from './wording.ts'

/** The first fault of a geometry; `path` is a JSON pointer inside it. */
export type GeometryFault = Omit<Finding, 'severity'>

const mostNesting = 8

/** Checks type and coordinates: numbers, on the globe, rings closed and with at least four positions. */
export function geometryFault(geometry: unknown, nesting = 0): GeometryFault | undefined {
  if (!isObject(geometry)) return { code: 'geometry-wrong-type', path: '', message: 'It is not a geometry.' }
  const { type, coordinates, geometries } = geometry as { type?: unknown; coordinates?: unknown; geometries?: unknown }
  if (type === 'GeometryCollection') return collectionFault(geometries, nesting)
  const depth = typeof type === 'string' ? positionDepth.get(type) : undefined
  if (depth === undefined)
    return {
      code: 'geometry-wrong-type',
      path: '/type',
      message: `The type of geometry is ${sayValue(type)}, which the service does not know.`,
      hint: `Known: ${[...positionDepth.keys()].join(', ')}.`,
    }
  const fault = partFault(coordinates, depth - 1, type as ShapeKind)
  return fault === undefined ? undefined : { ...fault, path: `/coordinates${fault.path}` }
}

function collectionFault(members: unknown, nesting: number): GeometryFault | undefined {
  if (!Array.isArray(members) || nesting >= mostNesting)
    return { code: 'geometry-wrong-type', path: '', message: 'It is a collection without a list of geometries.' }
  for (let index = 0; index < members.length; index += 1) {
    const fault = geometryFault(members[index], nesting + 1)
    if (fault !== undefined) return { ...fault, path: `/geometries/${index}${fault.path}` }
  }
  return undefined
}

function partFault(value: unknown, depth: number, kind: ShapeKind): GeometryFault | undefined {
  if (depth === 0) return positionFault(value)
  if (!Array.isArray(value))
    return { code: 'geometry-wrong-type', path: '', message: 'The coordinates are not a list.' }
  const isRing = depth === 1 && (kind === 'Polygon' || kind === 'MultiPolygon')
  for (let index = 0; index < value.length; index += 1) {
    const member: unknown = value[index]
    const fault = depth === 1 ? positionFault(member) : partFault(member, depth - 1, kind)
    if (fault !== undefined) return { ...fault, path: `/${index}${fault.path}` }
  }
  if (isRing) return ringFault(value as readonly (readonly number[])[])
  if (value.length === 0 && kind !== 'MultiPoint')
    return { code: 'geometry-missing', path: '', message: 'It has no positions.' }
  if (depth === 1 && value.length < 2 && kind !== 'MultiPoint')
    return { code: 'boundary-too-few-points', path: '', message: 'A line needs two positions, but this one has one.' }
  return undefined
}

function ringFault(ring: readonly (readonly number[])[]): GeometryFault | undefined {
  const count = ring.length
  const first = ring[0]
  const last = ring[count - 1]
  if (first !== undefined && last !== undefined && (first[0] !== last[0] || first[1] !== last[1]))
    return {
      code: 'boundary-open',
      path: '',
      message: `A ring of ${count} positions is not closed: it starts at ${say(first)} and ends at ${say(last)}.`,
      hint: 'Repeat the first position at the end.',
    }
  if (count >= 4) return undefined
  return {
    code: 'boundary-too-few-points',
    path: '',
    message: `A ring has ${count} ${count === 1 ? 'position' : 'positions'}; it needs at least 4, the last one equal to the first.`,
  }
}

function positionFault(position: unknown): GeometryFault | undefined {
  if (!Array.isArray(position) || position.length < 2)
    return { code: 'coordinate-not-a-number', path: '', message: 'A position is not a pair of numbers.' }
  const longitude: unknown = position[0]
  const latitude: unknown = position[1]
  // A comparison with NaN is false, so one test per axis covers text, NaN, infinity and the range.
  if (typeof longitude === 'number' && typeof latitude === 'number') {
    if (longitude >= -180 && longitude <= 180 && latitude >= -90 && latitude <= 90) {
      const isWhole = position.length === 2 || position.every(Number.isFinite)
      return isWhole ? undefined : notNumbers(position, 'contains something that is not a number')
    }
    if (Number.isFinite(longitude) && Number.isFinite(latitude)) return rangeFault(longitude, latitude)
  }
  return notNumbers(position, 'is not a pair of numbers')
}

function notNumbers(position: readonly unknown[], what: string): GeometryFault {
  const value = say(position)
  return { code: 'coordinate-not-a-number', path: '', value, message: `The position ${value} ${what}.` }
}

function rangeFault(longitude: number, latitude: number): GeometryFault {
  const swapped = Math.abs(latitude) <= 180 && Math.abs(longitude) <= 90
  return {
    code: 'coordinate-out-of-range',
    path: '',
    value: `${longitude}, ${latitude}`,
    message: `The position ${longitude}, ${latitude} is not on the globe: longitude ranges from -180 to 180, latitude from -90 to 90.`,
    hint: swapped
      ? 'Longitude comes first; these two look swapped.'
      : 'Numbers this large are metres of a map projection. Convert them to longitude and latitude.',
  }
}

function say(position: readonly unknown[]): string {
  return position.slice(0, 3).map(sayValue).join(', ')
}
