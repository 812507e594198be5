/** Hides the one policy around every call to the service: who gets the bearer token, what is asked again, what a refusal is called. */

import { WindrowError, type ErrorCode } from '../core/error.ts'
import { ownLink, serviceAddress } from './address.ts'
import { detailOf, exchangePatiently, failing, said, type Message, type Reply, type Wire } from './exchange.ts'
import type { TokenSource } from './token.ts'

/** Optional headers of the interface, the same for every call of a connection. `region` is a 2-letter country code. */
export type RequestOptions = {
  readonly region?: string
  readonly requestingClientId?: string
  readonly downgradeAuthentication?: string
}

/**
 * One call. `to` is a path below the service's address, or an address the service gave; `what` names the call in messages. It is
 * a GET, with a body a POST. `unsigned`: anybody may ask this, so no sign-in is wanted. `once`: see Message.
 */
export type Ask = {
  readonly to: string | URL
  readonly what: string
  readonly method?: 'DELETE'
  readonly body?: string
  readonly accept?: string
  readonly unsigned?: boolean
  readonly once?: boolean
  /** A status besides 2xx that is an answer and not a failure. */
  readonly welcome?: number
  readonly signal?: AbortSignal | undefined
}

/** A 2xx answer with its JSON, or the welcome one without; `url` is where it came from, for the links in it. */
export type Answer = { readonly status: number; readonly headers: Headers; readonly body: unknown; readonly url: URL }

export type Requester = {
  readonly service: URL
  /** Sends one call. All but those that say `once` may be repeated: a publish replaces records with the very same bytes. */
  ask(ask: Ask): Promise<Answer>
  /** Makes foreign text fit for a message or a report. */
  clean(text: string, most?: number): string
}

const mostRedirects = 5

/** Makes the requester of one service. Throws when the address or an option cannot be used. */
export function requesterOf(service: string, tokens: TokenSource, wire: Wire, options: RequestOptions): Requester {
  const base = serviceAddress(service)
  const always = { 'User-Agent': 'windrow', ...optionHeaders(options) }
  return {
    service: base,
    clean: wire.clean,
    async ask(ask) {
      let url =
        typeof ask.to === 'string' ? new URL(`${base.origin}${base.pathname.replace(/\/$/, '')}${ask.to}`) : ask.to
      for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
        // The one place where the token meets an address: nothing but the configured origin passes.
        url = ownLink(url.href, base, ask.what)
        const message = messageOf(ask, url, always)
        const reply =
          ask.unsigned === true
            ? await exchangePatiently(wire, message, ask.signal)
            : await signedIn(wire, tokens, message, ask.signal)
        const onward = redirectOf(reply, message)
        if (onward === undefined) return answerOf(wire, ask, message, reply)
        url = onward
      }
      throw new WindrowError('service-confused', `${base.host} sends ${ask.what} from address to address without end.`)
    },
  }
}

function optionHeaders(options: RequestOptions): Readonly<Record<string, string>> {
  const { region, requestingClientId, downgradeAuthentication } = options
  if (region !== undefined && !/^[A-Za-z]{2}$/.test(region))
    throw new WindrowError('option-invalid', `"${region.slice(0, 50)}" is not a region.`, {
      hint: 'A region is the 2-letter code of a country, such as NZ.',
    })
  const given: readonly (readonly [string, string | undefined])[] = [
    ['X-Requested-Region', region?.toUpperCase()],
    ['X-Requesting-ClientID', requestingClientId],
    ['X-Downgrade-Authentication', downgradeAuthentication],
  ]
  const headers = given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  const unfit = headers.find(([, value]) => !/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value))
  if (unfit !== undefined)
    throw new WindrowError('option-invalid', `The value for ${unfit[0]} holds characters that a header cannot carry.`)
  return Object.fromEntries(headers)
}

function messageOf(ask: Ask, url: URL, always: Readonly<Record<string, string>>): Message {
  const { body, what, once = false, accept = 'application/json' } = ask
  const headers = { ...always, Accept: accept }
  if (body === undefined) return { method: ask.method ?? 'GET', url, headers, what, once }
  return { method: 'POST', url, headers: { ...headers, 'Content-Type': 'application/json' }, body, what, once }
}

async function signedIn(
  wire: Wire,
  tokens: TokenSource,
  message: Message,
  signal: AbortSignal | undefined,
): Promise<Reply> {
  const send = (token: string): Promise<Reply> =>
    exchangePatiently(wire, { ...message, headers: { ...message.headers, Authorization: `Bearer ${token}` } }, signal)
  const token = await tokens.get(signal)
  const reply = await send(token)
  if (reply.status !== 401) return reply
  const again = await send(await tokens.renew(token, signal))
  if (again.status !== 401) return again
  throw new WindrowError(
    'sign-in-refused',
    `${message.url.host} refuses a fresh token for ${message.what} (401)${said(wire, again)}`,
    {
      hint: 'The sign-in works, but this service does not take its tokens: check that sign-in address, client id and scope belong to it.',
      data: { host: message.url.host, status: 401 },
    },
  )
}

/** Where a redirect leads within the rules: same method, so that a publish never turns into a read. */
function redirectOf(reply: Reply, message: Message): URL | undefined {
  // Status 0 is how some implementations of fetch show a redirect that was not followed.
  if (reply.status !== 0 && (reply.status < 300 || reply.status > 399 || reply.status === 304)) return undefined
  const location = reply.headers.get('location')
  const keepsMethod = message.method === 'GET' || reply.status === 307 || reply.status === 308
  if (location !== null && keepsMethod) return ownLink(location, message.url, message.what)
  throw new WindrowError(
    'service-confused',
    `${message.url.host} sends ${message.what} on to another address (${reply.status}) in a way that cannot be followed.`,
    { hint: 'Check the address of the service.' },
  )
}

function answerOf(wire: Wire, ask: Ask, message: Message, reply: Reply): Answer {
  const { status, headers } = reply
  if (status === ask.welcome) return { status, headers, body: undefined, url: message.url }
  if (status === 501) throw notOffered(wire, message, reply)
  if (status >= 500) throw failing(wire, message, reply, { failed: 1 })
  if (status < 200 || status > 299) throw refusalOf(wire, message, reply)
  // What was created or deleted is so whether or not the answer has a body.
  const saysNothing = ask.method === 'DELETE' || (ask.once === true && reply.text.trim() === '')
  return { status, headers, body: saysNothing ? undefined : jsonOf(message, reply), url: message.url }
}

function notOffered(wire: Wire, message: Message, reply: Reply): WindrowError {
  return new WindrowError(
    'request-refused',
    `${message.url.host} does not offer ${message.what} (501)${said(wire, reply)}`,
    {
      hint: 'Asking again does not help; the operator of the service would have to switch it on.',
      data: { host: message.url.host, path: wire.clean(message.url.pathname), status: 501 },
    },
  )
}

function jsonOf(message: Message, reply: Reply): unknown {
  try {
    return JSON.parse(reply.text) as unknown
  } catch {
    const html = /^text\/html\b/i.test(reply.headers.get('content-type') ?? '')
    throw new WindrowError('service-confused', `${message.url.host} did not answer with JSON for ${message.what}.`, {
      hint: html
        ? 'It answered with a web page: check the address of the service, and whether a proxy asks for a sign-in.'
        : 'Check the address of the service.',
      data: { host: message.url.host, status: reply.status },
    })
  }
}

function refusalOf(wire: Wire, message: Message, reply: Reply): WindrowError {
  const { status } = reply
  const code: ErrorCode = status === 403 ? 'rights-missing' : 'request-refused'
  const detail = detailOf(wire, reply)
  return new WindrowError(
    code,
    status === 403
      ? `The account may not do this: ${message.what} (403)${said(wire, reply)}`
      : `${message.url.host} refuses ${message.what} (${status})${said(wire, reply)}`,
    {
      ...(status === 403
        ? { hint: 'Ask the owner of the farm, or the operator of the service, for the right to do it.' }
        : {}),
      data: {
        host: message.url.host,
        path: wire.clean(message.url.pathname),
        status,
        ...(detail === '' ? {} : { detail }),
      },
    },
  )
}
