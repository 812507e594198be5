/**
 * Receives the events of the service's webhooks (section 6): checks the sender, to whom it gives tokens where the registration wants
 * them, and that the body is an event. Only the event's kind is read from it; the record itself is read from the service.
 */

import { randomBytes, createHash, timingSafeEqual } from 'node:crypto'
import { WindrowError } from '../core/error.ts'
import { jsonValue } from '../core/values/exact-json.ts'
import { tokenAccessOf, variantsOf, type WebhookRegistration } from '../resources/webhook.ts'
import { membersOf, oneLine, shortened, textOf, clientOf } from './reading.ts'

/** The kind of event and of record, as the event names them. */
export type Notice = { readonly type: string; readonly resourceType: string | undefined }

export type EventReceiver = ReturnType<typeof eventReceiver>

// An event contains one record with its boundary, which is never larger than this.
const mostBytes = 4 << 20

/**
 * Makes the subscriber of a registration: `path` is where events arrive, `names` are its host names. Where the service must fetch
 * tokens (ClientCredentials, AuthorisationCode), the subscriber issues them itself. Throws when the registration names another token
 * endpoint, whose tokens cannot be checked here.
 */
export function eventReceiver(
  registration: WebhookRegistration,
  { clock, onEvent }: { readonly clock: () => Date; readonly onEvent: (notice: Notice) => void },
) {
  const uri = new URL(registration.uri)
  const issuer = issuerOf(registration, uri, clock)
  const isSender = senderCheck(registration, issuer)
  return {
    path: uri.pathname,
    names: [uri.hostname],
    async fetch(request: Request): Promise<Response> {
      const { pathname } = new URL(request.url)
      if (issuer !== undefined && pathname === issuer.path && request.method === 'POST') return issuer.answer(request)
      if (pathname !== uri.pathname) return refusal(404, 'This address does not receive events.')
      if (request.method !== 'POST') return refusal(405, 'Send events with POST.', { Allow: 'POST' })
      // Before the body is read: a stranger must not use memory.
      if (!isSender(request.headers)) return refusal(401, 'The sender is unknown.', challengeOf(registration))
      const text = await bodyWithin(request, mostBytes)
      if (text === undefined) return refusal(413, `An event may have at most ${mostBytes >> 20} MB.`)
      const notice = noticeOf(text)
      if (typeof notice === 'string') return refusal(400, notice)
      onEvent(notice)
      return new Response(null, { status: 204 })
    },
  }
}

function issuerOf(registration: WebhookRegistration, uri: URL, clock: () => Date): TokenIssuer | undefined {
  const access = tokenAccessOf(registration.authentication)
  if (access === undefined) return undefined
  const endpoint = new URL(access.tokenEndpoint)
  if (endpoint.origin !== uri.origin || endpoint.pathname === uri.pathname)
    throw new WindrowError('option-invalid', `This listener cannot check tokens of ${endpoint.host}.`, {
      hint: `Set tokenEndpoint to another address at ${uri.origin}, where the listener issues the tokens itself. Or use another kind of authentication.`,
    })
  return tokenIssuer({ path: endpoint.pathname, ...access }, clock)
}

function senderCheck(
  registration: WebhookRegistration,
  issuer: TokenIssuer | undefined,
): (headers: Headers) => boolean {
  const { type, basicAuth, apiTokenAuth, headerAuth } = variantsOf(registration.authentication)
  if (type === 'None') return () => true
  if (type === 'Basic') {
    const expected = Buffer.from(`${basicAuth.username}:${basicAuth.password}`).toString('base64')
    return (headers) => isCredential(headers, ['basic'], expected)
  }
  if (type === 'ApiToken') {
    const scheme = apiTokenAuth.authorizationScheme ?? ''
    // Without a scheme, the interface does not define the word before the token.
    const schemes = scheme === '' ? ['', 'bearer'] : [scheme.toLowerCase()]
    return (headers) => isCredential(headers, schemes, apiTokenAuth.apiToken)
  }
  if (type === 'HttpHeader' || type === 'Header')
    return (headers) => isSecret(headers.get(headerAuth.httpHeader) ?? '', headerAuth.apiToken)
  if (issuer !== undefined)
    return (headers) => {
      const { scheme, rest } = authorizationOf(headers)
      return scheme === 'bearer' && issuer.isGood(rest)
    }
  throw new WindrowError('option-invalid', `"${type.slice(0, 50)}" is not a known kind of authentication.`)
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

/** The kind of the event, or why the text is not an event. */
function noticeOf(text: string): Notice | string {
  const body = jsonValue(text)
  if (body === undefined) return 'The body is not JSON.'
  const event = membersOf(body)
  if (event?.['specversion'] !== '1.0') return 'This is not a CloudEvents 1.0 event: specversion is missing.'
  const type = textOf(event['type'])
  const missing = ['id', 'source', 'type'].find((name) => textOf(event[name]) === undefined)
  if (missing !== undefined || type === undefined) return `This is not a CloudEvents 1.0 event: ${missing} is missing.`
  // The extension's name contains the name of the service.
  const extension = Object.keys(event).find((name) => /^com.*resourcetype$/.test(name))
  const resourceType = textOf(event[extension ?? ''])
  return { type: shortLine(type), resourceType: resourceType === undefined ? undefined : shortLine(resourceType) }
}

function shortLine(foreign: string): string {
  return shortened(oneLine(foreign), 100)
}

function refusal(status: number, detail: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify({ type: 'about:blank', status, detail }), {
    status,
    headers: { 'Content-Type': 'application/problem+json', ...headers },
  })
}

/** With `refreshToken` the caller must send that too; without, its credentials are enough. */
type Issued = {
  readonly path: string
  readonly clientId: string
  readonly clientSecret: string
  readonly refreshToken?: string | undefined
}

type TokenIssuer = ReturnType<typeof tokenIssuer>

const lifetimeS = 600
// The service needs one at a time; more come from a sender that does not keep them.
const mostTokens = 100

/** Issues tokens for these credentials and accepts them until they expire. */
function tokenIssuer(issued: Issued, clock: () => Date) {
  const goodUntil = new Map<string, number>()
  return {
    path: issued.path,
    async answer(request: Request): Promise<Response> {
      const form = new URLSearchParams((await bodyWithin(request, 64 << 10)) ?? '')
      const fault = faultOf(form, request.headers, issued)
      if (fault !== undefined) return json({ error: fault }, fault === 'invalid_client' ? 401 : 400)
      const token = randomBytes(32).toString('base64url')
      goodUntil.set(token, clock().getTime() + lifetimeS * 1000)
      for (const [oldest] of goodUntil) if (goodUntil.size > mostTokens) goodUntil.delete(oldest)
      return json({ access_token: token, token_type: 'Bearer', expires_in: lifetimeS }, 200)
    },
    isGood: (token: string) => clock().getTime() < (goodUntil.get(token) ?? 0),
  }
}

function faultOf(form: URLSearchParams, headers: Headers, issued: Issued): string | undefined {
  const { id, secret } = clientOf(form, headers)
  if (!isSecret(id, issued.clientId) || !isSecret(secret, issued.clientSecret)) return 'invalid_client'
  const grant = issued.refreshToken === undefined ? 'client_credentials' : 'refresh_token'
  if (form.get('grant_type') !== grant) return 'unsupported_grant_type'
  if (issued.refreshToken === undefined) return undefined
  return isSecret(form.get('refresh_token') ?? '', issued.refreshToken) ? undefined : 'invalid_grant'
}

function json(body: object, status: number): Response {
  return Response.json(body, { status, headers: { 'Cache-Control': 'no-store' } })
}

/** Compares hashes, so that the time taken shows neither the length nor the first difference. */
function isSecret(given: string, expected: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(expected))
}

/** The body as text, or undefined when it is larger than `most` bytes. */
async function bodyWithin(request: Request, most: number): Promise<string | undefined> {
  if (Number(request.headers.get('content-length') ?? 0) > most) return undefined
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.length
    if (size > most) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
