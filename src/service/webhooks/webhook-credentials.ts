/** Makes the credentials with which the service signs in to a subscriber (section 6), and keeps its tokens. */

import type { WebhookAuthentication } from '../../resources/webhook.ts'
import type { Outbound } from './outbound.ts'

/** Gives the headers of a delivery. `renew` forgets a token that a subscriber did not accept, true if there was one. */
export type Credentials = {
  headers(authentication: WebhookAuthentication): Promise<Readonly<Record<string, string>>>
  renew(): boolean
}

/** The members of each kind of authentication; the schema has checked which are present. */
type Variants = {
  readonly type: string
  readonly basicAuth: { readonly username: string; readonly password: string }
  readonly apiTokenAuth: { readonly apiToken: string; readonly authorizationScheme?: string }
  readonly clientCredentialsAuth: TokenAccess
  readonly authorisationCodeAuth: TokenAccess & { readonly refreshToken: string }
  readonly headerAuth: { readonly httpHeader: string; readonly apiToken: string }
}
type TokenAccess = { readonly clientId: string; readonly clientSecret: string; readonly tokenEndpoint: string }
type Token = { readonly text: string; readonly goodUntil: number }

// A new token is requested a little before the old one ends, because a delivery also takes time.
const marginMs = 10_000

/** Makes the credentials of one webhook. `keepRefreshToken` receives each new refresh token. */
export function credentialsOver(
  outbound: Outbound,
  clock: () => Date,
  keepRefreshToken: (refreshToken: string) => void,
): Credentials {
  let token: Token | undefined
  let refreshToken: string | undefined
  const exchange = async (access: TokenAccess, grant: Readonly<Record<string, string>>): Promise<string> => {
    if (token !== undefined && token.goodUntil > clock().getTime()) return token.text
    const { clientId, clientSecret, tokenEndpoint } = access
    const form = new URLSearchParams({ ...grant, client_id: clientId, client_secret: clientSecret })
    const answer = await outbound
      .post(tokenEndpoint, formHeaders, Buffer.from(form.toString()))
      .catch((cause: unknown) => {
        throw new Error(`the token endpoint could not be reached: ${(cause as Error).message}`)
      })
    const given = answer.status === 200 ? readTokens(answer.text) : undefined
    if (given === undefined) throw new Error(`the token endpoint answered ${answer.status} without a token`)
    token = { text: given.accessToken, goodUntil: clock().getTime() + given.expiresInS * 1000 - marginMs }
    if (given.refreshToken !== undefined) keepRefreshToken((refreshToken = given.refreshToken))
    return token.text
  }
  return {
    async headers(authentication) {
      const { type, ...variants } = authentication as unknown as Variants
      if (type === 'Basic') {
        const { username, password } = variants.basicAuth
        return { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
      }
      if (type === 'ApiToken') {
        const { apiToken, authorizationScheme } = variants.apiTokenAuth
        return { Authorization: `${authorizationScheme || 'Bearer'} ${apiToken}` }
      }
      if (type === 'HttpHeader' || type === 'Header')
        return { [variants.headerAuth.httpHeader]: variants.headerAuth.apiToken }
      if (type === 'ClientCredentials') {
        const bearer = await exchange(variants.clientCredentialsAuth, { grant_type: 'client_credentials' })
        return { Authorization: `Bearer ${bearer}` }
      }
      if (type === 'AuthorisationCode') {
        const access = variants.authorisationCodeAuth
        const grant = { grant_type: 'refresh_token', refresh_token: refreshToken ?? access.refreshToken }
        return { Authorization: `Bearer ${await exchange(access, grant)}` }
      }
      return {}
    },
    renew() {
      const hadToken = token !== undefined
      token = undefined
      return hadToken
    },
  }
}

const formHeaders = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' }

function readTokens(text: string) {
  try {
    const {
      access_token: accessToken,
      refresh_token: refresh,
      expires_in: expires,
    } = JSON.parse(text) as {
      readonly [name: string]: unknown
    }
    if (typeof accessToken !== 'string' || !/^[\x21-\x7e]+$/.test(accessToken)) return undefined
    return {
      accessToken,
      refreshToken: typeof refresh === 'string' && refresh !== '' ? refresh : undefined,
      expiresInS: typeof expires === 'number' && expires > 0 ? expires : 60,
    }
  } catch {
    return undefined
  }
}

const transportHeaders =
  /^(host|content-(length|type|encoding)|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|proxy-.*)$/i

/** The reason why an authentication cannot be used although it fits the schema, undefined when it can. */
export function authenticationFault(authentication: WebhookAuthentication, outbound: Outbound): string | undefined {
  const { type, ...variants } = authentication as unknown as Partial<Variants>
  const basic = type === 'Basic' ? variants.basicAuth : undefined
  if (basic?.username.includes(':'))
    return 'basicAuth/username contains a colon, which Basic authentication does not allow.'
  const api = type === 'ApiToken' ? variants.apiTokenAuth : undefined
  if (api !== undefined && !isHeaderText(api.apiToken))
    return 'apiTokenAuth/apiToken contains characters that a header cannot carry.'
  if (api?.authorizationScheme && !/^[\w-]+$/.test(api.authorizationScheme))
    return 'apiTokenAuth/authorizationScheme must be one word.'
  const header = type === 'HttpHeader' || type === 'Header' ? variants.headerAuth : undefined
  if (
    header !== undefined &&
    (!/^[\w!#$%&'*+.^`|~-]+$/.test(header.httpHeader) || transportHeaders.test(header.httpHeader))
  )
    return 'headerAuth/httpHeader is not the name of a header that can be set.'
  if (header !== undefined && !isHeaderText(header.apiToken))
    return 'headerAuth/apiToken contains characters that a header cannot carry.'
  const access =
    type === 'ClientCredentials'
      ? variants.clientCredentialsAuth
      : type === 'AuthorisationCode'
        ? variants.authorisationCodeAuth
        : undefined
  const fault = access === undefined ? undefined : outbound.faultOf(access.tokenEndpoint)
  return fault === undefined ? undefined : `The tokenEndpoint cannot be called: ${fault}.`
}

function isHeaderText(text: string): boolean {
  return /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text)
}

const shownMembers: ReadonlySet<string> = new Set([
  'username',
  'authorizationScheme',
  'clientId',
  'tokenEndpoint',
  'httpHeader',
])

/** An authentication without its secrets, for answers. */
export function withoutSecrets(authentication: WebhookAuthentication): object {
  const { type, ...variants } = authentication as unknown as Readonly<Record<string, object>> & {
    readonly type: string
  }
  const shown = Object.entries(variants).map(([name, members]) => [
    name,
    Object.fromEntries(Object.entries(members ?? {}).filter(([member]) => shownMembers.has(member))),
  ])
  return { type, ...(Object.fromEntries(shown) as object) }
}
