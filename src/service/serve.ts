/** Hides the socket (@hono/node-server): where the service listens, whom it listens to, how long it waits, how it stops. */

import { getRequestListener } from '@hono/node-server'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { isIP, type AddressInfo, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WindrowError } from '../core/error.ts'
import type { Service } from './create.ts'
import { problem, problemText } from './responses.ts'

/**
 * `hosts` are names by which the service may be called beside localhost and addresses in numbers. `headersTimeoutMs` and
 * `requestTimeoutMs` bound how long a request may take to arrive; `graceMs` is what requests under way have when it stops.
 */
export type ServeOptions = {
  readonly host?: string
  readonly port?: number
  readonly hosts?: readonly string[]
  readonly headersTimeoutMs?: number
  readonly requestTimeoutMs?: number
  readonly graceMs?: number
}

/** A service that listens. `close` stops taking requests, lets those under way end, and does not close the service itself. */
export type Served = { readonly url: string; readonly authUrl: string; readonly close: () => Promise<void> }

/** Listens on loopback unless told otherwise. Throws a WindrowError when it may not or cannot. */
export async function serve(service: Service, options: ServeOptions = {}): Promise<Served> {
  const { host = '127.0.0.1', port = 0, headersTimeoutMs = 20_000, requestTimeoutMs = 120_000 } = options
  if (service.isDemo && !isLoopback(host))
    throw new WindrowError(
      'option-invalid',
      `The demonstration account is known to everybody; "${host}" is not loopback.`,
      {
        hint: 'Listen on 127.0.0.1, or give accounts of your own and leave the demonstration out.',
      },
    )
  const allowed = new Set(['localhost', host, ...(options.hosts ?? [])].map((name) => name.toLowerCase()))
  const listener = getRequestListener(
    async (request, { outgoing }) => {
      if (!isCalledRightly(request, allowed)) return misdirected(request)
      return service.fetch(request).catch(() => {
        outgoing.destroy()
        throw cut
      })
    },
    {
      overrideGlobalObjects: false,
      errorHandler: (cause) => (cause === cut ? undefined : problem('/', 400, 'The request cannot be read.')),
    },
  )
  const limits = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(5_000, headersTimeoutMs),
    keepAliveTimeout: 65_000,
    maxHeaderSize: 16_384,
  }
  const server = createServer(limits, (incoming, outgoing) => void listener(incoming, outgoing))
  server.on('clientError', answerUnreadable)
  await listen(server, host, port)
  const address = server.address() as AddressInfo
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address
  const url = `http://${name}:${address.port}`
  return { url, authUrl: `${url}${service.authPath}`, close: () => stop(server, options.graceMs ?? 5_000) }
}

const cut = new Error('The connection was cut.')

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

// A page in a browser can have its own name point at this machine and then ask in that name (DNS rebinding). It cannot do so
// with an address in numbers, so names are what has to be allowed.
function isCalledRightly(request: Request, allowed: ReadonlySet<string>): boolean {
  const { hostname } = new URL(request.url)
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(bare) !== 0 || allowed.has(bare.toLowerCase())
}

function misdirected(request: Request): Response {
  const { hostname, pathname } = new URL(request.url)
  return problem(pathname, 421, `This service does not go by the name ${hostname}.`, { Connection: 'close' })
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw new WindrowError(
      'option-invalid',
      `The service cannot listen on ${host}, port ${port}: ${(cause as Error).message}.`,
      {
        hint: 'Choose another port, or 0 for any that is free.',
        cause,
      },
    )
  }
}

const statuses: Readonly<Record<string, readonly [number, string, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request did not arrive in time.'],
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'The headers of the request are too large.'],
}

function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  const isFresh = (socket as Socket).bytesWritten === 0
  // After the first answer on a connection it is unknown whether another one is half written.
  if (error.code === 'ECONNRESET' || !socket.writable || !isFresh) return void socket.destroy()
  const [status, title, detail] = statuses[error.code ?? ''] ?? [400, 'Bad Request', 'The request cannot be read.']
  const body = problemText('/', status, detail)
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

async function stop(server: Server, graceMs: number): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  // A connection is idle only a moment after its last answer, so one look is not enough.
  const looking = setInterval(() => server.closeIdleConnections(), 20)
  const timer = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearInterval(looking)
  clearTimeout(timer)
}
