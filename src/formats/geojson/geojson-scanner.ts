/** Cuts features out of streamed GeoJSON in one pass, without parsing the rest. */

import { WindrowError } from '../../core/error.ts'
import { shapeKinds } from '../../core/shape.ts'
import { jsonValue } from '../../core/values/exact-json.ts'

/**
 * A piece of the file. `opening` is a collection up to its list of features and `frame` all of it except the features;
 * `feature` is one member of the list, `whole` any other value at the top level. At the end, `half` is an incomplete feature or
 * value and `cut` an incomplete collection. `depth` is how deeply the piece is nested.
 */
export type Piece = {
  readonly kind: 'opening' | 'feature' | 'frame' | 'whole' | 'half' | 'cut'
  readonly bytes: Buffer
  readonly depth: number
}

const geometryTypes: ReadonlySet<unknown> = new Set(shapeKinds)

/** True for the name of a GeoJSON geometry type. */
export function isGeometryType(type: unknown): boolean {
  return geometryTypes.has(type)
}

/** The limit for one feature and for the part around the features: a bracket that is never closed must not fill the memory. */
export const pieceLimitBytes = 48 * 2 ** 20
const largestWindowBytes = pieceLimitBytes + (1 << 20)

const byte = { quote: 0x22, backslash: 0x5c, comma: 0x2c, open: 0x7b, close: 0x7d, openList: 0x5b, closeList: 0x5d }

/** What a byte means outside strings; those below `quote` matter only between items. */
const plain = 0
const blank = 1
const quote = 2
const opens = 3
const closes = 4
const meaning = new Uint8Array(256)
// RFC 8142 puts a record separator before each text.
for (const code of [0x20, 0x09, 0x0a, 0x0d, 0x1e, byte.comma]) meaning[code] = blank
meaning[byte.quote] = quote
meaning[byte.open] = meaning[byte.openList] = opens
meaning[byte.close] = meaning[byte.closeList] = closes

/** The scanner's state: between texts, in a text, between features, in a feature, in a list member that is not an object. */
type Mode = 'between' | 'text' | 'list' | 'feature' | 'scalar'

/**
 * Cuts a stream of bytes; the bytes of a piece are valid until the next push. At invalid JSON it returns what it has, and throws
 * a WindrowError at the next call.
 */
export class FeatureScanner {
  readonly #name: string
  // Chunks are copied into one window, because their memory is reused and a feature may span several.
  #window = Buffer.alloc(0)
  #buffer = this.#window
  #at = 0
  #keepFrom = 0
  #mode: Mode = 'between'
  #depth = 0
  #deepest = 0
  #inString = false
  #escaped = false
  #stringFrom = 0
  #lastString: readonly [number, number] = [0, 0]
  #frameHead: Buffer | undefined
  #passedBytes = 0
  #pieces: Piece[] = []
  #failure: { readonly cause: unknown } | undefined

  constructor(name: string) {
    this.#name = name
  }

  push(chunk: Uint8Array): readonly Piece[] {
    if (this.#failure !== undefined) throw this.#failure.cause
    this.#pieces = []
    this.#take(chunk)
    try {
      this.#scan()
    } catch (cause) {
      this.#failure = { cause }
    }
    return this.#pieces
  }

  /** The incomplete piece at the end, if any. */
  end(): readonly Piece[] {
    if (this.#failure !== undefined) throw this.#failure.cause
    if (this.#mode === 'between') return []
    const isCut = this.#mode === 'list' || (this.#mode === 'text' && this.#frameHead !== undefined)
    const bytes = this.#buffer.subarray(this.#keepFrom)
    return [{ kind: isCut ? 'cut' : 'half', bytes, depth: this.#deepest }]
  }

  /** Puts a chunk into the window, behind the bytes that are still needed. */
  #take(chunk: Uint8Array): void {
    const kept = this.#mode === 'between' || this.#mode === 'list' ? this.#buffer.length : this.#keepFrom
    const rest = this.#buffer.subarray(kept)
    const length = rest.length + chunk.length
    if (length > largestWindowBytes) throw tooLarge(this.#name, this.#mode)
    if (length > this.#window.length) {
      const larger = Math.min(Math.max(length, this.#window.length * 2), largestWindowBytes)
      this.#window = Buffer.allocUnsafeSlow(larger)
    }
    if (rest.length > 0 && (kept > 0 || rest.buffer !== this.#window.buffer)) this.#window.set(rest)
    this.#window.set(chunk, rest.length)
    this.#buffer = this.#window.subarray(0, length)
    this.#at -= kept
    this.#keepFrom -= kept
    this.#stringFrom -= kept
    this.#lastString = [this.#lastString[0] - kept, this.#lastString[1] - kept]
    this.#passedBytes += kept
  }

  #scan(): void {
    while (this.#at < this.#buffer.length) {
      if (this.#inString) this.#takeString()
      else {
        if (this.#mode === 'feature' || this.#mode === 'text') this.#skipInside()
        if (this.#at < this.#buffer.length) this.#takeByte()
      }
    }
  }

  /** Reads the string up to its end or the end of the bytes. */
  #takeString(): void {
    const bytes = this.#buffer
    let index = this.#at
    let escaped = this.#escaped
    for (; index < bytes.length; index += 1) {
      const code = bytes[index]!
      if (escaped) escaped = false
      else if (code === byte.backslash) escaped = true
      else if (code === byte.quote) break
    }
    this.#escaped = escaped
    this.#at = index
    if (index === bytes.length) return
    this.#inString = false
    if (this.#depth === 1) this.#lastString = [this.#stringFrom + 1, index]
    this.#at += 1
  }

  /** Skips bytes inside a value up to the next one that matters. */
  #skipInside(): void {
    const bytes = this.#buffer
    const floor = this.#mode === 'feature' ? 3 : 2
    let index = this.#at
    let level = this.#depth
    let deepest = this.#deepest
    for (; index < bytes.length; index += 1) {
      const what = meaning[bytes[index]!]!
      if (what < quote) continue
      if (what === opens && level >= floor) level += 1
      else if (what === closes && level > floor) level -= 1
      else break
      if (level > deepest) deepest = level
    }
    this.#at = index
    this.#depth = level
    this.#deepest = deepest
  }

  #takeByte(): void {
    const code = this.#buffer[this.#at]!
    const what = meaning[code]!
    if (what === blank) {
      if (this.#mode === 'scalar') this.#scalarEnds()
    } else if (what === plain) {
      if (this.#mode !== 'scalar') this.#scalarBegins()
    } else if (what === quote) {
      this.#scalarBegins()
      this.#inString = true
      this.#stringFrom = this.#at
    } else if (what === opens) this.#opened(code)
    else {
      if (this.#mode === 'scalar') this.#scalarEnds()
      this.#closed(code)
    }
    this.#at += 1
  }

  #opened(code: number): void {
    if (this.#mode === 'scalar' || (this.#mode === 'between' && code !== byte.open)) throw this.#damaged()
    if (this.#mode === 'between' || this.#mode === 'list') {
      this.#keepFrom = this.#at
      this.#deepest = 0
      this.#mode = this.#mode === 'list' ? 'feature' : 'text'
    }
    this.#depth += 1
    if (this.#depth > this.#deepest) this.#deepest = this.#depth
    if (this.#mode === 'text' && this.#depth === 2 && code === byte.openList && this.#isFeatureList()) {
      this.#mode = 'list'
      this.#emit('opening', this.#at + 1)
      this.#frameHead = Buffer.from(this.#buffer.subarray(this.#keepFrom, this.#at + 1))
    }
  }

  /** True if the list that opens here is the collection's first member `features`. */
  #isFeatureList(): boolean {
    if (this.#frameHead !== undefined) return false
    if (this.#buffer.toString('latin1', this.#lastString[0], this.#lastString[1]) !== 'features') return false
    return !isOneFeature(this.#buffer.toString('utf8', this.#keepFrom, this.#at + 1))
  }

  #closed(code: number): void {
    if (this.#mode === 'between' || (this.#mode === 'list' && code !== byte.closeList)) throw this.#damaged()
    this.#depth -= 1
    if (this.#mode === 'list') {
      this.#mode = 'text'
      this.#keepFrom = this.#at
    } else if (this.#mode === 'feature' && this.#depth === 2) {
      this.#emit('feature', this.#at + 1)
      this.#mode = 'list'
    } else if (this.#mode === 'text' && this.#depth === 0) {
      this.#emit(this.#frameHead === undefined ? 'whole' : 'frame', this.#at + 1)
      this.#frameHead = undefined
      this.#mode = 'between'
    }
  }

  /** A string outside the list of features is part of the text. */
  #scalarBegins(): void {
    if (this.#mode === 'between' || this.#mode === 'scalar') throw this.#damaged()
    if (this.#mode !== 'list') return
    this.#mode = 'scalar'
    this.#keepFrom = this.#at
    this.#deepest = 0
  }

  #scalarEnds(): void {
    this.#emit('feature', this.#at)
    this.#mode = 'list'
  }

  #emit(kind: Piece['kind'], to: number): void {
    const found = this.#buffer.subarray(this.#keepFrom, to)
    const bytes = kind === 'frame' ? Buffer.concat([this.#frameHead!, found]) : found
    this.#pieces.push({ kind, bytes, depth: this.#deepest })
    // The opening is part of the frame.
    if (kind !== 'opening') this.#keepFrom = to
  }

  #damaged(): WindrowError {
    const where = this.#passedBytes + this.#at
    const shown = this.#buffer
      .subarray(this.#at, this.#at + 20)
      .toString('utf8')
      .replace(/\s+/g, ' ')
    return new WindrowError(
      'file-damaged',
      `"${this.#name}" is not valid JSON at byte ${where}, before ${JSON.stringify(shown)}.`,
      { hint: 'Export the file again; a bracket or a comma is missing or too many.', data: { byte: where } },
    )
  }
}

/** True if the text up to its member `features` is a feature or a geometry, whose other members mean nothing. */
function isOneFeature(head: string): boolean {
  const frame = jsonValue(`${head}]}`) as { readonly type?: unknown } | undefined
  return frame?.type === 'Feature' || isGeometryType(frame?.type)
}

function tooLarge(name: string, mode: Mode): WindrowError {
  const what = mode === 'feature' ? 'A feature' : 'The part outside the features'
  return new WindrowError('file-too-large', `${what} of "${name}" is larger than ${pieceLimitBytes >> 20} MB.`, {
    hint: 'A bracket before it may be missing. Export the file again, or split that feature.',
  })
}

/** How deeply brackets are nested in JSON text. */
export function nestingOf(bytes: Uint8Array): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let index = 0; index < bytes.length; index += 1) {
    const code = bytes[index]!
    if (inString) {
      if (code === byte.backslash) index += 1
      else if (code === byte.quote) inString = false
      continue
    }
    const what = meaning[code]!
    if (what < quote) continue
    if (what === quote) inString = true
    else if (what === opens) {
      depth += 1
      if (depth > deepest) deepest = depth
    } else depth -= 1
  }
  return deepest
}
