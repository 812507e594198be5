/** Reads well-known binary: ISO 13249-3 and PostGIS's extension, both byte orders, heights and measures; refuses arcs by name. */

import { collectionOf, type Shape, type ShapeKind } from '../shape.ts'

/** The kinds by their numbers in well-known binary. */
export const wkbKinds: readonly (ShapeKind | undefined)[] = [
  undefined,
  'Point',
  'LineString',
  'Polygon',
  'MultiPoint',
  'MultiLineString',
  'MultiPolygon',
  'GeometryCollection',
]

/** The kinds after those, which may have arcs. */
const otherKinds =
  'CircularString CompoundCurve CurvePolygon MultiCurve MultiSurface Curve Surface PolyhedralSurface TIN Triangle'.split(
    ' ',
  )

/** Collections nested deeper than this are an attack, not a map. */
const deepestNesting = 16

/** Converts well-known binary to a shape, starting at a byte; returns a sentence if it is invalid or not supported. */
export function shapeFromWkb(bytes: Uint8Array, from = 0): Shape | string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return readShape({ bytes, view, at: from }, 0)
}

type Cursor = { readonly bytes: Uint8Array; readonly view: DataView; at: number }
type Head = { readonly code: number; readonly isLittle: boolean; readonly hasZ: boolean; readonly hasM: boolean }

/** The vertices of one run, copied when all are counted. */
type Run = { readonly at: number; readonly count: number; readonly head: Head }
type Gather = { readonly runs: Run[]; readonly ends: number[]; readonly parts: number[]; vertices: number }

const tooShort = 'The geometry ends too early.'

function readHead(cursor: Cursor): Head | string {
  const { bytes, view, at } = cursor
  if (at + 5 > bytes.length) return tooShort
  const order = bytes[at]!
  if (order > 1) return 'The byte order of the geometry is invalid.'
  const isLittle = order === 1
  const word = view.getUint32(at + 1, isLittle)
  cursor.at += 5
  // PostGIS sets flags where ISO adds thousands; one of them announces the number of a coordinate system.
  if ((word & 0x2000_0000) !== 0) cursor.at += 4
  const number = word & 0x0fff_ffff
  const thousands = Math.floor(number / 1000)
  if (thousands > 3) return 'The kind of geometry is unknown.'
  return {
    code: number % 1000,
    isLittle,
    hasZ: (word & 0x8000_0000) !== 0 || thousands === 1 || thousands === 3,
    hasM: (word & 0x4000_0000) !== 0 || thousands >= 2,
  }
}

function readShape(cursor: Cursor, depth: number): Shape | string {
  const head = readHead(cursor)
  if (typeof head === 'string') return head
  const kind = wkbKinds[head.code]
  if (kind === undefined) {
    const name = otherKinds[head.code - wkbKinds.length]
    return name === undefined ? 'The kind of geometry is unknown.' : `It is a ${name}, which may have arcs.`
  }
  if (kind === 'GeometryCollection') return readCollection(cursor, head, depth)
  const gather: Gather = { runs: [], ends: [], parts: [], vertices: 0 }
  const fault = gatherKind(cursor, head, gather)
  return fault ?? shapeOf(cursor, kind, gather)
}

function readCount(cursor: Cursor, { isLittle }: Head): number | undefined {
  if (cursor.at + 4 > cursor.bytes.length) return undefined
  cursor.at += 4
  return cursor.view.getUint32(cursor.at - 4, isLittle)
}

function readCollection(cursor: Cursor, head: Head, depth: number): Shape | string {
  if (depth >= deepestNesting) return 'The geometry has too many collections inside collections.'
  const count = readCount(cursor, head)
  if (count === undefined) return tooShort
  const members: Shape[] = []
  for (let index = 0; index < count; index += 1) {
    const member = readShape(cursor, depth + 1)
    if (typeof member === 'string') return member
    members.push(member)
  }
  return collectionOf(members)
}

function gatherKind(cursor: Cursor, head: Head, gather: Gather): string | undefined {
  if (head.code === 1) return gatherRun(cursor, head, gather, 1)
  if (head.code === 2) return gatherLine(cursor, head, gather)
  if (head.code === 3) return gatherPolygon(cursor, head, gather)
  const count = readCount(cursor, head)
  if (count === undefined) return tooShort
  for (let index = 0; index < count; index += 1) {
    const member = readHead(cursor)
    if (typeof member === 'string') return member
    if (member.code !== head.code - 3) return 'A part of the geometry is of a different kind than the whole.'
    const fault = gatherKind(cursor, member, gather)
    if (fault !== undefined) return fault
  }
  return undefined
}

function gatherPolygon(cursor: Cursor, head: Head, gather: Gather): string | undefined {
  const rings = readCount(cursor, head)
  if (rings === undefined) return tooShort
  for (let ring = 0; ring < rings; ring += 1) {
    const fault = gatherLine(cursor, head, gather)
    if (fault !== undefined) return fault
  }
  if (rings > 0) gather.parts.push(gather.ends.length)
  return undefined
}

function gatherLine(cursor: Cursor, head: Head, gather: Gather): string | undefined {
  const count = readCount(cursor, head)
  if (count === undefined) return tooShort
  const fault = gatherRun(cursor, head, gather, count)
  gather.ends.push(gather.vertices)
  return fault
}

function gatherRun(cursor: Cursor, head: Head, gather: Gather, count: number): string | undefined {
  const size = count * numbersOf(head) * 8
  if (cursor.at + size > cursor.bytes.length) return tooShort
  gather.runs.push({ at: cursor.at, count, head })
  gather.vertices += count
  cursor.at += size
  return undefined
}

function numbersOf({ hasZ, hasM }: Head): number {
  return 2 + (hasZ ? 1 : 0) + (hasM ? 1 : 0)
}

function shapeOf(cursor: Cursor, kind: ShapeKind, { runs, ends, parts, vertices }: Gather): Shape {
  // An empty point is written with coordinates that are not numbers.
  const [first] = runs
  if (kind === 'Point' && first !== undefined && Number.isNaN(cursor.view.getFloat64(first.at, first.head.isLittle)))
    return { kind, coordinates: new Float64Array(0), ends, parts }
  const coordinates = new Float64Array(vertices * 2)
  const z = runs.length > 0 && runs.every(({ head }) => head.hasZ) ? new Float64Array(vertices) : undefined
  const m = runs.length > 0 && runs.every(({ head }) => head.hasM) ? new Float64Array(vertices) : undefined
  let vertex = 0
  for (const run of runs) {
    copyNumbers(cursor.view, run, { coordinates, z, m }, vertex)
    vertex += run.count
  }
  return { kind, coordinates, ends, parts, ...(z === undefined ? {} : { z }), ...(m === undefined ? {} : { m }) }
}

type Columns = {
  readonly coordinates: Float64Array
  readonly z: Float64Array | undefined
  readonly m: Float64Array | undefined
}

function copyNumbers(view: DataView, { at, count, head }: Run, { coordinates, z, m }: Columns, vertex: number): void {
  const { isLittle, hasZ } = head
  const stride = numbersOf(head) * 8
  for (let index = 0; index < count; index += 1) {
    const from = at + index * stride
    const to = vertex + index
    coordinates[to * 2] = view.getFloat64(from, isLittle)
    coordinates[to * 2 + 1] = view.getFloat64(from + 8, isLittle)
    if (z !== undefined) z[to] = view.getFloat64(from + 16, isLittle)
    if (m !== undefined) m[to] = view.getFloat64(from + (hasZ ? 24 : 16), isLittle)
  }
}
