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
    out.at = writeCoordinates(out.view, out.at, {
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

/** The bytes that positions, brackets and commas may take. */
function roomFor({ coordinates, z, ends, parts }: Shape): number {
  const numbers = coordinates.length + (z?.length ?? 0)
  return (numbers + coordinates.length / 2 + 1) * bytesPerNumber + (ends.length + parts.length + 2) * 3
}

type Writing = Pick<Shape, 'kind' | 'coordinates' | 'z' | 'ends' | 'parts'> & {
  readonly rounding: Rounding | undefined
}

function writeCoordinates(view: DataView, start: number, writing: Writing): number {
  const { kind, coordinates, ends, parts } = writing
  if (kind === 'Point') return writePositions(view, start, writing, { from: 0, to: 1 })
  if (kind === 'MultiPoint' || kind === 'LineString')
    return writeRun(view, start, writing, { from: 0, to: coordinates.length / 2 })
  if (kind !== 'MultiPolygon') return writeLines(view, start, writing, { from: 0, to: ends.length })
  let at = start
  view.setUint8(at++, open)
  for (let part = 0; part < parts.length; part += 1) {
    if (part > 0) view.setUint8(at++, comma)
    at = writeLines(view, at, writing, { from: firstRingOf(writing, part), to: parts[part]! })
  }
  view.setUint8(at++, close)
  return at
}

type Span = { readonly from: number; readonly to: number }

function writeLines(view: DataView, start: number, writing: Writing, { from, to }: Span): number {
  const { ends } = writing
  let at = start
  view.setUint8(at++, open)
  for (let line = from; line < to; line += 1) {
    if (line > from) view.setUint8(at++, comma)
    at = writeRun(view, at, writing, { from: startOf(writing, line), to: ends[line]! })
  }
  view.setUint8(at++, close)
  return at
}

function writeRun(view: DataView, start: number, writing: Writing, span: Span): number {
  view.setUint8(start, open)
  const at = writePositions(view, start + 1, writing, span)
  view.setUint8(at, close)
  return at + 1
}

function writePositions(view: DataView, start: number, writing: Writing, { from, to }: Span): number {
  const { coordinates, z, rounding } = writing
  let at = start
  for (let index = from * 2; index < to * 2; index += 1) {
    const isLongitude = index % 2 === 0
    if (index > from * 2) view.setUint8(at++, comma)
    if (isLongitude) view.setUint8(at++, open)
    at = writeNumber(view, at, coordinates[index]!, rounding)
    if (isLongitude) continue
    if (z !== undefined) {
      view.setUint8(at++, comma)
      at = writeNumber(view, at, z[(index - 1) / 2]!, rounding)
    }
    view.setUint8(at++, close)
  }
  return at
}
