/** Signs in: all calls share one token, which is renewed in time; after a refusal it never asks again. */

import { WindrowError } from '../core/error.ts'
import { jsonValue } from '../core/values/exact-json.ts'
import { tokenAddress } from './address.ts'
import {
  detailSentence,
  exchangeWithRetries,
  failing,
  unlessAborted,
  type Message,
  type Reply,
  type Wire,
} from './exchange.ts'
import type { Profile } from './profile.ts'
import { countOf, membersOf, textOf, type Secrets, type Members } from './reading.ts'

export type TokenSource = ReturnType<typeof tokenSource>

type Token = {
  readonly access: string
  readonly refresh: string | undefined
  readonly staleAt: number
  readonly expires: Date | undefined
}

type SharedSignIn = { readonly token: Promise<Token>; readonly stop: AbortController; waiting: number }

/**
 * Signs in when first asked. Simultaneous callers share one request. A refusal is kept: every later call fails with it at once,
 * because trying again with the same password may lock the account.
 */
export function tokenSource(profile: Profile, wire: Wire, secrets: Secrets) {
  const address = tokenAddress(profile.tokenUrl)
  const client = { client_id: profile.clientId, client_secret: profile.clientSecret }
  let current: Token | undefined
  let refused: WindrowError | undefined
  let pending: SharedSignIn | undefined

  const signIn = async (signal: AbortSignal): Promise<Token> => {
    const refresh = current?.refresh
    if (refresh !== undefined) {
      const form = { grant_type: 'refresh_token', ...client, refresh_token: refresh }
      const reply = await ask(wire, address, form, signal)
      if (reply.status === 200) return keep(tokenOf(reply), refresh)
    }
    const { scope, username, password } = profile
    const reply = await ask(wire, address, { grant_type: 'password', ...client, scope, username, password }, signal)
    if (reply.status === 200) return keep(tokenOf(reply), undefined)
    throw refusalOf(wire, address, reply)
  }
  const keep = (members: Members, spentRefresh: string | undefined): Token => {
    const access = bearer(members['access_token'])
    const refresh = textOf(members['refresh_token']) ?? spentRefresh
    secrets.add(access)
    secrets.add(refresh)
    secrets.add(textOf(members['id_token']))
    return { access, refresh, ...lifetimeOf(members['expires_in'], wire.clock()) }
  }
  const startSignIn = (): SharedSignIn => {
    const stop = new AbortController()
    const token = signIn(stop.signal)
    token
      .then((fresh) => void (current = fresh))
      .catch((cause: unknown) => {
        if (cause instanceof WindrowError && cause.code === 'sign-in-refused') refused = cause
      })
    return { token, stop, waiting: 0 }
  }
  const fresh = async (signal: AbortSignal | undefined): Promise<Token> => {
    if (refused !== undefined) throw refused
    pending ??= startSignIn()
    const mine = pending
    mine.waiting += 1
    try {
      return await unlessAborted(mine.token, signal)
    } finally {
      mine.waiting -= 1
      // One caller's abort must not stop the others; only the last one's stops the request.
      if (mine.waiting === 0) {
        if (pending === mine) pending = undefined
        mine.stop.abort()
      }
    }
  }
  return {
    /** A valid token. */
    async get(signal?: AbortSignal): Promise<string> {
      signal?.throwIfAborted()
      const isValid = current !== undefined && wire.clock().getTime() < current.staleAt
      return (isValid ? current! : await fresh(signal)).access
    },
    /** Another token than the one that the service just refused. */
    async renew(spent: string, signal?: AbortSignal): Promise<string> {
      signal?.throwIfAborted()
      return (current !== undefined && current.access !== spent ? current : await fresh(signal)).access
    },
    /** Signs in again, so that the token has its full lifetime, which is unknown without `expires`. */
    async fresh(signal?: AbortSignal) {
      const { access, expires } = await fresh(signal)
      return { text: access, expires }
    },
  }
}

/** The fields of a form; those without a value are left out. */
type Form = Readonly<Record<string, string | undefined>>

async function ask(wire: Wire, url: URL, form: Form, signal: AbortSignal): Promise<Reply> {
  const given = Object.entries(form).filter((field): field is [string, string] => field[1] !== undefined)
  const message: Message = {
    method: 'POST',
    url,
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      Accept: 'application/json',
      'User-Agent': 'windrow',
    },
    // Every server reads a space as %20, not every one as +.
    body: new URLSearchParams(given).toString().replaceAll('+', '%20'),
    what: 'signing in',
  }
  const reply = await exchangeWithRetries(wire, message, signal)
  if (reply.status >= 500) throw failing(wire, message, reply, { failed: 1 })
  if (reply.status >= 300 && reply.status < 400)
    throw new WindrowError(
      'service-confused',
      `${url.host} redirects the sign-in to another address (${reply.status}).`,
      { hint: 'The password was not sent there. Check the sign-in address of the connection.' },
    )
  return reply
}

function tokenOf(reply: Reply): Members {
  const members = membersOf(jsonValue(reply.text))
  if (members === undefined)
    throw new WindrowError('service-confused', 'The answer to the sign-in is not JSON.', {
      hint: 'Check the sign-in address; it may be that of a web page.',
    })
  return members
}

function bearer(value: unknown): string {
  // Anything else is not allowed in a header, and the error about that would show it.
  if (typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)) return value
  throw new WindrowError('service-confused', 'The answer to the sign-in has no usable access token.')
}

/** A tenth of the lifetime, at most a minute, is reserved for the request that uses the token. */
function lifetimeOf(expiresIn: unknown, now: Date): Pick<Token, 'staleAt' | 'expires'> {
  const lifetimeS = countOf(typeof expiresIn === 'string' ? Number(expiresIn) : expiresIn) ?? 0
  // A token without a lifetime is used until it is refused.
  if (lifetimeS === 0) return { staleAt: Infinity, expires: undefined }
  const expires = now.getTime() + lifetimeS * 1000
  return { staleAt: expires - Math.min(60_000, lifetimeS * 100), expires: new Date(expires) }
}

function refusalOf(wire: Wire, address: URL, reply: Reply): WindrowError {
  const wrongPlace = reply.status === 404 || reply.status === 405
  return new WindrowError(
    'sign-in-refused',
    wrongPlace
      ? `No sign-in was found at ${address.origin}${address.pathname} (${reply.status})${detailSentence(wire, reply)}`
      : `${address.host} does not accept the credentials (${reply.status})${detailSentence(wire, reply)}`,
    {
      hint: wrongPlace
        ? 'Check the sign-in address of the connection.'
        : 'Correct user name, password, client id or client secret first: trying again with the same ones may lock the account.',
      data: { host: address.host, status: reply.status },
    },
  )
}
