/** Reads bytes from a file, memory or standard input. Folders are in folder.ts, members of a zip in zip.ts. */

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { WindrowError } from '../error.ts'
import { hintOfMac, isShareLost, shareLost } from '../storage-failure.ts'
import { fillTemporary, readFully } from './temporary.ts'

/**
 * Bytes with a name. `read` returns exactly the bytes asked for, fewer only at the end; `stream` starts at the first byte or at
 * the given byte each time it is called, and each chunk is valid until the next is read; `siblings` lists the files
 * beside it, at least those with a wanted name; `fingerprint` changes if the content may have changed. `members` exists if the source
 * is a folder, which has no bytes; `prefix` exists if a person can name something inside it, and is what they type before the path
 * inside; `writtenMs` exists if a server says when the file was last written, `hasChanged` if one can be asked whether it has another
 * file now: true if that cannot be known.
 */
export type Source = {
  readonly name: string
  readonly path?: string
  readonly prefix?: string
  readonly writtenMs?: number
  hasChanged?(): Promise<boolean>
  readonly size: number
  read(start: number, end: number): Promise<Uint8Array>
  stream(signal?: AbortSignal, from?: number): AsyncIterable<Uint8Array>
  siblings(isWanted?: (name: string) => boolean): Promise<readonly Source[]>
  fingerprint(): Promise<string>
  members?(): Promise<readonly Member[]>
}

/** A file in a folder or a zip. `name` is its whole path inside, with `/`; `source.name` is the last part of it. */
export type Member = { readonly name: string; readonly source: Source }

/** A source that keeps something open until it is closed, such as a temporary file. */
export type OpenedSource = { readonly source: Source; close(): Promise<void> }

/** An opened source with nothing to close. */
export function asOpened(source: Source): OpenedSource {
  return { source, close: () => Promise.resolve() }
}

/** What to do with a failure: closes first what was opened for the work, then fails. */
export function throwAfter(close: () => unknown): (cause: unknown) => Promise<never> {
  return async (cause) => {
    await close()
    throw cause
  }
}

/** Opens something inside an opened source; closing it, or failing to open it, closes both. */
export async function openedInside(
  outer: OpenedSource,
  open: (source: Source) => Promise<OpenedSource>,
): Promise<OpenedSource> {
  const { source, close } = await open(outer.source).catch(throwAfter(() => outer.close()))
  return {
    source,
    async close() {
      await close()
      await outer.close()
    },
  }
}

const chunkBytes = 1 << 18

/** Opens a file on this machine. Throws a WindrowError when it is missing, a folder or not readable. */
export async function fileSource(path: string): Promise<Source> {
  const facts = await stat(path).catch(failedToOpen(path))
  if (facts.isDirectory())
    throw new WindrowError('file-unreadable', `"${path}" is a folder, not a file.`, {
      hint: 'Choose a file inside it.',
    })
  return sourceOfFile(path, facts.size)
}

function sourceOfFile(path: string, size: number): Source {
  const failed = failedToRead(path)
  return {
    name: basename(path),
    path,
    size,
    async read(start, end) {
      await using handle = await open(path, 'r').catch(failed)
      return await readFully(handle, new Uint8Array(Math.max(0, Math.min(end, size) - start)), start).catch(failed)
    },
    stream: (signal, from = 0) => streamFile(path, size - from, from, signal),
    async siblings(isWanted = () => true) {
      const folder = dirname(path)
      const all = await readdir(folder).catch(failed)
      const names = all.filter((name) => name !== basename(path) && isWanted(name))
      const beside = names.map(async (name) => {
        const facts = await stat(join(folder, name)).catch(() => undefined)
        return facts?.isFile() ? sourceOfFile(join(folder, name), facts.size) : undefined
      })
      return (await Promise.all(beside)).filter((each) => each !== undefined)
    },
    async fingerprint() {
      const facts = await stat(path).catch(failed)
      return `${facts.size}:${facts.mtimeMs}:${facts.ino}`
    },
  }
}

/** Two buffers in turn, one being filled while the other is used: a stream of Node takes a new buffer each time, and memory grows by 60 MB. */
async function* streamFile(
  path: string,
  expected: number,
  from: number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const failed = failedToRead(path)
  const handle = await open(path, 'r').catch(failed)
  let at = from
  const fill = async (buffer: Uint8Array): Promise<Uint8Array> => {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at).catch(failed)
    at += bytesRead
    return buffer.subarray(0, bytesRead)
  }
  // A small file needs little memory, and one that grows while it is read is read on.
  const bytes = Math.max(4096, Math.min(chunkBytes, expected))
  let [free, filling] = [new Uint8Array(bytes), new Uint8Array(bytes)]
  let ahead = fill(filling)
  try {
    for (;;) {
      const chunk = await ahead
      signal?.throwIfAborted()
      if (chunk.length === 0) return
      ahead = fill(free)
      // The error is thrown when this chunk is read; until then it must not count as unhandled.
      ahead.catch(() => undefined)
      ;[free, filling] = [filling, free]
      yield chunk
    }
  } finally {
    await ahead.catch(() => undefined)
    await handle.close()
  }
}

/** Explains why a file cannot be read that was there when it was opened: if its folder is gone as well, its share or disk is. */
function failedToRead(path: string): (cause: unknown) => never {
  return (cause) => {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    throw isMissing && !existsSync(dirname(path)) ? shareLost(path, cause) : fileError(path, cause)
  }
}

/** Throws the error for a file or folder that cannot be opened. */
export function failedToOpen(path: string): (cause: unknown) => never {
  return (cause) => {
    throw fileError(path, cause)
  }
}

/** Explains why a file or folder cannot be opened. */
export function fileError(path: string, cause: unknown, platform: NodeJS.Platform = process.platform): WindrowError {
  const code = (cause as NodeJS.ErrnoException).code
  if (cause instanceof WindrowError) return cause
  if (isShareLost(cause)) return shareLost(path, cause)
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new WindrowError('file-missing', `File "${path}" was not found.`, {
      hint: 'Check the spelling and the folder.',
      cause,
    })
  if (code === 'EACCES' || code === 'EPERM')
    return new WindrowError('file-unreadable', `You do not have permission to read "${path}".`, {
      hint: hintOfMac(cause, platform) ?? 'Ask for permission to read it.',
      cause,
    })
  if (code === 'EBUSY')
    return new WindrowError('file-locked', `"${path}" is in use by another program.`, {
      hint: 'Close it there, then try again.',
      cause,
    })
  return new WindrowError('file-unreadable', `"${path}" cannot be read: ${(cause as Error).message}`, { cause })
}

/** Throws the failure when it is read. */
export function failing(failure: () => WindrowError): AsyncIterable<never> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(failure()) }) }
}

/** The parts of a source that has members but no bytes; `refusal` makes the error for anyone who reads it. */
export function withoutBytes(refusal: () => WindrowError): Pick<Source, 'size' | 'read' | 'stream' | 'siblings'> {
  return {
    size: 0,
    read: () => Promise.reject(refusal()),
    stream: () => failing(refusal),
    siblings: () => Promise.resolve([]),
  }
}

/** The bytes of a source from one place up to, not including, another. */
export async function* streamBetween(
  source: Source,
  { from, to }: { readonly from: number; readonly to: number },
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let left = to - from
  for await (const chunk of source.stream(signal, from)) {
    yield left < chunk.length ? chunk.subarray(0, left) : chunk
    left -= chunk.length
    if (left <= 0) return
  }
}

/** Copies chunks whose memory is reused, for a stream that keeps some of them while it works. */
export async function* copiesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Uint8Array.from(chunk)
}

/** Wraps bytes that are already in memory. */
export function bufferSource(name: string, bytes: Uint8Array, beside: readonly Source[] = []): Source {
  return {
    name,
    size: bytes.length,
    read: (start, end) => Promise.resolve(bytes.subarray(start, Math.min(end, bytes.length))),
    async *stream(signal, from = 0) {
      for (let at = from; at < bytes.length; at += chunkBytes) {
        signal?.throwIfAborted()
        yield bytes.subarray(at, at + chunkBytes)
      }
    },
    siblings: () => Promise.resolve(beside),
    fingerprint: () => Promise.resolve(createHash('sha256').update(bytes).digest('hex')),
  }
}

/** What standard input is called as a source. */
export const standardInput = 'standard input'

/** Copies a stream to a temporary file, because decisions want the whole of it; `close` deletes the file. */
export async function spooledSource(
  name: string,
  input: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<OpenedSource> {
  const { path, remove } = await fillTemporary(input, signal)
  const file = await fileSource(path)
  return { source: { ...file, name, siblings: () => Promise.resolve([]) }, close: remove }
}

/** The first bytes of a stream, fewer if it ends before. */
export async function beginningOf(chunks: AsyncIterable<Uint8Array>, bytes: number): Promise<Uint8Array> {
  const head = new Uint8Array(bytes)
  let filled = 0
  for await (const chunk of chunks) {
    const piece = chunk.subarray(0, bytes - filled)
    head.set(piece, filled)
    filled += piece.length
    if (filled === bytes) break
  }
  return head.subarray(0, filled)
}

/** Reads the whole of a small source; throws if it is larger than the limit. */
export async function readAll(source: Source, limitBytes: number): Promise<Uint8Array> {
  if (source.size > limitBytes)
    throw new WindrowError(
      'file-too-large',
      `"${source.name}" has ${source.size} bytes; the limit here is ${limitBytes}.`,
    )
  return source.read(0, source.size)
}
