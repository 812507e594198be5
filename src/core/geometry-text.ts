/** Hides how a flat shape becomes the text of GeoJSON, without an object between. */

import { bytesPerNumber, roundingTo, TextBytes, writeNumber, type Rounding } from './digits.ts'
import { shapeKinds, type Shape, type ShapeKind } from './shape.ts'

const own = new TextBytes()

/** The shape as GeoJSON text, coordinates as they are or with so many decimals at most. */
export function geometryText(shape: Shape, decimals?: number): string {
  writeGeometry(own, shape, decimals)
  return own.takeAscii()
}

const [comma, open, close, closeObject] = [44, 91, 93, 125]

/** Writes the shape as GeoJSON text to the end of what is there. */
export function writeGeometry(out: TextBytes, shape: Shape, decimals?: number): void {
  out.add(heads[shape.kind])
  if (shape.kind === 'GeometryCollection') writeMembers(out, shape.members ?? [], decimals)
  else {
    out.room(roomFor(shape))
    out.at = writeCoordinates(out.bytes, out.at, {
      ...shape,
      rounding: decimals === undefined ? undefined : roundingTo(decimals),
    })
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

/** Bytes for every position with its brackets and comma, and for the brackets of rings and parts. */
function roomFor({ coordinates, z, ends, parts }: Shape): number {
  const numbers = coordinates.length + (z?.length ?? 0)
  return (numbers + coordinates.length / 2 + 1) * bytesPerNumber + (ends.length + parts.length + 2) * 3
}

// Bytes and place are handed from hand to hand, because reading them from an object at each byte takes as long as the digits.
type Writing = Pick<Shape, 'kind' | 'coordinates' | 'z' | 'ends' | 'parts'> & {
  readonly rounding: Rounding | undefined
}

function writeCoordinates(bytes: Buffer, start: number, writing: Writing): number {
  const { kind, coordinates, ends, parts } = writing
  if (kind === 'Point') return writePosition(bytes, start, writing, 0)
  if (kind === 'MultiPoint' || kind === 'LineString')
    return writeRun(bytes, start, writing, { from: 0, to: coordinates.length / 2 })
  if (kind !== 'MultiPolygon') return writeLines(bytes, start, writing, { from: 0, to: ends.length })
  let at = start
  bytes[at++] = open
  for (let part = 0; part < parts.length; part += 1) {
    if (part > 0) bytes[at++] = comma
    at = writeLines(bytes, at, writing, { from: part === 0 ? 0 : parts[part - 1]!, to: parts[part]! })
  }
  bytes[at++] = close
  return at
}

type Span = { readonly from: number; readonly to: number }

function writeLines(bytes: Buffer, start: number, writing: Writing, { from, to }: Span): number {
  const { ends } = writing
  let at = start
  bytes[at++] = open
  for (let line = from; line < to; line += 1) {
    if (line > from) bytes[at++] = comma
    at = writeRun(bytes, at, writing, { from: line === 0 ? 0 : ends[line - 1]!, to: ends[line]! })
  }
  bytes[at++] = close
  return at
}

function writeRun(bytes: Buffer, start: number, writing: Writing, { from, to }: Span): number {
  let at = start
  bytes[at++] = open
  for (let vertex = from; vertex < to; vertex += 1) {
    if (vertex > from) bytes[at++] = comma
    at = writePosition(bytes, at, writing, vertex)
  }
  bytes[at++] = close
  return at
}

function writePosition(bytes: Buffer, start: number, { coordinates, z, rounding }: Writing, vertex: number): number {
  let at = start
  bytes[at++] = open
  at = writeNumber(bytes, at, coordinates[vertex * 2]!, rounding)
  bytes[at++] = comma
  at = writeNumber(bytes, at, coordinates[vertex * 2 + 1]!, rounding)
  if (z !== undefined) {
    bytes[at++] = comma
    at = writeNumber(bytes, at, z[vertex]!, rounding)
  }
  bytes[at++] = close
  return at
}
