/**
 * Hides what stands in a continuation token: dataset, epoch of the store and sequence, with a checksum. The checksum tells a
 * made-up token from one of a store that was reset; it guards nothing, because the token gives no rights.
 */

import { createHash } from 'node:crypto'

export type Continuation = { readonly dataset: string; readonly epoch: string; readonly sequence: number }

/** Writes a token (base64, as the standard of the streaming API has it). */
export function writeToken({ dataset, epoch, sequence }: Continuation): string {
  const text = `${dataset}|${epoch}|${sequence}`
  return Buffer.from(`${text}|${checksum(text)}`).toString('base64')
}

/** Reads a token, undefined when the service never wrote it. */
export function readToken(token: string): Continuation | undefined {
  const parts = /^(([a-z-]+)\|([\w-]+)\|(\d{1,15}))\|([\w-]+)$/.exec(Buffer.from(token, 'base64').toString())
  if (parts === null || checksum(parts[1]!) !== parts[5]) return undefined
  return { dataset: parts[2]!, epoch: parts[3]!, sequence: Number(parts[4]) }
}

function checksum(text: string): string {
  return createHash('sha256').update(`continuation ${text}`).digest('base64url').slice(0, 16)
}
