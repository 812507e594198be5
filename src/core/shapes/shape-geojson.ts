/** Converts between flat shapes and GeoJSON objects. geometry-text.ts writes their text. */

import {
  collectionOf,
  endLine,
  endPart,
  firstRingOf,
  shapeOf,
  startGathering,
  startOf,
  type Gathered,
  type Shape,
  type ShapeKind,
} from '../shape.ts'
import { isObject, type Members } from '../values/exact-json.ts'

export type Position = readonly number[]
export type Geometry =
  | { readonly type: 'Point'; readonly coordinates: Position }
  | { readonly type: 'MultiPoint' | 'LineString'; readonly coordinates: readonly Position[] }
  | { readonly type: 'MultiLineString' | 'Polygon'; readonly coordinates: readonly (readonly Position[])[] }
  | { readonly type: 'MultiPolygon'; readonly coordinates: readonly (readonly (readonly Position[])[])[] }
  | { readonly type: 'GeometryCollection'; readonly geometries: readonly Geometry[] }

/** Converts a GeoJSON geometry to a shape; returns a sentence if the coordinates do not fit the type. */
export function shapeFromGeoJson(geometry: unknown): Shape | string {
  if (typeof geometry !== 'object' || geometry === null) return 'The geometry is not an object.'
  const { type, coordinates, geometries } = geometry as { type?: unknown; coordinates?: unknown; geometries?: unknown }
  if (type === 'GeometryCollection') return collectionFromGeoJson(geometries)
  if (typeof type !== 'string') return 'The geometry has no type.'
  const depth = positionDepth.get(type)
  if (depth === undefined) return `"${type.slice(0, 40)}" is not a geometry type.`
  const gathered = startGathering()
  const fault = gatherAtDepth(gathered, coordinates, depth - 1, type as ShapeKind)
  if (fault !== undefined) return fault
  if (type === 'Polygon') endPart(gathered)
  return shapeOf(type as ShapeKind, gathered)
}

/** The crs member of GeoJSON before RFC 7946: a name, a link or, in the oldest files, only an EPSG number. */
export function crsOf({ crs }: Members): string | undefined {
  if (!isObject(crs)) return undefined
  const { type, properties } = crs as { type?: unknown; properties?: Members | null }
  const said = type === 'EPSG' ? `EPSG:${String(properties?.['code'])}` : (properties?.['name'] ?? properties?.['href'])
  return typeof said === 'string' && said !== '' ? said : undefined
}

/** What a feature or its geometry states about its coordinates. */
export function crsOfFeature(feature: Members): string | undefined {
  return crsOf(feature) ?? (isObject(feature['geometry']) ? crsOf(feature['geometry']) : undefined)
}

/** The EPSG number of such a statement, if it has one. */
export function numberOfCrs(said: string): number | undefined {
  return said.endsWith('CRS84') ? 4326 : Number(/\d+$/.exec(said)?.[0]) || undefined
}

/** How many lists a position of each kind is in, its own included. */
export const positionDepth: ReadonlyMap<string, number> = new Map([
  ['Point', 1],
  ['MultiPoint', 2],
  ['LineString', 2],
  ['MultiLineString', 3],
  ['Polygon', 3],
  ['MultiPolygon', 4],
])

function gatherAtDepth(gather: Gathered, value: unknown, depth: number, kind: ShapeKind): string | undefined {
  if (!Array.isArray(value)) return 'The coordinates are not a list.'
  if (depth === 0) return gatherPosition(gather, value)
  for (const member of value) {
    const fault = gatherAtDepth(gather, member, depth - 1, kind)
    if (fault !== undefined) return fault
  }
  if (depth === 1 && kind !== 'MultiPoint') endLine(gather)
  if (depth === 2 && kind === 'MultiPolygon') endPart(gather)
  return undefined
}

function gatherPosition(gather: Gathered, position: readonly unknown[]): string | undefined {
  const [x, y, z] = position
  if (typeof x !== 'number' || typeof y !== 'number') return 'A position is not a pair of numbers.'
  gather.xy.push(x, y)
  if (typeof z === 'number') gather.z.push(z)
  return undefined
}

function collectionFromGeoJson(geometries: unknown): Shape | string {
  if (!Array.isArray(geometries)) return 'The geometry collection has no list of geometries.'
  const members = geometries.map((each) => shapeFromGeoJson(each))
  return members.find((each) => typeof each === 'string') ?? collectionOf(members as Shape[])
}

/** Converts a shape to a GeoJSON geometry, with its coordinates as they are. */
export function geoJsonFromShape(shape: Shape): Geometry {
  const at = (vertex: number): Position => {
    const x = shape.coordinates[vertex * 2]!
    const y = shape.coordinates[vertex * 2 + 1]!
    return shape.z === undefined ? [x, y] : [x, y, shape.z[vertex]!]
  }
  const run = (from: number, to: number): Position[] =>
    Array.from({ length: to - from }, (_, index) => at(from + index))
  const lines = (from: number, to: number): Position[][] =>
    Array.from({ length: to - from }, (_, index) => run(startOf(shape, from + index), shape.ends[from + index]!))
  const count = shape.coordinates.length / 2
  switch (shape.kind) {
    case 'Point':
      return { type: 'Point', coordinates: at(0) }
    case 'MultiPoint':
    case 'LineString':
      return { type: shape.kind, coordinates: run(0, count) }
    case 'MultiLineString':
    case 'Polygon':
      return { type: shape.kind, coordinates: lines(0, shape.ends.length) }
    case 'MultiPolygon':
      return {
        type: 'MultiPolygon',
        coordinates: shape.parts.map((end, part) => lines(firstRingOf(shape, part), end)),
      }
    case 'GeometryCollection':
      return { type: 'GeometryCollection', geometries: (shape.members ?? []).map(geoJsonFromShape) }
  }
}
