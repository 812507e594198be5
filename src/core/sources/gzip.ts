/** Unpacks a file that is packed with gzip, such as plots.csv.gz, into a temporary file. */

import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { WindrowError } from '../error.ts'
import { asOpened, copiesOf, openedInside, spooledSource, type OpenedSource, type Source } from './source.ts'

/** Deflate reaches 1032 on zeros. The emptiest real .dbf (wide blank columns, a number per row) stays below 300. */
export const mostTimes = 500
/** Up to here any file may unpack: small tables of blanks compress very well. */
export const uncheckedBytes = 32 * 2 ** 20

/** What is packed in the opened file; the file itself if it is not packed with gzip. */
export async function withoutGzip(opened: OpenedSource, signal?: AbortSignal): Promise<OpenedSource> {
  if (opened.source.members !== undefined) return opened
  return openedInside(opened, async (source) => {
    const [first, second] = await source.read(0, 2)
    if (first !== 0x1f || second !== 0x8b) return asOpened(source)
    const inner = await spooledSource(source.name.replace(/\.gz$/i, ''), unpack(source, signal), signal)
    return { source: { ...source, ...inner.source, fingerprint: () => source.fingerprint() }, close: inner.close }
  })
}

async function* unpack(source: Source, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  let bytes = 0
  try {
    for await (const chunk of pipeline(copiesOf(source.stream(signal)), createGunzip(), () => undefined)) {
      bytes += (chunk as Buffer).length
      if (bytes > uncheckedBytes && bytes > source.size * mostTimes)
        throw new WindrowError(
          'file-too-large',
          `"${source.name}" unpacks to more than ${mostTimes} times its packed size, which no table of a farm does.`,
          { hint: 'Check where it comes from.' },
        )
      yield chunk as Buffer
    }
  } catch (cause) {
    if (!String((cause as NodeJS.ErrnoException).code).startsWith('Z_')) throw cause
    throw new WindrowError('file-damaged', `"${source.name}" cannot be unpacked: it is damaged or cut off.`, {
      hint: 'Copy, download or export it again.',
      cause,
    })
  }
}
