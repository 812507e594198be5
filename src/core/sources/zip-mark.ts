/** Detects zip files by their first bytes, and finds where they end. */

import type { Source } from './source.ts'

/** True for the first four bytes of a zip. */
export function isZip(head: Uint8Array): boolean {
  const [p, k, third, fourth] = head
  return p === 0x50 && k === 0x4b && ((third === 3 && fourth === 4) || (third === 5 && fourth === 6))
}

const recordBytes = 22
const longestComment = 0xffff
const mostPadding = 0x10000

/** Where the zip ends: at the end of the file, or before the zeros and line breaks that some programs add. */
export async function endOfZip(source: Source): Promise<number> {
  const { size } = source
  const from = Math.max(0, size - recordBytes - longestComment - mostPadding)
  const tail = Buffer.from(await source.read(from, size))
  const record = tail.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  if (record < 0 || record + recordBytes > tail.length) return size
  const end = record + recordBytes + tail.readUInt16LE(record + recordBytes - 2)
  const isPadded = end < tail.length && tail.subarray(end).every((byte) => byte === 0 || byte === 0x0a || byte === 0x0d)
  return isPadded ? from + end : size
}
