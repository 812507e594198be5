/** Checks the addresses that windrow calls: https everywhere, plain http on this machine only, and no link leads to another origin. */

import { isIP } from 'node:net'
import { WindrowError } from '../core/error.ts'

/** Where the token endpoint is, below the path of a realm. */
export const tokenPath = '/protocol/openid-connect/token'

/** Checks the base address of a service; the result has no slash at its end, no query and no credentials in it. */
export function serviceAddress(text: string): URL {
  const url = safeAddress(text, 'service')
  if (url.search !== '')
    throw new WindrowError('option-invalid', 'The service address contains a question mark.', {
      hint: 'Give the part before the question mark.',
    })
  url.pathname = url.pathname.replace(/\/+$/, '')
  return url
}

/** Checks the sign-in address; one that does not end in a token path gets the usual ending. */
export function tokenAddress(text: string): URL {
  const url = safeAddress(text, 'sign-in')
  const path = url.pathname.replace(/\/+$/, '')
  url.pathname = path.endsWith('/token') ? path : `${path}${tokenPath}`
  return url
}

function safeAddress(text: string, what: 'service' | 'sign-in'): URL {
  const hint = `Write it like https://${what === 'service' ? 'service.example/api' : 'login.example/realms/farms'}.`
  // The part before an @ may be a password: such an address is never shown.
  const shown = text.includes('@') ? '' : ` "${text.slice(0, 200)}"`
  const url = URL.parse(text)
  if (url === null)
    throw new WindrowError('option-invalid', `The ${what} address${shown} is not a web address.`, { hint })
  if (url.username !== '' || url.password !== '')
    throw new WindrowError('option-invalid', `The ${what} address contains a user name or password.`, {
      hint: 'Remove it from the address and give user name and password separately.',
    })
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new WindrowError(
      'option-invalid',
      `The ${what} address is plain http to ${url.host}; anybody in between could read the password.`,
      { hint: 'Use https. Plain http is allowed only for a service on this machine.' },
    )
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new WindrowError('option-invalid', `The ${what} address${shown} does not start with https://.`, { hint })
  url.hash = ''
  return url
}

/** True for a host name or an address of this machine itself. */
export function isLoopback(host: string): boolean {
  // A socket that listens on IPv6 and IPv4 shows IPv4 callers like this.
  const bare = host.replace(/^::ffff:(?=\d)/, '').replace(/^\[(.*)\]$/, '$1')
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'))
}

/** Resolves a link that the service gave. Throws when it leads away from the service's own origin. */
export function ownLink(link: string, document: URL, what: string): URL {
  const url = URL.parse(link, document.href)
  if (url === null) throw new WindrowError('service-confused', `The service gave an invalid address for ${what}.`)
  if (url.origin !== document.origin)
    throw new WindrowError(
      'service-confused',
      `The service gave an address at ${url.origin === 'null' ? url.protocol : url.origin} for ${what}, but this connection is for ${document.origin}. Nothing was sent there.`,
      { hint: 'If the service has moved, connect to its new address. Otherwise report this to its operator.' },
    )
  if (url.username !== '' || url.password !== '')
    throw new WindrowError(
      'service-confused',
      `The service gave an address that contains a user name or password for ${what}.`,
    )
  url.hash = ''
  return url
}

/** Joins the parts to a path, each percent-encoded. Throws for a part that would change the path: empty, `.` or `..`. */
export function pathOf(...parts: readonly string[]): string {
  const unfit = parts.find((part) => part === '' || part === '.' || part === '..' || !part.isWellFormed())
  if (unfit !== undefined)
    throw new WindrowError('option-invalid', `"${unfit.toWellFormed()}" is not a valid id.`, {
      hint: 'Copy the id as the service shows it.',
    })
  return `/${parts.map(encodeURIComponent).join('/')}`
}

/** Makes the query of these parameters, question mark included; parameters without a value are left out. A + is sent as %2B, a space as %20. */
export function queryOf(parameters: { readonly [name: string]: string | number | boolean | undefined }): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(String(value).toWellFormed())}`],
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}
