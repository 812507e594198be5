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

/** The shape of a placemark: null without coordinates, or a sentence that explains why there is none; `unread` is what cannot be read. */
type ReadShape = { readonly shape: Shape | null | string; readonly unread: string | undefined }

/** Makes the function that reads the shape of a placemark; it uses the same memory for each. */
export function shapeReader(): (placemark: Element) => ReadShape {
  const vertices = startVertices()
  return (placemark) => {
    vertices.count = 0
    vertices.allHaveHeights = true
    const reading: Reading = { vertices, unread: undefined }
    const pieces = piecesIn(placemark, reading)
    return { shape: shapeOf(vertices, pieces), unread: reading.unread }
  }
}

type Reading = { readonly vertices: Vertices; unread: string | undefined }

function piecesIn(element: Element, reading: Reading): readonly Piece[] {
  return elementsIn(element).flatMap((each): readonly Piece[] => {
    const kind = Object.hasOwn(kinds, each.name) ? kinds[each.name] : undefined
    return kind === undefined ? piecesIn(each, reading) : [{ kind, lines: linesIn(each, true, reading) }]
  })
}

function linesIn(element: Element, isShell: boolean, reading: Reading): readonly Line[] {
  const { vertices } = reading
  const from = vertices.count
  const lines = elementsIn(element).flatMap((each): readonly Line[] => {
    const begin = vertices.count
    if (each.name === 'coord') reading.unread ??= addTrackPoint(vertices, textOf(each))
    if (each.name === 'coordinates') reading.unread ??= addCoordinates(vertices, textOf(each))
    else return linesIn(each, each.name === 'outerBoundaryIs' || (isShell && each.name !== 'innerBoundaryIs'), reading)
    return vertices.count > begin ? [{ from: begin, to: vertices.count, isShell }] : []
  })
  return element.name === 'Track' && vertices.count > from ? [{ from, to: vertices.count, isShell }] : lines
}

const shapeKinds: readonly (readonly [Kind, ShapeKind])[] = [
  ['Polygon', 'MultiPolygon'],
  ['LineString', 'MultiLineString'],
  ['Point', 'MultiPoint'],
]

function shapeOf(vertices: Vertices, pieces: readonly Piece[]): Shape | null | string {
  // Most programs write a height of 0 if they do not know it.
  const hasHeights = vertices.allHaveHeights && vertices.heights.slice(0, vertices.count).some((each) => each !== 0)
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
