/** Hides zlib: a stream of packed bytes becomes a stream of bytes, in little memory. */

import { pipeline, Readable } from 'node:stream'
import { createInflateRaw } from 'node:zlib'

const chunkBytes = 1 << 17

/** Unpacks deflated bytes; what it gives is good until the next is asked for. Throws what zlib throws when they are damaged. */
export async function* inflated(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const inflate = createInflateRaw({ chunkSize: chunkBytes })
  const copies = copied(packed)
  pipeline(Readable.from(copies, { objectMode: false }), inflate, () => undefined)
  try {
    for await (const chunk of inflate as AsyncIterable<Uint8Array<ArrayBuffer>>) {
      yield chunk
      release(chunk)
    }
  } finally {
    // Else the file would be let go of some time after the caller believes it is.
    await copies.return(undefined)
  }
}

/** Copies of chunks whose memory is used again, because the stream holds on to some while it works. */
async function* copied(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Uint8Array.from(chunk)
}

/** Frees memory that zlib has filled to its end, because some 30 MB of it would wait to be collected. */
function release({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): void {
  if (buffer.byteLength >= chunkBytes && byteOffset + byteLength === buffer.byteLength) buffer.transfer(0)
}
