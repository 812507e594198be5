/** Converts the text of one feature to a row. */

import { isObject, jsonValue, parseExactly, type Members } from '../../core/values/exact-json.ts'
import { problem, type Problem } from '../../core/problem.ts'
import type { Place, Row, Values } from '../../core/row.ts'
import type { ShapeKind, Shape } from '../../core/shape.ts'
import { crsOfFeature, positionDepth, shapeFromGeoJson } from '../../core/shapes/shape-geojson.ts'
import { isGeometryType } from './geojson-scanner.ts'
import { isUtf8 } from 'node:buffer'

/** No feature of a map is nested this deeply; deeper ones would overflow programs further down. */
const deepestNesting = 64

/** Decodes the bytes of a piece; `guessed` means that they are not UTF-8 and were read as Windows-1252. */
export function pieceText(bytes: Buffer): { readonly text: string; readonly guessed: boolean } {
  const text = bytes.toString('utf8')
  if (!text.includes('\ufffd') || isUtf8(bytes)) return { text, guessed: false }
  return { text: new TextDecoder('windows-1252').decode(bytes), guessed: true }
}

/**
 * Makes the row of one feature or single geometry; anything wrong with it becomes a problem of the row.
 * `guessed` means that the bytes are not UTF-8, `repaired` that they break a rule of JSON but their meaning is clear; `crs` is the
 * coordinate system that it states.
 */
export function rowOfFeature(bytes: Buffer, depth: number, at: Place): Read & { readonly guessed: boolean } {
  const found = depth > deepestNesting ? undefined : findCoordinates(bytes)
  const read = found === undefined ? undefined : rowAround(bytes, found, at)
  if (read !== undefined) return { ...read, guessed: false }
  const { text, guessed } = pieceText(bytes)
  return { ...rowOfText(text, depth, at), guessed }
}

type Read = { readonly row: Row; readonly repaired: boolean; readonly crs?: string | undefined }

// A placeholder for the coordinates while the rest is parsed; nobody writes a minus before a single zero there.
const placeholder = '-0'

/** The row of an ordinary feature whose coordinates have already been read; undefined if it is not ordinary. */
function rowAround(bytes: Buffer, found: FoundCoordinates, at: Place): Read | undefined {
  const text = `${bytes.toString('utf8', 0, found.from)}${placeholder}${bytes.toString('utf8', found.to)}`
  if (text.includes('\ufffd')) return undefined
  const feature = jsonValue(text, parseExactly)
  if (!isObject(feature) || feature.type !== 'Feature' || !isObject(feature.geometry)) return undefined
  const { geometry, properties, id } = feature
  const kind = geometry.type as ShapeKind
  if (!Object.is(geometry.coordinates, -0) || positionDepth.get(kind) !== found.depth) return undefined
  if (!isObject(properties ?? {})) return undefined
  const row = { at, values: valuesOf((properties ?? {}) as Members, id), shape: found.shapeOf(kind) }
  return { row, repaired: false, crs: crsOfFeature(feature) }
}

function rowOfText(text: string, depth: number, at: Place): Read {
  const refused = (message: string): Read => ({
    row: unreadable(at, text, message),
    repaired: false,
  })
  if (depth > deepestNesting)
    return refused(`The feature is nested ${depth} levels deep; the limit is ${deepestNesting}.`)
  let feature: unknown
  let repaired = false
  try {
    feature = parseExactly(text)
  } catch (cause) {
    feature = parseRepaired(text)
    repaired = feature !== undefined
    if (!repaired) return refused(`The feature is not valid JSON: ${withoutText((cause as Error).message)}.`)
  }
  if (!isObject(feature)) return refused('A member of the list of features is not a feature.')
  const crs = crsOfFeature(feature)
  const twice = shapeTwice(text)
  if (twice !== undefined) return { row: withTwo(at, feature, twice), repaired, crs }
  if (isGeometryType(feature.type)) return { row: withShape(at, {}, feature), repaired, crs }
  if (feature.type !== 'Feature') return refused(`A feature has the type ${shown(feature.type)} instead of "Feature".`)
  const properties = feature.properties ?? {}
  if (!isObject(properties)) return refused('The properties of the feature are not an object.')
  const values = valuesOf(properties, feature.id)
  if (isObject(feature.place) && 'coordinates' in feature.place && !isObject(feature.geometry))
    return { row: { at, values, shape: null, problems: [placedElsewhere(at)] }, repaired }
  return { row: withShape(at, values, feature.geometry), repaired, crs }
}

// Texts are matched only to be skipped; one that is never closed runs to the end, so that none is tried twice.
const oddities = /"(?:[^"\\]|\\[^])*"?|[+-]?\b(?:NaN|Infinity)\b|,(?=\s*[}\]])/g

// The regular expression would overflow on longer text; no feature of that size is written by hand.
const longestToRepair = 1 << 20

/** Reads JSON as Python and people write it: NaN for a missing number, a comma after the last member. */
function parseRepaired(text: string): unknown {
  if (text.length > longestToRepair) return undefined
  const repaired = text.replace(oddities, (found) => (found.startsWith('"') ? found : found === ',' ? '' : 'null'))
  return jsonValue(repaired, parseExactly)
}

function valuesOf(properties: Members, id: unknown): Values {
  // windrow's own exports also have the id in a column called Id.
  const isThere = Object.hasOwn(properties, 'id') || (id !== undefined && properties['Id'] === id)
  if ((typeof id === 'string' || typeof id === 'number') && !isThere) properties.id = id
  // Parsed from JSON, so every member is a Value, and __proto__ is an ordinary member.
  return properties as Values
}

function withShape(at: Place, values: Values, geometry: unknown): Row {
  if (geometry === null || geometry === undefined) return { at, values, shape: null }
  const shape = shapeFromGeoJson(geometry)
  if (typeof shape !== 'string') return { at, values, shape }
  const code = shape.includes('pair of numbers') ? 'coordinate-not-a-number' : 'geometry-wrong-type'
  return { at, values, shape: null, problems: [problem(code, at, { message: shape })] }
}

const texts = /"[^"\\]*(?:\\[^][^"\\]*)*"(\s*:)?|[{}]/g

/** The member for a shape that one object has twice, of which JSON.parse would take the last. */
function shapeTwice(text: string): string | undefined {
  const names = ['"geometry"', '"coordinates"']
  if (names.every((name) => text.indexOf(name) === text.lastIndexOf(name))) return undefined
  const open: Set<string>[] = []
  for (const [found, colon] of text.matchAll(texts)) {
    const name = colon === undefined ? found : found.slice(0, -colon.length)
    if (found === '{') open.push(new Set())
    else if (found === '}') open.pop()
    else if (colon !== undefined && names.includes(name)) {
      if (open.at(-1)?.has(name) === true) return name
      open.at(-1)?.add(name)
    }
  }
  return undefined
}

function withTwo(at: Place, { properties, id }: Members, member: string): Row {
  const found = problem('geometry-wrong-type', at, {
    message: `The feature has two members ${member}, so nobody knows which boundary is right.`,
    hint: 'Remove the wrong one in a text editor, or export the file again.',
  })
  return { at, values: valuesOf(isObject(properties) ? properties : {}, id), shape: null, problems: [found] }
}

/** JSON-FG leaves out the geometry if its `place` is in another system than longitude and latitude. */
function placedElsewhere(at: Place): Problem {
  return problem('geometry-wrong-type', at, {
    message: 'The boundary of the feature is in the member "place" (JSON-FG), which cannot be read.',
    hint: 'Export the file as GeoJSON (RFC 7946), or as GeoPackage.',
  })
}

function unreadable(at: Place, text: string, message: string): Row {
  const found: Problem = problem('row-unreadable', at, {
    value: text.slice(0, 80),
    message,
    hint: 'Export the file again, or repair this feature in a text editor.',
  })
  return { at, values: {}, shape: null, problems: [found] }
}

/** The message of JSON.parse quotes the text around the fault, which may be large and is shown as the value anyway. */
function withoutText(message: string): string {
  return message.replace(/,? *(\.\.\.)?".*$/s, '').slice(0, 100)
}

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 40) ?? 'nothing'
}

/** The coordinates found: the bytes they take, how deeply their positions are nested, and the flat numbers. */
type FoundCoordinates = NonNullable<ReturnType<typeof findCoordinates>>

const key = Buffer.from('"coordinates"')
const code = { blank: 0x20, comma: 0x2c, minus: 0x2d, dot: 0x2e, zero: 0x30, colon: 0x3a, open: 0x5b, close: 0x5d }

/** The coordinates in the bytes of a feature, if they occur once and contain only well-formed numbers in lists. */
export function findCoordinates(bytes: Buffer) {
  const found = bytes.indexOf(key)
  if (found < 0) return undefined
  let from = pastBlanks(bytes, found + key.length)
  if (bytes[from] !== code.colon) return undefined
  from = pastBlanks(bytes, from + 1)
  const to = scanner.scan(bytes, from)
  if (to === undefined || bytes.indexOf(key, to) >= 0) return undefined
  return { from, to, depth: scanner.depth, shapeOf: (kind: ShapeKind) => scanner.shapeOf(kind) }
}

function pastBlanks(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && isBlank(bytes[at]!)) at += 1
  return at
}

function isBlank(byte: number): boolean {
  return byte === code.blank || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= code.zero && byte <= 0x39
}

/** All these powers are exact, so a whole number of up to 53 bits divided by one is rounded once, as it must be. */
const powersOfTen = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`))
const mostExact = 2 ** 53 / 10 - 1

/** Reads one list of coordinates; its results are valid until the next scan, because its memory is reused. */
class CoordinateScanner {
  depth = 0
  #numbers = new Float64Array(1 << 12)
  #heights = new Float64Array(1 << 11)
  #vertices = 0
  #withHeight = 0
  #ends: number[] = []
  #parts: number[] = []
  #at = 0

  /** Returns where the list ends; undefined if it is not a well-formed list of positions at one depth. */
  scan(bytes: Buffer, from: number): number | undefined {
    this.depth = 0
    this.#vertices = 0
    this.#withHeight = 0
    this.#ends = []
    this.#parts = []
    let level = 0
    // True if a comma or the end must come next; after an opening bracket or a comma a value must.
    let filled = false
    this.#at = from
    while (this.#at < bytes.length) {
      const byte = bytes[this.#at]!
      if (byte === code.open) {
        if (filled) return undefined
        level += 1
        this.#at += 1
      } else if (byte === code.close) {
        // An empty list is valid, and rare enough to be left to JSON.parse.
        if (!filled) return undefined
        this.#close(level)
        level -= 1
        this.#at += 1
        if (level === 0) return this.#at
      } else if (byte === code.comma) {
        if (!filled) return undefined
        filled = false
        this.#at += 1
      } else if (isBlank(byte)) this.#at += 1
      else {
        if (filled || (this.depth !== 0 && level !== this.depth) || level === 0) return undefined
        this.depth = level
        if (!this.#takePosition(bytes)) return undefined
        filled = true
      }
      if (byte === code.close) filled = true
    }
    return undefined
  }

  #close(level: number): void {
    if (level === this.depth - 1) this.#ends.push(this.#vertices)
    else if (level === this.depth - 2) this.#parts.push(this.#ends.length)
  }

  /** Reads the numbers of a position up to its closing bracket. */
  #takePosition(bytes: Buffer): boolean {
    this.#makeRoom()
    for (let dimension = 0; ; dimension += 1) {
      const value = this.#takeNumber(bytes)
      if (value === undefined) return false
      if (dimension < 2) this.#numbers[this.#vertices * 2 + dimension] = value
      else if (dimension === 2) {
        this.#heights[this.#vertices] = value
        this.#withHeight += 1
      }
      this.#at = pastBlanks(bytes, this.#at)
      if (bytes[this.#at] === code.close) {
        this.#vertices += 1
        return dimension > 0
      }
      if (bytes[this.#at] !== code.comma) return false
      this.#at = pastBlanks(bytes, this.#at + 1)
    }
  }

  /** Reads a number by the grammar of JSON. */
  #takeNumber(bytes: Buffer): number | undefined {
    const from = this.#at
    let at = from
    const isNegative = bytes[at] === code.minus
    if (isNegative) at += 1
    if (!isDigit(bytes[at]) || (bytes[at] === code.zero && isDigit(bytes[at + 1]))) return undefined
    let digits = 0
    let decimals = 0
    let byte = bytes[at]!
    for (; byte >= code.zero && byte <= 0x39 && digits < mostExact; byte = bytes[++at]!)
      digits = digits * 10 + byte - code.zero
    if (byte === code.dot) {
      const first = at + 1
      if (!isDigit(bytes[first])) return undefined
      at = first
      byte = bytes[at]!
      for (; byte >= code.zero && byte <= 0x39 && digits < mostExact; byte = bytes[++at]!)
        digits = digits * 10 + byte - code.zero
      decimals = at - first
    }
    // More digits than a number stores exactly, or an exponent: `Number` rounds them correctly.
    if (isDigit(byte) || byte === code.dot || (byte | 0x20) === 0x65 || decimals > 22)
      return this.#takeLong(bytes, from)
    this.#at = at
    const value = decimals === 0 ? digits : digits / powersOfTen[decimals]!
    return isNegative ? -value : value
  }

  #takeLong(bytes: Buffer, from: number): number | undefined {
    let to = from
    while (to < bytes.length && isInNumber(bytes[to]!)) to += 1
    const text = bytes.toString('latin1', from, to)
    if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return undefined
    this.#at = to
    return Number(text)
  }

  #makeRoom(): void {
    if (this.#vertices < this.#heights.length) return
    const [numbers, heights] = [this.#numbers, this.#heights]
    this.#numbers = new Float64Array(numbers.length * 2)
    this.#heights = new Float64Array(heights.length * 2)
    this.#numbers.set(numbers)
    this.#heights.set(heights)
  }

  shapeOf(kind: ShapeKind): Shape {
    const flat = {
      kind,
      coordinates: this.#numbers.slice(0, this.#vertices * 2),
      ends: kind === 'Point' || kind === 'MultiPoint' ? [] : this.#ends,
      parts: kind === 'Polygon' ? [this.#ends.length] : kind === 'MultiPolygon' ? this.#parts : [],
    }
    return this.#withHeight === this.#vertices ? { ...flat, z: this.#heights.slice(0, this.#vertices) } : flat
  }
}

const scanner = new CoordinateScanner()

function isInNumber(byte: number): boolean {
  return isDigit(byte) || byte === code.minus || byte === code.dot || byte === 0x2b || (byte | 0x20) === 0x65
}
