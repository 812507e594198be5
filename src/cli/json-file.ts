/** Hides how a JSON file that was named on the command line is read; what is wrong with it is said without showing what it holds. */

import { WindrowError } from '../core/error.ts'
import { fileSource, readAll } from '../core/sources/source.ts'

const mostBytes = 1 << 20

/** Reads a small JSON file that may hold secrets. */
export async function readSecretJson(path: string): Promise<unknown> {
  const source = await fileSource(path)
  const bytes = await readAll(source, mostBytes)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)) as unknown
  } catch {
    // The parser's message quotes the text, and the text may hold a secret: it is not passed on.
    throw new WindrowError('file-damaged', `"${source.name}" is not JSON.`, {
      hint: 'Look for a missing comma, quote or bracket.',
    })
  }
}
