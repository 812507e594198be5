/** Converts JSON in other encodings to UTF-8 while it is read in pieces. */

import type { Source } from '../../core/sources/source.ts'
import { decideEncoding, decodeText, encodingOfHead } from '../../core/sources/text.ts'
import { FeatureScanner, type Piece } from './geojson-scanner.ts'

/** The bytes of a file as UTF-8 without a byte order mark; `isUtf8` is true if the source has them in this form. */
export type JsonBytes = {
  readonly source: Source
  readonly isUtf8: boolean
  /** True if they begin with the first byte of the source. */
  readonly hasNoMark: boolean
  stream(signal?: AbortSignal): AsyncIterable<Uint8Array>
}

/** Opens a source as UTF-8, in the given encoding or the one its first bytes show. */
export async function openBytes(source: Source, wanted: string | undefined): Promise<JsonBytes> {
  const encoding =
    wanted === undefined ? encodingOfHead(await source.read(0, 4096)) : await decideEncoding(source, wanted)
  if (encoding === undefined || (encoding.name === 'utf-8' && encoding.bomBytes === 0))
    return { source, isUtf8: true, hasNoMark: true, stream: (signal) => source.stream(signal) }
  return {
    source,
    isUtf8: encoding.name === 'utf-8',
    hasNoMark: false,
    async *stream(signal) {
      for await (const text of decodeText(source.stream(signal), encoding)) yield Buffer.from(text, 'utf8')
    },
  }
}

/** The pieces of a stream; each is valid until the next is read. A stream that is not read to its end may stop between two. */
export async function* scanned(
  stream: AsyncIterable<Uint8Array>,
  name: string,
  isToEnd = true,
): AsyncGenerator<readonly Piece[]> {
  const scanner = new FeatureScanner(name)
  for await (const chunk of stream) yield scanner.push(chunk)
  if (isToEnd) yield scanner.end()
}
