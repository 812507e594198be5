/** Keeps bytes on disk until they can be added to their zip. */

import { openTemporary } from '../../core/sources/temporary.ts'

/** A temporary file that is written to its end, then read from its start. */
export type Spool = Awaited<ReturnType<typeof openSpool>>

const chunkBytes = 1 << 18

/** Starts a spool in a new file that only its owner can read. */
export async function openSpool() {
  const file = await openTemporary()
  let size = 0
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  const flush = async (): Promise<void> => {
    const bytes = Buffer.concat(waiting)
    waiting = []
    waitingBytes = 0
    await file.write(bytes, size - bytes.length)
  }
  return {
    get size() {
      return size
    },
    add(bytes: Uint8Array): Promise<void> | undefined {
      waiting.push(bytes)
      waitingBytes += bytes.length
      size += bytes.length
      return waitingBytes < chunkBytes ? undefined : flush()
    },
    async *chunks(): AsyncGenerator<Uint8Array> {
      await flush()
      for (let at = 0; at < size; at += chunkBytes) yield file.read(at, Math.min(at + chunkBytes, size))
    },
    close: file.close,
  }
}
