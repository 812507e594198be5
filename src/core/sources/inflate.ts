/** Unpacks deflated bytes as a stream. */

import { pipeline, Readable } from 'node:stream'
import { createInflateRaw } from 'node:zlib'

const chunkBytes = 1 << 17

/** Unpacks deflated bytes; each chunk is valid until the next is read. Throws zlib's error if they are damaged. */
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
    // Otherwise the file would be released some time after the caller believes it is.
    await copies.return(undefined)
  }
}

/** Copies chunks whose memory is reused, because the stream keeps some of them while it works. */
async function* copied(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Uint8Array.from(chunk)
}

/** Releases zlib's full buffers at once; about 30 MB of them would wait for the garbage collector. */
function release({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): void {
  if (buffer.byteLength >= chunkBytes && byteOffset + byteLength === buffer.byteLength) buffer.transfer(0)
}
