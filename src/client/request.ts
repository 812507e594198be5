/** Applies one policy to every call of the service: who gets the bearer token, what is repeated, which error a refusal becomes. */

import { WindrowError } from '../core/error.ts'
import { jsonValue } from '../core/values/exact-json.ts'
import { ownLink, serviceAddress } from './address.ts'
import {
  detailOf,
  detailSentence,
  exchangeWithRetries,
  failing,
  type Message,
  type Reply,
  type Wire,
} from './exchange.ts'
import type { RequestOptions } from './profile.ts'
import type { TokenSource } from './token.ts'

/**
 * One call. `to` is a path below the service's address, or an address the service gave; `what` names the call in messages. It is
 * a GET, with a body a POST. `unsigned`: needs no sign-in. `once`: see Message.
 */
export type Ask = {
  readonly to: string | URL
  readonly what: string
  readonly method?: 'DELETE'
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly accept?: string | undefined
  readonly unsigned?: boolean
  readonly once?: boolean
  /** A status besides 2xx that is not a failure. */
  readonly welcome?: number
  readonly signal?: AbortSignal | undefined
}

/** A 2xx answer with its JSON, or the welcome one without; `url` is its address, to resolve its links. */
export type Answer = { readonly status: number; readonly headers: Headers; readonly body: unknown; readonly url: URL }

export type Requester = ReturnType<typeof requesterOf>

const mostRedirects = 5

/** Makes the requester of one service. Throws when the address or an option cannot be used. */
export function requesterOf(service: string, tokens: TokenSource, wire: Wire, options: RequestOptions) {
  const base = serviceAddress(service)
  const always = { 'User-Agent': 'windrow', ...optionHeaders(options) }
  return {
    service: base,
    /** Makes foreign text safe for a message or a report. */
    clean: wire.clean,
    /** Sends one call. All without `once` may be repeated: a publish replaces records with the very same bytes. */
    async ask(ask: Ask): Promise<Answer> {
      let url =
        typeof ask.to === 'string' ? new URL(`${base.origin}${base.pathname.replace(/\/$/, '')}${ask.to}`) : ask.to
      for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
        // The only place where the token meets an address: only the configured origin passes.
        url = ownLink(url.href, base, ask.what)
        const message = messageOf(ask, url, always)
        const reply =
          ask.unsigned === true
            ? await exchangeWithRetries(wire, message, ask.signal)
            : await signedIn(wire, tokens, message, ask.signal)
        const onward = redirectOf(reply, message)
        if (onward === undefined) return answerOf(wire, ask, message, reply)
        url = onward
      }
      throw new WindrowError('service-confused', `${base.host} redirects ${ask.what} again and again.`)
    },
  }
}

function optionHeaders(options: RequestOptions): Readonly<Record<string, string>> {
  const { region, requestingClientId, downgradeAuthentication } = options
  if (region !== undefined && !/^[A-Za-z]{2}$/.test(region))
    throw new WindrowError('option-invalid', `"${region.slice(0, 50)}" is not a region.`, {
      hint: 'Give the 2-letter code of a country, such as NZ.',
    })
  const given: readonly (readonly [string, string | undefined])[] = [
    ['X-Requested-Region', region?.toUpperCase()],
    ['X-Requesting-ClientID', requestingClientId],
    ['X-Downgrade-Authentication', downgradeAuthentication],
  ]
  const headers = given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  const unfit = headers.find(([, value]) => !/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value))
  if (unfit !== undefined)
    throw new WindrowError(
      'option-invalid',
      `The value for ${unfit[0]} contains characters that are not allowed in a header.`,
    )
  return Object.fromEntries(headers)
}

function messageOf(ask: Ask, url: URL, always: Readonly<Record<string, string>>): Message {
  const { body, what, once = false, accept = 'application/json' } = ask
  const headers = { ...always, Accept: accept }
  if (body === undefined) return { method: ask.method ?? 'GET', url, headers, what, once }
  // The answer is a few words for each record that went up: packing it costs both sides more time than it saves.
  const posted = { ...headers, 'Content-Type': 'application/json', 'Accept-Encoding': 'identity' }
  return { method: 'POST', url, headers: posted, body, what, once }
}

async function signedIn(
  wire: Wire,
  tokens: TokenSource,
  message: Message,
  signal: AbortSignal | undefined,
): Promise<Reply> {
  const send = (token: string): Promise<Reply> =>
    exchangeWithRetries(wire, { ...message, headers: { ...message.headers, Authorization: `Bearer ${token}` } }, signal)
  const token = await tokens.get(signal)
  const reply = await send(token)
  if (reply.status !== 401) return reply
  const again = await send(await tokens.renew(token, signal))
  if (again.status !== 401) return again
  throw new WindrowError(
    'sign-in-refused',
    `${message.url.host} rejects a fresh token for ${message.what} (401)${detailSentence(wire, again)}`,
    {
      hint: 'The sign-in works, but this service does not accept its tokens: check that sign-in address, client id and scope belong to it.',
      data: { host: message.url.host, status: 401 },
    },
  )
}

/** The address of an allowed redirect: the method stays, so that a publish never becomes a read. */
function redirectOf(reply: Reply, message: Message): URL | undefined {
  // Some implementations of fetch show a redirect that was not followed as status 0.
  if (reply.status !== 0 && (reply.status < 300 || reply.status > 399 || reply.status === 304)) return undefined
  const location = reply.headers.get('location')
  const keepsMethod = message.method === 'GET' || reply.status === 307 || reply.status === 308
  if (location !== null && keepsMethod) return ownLink(location, message.url, message.what)
  throw new WindrowError(
    'service-confused',
    `${message.url.host} redirects ${message.what} (${reply.status}) in a way that cannot be followed.`,
    { hint: 'Check the address of the service.' },
  )
}

function answerOf(wire: Wire, ask: Ask, message: Message, reply: Reply): Answer {
  const { status, headers } = reply
  if (status === ask.welcome) return { status, headers, body: undefined, url: message.url }
  if (status >= 500 && status !== 501) throw failing(wire, message, reply, { failed: 1 })
  if (status < 200 || status > 299) throw refusalOf(wire, message, reply)
  // A creation or deletion is done whether or not the answer has a body.
  const hasNoBody = ask.method === 'DELETE' || (ask.once === true && reply.text.trim() === '')
  return { status, headers, body: hasNoBody ? undefined : jsonOf(message, reply), url: message.url }
}

function jsonOf(message: Message, reply: Reply): unknown {
  const value = jsonValue(reply.text)
  if (value !== undefined) return value
  const html = /^text\/html\b/i.test(reply.headers.get('content-type') ?? '')
  throw new WindrowError('service-confused', `${message.url.host} did not answer with JSON for ${message.what}.`, {
    hint: html
      ? 'It answered with a web page: check the address of the service, and whether a proxy asks for a sign-in.'
      : 'Check the address of the service.',
    data: { host: message.url.host, status: reply.status },
  })
}

function refusalOf(wire: Wire, { url, what }: Message, reply: Reply): WindrowError {
  const { status } = reply
  const detail = detailOf(wire, reply)
  const data = { host: url.host, path: wire.clean(url.pathname), status, ...(detail === '' ? {} : { detail }) }
  const end = `(${status})${detailSentence(wire, reply)}`
  if (status === 403)
    return new WindrowError('rights-missing', `The account has no right to do this: ${what} ${end}`, {
      hint: 'Ask the owner of the farm or the operator of the service for this right.',
      data,
    })
  if (status === 501)
    return new WindrowError('request-refused', `${url.host} does not offer ${what} ${end}`, {
      hint: 'Trying again does not help; the operator of the service must switch it on.',
      data,
    })
  return new WindrowError('request-refused', `${url.host} refuses ${what} ${end}`, { data })
}
