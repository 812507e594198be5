/** Writes the bytes of a .shp and its .shx: one type for the whole file, shells clockwise, lengths in words. */

import {
  changeHeights,
  emptyBox,
  reverseVertices,
  startOf,
  vertexCount,
  widen,
  type Lines,
  type Shape,
  type ShapeKind,
} from '../../core/shape.ts'
import { headerBytes, recordHeaderBytes } from './record-index.ts'
import { shapeTypes } from './shape-record.ts'
import { closeRings, signedArea } from './shapefile-rings.ts'

/** The classes of geometry, of which a shapefile contains one. */
export type GeometryClass = 'points' | 'lines' | 'polygons'

/** The class of each kind of shape; none of a collection, which a shapefile cannot contain. */
export const geometryClasses: Readonly<Record<ShapeKind, GeometryClass | undefined>> = {
  Point: 'points',
  MultiPoint: 'points',
  LineString: 'lines',
  MultiLineString: 'lines',
  Polygon: 'polygons',
  MultiPolygon: 'polygons',
  GeometryCollection: undefined,
}

/** The type of a file's shapes; heights only if every shape has them. */
export type FileType = { readonly type: number; readonly hasZ: boolean }

/** The type of a file for a class of shapes. */
export function fileType(kind: GeometryClass, multiPoint: boolean, hasZ: boolean): FileType {
  const points = multiPoint ? shapeTypes.multiPoint : shapeTypes.point
  const type = kind === 'points' ? points : kind === 'lines' ? shapeTypes.line : shapeTypes.polygon
  return { type: type + (hasZ ? 10 : 0), hasZ }
}

/** West, south, east, north, lowest, highest. */
export type Extent = [number, number, number, number, number, number]

export function emptyExtent(): Extent {
  return [...emptyBox(), Infinity, -Infinity]
}

/** Any number below -1e38 means "no measure" (specification, page 2). */
const noMeasure = -1e39

/** The header of a .shp or .shx whose records take `recordBytes`. */
export function fileHeader({ type, hasZ }: FileType, recordBytes: number, extent: Extent): Buffer {
  const header = Buffer.alloc(headerBytes)
  header.writeInt32BE(9994, 0)
  header.writeInt32BE((headerBytes + recordBytes) / 2, 24)
  header.writeInt32LE(1000, 28)
  header.writeInt32LE(type, 32)
  const isEmpty = extent[0] > extent[2]
  for (let index = 0; index < 4; index += 1) header.writeDoubleLE(isEmpty ? 0 : extent[index]!, 36 + index * 8)
  if (hasZ && !isEmpty) {
    header.writeDoubleLE(extent[4], 68)
    header.writeDoubleLE(extent[5], 76)
  }
  return header
}

/** One record with its header; the extent grows by the shape. A shape without vertices is a null shape. */
export function shapeRecord(number: number, shape: Shape | null, file: FileType, extent: Extent): Buffer {
  const isNull = shape === null || shape.coordinates.length === 0
  const content = isNull ? Buffer.alloc(recordHeaderBytes + 4) : contentOf(withOrder(shape, file), file, extent)
  content.writeInt32BE(number, 0)
  content.writeInt32BE((content.length - recordHeaderBytes) / 2, 4)
  return content
}

/** The vertices in the order of the specification: rings closed, shells clockwise, holes the other way. */
function withOrder(shape: Shape, { type }: FileType): Lines {
  const ends = shape.ends.length === 0 ? [vertexCount(shape)] : shape.ends
  if (type % 10 !== shapeTypes.polygon) return { ...shape, ends }
  const closed = closeRings({ ...shape, ends }).rings
  const copy = (values: Float64Array): Float64Array => values.slice()
  const rings = { ...closed, coordinates: copy(closed.coordinates), ...changeHeights(closed, copy) }
  const shells = new Set(shape.kind === 'MultiPolygon' ? [0, ...shape.parts] : [0])
  for (let ring = 0, start = 0; ring < rings.ends.length; start = rings.ends[ring]!, ring += 1) {
    const end = rings.ends[ring]!
    const area = signedArea(rings.coordinates, start, end)
    if (shells.has(ring) ? area <= 0 : area >= 0) continue
    reverseVertices(rings, start, end)
  }
  return rings
}

function contentOf(drawn: Lines, { type, hasZ }: FileType, extent: Extent): Buffer {
  const { coordinates, z, ends } = drawn
  const box = boxOf(coordinates, hasZ ? z : undefined)
  for (const index of [0, 1, 4] as const) extent[index] = Math.min(extent[index], box[index])
  for (const index of [2, 3, 5] as const) extent[index] = Math.max(extent[index], box[index])
  if (type % 10 === shapeTypes.point) return pointContent(drawn, type, hasZ)
  const count = coordinates.length / 2
  const isMultiPoint = type % 10 === shapeTypes.multiPoint
  const partBytes = isMultiPoint ? 0 : 4 + ends.length * 4
  const content = Buffer.allocUnsafe(recordHeaderBytes + 40 + partBytes + count * 16 + (hasZ ? 16 + count * 8 : 0))
  content.writeInt32LE(type, 8)
  for (let index = 0; index < 4; index += 1) content.writeDoubleLE(box[index]!, 12 + index * 8)
  let at = 44
  if (!isMultiPoint) at = content.writeInt32LE(ends.length, at)
  at = content.writeInt32LE(count, at)
  if (!isMultiPoint)
    for (let part = 0; part < ends.length; part += 1) at = content.writeInt32LE(startOf(drawn, part), at)
  for (const value of coordinates) at = content.writeDoubleLE(value, at)
  if (!hasZ) return content
  at = content.writeDoubleLE(box[4], at)
  at = content.writeDoubleLE(box[5], at)
  for (const value of z!) at = content.writeDoubleLE(value, at)
  return content
}

function pointContent({ coordinates, z }: Lines, type: number, hasZ: boolean): Buffer {
  const content = Buffer.allocUnsafe(recordHeaderBytes + 20 + (hasZ ? 16 : 0))
  content.writeInt32LE(type, 8)
  content.writeDoubleLE(coordinates[0]!, 12)
  content.writeDoubleLE(coordinates[1]!, 20)
  if (!hasZ) return content
  content.writeDoubleLE(z![0]!, 28)
  content.writeDoubleLE(noMeasure, 36)
  return content
}

function boxOf(coordinates: Float64Array, z: Float64Array | undefined): Extent {
  const box = emptyExtent()
  widen(box, coordinates)
  for (const height of z ?? []) {
    if (height < box[4]) box[4] = height
    if (height > box[5]) box[5] = height
  }
  return box
}
