/** Downloads a file from the web: in parts when they are needed, or completely if the server offers no parts. */

import { createHash } from 'node:crypto'
import { pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { WindrowError } from '../error.ts'
import { openDownload, type Download } from './kept-download.ts'
import { throwAfter } from './source.ts'
import { shownAddress } from './web-address.ts'
import { askWeb, statusError, type Web, type WebAddress, type WebAnswer } from './web-request.ts'
import { allBlocks, factsOf, fileInParts, firstBytes, partOf, type WebFile } from './web-parts.ts'

/**
 * Requests a file; one that is kept from a download before only if it has changed. Throws a WindrowError if there is none, or if it is
 * larger than the limit.
 */
export async function fetchFile(address: WebAddress, web: Web): Promise<WebFile> {
  const download = await openDownload(address.url, web.keptIn)
  return fetchInto(download, address, web).catch(throwAfter(() => download.close()))
}

async function fetchInto(download: Download, address: WebAddress, web: Web): Promise<WebFile> {
  const { kept } = download
  const unlessKept = kept === undefined ? {} : { 'if-none-match': kept.tag }
  const answer = await askWeb(address, { headers: { range: `bytes=0-${firstBytes - 1}`, ...unlessKept } }, web)
  if (answer.status === 304 && kept !== undefined)
    return fileInParts(address, answer, { total: kept.total, validator: kept.tag, facts: kept }, { web, download })
  if (answer.status === 200) return wholeFile(answer, web, download)
  if (answer.status === 416 && answer.headers['content-range']?.endsWith('/0') === true)
    return emptyFile(answer, download)
  if (answer.status !== 206 && answer.status !== 416) throw await refused(answer, address)
  const part = partOf(answer)
  const validator = validatorOf(answer)
  if (part !== undefined && part.start === 0 && validator !== undefined && codingOf(answer) === '') {
    checkSize(answer, part.total, web)
    return fileInParts(address, answer, { total: part.total, validator }, { web, download })
  }
  // Parts of a compressed answer, or of a file that may change unnoticed, cannot be used.
  answer.letGo()
  const whole = await askWeb(address, {}, web)
  if (whole.status !== 200) throw await refused(whole, address)
  return wholeFile(whole, web, download)
}

async function refused(answer: WebAnswer, { explain }: WebAddress): Promise<WindrowError> {
  const failure = await explain?.(answer)
  answer.letGo()
  return failure ?? statusError(answer.url, answer.status)
}

/** The header that identifies this version of the file; a weak tag does not cover every byte (RFC 9110, 13.1.5). */
function validatorOf({ headers }: WebAnswer): string | undefined {
  const { etag, 'last-modified': modified } = headers
  return etag?.startsWith('"') === true ? etag : modified
}

function codingOf({ headers }: WebAnswer): string {
  const coding = (headers['content-encoding'] ?? '').trim().toLowerCase()
  return coding === 'identity' ? '' : coding
}

function checkSize(answer: WebAnswer, bytes: number, { limits }: Web): void {
  if (bytes <= limits.bytes) return
  answer.letGo()
  throw new WindrowError(
    'file-too-large',
    `"${shownAddress(answer.url)}" has more than ${limits.bytes} bytes, the limit for files from the web.`,
    { hint: 'Download it and give its path on this machine.' },
  )
}

function emptyFile(answer: WebAnswer, download: Download): WebFile {
  answer.letGo()
  const { url, headers } = answer
  const read = (): Promise<Uint8Array> => Promise.resolve(new Uint8Array(0))
  return { url, headers, size: 0, fingerprint: 'empty', read, close: () => download.close() }
}

async function wholeFile(answer: WebAnswer, web: Web, download: Download): Promise<WebFile> {
  const { url, headers } = answer
  checkSize(answer, Number(headers['content-length'] ?? 0), web)
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of unpacked(answer)) {
    checkSize(answer, size + chunk.length, web)
    hash.update(chunk)
    await download.write(chunk, size)
    size += chunk.length
  }
  const fingerprint = hash.digest('hex')
  return {
    url,
    headers,
    size,
    fingerprint,
    read: (start, end, into) => download.read(start, Math.min(end, size), into),
    close: () => download.close(factsOf(answer, { total: size, fingerprint, has: allBlocks(size) })),
  }
}

const unpackers: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** The bytes before the server compressed them, which some servers do without being asked. */
async function* unpacked(answer: WebAnswer): AsyncGenerator<Uint8Array> {
  const coding = codingOf(answer)
  if (coding === '') {
    yield* answer.chunks()
    return
  }
  const shown = shownAddress(answer.url)
  const unpacker = unpackers[coding]?.()
  if (unpacker === undefined) {
    answer.letGo()
    throw new WindrowError('file-unreadable', `"${shown}" is compressed in a way windrow does not know (${coding}).`, {
      hint: 'Download it and give its path on this machine.',
    })
  }
  pipeline(Readable.from(answer.chunks(), { objectMode: false }), unpacker, () => undefined)
  try {
    for await (const chunk of unpacker) yield chunk as Uint8Array
  } catch (cause) {
    if (!/^Z_|^ERR__?BROTLI/.test(String((cause as NodeJS.ErrnoException).code))) throw cause
    throw new WindrowError('file-damaged', `"${shown}" arrives damaged.`, {
      hint: 'Run it again, or download the file and give its path here.',
      cause,
    })
  }
}
