/** Downloads a file from the web in parts: each byte at most once, and never from two versions of the file. */

import { WindrowError } from '../error.ts'
import type { Download, DownloadFacts } from './kept-download.ts'
import { shownAddress } from './web-address.ts'
import {
  askWeb,
  changedError,
  isPassing,
  statusError,
  type Web,
  type WebAddress,
  type WebAnswer,
} from './web-request.ts'

/**
 * A file on the web of which every byte is downloaded at most once, from where the redirects ended. `headers` are those of the first
 * answer; `read` fills a part of `into` if that is given.
 */
export type WebFile = Awaited<ReturnType<typeof fileInParts>>

/** The size of the first request: all of a small file, and enough of a large one to recognise its format. */
export const firstBytes = 1 << 20

const blockBytes = 1 << 18
/** The most that a request downloads ahead during continuous reading. */
const mostAheadBytes = 1 << 24
/** How often an interrupted part is resumed before it fails. */
const mostBreaks = 3

/** Which part of the file an answer brings, and the file's size; undefined if it does not state them. */
export function partOf({ headers }: WebAnswer): (Span & { readonly total: number }) | undefined {
  const [, start, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers['content-range'] ?? '') ?? []
  return start === undefined ? undefined : { start: Number(start), end: Number(last) + 1, total: Number(total) }
}

/** What is known of the file; `facts` are there if it was kept from a download before. */
type Known = { readonly total: number; readonly validator: string; readonly facts?: DownloadFacts }
type Span = { readonly start: number; readonly end: number }

type Parts = {
  readonly address: WebAddress
  readonly known: Known
  readonly web: Web
  readonly bytes: Download
  /** Which blocks are downloaded. */
  readonly has: Uint8Array
  /** Where the redirects ended. */
  url: URL
  lastEnd: number
  aheadBytes: number
}

/** The facts to keep of a download with a strong tag; undefined if nothing would show that it changed. */
export function factsOf(
  { headers }: Pick<WebAnswer, 'headers'>,
  { total, fingerprint, has }: { readonly total: number; readonly fingerprint: string; readonly has: Uint8Array },
): DownloadFacts | undefined {
  const { etag } = headers
  if (etag?.startsWith('"') !== true) return undefined
  const names = ['etag', 'last-modified', 'content-type', 'content-disposition'] as const
  const said = names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]] as const]))
  const blocks = Buffer.from(has).toString('base64')
  return { tag: etag, total, fingerprint, headers: Object.fromEntries(said), blocks }
}

/** Every block of a file that is downloaded completely. */
export function allBlocks(total: number): Uint8Array {
  return new Uint8Array(Math.ceil(total / blockBytes)).fill(1)
}

/**
 * Takes the first answer, which begins with the first byte or says that the kept file is unchanged, and downloads the rest when it is
 * needed.
 */
export async function fileInParts(
  address: WebAddress,
  first: WebAnswer,
  known: Known,
  { web, download }: { readonly web: Web; readonly download: Download },
) {
  const { total, validator, facts } = known
  const fingerprint = facts?.fingerprint ?? `${validator}:${total}`
  const headers: WebAnswer['headers'] = { ...facts?.headers, ...first.headers }
  const parts: Parts = {
    address,
    known,
    web,
    bytes: download,
    has: facts === undefined ? allBlocks(total).fill(0) : Buffer.from(facts.blocks, 'base64'),
    url: first.url,
    lastEnd: 0,
    aheadBytes: blockBytes,
  }
  let turn: Promise<unknown> = Promise.resolve()
  let isSound = true
  if (facts !== undefined) first.letGo()
  else
    try {
      await take(first, { start: 0, end: Math.min(firstBytes, total) }, parts)
    } catch (cause) {
      if (!isPassing(cause)) throw cause
    }
  return {
    url: first.url,
    headers,
    size: total,
    fingerprint,
    async read(start: number, end: number, into?: Uint8Array): Promise<Uint8Array> {
      const span = { start, end: Math.min(end, total) }
      // One after the other, so that two readers never download the same block.
      turn = turn.catch(() => undefined).then(() => fetchMissing(span, parts))
      await turn.catch((cause: unknown) => {
        isSound &&= isPassing(cause)
        throw cause
      })
      return parts.bytes.read(span.start, span.end, into)
    },
    async close(): Promise<void> {
      await turn.catch(() => undefined)
      await download.close(isSound ? factsOf({ headers }, { total, fingerprint, has: parts.has }) : undefined)
    },
  }
}

async function fetchMissing({ start, end }: Span, parts: Parts): Promise<void> {
  const { has, known, web } = parts
  for (let breaks = 0; ;) {
    const block = has.indexOf(0, Math.floor(start / blockBytes))
    const begin = block * blockBytes
    if (block < 0 || begin >= end) return
    // An answer that broke off inside the block is continued there.
    const from = Math.floor(parts.lastEnd / blockBytes) === block ? parts.lastEnd : begin
    parts.aheadBytes = from === parts.lastEnd ? Math.min(parts.aheadBytes * 2, mostAheadBytes) : blockBytes
    const next = has.indexOf(1, block)
    const limit = next < 0 ? known.total : next * blockBytes
    const wanted = Math.max(Math.ceil(end / blockBytes) * blockBytes, begin + parts.aheadBytes)
    const span = { start: from, end: Math.min(limit, wanted) }
    const answer = await askPart(span, parts)
    try {
      await take(answer, span, parts)
      // A server may send less than requested, but not less and less.
      if (has[block] === 0) throw confused(answer)
    } catch (cause) {
      breaks += 1
      if (breaks === mostBreaks || !isPassing(cause)) throw cause
      await web.sleep(500 * breaks)
    }
  }
}

async function askPart({ start, end }: Span, parts: Parts): Promise<WebAnswer> {
  const { address, known, web } = parts
  const request = { headers: { range: `bytes=${start}-${end - 1}`, 'if-range': known.validator } }
  const isMoved = parts.url.href !== address.url.href
  const answer = await askWeb({ ...address, url: parts.url }, request, web)
  if (!isMoved || ![401, 403, 404, 410].includes(answer.status)) return answer
  // The addresses of redirects expire.
  answer.letGo()
  return askWeb(address, request, web)
}

/** Stores an answer and marks the complete blocks, also if it breaks off. */
async function take(answer: WebAnswer, asked: Span, parts: Parts): Promise<void> {
  const { known, bytes, has } = parts
  const { start, end } = checkedPart(answer, asked, known)
  parts.url = answer.url
  let at = start
  try {
    for await (const chunk of answer.chunks()) {
      if (at + chunk.length > end) throw confused(answer)
      await bytes.write(chunk, at)
      at += chunk.length
    }
    if (at < end) throw confused(answer)
  } finally {
    const whole = at === known.total ? has.length : Math.floor(at / blockBytes)
    has.fill(1, start / blockBytes, Math.max(whole, start / blockBytes))
    parts.lastEnd = at
  }
}

/** The part that an answer brings, if it belongs to the same file and begins where it should. */
function checkedPart(answer: WebAnswer, asked: Span, { total, validator }: Known): Span {
  const { status, url, headers } = answer
  const part = partOf(answer)
  const now = validator.startsWith('"') ? headers.etag : headers['last-modified']
  const isSame = part?.total === total && (now === undefined || now === validator)
  if (status === 206 && isSame && part.start === asked.start && part.end <= asked.end) return part
  answer.letGo()
  if (status === 206 && isSame) throw confused(answer)
  if ([200, 206, 412, 416].includes(status)) throw changedError(url)
  throw statusError(url, status)
}

function confused(answer: WebAnswer): WindrowError {
  answer.letGo()
  return new WindrowError(
    'address-unreachable',
    `The server of "${shownAddress(answer.url)}" sent other bytes than were requested.`,
    { hint: 'Download the file and give its path here.' },
  )
}
