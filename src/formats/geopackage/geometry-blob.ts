/** Writes shapes as the binary of GeoPackage: its header with the box of the shape, then well-known binary. */

import {
  emptyBox,
  hasFiniteCoordinates,
  startOf,
  widenBy,
  type Box,
  type Shape,
  type ShapeKind,
} from '../../core/shape.ts'
import { wkbKinds } from '../../core/shapes/shape-wkb.ts'

/** The box of a shape; undefined if it has no coordinates, or one that is not a number. */
export function boxOf(shape: Shape): Box | undefined {
  const box = emptyBox()
  widenBy(box, shape)
  return hasFiniteCoordinates(shape) && hasFiniteMeasures(shape) && box[0] <= box[2] ? box : undefined
}

function hasFiniteMeasures({ m, members }: Shape): boolean {
  return (m?.every(Number.isFinite) ?? true) && (members?.every(hasFiniteMeasures) ?? true)
}

/** The kind under which a shape is written: most programs want all polygons of a layer as one kind, and so all lines. */
export function writtenKind({ kind }: Shape): ShapeKind {
  return kind === 'Polygon' ? 'MultiPolygon' : kind === 'LineString' ? 'MultiLineString' : kind
}

const headerBytes = 40

/** Makes the function that writes shapes; what it returns is valid until it is called again. */
export function blobWriter(crsNumber: number): (shape: Shape, box: Box) => Uint8Array {
  let out = Buffer.allocUnsafe(1 << 16)
  return (shape, [west, south, east, north]) => {
    const size = headerBytes + bytesOf(shape)
    if (size > out.length) out = Buffer.allocUnsafe(size * 2)
    // "GP", version 0, little-endian numbers and a box of two dimensions.
    out.writeUInt32BE(0x4750_0003, 0)
    out.writeInt32LE(crsNumber, 4)
    for (const [index, value] of [west, east, south, north].entries()) out.writeDoubleLE(value, 8 + index * 8)
    return out.subarray(0, writeShape(out, headerBytes, shape))
  }
}

/** An upper bound: each ring, line, polygon or point takes at most nine bytes beside its coordinates. */
function bytesOf({ coordinates, ends, parts, z, m, members = [] }: Shape): number {
  const vertices = coordinates.length / 2
  const numbers = 2 + (z === undefined ? 0 : 1) + (m === undefined ? 0 : 1)
  const own = 9 * (2 + ends.length + parts.length + (ends.length === 0 ? vertices : 0)) + vertices * numbers * 8
  return members.reduce((sum, member) => sum + bytesOf(member), own)
}

function writeShape(out: Buffer, at: number, shape: Shape): number {
  const { coordinates, ends, parts, members = [] } = shape
  const kind = writtenKind(shape)
  const vertices = coordinates.length / 2
  switch (kind) {
    case 'Point':
      return writeVertices(out, writeHead(out, at, kind, shape), shape, [0, 1])
    case 'MultiPoint': {
      let to = writeCount(out, writeHead(out, at, kind, shape), vertices)
      for (let vertex = 0; vertex < vertices; vertex += 1)
        to = writeVertices(out, writeHead(out, to, 'Point', shape), shape, [vertex, vertex + 1])
      return to
    }
    case 'GeometryCollection': {
      const first = writeCount(out, writeHead(out, at, kind, shape), members.length)
      return members.reduce((to, member) => writeShape(out, to, member), first)
    }
    case 'LineString':
    case 'MultiLineString': {
      let to = writeCount(out, writeHead(out, at, 'MultiLineString', shape), ends.length)
      for (let line = 0; line < ends.length; line += 1)
        to = writeLine(out, writeHead(out, to, 'LineString', shape), shape, line)
      return to
    }
    case 'Polygon':
    case 'MultiPolygon': {
      let to = writeCount(out, writeHead(out, at, 'MultiPolygon', shape), parts.length)
      let ring = 0
      for (const end of parts) {
        to = writeCount(out, writeHead(out, to, 'Polygon', shape), end - ring)
        for (; ring < end; ring += 1) to = writeLine(out, to, shape, ring)
      }
      return to
    }
  }
}

function writeHead(out: Buffer, at: number, kind: ShapeKind, { z, m }: Shape): number {
  out[at] = 1
  return writeCount(out, at + 1, wkbKinds.indexOf(kind) + (z === undefined ? 0 : 1000) + (m === undefined ? 0 : 2000))
}

function writeCount(out: Buffer, at: number, count: number): number {
  return out.writeUInt32LE(count, at)
}

function writeLine(out: Buffer, at: number, shape: Shape, line: number): number {
  const [from, to] = [startOf(shape, line), shape.ends[line]!]
  return writeVertices(out, writeCount(out, at, to - from), shape, [from, to])
}

/** The numbers of the first vertex and of that after the last. */
type Range = readonly [from: number, to: number]

function writeVertices(out: Buffer, at: number, { coordinates, z, m }: Shape, [from, to]: Range): number {
  let next = at
  for (let vertex = from; vertex < to; vertex += 1) {
    next = out.writeDoubleLE(coordinates[vertex * 2]!, next)
    next = out.writeDoubleLE(coordinates[vertex * 2 + 1]!, next)
    if (z !== undefined) next = out.writeDoubleLE(z[vertex]!, next)
    if (m !== undefined) next = out.writeDoubleLE(m[vertex]!, next)
  }
  return next
}
