/** Cuts features out of streamed GeoJSON in one pass, without parsing the rest. */

import { WindrowError } from '../../core/error.ts'
import { shapeKinds } from '../../core/shape.ts'

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

/** Cuts a stream of bytes; the bytes of a piece are valid until the next push. `end` returns an incomplete piece, if any. */
export type Scanner = { push(chunk: Uint8Array): readonly Piece[]; end(): readonly Piece[] }

/** The limit for one feature and for the part around the features: a bracket that is never closed must not fill the memory. */
export const pieceLimitBytes = 48 * 2 ** 20
const largestWindowBytes = pieceLimitBytes + (1 << 20)

const windowBytes = 1 << 19

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

/** Starts a scanner. At invalid JSON it returns what it has, and throws a WindrowError at the next call. */
export function featureScanner(name: string): Scanner {
  // Chunks are copied into one window, because their memory is reused and a feature may span several.
  let window: Buffer = Buffer.allocUnsafeSlow(windowBytes)
  let buffer: Buffer = window.subarray(0, 0)
  let at = 0
  let keepFrom = 0
  let mode: Mode = 'between'
  let depth = 0
  let deepest = 0
  let inString = false
  let escaped = false
  let stringFrom = 0
  let lastString: readonly [number, number] = [0, 0]
  let frameHead: Buffer | undefined
  let passedBytes = 0
  let pieces: Piece[] = []
  let failure: { readonly cause: unknown } | undefined

  const emit = (kind: Piece['kind'], from: number, to: number): void => {
    pieces.push({ kind, bytes: buffer.subarray(from, to), depth: deepest })
  }
  const damaged = (): WindrowError => {
    const where = passedBytes + at
    const shown = buffer
      .subarray(at, at + 20)
      .toString('utf8')
      .replace(/\s+/g, ' ')
    return new WindrowError(
      'file-damaged',
      `"${name}" is not valid JSON at byte ${where}, before ${JSON.stringify(shown)}.`,
      {
        hint: 'Export the file again; a bracket or a comma is missing or too many.',
        data: { byte: where },
      },
    )
  }
  const opened = (code: number): void => {
    if (mode === 'scalar' || (mode === 'between' && code !== byte.open)) throw damaged()
    if (mode === 'between' || mode === 'list') {
      keepFrom = at
      deepest = 0
      mode = mode === 'list' ? 'feature' : 'text'
    }
    depth += 1
    if (depth > deepest) deepest = depth
    if (mode !== 'text' || depth !== 2 || code !== byte.openList || frameHead !== undefined) return
    if (buffer.toString('latin1', lastString[0], lastString[1]) !== 'features') return
    if (isOneFeature(buffer.toString('utf8', keepFrom, at + 1))) return
    mode = 'list'
    emit('opening', keepFrom, at + 1)
    frameHead = Buffer.from(buffer.subarray(keepFrom, at + 1))
  }
  const closed = (code: number): void => {
    if (mode === 'between' || (mode === 'list' && code !== byte.closeList)) throw damaged()
    depth -= 1
    if (mode === 'list') {
      mode = 'text'
      keepFrom = at
    } else if (mode === 'feature' && depth === 2) {
      emit('feature', keepFrom, at + 1)
      mode = 'list'
      keepFrom = at + 1
    } else if (mode === 'text' && depth === 0) {
      if (frameHead === undefined) emit('whole', keepFrom, at + 1)
      else
        pieces.push({
          kind: 'frame',
          bytes: Buffer.concat([frameHead, buffer.subarray(keepFrom, at + 1)]),
          depth: deepest,
        })
      frameHead = undefined
      mode = 'between'
      keepFrom = at + 1
    }
  }
  const scalarEnds = (): void => {
    emit('feature', keepFrom, at)
    mode = 'list'
    keepFrom = at
  }
  const starts = (): void => {
    if (mode === 'between' || mode === 'scalar') throw damaged()
    if (mode !== 'list') return
    mode = 'scalar'
    keepFrom = at
    deepest = 0
  }
  /** Reads the string up to its end or the end of the bytes. */
  const takeString = (): void => {
    const bytes = buffer
    let index = at
    for (; index < bytes.length; index += 1) {
      const code = bytes[index]!
      if (escaped) escaped = false
      else if (code === byte.backslash) escaped = true
      else if (code === byte.quote) break
    }
    at = index
    if (index === bytes.length) return
    inString = false
    if (depth === 1) lastString = [stringFrom + 1, index]
    at += 1
  }
  const takeByte = (): void => {
    const code = buffer[at]!
    const what = meaning[code]!
    if (what === blank) {
      if (mode === 'scalar') scalarEnds()
    } else if (what === plain) {
      if (mode !== 'scalar') starts()
    } else if (what === quote) {
      starts()
      inString = true
      stringFrom = at
    } else if (what === opens) opened(code)
    else {
      if (mode === 'scalar') scalarEnds()
      closed(code)
    }
    at += 1
  }
  /** Skips bytes inside a value up to the next one that matters. */
  const skipInside = (): void => {
    const bytes = buffer
    const floor = mode === 'feature' ? 3 : 2
    let index = at
    let level = depth
    for (; index < bytes.length; index += 1) {
      const what = meaning[bytes[index]!]!
      if (what < quote) continue
      if (what === opens && level >= floor) level += 1
      else if (what === closes && level > floor) level -= 1
      else break
      if (level > deepest) deepest = level
    }
    at = index
    depth = level
  }
  const scan = (): void => {
    while (at < buffer.length) {
      if (inString) takeString()
      else {
        if (mode === 'feature' || mode === 'text') skipInside()
        if (at < buffer.length) takeByte()
      }
    }
  }
  return {
    push(chunk) {
      if (failure !== undefined) throw failure.cause
      pieces = []
      const kept = mode === 'between' || mode === 'list' ? buffer.length : keepFrom
      const rest = buffer.subarray(kept)
      const length = rest.length + chunk.length
      if (length > largestWindowBytes) throw tooLarge(name, mode)
      if (length > window.length)
        window = Buffer.allocUnsafeSlow(Math.min(Math.max(length, window.length * 2), largestWindowBytes))
      if (rest.length > 0 && (kept > 0 || rest.buffer !== window.buffer)) window.set(rest)
      window.set(chunk, rest.length)
      buffer = window.subarray(0, length)
      at -= kept
      keepFrom -= kept
      stringFrom -= kept
      lastString = [lastString[0] - kept, lastString[1] - kept]
      passedBytes += kept
      try {
        scan()
      } catch (cause) {
        failure = { cause }
      }
      return pieces
    },
    end() {
      if (failure !== undefined) throw failure.cause
      if (mode === 'between') return []
      const kind = mode === 'list' || (mode === 'text' && frameHead !== undefined) ? 'cut' : 'half'
      return [{ kind, bytes: buffer.subarray(keepFrom), depth: deepest }]
    },
  }
}

/** True if the text up to its member `features` is a feature or a geometry, whose other members mean nothing. */
function isOneFeature(head: string): boolean {
  try {
    const { type } = JSON.parse(`${head}]}`) as { readonly type?: unknown }
    return type === 'Feature' || isGeometryType(type)
  } catch {
    return false
  }
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
