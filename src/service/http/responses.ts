/** Makes answers: JSON, GeoJSON and problem details. */

import { STATUS_CODES } from 'node:http'
import { leastBytes } from './compression.ts'

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
