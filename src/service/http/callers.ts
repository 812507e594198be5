/** Checks the Host and Origin of each request, and finds the address that links start with. */

import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { serviceAddress } from '../../client/address.ts'
import { WindrowError } from '../../core/error.ts'

/**
 * `hosts` are the names that the service answers to, besides localhost and numeric addresses. `publicAddress` is where callers
 * reach it through a proxy; with `forwarded` the address comes from the headers that the proxy adds to each request (Forwarded,
 * X-Forwarded-Proto, X-Forwarded-Host), which callers could forge where there is no proxy. `origins` are the web pages whose
 * scripts may read answers; `*` means all.
 */
export type CallerOptions = {
  readonly hosts?: readonly string[] | undefined
  readonly publicAddress?: string | undefined
  readonly forwarded?: boolean | undefined
  readonly origins?: readonly string[] | undefined
}

export type Callers = ReturnType<typeof callersOf>

/** Makes the checks of a listening service for each request. Throws a WindrowError for an address or origin that is not one. */
export function callersOf(host: string, options: CallerOptions) {
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
