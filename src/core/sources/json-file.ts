/** Reads JSON files that may contain secrets; its errors never quote them. */

import { WindrowError } from '../error.ts'
import { fileSource, readAll } from './source.ts'

const mostBytes = 1 << 20

/** Reads a small JSON file. */
export async function readSecretJson(path: string): Promise<unknown> {
  const source = await fileSource(path)
  const bytes = await readAll(source, mostBytes)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)) as unknown
  } catch {
    // The parser's message quotes the text, which may be a secret.
    throw new WindrowError('file-damaged', `"${source.name}" is not valid JSON.`, {
      hint: 'Look for a missing comma, quote or bracket.',
    })
  }
}
