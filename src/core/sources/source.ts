/** Hides where bytes come from: a file, memory, standard input. Folders are in folder.ts, members of a zip in zip.ts. */

import { createHash } from 'node:crypto'
import { open, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { WindrowError } from '../error.ts'
import { fillTemporary, readFully } from './temporary.ts'

/**
 * Bytes with a name. `read` gives exactly the bytes asked for, fewer only at the end; `stream` starts at the first byte each
 * time it is called, or at the byte that is named, and what it gives is good until the next is asked for; `siblings` lists what
 * lies beside it; `fingerprint` changes when the content may have changed. `members` is there where the source is a folder, which has no bytes of its own;
 * `prefix` where a person can name something in it, and is what they type before its path in there.
 */
export type Source = {
  readonly name: string
  readonly path?: string
  readonly prefix?: string
  readonly size: number
  read(start: number, end: number): Promise<Uint8Array>
  stream(signal?: AbortSignal, from?: number): AsyncIterable<Uint8Array>
  siblings(): Promise<readonly Source[]>
  fingerprint(): Promise<string>
  members?(): Promise<readonly Member[]>
}

/** A file in a folder or a zip. `name` is its whole path in there with `/`; `source.name` is the last part of it. */
export type Member = { readonly name: string; readonly size: number; readonly source: Source }

/** A source that holds something until it is closed, such as a temporary file. */
export type OpenedSource = { readonly source: Source; close(): Promise<void> }

const chunkBytes = 1 << 18

/** Opens a file on this machine. Throws a WindrowError when it is missing, a folder or not readable. */
export async function fileSource(path: string): Promise<Source> {
  const facts = await stat(path).catch((cause: unknown) => {
    throw fileError(path, cause)
  })
  if (facts.isDirectory())
    throw new WindrowError('file-unreadable', `"${path}" is a folder, not a file.`, {
      hint: 'Name a file inside it.',
    })
  return sourceOfFile(path, facts.size)
}

function sourceOfFile(path: string, size: number): Source {
  return {
    name: basename(path),
    path,
    size,
    async read(start, end) {
      const handle = await open(path, 'r').catch((cause: unknown) => {
        throw fileError(path, cause)
      })
      try {
        return await readFully(handle, new Uint8Array(Math.max(0, Math.min(end, size) - start)), start)
      } finally {
        await handle.close()
      }
    },
    stream: (signal, from = 0) => streamFile(path, from, signal),
    async siblings() {
      const folder = dirname(path)
      const names = (await readdir(folder)).filter((name) => name !== basename(path))
      const beside = names.map(async (name) => {
        const facts = await stat(join(folder, name)).catch(() => undefined)
        return facts?.isFile() ? sourceOfFile(join(folder, name), facts.size) : undefined
      })
      return (await Promise.all(beside)).filter((each) => each !== undefined)
    },
    async fingerprint() {
      const facts = await stat(path).catch((cause: unknown) => {
        throw fileError(path, cause)
      })
      return `${facts.size}:${facts.mtimeMs}:${facts.ino}`
    },
  }
}

/**
 * Two buffers by turns, one being filled while the other is worked on. A stream of Node takes a new buffer each time, and
 * some 60 MB of them pile up before they are collected.
 */
async function* streamFile(path: string, from: number, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const failed = (cause: unknown): never => {
    throw fileError(path, cause)
  }
  const handle = await open(path, 'r').catch(failed)
  let at = from
  const fill = async (buffer: Uint8Array): Promise<Uint8Array> => {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at).catch(failed)
    at += bytesRead
    return buffer.subarray(0, bytesRead)
  }
  let [free, filling] = [new Uint8Array(chunkBytes), new Uint8Array(chunkBytes)]
  let ahead = fill(filling)
  try {
    for (;;) {
      const chunk = await ahead
      signal?.throwIfAborted()
      if (chunk.length === 0) return
      ahead = fill(free)
      // Looked at when its turn comes; until then it is no unhandled rejection.
      ahead.catch(() => undefined)
      ;[free, filling] = [filling, free]
      yield chunk
    }
  } finally {
    await ahead.catch(() => undefined)
    await handle.close()
  }
}

/** Says why a file or folder cannot be opened. */
export function fileError(path: string, cause: unknown): WindrowError {
  const code = (cause as NodeJS.ErrnoException).code
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new WindrowError('file-missing', `There is no file "${path}".`, {
      hint: 'Check the spelling and the folder.',
      cause,
    })
  if (code === 'EACCES' || code === 'EPERM')
    return new WindrowError('file-unreadable', `"${path}" may not be read by this user.`, {
      hint: 'Ask for the right to read it.',
      cause,
    })
  if (code === 'EBUSY')
    return new WindrowError('file-unreadable', `"${path}" is held by another program.`, {
      hint: 'Close it there, then try again.',
      cause,
    })
  return new WindrowError('file-unreadable', `"${path}" cannot be read: ${(cause as Error).message}`, { cause })
}

/** Gives nothing but the failure, when it is asked for something. */
export function failing(failure: () => WindrowError): AsyncIterable<never> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(failure()) }) }
}

/** What a source is like that has members and no bytes of its own; `refusal` says so to who asks for them. */
export function withoutBytes(refusal: () => WindrowError): Pick<Source, 'size' | 'read' | 'stream' | 'siblings'> {
  return {
    size: 0,
    read: () => Promise.reject(refusal()),
    stream: () => failing(refusal),
    siblings: () => Promise.resolve([]),
  }
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

/** Reads the whole of a small source; refuses one above the limit. */
export async function readAll(source: Source, limitBytes: number): Promise<Uint8Array> {
  if (source.size > limitBytes)
    throw new WindrowError(
      'file-too-large',
      `"${source.name}" holds ${source.size} bytes; at most ${limitBytes} are read at once.`,
    )
  return source.read(0, source.size)
}
