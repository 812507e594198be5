/** Keeps bytes on disk until they can be added to their zip. */

import { open } from 'node:fs/promises'

/** A temporary file that is written to its end, then read from its start. */
export type Spool = {
  readonly size: number
  add(bytes: Uint8Array): Promise<void> | undefined
  chunks(): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

const chunkBytes = 1 << 18

/** Starts a spool in a new file that only its owner can read. */
export async function openSpool(path: string): Promise<Spool> {
  const handle = await open(path, 'wx+', 0o600)
  let size = 0
  let written = 0
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  const flush = async (): Promise<void> => {
    const bytes = Buffer.concat(waiting)
    waiting = []
    waitingBytes = 0
    for (let at = 0; at < bytes.length;) {
      const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, written)
      at += bytesWritten
      written += bytesWritten
    }
  }
  return {
    get size() {
      return size
    },
    add(bytes) {
      waiting.push(bytes)
      waitingBytes += bytes.length
      size += bytes.length
      return waitingBytes < chunkBytes ? undefined : flush()
    },
    async *chunks() {
      await flush()
      for (let at = 0; at < size;) {
        const { bytesRead, buffer } = await handle.read(Buffer.alloc(chunkBytes), 0, chunkBytes, at)
        if (bytesRead === 0) throw new Error('A temporary file became shorter while it was read.')
        at += bytesRead
        yield buffer.subarray(0, bytesRead)
      }
    },
    close: () => handle.close(),
  }
}
