/** Makes the credentials with which the service signs in to a subscriber (section 6), and keeps its tokens. */

import { isObject, jsonValue } from '../../core/values/exact-json.ts'
import { tokenAccessOf, variantsOf, type WebhookAuthentication } from '../../resources/webhook.ts'
import type { Outbound } from './outbound.ts'

export type Credentials = ReturnType<typeof credentialsOver>

// A new token is requested a little before the old one ends, because a delivery also takes time.
const marginMs = 10_000

/** Makes the credentials of one webhook. `keepRefreshToken` receives each new refresh token. */
export function credentialsOver(
  outbound: Outbound,
  clock: () => Date,
  keepRefreshToken: (refreshToken: string) => void,
) {
  let token: { readonly text: string; readonly goodUntil: number } | undefined
  let refreshToken: string | undefined
  const tokenFor = async (access: NonNullable<ReturnType<typeof tokenAccessOf>>): Promise<string> => {
    if (token !== undefined && token.goodUntil > clock().getTime()) return token.text
    const { clientId, clientSecret, tokenEndpoint, refreshToken: first } = access
    const grant =
      first === undefined
        ? { grant_type: 'client_credentials' }
        : { grant_type: 'refresh_token', refresh_token: refreshToken ?? first }
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
    async headers(authentication: WebhookAuthentication): Promise<Readonly<Record<string, string>>> {
      const { type, basicAuth, apiTokenAuth, headerAuth } = variantsOf(authentication)
      if (type === 'Basic') {
        const { username, password } = basicAuth
        return { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
      }
      if (type === 'ApiToken')
        return { Authorization: `${apiTokenAuth.authorizationScheme || 'Bearer'} ${apiTokenAuth.apiToken}` }
      if (type === 'HttpHeader' || type === 'Header') return { [headerAuth.httpHeader]: headerAuth.apiToken }
      const access = tokenAccessOf(authentication)
      return access === undefined ? {} : { Authorization: `Bearer ${await tokenFor(access)}` }
    },
    /** Forgets a token that a subscriber did not accept; true if there was one. */
    renew(): boolean {
      const hadToken = token !== undefined
      token = undefined
      return hadToken
    },
  }
}

const formHeaders = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' }

function readTokens(text: string) {
  const given = jsonValue(text)
  if (!isObject(given)) return undefined
  const { access_token: accessToken, refresh_token: refresh, expires_in: expires } = given
  if (typeof accessToken !== 'string' || !/^[\x21-\x7e]+$/.test(accessToken)) return undefined
  return {
    accessToken,
    refreshToken: typeof refresh === 'string' && refresh !== '' ? refresh : undefined,
    expiresInS: typeof expires === 'number' && expires > 0 ? expires : 60,
  }
}

const transportHeaders =
  /^(host|content-(length|type|encoding)|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|proxy-.*)$/i

/** The reason why an authentication cannot be used although it fits the schema, undefined when it can. */
export function authenticationFault(authentication: WebhookAuthentication, outbound: Outbound): string | undefined {
  const { type, basicAuth, apiTokenAuth, headerAuth } = variantsOf(authentication)
  if (type === 'Basic' && basicAuth.username.includes(':'))
    return 'basicAuth/username contains a colon, which Basic authentication does not allow.'
  if (type === 'ApiToken') {
    const { apiToken, authorizationScheme } = apiTokenAuth
    if (!isHeaderText(apiToken)) return 'apiTokenAuth/apiToken contains characters that a header cannot carry.'
    if (authorizationScheme && !/^[\w-]+$/.test(authorizationScheme))
      return 'apiTokenAuth/authorizationScheme must be one word.'
  }
  if (type === 'HttpHeader' || type === 'Header') {
    const { httpHeader, apiToken } = headerAuth
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(httpHeader) || transportHeaders.test(httpHeader))
      return 'headerAuth/httpHeader is not the name of a header that can be set.'
    if (!isHeaderText(apiToken)) return 'headerAuth/apiToken contains characters that a header cannot carry.'
  }
  const access = tokenAccessOf(authentication)
  const fault = access && outbound.faultOf(access.tokenEndpoint)
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
export function shownAuthentication(authentication: WebhookAuthentication): object {
  const { type, ...variants } = variantsOf(authentication)
  const shown = Object.entries(variants).map(([name, members]) => [
    name,
    Object.fromEntries(Object.entries(members ?? {}).filter(([member]) => shownMembers.has(member))),
  ])
  return { type, ...(Object.fromEntries(shown) as object) }
}
