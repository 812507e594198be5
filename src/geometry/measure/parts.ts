/** Converts shapes between kinds: one part to a multipart and back, a multipart to single shapes. */

import { changeHeights, firstRingOf, startOf, type Shape, type ShapeKind } from '../../core/shape.ts'
import { joinRings } from './rings.ts'

/** Takes a multipart apart into single shapes, a collection into its members' parts; a single shape stays as it is. */
export function explode(shape: Shape): readonly Shape[] {
  switch (shape.kind) {
    case 'GeometryCollection':
      return (shape.members ?? []).flatMap(explode)
    case 'MultiPolygon':
      return shape.parts.map((end, part) => sliceRings(shape, 'Polygon', firstRingOf(shape, part), end))
    case 'MultiLineString':
      return shape.ends.map((_, line) => sliceRings(shape, 'LineString', line, line + 1))
    case 'MultiPoint':
      return Array.from({ length: shape.coordinates.length / 2 }, (_, vertex) =>
        slice(shape, 'Point', vertex, vertex + 1),
      )
    case 'Point':
    case 'LineString':
    case 'Polygon':
      return [shape]
  }
}

/** The polygons of a collection as one shape, where it has any, and how many points and lines lie beside them. */
export function areasOf(collection: Shape): { readonly areas: Shape | undefined; readonly beside: number } {
  const single = explode(collection)
  const polygons = single.filter(({ kind, coordinates }) => kind === 'Polygon' && coordinates.length > 0)
  const beside = single.length - polygons.length
  if (polygons.length === 0) return { areas: undefined, beside }
  return { areas: joinPolygons(polygons), beside }
}

/** All parts of these shapes as one: a polygon where there is a single part, else a multipolygon. Heights are left out. */
export function joinPolygons(shapes: readonly Shape[]): Shape {
  const parts: number[] = []
  let rings = 0
  for (const each of shapes) {
    for (const end of each.parts) parts.push(rings + end)
    rings += each.ends.length
  }
  return { kind: parts.length === 1 ? 'Polygon' : 'MultiPolygon', ...joinRings(shapes), parts }
}

function sliceRings(shape: Shape, kind: ShapeKind, first: number, end: number): Shape {
  const from = startOf(shape, first)
  const cut = slice(shape, kind, from, end > first ? shape.ends[end - 1]! : from)
  return {
    ...cut,
    ends: shape.ends.slice(first, end).map((each) => each - from),
    parts: kind === 'Polygon' ? [end - first] : [],
  }
}

function slice(shape: Shape, kind: ShapeKind, from: number, to: number): Shape {
  return {
    kind,
    coordinates: shape.coordinates.slice(from * 2, to * 2),
    ends: [],
    parts: [],
    ...changeHeights(shape, (values) => values.slice(from, to)),
  }
}

/** Turns a shape into an allowed kind without changing its parts; undefined where that is impossible. */
export function asAllowedKind(shape: Shape, allowed: readonly ShapeKind[]): Shape | undefined {
  if (allowed.includes(shape.kind)) return shape
  const isMulti = shape.kind.startsWith('Multi')
  const other = isMulti ? shape.kind.slice('Multi'.length) : `Multi${shape.kind}`
  const kind = allowed.find((each) => each === other)
  return kind === undefined || (isMulti && partCount(shape) !== 1) ? undefined : { ...shape, kind }
}

/** How many single shapes a shape is made of. */
export function partCount(shape: Shape): number {
  if (shape.kind === 'GeometryCollection') return shape.members?.length ?? 0
  if (shape.kind === 'MultiPolygon') return shape.parts.length
  if (shape.kind === 'MultiLineString') return shape.ends.length
  return shape.kind === 'MultiPoint' ? shape.coordinates.length / 2 : 1
}
