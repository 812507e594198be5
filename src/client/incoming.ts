/** Reads requests from outside safely: bodies up to a limit, secrets compared without giving hints. */

import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares hashes, so that the time taken shows neither the length nor the first difference. */
export function isSecret(given: string, expected: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(expected))
}

/** The body as text, or undefined when it is larger than `most` bytes. */
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
