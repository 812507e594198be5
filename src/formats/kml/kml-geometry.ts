/** Combines the geometries of one placemark into one shape: a MultiGeometry is one shape of several parts, never several rows. */

import { collectionOf, type Shape, type ShapeKind } from '../../core/shape.ts'
import { elementsIn, textOf, type Element } from './element.ts'
import { addCoordinates, addTrackPoint, startVertices, type Vertices } from './kml-coordinates.ts'

type Kind = 'Point' | 'LineString' | 'Polygon'
type Line = { readonly from: number; readonly to: number; readonly isShell: boolean }
type Piece = { readonly kind: Kind; readonly lines: readonly Line[] }

const kinds: Readonly<Record<string, Kind | undefined>> = {
  Point: 'Point',
  LineString: 'LineString',
  LinearRing: 'LineString',
  Track: 'LineString',
  Polygon: 'Polygon',
}

/**
 * Whether an element begins a piece of the shape; `around` is the piece it is in. Rings belong to their polygon; in any other piece a
 * geometry shows that the end of that piece is missing. Coordinates outside of a geometry must be readable, too.
 */
export function beginsPiece(name: string, around: string | undefined): boolean {
  if (Object.hasOwn(kinds, name)) return around !== 'Polygon'
  return around === undefined && (name === 'coordinates' || name === 'coord')
}

/** Makes a reader of the shapes of placemarks, one after another. */
export function shapeReader() {
  let vertices = startVertices()
  let pieces: Piece[] = []
  return {
    /** Takes an element of the shape. Returns the first part of its coordinates that cannot be read. */
    add(element: Element): string | undefined {
      const reading: Reading = { vertices, piece: element.name, unread: undefined }
      const lines = linesIn(element, true, reading)
      const kind = kinds[element.name]
      if (kind !== undefined) pieces.push({ kind, lines })
      return reading.unread
    },
    /** Returns the shape, null without coordinates, or a sentence that explains why there is none; then starts again. */
    finish(): Shape | null | string {
      const shape = shapeOf(vertices, pieces)
      pieces = []
      vertices = startVertices()
      return shape
    },
  }
}

type Reading = { readonly vertices: Vertices; readonly piece: string; unread: string | undefined }

function linesIn(element: Element, isShell: boolean, reading: Reading): readonly Line[] {
  const { vertices, piece } = reading
  const { name } = element
  const from = vertices.xy.length / 2
  if (name === 'coordinates' || name === 'coord') {
    const unread = (name === 'coord' ? addTrackPoint : addCoordinates)(vertices, textOf(element))
    reading.unread ??= unread
  }
  const isInShell = name === 'outerBoundaryIs' || (isShell && name !== 'innerBoundaryIs')
  const lines = elementsIn(element).flatMap((each) =>
    beginsPiece(each.name, piece) ? [] : linesIn(each, isInShell, reading),
  )
  const to = vertices.xy.length / 2
  const isLine = (name === 'coordinates' || name === 'Track') && to > from
  return isLine ? [{ from, to, isShell }] : lines
}

const shapeKinds: readonly (readonly [Kind, ShapeKind])[] = [
  ['Polygon', 'MultiPolygon'],
  ['LineString', 'MultiLineString'],
  ['Point', 'MultiPoint'],
]

function shapeOf(vertices: Vertices, pieces: readonly Piece[]): Shape | null | string {
  // Most programs write a height of 0 if they do not know it.
  const { xy, heights } = vertices
  const hasHeights = heights.length * 2 === xy.length && heights.some((each) => each !== 0)
  const members: Shape[] = []
  for (const [kind, several] of shapeKinds) {
    const ofKind = pieces.filter((piece) => piece.kind === kind && piece.lines.length > 0)
    if (ofKind.length === 0) continue
    const parts =
      kind === 'Polygon' ? ofKind.flatMap(polygonsOf) : ofKind.flatMap(({ lines }) => lines.map((line) => [line]))
    if (parts.some((lines) => kind === 'Polygon' && !lines[0]!.isShell)) return 'A polygon has holes, but no outline.'
    members.push(shapeOfParts(vertices, hasHeights, { parts, kind: kindFor(kind, several, parts) }))
  }
  const [first] = members
  if (first === undefined || members.length === 1) return first ?? null
  return collectionOf(members)
}

function kindFor(kind: Kind, several: ShapeKind, parts: readonly (readonly Line[])[]): ShapeKind {
  const [first] = parts
  const isOne = parts.length === 1 && (kind !== 'Point' || first![0]!.to - first![0]!.from === 1)
  return isOne ? kind : several
}

/** The polygons of one element: it should have one outline, but some programs write several, each followed by its holes. */
function polygonsOf({ lines }: Piece): readonly (readonly Line[])[] {
  const polygons: Line[][] = []
  const holesBefore: Line[] = []
  for (const line of lines) {
    if (line.isShell) polygons.push(polygons.length === 0 ? [line, ...holesBefore] : [line])
    else (polygons.at(-1) ?? holesBefore).push(line)
  }
  return polygons.length === 0 ? [holesBefore] : polygons
}

type Wanted = { readonly kind: ShapeKind; readonly parts: readonly (readonly Line[])[] }

function shapeOfParts({ xy, heights }: Vertices, hasHeights: boolean, { kind, parts }: Wanted): Shape {
  const lines = parts.flat()
  const count = lines.reduce((sum, { from, to }) => sum + to - from, 0)
  const coordinates = new Float64Array(count * 2)
  const z = hasHeights ? new Float64Array(count) : undefined
  const ends: number[] = []
  let at = 0
  for (const { from, to } of lines) {
    coordinates.set(xy.slice(from * 2, to * 2), at * 2)
    z?.set(heights.slice(from, to), at)
    at += to - from
    ends.push(at)
  }
  let ring = 0
  const isAreal = kind === 'Polygon' || kind === 'MultiPolygon'
  return {
    kind,
    coordinates,
    ends: kind === 'Point' || kind === 'MultiPoint' ? [] : ends,
    parts: isAreal ? parts.map((own) => (ring += own.length)) : [],
    ...(z === undefined ? {} : { z }),
  }
}
