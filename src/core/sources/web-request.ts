/** Requests a file on the web: checks addresses, follows redirects, waits and retries, and explains the answers. */

import { lookup as dnsLookup } from 'node:dns/promises'
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { WindrowError } from '../error.ts'
import { addressIn, placeOf, shownAddress, type WebAddress } from './web-address.ts'
import { isPassing, tooSlow, webError } from './web-errors.ts'

/** The limits for a file on the web. Times are for the download only, in milliseconds. */
export type WebLimits = {
  readonly bytes: number
  readonly totalMs: number
  readonly idleMs: number
  readonly redirects: number
}

export const usualWebLimits: WebLimits = {
  bytes: 4 * 2 ** 30,
  totalMs: 60 * 60_000,
  idleMs: 60_000,
  redirects: 5,
}

export type FoundAddress = { readonly address: string; readonly family: number }

/** What requests need from outside. `resolve` looks up host names; its answers are checked before connecting. */
export type Web = {
  readonly limits: WebLimits
  readonly allowsPrivate: boolean
  readonly resolve: (hostname: string) => Promise<readonly FoundAddress[]>
  readonly sleep: (ms: number) => Promise<void>
  readonly signal: AbortSignal | undefined
  readonly agents: { readonly http: http.Agent; readonly https: https.Agent }
  /** The time left for the download. */
  leftMs: number
}

/** Looks up a host name on this machine. */
export function resolveName(hostname: string): Promise<readonly FoundAddress[]> {
  return dnsLookup(hostname, { all: true })
}

/** The answer at the end of the redirects: read `chunks` to their end, or release it. */
export type WebAnswer = {
  readonly url: URL
  readonly status: number
  readonly headers: IncomingHttpHeaders
  chunks(): AsyncIterable<Uint8Array>
  letGo(): void
}

const waitsMs = [500, 3000]

/**
 * Requests a file, and again after a moment if the server or the connection failed. The password goes to the first address only,
 * cookies nowhere, and no redirect leads from https to http or into a network that the first address may not be in. Throws a
 * WindrowError if nothing answers, also from `chunks`.
 */
export async function askWeb(
  address: Pick<WebAddress, 'url' | 'authorization'>,
  headers: Readonly<Record<string, string>>,
  web: Web,
  attempt = 0,
): Promise<WebAnswer> {
  const waitMs = waitsMs[attempt]
  try {
    const answer = await follow(address, headers, web)
    if (waitMs === undefined || ![429, 502, 503, 504].includes(answer.status)) return answer
    answer.letGo()
  } catch (cause) {
    if (waitMs === undefined || !isPassing(cause)) throw cause
  }
  await web.sleep(waitMs)
  return askWeb(address, headers, web, attempt + 1)
}

async function follow(
  address: Pick<WebAddress, 'url' | 'authorization'>,
  headers: Readonly<Record<string, string>>,
  web: Web,
): Promise<WebAnswer> {
  let { url } = address
  for (let redirects = 0; ; redirects += 1) {
    const isFirst = redirects === 0 && address.authorization !== undefined
    const answer = await send(url, isFirst ? { ...headers, authorization: address.authorization } : headers, web)
    const { location } = answer.headers
    if (![301, 302, 303, 307, 308].includes(answer.status) || location === undefined) return answer
    answer.letGo()
    if (redirects === web.limits.redirects)
      throw new WindrowError('address-refused', `"${shownAddress(url)}" redirects too often (${redirects} times).`, {
        hint: 'Open it in a browser and use the address where the file is in the end.',
      })
    url = nextAddress(url, location)
  }
}

/** Where a redirect leads. Throws a WindrowError if it must not be followed. */
export function nextAddress(from: URL, location: string): URL {
  const shown = shownAddress(from)
  if (!URL.canParse(location, from.href))
    throw new WindrowError('address-refused', `"${shown}" redirects to something that is not an address.`)
  const next = new URL(location, from)
  if (next.protocol !== 'https:' && (next.protocol !== 'http:' || from.protocol === 'https:'))
    throw new WindrowError(
      'address-refused',
      `"${shown}" redirects from ${from.protocol}// to ${next.protocol}//, which is not followed.`,
      { hint: 'Ask the owner of the site for an address that stays with https.' },
    )
  next.username = next.password = next.hash = ''
  return next
}

async function send(url: URL, headers: Readonly<Record<string, string | undefined>>, web: Web): Promise<WebAnswer> {
  const { signal, limits, agents } = web
  const literal = addressIn(url.hostname)
  // IP addresses are connected to without a lookup.
  if (literal !== undefined) checkPlace(url, literal, web)
  const began = performance.now()
  const time = AbortSignal.timeout(Math.max(1, Math.ceil(web.leftMs)))
  let isIdle = false
  const reason = (cause: unknown): unknown => {
    if (signal?.aborted) return signal.reason
    if (isIdle) return tooSlow(url, limits.idleMs, 'without sending anything')
    return time.aborted ? tooSlow(url, limits.totalMs, 'in total') : webError(url, cause)
  }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const isSecure = url.protocol === 'https:'
    const request = (isSecure ? https : http).request(
      url,
      {
        agent: isSecure ? agents.https : agents.http,
        headers: { 'accept-encoding': 'identity', 'user-agent': 'windrow', ...headers },
        lookup: checkedLookup(url, web),
        signal: signal === undefined ? time : AbortSignal.any([signal, time]),
        timeout: limits.idleMs,
      },
      resolve,
    )
    request.on('timeout', () => {
      isIdle = true
      request.destroy()
    })
    request.on('error', (cause) => reject(reason(cause) as Error))
    request.end()
  })
  return {
    url,
    status: response.statusCode ?? 0,
    headers: response.headers,
    async *chunks() {
      try {
        for await (const chunk of response) yield chunk as Uint8Array
      } catch (cause) {
        throw reason(cause)
      } finally {
        web.leftMs -= performance.now() - began
      }
    },
    letGo: () => void response.destroy(),
  }
}

function checkPlace(url: URL, address: string, { allowsPrivate }: Web): void {
  const place = placeOf(address)
  if (place === undefined || allowsPrivate) return
  const named = addressIn(url.hostname) === undefined ? ` (${address})` : ''
  throw new WindrowError(
    'address-refused',
    `"${shownAddress(url)}" leads to ${place.name}${named}, not to the internet.`,
    {
      hint: 'If that is intended, allow it: --allow-private-addresses, or "private addresses: allow" under "from" in the pipeline.',
    },
  )
}

/** Looks up the name and connects only to the addresses that were checked. */
function checkedLookup(url: URL, web: Web): LookupFunction {
  return (hostname, _options, callback) => {
    callbackify(async () => {
      const found = await web.resolve(hostname)
      for (const { address } of found) checkPlace(url, address, web)
      if (found.length === 0) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' })
      return [...found]
    })(callback)
  }
}
