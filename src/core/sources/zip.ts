/** Reads zip files member by member, and refuses those that could do harm. */

import { Readable, pipeline } from 'node:stream'
import { callbackify } from 'node:util'
import { crc32, createInflateRaw } from 'node:zlib'
import yauzl from 'yauzl'
import type { Entry, ZipFile } from 'yauzl'
import { WindrowError } from '../error.ts'
import { beginningOf, copiesOf, streamBetween, type Member, type Source } from './source.ts'
import { mostTimes, uncheckedBytes } from './gzip.ts'
import { endOfZip, isZip } from './zip-mark.ts'

/** The limits for a zip; `cachedBytes` is for what is kept of packed members that are read out of order. */
export type ZipLimits = Readonly<typeof usualLimits>

const usualLimits = {
  members: 10_000,
  totalBytes: 16 * 2 ** 30,
  cachedBytes: 64 * 2 ** 20,
}

const windowBytes = 1 << 16
/** Up to here a packed member is read again from its beginning each time; formats are recognised within this range. */
const headBytes = 1 << 20

/** The files in a zip. Throws a WindrowError if it is not one, is damaged, or contains something that could do harm. */
export async function membersOfZip(source: Source, limits: Partial<ZipLimits> = {}): Promise<readonly Member[]> {
  const bounds = { ...usualLimits, ...limits }
  const { file, entries } = await readDirectory(source, bounds)
  const archive: Archive = { source, file, limits: bounds, cache: new Map(), cachedBytes: 0 }
  const members: readonly Member[] = entries.map(({ name, entry }) => ({
    name,
    source: memberSource({ archive, name, entry }, () => members),
  }))
  return members
}

type NamedEntry = { readonly name: string; readonly entry: Entry }

async function readDirectory(source: Source, limits: ZipLimits): Promise<{ file: ZipFile; entries: NamedEntry[] }> {
  if (source.size === 0) throw new WindrowError('file-empty', `"${source.name}" is empty.`)
  const head = await source.read(0, 4)
  if (!isZip(head))
    throw new WindrowError('file-damaged', `"${source.name}" is not a zip file.`, {
      hint: head[0] === 0x3c ? 'It looks like a web page: the download failed. Download it again.' : 'Check the file.',
    })
  try {
    const file = await yauzl.fromRandomAccessReaderPromise(new SourceReader(source), await endOfZip(source), {
      autoClose: false,
      decodeStrings: false,
    })
    const entries: NamedEntry[] = []
    const names = new Set<string>()
    let total = 0
    if (file.entryCount > limits.members)
      throw new WindrowError(
        'file-too-large',
        `"${source.name}" contains ${file.entryCount} files; the limit is ${limits.members}.`,
        { hint: 'Make a zip of only the files that belong together.' },
      )
    for await (const entry of file.eachEntry()) {
      const name = entryName(entry)
      checkName(source, name)
      if (isNoMember(name)) continue
      checkEntry(source, name, entry)
      if (names.has(name)) throw unsafe(source, `it contains "${name}" twice`)
      names.add(name)
      total += entry.uncompressedSize
      if (total > limits.totalBytes)
        throw new WindrowError(
          'file-too-large',
          `"${source.name}" unpacks to more than ${Math.round(limits.totalBytes / 2 ** 20)} MB, which is the limit.`,
          { hint: 'Unpack it and choose one of its files.' },
        )
      entries.push({ name, entry })
    }
    checkApart(source, entries)
    return { file, entries }
  } catch (cause) {
    throw cause instanceof WindrowError ? cause : directoryError(source, cause)
  }
}

function directoryError(source: Source, cause: unknown): WindrowError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  if (reason.includes('encryption')) return encrypted(source)
  return new WindrowError('file-damaged', `"${source.name}" is a damaged or incomplete zip file.`, {
    hint: 'Copy or download it again. If that does not help, unpack it with another program and choose the file inside.',
    cause,
  })
}

function unsafe(source: Source, what: string): WindrowError {
  return new WindrowError('archive-unsafe', `"${source.name}" is not opened: ${what}.`, {
    hint: 'Ask where the file comes from, or make a new zip of the files you trust.',
  })
}

function encrypted(source: Source): WindrowError {
  return new WindrowError('file-unreadable', `"${source.name}" is protected by a password.`, {
    hint: 'Unpack it with the password and choose the file inside, or zip it again without a password.',
  })
}

function checkName(source: Source, name: string): void {
  const shown = JSON.stringify(name)
  if (name === '' || name.includes('\0')) throw unsafe(source, 'it contains a file without a proper name')
  if (name.startsWith('/') || /^[a-z]:/i.test(name))
    throw unsafe(source, `the name ${shown} points to a fixed place on the disk`)
  if (name.split('/').includes('..')) throw unsafe(source, `the name ${shown} points outside the zip`)
}

function checkEntry(source: Source, name: string, entry: Entry): void {
  if (entry.isEncrypted()) throw encrypted(source)
  const madeOnUnix = entry.versionMadeBy >>> 8 === 3
  const isLink = ((entry.externalFileAttributes >>> 16) & 0xf000) === 0xa000
  if (madeOnUnix && isLink) throw unsafe(source, `${JSON.stringify(name)} is a link to another file`)
}

const localHeaderBytes = 30

/** Several names for one packed body would let a small file unpack to any size, although no single member is suspicious. */
function checkApart(source: Source, entries: readonly NamedEntry[]): void {
  let end = 0
  let before = ''
  const inOrder = entries.toSorted((a, b) => a.entry.relativeOffsetOfLocalHeader - b.entry.relativeOffsetOfLocalHeader)
  for (const { name, entry } of inOrder) {
    if (entry.relativeOffsetOfLocalHeader < end)
      throw unsafe(source, `${JSON.stringify(before)} and ${JSON.stringify(name)} share the same packed bytes`)
    end = entry.relativeOffsetOfLocalHeader + localHeaderBytes + entry.compressedSize
    before = name
  }
}

/** Folders and macOS's own additions do not count as members. */
function isNoMember(name: string): boolean {
  const parts = name.split('/')
  return name.endsWith('/') || parts.includes('__MACOSX') || parts.at(-1)!.startsWith('._')
}

function entryName(entry: Entry): string {
  const declaresUtf8 =
    (entry.generalPurposeBitFlag & 0x800) !== 0 || entry.extraFields.some((field) => field.id === 0x7075)
  const declared = yauzl.getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false)
  if (declaresUtf8 || entry.fileNameRaw.every((byte) => byte < 0x80)) return declared
  return guessedName(entry.fileNameRaw) ?? declared
}

/**
 * Decodes a name whose encoding the zip does not declare. macOS and many libraries write UTF-8 anyway; the letters of
 * CP437 and CP850 lie in 0x80-0xa5, those of Windows-1252 from 0xc0 up.
 */
function guessedName(raw: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(raw).replaceAll('\\', '/')
  } catch {
    const looksLikeDos = raw.every((byte) => byte <= 0xa5 || byte === 0xe1)
    return looksLikeDos ? undefined : new TextDecoder('windows-1252').decode(raw).replaceAll('\\', '/')
  }
}

/** Reads the directory through a window, because two small reads for each of thousands of members are slow. */
class SourceReader extends yauzl.RandomAccessReader {
  readonly #source: Source
  #window: Uint8Array = new Uint8Array(0)
  #windowStart = 0

  constructor(source: Source) {
    super()
    this.#source = source
  }

  override read(...[buffer, offset, length, position, callback]: Parameters<yauzl.RandomAccessReader['read']>): void {
    // yauzl needs the number of bytes as the callback's second argument, which its types leave out.
    callbackify(async () => {
      const bytes = await this.#bytes(position, length)
      buffer.set(bytes, offset)
      return bytes.length
    })(callback)
  }

  async #bytes(position: number, length: number): Promise<Uint8Array> {
    const start = position - this.#windowStart
    if (start >= 0 && start + length <= this.#window.length) return this.#window.subarray(start, start + length)
    this.#window = await this.#source.read(position, position + Math.max(length, windowBytes))
    this.#windowStart = position
    return this.#window.subarray(0, length)
  }
}

type Archive = {
  readonly source: Source
  readonly file: ZipFile
  readonly limits: ZipLimits
  readonly cache: Map<string, Uint8Array>
  cachedBytes: number
}

type PackedMember = NamedEntry & { readonly archive: Archive }

function memberSource(packed: PackedMember, members: () => readonly Member[]): Source {
  const { archive, name, entry } = packed
  const folder = name.slice(0, name.lastIndexOf('/') + 1)
  const size = entry.uncompressedSize
  return {
    name: name.slice(folder.length),
    size,
    async read(start, end) {
      const last = Math.min(end, size)
      if (last <= start) return new Uint8Array(0)
      if (entry.compressionMethod === 0) {
        const dataStart = await findData(packed)
        return archive.source.read(dataStart + start, dataStart + last)
      }
      if (last <= headBytes && !archive.cache.has(name))
        return (await beginningOf(streamMember(packed), last)).subarray(start)
      return (await inflateWhole(packed)).subarray(start, last)
    },
    async *stream(signal, from = 0) {
      let passed = 0
      for await (const chunk of streamMember(packed, signal)) {
        if (passed + chunk.length > from) yield chunk.subarray(Math.max(0, from - passed))
        passed += chunk.length
      }
    },
    siblings: () =>
      Promise.resolve(
        members()
          .filter((each) => each.name !== name && each.name.slice(0, each.name.lastIndexOf('/') + 1) === folder)
          .map((each) => each.source),
      ),
    fingerprint: async () => `${await archive.source.fingerprint()}:${name}:${entry.crc32}:${size}`,
  }
}

async function inflateWhole(packed: PackedMember): Promise<Uint8Array> {
  const { archive, name, entry } = packed
  const known = archive.cache.get(name)
  if (known !== undefined) return known
  const size = entry.uncompressedSize
  if (size > archive.limits.cachedBytes)
    throw new WindrowError(
      'file-too-large',
      `"${name}" in "${archive.source.name}" is too large (${size} bytes) to be read out of order while packed.`,
      { hint: 'Unpack the zip and choose the file inside.' },
    )
  const whole = await beginningOf(streamMember(packed), size)
  for (const [oldest, bytes] of archive.cache) {
    if (archive.cachedBytes + size <= archive.limits.cachedBytes) break
    archive.cache.delete(oldest)
    archive.cachedBytes -= bytes.length
  }
  archive.cache.set(name, whole)
  archive.cachedBytes += size
  return whole
}

async function findData(packed: PackedMember): Promise<number> {
  const { archive, entry } = packed
  try {
    return (await archive.file.readLocalFileHeaderPromise(entry, { minimal: true })).fileDataStart
  } catch (cause) {
    throw damagedMember(packed, cause)
  }
}

function damagedMember({ archive, name }: PackedMember, cause?: unknown): WindrowError {
  return new WindrowError('file-damaged', `"${name}" in "${archive.source.name}" is damaged.`, {
    hint: 'Copy or download the zip again.',
    cause,
  })
}

async function* streamMember(packed: PackedMember, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const { archive, name, entry } = packed
  const counts = { taken: 0 }
  let [seen, sum] = [0, 0]
  for await (const chunk of unpacked(packed, packedChunks(packed, counts, signal))) {
    signal?.throwIfAborted()
    seen += chunk.length
    // The directory's size is only a claim: the limits are checked against what really comes out.
    if (seen > entry.uncompressedSize) throw unsafe(archive.source, `"${name}" unpacks to more than it declares`)
    if (seen > uncheckedBytes && seen > counts.taken * mostTimes)
      throw unsafe(archive.source, `"${name}" unpacks to more than ${mostTimes} times its packed size`)
    sum = crc32(chunk, sum)
    yield chunk
  }
  if (seen !== entry.uncompressedSize || sum !== entry.crc32) throw damagedMember(packed)
}

async function* packedChunks(
  packed: PackedMember,
  counts: { taken: number },
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const from = await findData(packed)
  const { archive, entry } = packed
  if (entry.compressedSize === 0) return
  for await (const chunk of streamBetween(archive.source, { from, to: from + entry.compressedSize }, signal)) {
    // Counted before unpacking: the output is compared with the input so far, so that a bomb is detected early.
    counts.taken += chunk.length
    yield chunk
  }
}

async function* unpacked(packed: PackedMember, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { archive, name, entry } = packed
  if (entry.compressionMethod === 0) {
    yield* chunks
    return
  }
  if (entry.compressionMethod !== 8)
    throw new WindrowError(
      'file-unreadable',
      `"${name}" in "${archive.source.name}" is compressed in a way windrow does not know (method ${entry.compressionMethod}).`,
      { hint: 'Unpack it and zip it again as an ordinary zip.' },
    )
  try {
    yield* inflated(chunks)
  } catch (cause) {
    throw cause instanceof WindrowError ? cause : damagedMember(packed, cause)
  }
}

const chunkBytes = 1 << 17

/** Unpacks deflated bytes; each chunk is valid until the next is read. Throws zlib's error if they are damaged. */
async function* inflated(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const inflate = createInflateRaw({ chunkSize: chunkBytes })
  const copies = copiesOf(packed)
  pipeline(Readable.from(copies, { objectMode: false }), inflate, () => undefined)
  try {
    for await (const chunk of inflate as AsyncIterable<Uint8Array<ArrayBuffer>>) {
      yield chunk
      release(chunk)
    }
  } finally {
    // Otherwise the file would be released some time after the caller believes it is.
    await copies.return(undefined)
  }
}

/** Releases zlib's full buffers at once; about 30 MB of them would wait for the garbage collector. */
function release({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): void {
  if (buffer.byteLength >= chunkBytes && byteOffset + byteLength === buffer.byteLength) buffer.transfer(0)
}
