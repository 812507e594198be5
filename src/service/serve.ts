/** Serves the service on a socket (@hono/node-server), within limits of time and number, and stops it in good order. */

import { getRequestListener } from '@hono/node-server'
import { once } from 'node:events'
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WindrowError } from '../core/error.ts'
import { refuseUnknown, type Names } from '../core/values/nearest.ts'
import { besideBody } from './http/body.ts'
import { isLoopback, tokenPath } from '../client/address.ts'
import { callersOf, type CallerOptions, type Callers } from './http/callers.ts'
import { compressed, json, mediaTypes, problem, problemText, written } from './http/responses.ts'
import type { Service } from './create.ts'
import { pathOf, startWatch, type LoggedRequest, type Watch } from './http/request-log.ts'

/**
 * `tls` is a certificate and its key as PEM. `headersTimeoutMs` and `requestTimeoutMs` limit how long a request may take to
 * arrive, `mostUnderWay` how many of signed-in callers are answered at a time, `mostConnections` how many connections are open;
 * `graceMs` is the time that running requests have left when the service stops. `log` receives each request. `metrics`: who may read
 * the counts.
 */
export type ServeOptions = CallerOptions & {
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
  readonly headersTimeoutMs?: number | undefined
  readonly requestTimeoutMs?: number | undefined
  readonly mostUnderWay?: number | undefined
  readonly mostConnections?: number | undefined
  readonly graceMs?: number | undefined
  readonly clock?: (() => Date) | undefined
  readonly log?: ((request: LoggedRequest) => void) | undefined
  readonly metrics?: 'loopback' | 'everybody' | undefined
}

/**
 * A listening service. `tokenUrl` is where callers sign in, at the public address where there is one; `authUrl` is the path above
 * it, at the local address. `close` stops accepting requests, lets running ones end, and does not close the service itself.
 */
export type Served = Awaited<ReturnType<typeof serve>>

/** The part of a service that a socket needs. Without `isSignedIn` there are no accounts, and every caller is counted. */
export type Answering = Omit<Service, 'load' | 'close' | 'isSignedIn' | typeof Symbol.dispose> &
  Partial<Pick<Service, 'isSignedIn'>>

const serveOptions: Names<ServeOptions> = {
  host: true,
  port: true,
  tls: true,
  headersTimeoutMs: true,
  requestTimeoutMs: true,
  mostUnderWay: true,
  mostConnections: true,
  graceMs: true,
  clock: true,
  log: true,
  metrics: true,
  hosts: true,
  publicAddress: true,
  forwarded: true,
  origins: true,
}

/** Listens, by default on loopback. Throws a WindrowError when it cannot or must not. */
export async function serve(service: Answering, options: ServeOptions = {}) {
  refuseUnknown('serve', options, serveOptions)
  const { host = '127.0.0.1', port = 0, mostConnections = 1_000, graceMs = 5_000 } = options
  if (service.isDemo && !isLoopback(host))
    throw demoShown(`"${host}"`, 'Listen on 127.0.0.1, or list your own accounts in --config and leave out --demo.')
  const callers = callersOf(host, options)
  const { publicAddress } = callers
  if (service.isDemo && publicAddress !== undefined && !isLoopback(new URL(publicAddress).hostname))
    throw demoShown(publicAddress, 'List your own accounts in --config and leave out --demo.')
  const watch = startWatch(options.clock ?? (() => new Date()), options.log)
  const state = { isStopping: false, ownHost: '' }
  const listener = listenerOver(service, { watch, state, callers, options })
  const server = createServerFor(options, (incoming, outgoing) => {
    watch.watch(incoming, outgoing)
    const fault = callers.hostFault(incoming, state.ownHost)
    if (fault !== undefined) return refuse(outgoing, 400, fault)
    // On a connection that stays open, the next request would reach a service that is gone.
    if (state.isStopping) outgoing.shouldKeepAlive = false
    void listener(incoming, outgoing)
  })
  server.maxConnections = mostConnections
  server.on('clientError', answerUnreadable)
  server.on('checkExpectation', (_, outgoing: ServerResponse) =>
    refuse(outgoing, 417, 'The header Expect may only be 100-continue.'),
  )
  await listen(server, host, port)
  const address = server.address() as AddressInfo
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address
  state.ownHost = `${name}:${address.port}`
  const url = `${options.tls === undefined ? 'http' : 'https'}://${state.ownHost}`
  const close = (): Promise<void> => {
    state.isStopping = true
    return stop(server, graceMs)
  }
  const tokenUrl = `${publicAddress ?? url}${service.authPath}${tokenPath}`
  const authUrl = `${url}${service.authPath}`
  return { url, publicAddress, authUrl, tokenUrl, close, [Symbol.asyncDispose]: close }
}

function demoShown(place: string, hint: string): WindrowError {
  const message = `Everybody knows the password of the demonstration account, and ${place} can be reached from other machines.`
  return new WindrowError('option-invalid', message, { hint })
}

const usualRequestTimeoutMs = 120_000

type ListenerParts = {
  readonly watch: Watch
  readonly state: { readonly isStopping: boolean }
  readonly callers: Callers
  readonly options: ServeOptions
}

function listenerOver(service: Answering, { watch, state, callers, options }: ListenerParts) {
  const { mostUnderWay = 200, metrics = 'loopback', requestTimeoutMs = usualRequestTimeoutMs } = options
  let underWay = 0
  const answer = async (request: Request, incoming: IncomingMessage, outgoing: ServerResponse): Promise<Response> => {
    const called = callers.baseOf(request)
    const path = pathOf(incoming)
    if ('unknownHost' in called)
      return problem(
        path,
        421,
        `This service does not answer to the name ${called.unknownHost}. Add the name to hosts in its configuration.`,
        { Connection: 'close' },
      )
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (path === '/health' && isRead) return healthOf(service, state.isStopping)
    if (path === '/metrics' && isRead)
      return metrics === 'everybody' || isOnMachine(incoming)
        ? written(watch.metrics(service.measures()), plainText)
        : problem(
            path,
            403,
            'The counts can be read only on the machine of the service. To change that, set metrics: everybody in its configuration.',
          )
    // Anybody can start requests and never finish them, so those without a token are not counted: most are refused at once.
    if (service.isSignedIn?.(request) !== false) {
      if (underWay >= mostUnderWay)
        return problem(path, 503, 'The service is answering too many requests. Try again in a moment.', {
          'Retry-After': '1',
        })
      underWay += 1
      outgoing.once('close', () => (underWay -= 1))
    }
    const response = await service.fetch(request, called.base).catch(() => {
      outgoing.destroy()
      throw cut
    })
    return isRead ? compressed(request, response) : besideBody(request, compressed(request, response), requestTimeoutMs)
  }
  return getRequestListener(
    async (request, { incoming, outgoing }) =>
      callers.admit(request, await answer(request, incoming as IncomingMessage, outgoing as ServerResponse)),
    {
      overrideGlobalObjects: false,
      errorHandler: (cause) => (cause === cut ? undefined : problem('/', 400, 'The request is not valid HTTP.')),
    },
  )
}

// A proxy on this machine has a local address; the address of the real caller is in its headers.
function isOnMachine({ socket, headers }: IncomingMessage): boolean {
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined
  return isLoopback(socket.remoteAddress ?? '') && !isForwarded
}

const plainText = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'Cache-Control': 'no-store' }

function healthOf(service: Answering, isStopping: boolean): Response {
  if (!isStopping && service.isHealthy()) return json({ status: 'ok' }, { 'Cache-Control': 'no-store' })
  return problem('/health', 503, isStopping ? 'The service is stopping.' : 'The store cannot be read.')
}

function createServerFor(
  { tls, headersTimeoutMs = 20_000, requestTimeoutMs = usualRequestTimeoutMs }: ServeOptions,
  onRequest: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): Server {
  const limits = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(5_000, headersTimeoutMs),
    keepAliveTimeout: 65_000,
    maxHeaderSize: 16_384,
    // Checked by callers.ts instead, so that a missing Host gets problem details and HTTP/1.0 may leave it out.
    requireHostHeader: false,
  }
  if (tls === undefined) return createServer(limits, onRequest)
  try {
    return createSecureServer({ ...limits, ...tls, minVersion: 'TLSv1.2' }, onRequest)
  } catch (cause) {
    throw new WindrowError(
      'option-invalid',
      `The TLS certificate and key cannot be used: ${(cause as Error).message}.`,
      {
        hint: 'Give two PEM files that belong together: one with "-----BEGIN CERTIFICATE-----", one with "-----BEGIN PRIVATE KEY-----".',
        cause,
      },
    )
  }
}

const cut = new Error('The connection was cut.')

function refuse(outgoing: ServerResponse, status: number, detail: string): void {
  const body = problemText('/', status, detail)
  const headers = { 'Content-Type': mediaTypes.problem, 'Content-Length': Buffer.byteLength(body), Connection: 'close' }
  outgoing.writeHead(status, headers).end(body)
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw new WindrowError(
      'option-invalid',
      `The service cannot listen on ${host}, port ${port}: ${(cause as Error).message}.`,
      { hint: 'Choose another port, or 0 for any free port.', cause },
    )
  }
}

const unreadable: Readonly<Record<string, readonly [number, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time. Send it again.'],
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are too large.'],
}

function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  const isFresh = (socket as Socket).bytesWritten === 0
  // After the first answer on a connection, another answer may be half sent.
  if (error.code === 'ECONNRESET' || !socket.writable || !isFresh) return void socket.destroy()
  const [status, detail] = unreadable[error.code ?? ''] ?? [400, 'The request is not valid HTTP.']
  const body = problemText('/', status, detail)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

async function stop(server: Server, graceMs: number): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  // A connection becomes idle only a moment after its last answer, so one look is not enough.
  const looking = setInterval(() => server.closeIdleConnections(), 20)
  const timer = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearInterval(looking)
  clearTimeout(timer)
}
