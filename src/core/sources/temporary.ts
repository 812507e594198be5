/** Creates temporary files that only their owner can read and that are gone at the latest when the process ends. */

import { randomBytes } from 'node:crypto'
import { readSync, rmSync, statSync } from 'node:fs'
import { open, rm, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { WindrowError } from '../error.ts'
import { storageFailure } from '../storage-failure.ts'

/** The path of a temporary file. `remove` may be called more than once; what is open still, Windows keeps until the process ends. */
export type TemporaryFile = { readonly path: string; remove(): Promise<void> }

const standing = new Set<string>()

/** Names a temporary file that does not exist yet; the caller must create it as new (`wx`) and for its owner alone. */
export function temporaryFile(): TemporaryFile {
  const path = join(temporaryFolder(), `windrow-${randomBytes(12).toString('hex')}`)
  // Removes the files however the process ends, except by SIGKILL.
  if (standing.size === 0) process.on('exit', removeAll)
  standing.add(path)
  return {
    path,
    async remove() {
      try {
        await rm(path, { force: true, maxRetries: 3 })
      } catch {
        return
      }
      standing.delete(path)
      if (standing.size === 0) process.off('exit', removeAll)
    },
  }
}

/** The folder for temporary files, which the environment may name wrongly. */
export function temporaryFolder(): string {
  const folder = tmpdir()
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder
  throw new WindrowError('file-missing', `"${folder}", the folder for temporary files, is not a folder.`, {
    hint: 'Make it, or name another one in the variable TMPDIR (on Windows TEMP).',
  })
}

function removeAll(): void {
  for (const path of standing)
    try {
      rmSync(path, { force: true })
    } catch {
      // Nobody can be informed at this point.
    }
}

/** Writes a stream into a new temporary file. It is removed if the stream fails or the signal aborts. */
export async function fillTemporary(input: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<TemporaryFile> {
  const file = temporaryFile()
  try {
    // A stream that never yields would keep the loop from checking the signal.
    if (signal !== undefined && input instanceof Readable) addAbortSignal(signal, input)
    await using handle = await open(file.path, 'wx', 0o600)
    for await (const chunk of input) await handle.writeFile(chunk)
    return file
  } catch (cause) {
    await file.remove()
    signal?.throwIfAborted()
    throw spoolError(cause)
  }
}

/** Explains a full disk; returns any other error unchanged. */
export function spoolError(cause: unknown, folder = tmpdir()): unknown {
  if (storageFailure(cause)?.code !== 'disk-full') return cause
  return new WindrowError('disk-full', `There is no space left for temporary files in "${folder}".`, {
    hint: 'Free some space there, or unpack or download the file yourself to a disk that has space.',
    cause,
  })
}

/** A file that is written and read at any position; `read` fills a part of `into` if that is given. */
export type WorkingBytes = {
  read(start: number, end: number, into?: Uint8Array): Promise<Uint8Array>
  write(bytes: Uint8Array, at: number): Promise<void>
}

/** Reads and writes an open file in a folder at any position; unwritten parts read as zeros or not at all. */
export function workingBytes(handle: FileHandle, folder: string): WorkingBytes {
  return {
    async read(start, end, into) {
      const wanted = Math.max(0, end - start)
      return readFully(handle, into?.subarray(0, wanted) ?? new Uint8Array(wanted), start)
    },
    write: (bytes, at) =>
      writeFully(handle, bytes, at).catch((cause: unknown) => {
        throw spoolError(cause, folder)
      }),
  }
}

/** Creates a temporary file to write and read at any position. */
export async function openTemporary(): Promise<WorkingBytes & { close(): Promise<void> }> {
  const { handle, close } = await openUnnamed()
  return { ...workingBytes(handle, tmpdir()), close }
}

/** Creates a temporary file without a name, so that nothing is left even by SIGKILL; where an open file keeps its name, until it is closed. */
export async function openUnnamed() {
  const { path, remove } = temporaryFile()
  const handle = await open(path, 'wx+', 0o600)
  await remove()
  return {
    handle,
    async close(): Promise<void> {
      await handle.close()
      await remove()
    },
  }
}

/** Fills the bytes from the file, from `start` on; returns those that exist. */
export async function readFully(handle: FileHandle, bytes: Uint8Array, start: number): Promise<Uint8Array> {
  let filled = 0
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}

/** Fills the bytes from an open file, from `start` on. Throws where the file ends before they are full. */
export function readExactly(file: number, bytes: Uint8Array, start: number): void {
  for (let filled = 0; filled < bytes.length;) {
    const read = readSync(file, bytes, filled, bytes.length - filled, start + filled)
    if (read === 0) throw new Error(`A file that windrow wrote ends before byte ${start + bytes.length}.`)
    filled += read
  }
}

/** Writes all of the bytes to the file, from `start` on. */
export async function writeFully(handle: FileHandle, bytes: Uint8Array, start: number): Promise<void> {
  for (let written = 0; written < bytes.length;)
    written += (await handle.write(bytes, written, bytes.length - written, start + written)).bytesWritten
}
