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

/** The boundaries of a farm seldom lie further apart, and the parts of one boundary never. */
export const farApartKm = 50

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

export function collectionOf(members: readonly Shape[]): Shape {
  return { kind: 'GeometryCollection', coordinates: new Float64Array(0), ends: [], parts: [], members }
}

/** The numbers of a shape that is being read. */
export type Gathered = Readonly<Record<'xy' | 'z' | 'm' | 'ends' | 'parts', number[]>>

export function startGathering(): Gathered {
  return { xy: [], z: [], m: [], ends: [], parts: [] }
}

/** Ends a ring or line that is being read; one without a vertex is none. */
export function endLine({ xy, ends }: Gathered): void {
  if (xy.length / 2 > (ends.at(-1) ?? 0)) ends.push(xy.length / 2)
}

/** Ends a polygon that is being read; one without a ring is none. */
export function endPart({ ends, parts }: Gathered): void {
  if (ends.length > (parts.at(-1) ?? 0)) parts.push(ends.length)
}

/** The shape of the numbers; it has heights or measures where every vertex has one. */
export function shapeOf(kind: ShapeKind, { xy, z, m, ends, parts }: Gathered): Shape {
  const isWhole = (values: readonly number[]): boolean => values.length > 0 && values.length * 2 === xy.length
  return {
    kind,
    coordinates: new Float64Array(xy),
    ends,
    parts,
    ...(isWhole(z) ? { z: new Float64Array(z) } : {}),
    ...(isWhole(m) ? { m: new Float64Array(m) } : {}),
  }
}

/** The number of the first vertex of a ring or line. */
export function startOf({ ends }: Pick<Shape, 'ends'>, ring: number): number {
  return ring === 0 ? 0 : ends[ring - 1]!
}

export function firstRingOf({ parts }: Pick<Shape, 'parts'>, part: number): number {
  return part === 0 ? 0 : parts[part - 1]!
}

/** The heights and measures that a shape has, each list changed. */
export function changeHeights({ z, m }: Heights, change: (values: Float64Array) => Float64Array): Heights {
  return { ...(z === undefined ? {} : { z: change(z) }), ...(m === undefined ? {} : { m: change(m) }) }
}

type Heights = Pick<Shape, 'z' | 'm'>

/** The vertices of a shape with their heights, in rings or lines. */
export type Lines = Pick<Shape, 'coordinates' | 'ends' | 'z' | 'm'>

/** The same lines with these vertices only, in this order; `ends` are those of the new lines. */
export function pickVertices<L extends Lines>(lines: L, vertices: ArrayLike<number>, ends: readonly number[]): L {
  const coordinates = new Float64Array(vertices.length * 2)
  for (let index = 0; index < vertices.length; index += 1) {
    coordinates[index * 2] = lines.coordinates[vertices[index]! * 2]!
    coordinates[index * 2 + 1] = lines.coordinates[vertices[index]! * 2 + 1]!
  }
  const pick = (values: Float64Array): Float64Array => Float64Array.from(vertices, (vertex) => values[vertex]!)
  return { ...lines, coordinates, ends, ...changeHeights(lines, pick) }
}

/** Turns the vertices of a ring round, in place, with their heights. */
export function reverseVertices({ coordinates, z, m }: Omit<Lines, 'ends'>, start: number, end: number): void {
  for (let low = start * 2, high = (end - 1) * 2; low < high; low += 2, high -= 2) {
    const x = coordinates[low]!
    const y = coordinates[low + 1]!
    coordinates[low] = coordinates[high]!
    coordinates[low + 1] = coordinates[high + 1]!
    coordinates[high] = x
    coordinates[high + 1] = y
  }
  z?.subarray(start, end).reverse()
  m?.subarray(start, end).reverse()
}

/** True when two vertices lie in the same place. */
export function isSamePoint(coordinates: Float64Array, one: number, other: number): boolean {
  return coordinates[one * 2] === coordinates[other * 2] && coordinates[one * 2 + 1] === coordinates[other * 2 + 1]
}

/** In degrees, a file's own coordinates or grid steps. */
export type Box = readonly [west: number, south: number, east: number, north: number]

/** A box that is being made; some formats have more numbers after the four. */
export type GrowingBox = [west: number, south: number, east: number, north: number, ...more: number[]]

/** A box that contains nothing. */
export function emptyBox(): [west: number, south: number, east: number, north: number] {
  return [Infinity, Infinity, -Infinity, -Infinity]
}

/** Makes a box large enough for vertices, or for the two corners of another box. */
export function widen(box: GrowingBox, coordinates: ArrayLike<number>, from = 0, to = coordinates.length): void {
  for (let at = from; at + 1 < to; at += 2) {
    const x = coordinates[at]!
    const y = coordinates[at + 1]!
    if (x < box[0]) box[0] = x
    if (y < box[1]) box[1] = y
    if (x > box[2]) box[2] = x
    if (y > box[3]) box[3] = y
  }
}

/** The box around vertices. */
export function boxAround(coordinates: ArrayLike<number>, from = 0, to = coordinates.length) {
  const box = emptyBox()
  widen(box, coordinates, from, to)
  return box
}

/** True when a box lies inside another. */
export function isInBox(inner: Box, outer: Box): boolean {
  return inner[0] >= outer[0] && inner[1] >= outer[1] && inner[2] <= outer[2] && inner[3] <= outer[3]
}

/** Makes a box large enough for a shape with its members; returns how many vertices they have. */
export function widenBy(box: GrowingBox, { coordinates, members }: Shape): number {
  widen(box, coordinates)
  return (members ?? []).reduce((sum, member) => sum + widenBy(box, member), coordinates.length / 2)
}

/** How many vertices the shape has, without those of its members. */
export function vertexCount(shape: Shape): number {
  return shape.coordinates.length / 2
}

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
