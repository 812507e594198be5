/** Reads passwords and other secrets: from the environment, from a file that it names, or from a file of their own. */

import { isUtf8 } from 'node:buffer'
import { open } from 'node:fs/promises'
import type { Environment, FileableVariable } from '../environment.ts'
import { WindrowError } from '../error.ts'
import { fileSource, readAll } from './source.ts'

const mostVariableBytes = 64 << 10
const mostJsonBytes = 1 << 20

/** The value of a variable, or the content of the file that its ..._FILE names, which may have so many bytes. */
export async function readVariable(
  env: Environment,
  name: FileableVariable,
  mostBytes = mostVariableBytes,
): Promise<string | undefined> {
  const plain = env[name] || undefined
  const file = env[`${name}_FILE`] || undefined
  if (file === undefined) return plain
  if (plain !== undefined)
    throw new WindrowError('option-invalid', `Both ${name} and ${name}_FILE are set.`, { hint: 'Unset one of them.' })
  const bytes = await readAll(await fileSource(file), mostBytes)
  const text = utf8In(bytes, file).replace(/\r?\n$/, '')
  if (text !== '') return text
  throw new WindrowError('file-empty', `"${file}", named by ${name}_FILE, is empty.`)
}

/** Reads a file with a password. Throws a WindrowError where others on this machine may read it, else the system's error. */
export async function readPrivateText(path: string, platform: NodeJS.Platform): Promise<string> {
  await using handle = await open(path, 'r')
  // Windows has no such bits; others cannot open the user's folder there.
  if (platform !== 'win32' && ((await handle.stat()).mode & 0o077) !== 0)
    throw new WindrowError(
      'state-unreadable',
      `"${path}" contains a password, and others on this machine can read it.`,
      { hint: 'Run chmod 600 on it, and change the password if others use this machine.' },
    )
  return utf8In(await handle.readFile(), path)
}

/** PowerShell writes > into a file as UTF-16: the service would only say that the password is wrong. */
function utf8In(bytes: Uint8Array, path: string): string {
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes)
  throw new WindrowError('encoding-unknown', `"${path}" is not UTF-8 text.`, {
    hint: 'Save it again as UTF-8, such as in Notepad. In PowerShell, use Set-Content -Encoding utf8 and not >.',
  })
}

/** Reads a small JSON file that may contain secrets; its errors never quote them. */
export async function readSecretJson(path: string): Promise<unknown> {
  const source = await fileSource(path)
  const bytes = await readAll(source, mostJsonBytes)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)) as unknown
  } catch {
    // The parser's message quotes the text, which may be a secret.
    throw new WindrowError('file-damaged', `"${source.name}" is not valid JSON.`, {
      hint: 'Look for a missing comma, quote or bracket.',
    })
  }
}
