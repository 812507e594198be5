/**
 * Hides what arrives at a subscriber of the service's webhooks (section 6): whether the sender is who was registered, and
 * whether it is an event. What an event carries is looked at for its kind alone: the record itself is read from the service.
 */

import { randomBytes } from 'node:crypto'
import { WindrowError } from '../core/error.ts'
import type { WebhookRegistration } from '../resources/webhook.ts'
import { bodyWithin, isSecret } from './incoming.ts'
import { membersOf, oneLine, shortened, textOf, type Members } from './reading.ts'
import { tokenIssuer, type TokenIssuer } from './token-issuer.ts'

/** What happened, in the words of the event. */
export type Notice = { readonly type: string; readonly resourceType: string | undefined }

/** Answers requests; `path` is where events are taken, `names` are the hosts by which the subscriber is called. */
export type EventReceiver = {
  readonly path: string
  readonly names: readonly string[]
  fetch(request: Request): Promise<Response>
}

type World = {
  readonly clock: () => Date
  readonly onEvent: (notice: Notice) => void
  readonly random?: (bytes: number) => Uint8Array
}

// The data of an event is a record with its boundary; more than this is no event.
const mostBytes = 4 << 20

/**
 * Makes the subscriber of a registration. Where the service is to fetch tokens (ClientCredentials, AuthorisationCode), the
 * subscriber gives them out itself. Throws when the registration wants tokens of somewhere else, which cannot be checked here.
 */
export function eventReceiver(registration: WebhookRegistration, world: World): EventReceiver {
  const { clock, onEvent, random = randomBytes } = world
  const uri = new URL(registration.uri)
  const issuer = issuerOf(registration, uri, { clock, random })
  const isSender = senderCheck(registration, issuer)
  return {
    path: uri.pathname,
    names: [uri.hostname],
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (issuer !== undefined && pathname === issuer.path && request.method === 'POST') return issuer.answer(request)
      if (pathname !== uri.pathname) return refusal(404, 'Events are not taken here.')
      if (request.method !== 'POST') return refusal(405, 'Events are sent by POST.', { Allow: 'POST' })
      // Before the body is read: whoever is not the sender gets no room.
      if (!isSender(request.headers)) return refusal(401, 'The sender is not known.', challengeOf(registration))
      const text = await bodyWithin(request, mostBytes)
      if (text === undefined) return refusal(413, `An event has at most ${mostBytes >> 20} MB.`)
      const notice = noticeOf(text)
      if (typeof notice === 'string') return refusal(400, notice)
      onEvent(notice)
      return new Response(null, { status: 204 })
    },
  }
}

type Registered = WebhookRegistration['authentication'] & {
  readonly basicAuth?: { readonly username: string; readonly password: string }
  readonly apiTokenAuth?: { readonly apiToken: string; readonly authorizationScheme?: string | null }
  readonly headerAuth?: { readonly httpHeader: string; readonly apiToken: string }
  readonly clientCredentialsAuth?: Credentials
  readonly authorisationCodeAuth?: Credentials & { readonly refreshToken: string }
}
type Credentials = { readonly clientId: string; readonly clientSecret: string; readonly tokenEndpoint: string }

function issuerOf(
  registration: WebhookRegistration,
  uri: URL,
  world: { readonly clock: () => Date; readonly random: (bytes: number) => Uint8Array },
): TokenIssuer | undefined {
  const { clientCredentialsAuth, authorisationCodeAuth, type } = registration.authentication as Registered
  const credentials = type === 'ClientCredentials' ? clientCredentialsAuth : authorisationCodeAuth
  if (credentials === undefined || (type !== 'ClientCredentials' && type !== 'AuthorisationCode')) return undefined
  const endpoint = new URL(credentials.tokenEndpoint)
  if (endpoint.origin !== uri.origin || endpoint.pathname === uri.pathname)
    throw new WindrowError('option-invalid', `Tokens of ${endpoint.host} cannot be checked by this listener.`, {
      hint: `Let tokenEndpoint be another address at ${uri.origin}: the listener gives out the tokens itself. Or take another kind of authentication.`,
    })
  const refreshToken = type === 'AuthorisationCode' ? authorisationCodeAuth?.refreshToken : undefined
  return tokenIssuer({ path: endpoint.pathname, ...credentials, refreshToken }, world)
}

function senderCheck(
  registration: WebhookRegistration,
  issuer: TokenIssuer | undefined,
): (headers: Headers) => boolean {
  const { type, basicAuth, apiTokenAuth, headerAuth } = registration.authentication as Registered
  if (type === 'None') return () => true
  if (type === 'Basic' && basicAuth !== undefined) {
    const expected = Buffer.from(`${basicAuth.username}:${basicAuth.password}`).toString('base64')
    return (headers) => isCredential(headers, ['basic'], expected)
  }
  if (type === 'ApiToken' && apiTokenAuth !== undefined) {
    const { apiToken } = apiTokenAuth
    const scheme = apiTokenAuth.authorizationScheme ?? ''
    // Without a scheme it is not laid down what stands before the token.
    return (headers) => isCredential(headers, scheme === '' ? ['', 'bearer'] : [scheme.toLowerCase()], apiToken)
  }
  if ((type === 'HttpHeader' || type === 'Header') && headerAuth !== undefined)
    return (headers) => isSecret(headers.get(headerAuth.httpHeader) ?? '', headerAuth.apiToken)
  if (issuer !== undefined)
    return (headers) => {
      const { scheme, rest } = authorizationOf(headers)
      return scheme === 'bearer' && issuer.isGood(rest)
    }
  throw new WindrowError('option-invalid', `"${String(type).slice(0, 50)}" is no authentication that windrow knows.`)
}

function isCredential(headers: Headers, schemes: readonly string[], expected: string): boolean {
  const { scheme, rest } = authorizationOf(headers)
  return schemes.includes(scheme) && isSecret(rest, expected)
}

/** A header of one word is a credential without a scheme. */
function authorizationOf(headers: Headers): { readonly scheme: string; readonly rest: string } {
  const text = (headers.get('authorization') ?? '').trim()
  const at = text.indexOf(' ')
  return at === -1
    ? { scheme: '', rest: text }
    : { scheme: text.slice(0, at).toLowerCase(), rest: text.slice(at).trim() }
}

function challengeOf(registration: WebhookRegistration): Readonly<Record<string, string>> {
  const { type } = registration.authentication
  if (type === 'HttpHeader' || type === 'Header') return {}
  return { 'WWW-Authenticate': type === 'Basic' ? 'Basic realm="windrow"' : 'Bearer realm="windrow"' }
}

/** What an event says of itself, or why it is none. */
function noticeOf(text: string): Notice | string {
  let event: Members | undefined
  try {
    event = membersOf(JSON.parse(text))
  } catch {
    return 'The body is not JSON.'
  }
  if (event?.['specversion'] !== '1.0') return 'This is no event of CloudEvents 1.0: specversion is missing.'
  const type = textOf(event['type'])
  const missing = ['id', 'source', 'type'].find((name) => textOf(event[name]) === undefined)
  if (missing !== undefined || type === undefined) return `This is no event of CloudEvents 1.0: ${missing} is missing.`
  // The name of the extension carries the name of the service.
  const extension = Object.keys(event).find((name) => /^com.*resourcetype$/.test(name))
  const resourceType = textOf(event[extension ?? ''])
  return { type: inWords(type), resourceType: resourceType === undefined ? undefined : inWords(resourceType) }
}

function inWords(foreign: string): string {
  return shortened(oneLine(foreign), 100)
}

function refusal(status: number, detail: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify({ type: 'about:blank', status, detail }), {
    status,
    headers: { 'Content-Type': 'application/problem+json', ...headers },
  })
}
