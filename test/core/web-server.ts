/** Serves one file on this machine, well or badly as a test needs. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32 } from 'node:zlib'
import { onTestFinished } from 'vitest'

export type Asked = { readonly method: string; readonly path: string; readonly headers: IncomingMessage['headers'] }
export type WebServer = { readonly url: string; readonly asked: Asked[] }

/** Serves until the test is over. */
export async function startServer(
  answer: (request: IncomingMessage, response: ServerResponse, nth: number) => void,
): Promise<WebServer> {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    asked.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers })
    answer(request, response, asked.length - 1)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

/** Answers as RFC 9110 wants it: parts where they are asked for, the whole where the file has changed since, nothing where it is known. */
export function serveParts(
  request: IncomingMessage,
  response: ServerResponse,
  content: Uint8Array,
  more: Readonly<Record<string, string>> = {},
): void {
  const etag = `"${crc32(content)}-${content.length}"`
  const headers = { etag, 'accept-ranges': 'bytes', ...more }
  if (request.headers['if-none-match'] === headers.etag) {
    response.writeHead(304, headers).end()
    return
  }
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
  const wanted = request.headers['if-range']
  if (from === undefined || (wanted !== undefined && wanted !== headers.etag)) {
    response.writeHead(200, { ...headers, 'content-length': content.length }).end(content)
    return
  }
  if (Number(from) >= content.length) {
    response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end()
    return
  }
  const part = content.subarray(Number(from), Number(to) + 1)
  const range = `bytes ${from}-${Number(from) + part.length - 1}/${content.length}`
  response.writeHead(206, { ...headers, 'content-range': range, 'content-length': part.length }).end(part)
}
