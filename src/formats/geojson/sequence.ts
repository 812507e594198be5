/** Cuts a sequence of JSON texts at its separators, so that one broken text does not affect the next. */

import { WindrowError } from '../../core/error.ts'
import { nestingOf, pieceLimitBytes, type Piece } from './geojson-scanner.ts'

/** The texts between separators (line feed, or the record separator of RFC 8142), without blank ones. */
export async function* textsBetween(
  stream: AsyncIterable<Uint8Array>,
  separator: number,
  name: string,
): AsyncGenerator<readonly Piece[]> {
  // Joined only when the text ends: joining with every chunk would take time with the square of its length.
  let held: Buffer[] = []
  let heldBytes = 0
  for await (const chunk of stream) {
    const pieces: Piece[] = []
    let from = 0
    for (let at = chunk.indexOf(separator); at >= 0; at = chunk.indexOf(separator, from)) {
      const text = Buffer.from(chunk.buffer, chunk.byteOffset + from, at - from)
      pieces.push(...wholeOf(heldBytes === 0 ? text : Buffer.concat([...held, text])))
      held = []
      heldBytes = 0
      from = at + 1
    }
    heldBytes += chunk.length - from
    if (heldBytes > pieceLimitBytes)
      throw new WindrowError('file-too-large', `A feature of "${name}" is larger than ${pieceLimitBytes >> 20} MB.`, {
        hint: 'A line break after it may be missing. Export the file again, or split that feature.',
      })
    // Copied, because the next chunk may reuse the memory.
    if (from < chunk.length) held.push(Buffer.from(chunk.subarray(from)))
    yield pieces
  }
  yield lastOf(Buffer.concat(held))
}

function wholeOf(bytes: Buffer): readonly Piece[] {
  return isBlank(bytes) ? [] : [{ kind: 'whole', bytes, depth: nestingOf(bytes) }]
}

/** The text after the last separator is complete if it is valid JSON; a sequence need not end with a line feed. */
function lastOf(bytes: Buffer): readonly Piece[] {
  const depth = nestingOf(bytes)
  if (isBlank(bytes)) return []
  try {
    JSON.parse(bytes.toString('utf8'))
    return [{ kind: 'whole', bytes, depth }]
  } catch {
    return [{ kind: 'half', bytes, depth }]
  }
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((code) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09 || code === 0x1e)
}
