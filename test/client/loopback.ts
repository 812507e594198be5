/** Runs a real HTTP server on this machine, with the real fetch and clock. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { ClientDeps } from '../../src/client/exchange.ts'

export type Received = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Loopback = { readonly url: string; readonly received: readonly Received[]; close(): Promise<void> }

/** Serves on a free port; `handle` gets each request with its body already read. */
export async function serveOnLoopback(
  handle: (received: Received, response: ServerResponse, nth: number) => void,
): Promise<Loopback> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request
    text(request).then(
      (body) => {
        const each = { method, path, headers, body }
        handle(each, response, received.push(each) - 1)
      },
      () => response.destroy(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The real fetch, clock, sleep and random. */
export const world: ClientDeps = {
  fetch: (request) => fetch(request),
  clock: () => new Date(),
  sleep: (ms, signal) => pause(ms, undefined, signal === undefined ? {} : { signal }),
  random: Math.random,
}

/** Answers with JSON. */
export function answerJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}
