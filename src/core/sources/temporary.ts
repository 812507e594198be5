/** Hides files that live only while somebody reads them: for their owner alone, gone at the latest when the process ends. */

import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { open, rm, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { WindrowError } from '../error.ts'
import { storageFailure } from '../storage-failure.ts'

/** The place of a temporary file. `remove` may be called more than once. */
export type TemporaryFile = { readonly path: string; remove(): Promise<void> }

const standing = new Set<string>()

/** Names a temporary file that does not exist yet; whoever makes it opens it as new (`wx`) and for its owner alone. */
export function temporaryFile(): TemporaryFile {
  const path = join(tmpdir(), `windrow-${randomBytes(12).toString('hex')}`)
  // However the process ends, short of being killed outright, nobody's records stay behind.
  if (standing.size === 0) process.on('exit', removeAll)
  standing.add(path)
  return {
    path,
    async remove() {
      await rm(path, { force: true, maxRetries: 3 })
      standing.delete(path)
      if (standing.size === 0) process.off('exit', removeAll)
    },
  }
}

function removeAll(): void {
  for (const path of standing)
    try {
      rmSync(path, { force: true })
    } catch {
      // Windows keeps a file that is still open; there is nobody left to tell.
    }
}

/** Writes a stream into a new temporary file. What was written is gone when the stream fails or the signal says stop. */
export async function fillTemporary(input: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<TemporaryFile> {
  const file = temporaryFile()
  try {
    // A stream that nobody feeds would never let the loop see the signal.
    if (signal !== undefined && input instanceof Readable) addAbortSignal(signal, input)
    const handle = await open(file.path, 'wx', 0o600)
    try {
      for await (const chunk of input) await handle.writeFile(chunk)
    } finally {
      await handle.close()
    }
    return file
  } catch (cause) {
    await file.remove()
    signal?.throwIfAborted()
    throw spoolError(cause)
  }
}

/** Says in words that the disk is full; anything else stays what it is. */
export function spoolError(cause: unknown): unknown {
  if (storageFailure(cause)?.code !== 'disk-full') return cause
  return new WindrowError('disk-full', `There is no room left for temporary files in "${tmpdir()}".`, {
    hint: 'Make room there, or unpack or download the file yourself to a disk that has it.',
    cause,
  })
}

/** A temporary file that is written and read at any place; `read` fills a part of `into` where that is given. */
export type TemporaryBytes = {
  read(start: number, end: number, into?: Uint8Array): Promise<Uint8Array>
  write(bytes: Uint8Array, at: number): Promise<void>
  close(): Promise<void>
}

/** Makes a temporary file to write and read at any place; what was never written reads as zeros or not at all. */
export async function openTemporary(): Promise<TemporaryBytes> {
  const file = temporaryFile()
  const handle = await open(file.path, 'wx+', 0o600)
  return {
    async read(start, end, into) {
      const wanted = Math.max(0, end - start)
      return readFully(handle, into?.subarray(0, wanted) ?? new Uint8Array(wanted), start)
    },
    async write(bytes, at) {
      try {
        for (let written = 0; written < bytes.length;)
          written += (await handle.write(bytes, written, bytes.length - written, at + written)).bytesWritten
      } catch (cause) {
        throw spoolError(cause)
      }
    },
    async close() {
      await handle.close()
      await file.remove()
    },
  }
}

/** Fills the bytes from the file, from `start` on; gives those there were. */
export async function readFully(handle: FileHandle, bytes: Uint8Array, start: number): Promise<Uint8Array> {
  let filled = 0
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}
