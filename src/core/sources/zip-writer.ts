/** Writes zip files with yazl, one member after another, with nothing kept in memory. */

import { Readable, type PassThrough } from 'node:stream'
import { ZipFile } from 'yazl'
import type { Target } from './target.ts'

type Chunks = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>

/** A zip file being written. `add` resolves when the member is completely read; `finish` when the last byte is in the target, which it does not commit. */
export type ZipWriter = {
  add(name: string, chunks: Chunks): Promise<void>
  finish(): Promise<void>
}

/** The earliest time a zip file can store, so that the same members give the same bytes. */
const zipEpoch = new Date(1980, 0, 1)

/** Starts a zip file in a target. `level` is deflate's, 0 to 9. Members are written in the order they are added. */
export function zipTarget(target: Target, { level = 6 }: { readonly level?: number } = {}): ZipWriter {
  const zip = new ZipFile()
  const settings = { mtime: zipEpoch, mode: 0o100644, forceDosTimestamp: true, compressionLevel: level }
  const output = zip.outputStream as PassThrough
  let failure: { readonly cause: unknown } | undefined
  const fail = (cause: unknown): void => {
    failure ??= { cause }
    // Otherwise the pump below would wait for bytes that never come.
    output.destroy()
  }
  zip.on('error', fail)
  output.on('error', fail)
  const pumped = (async () => {
    for await (const chunk of output) await target.write(chunk as Uint8Array)
  })().catch(fail)
  const throwIfFailed = (): void => {
    if (failure !== undefined) throw failure.cause
  }
  return {
    async add(name, chunks) {
      throwIfFailed()
      const bytes = Readable.from(asBuffers(chunks), { objectMode: false, highWaterMark: 1 << 18 })
      const read = new Promise<void>((resolve) => {
        bytes.on('error', fail)
        bytes.on('close', resolve)
      })
      zip.addReadStream(bytes, name, settings)
      // If the target fails, nothing drains the stream and it would wait for ever.
      await Promise.race([read, pumped])
      if (failure !== undefined) bytes.destroy()
      throwIfFailed()
    },
    async finish() {
      throwIfFailed()
      zip.end()
      await pumped
      throwIfFailed()
    },
  }
}

async function* asBuffers(chunks: Chunks): AsyncGenerator<Buffer> {
  for await (const chunk of chunks)
    yield typeof chunk === 'string'
      ? Buffer.from(chunk, 'utf8')
      : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
}
