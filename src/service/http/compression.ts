/** Compresses answers for callers that ask for it (gzip, br). */

import { pipeline, Readable } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'

// Records are mostly digits, which a slower level makes little smaller.
const compressors = {
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: () => createGzip({ level: 4 }),
} as const

/** Returns the answer, compressed where it is large text and the caller accepts that. */
export function compressed(request: Request, response: Response): Response {
  const { headers, body } = response
  const isText = /^(application|text)\/(.*\+)?(json|html|plain)\b/.test(headers.get('content-type') ?? '')
  if (body === null || !isText || Number(headers.get('content-length')) < leastBytes) return response
  headers.append('Vary', 'Accept-Encoding')
  const encoding = wantedEncoding(request.headers.get('accept-encoding') ?? '')
  if (encoding === undefined) return response
  headers.set('Content-Encoding', encoding)
  headers.delete('Content-Length')
  const packed = compressors[encoding]()
  // A caller that breaks off ends both streams, and nobody is left to receive the error.
  pipeline(Readable.fromWeb(body as WebStream), packed, () => undefined)
  return new Response(Readable.toWeb(packed) as ReadableStream, { status: response.status, headers })
}

/** The size from which an answer states its length and may be compressed. */
export const leastBytes = 4 * 1024

function wantedEncoding(accepted: string): keyof typeof compressors | undefined {
  const weights = weightsIn(accepted)
  const weightOf = (name: string): number => weights.get(name) ?? weights.get('*') ?? 0
  const [br, gzip] = [weightOf('br'), weightOf('gzip')]
  if (br <= 0 && gzip <= 0) return undefined
  return br >= gzip ? 'br' : 'gzip'
}

/** The weights that a header such as Accept gives to what it names. */
export function weightsIn(header: string): ReadonlyMap<string, number> {
  const parts = header
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';').map((each) => each.trim()))
  return new Map(
    parts.map(([name = '', ...parameters]) => {
      const weight = parameters.find((each) => each.startsWith('q='))?.slice(2) ?? '1'
      return [name, Number(weight) || 0]
    }),
  )
}
