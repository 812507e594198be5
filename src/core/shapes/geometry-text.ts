/** Writes shapes as GeoJSON text. */

import { bytesPerNumber, roundingTo, TextBytes, writeNumber, type Rounding } from './text-bytes.ts'
import { firstRingOf, shapeKinds, startOf, type Shape, type ShapeKind } from '../shape.ts'

const own = new TextBytes()

/** The shape as GeoJSON text, with its coordinates as they are or rounded to a number of decimals. */
export function geometryText(shape: Shape, decimals?: number): string {
  writeGeometry(own, shape, decimals)
  return own.takeAscii()
}

const [comma, open, close, closeObject] = [44, 91, 93, 125]

/** Appends the shape as GeoJSON text. */
export function writeGeometry(out: TextBytes, shape: Shape, decimals?: number): void {
  out.add(heads[shape.kind])
  if (shape.kind === 'GeometryCollection') writeMembers(out, shape.members ?? [], decimals)
  else {
    out.room(roomFor(shape))
    writeCoordinates(out, shape, decimals === undefined ? undefined : roundingTo(decimals))
  }
  out.room(1)
  out.bytes[out.at++] = closeObject
}

const heads = Object.fromEntries(
  shapeKinds.map((kind) => [
    kind,
    Buffer.from(`{"type":"${kind}",${kind === 'GeometryCollection' ? '"geometries":[' : '"coordinates":'}`),
  ]),
) as Readonly<Record<ShapeKind, Buffer>>

function writeMembers(out: TextBytes, members: readonly Shape[], decimals: number | undefined): void {
  for (const [index, member] of members.entries()) {
    if (index > 0) out.text(',')
    writeGeometry(out, member, decimals)
  }
  out.text(']')
}

/** The bytes that positions, brackets and commas may take. */
function roomFor({ coordinates, z, ends, parts }: Shape): number {
  const numbers = coordinates.length + (z?.length ?? 0)
  return (numbers + coordinates.length / 2 + 1) * bytesPerNumber + (ends.length + parts.length + 2) * 3
}

function writeCoordinates(out: TextBytes, shape: Shape, rounding: Rounding | undefined): void {
  const { kind, coordinates, z, ends, parts } = shape
  const { bytes, view } = out
  const position = (vertex: number): void => {
    bytes[out.at++] = open
    out.at = writeNumber(view, out.at, coordinates[vertex * 2]!, rounding)
    bytes[out.at++] = comma
    out.at = writeNumber(view, out.at, coordinates[vertex * 2 + 1]!, rounding)
    if (z !== undefined) {
      bytes[out.at++] = comma
      out.at = writeNumber(view, out.at, z[vertex]!, rounding)
    }
    bytes[out.at++] = close
  }
  const list = (from: number, to: number, item: (index: number) => void): void => {
    bytes[out.at++] = open
    for (let index = from; index < to; index += 1) {
      if (index > from) bytes[out.at++] = comma
      item(index)
    }
    bytes[out.at++] = close
  }
  const line = (index: number): void => list(startOf(shape, index), ends[index]!, position)
  const polygon = (index: number): void => list(firstRingOf(shape, index), parts[index]!, line)
  if (kind === 'Point') position(0)
  else if (kind === 'MultiPoint' || kind === 'LineString') list(0, coordinates.length / 2, position)
  else if (kind === 'MultiPolygon') list(0, parts.length, polygon)
  else list(0, ends.length, line)
}
