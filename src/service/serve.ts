/**
 * Serves the service on a socket (@hono/node-server), within limits of time and number: checks Host and Origin, logs and counts requests,
 * and stops in good order.
 */

import { getRequestListener } from '@hono/node-server'
import { once } from 'node:events'
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { isIP, type AddressInfo, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WindrowError } from '../core/error.ts'
import { refuseUnknown, type Names } from '../core/values/nearest.ts'
import { besideBody } from './http/body.ts'
import { isLoopback, serviceAddress, tokenPath } from '../client/address.ts'
import { compressed, json, mediaTypes, problem, problemText, written } from './http/responses.ts'
import type { Service } from './create.ts'
import { quoted } from './http/query.ts'
import { sectionOf } from './http/sections.ts'
import { counter, gauge, prometheusText, type Measure } from './store/metrics.ts'

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
    // Checked by hostFault instead, so that a missing Host gets problem details and HTTP/1.0 may leave it out.
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

/**
 * `hosts` are the names that the service answers to, besides localhost and numeric addresses. `publicAddress` is where callers
 * reach it through a proxy; with `forwarded` the address comes from the headers that the proxy adds to each request (Forwarded,
 * X-Forwarded-Proto, X-Forwarded-Host), which callers could forge where there is no proxy. `origins` are the web pages whose
 * scripts may read answers; `*` means all.
 */
type CallerOptions = {
  readonly hosts?: readonly string[] | undefined
  readonly publicAddress?: string | undefined
  readonly forwarded?: boolean | undefined
  readonly origins?: readonly string[] | undefined
}

type Callers = ReturnType<typeof callersOf>

/** Makes the checks of a listening service for each request. Throws a WindrowError for an address or origin that is not one. */
function callersOf(host: string, options: CallerOptions) {
  const { hosts = [], forwarded = false, origins = [] } = options
  const publicAddress =
    options.publicAddress === undefined ? undefined : serviceAddress(options.publicAddress).href.replace(/\/$/, '')
  for (const origin of origins) checkOrigin(origin)
  const allowed = new Set(['localhost', host, ...hosts].map((name) => name.toLowerCase()))
  if (publicAddress !== undefined) allowed.add(new URL(publicAddress).hostname)
  return {
    publicAddress,
    /** Why a request cannot be served at all, undefined when it can. An HTTP/1.0 request without Host gets `ownHost`. */
    hostFault(incoming: IncomingMessage, ownHost: string): string | undefined {
      const given = incoming.headersDistinct['host'] ?? []
      if (given.length > 1) return 'The request has more than one Host header.'
      if (given.length === 1) return undefined
      if (incoming.httpVersion !== '1.0') return 'The request has no Host header.'
      incoming.headers.host = ownHost
      return undefined
    },
    /** The address that links start with, or the host name that the service does not answer to. */
    baseOf(request: Request): { readonly base: string } | { readonly unknownHost: string } {
      const { origin } = new URL(request.url)
      const base = (forwarded ? forwardedOrigin(request.headers, origin) : undefined) ?? origin
      for (const { hostname } of [new URL(origin), new URL(base)])
        if (!isAllowed(hostname, allowed)) return { unknownHost: hostname }
      return { base: publicAddress ?? base }
    },
    /** Adds the CORS headers where the origin of the web page is allowed. */
    admit(request: Request, response: Response): Response {
      if (origins.length === 0) return response
      response.headers.append('Vary', 'Origin')
      const origin = request.headers.get('origin')
      if (origin === null || !(origins.includes('*') || origins.includes(origin))) return response
      response.headers.set('Access-Control-Allow-Origin', origin)
      response.headers.set('Access-Control-Expose-Headers', exposed)
      if (request.method !== 'OPTIONS') return response
      response.headers.set('Access-Control-Allow-Methods', response.headers.get('allow') ?? 'GET, HEAD')
      response.headers.set('Access-Control-Allow-Headers', asked)
      response.headers.set('Access-Control-Max-Age', '600')
      return response
    },
  }
}

const asked = 'Authorization, Content-Type, X-Requested-Region, X-Requesting-ClientID, X-Downgrade-Authentication'
const exposed = 'Location, Retry-After, WWW-Authenticate, universal-data-api-fullsync'

function checkOrigin(origin: string): void {
  if (origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin)) return
  throw new WindrowError('option-invalid', `"${origin}" is not the origin of a web page.`, {
    hint: 'An origin looks like https://map.example, without a path. Use * for all web pages.',
  })
}

/** The address at which the first proxy received the request, from the headers that proxies add. */
function forwardedOrigin(headers: Headers, own: string): string | undefined {
  const first = (name: string): string => headers.get(name)?.split(',', 1)[0]?.trim() ?? ''
  const part = (name: string): string | undefined =>
    new RegExp(`(?:^|;)\\s*${name}="?([^";\\s]+)"?`, 'i').exec(first('forwarded'))?.[1]
  const { protocol, host } = new URL(own)
  const scheme = part('proto') ?? (first('x-forwarded-proto') || protocol.slice(0, -1))
  const address = `${scheme.toLowerCase()}://${part('host') ?? (first('x-forwarded-host') || host)}`
  return /^https?:/.test(address) && URL.canParse(address) ? new URL(address).origin : undefined
}

// A web page can point its own host name at this machine and then send requests under that name (DNS rebinding). It cannot do
// that with a numeric address, so only names have to be on the list.
function isAllowed(hostname: string, allowed: ReadonlySet<string>): boolean {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(bare) !== 0 || allowed.has(bare.toLowerCase())
}

/** One finished request. The path comes without its query, which may contain anything. Status 0 means cut off. */
export type LoggedRequest = {
  readonly time: string
  readonly from: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly ms: number
}

type Watch = ReturnType<typeof startWatch>

const bucketsS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

type Timing = { readonly buckets: number[]; sumS: number; count: number }

/** Starts counting; calls `log` for each request when it has ended. */
function startWatch(clock: () => Date, log?: (request: LoggedRequest) => void) {
  const requests = new Map<string, number>()
  const timings = new Map<string, Timing>()
  let underWay = 0
  return {
    /** Follows a request to its end. */
    watch(incoming: IncomingMessage, outgoing: ServerResponse): void {
      underWay += 1
      // A closed socket no longer has the address of its caller.
      const from = incoming.socket.remoteAddress ?? ''
      const begun = performance.now()
      outgoing.once('close', () => {
        underWay -= 1
        const ms = performance.now() - begun
        const path = pathOf(incoming)
        const status = outgoing.writableFinished ? outgoing.statusCode : 0
        const section = sectionOf(path) ?? 'other'
        const key = `${section} ${status}`
        requests.set(key, (requests.get(key) ?? 0) + 1)
        time(timings, section, ms / 1000)
        log?.({
          time: clock().toISOString(),
          from,
          method: incoming.method ?? '',
          path: quoted(path).slice(1, -1),
          status,
          ms: Math.round(ms * 10) / 10,
        })
      })
    },
    /** Writes the counts, together with other measures. */
    metrics: (others: readonly Measure[]) =>
      prometheusText([
        ...[...requests].map(([key, value]) => {
          const [section = '', status = ''] = key.split(' ')
          const help = 'Requests by part of the service and status; 0 means cut off.'
          return counter('windrow_requests_total', help, value, { section, status })
        }),
        gauge('windrow_requests_under_way', 'Requests being answered now.', underWay),
        ...others,
      ]) + histogram(timings),
  }
}

/** The path of a request as sent, without its query. */
function pathOf({ url = '' }: IncomingMessage): string {
  return url.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)[0]!
}

function time(timings: Map<string, Timing>, section: string, seconds: number): void {
  const timing = timings.get(section) ?? { buckets: bucketsS.map(() => 0), sumS: 0, count: 0 }
  timings.set(section, timing)
  for (const [index, most] of bucketsS.entries()) if (seconds <= most) timing.buckets[index]! += 1
  timing.sumS += seconds
  timing.count += 1
}

function histogram(timings: ReadonlyMap<string, Timing>): string {
  const name = 'windrow_request_seconds'
  const lines = [...timings].map(([section, { buckets, sumS, count }]) => {
    const below = bucketsS.map((most, index) => `${name}_bucket{section="${section}",le="${most}"} ${buckets[index]}\n`)
    return `${below.join('')}${name}_bucket{section="${section}",le="+Inf"} ${count}\n${name}_sum{section="${section}"} ${sumS}\n${name}_count{section="${section}"} ${count}\n`
  })
  return `# HELP ${name} Duration of requests in seconds.\n# TYPE ${name} histogram\n${lines.join('')}`
}
