/** Converts the content of one record to a shape: every shape type, with heights and measures if present. */

import { WindrowError } from '../../core/error.ts'
import { changeHeights, type Lines, type Shape } from '../../core/shape.ts'
import type { Source } from '../../core/sources/source.ts'
import { closeRings, polygonFromRings } from './shapefile-rings.ts'

/** The shape types of the specification; 10 more have heights, 20 more have measures. */
export const shapeTypes = { null: 0, point: 1, line: 3, polygon: 5, multiPoint: 8, multiPatch: 31 } as const

export function isShapeType(type: number): boolean {
  if (type === shapeTypes.null || type === shapeTypes.multiPatch) return true
  return type > 0 && type < 30 && [1, 3, 5, 8].includes(type % 10)
}

/** Why a shape could not be read. */
export type ShapeFault = { readonly code: 'row-unreadable' | 'geometry-wrong-type'; readonly message: string }

/** One record; `opened` counts rings that were not closed. */
export type ShapeRecord = { readonly shape: Shape | null; readonly opened: number; readonly fault?: ShapeFault }

/** A record without a shape. */
const nothing: ShapeRecord = { shape: null, opened: 0 }

function faulty(message: string, code: ShapeFault['code'] = 'row-unreadable'): ShapeRecord {
  return { shape: null, opened: 0, fault: { code, message } }
}

/**
 * How reading ended: completely; after a whole record but before the file's declared length; in the middle of a
 * record; or at bytes that are not a record.
 */
export type Ending = 'whole' | 'short' | 'cut' | 'broken'

/** `next` reads at most so many records, fewer only where reading ends; then `ending` has the reason. */
export type ShapeReader = {
  next(most: number): Promise<readonly ShapeRecord[]>
  ending(): Ending
  close(): Promise<void>
}

// Four million vertices; the coast of a continent has a tenth of them.
const largestRecordBytes = 64 * 2 ** 20

/** Throws a WindrowError for a record that is larger than any field. */
export function refuseHuge({ name }: Source, contentBytes: number): void {
  if (contentBytes <= largestRecordBytes) return
  throw new WindrowError(
    'file-too-large',
    `One shape of "${name}" takes ${contentBytes} bytes; the limit is ${largestRecordBytes}.`,
    { hint: 'Check the file in a mapping program: a shape of this size is not a field. Split it, or delete it.' },
  )
}

/** Reads the record of this many bytes whose shape type is at `start`. Never throws, whatever it contains. */
export function readRecord(view: DataView, start: number, bytes: number): ShapeRecord {
  if (bytes < 4) return faulty(tooShort)
  const type = view.getInt32(start, true)
  if (type === shapeTypes.null) return nothing
  if (type === shapeTypes.multiPatch) return readPatch({ view, start, bytes, hasZ: true, hasM: true })
  const family = type % 10
  const dimension = Math.floor(type / 10)
  if (!isShapeType(type)) return faulty(`Its shape type is ${type}, which does not exist.`)
  const content: Content = { view, start, bytes, hasZ: dimension === 1, hasM: dimension > 0 }
  if (family === shapeTypes.point) return readPoint(content)
  return family === shapeTypes.multiPoint ? readMultiPoint(content) : readParts(content, family)
}

type Content = {
  readonly view: DataView
  readonly start: number
  readonly bytes: number
  readonly hasZ: boolean
  readonly hasM: boolean
}

const tooShort = 'Its record is too short for its number of vertices.'

function readPoint({ view, start, bytes, hasZ, hasM }: Content): ShapeRecord {
  const zBytes = hasZ ? 8 : 0
  if (bytes < 20 + zBytes) return faulty(tooShort)
  const coordinates = Float64Array.of(view.getFloat64(start + 4, true), view.getFloat64(start + 12, true))
  const shape: Shape = { kind: 'Point', coordinates, ends: [], parts: [] }
  const z = hasZ ? { z: Float64Array.of(view.getFloat64(start + 20, true)) } : undefined
  const mAt = 20 + zBytes
  const m = hasM && bytes >= mAt + 8 ? measures(view, start + mAt, 1) : undefined
  return { shape: { ...shape, ...z, ...m }, opened: 0 }
}

function readMultiPoint(content: Content): ShapeRecord {
  const { view, start, bytes } = content
  if (bytes < 40) return faulty(tooShort)
  const count = view.getInt32(start + 36, true)
  if (count === 0) return nothing
  if (count < 0 || bytes < 40 + count * 16) return faulty(tooShort)
  const vertices = readVertices(content, 40, count)
  return typeof vertices === 'string'
    ? faulty(vertices)
    : { shape: { kind: 'MultiPoint', ends: [], parts: [], ...vertices }, opened: 0 }
}

/**
 * A surface in space. If each part is marked as a ring, it is a boundary with heights; strips and fans of triangles
 * are roofs and walls, not fields.
 */
function readPatch(content: Content): ShapeRecord {
  const { view, start, bytes } = content
  if (bytes < 44) return faulty(tooShort)
  const partCount = view.getInt32(start + 36, true)
  if (bytes < 44 + partCount * 8) return faulty(tooShort)
  for (let part = 0; part < partCount; part += 1) {
    const kind = view.getInt32(start + 44 + (partCount + part) * 4, true)
    if (kind < 2 || kind > 5) return faulty('It is a MultiPatch, a surface of triangles.', 'geometry-wrong-type')
  }
  return readParts(content, shapeTypes.polygon, partCount * 4)
}

/** Lines and rings; `wordBytes` are between the list of parts and the vertices. */
function readParts(content: Content, family: number, wordBytes = 0): ShapeRecord {
  const { view, start, bytes } = content
  if (bytes < 44) return faulty(tooShort)
  const partCount = view.getInt32(start + 36, true)
  const count = view.getInt32(start + 40, true)
  if (partCount === 0 || count === 0) return nothing
  if (partCount < 0 || count < 0 || bytes < 44 + partCount * 4 + wordBytes + count * 16) return faulty(tooShort)
  const ends = readEnds(content, partCount, count)
  if (ends === undefined) return faulty('Its list of parts is out of order.')
  const all = readVertices(content, 44 + partCount * 4 + wordBytes, count)
  if (typeof all === 'string') return faulty(all)
  const vertices = withoutFirst(all, count - ends.at(-1)!)
  if (family === shapeTypes.line)
    return {
      shape: { kind: ends.length === 1 ? 'LineString' : 'MultiLineString', parts: [], ends, ...vertices },
      opened: 0,
    }
  const { rings, opened } = closeRings({ ends, ...vertices })
  const shape = polygonFromRings(rings)
  return shape === undefined ? faulty(`Its ${ends.length} rings cross each other.`) : { shape, opened }
}

/**
 * Where each part ends, counted from the start of the first one, which is not vertex 0 in some prescription maps. Empty parts
 * are left out. Undefined if the parts do not follow each other.
 */
function readEnds({ view, start }: Content, partCount: number, count: number): number[] | undefined {
  const ends: number[] = []
  const first = view.getInt32(start + 44, true)
  if (first < 0 || first >= count) return undefined
  for (let part = 1, from = first; part <= partCount; part += 1) {
    const end = part === partCount ? count : view.getInt32(start + 44 + part * 4, true)
    if (end < from || end > count) return undefined
    if (end > from) ends.push(end - first)
    from = end
  }
  return ends
}

function withoutFirst(vertices: Vertices, unused: number): Vertices {
  if (unused === 0) return vertices
  return {
    coordinates: vertices.coordinates.subarray(unused * 2),
    ...changeHeights(vertices, (values) => values.subarray(unused)),
  }
}

type Vertices = Pick<Lines, 'coordinates' | 'z' | 'm'>

/** The coordinates, then the heights, then the measures, which many programs leave out although the type includes them. */
function readVertices({ view, start, bytes, hasZ, hasM }: Content, from: number, count: number): Vertices | string {
  const coordinates = readNumbers(view, start + from, count * 2)
  if (!hasM) return { coordinates }
  const zAt = from + count * 16 + 16
  if (hasZ && bytes < zAt + count * 8) return tooShort
  const mAt = hasZ ? zAt + count * 8 + 16 : zAt
  const z = hasZ ? { z: readNumbers(view, start + zAt, count) } : undefined
  const m = bytes >= mAt + count * 8 ? measures(view, start + mAt, count) : undefined
  return { coordinates, ...z, ...m }
}

function readNumbers(view: DataView, at: number, count: number): Float64Array {
  const numbers = new Float64Array(count)
  for (let index = 0; index < count; index += 1) numbers[index] = view.getFloat64(at + index * 8, true)
  return numbers
}

/** Below this a measure means "none" (specification, page 2). */
const noMeasureBelow = -1e38

function measures(view: DataView, at: number, count: number): { m: Float64Array } | undefined {
  const m = readNumbers(view, at, count).map((value) => (value < noMeasureBelow ? Number.NaN : value))
  return m.every((value) => Number.isNaN(value)) ? undefined : { m }
}
