/** Reads and writes well-known text: any spacing, heights and measures, empty parts, surfaces that may have arcs; refuses arcs by name. */

import {
  collectionOf,
  endLine,
  endPart,
  firstRingOf,
  shapeKinds,
  shapeOf,
  startGathering,
  startOf,
  type Gathered,
  type Shape,
  type ShapeKind,
} from '../shape.ts'

const kinds: ReadonlyMap<string, ShapeKind> = new Map([
  ...shapeKinds.map((kind) => [kind.toUpperCase(), kind] as const),
  ['LINEARRING', 'LineString'],
  // Polygons where all of their lines are straight.
  ['CURVEPOLYGON', 'Polygon'],
  ['MULTISURFACE', 'MultiPolygon'],
])

const otherKinds = /^(?:CIRCULARSTRING|COMPOUNDCURVE|MULTICURVE|POLYHEDRALSURFACE|TIN|TRIANGLE)/i

// These match at the cursor only. The kinds of parts that a surface may name add nothing.
const empty = /\s*EMPTY\b/iy
const curvePolygon = /\s*CURVEPOLYGON(?:\s*(?:ZM|Z|M)\b)?/iy
const compoundCurve = /\s*COMPOUNDCURVE(?:\s*(?:ZM|Z|M)\b)?/iy
const beginning = /\s*(?:SRID\s*=\s*(\d+)\s*;\s*)?([A-Z]+?)\s*(ZM|Z|M)?\s*(?=\(|EMPTY\b)/iy

/** True for text that begins like well-known text, with or without the number of a coordinate system. */
export function looksLikeWkt(text: string): boolean {
  return /^\s*(?:SRID\s*=\s*\d+\s*;\s*)?(?:(?:MULTI)?(?:POINT|LINESTRING|POLYGON|CURVE|SURFACE)|GEOMETRYCOLLECTION|LINEARRING|CIRCULARSTRING|COMPOUNDCURVE|CURVEPOLYGON|TRIANGLE|TIN)\s*(?:ZM|Z|M)?\s*(?:\(|EMPTY\b)/i.test(
    text,
  )
}

/** The EPSG number at the start of extended well-known text (SRID=2193;...), if there is one. */
export function sridOfWkt(text: string): number | undefined {
  const said = /^\s*SRID\s*=\s*(\d{1,9})\s*;/i.exec(text)
  return said === null || Number(said[1]) === 0 ? undefined : Number(said[1])
}

/** Converts well-known text to a shape; returns a sentence if it is invalid or not supported. */
export function shapeFromWkt(text: string): Shape | string {
  const cursor: Cursor = { text, at: 0 }
  const shape = readTagged(cursor, 0)
  if (typeof shape === 'string') return shape
  skipSpace(cursor)
  return cursor.at < text.length ? `There is text after the geometry: "${shown(cursor)}".` : shape
}

type Cursor = { readonly text: string; at: number }

/** What is collected of one shape; `size` is how many numbers its first vertex had, 0 before it. */
type Gather = Gathered & { size: number; readonly dimensions: string }

/** Collections nested deeper than this are an attack, not a map. */
const deepestNesting = 16
const [open, close, comma] = [40, 41, 44]
const tooShort = 'The geometry ends too early.'

function readTagged(cursor: Cursor, depth: number): Shape | string {
  beginning.lastIndex = cursor.at
  const found = beginning.exec(cursor.text)
  const kind = found === null ? undefined : kinds.get(found[2]!.toUpperCase())
  if (found === null || kind === undefined) return noKind(cursor)
  cursor.at = beginning.lastIndex
  if (kind === 'GeometryCollection') return readCollection(cursor, depth)
  const dimensions = found[3]?.toUpperCase() ?? ''
  const gather: Gather = { ...startGathering(), size: 0, dimensions }
  const fault = pass(cursor, empty) ? undefined : readOfKind(cursor, kind, gather)
  return fault ?? shapeOf(kind, gather)
}

function noKind(cursor: Cursor): string {
  const other = otherKinds.exec(cursor.text.slice(cursor.at).trimStart())
  if (other !== null) return `It is a ${other[0].toUpperCase()}, which cannot be read.`
  const kind = /^\s*(?:SRID\s*=\s*\d+\s*;\s*)?([A-Z]{3,})/i.exec(cursor.text)?.[1]?.toUpperCase()
  return kind !== undefined && kinds.has(kind) ? tooShort : `"${shown(cursor)}" is not a kind of geometry.`
}

function shown({ text, at }: Cursor): string {
  return text.slice(at, at + 40).trim()
}

function readCollection(cursor: Cursor, depth: number): Shape | string {
  const members: Shape[] = []
  if (pass(cursor, empty)) return collectionOf(members)
  if (depth >= deepestNesting) return 'The geometry has too many collections inside collections.'
  const fault = readList(cursor, () => {
    const member = readTagged(cursor, depth + 1)
    if (typeof member === 'string') return member
    members.push(member)
    return undefined
  })
  return fault ?? collectionOf(members)
}

/** Passes over what the pattern matches at the cursor; false if it does not match there. */
function pass(cursor: Cursor, pattern: RegExp): boolean {
  pattern.lastIndex = cursor.at
  const isThere = pattern.test(cursor.text)
  if (isThere) cursor.at = pattern.lastIndex
  return isThere
}

function skipSpace(cursor: Cursor): void {
  while (cursor.text.charCodeAt(cursor.at) <= 32) cursor.at += 1
}

/** Reads "( item, item ... )". */
function readList(cursor: Cursor, readItem: () => string | undefined): string | undefined {
  skipSpace(cursor)
  if (cursor.text.charCodeAt(cursor.at) !== open) return cursor.at < cursor.text.length ? unexpected(cursor) : tooShort
  do {
    cursor.at += 1
    const fault = readItem()
    if (fault !== undefined) return fault
    skipSpace(cursor)
  } while (cursor.text.charCodeAt(cursor.at) === comma)
  if (cursor.text.charCodeAt(cursor.at) !== close) return cursor.at < cursor.text.length ? unexpected(cursor) : tooShort
  cursor.at += 1
  return undefined
}

function unexpected(cursor: Cursor): string {
  const other = otherKinds.exec(cursor.text.slice(cursor.at, cursor.at + 20))
  if (other !== null) return `It has a ${other[0].toUpperCase()}, which cannot be read.`
  return `"${shown(cursor)}" is not expected at character ${cursor.at + 1} of the geometry.`
}

function readOfKind(cursor: Cursor, kind: ShapeKind, gather: Gather): string | undefined {
  const run = (): string | undefined => readList(cursor, () => readPosition(cursor, gather))
  const line = (): string | undefined => {
    if (pass(cursor, empty)) return undefined
    const fault = pass(cursor, compoundCurve) ? readList(cursor, run) : run()
    endLine(gather)
    return fault
  }
  const polygon = (): string | undefined => {
    pass(cursor, curvePolygon)
    if (pass(cursor, empty)) return undefined
    const fault = readList(cursor, line)
    endPart(gather)
    return fault
  }
  if (kind === 'Point') return run()
  if (kind === 'LineString') return line()
  if (kind === 'Polygon') return polygon()
  if (kind === 'MultiPoint') return readList(cursor, () => readMember(cursor, gather))
  return readList(cursor, kind === 'MultiPolygon' ? polygon : line)
}

/** One of several points, in its own brackets or without, as older programs write it. */
function readMember(cursor: Cursor, gather: Gather): string | undefined {
  if (pass(cursor, empty)) return undefined
  skipSpace(cursor)
  if (cursor.text.charCodeAt(cursor.at) !== open) return readPosition(cursor, gather)
  return readList(cursor, () => readPosition(cursor, gather))
}

function readPosition(cursor: Cursor, gather: Gather): string | undefined {
  const numbers: number[] = []
  for (skipSpace(cursor); ; skipSpace(cursor)) {
    const from = cursor.at
    let code = cursor.text.charCodeAt(cursor.at)
    while (code > 32 && code !== comma && code !== close && code !== open) {
      cursor.at += 1
      code = cursor.text.charCodeAt(cursor.at)
    }
    if (cursor.at === from) break
    const written = cursor.text.slice(from, cursor.at)
    const number = Number(written)
    if (!Number.isFinite(number) || /x|b|o/i.test(written)) return `"${written.slice(0, 40)}" is not a coordinate.`
    numbers.push(number)
  }
  const { size, dimensions } = gather
  if (cursor.at >= cursor.text.length) return tooShort
  if (numbers.length < 2 || numbers.length > 4) return `A position has ${numbers.length} numbers.`
  if (size !== 0 && size !== numbers.length) return 'The positions do not all have the same number of coordinates.'
  if (dimensions !== '' && numbers.length !== dimensions.length + 2) return 'A position lacks its height or measure.'
  gather.size = numbers.length
  gather.xy.push(numbers[0]!, numbers[1]!)
  const hasZ = dimensions === '' ? numbers.length > 2 : dimensions.startsWith('Z')
  if (hasZ) gather.z.push(numbers[2]!)
  if (numbers.length === 4 || dimensions === 'M') gather.m.push(numbers.at(-1)!)
  return undefined
}

/** Writes a shape as well-known text, with its coordinates as they are; heights make it `Z`, measures are left out. */
export function wktText(shape: Shape): string {
  const { kind, coordinates, ends, parts, z } = shape
  const word = `${kind.toUpperCase()}${z === undefined ? '' : ' Z'}`
  if (kind === 'GeometryCollection') {
    const members = shape.members ?? []
    return members.length === 0 ? 'GEOMETRYCOLLECTION EMPTY' : `GEOMETRYCOLLECTION (${members.map(wktText).join(', ')})`
  }
  if (coordinates.length === 0) return `${word} EMPTY`
  const position = (vertex: number): string =>
    `${coordinates[vertex * 2]!} ${coordinates[vertex * 2 + 1]!}${z === undefined ? '' : ` ${z[vertex]!}`}`
  const list = (from: number, to: number, item: (index: number) => string): string => {
    let text = ''
    for (let index = from; index < to; index += 1) text += (index === from ? '' : ', ') + item(index)
    return `(${text})`
  }
  const line = (index: number): string => list(startOf(shape, index), ends[index]!, position)
  const polygon = (index: number): string => list(firstRingOf(shape, index), parts[index]!, line)
  const count = coordinates.length / 2
  if (kind === 'Point' || kind === 'LineString') return `${word} ${list(0, count, position)}`
  if (kind === 'MultiPoint') return `${word} ${list(0, count, (vertex) => `(${position(vertex)})`)}`
  return `${word} ${kind === 'MultiPolygon' ? list(0, parts.length, polygon) : list(0, ends.length, line)}`
}
