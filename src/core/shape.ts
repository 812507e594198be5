/**
 * Defines geometry as flat numbers instead of an object per vertex, so that projecting, winding, measuring and writing
 * are loops. GeoJSON objects exist only at the edges (shape-geojson.ts).
 */

/** The kinds of geometry, by the names of GeoJSON. */
export const shapeKinds = [
  'Point',
  'MultiPoint',
  'LineString',
  'MultiLineString',
  'Polygon',
  'MultiPolygon',
  'GeometryCollection',
] as const

export type ShapeKind = (typeof shapeKinds)[number]

/**
 * `coordinates` contains x, y, x, y ... of all vertices in order. `ends` gives, for each ring or line, the number of the vertex
 * after its last one; `parts` gives, for each polygon, the number of the ring after its last one (the first ring of a part is
 * its shell). Points use neither: `ends` and `parts` are empty. `z` and `m` contain one number per vertex if the source had them.
 * A GeometryCollection has its `members` and no coordinates of its own.
 */
export type Shape = {
  readonly kind: ShapeKind
  readonly coordinates: Float64Array
  readonly ends: readonly number[]
  readonly parts: readonly number[]
  readonly z?: Float64Array
  readonly m?: Float64Array
  readonly members?: readonly Shape[]
}

/** A collection of shapes, as a shape. */
export function collectionOf(members: readonly Shape[]): Shape {
  return { kind: 'GeometryCollection', coordinates: new Float64Array(0), ends: [], parts: [], members }
}

/** How many vertices the shape has, without those of its members. */
export function vertexCount(shape: Shape): number {
  return shape.coordinates.length / 2
}

/** True for shapes that enclose an area. */
export function isAreal(shape: Shape): boolean {
  return shape.kind === 'Polygon' || shape.kind === 'MultiPolygon'
}

/** False if a coordinate or height is not a number, which no format can store. */
export function hasFiniteCoordinates({ coordinates, z, members }: Shape): boolean {
  return areFinite(coordinates) && (z === undefined || areFinite(z)) && (members?.every(hasFiniteCoordinates) ?? true)
}

// A typed array's own "every" takes eight times as long.
function areFinite(numbers: Float64Array): boolean {
  for (let at = 0; at < numbers.length; at += 1) if (!Number.isFinite(numbers[at])) return false
  return true
}
