/** Explains what went wrong with a file on the web, without the secrets of its address. */

import { WindrowError } from '../error.ts'
import { shownAddress } from './web-address.ts'

/** The error for a download that took too long; `how` describes the limit. */
export function tooSlow(url: URL, ms: number, how: string): WindrowError {
  const long = ms >= 120_000 ? `${Math.round(ms / 60_000)} minutes` : `${ms / 1000} s`
  return new WindrowError('address-unreachable', `"${shownAddress(url)}" took longer than ${long} ${how}.`, {
    hint: 'Run it again later. If it stays slow, download the file and give its path here.',
  })
}

/** Explains a failed connection. */
export function webError(url: URL, cause: unknown): WindrowError {
  if (cause instanceof WindrowError) return cause
  const shown = shownAddress(url)
  const code = String((cause as NodeJS.ErrnoException).code ?? '')
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new WindrowError('address-unreachable', `Host "${url.hostname}" was not found.`, {
      hint: 'Check the spelling and your internet connection.',
      cause,
    })
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code))
    return new WindrowError('address-refused', `"${shown}" has no valid certificate (${code}).`, {
      hint: 'Open it in a browser. If that warns too, inform the owner of the site, and do not read files from it until then.',
      cause,
    })
  if (code.startsWith('HPE_'))
    return new WindrowError('address-unreachable', `"${shown}" does not answer in http (${code}).`, { cause })
  return new WindrowError(
    'address-unreachable',
    `"${shown}" does not answer, or the connection broke (${code || 'no reason given'}).`,
    { hint: 'Run it again.', cause },
  )
}

/** Explains a status that brings no file. */
export function statusError(url: URL, status: number): WindrowError {
  const shown = shownAddress(url)
  if (status === 404 || status === 410)
    return new WindrowError('file-missing', `There is no file at "${shown}" (${status}).`, {
      hint: 'Check the address; a download link may have expired.',
    })
  if (status === 401 || status === 407)
    return new WindrowError('file-unreadable', `"${shown}" requires a sign-in (${status}).`, {
      hint: 'Set its password or key in WINDROW_WEB_SECRETS, or download the file and give its path here.',
    })
  if (status === 403)
    return new WindrowError('file-unreadable', `You do not have permission to read "${shown}" (403).`, {
      hint: 'Ask for permission to read it; a download link may have expired.',
    })
  if (status === 429 || status >= 500)
    return new WindrowError('address-unreachable', `The server of "${shown}" reports an error (${status}).`, {
      hint: 'Run it again later.',
    })
  return new WindrowError('file-unreadable', `"${shown}" answers with ${status} instead of a file.`)
}

/** The error for a file that changed after reading began. */
export function changedError(url: URL): WindrowError {
  return new WindrowError('file-changed', `"${shownAddress(url)}" changed while it was being read.`, {
    hint: 'Run it again.',
  })
}

/** True for a connection failure that may be temporary. */
export function isPassing(failure: unknown): boolean {
  const { code } = ((failure as WindrowError).cause ?? {}) as NodeJS.ErrnoException
  return /^(?:ECONNRESET|ECONNREFUSED|EPIPE|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/.test(code ?? '')
}
