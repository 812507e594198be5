/** Builds a row from one placemark: its texts, data in three notations, a description, a geometry. */

import { WindrowError } from '../../core/error.ts'
import { problem, type ProblemCode } from '../../core/problem.ts'
import type { Place, Row, Value } from '../../core/row.ts'
import { withReferences } from '../xml.ts'
import { collectionOf, type Shape, type ShapeKind } from '../../core/shape.ts'

/** What is in an element comes in order. `label` is its attribute name, of SchemaData the address of the schema. */
export type Element = { readonly name: string; readonly label: string; readonly content: (string | Element)[] }

/** The elements directly in an element. */
function elementsIn({ content }: Element): readonly Element[] {
  return content.filter((each) => typeof each !== 'string')
}

/** All text in an element, also of the elements in it. */
export function textOf({ content }: Element): string {
  let text = ''
  for (const each of content) text += typeof each === 'string' ? each : textOf(each)
  return text
}

/** The types that schemas declare for their fields, by the id of the schema. */
export type Schemas = Map<string, ReadonlyMap<string, string>>

/** A placemark with more data than this has lost its end tag. */
const mostData = 2000

/** Elements whose text is a column of the same name, and their parents. */
const ownTexts: Readonly<Record<string, string>> = {
  name: 'Placemark',
  description: 'Placemark',
  address: 'Placemark',
  when: 'TimeStamp',
  begin: 'TimeSpan',
  end: 'TimeSpan',
}

type Fault = { readonly code: ProblemCode; readonly message: string; readonly value?: string; readonly hint: string }

/** In ExtendedData any other element is a column. */
const notColumns: ReadonlySet<string> = new Set(['Data', 'SchemaData', 'value', 'coordinates', 'coord'])

type Found = {
  readonly own: Map<string, string>
  readonly data: Map<string, Value>
  readonly faults: Map<ProblemCode, Fault>
  types: ReadonlyMap<string, string> | undefined
}

/** Makes the function that makes a row of a placemark; `isDescribed`: it has columns from its description. */
export function rowMaker(fileName: string, schemas: Schemas) {
  const shapes = shapeReader()
  const find = (element: Element, found: Found, around?: string): void => {
    const { own, data, faults } = found
    const add = (name: string, of: Element): void => {
      if (data.size === mostData)
        throw new WindrowError(
          'file-too-large',
          `A placemark of "${fileName}" has more than ${mostData} data values.`,
          lostEnd,
        )
      setFree(data, name, typed(textOf(of).trim(), found.types?.get(name)))
    }
    /** The first fault of each kind is enough. */
    const addFault = (fault: Fault): void => void (faults.has(fault.code) || faults.set(fault.code, fault))
    for (const each of element.content) {
      if (typeof each === 'string') continue
      const { name, label } = each
      if (ownTexts[name] === element.name) own.set(name, textOf(each).trim())
      else if (name === 'SimpleData') add(label, each)
      else if (name === 'value' && element.name === 'Data') add(element.label, each)
      else if (element.name === 'ExtendedData' && !notColumns.has(name)) add(name, each)
      else {
        if (name === 'SchemaData') found.types = schemas.get(label.replace(/^.*#/, ''))
        if (name === 'Model') addFault(modelFault)
        const isPiece = beginsPiece(name, around)
        const unread = isPiece ? shapes.add(each) : undefined
        if (unread !== undefined) addFault(coordinateFault(unread))
        find(each, found, isPiece ? name : around)
      }
    }
  }
  return (placemark: Element, at: Place, folder: string): { readonly row: Row; readonly isDescribed: boolean } => {
    const found: Found = { own: new Map(), data: new Map(), faults: new Map(), types: undefined }
    const { own, data, faults } = found
    find(placemark, found)
    const description = readDescription(own.get('description') ?? '')
    // If there are data, the table in the description only shows them.
    const fields = data.size === 0 ? description.fields : []
    const values = valuesOf(own, [...data, ...fields], { folder, text: description.text })
    const shape = shapes.finish()
    const isRefused = typeof shape === 'string'
    const all = [...faults.values()]
    if (isRefused) all.push({ code: 'geometry-wrong-type', message: shape, hint: 'Draw that shape again.' })
    const problems = all.map(({ code, ...more }) => problem(code, at, more))
    // Half of a boundary is worse than none.
    const isHalf = isRefused || faults.has('coordinate-not-a-number')
    const row = { at, values: Object.fromEntries(values), shape: isHalf ? null : shape }
    return { row: problems.length === 0 ? row : { ...row, problems }, isDescribed: fields.length > 0 }
  }
}

function coordinateFault(unread: string): Fault {
  return {
    code: 'coordinate-not-a-number',
    value: unread,
    message: 'Some of the coordinates are not longitude, latitude and height separated by commas.',
    hint: 'Export the file again, or draw that shape again.',
  }
}

function valuesOf(
  own: ReadonlyMap<string, string>,
  data: readonly (readonly [string, Value])[],
  { folder, text }: { readonly folder: string; readonly text: string },
): ReadonlyMap<string, Value> {
  const values = new Map<string, Value>()
  const title = own.get('name')
  // A name that is among the data, too, as in an export of windrow, is meant as it is.
  const isMeant = data.some(([, value]) => value === title)
  if (title !== undefined) values.set('name', isMeant ? title : nameWithoutTags(title))
  if (folder !== '') values.set('folder', folder)
  for (const [name, value] of data) setFree(values, name, value)
  if (text !== '') setFree(values, 'description', text)
  for (const name of ['address', 'when', 'begin', 'end']) if (own.has(name)) setFree(values, name, own.get(name))
  return values
}

/** Sets a value under its name, or under a numbered name if the name already has another value. */
function setFree(values: Map<string, Value>, wanted: string, value: Value): void {
  const stem = wanted.trim() === '' ? 'value' : wanted.trim()
  let name = stem
  for (let count = 2; values.has(name) && values.get(name) !== value; count += 1) name = `${stem} (${count})`
  values.set(name, value)
}

/** A value declared as a number or truth is converted if it is written as one; ids with leading zeros stay text. */
function typed(text: string, type: string | undefined): Value {
  if (type === undefined || type === 'string') return text
  if (type === 'bool') return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text
  const isNumber = /int|short|float|double/.test(type) && /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(text)
  if (!isNumber) return text
  const value = Number(text)
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? text : value
}

const modelFault: Fault = {
  code: 'geometry-wrong-type',
  message: 'The geometry is a three-dimensional model, such as a building.',
  hint: 'Draw its outline instead, or leave the row out.',
}

/** What to do about a placemark without end. */
export const lostEnd = { hint: 'Its end may be missing. Export the file again, or split that placemark.' }

const longestName = 100
const mostFields = 1000

/** Reads a description: the rows of its two-column table, if it has one, and the text outside it. */
function readDescription(html: string) {
  if (!html.includes('<')) return { fields: [], text: html.trim() }
  const fields = fieldsOf(html)
  if (fields.length === 0) return { fields, text: plainText(html) }
  const before = html.slice(0, html.search(/<table\b/i))
  const after = html.slice(html.toLowerCase().lastIndexOf('</table>') + '</table>'.length)
  return { fields, text: plainText(`${before} ${after}`) }
}

/** Name and value of each row; undefined if a row has more than two cells, because that is another kind of table. */
function fieldsOf(html: string): readonly (readonly [string, string])[] {
  if (!/<table\b/i.test(html) || !/<\/table>/i.test(html)) return []
  const fields: (readonly [string, string])[] = []
  for (const row of html.split(/<tr\b[^<>]*>/i).slice(1)) {
    const cells = row.split(/<\/?t(?:r|able)\b/i, 1)[0]!.split(/<t[dh]\b[^<>]*>/i).slice(1) // oxfmt-ignore
    if (cells.length > 2) return []
    if (cells.length < 2) continue
    const [name, value] = cells.map(plainText) as [string, string]
    if (name === '' || name.length > longestName || fields.length === mostFields) return []
    fields.push([name, /^<null>$/i.test(value) ? '' : value])
  }
  return fields
}

// Only tags of web pages, those of one letter with an end: a paddock may be called <North>, or <A>.
const pageTags = /<\/?(?:big|br|center|div|em|font|h[1-6]|html|small|span|strong|sub|sup)\b[^<>]*>|<\/[abipu]>/i

/** A name without the tags that some programs write around its words. */
function nameWithoutTags(name: string): string {
  return pageTags.test(name) ? plainText(name).replaceAll('\n', ' ') : name
}

/** The text of a page without its tags. Each step is a single pass, whatever the text contains. */
function plainText(html: string): string {
  const text = ['style', 'script', 'head']
    .reduce(withoutElement, html)
    .replace(/<(?:br|\/p|\/div|\/li|\/tr)\b[^<>]*>/gi, '\n')
    .replace(/<\/?[a-z!][^<>]*>/gi, ' ')
  return withReferences(text)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim()
}

function withoutElement(html: string, name: string): string {
  const [begin, ...rest] = html.split(new RegExp(`<${name}\\b`, 'i'))
  const end = new RegExp(`</${name}>`, 'i')
  return [begin!, ...rest.map((each) => each.slice(Math.max(0, each.search(end))))].join(' ')
}

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
function beginsPiece(name: string, around: string | undefined): boolean {
  if (Object.hasOwn(kinds, name)) return around !== 'Polygon'
  return around === undefined && (name === 'coordinates' || name === 'coord')
}

/** Makes a reader of the shapes of placemarks, one after another. */
function shapeReader() {
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

/** Vertices: `xy` in pairs, and the heights of those that have one. */
type Vertices = { readonly xy: number[]; readonly heights: number[] }

/** An empty list. */
export function startVertices(): Vertices {
  return { xy: [], heights: [] }
}

function push({ xy, heights }: Vertices, x: number, y: number, height: number | undefined): void {
  xy.push(x, y)
  if (height !== undefined) heights.push(height)
}

/**
 * Adds the tuples of a text: longitude, latitude and perhaps height separated by commas, tuples separated by blanks. Returns the
 * first part that does not fit; then nothing was added.
 */
export function addCoordinates(vertices: Vertices, text: string): string | undefined {
  const { xy, heights } = vertices
  const before = { xy: xy.length, heights: heights.length }
  const tryTuples = (written: string): string | undefined => {
    const fault = addTuples(vertices, written)
    if (fault === undefined) return undefined
    xy.length = before.xy
    heights.length = before.heights
    return fault
  }
  const fault = tryTuples(text)
  if (fault === undefined) return undefined
  // "1,2, 3,4," has a comma after each tuple; "1, 2, 3" has blanks inside one. This is tried only if the first reading fails.
  const tidied = text.replace(/,(?=\s|$)/g, ' ')
  if (tidied !== text && tryTuples(tidied) === undefined) return undefined
  // "1,2,0,3,4,0" has no blanks at all. Google Earth reads it as tuples of three, so that is what people saw on the map.
  const numbers = /^[\d.,eE+-]+$/.test(text.trim()) ? text.trim().split(',') : []
  const isRunOn = numbers.length > 3 && numbers.length % 3 === 0
  return isRunOn && tryTuples(inThrees(numbers)) === undefined ? undefined : fault
}

function inThrees(numbers: readonly string[]): string {
  return numbers.map((number, index) => `${number}${index % 3 === 2 ? ' ' : ','}`).join('')
}

const comma = 0x2c

function isBlank(code: number): boolean {
  return code <= 0x20 || code === 0xa0 || code === 0xfeff
}

/** One pass over the text. */
function addTuples(vertices: Vertices, text: string): string | undefined {
  const { length } = text
  let at = 0
  let size = 0
  let x = 0
  let y = 0
  let height = 0
  for (;;) {
    while (at < length && isBlank(text.charCodeAt(at))) at += 1
    const code = at < length ? text.charCodeAt(at) : -1
    if (code !== comma && size > 0) {
      if (size < 2) return excerpt(text, at)
      push(vertices, x, y, size > 2 ? height : undefined)
      size = 0
    }
    if (code < 0) return undefined
    if (code === comma) {
      if (size === 0 || size === 3) return excerpt(text, at)
      at += 1
      while (at < length && isBlank(text.charCodeAt(at))) at += 1
    }
    const from = at
    while (at < length && text.charCodeAt(at) !== comma && !isBlank(text.charCodeAt(at))) at += 1
    const value = numberOf(text.slice(from, at))
    if (Number.isNaN(value)) return excerpt(text, from)
    if (size === 0) x = value
    else if (size === 1) y = value
    else height = value
    size += 1
  }
}

function numberOf(text: string): number {
  return text === '' || /[^\d.eE+-]/.test(text) ? Number.NaN : Number(text)
}

function excerpt(text: string, at: number): string {
  return text
    .slice(Math.max(0, at - 20), at + 20)
    .replace(/\s+/g, ' ')
    .trim()
}

/** Adds one tuple of a track, whose numbers are separated by blanks. Returns the text if it is not one. */
function addTrackPoint(vertices: Vertices, text: string): string | undefined {
  const numbers = text.trim().split(/[\s,]+/).map(numberOf) // oxfmt-ignore
  const [x, y, height] = numbers
  if (x === undefined || y === undefined || numbers.length > 3 || numbers.some(Number.isNaN)) return text.slice(0, 40)
  push(vertices, x, y, height)
  return undefined
}
