/** Reads the passwords and keys for files on the web, which the operator sets, and gives each to its own site only. */

import type { Environment } from '../environment.ts'
import { WindrowError } from '../error.ts'
import { readVariable } from './secret-text.ts'
import { decoded, isOwnMachine } from './web-address.ts'
import type { Credentials } from './web-request.ts'

type SignIn = { readonly origin: string; readonly path: string; readonly headers: Readonly<Record<string, string>> }

/**
 * The credentials for an address; undefined if none are set for it. They belong to a site, not to a pipeline: a pipeline from
 * somebody else must not choose where a secret goes.
 */
export async function credentialsFor(url: URL, env: Environment): Promise<Credentials | undefined> {
  const text = await readVariable(env, 'WINDROW_WEB_SECRETS')
  if (text === undefined) return undefined
  const signIns = text.split('\n').flatMap((line, index) => {
    const written = line.trim()
    return written === '' || written.startsWith('#') ? [] : [signInOf(written, index + 1)]
  })
  const all = signIns
    .filter(({ origin }) => origin === url.origin)
    .toSorted((one, other) => other.path.length - one.path.length)
  // A redirect within the site may lead to another path; one to another site gets nothing.
  return ({ url: { origin, pathname } }) =>
    all.find((each) => each.origin === origin && isWithin(pathname, each.path))?.headers ?? {}
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

/** Reads a line; an error does not repeat it. */
function signInOf(written: string, line: number): SignIn {
  const refuse = (why: string): never => {
    throw new WindrowError('option-invalid', `Line ${line} of WINDROW_WEB_SECRETS ${why}.`, {
      hint: 'Write one sign-in a line: https://NAME:PASSWORD@farms.example/reports, or https://farms.example/reports X-Api-Key: KEY.',
    })
  }
  const [, address = '', name, value] = /^(\S+)(?:\s+([\w-]+):\s*(\S.*))?$/.exec(written) ?? []
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return refuse('does not begin with a web address')
  const { protocol, hostname, origin, pathname, username, password } = new URL(address)
  if (protocol === 'http:' && !isOwnMachine(hostname))
    return refuse('would send a secret over plain http, where anybody on the network can read it')
  const isNamed = username !== '' || password !== ''
  if (isNamed === (name !== undefined)) return refuse('has not exactly one of a user name and a header')
  if (name !== undefined && !/^[\t\x20-\x7e\x80-\xff]*$/.test(value!))
    return refuse('has a character that a header cannot have')
  const basic = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')
  const headers = name === undefined ? { authorization: `Basic ${basic}` } : { [name.toLowerCase()]: value! }
  return { origin, path: pathname, headers }
}
