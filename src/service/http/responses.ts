/** Makes answers: JSON, GeoJSON and problem details, compressed for callers that ask for it (gzip, br). */

import { STATUS_CODES } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'

/** The media types that the service writes. */
export const mediaTypes = {
  json: 'application/json',
  geoJson: 'application/geo+json',
  problem: 'application/problem+json',
  openApi: 'application/vnd.oai.openapi+json;version=3.0',
  html: 'text/html; charset=utf-8',
} as const

/** Answers 200 with a document. */
export function json(document: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return written(JSON.stringify(document), { 'Content-Type': mediaTypes.json, ...headers })
}

/** The text of an object with the members of two others, of which the first has some. */
export function joined(one: string, other: string): string {
  return other === '{}' ? one : `${one.slice(0, -1)},${other.slice(1)}`
}

/** Answers 200 with text or with parts that are already encoded, which must not change afterwards. */
export function written(
  body: string | readonly Uint8Array<ArrayBuffer>[],
  headers: Readonly<Record<string, string>>,
): Response {
  const parts = typeof body === 'string' ? [Buffer.from(body)] : body
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  if (length < leastBytes) return new Response(Buffer.concat(parts), { status: 200, headers: { ...headers } })
  // A Response copies the bytes that it gets, but not those of a stream.
  return new Response(streamOf(parts), { status: 200, headers: { ...headers, 'Content-Length': String(length) } })
}

function streamOf(parts: readonly Uint8Array<ArrayBuffer>[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}

/** Answers with problem details (section 7); `path` is the path of the request, without the query. */
export function problem(
  path: string,
  status: number,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(problemText(path, status, detail), {
    status,
    headers: { 'Content-Type': mediaTypes.problem, ...headers },
  })
}

/** Thrown by whatever answers a request, so that problem details are the answer. */
export class Refusal extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail)
    this.status = status
    this.headers = headers
  }
}

/** The answer to a request that was refused. Throws every other failure. */
export function refused(path: string, cause: unknown): Response {
  if (!(cause instanceof Refusal)) throw cause
  return problem(path, cause.status, cause.message, cause.headers)
}

/** The text of problem details, for an answer that goes straight to a socket. */
export function problemText(path: string, status: number, detail: string): string {
  return JSON.stringify({
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail,
    instance: path,
  })
}

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
const leastBytes = 4 * 1024

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
