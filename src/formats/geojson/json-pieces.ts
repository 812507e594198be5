/** Reads JSON as UTF-8 and cuts it into pieces: by its brackets, or at separators, so that one broken text does not affect the next; reports files with only a part of their features. */

import { WindrowError } from '../../core/error.ts'
import type { Source } from '../../core/sources/source.ts'
import { asUtf8, decideEncoding, encodingOfHead } from '../../core/sources/text.ts'
import { jsonValue } from '../../core/values/exact-json.ts'
import { FeatureScanner, nestingOf, pieceLimitBytes, type Piece } from './geojson-scanner.ts'
import { problem, type Problem } from '../../core/problem.ts'
import type { Place } from '../../core/row.ts'

/** The bytes of a file as UTF-8 without a byte order mark; `isUtf8` is true if the source has them in this form. */
export type JsonBytes = {
  readonly source: Source
  readonly isUtf8: boolean
  stream(signal?: AbortSignal): AsyncIterable<Uint8Array>
}

/** Opens a source as UTF-8, in the given encoding or the one its first bytes show. */
export async function openBytes(source: Source, wanted: string | undefined): Promise<JsonBytes> {
  const shown = wanted === undefined ? encodingOfHead(await source.read(0, 4096)) : await decideEncoding(source, wanted)
  const encoding = shown ?? { name: 'utf-8', bomBytes: 0 }
  return {
    source,
    isUtf8: encoding.name === 'utf-8',
    stream: (signal) => asUtf8(source.stream(signal), encoding),
  }
}

/** The pieces of a stream; each is valid until the next is read. A stream that is not read to its end may stop between two. */
export async function* scanned(stream: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<readonly Piece[]> {
  const scanner = new FeatureScanner(name)
  for await (const chunk of stream) yield scanner.push(chunk)
  yield scanner.end()
}

/** The texts between separators (line feed, or the record separator of RFC 8142), without blank ones. */
export async function* textsBetween(
  stream: AsyncIterable<Uint8Array>,
  separator: number,
  name: string,
): AsyncGenerator<readonly Piece[]> {
  // Joined only when the text ends: joining with every chunk would take time with the square of its length.
  let held: Buffer[] = []
  let heldBytes = 0
  for await (const chunk of stream) {
    const pieces: Piece[] = []
    let from = 0
    for (let at = chunk.indexOf(separator); at >= 0; at = chunk.indexOf(separator, from)) {
      const text = Buffer.from(chunk.buffer, chunk.byteOffset + from, at - from)
      pieces.push(...wholeOf(heldBytes === 0 ? text : Buffer.concat([...held, text])))
      held = []
      heldBytes = 0
      from = at + 1
    }
    heldBytes += chunk.length - from
    if (heldBytes > pieceLimitBytes)
      throw new WindrowError('file-too-large', `A feature of "${name}" is larger than ${pieceLimitBytes >> 20} MB.`, {
        hint: 'A line break after it may be missing. Export the file again, or split that feature.',
      })
    // Copied, because the next chunk may reuse the memory.
    if (from < chunk.length) held.push(Buffer.from(chunk.subarray(from)))
    yield pieces
  }
  yield lastOf(Buffer.concat(held))
}

function wholeOf(bytes: Buffer): readonly Piece[] {
  return isBlank(bytes) ? [] : [{ kind: 'whole', bytes, depth: nestingOf(bytes) }]
}

/** The text after the last separator is complete if it is valid JSON; a sequence need not end with a line feed. */
function lastOf(bytes: Buffer): readonly Piece[] {
  const depth = nestingOf(bytes)
  if (isBlank(bytes)) return []
  return [{ kind: jsonValue(bytes.toString('utf8')) === undefined ? 'half' : 'whole', bytes, depth }]
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((code) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09 || code === 0x1e)
}

/** The problem of a collection that is only one page of several; undefined if nothing shows it. `frame` is everything except the features. */
export function onePageOnly(frame: object, rows: number, at: Place): Problem | undefined {
  const { exceededTransferLimit, properties, numberMatched, links } = frame as {
    exceededTransferLimit?: unknown
    properties?: { exceededTransferLimit?: unknown } | null
    numberMatched?: unknown
    links?: unknown
  }
  const all = typeof numberMatched === 'number' && numberMatched > rows ? numberMatched : undefined
  const hasNext = Array.isArray(links) && links.some((link) => (link as { rel?: unknown } | null)?.rel === 'next')
  const isCapped = exceededTransferLimit === true || properties?.exceededTransferLimit === true
  if (!isCapped && !hasNext && all === undefined) return undefined
  return problem('file-truncated', at, {
    // Some servers link to a next page that is empty.
    severity: isCapped || all !== undefined ? 'error' : 'warning',
    message: `The file contains only some of the server's features: ${rows}${all === undefined ? '' : ` of ${all}`}${isCapped || all !== undefined ? '' : ', it seems'}.`,
    hint: 'Download all of them: in several pages, or from the web page of the data set instead of its interface.',
  })
}

/** The problem of a file that ends before its list of features does. */
export function cutOff(at: Place): Problem {
  return problem('file-truncated', at, {
    message: 'The file ends in the middle; features are missing at its end.',
    hint: 'The copy was cut off; copy, download or export it again.',
  })
}
