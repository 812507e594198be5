/** Checks how the service is called: its Host, the names it goes by, the address its links start with, which web pages may read it. */

import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { serviceAddress } from '../../client/address.ts'
import { WindrowError } from '../../core/error.ts'

/**
 * `hosts` are names by which the service may be called beside localhost and addresses in numbers. `publicAddress` is where
 * callers reach it when a proxy is in front of it; with `forwarded` the proxy says so itself in each request (Forwarded,
 * X-Forwarded-Proto, X-Forwarded-Host), which callers could forge where there is none. `origins` are the web pages whose scripts
 * may read answers, `*` all.
 */
export type CallerOptions = {
  readonly hosts?: readonly string[]
  readonly publicAddress?: string
  readonly forwarded?: boolean
  readonly origins?: readonly string[]
}

/** What a listening service asks about each request. */
export type Callers = {
  readonly publicAddress: string | undefined
  /** Why a request cannot be served at all, undefined when it can. A call by HTTP/1.0 without Host gets `ownHost`. */
  hostFault(incoming: IncomingMessage, ownHost: string): string | undefined
  /** The address that links start with, or the name that the service does not go by. */
  baseOf(request: Request): { readonly base: string } | { readonly stranger: string }
  /** Adds what lets a web page read the answer, where its origin is allowed. */
  admit(request: Request, response: Response): Response
}

/** Reads the options. Throws a WindrowError for an address or origin that is none. */
export function callersOf(host: string, options: CallerOptions): Callers {
  const { hosts = [], forwarded = false, origins = [] } = options
  const publicAddress =
    options.publicAddress === undefined ? undefined : serviceAddress(options.publicAddress).href.replace(/\/$/, '')
  for (const origin of origins) checkOrigin(origin)
  const allowed = new Set(['localhost', host, ...hosts].map((name) => name.toLowerCase()))
  if (publicAddress !== undefined) allowed.add(new URL(publicAddress).hostname)
  return {
    publicAddress,
    hostFault(incoming, ownHost) {
      const given = incoming.headersDistinct['host'] ?? []
      if (given.length > 1) return 'The request has more than one Host header.'
      if (given.length === 1) return undefined
      if (incoming.httpVersion !== '1.0') return 'The request has no Host header.'
      incoming.headers.host = ownHost
      return undefined
    },
    baseOf(request) {
      const { origin } = new URL(request.url)
      const base = (forwarded ? forwardedOrigin(request.headers, origin) : undefined) ?? origin
      for (const { hostname } of [new URL(origin), new URL(base)])
        if (!isAllowed(hostname, allowed)) return { stranger: hostname }
      return { base: publicAddress ?? base }
    },
    admit(request, response) {
      if (origins.length === 0) return response
      response.headers.append('Vary', 'Origin')
      const origin = request.headers.get('origin')
      if (origin === null || !(origins.includes('*') || origins.includes(origin))) return response
      response.headers.set('Access-Control-Allow-Origin', origin)
      response.headers.set('Access-Control-Expose-Headers', exposed)
      if (request.method !== 'OPTIONS') return response
      response.headers.set('Access-Control-Allow-Methods', response.headers.get('allow') ?? 'GET, HEAD')
      response.headers.set('Access-Control-Allow-Headers', 'Authorization, Content-Type, X-Requested-Region')
      response.headers.set('Access-Control-Max-Age', '600')
      return response
    },
  }
}

const exposed = 'Location, Retry-After, WWW-Authenticate, universal-data-api-fullsync'

function checkOrigin(origin: string): void {
  if (origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin)) return
  throw new WindrowError('option-invalid', `"${origin}" is not the origin of a web page.`, {
    hint: 'It looks like https://map.example, without a path; * stands for all.',
  })
}

/** Where the first of the proxies was asked, by the headers that proxies add. */
function forwardedOrigin(headers: Headers, own: string): string | undefined {
  const first = (name: string): string => headers.get(name)?.split(',', 1)[0]?.trim() ?? ''
  const part = (name: string): string | undefined =>
    new RegExp(`(?:^|;)\\s*${name}="?([^";\\s]+)"?`, 'i').exec(first('forwarded'))?.[1]
  const { protocol, host } = new URL(own)
  const scheme = part('proto') ?? (first('x-forwarded-proto') || protocol.slice(0, -1))
  const address = `${scheme.toLowerCase()}://${part('host') ?? (first('x-forwarded-host') || host)}`
  return /^https?:/.test(address) && URL.canParse(address) ? new URL(address).origin : undefined
}

/** Whether a name or an address is this machine's own. */
export function isLoopback(host: string): boolean {
  // A socket that takes both families shows callers over IPv4 so.
  const bare = host.replace(/^::ffff:(?=\d)/, '').replace(/^\[(.*)\]$/, '$1')
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'))
}

// A page in a browser can have its own name point at this machine and then ask in that name (DNS rebinding). It cannot do so
// with an address in numbers, so names are what has to be allowed.
function isAllowed(hostname: string, allowed: ReadonlySet<string>): boolean {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(bare) !== 0 || allowed.has(bare.toLowerCase())
}
