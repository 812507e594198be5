/** Serves the token endpoint of a webhook subscriber: a caller with the registered credentials gets a short-lived token. */

import { createHash, timingSafeEqual } from 'node:crypto'

/** With `refreshToken` the caller must send that too; without, its credentials are enough. */
type Issued = {
  readonly path: string
  readonly clientId: string
  readonly clientSecret: string
  readonly refreshToken?: string | undefined
}

export type TokenIssuer = ReturnType<typeof tokenIssuer>

const lifetimeS = 600
// The service needs one at a time; more come from a sender that does not keep them.
const mostTokens = 100

/** Issues tokens for these credentials and accepts them until they expire. */
export function tokenIssuer(
  issued: Issued,
  { clock, random }: { readonly clock: () => Date; readonly random: (bytes: number) => Uint8Array },
) {
  const goodUntil = new Map<string, number>()
  return {
    path: issued.path,
    async answer(request: Request): Promise<Response> {
      const form = new URLSearchParams((await bodyWithin(request, 64 << 10)) ?? '')
      const fault = faultOf(form, request.headers, issued)
      if (fault !== undefined) return json({ error: fault }, fault === 'invalid_client' ? 401 : 400)
      const token = Buffer.from(random(32)).toString('base64url')
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

/** Client and secret are in the form, or percent-encoded in a Basic header (RFC 6749, 2.3.1). */
export function clientOf(form: URLSearchParams, headers: Headers): { readonly id: string; readonly secret: string } {
  const basic = /^basic +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
  if (basic === undefined) return { id: form.get('client_id') ?? '', secret: form.get('client_secret') ?? '' }
  const [id = '', ...secret] = Buffer.from(basic, 'base64').toString().split(':')
  return { id: decoded(id), secret: decoded(secret.join(':')) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

function json(body: object, status: number): Response {
  return Response.json(body, { status, headers: { 'Cache-Control': 'no-store' } })
}

/** Compares hashes, so that the time taken shows neither the length nor the first difference. */
export function isSecret(given: string, expected: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(expected))
}

/** The body as text, or undefined when it is larger than `most` bytes. */
export async function bodyWithin(request: Request, most: number): Promise<string | undefined> {
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
