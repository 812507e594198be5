/** Writes a file to a store that speaks S3: it is there when all of it has arrived, or not at all. */

import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { WindrowError } from '../error.ts'
import { s3Address, shownPlace, textOf, type S3Address } from './s3.ts'
import { fileSource, type Source } from './source.ts'
import { openWeb, type WebOptions } from './source-url.ts'
import { fileTarget, type Target } from './target.ts'
import { temporaryFolder } from './temporary.ts'
import { parseWebAddress, type S3Place } from './web-address.ts'
import { askWeb, type Web, type WebAnswer, type WebRequest } from './web-request.ts'

/** A larger file is sent in parts of this size, of which a store takes up to 10,000 of at least 5 MB. */
const partBytes = 16 * 2 ** 20
const mostParts = 10_000

/** The digest of the file, by which windrow recognises what it wrote. */
const digestHeader = 'x-amz-meta-windrow-sha256'

/** Starts a file in a store. It is written here first, because its digest must be known; `commit` sends it. */
export async function s3Target(path: string, web: WebOptions): Promise<Target> {
  const place = s3PlaceOf(path)
  const folder = await mkdtemp(join(temporaryFolder(), 'windrow-upload-'))
  const local = await fileTarget(join(folder, 'file'), { private: true })
  const clear = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  return {
    path,
    name: basename(place.key),
    write: (bytes) => local.write(bytes),
    async commit() {
      try {
        const written = await local.commit()
        const sha256 = await withStore(place, web, (store) => upload(written.path, store))
        return { path, bytes: written.bytes, sha256 }
      } finally {
        await clear()
      }
    },
    async abandon() {
      await local.abandon()
      await clear()
    },
  }
}

/** The size of a file in a store, and the digest that windrow wrote beside it; undefined if there is none. */
export function storedFile(path: string, web: WebOptions) {
  return withStore(s3PlaceOf(path), web, factsIn)
}

function s3PlaceOf(path: string): S3Place {
  const { at, member, shown } = parseWebAddress(path)
  if (!(at instanceof URL) && member === undefined) return at
  throw new WindrowError('target-unwritable', `windrow cannot write to "${shown}".`, {
    hint: 'Write to a file, or to a store: s3://BUCKET/FILE, without # in it.',
  })
}

type StoreFile = { readonly place: S3Place; readonly address: S3Address; readonly web: Web }

async function withStore<T>(place: S3Place, options: WebOptions, work: (file: StoreFile) => Promise<T>): Promise<T> {
  const { env = {}, clock = () => new Date() } = options
  const address = await s3Address(place, { env, clock }, 'target-unwritable')
  const web = openWeb({ ...options, allowsPrivate: address.isSet })
  try {
    return await work({ place, address, web })
  } finally {
    web.close()
  }
}

/** Asks for something about the file; `query` is what S3 adds to its address. */
function ask(
  { address, web }: StoreFile,
  request: WebRequest,
  query: Readonly<Record<string, string>> = {},
): Promise<WebAnswer> {
  const url = new URL(address.url)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return askWeb({ ...address, url }, request, web)
}

/** The same, and the text of the answer. Throws a WindrowError if the store refuses. */
async function demand(file: StoreFile, request: WebRequest, query?: Readonly<Record<string, string>>) {
  const answer = await ask(file, request, query)
  if (answer.status !== 200) throw await file.address.explain!(answer)
  return { headers: answer.headers, text: await textOf(answer) }
}

async function factsIn(file: StoreFile) {
  const answer = await ask(file, { method: 'HEAD' })
  if (answer.status !== 200 && answer.status !== 404) throw await file.address.explain!(answer)
  answer.letGo()
  if (answer.status === 404) return undefined
  const sha256 = answer.headers[digestHeader]
  return { bytes: Number(answer.headers['content-length']), sha256: typeof sha256 === 'string' ? sha256 : undefined }
}

/** Sends a file and returns its digest. */
async function upload(path: string, file: StoreFile): Promise<string> {
  const source = await fileSource(path)
  const hash = createHash('sha256')
  for await (const chunk of source.stream()) hash.update(chunk)
  const sha256 = hash.digest('hex')
  const headers = { [digestHeader]: sha256 }
  if (source.size <= partBytes) await demand(file, { method: 'PUT', headers, body: await source.read(0, source.size) })
  else await uploadInParts(source, file, headers)
  return sha256
}

async function uploadInParts(
  source: Source,
  file: StoreFile,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const begun = await demand(file, { method: 'POST', headers }, { uploads: '' })
  const uploadId = plainText(/<UploadId>([^<]+)<\/UploadId>/.exec(begun.text)?.[1] ?? '')
  if (uploadId === '') throw confused(file)
  try {
    const tags: string[] = []
    const size = Math.max(partBytes, Math.ceil(source.size / mostParts))
    for (let at = 0; at < source.size; at += size) {
      const body = await source.read(at, at + size)
      const part = await demand(file, { method: 'PUT', body }, { partNumber: String(tags.length + 1), uploadId })
      tags.push(String(part.headers.etag))
    }
    const listed = tags.map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`)
    const body = Buffer.from(`<CompleteMultipartUpload>${listed.join('')}</CompleteMultipartUpload>`)
    const ended = await ask(file, { method: 'POST', body }, { uploadId })
    // The answer to an earlier try was lost: the file is there, and the upload is not.
    if (ended.status === 404 && (await factsIn(file))?.sha256 === headers[digestHeader]) return ended.letGo()
    if (ended.status !== 200) throw await file.address.explain!(ended)
    // A store may begin this answer before it knows how it ends.
    if (!(await textOf(ended)).includes('CompleteMultipartUploadResult')) throw confused(file)
  } catch (cause) {
    // Also when the run was stopped: parts that nobody completes cost money and are not seen.
    const unstopped = { ...file, web: { ...file.web, signal: undefined } }
    const ended = await ask(unstopped, { method: 'DELETE' }, { uploadId }).catch(() => undefined)
    ended?.letGo()
    throw cause
  }
}

function plainText(xml: string): string {
  const signs: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
  return xml.replace(/&(\w+);/g, (whole, name: string) => signs[name] ?? whole)
}

function confused({ place }: StoreFile): WindrowError {
  return new WindrowError('address-unreachable', `The store did not complete "${shownPlace(place)}".`, {
    hint: 'Run it again later.',
  })
}
