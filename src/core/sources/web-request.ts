/** Sends requests to the web: checks addresses, follows redirects, waits and retries, and explains what went wrong without the secrets of an address. */

import { lookup as dnsLookup } from 'node:dns/promises'
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { WindrowError } from '../error.ts'
import { addressIn, isOwnMachine, networkOf, shownAddress } from './web-address.ts'

/** The limits for a file on the web. Times are for the download only, in milliseconds. */
export type WebLimits = Readonly<typeof usualWebLimits>

export const usualWebLimits = { bytes: 4 * 2 ** 30, totalMs: 60 * 60_000, idleMs: 60_000, redirects: 5 }

export type FoundAddress = { readonly address: string; readonly family: number }

/** What requests need from outside. `resolve` looks up host names; its answers are checked before connecting. */
export type Web = {
  readonly limits: WebLimits
  readonly allowsPrivate: boolean
  readonly resolve: (hostname: string) => Promise<readonly FoundAddress[]>
  readonly sleep: (ms: number) => Promise<void>
  readonly signal: AbortSignal | undefined
  readonly agents: { readonly http: http.Agent; readonly https: https.Agent }
  /** The folder for downloads that the next run may use again; without it none are kept. */
  readonly keptIn?: string | undefined
  /** The time left for the download. */
  leftMs: number
}

/** What to ask of an address. Only GET, the default, follows redirects. */
export type WebRequest = {
  readonly method?: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

/** The headers of a request that only the site of the address may see: a password, or a signature of the request. */
export type Credentials = (
  request: WebRequest & { readonly url: URL },
) => Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>

/** A file on the web. `explain` is of a store, whose answers have reasons and whose redirects are not followed. */
export type WebAddress = {
  readonly url: URL
  readonly credentials?: Credentials | undefined
  readonly explain?: (answer: WebAnswer) => Promise<WindrowError>
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
 * Sends a request, and again after a moment if the server or the connection failed. Credentials go to the site of the address only,
 * cookies nowhere, and no redirect leads from https to http or into a network that the first address may not be in. Throws a
 * WindrowError if nothing answers, also from `chunks`.
 */
export async function askWeb(address: WebAddress, request: WebRequest, web: Web, attempt = 0): Promise<WebAnswer> {
  const waitMs = waitsMs[attempt]
  try {
    const answer = await follow(address, request, web)
    if (waitMs === undefined || ![429, 500, 502, 503, 504].includes(answer.status)) return answer
    answer.letGo()
  } catch (cause) {
    if (waitMs === undefined || !isPassing(cause)) throw cause
  }
  await web.sleep(waitMs)
  return askWeb(address, request, web, attempt + 1)
}

async function follow(address: WebAddress, request: WebRequest, web: Web): Promise<WebAnswer> {
  let { url } = address
  const isFollowed = (request.method ?? 'GET') === 'GET' && address.explain === undefined
  for (let redirects = 0; ; redirects += 1) {
    const answer = await send({ ...address, url }, request, web)
    const { location } = answer.headers
    if (!isFollowed || ![301, 302, 303, 307, 308].includes(answer.status) || location === undefined) return answer
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

async function send({ url, credentials }: WebAddress, request: WebRequest, web: Web): Promise<WebAnswer> {
  const { signal, limits, agents } = web
  const { method = 'GET', body } = request
  const literal = addressIn(url.hostname)
  // IP addresses are connected to without a lookup.
  if (literal !== undefined) checkPlace(url, literal, web)
  const isSecure = url.protocol === 'https:'
  if (!isSecure && !web.allowsPrivate && !isOwnMachine(url.hostname))
    throw new WindrowError(
      'address-refused',
      `"${shownAddress(url)}" is plain http: anybody on the way can read and change the file.`,
      {
        hint: 'Use https. In a network of your own, allow it:  from.private addresses: allow',
      },
    )
  const open = { 'accept-encoding': 'identity', 'user-agent': 'windrow', ...request.headers }
  const headers = { ...open, ...(await credentials?.({ ...request, method, url, headers: open })) }
  const began = performance.now()
  const time = AbortSignal.timeout(Math.max(1, Math.ceil(web.leftMs)))
  let isIdle = false
  const reason = (cause: unknown): unknown => {
    if (signal?.aborted) return signal.reason
    if (isIdle) return tooSlow(url, limits.idleMs, 'without sending anything')
    return time.aborted ? tooSlow(url, limits.totalMs, 'in total') : webError(url, cause)
  }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sending = (isSecure ? https : http).request(
      url,
      {
        method,
        agent: isSecure ? agents.https : agents.http,
        headers: body === undefined ? headers : { ...headers, 'content-length': body.length },
        lookup: checkedLookup(web.resolve, (found) => checkPlace(url, found, web)),
        signal: signal === undefined ? time : AbortSignal.any([signal, time]),
        timeout: limits.idleMs,
      },
      resolve,
    )
    sending.on('timeout', () => {
      isIdle = true
      sending.destroy()
    })
    sending.on('error', (cause) => reject(reason(cause) as Error))
    sending.end(body)
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
  const place = networkOf(address)
  if (place === undefined || allowsPrivate) return
  const named = addressIn(url.hostname) === undefined ? ` (${address})` : ''
  throw new WindrowError(
    'address-refused',
    `"${shownAddress(url)}" leads to ${place.name}${named}, not to the internet.`,
    {
      hint: 'If that is intended, allow it:  from.private addresses: allow',
    },
  )
}

/** Looks up the name and connects only to the addresses that were checked; `check` throws. A second lookup may give others. */
export function checkedLookup(resolve: Web['resolve'], check: (address: string) => void): LookupFunction {
  return (hostname, _options, callback) => {
    callbackify(async () => {
      const found = await resolve(hostname)
      for (const { address } of found) check(address)
      if (found.length === 0) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' })
      return [...found]
    })(callback)
  }
}

/** The error for a download that took too long; `how` describes the limit. */
function tooSlow(url: URL, ms: number, how: string): WindrowError {
  const long = ms >= 120_000 ? `${Math.round(ms / 60_000)} minutes` : `${ms / 1000} s`
  return new WindrowError('address-unreachable', `"${shownAddress(url)}" took longer than ${long} ${how}.`, {
    hint: 'Run it again later. If it stays slow, download the file and give its path here.',
  })
}

/** Explains a failed connection. */
export function webError(url: URL, cause: unknown): WindrowError {
  if (cause instanceof WindrowError) return cause
  const shown = shownAddress(url)
  const code = String((cause as NodeJS.ErrnoException).code ?? '')
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new WindrowError('address-unreachable', `Host "${url.hostname}" was not found.`, {
      hint: 'Check the spelling and your internet connection.',
      cause,
    })
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code))
    return new WindrowError('address-refused', `"${shown}" has no valid certificate (${code}).`, {
      hint: 'Open it in a browser. If that warns too, inform the owner of the site, and do not read files from it until then.',
      cause,
    })
  if (code.startsWith('HPE_'))
    return new WindrowError('address-unreachable', `"${shown}" does not answer in http (${code}).`, { cause })
  return new WindrowError(
    'address-unreachable',
    `"${shown}" does not answer, or the connection broke (${code || 'no reason given'}).`,
    { hint: 'Run it again.', cause },
  )
}

/** Explains a status that brings no file. */
export function statusError(url: URL, status: number): WindrowError {
  const shown = shownAddress(url)
  if (status === 404 || status === 410)
    return new WindrowError('file-missing', `There is no file at "${shown}" (${status}).`, {
      hint: 'Check the address; a download link may have expired.',
    })
  if (status === 401 || status === 407)
    return new WindrowError('file-unreadable', `"${shown}" requires a sign-in (${status}).`, {
      hint: 'Set its password or key in WINDROW_WEB_SECRETS, or download the file and give its path here.',
    })
  if (status === 403)
    return new WindrowError('file-unreadable', `You do not have permission to read "${shown}" (403).`, {
      hint: 'Ask for permission to read it; a download link may have expired.',
    })
  if (status === 429 || status >= 500)
    return new WindrowError('address-unreachable', `The server of "${shown}" reports an error (${status}).`, {
      hint: 'Run it again later.',
    })
  return new WindrowError('file-unreadable', `"${shown}" answers with ${status} instead of a file.`)
}

/** The error for a file that changed after reading began. */
export function changedError(url: URL): WindrowError {
  return new WindrowError('source-changed', `"${shownAddress(url)}" changed while it was being read.`, {
    hint: 'Run it again.',
  })
}

/** True for a connection failure that may be temporary. */
export function isPassing(failure: unknown): boolean {
  const { code } = ((failure as WindrowError).cause ?? {}) as NodeJS.ErrnoException
  return /^(?:ECONNRESET|ECONNREFUSED|EPIPE|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/.test(code ?? '')
}
