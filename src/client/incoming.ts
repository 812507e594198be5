/** Hides how a request from outside is read without trusting it: no more than there is room for, secrets without a hint of them. */

import { createHash, timingSafeEqual } from 'node:crypto'

/** Compared as hashes, so that the time taken says nothing about where the first difference is, nor about the length. */
export function isSecret(given: string, expected: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(expected))
}

/** The body as text, or undefined when it is larger. */
export async function bodyWithin(request: Request, most: number): Promise<string | undefined> {
  if (Number(request.headers.get('content-length') ?? 0) > most) return undefined
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.length
    if (size > most) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
