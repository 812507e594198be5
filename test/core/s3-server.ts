/** A store that speaks S3, on this machine: it checks each signature by the published rule, and keeps its files in memory. */

import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { serveParts, startServer, type WebServer } from './web-server.ts'

/** A request as it arrived. */
export type SignedRequest = {
  readonly method: string
  /** Path and query, as on the wire. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
}

const hex = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
const strictly = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** Why a request is not signed with this secret (Signature Version 4, "Authenticating requests: header"); undefined if it is. */
export function faultOfSignature(request: SignedRequest, secret: string, now: Date): string | undefined {
  const { method, target, headers, body } = request
  const [, credential, signed, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? []
  if (credential === undefined) return 'AccessDenied'
  const [, day, region, service, end] = credential.split('/')
  const names = signed!.split(';')
  const stamp = String(headers['x-amz-date'])
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(stamp)!
  if (Math.abs(Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`) - now.getTime()) > 15 * 60_000)
    return 'RequestTimeTooSkewed'
  const must = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))]
  if (must.some((name) => !names.includes(name)) || service !== 's3' || end !== 'aws4_request') return 'AccessDenied'
  // A store behind a proxy sees another one than was sent.
  if (names.includes('accept-encoding')) return 'SignatureDoesNotMatch'
  if (headers['x-amz-content-sha256'] !== hex(body)) return 'XAmzContentSHA256Mismatch'
  const [path = '', query = ''] = target.split('?')
  const pairs = query === '' ? [] : query.split('&').map((pair) => pair.split('=').map(decodeURIComponent))
  const canonical = [
    method,
    path
      .split('/')
      .map((step) => strictly(decodeURIComponent(step)))
      .join('/'),
    pairs
      .map(([name, value = '']) => `${strictly(name!)}=${strictly(value)}`)
      .toSorted()
      .join('&'),
    ...names.map((name) => `${name}:${String(headers[name]).trim().replace(/\s+/g, ' ')}`),
    '',
    signed,
    headers['x-amz-content-sha256'],
  ].join('\n')
  const scope = [day, region, service, end].join('/')
  const key = [day!, region!, service, end].reduce<string | Buffer>((made, part) => hmac(made, part), `AWS4${secret}`)
  const wanted = hmac(key, ['AWS4-HMAC-SHA256', stamp, scope, hex(canonical)].join('\n'))
  return timingSafeEqual(wanted, Buffer.from(signature!, 'hex')) ? undefined : 'SignatureDoesNotMatch'
}

export const keys = { id: 'AKIAIOSFODNN7EXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }

type StoredFile = { readonly bytes: Buffer; readonly etag: string; readonly more: Readonly<Record<string, string>> }

/** What the store has: files by `bucket/key`, and uploads that are not complete. */
export type Store = WebServer & {
  readonly files: Map<string, StoredFile>
  readonly uploads: Map<string, Map<number, Buffer>>
  /** The environment that reaches it. */
  readonly env: Readonly<Record<string, string>>
  put(name: string, bytes: Uint8Array, more?: Readonly<Record<string, string>>): void
}

/** What a test does with a request in place of the store; true if it answered. */
export type Meddle = (request: SignedRequest, response: ServerResponse, nth: number) => boolean

const leastPartBytes = 5 * 2 ** 20
const md5 = (bytes: Uint8Array): Buffer => createHash('md5').update(bytes).digest()

/** Starts a store with one bucket, farms, and one key. */
export async function startStore(meddle: Meddle = () => false, now = () => new Date()): Promise<Store> {
  const files = new Map<string, StoredFile>()
  const uploads = new Map<string, Map<number, Buffer>>()
  const put = (name: string, bytes: Uint8Array, more: Readonly<Record<string, string>> = {}): void =>
    void files.set(name, { bytes: Buffer.from(bytes), etag: `"${md5(bytes).toString('hex')}"`, more })
  let last = 0

  const answer = (request: SignedRequest, raw: IncomingMessage, response: ServerResponse): void => {
    const { method, target, headers, body } = request
    const refuse = (status: number, code: string): void => {
      const xml = `<?xml version="1.0"?>\n<Error><Code>${code}</Code><Message>${headers.authorization}</Message></Error>`
      response.writeHead(status, { 'content-type': 'application/xml' }).end(method === 'HEAD' ? undefined : xml)
    }
    if (!headers.authorization?.includes(`Credential=${keys.id}/`)) return refuse(403, 'InvalidAccessKeyId')
    const fault = faultOfSignature(request, keys.secret, now())
    if (fault !== undefined) return refuse(403, fault)
    const { pathname, searchParams } = new URL(target, 'http://store')
    const name = decodeURIComponent(pathname.slice(1))
    if (!name.startsWith('farms/')) return refuse(404, 'NoSuchBucket')
    const upload = searchParams.get('uploadId')
    const parts = upload === null ? undefined : uploads.get(upload)
    if (upload !== null && parts === undefined) return refuse(404, 'NoSuchUpload')
    const metadata = Object.fromEntries(
      Object.entries(headers).flatMap(([each, value]) =>
        each.startsWith('x-amz-meta-') ? [[each, String(value)]] : [],
      ),
    )
    if (method === 'POST' && searchParams.has('uploads')) {
      uploads.set(`u${(last += 1)}`, new Map())
      begun.set(`u${last}`, metadata)
      response.end(`<InitiateMultipartUploadResult><UploadId>u${last}</UploadId></InitiateMultipartUploadResult>`)
    } else if (method === 'PUT' && parts !== undefined) {
      parts.set(Number(searchParams.get('partNumber')), Buffer.from(body))
      response.writeHead(200, { etag: `"${md5(body).toString('hex')}"` }).end()
    } else if (method === 'POST' && parts !== undefined) {
      const listed = [
        ...Buffer.from(body)
          .toString()
          .matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>(.*?)<\/ETag>/g),
      ]
      const chosen = listed.map(([, number, etag]) => ({ bytes: parts.get(Number(number))!, etag: etag! }))
      if (chosen.some(({ bytes, etag }) => !etag.includes(md5(bytes).toString('hex'))))
        return refuse(400, 'InvalidPart')
      if (chosen.slice(0, -1).some(({ bytes }) => bytes.length < leastPartBytes)) return refuse(400, 'EntityTooSmall')
      const etag = `"${md5(Buffer.concat(chosen.map(({ bytes }) => md5(bytes)))).toString('hex')}-${chosen.length}"`
      files.set(name, { bytes: Buffer.concat(chosen.map(({ bytes }) => bytes)), etag, more: begun.get(upload!)! })
      uploads.delete(upload!)
      response.end(`<CompleteMultipartUploadResult><ETag>${etag}</ETag></CompleteMultipartUploadResult>`)
    } else if (method === 'DELETE' && upload !== null) {
      uploads.delete(upload)
      response.writeHead(204).end()
    } else if (method === 'PUT') {
      put(name, body, metadata)
      response.writeHead(200, { etag: files.get(name)!.etag }).end()
    } else {
      const file = files.get(name)
      if (file === undefined) return refuse(404, 'NoSuchKey')
      // S3 does not know this header: who wants parts of one version must look at the tag.
      delete raw.headers['if-range']
      const said = { etag: file.etag, 'last-modified': new Date(now().getTime() - 60_000).toUTCString(), ...file.more }
      if (method === 'GET') return serveParts(raw, response, file.bytes, said)
      response.writeHead(200, { ...said, 'content-length': file.bytes.length }).end()
    }
  }
  const begun = new Map<string, Readonly<Record<string, string>>>()

  const server = await startServer((raw, response, nth) => {
    const chunks: Buffer[] = []
    raw.on('data', (chunk: Buffer) => chunks.push(chunk))
    raw.on('end', () => {
      const { method = 'GET', url: target = '/', headers } = raw
      const request = { method, target, headers, body: Buffer.concat(chunks) }
      if (!meddle(request, response, nth)) answer(request, raw, response)
    })
  })
  const env = { AWS_ENDPOINT_URL: server.url, AWS_ACCESS_KEY_ID: keys.id, AWS_SECRET_ACCESS_KEY: keys.secret }
  return { ...server, files, uploads, put, env }
}
