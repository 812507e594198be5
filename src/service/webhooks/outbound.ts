/** Posts to addresses of subscribers: never into a private network, without redirects, within limits. */

import * as http from 'node:http'
import * as https from 'node:https'
import { beginningOf } from '../../core/sources/source.ts'
import { addressIn, networkOf } from '../../core/sources/web-address.ts'
import { checkedLookup, resolveName, type FoundAddress } from '../../core/sources/web-request.ts'

/** `allowsLoopback`: this machine may be called, also over plain http. `resolve` looks a name up. */
export type OutboundOptions = {
  readonly allowsLoopback: boolean
  readonly resolve?: ((name: string) => Promise<readonly FoundAddress[]>) | undefined
  readonly timeoutMs?: number | undefined
}

export type Posted = { readonly status: number; readonly text: string; readonly retryAfter: string | undefined }

export type Outbound = ReturnType<typeof outboundOf>

const mostAnswerBytes = 64 * 1024
const connectionsPerHost = 4
const plainFault = 'it is plain http, which others on the way can read; use https'

/** Makes an Outbound; it keeps connections open for the next post until it is closed. */
export function outboundOf(options: OutboundOptions) {
  const { allowsLoopback, timeoutMs = 10_000, resolve = resolveName } = options
  const connections = { keepAlive: true, maxSockets: connectionsPerHost }
  const agents = { 'http:': new http.Agent(connections), 'https:': new https.Agent(connections) }
  const stop = new AbortController()
  const placeFault = (address: string, isPlain: boolean): string | undefined => {
    const place = networkOf(address)
    if (place?.isThisMachine === true && allowsLoopback) return undefined
    if (place !== undefined) return `it leads to ${place.name}`
    return isPlain ? plainFault : undefined
  }
  const faultOf = (address: string): string | undefined => {
    if (!URL.canParse(address)) return 'it is not a web address'
    const { protocol, hostname, username, password } = new URL(address)
    if (protocol !== 'https:' && protocol !== 'http:') return 'it is not https'
    if (username !== '' || password !== '') return 'it contains a user name or a password'
    const isPlain = protocol === 'http:'
    const literal = addressIn(hostname) ?? (/(^|\.)localhost$/i.test(hostname) ? '127.0.0.1' : undefined)
    if (literal !== undefined) return placeFault(literal, isPlain)
    return isPlain && !allowsLoopback ? plainFault : undefined
  }
  return {
    /** The reason why an address cannot be called, undefined when it can. */
    faultOf,
    /** Rejects with an Error whose message contains no secret. */
    async post(address: string, headers: Readonly<Record<string, string>>, body: Uint8Array): Promise<Posted> {
      const fault = faultOf(address)
      if (fault !== undefined) throw new Error(fault)
      const url = new URL(address)
      const isPlain = url.protocol === 'http:'
      const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(timeoutMs)])
      const request = (isPlain ? http : https).request(url, {
        method: 'POST',
        agent: agents[url.protocol as keyof typeof agents],
        headers: { 'User-Agent': 'windrow', ...headers, 'Content-Length': String(body.length) },
        lookup: checkedLookup(resolve, (found) => {
          const placed = placeFault(found, isPlain)
          if (placed !== undefined) throw new Error(placed)
        }),
        signal,
      })
      try {
        return await answerTo(request, body)
      } catch (cause) {
        throw new Error(signal.aborted ? 'it did not answer in time' : failureText(cause))
      }
    },
    close(): void {
      stop.abort()
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

async function answerTo(request: http.ClientRequest, body: Uint8Array): Promise<Posted> {
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    request.on('response', resolve)
    request.on('error', reject)
    request.end(body)
  })
  const text = new TextDecoder().decode(await beginningOf(response, mostAnswerBytes))
  return { status: response.statusCode ?? 0, text, retryAfter: response.headers['retry-after'] }
}

function failureText(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException
  if (code === undefined) return message
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its host is unknown'
  return `it does not answer (${code})`
}
