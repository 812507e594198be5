/** Reads the coordinates of a feature from its bytes into flat numbers, without a list per vertex; unusual forms are left to JSON.parse. */

import type { Shape, ShapeKind } from '../../core/shape.ts'

/** The coordinates found: the bytes they take, how deeply their positions are nested, and the flat numbers. */
export type FoundCoordinates = NonNullable<ReturnType<typeof findCoordinates>>

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
