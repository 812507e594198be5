/** Opens files on the web as sources, with the files that belong to them at the same address. */

import http from 'node:http'
import https from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import type { Environment } from '../environment.ts'
import { WindrowError } from '../error.ts'
import { openMember } from './file-tree.ts'
import { s3Address } from './s3.ts'
import { openedInside, throwAfter, type OpenedSource, type Source } from './source.ts'
import { readVariable } from './secret-text.ts'
import { decoded, isOwnMachine, parseWebAddress } from './web-address.ts'
import { fetchFile } from './web-file.ts'
import type { WebFile } from './web-parts.ts'
import {
  askWeb,
  resolveName,
  usualWebLimits,
  type Credentials,
  type Web,
  type WebAddress,
  type WebLimits,
} from './web-request.ts'

/**
 * `allowsPrivate`: the address may be on this machine or in a private network, also by plain http. `env` has the secrets of addresses,
 * `keptIn` is the folder for downloads that the next run may use again. `resolve` looks up host names.
 */
export type WebOptions = {
  readonly allowsPrivate?: boolean
  readonly env?: Environment
  readonly keptIn?: string | undefined
  readonly limits?: Partial<WebLimits>
  readonly resolve?: Web['resolve']
  readonly sleep?: Web['sleep']
  readonly clock?: () => Date
  readonly signal?: AbortSignal | undefined
}

/** Opens the web for requests; `close` ends the connections. */
export function openWeb(options: WebOptions): Web & { close(): void } {
  const { signal, allowsPrivate = false, resolve = resolveName, keptIn } = options
  const limits = { ...usualWebLimits, ...options.limits }
  // With autoSelectFamily a lookup returns all addresses of a name, and each is checked.
  const connecting = { keepAlive: true, autoSelectFamily: true }
  const agents = { http: new http.Agent(connecting), https: new https.Agent(connecting) }
  return {
    limits,
    allowsPrivate,
    resolve,
    signal,
    agents,
    keptIn,
    sleep: options.sleep ?? ((ms) => pause(ms, undefined, signal === undefined ? {} : { signal })),
    leftMs: limits.totalMs,
    close() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

/** Opens a file on the web, or the file inside it that is named after `#`. The download is in a temporary file until `close`. */
export async function urlSource(text: string, options: WebOptions = {}): Promise<OpenedSource> {
  const { env = {}, clock = () => new Date() } = options
  const { at, member } = parseWebAddress(text)
  const inStore = at instanceof URL ? undefined : await s3Address(at, { env, clock })
  const address = inStore ?? { url: at as URL, credentials: await credentialsFor(at as URL, env) }
  const web = openWeb({ ...options, allowsPrivate: options.allowsPrivate === true || inStore?.isSet === true })
  const files: WebFile[] = []
  const close = async (): Promise<void> => {
    for (const file of files.splice(0)) await file.close()
    web.close()
  }
  const file = await fetchFile(address, web).catch(throwAfter(close))
  files.push(file)
  let beside: Promise<readonly Source[]> | undefined
  const siblings = (): Promise<readonly Source[]> => (beside ??= shapefileParts(address, web, files))
  const written = { ...writtenMs(file, clock), hasChanged: () => hasChanged(file, address, web) }
  const opened = { source: { ...sourceOf(file, nameOf(file, address), siblings), ...written }, close }
  if (member === undefined) return opened
  const inside = await openedInside(opened, (whole) => openMember(whole, member))
  return { ...inside, source: { ...inside.source, ...written } }
}

/** When the server says that the file was last written, by the clock of this machine. */
function writtenMs({ headers }: WebFile, clock: () => Date): Pick<Source, 'writtenMs'> {
  const [modified, date] = [headers['last-modified'], headers.date].map((each) => Date.parse(each ?? ''))
  if (Number.isNaN(modified)) return {}
  return { writtenMs: clock().getTime() - ((Number.isNaN(date) ? clock().getTime() : date!) - modified!) }
}

/** Asks for the headers alone; where they are not given, as by a link that is signed for reading only, the file may have changed. */
async function hasChanged({ url, headers }: WebFile, address: WebAddress, web: Web): Promise<boolean> {
  const answer = await askWeb({ ...address, url }, { method: 'HEAD' }, web)
  answer.letGo()
  const isSame = (['etag', 'last-modified'] as const).every((name) => answer.headers[name] === headers[name])
  return answer.status !== 200 || headers['last-modified'] === undefined || !isSame
}

const chunkBytes = 1 << 18

function sourceOf(file: WebFile, name: string, siblings: Source['siblings']): Source {
  return {
    name,
    size: file.size,
    read: (start, end) => file.read(start, end),
    async *stream(signal, from = 0) {
      const chunk = new Uint8Array(chunkBytes)
      for (let at = from; at < file.size; at += chunkBytes) {
        signal?.throwIfAborted()
        yield await file.read(at, at + chunkBytes, chunk)
      }
    },
    siblings,
    fingerprint: () => Promise.resolve(file.fingerprint),
  }
}

/** The extensions for content types, for a name that has none. */
const endings: Readonly<Record<string, string>> = {
  'text/csv': '.csv',
  'text/tab-separated-values': '.tsv',
  'application/geo+json': '.geojson',
  'application/zip': '.zip',
}

/** The name that the server gives the file, or the last part of its address. */
function nameOf({ headers, url }: WebFile, address: WebAddress): string {
  const said = dispositionName(headers['content-disposition'] ?? '')
  const names = [said, lastPart(address.url), lastPart(url)].map(bareName).filter((each) => each !== '')
  const whole = names.find((each) => /\.[a-z0-9]{1,8}$/i.test(each))
  if (whole !== undefined) return whole
  const kind = (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()
  return `${names[0] ?? url.hostname}${endings[kind] ?? ''}`
}

function lastPart({ pathname }: URL): string {
  return decoded(pathname.split('/').findLast((each) => each !== '') ?? '')
}

/** RFC 6266: `filename*` includes its encoding and wins; `filename` may be in quotes. */
function dispositionName(header: string): string {
  const extended = /filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(header)?.[1]
  if (extended !== undefined) return decoded(extended)
  const [, quoted, plain] = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header) ?? []
  const name = quoted?.replace(/\\(.)/g, '$1') ?? plain ?? ''
  // Node reads headers as Latin-1, but many servers send UTF-8.
  const bytes = Buffer.from(name, 'latin1')
  return bytes.toString('utf8').includes('\ufffd') ? name : bytes.toString('utf8')
}

/** Cleans a file name: no folders, no control characters for a terminal, limited length. */
function bareName(name: string): string {
  const last = name
    .split(/[/\\]/)
    .at(-1)!
    .replace(/\p{Cc}/gu, '')
    .trim()
  return /^\.+$/.test(last) ? '' : last.slice(-200)
}

const partEndings = ['shp', 'shx', 'dbf', 'prj', 'cpg']

/** The other files of a shapefile, if the address has one of its extensions: requested one by one at the same place. */
async function shapefileParts(address: WebAddress, web: Web, files: WebFile[]): Promise<readonly Source[]> {
  const [whole, ending] = /\.([a-z]{3})$/i.exec(address.url.pathname) ?? []
  if (whole === undefined || !partEndings.includes(ending!.toLowerCase())) return []
  const found: Source[] = []
  for (const other of partEndings) {
    if (other === ending!.toLowerCase()) continue
    const url = new URL(address.url)
    const written = ending === ending!.toUpperCase() ? other.toUpperCase() : other
    url.pathname = url.pathname.slice(0, -3) + written
    const file = await fetchFile({ ...address, url }, web).catch((cause: unknown) => {
      // Some servers answer 403 for a missing file. Ignoring any other error would lose a farm's values silently.
      const isAbsent = cause instanceof WindrowError && ['file-missing', 'file-unreadable'].includes(cause.code)
      if (!isAbsent) throw cause
    })
    if (file === undefined) continue
    files.push(file)
    // A "not found" page sent with status 200.
    if (/^text\/html\b/i.test(file.headers['content-type'] ?? '')) continue
    found.push(sourceOf(file, lastPart(url), () => Promise.resolve([])))
  }
  return found
}

type SignIn = { readonly origin: string; readonly path: string; readonly headers: Readonly<Record<string, string>> }

/**
 * The credentials for an address; undefined if none are set for it. They belong to a site, not to a pipeline: a pipeline from
 * somebody else must not choose where a secret goes.
 */
export async function credentialsFor(url: URL, env: Environment): Promise<Credentials | undefined> {
  const text = await readVariable(env, 'WINDROW_WEB_SECRETS')
  if (text === undefined) return undefined
  const signIns = text.split('\n').flatMap((line, index) => {
    const written = line.trim()
    return written === '' || written.startsWith('#') ? [] : [signInOf(written, index + 1)]
  })
  const all = signIns
    .filter(({ origin }) => origin === url.origin)
    .toSorted((one, other) => other.path.length - one.path.length)
  // A redirect within the site may lead to another path; one to another site gets nothing.
  return ({ url: { origin, pathname } }) =>
    all.find((each) => each.origin === origin && isWithin(pathname, each.path))?.headers ?? {}
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

/** Reads a line; an error does not repeat it. */
function signInOf(written: string, line: number): SignIn {
  const refuse = (why: string): never => {
    throw new WindrowError('option-invalid', `Line ${line} of WINDROW_WEB_SECRETS ${why}.`, {
      hint: 'Write one sign-in a line: https://NAME:PASSWORD@farms.example/reports, or https://farms.example/reports X-Api-Key: KEY.',
    })
  }
  const [, address = '', name, value] = /^(\S+)(?:\s+([\w-]+):\s*(\S.*))?$/.exec(written) ?? []
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return refuse('does not begin with a web address')
  const { protocol, hostname, origin, pathname, username, password } = new URL(address)
  if (protocol === 'http:' && !isOwnMachine(hostname))
    return refuse('would send a secret over plain http, where anybody on the network can read it')
  const isNamed = username !== '' || password !== ''
  if (isNamed === (name !== undefined)) return refuse('has not exactly one of a user name and a header')
  if (name !== undefined && !/^[\t\x20-\x7e\x80-\xff]*$/.test(value!))
    return refuse('has a character that a header cannot have')
  const basic = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')
  const headers = name === undefined ? { authorization: `Basic ${basic}` } : { [name.toLowerCase()]: value! }
  return { origin, path: pathname, headers }
}
