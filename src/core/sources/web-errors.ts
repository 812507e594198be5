/** Hides what can go wrong with a file on the web, in words that show no secret of its address. */

import { WindrowError } from '../error.ts'
import { shownAddress } from './web-address.ts'

/** Says that fetching took too long; `how` is what took it. */
export function tooSlow(url: URL, ms: number, how: string): WindrowError {
  const long = ms >= 120_000 ? `${Math.round(ms / 60_000)} minutes` : `${ms / 1000} s`
  return new WindrowError('address-unreachable', `"${shownAddress(url)}" took longer than ${long} ${how}.`, {
    hint: 'Run it again later; if it stays so slow, download the file and name it here.',
  })
}

/** What a failed connection means, in words. */
export function webError(url: URL, cause: unknown): WindrowError {
  if (cause instanceof WindrowError) return cause
  const shown = shownAddress(url)
  const code = String((cause as NodeJS.ErrnoException).code ?? '')
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new WindrowError('address-unreachable', `There is no machine called "${url.hostname}" to be found.`, {
      hint: 'Check the spelling, and whether this machine is on the internet.',
      cause,
    })
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code))
    return new WindrowError('address-refused', `"${shown}" does not prove who it is (${code}).`, {
      hint: 'Open it in a browser: if that warns too, tell who runs it; do not read files from it until then.',
      cause,
    })
  if (code.startsWith('HPE_'))
    return new WindrowError('address-unreachable', `"${shown}" answers with something that is not http (${code}).`, {
      cause,
    })
  return new WindrowError('address-unreachable', `"${shown}" does not answer, or broke off (${code || 'no reason'}).`, {
    hint: 'Run it again.',
    cause,
  })
}

/** What a status that brings no file means, in words. */
export function statusError(url: URL, status: number): WindrowError {
  const shown = shownAddress(url)
  if (status === 404 || status === 410)
    return new WindrowError('file-missing', `There is no file at "${shown}" (${status}).`, {
      hint: 'Check the address; a link for downloading may have run out.',
    })
  if (status === 401 || status === 407)
    return new WindrowError('file-unreadable', `"${shown}" wants a sign-in (${status}).`, {
      hint: 'Write https://NAME:PASSWORD@... if it takes that, or download the file and name it here.',
    })
  if (status === 403)
    return new WindrowError('file-unreadable', `"${shown}" may not be read by you (403).`, {
      hint: 'Ask for the right to read it; a link for downloading may have run out.',
    })
  if (status === 429 || status >= 500)
    return new WindrowError('address-unreachable', `"${shown}" answers with an error of its own (${status}).`, {
      hint: 'Run it again later.',
    })
  return new WindrowError('file-unreadable', `"${shown}" answers with ${status} instead of a file.`)
}

/** The file is another one than when reading it began. */
export function changedError(url: URL): WindrowError {
  return new WindrowError('file-changed', `"${shownAddress(url)}" changed while it was being read.`, {
    hint: 'Run it again.',
  })
}

/** True for a failure of the line that may be gone in a moment. */
export function isPassing(failure: unknown): boolean {
  const { code } = ((failure as WindrowError).cause ?? {}) as NodeJS.ErrnoException
  return /^(?:ECONNRESET|ECONNREFUSED|EPIPE|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/.test(code ?? '')
}
