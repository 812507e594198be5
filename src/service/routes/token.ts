/** Signs callers in (section 5): the token endpoint, and the account of a bearer token. */

import { createHash, createHmac } from 'node:crypto'
import { tokenPath } from '../../client/address.ts'
import { clientOf } from '../../client/reading.ts'
import { secretMatches, type Account } from '../store/accounts.ts'
import { readBody, smallBody } from '../http/body.ts'
import { mediaTypes } from '../http/responses.ts'
import type { Call, Route } from '../http/router.ts'
import type { Random, Store } from '../store/store.ts'

/** What signing in needs. A refresh token works once. */
export type SignIn = {
  readonly store: Store
  readonly accounts: readonly Account[]
  readonly clock: () => Date
  readonly random: Random
  readonly lifetimeS: number
  readonly refreshLifetimeS: number
  readonly realm: string
}

type Grant = { readonly account: Account; readonly scope: string }
type OAuthError = { readonly status: number; readonly error: string; readonly detail: string }

/** The path of a realm; its token endpoint is below it. */
export function realmPath(realm: string): string {
  return `/auth/realms/${encodeURIComponent(realm)}`
}

// Each needs much processor time and 32 MiB; more at a time would only make all of them wait.
const mostSignIns = 16

/** The token endpoint, with the password grant and the refresh grant. */
export function tokenRoutes(signIn: SignIn): readonly Route[] {
  const tokens = tokenTable(signIn)
  let underWay = 0
  return [
    {
      method: 'POST',
      path: `${realmPath(signIn.realm)}${tokenPath}`,
      access: 'unasked',
      async answer(call) {
        const form = await readForm(call)
        if ('error' in form) return refuse(form, call)
        if (underWay >= mostSignIns)
          return refuse(
            fault('temporarily_unavailable', 'Too many callers are signing in. Try again in a moment.', 503),
            call,
          )
        underWay += 1
        const grant = await readGrant(signIn, tokens, form.fields).finally(() => (underWay -= 1))
        return 'error' in grant ? refuse(grant, call) : answerWithTokens(signIn, tokens, grant, call)
      },
    },
  ]
}

/** Makes the function that finds the account of a bearer token, or reports that there is no token or that it is not valid. */
export function bearerReader(signIn: SignIn): (authorization: string | null) => Account | 'nobody' | 'not valid' {
  const tokens = tokenTable(signIn)
  return (authorization) => {
    if (authorization === null) return 'nobody'
    const token = /^bearer +([\w.~+/=-]+)$/i.exec(authorization)?.[1]
    return (token === undefined ? undefined : tokens.find(token, 'access')?.account) ?? 'not valid'
  }
}

type TokenTable = ReturnType<typeof tokenTable>

// Tokens are stored as hashes, so that nobody who reads the file of the store can use them.
function tokenTable({ store, accounts, clock, random }: SignIn) {
  const select = store.prepare('SELECT account, credential, scope, expires FROM tokens WHERE hash = ? AND kind = ?')
  const insert = store.prepare('INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?)')
  const remove = store.prepare('DELETE FROM tokens WHERE hash = ?')
  const prune = store.prepare('DELETE FROM tokens WHERE expires <= ?')
  const byNumber = new Map(accounts.map((account) => [account.number, account]))
  const hashOf = (token: string): Uint8Array => createHash('sha256').update(token).digest()
  return {
    find(token: string, kind: 'access' | 'refresh'): Grant | undefined {
      const row = select.get(hashOf(token), kind)
      if (row === undefined || Number(row['expires']) <= clock().getTime()) return undefined
      const account = byNumber.get(Number(row['account']))
      if (account === undefined || account.credential !== row['credential']) return undefined
      return { account, scope: String(row['scope']) }
    },
    spend: (token: string) => void remove.run(hashOf(token)),
    issue({ account, scope }: Grant, kind: 'access' | 'refresh', lifetimeS: number): string {
      prune.run(clock().getTime())
      const token = Buffer.from(random(32)).toString('base64url')
      const expires = clock().getTime() + lifetimeS * 1000
      insert.run(hashOf(token), account.number, kind, account.credential, scope, expires)
      return token
    },
  }
}

async function readForm(call: Call): Promise<{ readonly fields: URLSearchParams } | OAuthError> {
  const type = call.request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded')
    return fault('invalid_request', 'Send the form as application/x-www-form-urlencoded.')
  const body = await readBody(call.request, smallBody)
  const fields = new URLSearchParams(Buffer.from(body).toString())
  for (const name of new Set(fields.keys()))
    if (fields.getAll(name).length > 1)
      return fault('invalid_request', 'A field is given more than once. Send each field once.')
  if (fields.get('scope')?.includes('\0') === true)
    return fault('invalid_scope', 'The scope contains U+0000. Remove that character.')
  const { headers } = call.request
  if (hasBasic(headers) && fields.has('client_secret'))
    return fault(
      'invalid_request',
      'The client secret is both in the form and in the header Authorization. Send it once.',
    )
  const { id, secret } = clientOf(fields, headers)
  fields.set('client_id', id)
  fields.set('client_secret', secret)
  return { fields }
}

/** Whether a client signs in by the header Authorization (client_secret_basic). */
function hasBasic(headers: Headers): boolean {
  return /^basic /i.test(headers.get('authorization') ?? '')
}

async function readGrant(signIn: SignIn, tokens: TokenTable, fields: URLSearchParams): Promise<Grant | OAuthError> {
  const kind = fields.get('grant_type')
  if (kind === null) return fault('invalid_request', 'The field grant_type is missing.')
  if (kind !== 'password' && kind !== 'refresh_token')
    return fault('unsupported_grant_type', 'Only the grants password and refresh_token work here.')
  const needed = ['client_id', 'client_secret', ...(kind === 'password' ? ['username', 'password'] : ['refresh_token'])]
  const missing = needed.find((name) => !fields.get(name))
  if (missing !== undefined) return fault('invalid_request', `The field ${missing} is missing.`)
  return checkSecrets(signIn.accounts, tokens, fields)
}

/**
 * Checks one hash for the client and, with a password, one for the user, and as many for unknown names, so that the time of an
 * answer does not show which names exist.
 */
async function checkSecrets(
  accounts: readonly Account[],
  tokens: TokenTable,
  fields: URLSearchParams,
): Promise<Grant | OAuthError> {
  const wrongClient = fault('invalid_client', 'The client id or its secret is wrong.', 401)
  const [anyAccount] = accounts
  if (anyAccount === undefined) return wrongClient
  const ofClient = accounts.filter(({ config }) => config.clientId === fields.get('client_id'))
  const refreshToken = fields.get('grant_type') === 'refresh_token' ? fields.get('refresh_token')! : undefined
  const refreshed = refreshToken === undefined ? undefined : tokens.find(refreshToken, 'refresh')?.account
  const account = ofClient.find((each) =>
    refreshToken === undefined ? each.config.username === fields.get('username') : each === refreshed,
  )
  const { clientSecretHash, passwordHash } = (account ?? ofClient[0] ?? anyAccount).config
  const isClient = await secretMatches(fields.get('client_secret')!, clientSecretHash)
  const isUser = refreshToken !== undefined || (await secretMatches(fields.get('password')!, passwordHash))
  if (!isClient || ofClient.length === 0) return wrongClient
  if (refreshToken !== undefined) return grantByRefresh(tokens, account, { refreshToken, asked: fields.get('scope') })
  if (!isUser || account === undefined) return fault('invalid_grant', 'The user name or the password is wrong.', 401)
  return { account, scope: fields.get('scope') ?? '' }
}

function grantByRefresh(
  tokens: TokenTable,
  account: Account | undefined,
  { refreshToken, asked }: { readonly refreshToken: string; readonly asked: string | null },
): Grant | OAuthError {
  // Looked up only now: another request may have used the same token while the secret was checked.
  const grant = tokens.find(refreshToken, 'refresh')
  if (grant === undefined || grant.account !== account)
    return fault('invalid_grant', 'The refresh token is unknown, already used or expired. Sign in with the password.')
  const held = words(grant.scope)
  if (asked !== null && !words(asked).every((word) => held.includes(word)))
    return fault(
      'invalid_scope',
      'The scope is wider than the one granted with the refresh token. Ask for less, or sign in with the password.',
    )
  tokens.spend(refreshToken)
  return grant
}

function words(scope: string): readonly string[] {
  return scope.split(' ').filter((word) => word !== '')
}

function answerWithTokens(signIn: SignIn, tokens: TokenTable, grant: Grant, call: Call): Response {
  const answer = signIn.store.transaction(() => ({
    access_token: tokens.issue(grant, 'access', signIn.lifetimeS),
    id_token: idToken(signIn, grant.account, call.base),
    ...(words(grant.scope).includes('offline_access')
      ? { refresh_token: tokens.issue(grant, 'refresh', signIn.refreshLifetimeS) }
      : {}),
    token_type: 'Bearer',
    expires_in: signIn.lifetimeS,
    scope: grant.scope,
  }))
  return oauthJson(200, answer)
}

function idToken({ store, clock, lifetimeS, realm }: SignIn, { number, config }: Account, base: string): string {
  const issued = Math.floor(clock().getTime() / 1000)
  const claims = {
    iss: `${base}${realmPath(realm)}`,
    sub: String(number),
    aud: config.clientId,
    preferred_username: config.username,
    iat: issued,
    exp: issued + lifetimeS,
  }
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
  return `${signed}.${createHmac('sha256', store.key).update(signed).digest('base64url')}`
}

function fault(error: string, detail: string, status = 400): OAuthError {
  return { status, error, detail }
}

function refuse({ status, error, detail }: OAuthError, { request }: Call): Response {
  const response = oauthJson(status, { error, error_description: detail })
  if (status === 401 && hasBasic(request.headers)) response.headers.set('WWW-Authenticate', 'Basic realm="windrow"')
  if (status === 503) response.headers.set('Retry-After', '2')
  return response
}

function oauthJson(status: number, document: unknown): Response {
  const headers = { 'Content-Type': mediaTypes.json, 'Cache-Control': 'no-store', Pragma: 'no-cache' }
  return new Response(JSON.stringify(document), { status, headers })
}
