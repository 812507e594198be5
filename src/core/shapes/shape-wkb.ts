/**
 * Reads well-known binary: ISO 13249-3 and PostGIS's extension, both byte orders, heights and measures, and surfaces that may have arcs;
 * refuses arcs by name.
 */

import {
  collectionOf,
  endLine,
  endPart,
  shapeOf,
  startGathering,
  type Gathered,
  type Shape,
  type ShapeKind,
} from '../shape.ts'

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

/** The kinds after those. */
const otherKinds =
  'CircularString CompoundCurve CurvePolygon MultiCurve MultiSurface Curve Surface PolyhedralSurface TIN Triangle'.split(
    ' ',
  )

const codes = { point: 1, line: 2, polygon: 3, compoundCurve: 9, curvePolygon: 10, multiSurface: 12 }

/** The kinds of those that are polygons where all of their lines are straight. */
const surfaces: ReadonlyMap<number, ShapeKind> = new Map([
  [codes.curvePolygon, 'Polygon'],
  [codes.multiSurface, 'MultiPolygon'],
])

/** Collections nested deeper than this are an attack, not a map. */
const deepestNesting = 16

/** Converts well-known binary to a shape, starting at a byte; returns a sentence if it is invalid or not supported. */
export function shapeFromWkb(bytes: Uint8Array, from = 0): Shape | string {
  return readShape({ view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), at: from }, 0)
}

type Cursor = { readonly view: DataView; at: number }
type Head = { readonly code: number; readonly isLittle: boolean; readonly hasZ: boolean; readonly hasM: boolean }

const tooShort = 'The geometry ends too early.'

function readHead(cursor: Cursor): Head | string {
  const { view, at } = cursor
  if (at + 5 > view.byteLength) return tooShort
  const order = view.getUint8(at)
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
  const kind = wkbKinds[head.code] ?? surfaces.get(head.code)
  if (kind === undefined) return unreadable(head)
  if (kind === 'GeometryCollection') return readCollection(cursor, head, depth)
  const gather = startGathering()
  const fault = gatherKind(cursor, head, gather)
  if (fault !== undefined) return fault
  // An empty point is written with coordinates that are not numbers.
  const isEmpty = kind === 'Point' && Number.isNaN(gather.xy[0])
  return shapeOf(kind, isEmpty ? startGathering() : gather)
}

function unreadable({ code }: Head): string {
  const name = otherKinds[code - wkbKinds.length]
  return name === undefined ? 'The kind of geometry is unknown.' : `It is a ${name}, which cannot be read.`
}

function readCount(cursor: Cursor, { isLittle }: Head): number | undefined {
  if (cursor.at + 4 > cursor.view.byteLength) return undefined
  cursor.at += 4
  return cursor.view.getUint32(cursor.at - 4, isLittle)
}

function readCollection(cursor: Cursor, head: Head, depth: number): Shape | string {
  if (depth >= deepestNesting) return 'The geometry has too many collections inside collections.'
  const members: Shape[] = []
  const fault = gatherEach(cursor, head, () => {
    const member = readShape(cursor, depth + 1)
    if (typeof member === 'string') return member
    members.push(member)
    return undefined
  })
  return fault ?? collectionOf(members)
}

/** Reads a count, then so many of something. */
function gatherEach(cursor: Cursor, head: Head, gatherOne: () => string | undefined): string | undefined {
  const count = readCount(cursor, head)
  if (count === undefined) return tooShort
  for (let index = 0; index < count; index += 1) {
    const fault = gatherOne()
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Reads members that each have a head of their own. */
function gatherMembers(cursor: Cursor, head: Head, gatherMember: (member: Head) => string | undefined) {
  return gatherEach(cursor, head, () => {
    const member = readHead(cursor)
    return typeof member === 'string' ? member : gatherMember(member)
  })
}

function gatherKind(cursor: Cursor, head: Head, gather: Gathered): string | undefined {
  if (head.code === codes.point) return gatherVertices(cursor, head, gather, 1)
  if (head.code === codes.line) return gatherLine(cursor, head, gather)
  if (head.code === codes.polygon || head.code === codes.curvePolygon) return gatherPolygon(cursor, head, gather)
  return gatherMembers(cursor, head, (member) => {
    const isOfKind =
      head.code === codes.multiSurface
        ? member.code === codes.polygon || member.code === codes.curvePolygon
        : member.code === head.code - 3
    if (!isOfKind) return 'A part of the geometry is of a different kind than the whole.'
    return gatherKind(cursor, member, gather)
  })
}

function gatherPolygon(cursor: Cursor, head: Head, gather: Gathered): string | undefined {
  const fault =
    head.code === codes.curvePolygon
      ? gatherMembers(cursor, head, (ring) => gatherRing(cursor, ring, gather))
      : gatherEach(cursor, head, () => gatherLine(cursor, head, gather))
  endPart(gather)
  return fault
}

/** A ring of a curve polygon is a line, or joins lines and arcs. */
function gatherRing(cursor: Cursor, ring: Head, gather: Gathered): string | undefined {
  if (ring.code === codes.line) return gatherLine(cursor, ring, gather)
  if (ring.code !== codes.compoundCurve) return unreadable(ring)
  const fault = gatherMembers(cursor, ring, (piece) =>
    piece.code === codes.line ? gatherVertices(cursor, piece, gather) : unreadable(piece),
  )
  endLine(gather)
  return fault
}

function gatherLine(cursor: Cursor, head: Head, gather: Gathered): string | undefined {
  const fault = gatherVertices(cursor, head, gather)
  endLine(gather)
  return fault
}

/** Reads so many vertices, or as many as the count before them says. */
function gatherVertices(cursor: Cursor, head: Head, { xy, z, m }: Gathered, count = readCount(cursor, head)) {
  if (count === undefined) return tooShort
  const { view } = cursor
  const { isLittle, hasZ, hasM } = head
  const stride = 16 + (hasZ ? 8 : 0) + (hasM ? 8 : 0)
  const end = cursor.at + count * stride
  if (end > view.byteLength) return tooShort
  for (; cursor.at < end; cursor.at += stride) {
    xy.push(view.getFloat64(cursor.at, isLittle), view.getFloat64(cursor.at + 8, isLittle))
    if (hasZ) z.push(view.getFloat64(cursor.at + 16, isLittle))
    if (hasM) m.push(view.getFloat64(cursor.at + stride - 8, isLittle))
  }
  return undefined
}
