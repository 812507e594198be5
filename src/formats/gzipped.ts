/** Writes a text format through gzip, for names that end in .gz. */

import { once } from 'node:events'
import { createGzip } from 'node:zlib'
import { WindrowError } from '../core/error.ts'
import { throwAfter } from '../core/sources/source.ts'
import type { Target } from '../core/sources/target.ts'
import type { Format } from './format.ts'

/** The format itself, or, for a name that ends in .gz, one that writes the same through gzip. Throws if it is no text format. */
export function gzippedByName(path: string, format: Format): Format {
  const { write } = format
  if (!/\.gz$/i.test(path) || write === undefined) return format
  if (format.isText !== true)
    throw new WindrowError('format-cannot-write', `${format.title} files are not packed with gzip.`, {
      hint: 'They are packed already: leave out .gz. Text such as .csv.gz or .geojson.gz can be packed.',
    })
  return {
    ...format,
    async write(tables, target, options) {
      const packed = gzipTarget(target)
      const written = await write(tables, packed.target, options).catch(throwAfter(packed.stop))
      await packed.end().catch(throwAfter(packed.stop))
      return written
    },
  }
}

function gzipTarget(inner: Target): { readonly target: Target; end(): Promise<void>; stop(): void } {
  const gzip = createGzip()
  const pumped = (async () => {
    for await (const chunk of gzip as AsyncIterable<Buffer>) await inner.write(chunk)
  })()
  // A full disk must end the write that waits for room; whoever calls `end` gets the failure.
  pumped.catch((cause: unknown) => gzip.destroy(cause as Error))
  gzip.on('error', () => undefined)
  return {
    target: {
      ...inner,
      name: inner.name.replace(/\.gz$/i, ''),
      async write(bytes) {
        if (gzip.destroyed) await pumped
        if (!gzip.write(bytes)) await Promise.race([once(gzip, 'drain'), pumped])
      },
    },
    async end() {
      gzip.end()
      await pumped
    },
    stop: () => void gzip.destroy(),
  }
}
