/** Reads a .shp file: its header, its records of every shape type, and where it breaks off. */

import { WindrowError } from '../../core/error.ts'
import type { Source } from '../../core/sources/source.ts'
import { ByteQueue } from './byte-queue.ts'
import { headerBytes, isBorneOut, readRecordIndex, recordHeaderBytes, type RecordIndex } from './record-index.ts'
import { readRecord, refuseHuge, type Ending, type ShapeReader, type ShapeRecord } from './shape-record.ts'
import { isGeometryFile } from '../recognise.ts'

/** `usesIndex` is true if the index file was used. */
export type OpenShapes = ShapeReader & { readonly usesIndex: boolean }

/** Checks the file's first bytes. Throws a WindrowError if they are not those of a .shp file. */
export async function checkGeometryFile(source: Source): Promise<void> {
  if (source.size === 0) throw new WindrowError('file-empty', `"${source.name}" is empty.`)
  if (source.size >= headerBytes && isGeometryFile(await source.read(0, 4))) return
  throw notAShapefile(source)
}

function notAShapefile(source: Source): WindrowError {
  return new WindrowError('file-damaged', `"${source.name}" is not a shapefile, or only its first bytes are left.`, {
    hint: 'Copy or export it again.',
  })
}

/**
 * Starts reading the records in the order of the index. Unless something shows another order they are read one after another, and
 * neither the file's own length nor the index is trusted.
 */
export async function openShapes(source: Source, shx: Source | undefined, signal?: AbortSignal): Promise<OpenShapes> {
  const index = shx === undefined ? undefined : await readRecordIndex(shx, source.size)
  if (index === undefined || index.leaps.length === 0)
    return { ...(await walkShapes(source, index, signal)), usesIndex: index !== undefined }
  if (await isBorneOut(index, source)) return { ...visitShapes(source, index, signal), usesIndex: true }
  return { ...(await walkShapes(source, undefined, signal)), usesIndex: false }
}

async function walkShapes(
  source: Source,
  index: RecordIndex | undefined,
  signal: AbortSignal | undefined,
): Promise<ShapeReader> {
  const queue = new ByteQueue(source, signal)
  if (!(await queue.more(headerBytes))) throw notAShapefile(source)
  // Unsigned, so that files beyond 2 GB work.
  const declaredBytes = queue.view.getUint32(24) * 2
  queue.at += headerBytes
  let record = 0
  let ending: Ending | undefined
  const endOfBytes = (): Ending => (queue.position >= declaredBytes ? 'whole' : queue.has(1) ? 'cut' : 'short')
  /** The length of the record, for which its own header and the index say different things. */
  const rightLength = async (said: number, indexed: number, left: number): Promise<number> => {
    if (indexed < 4 || indexed > left) return said
    refuseHuge(source, indexed)
    if (left - indexed < recordHeaderBytes) return said >= 4 && said <= left ? said : indexed
    // After the right length comes the next record with its number.
    const end = recordHeaderBytes + indexed
    const isThere = await queue.more(end + recordHeaderBytes)
    return isThere && queue.view.getInt32(queue.at + end) !== record + 2 ? said : indexed
  }
  /** Reads on until there are so many records; returns how reading ended, if it did before. */
  const take = async (records: ShapeRecord[], most: number): Promise<Ending | undefined> => {
    for (; records.length < most; record += 1) {
      if (!queue.has(recordHeaderBytes) && !(await queue.more(recordHeaderBytes))) return endOfBytes()
      const left = source.size - queue.position - recordHeaderBytes
      const said = queue.view.getInt32(queue.at + 4) * 2
      const indexed = index !== undefined && record < index.count ? index.contentBytesOf(record) : said
      const contentBytes = indexed === said ? said : await rightLength(said, indexed, left)
      // After the declared end there is only padding; zeros before it are padding too, or lost shapes.
      if (contentBytes < 4 || contentBytes > left) {
        const isZeros = contentBytes === 0 && queue.view.getInt32(queue.at) === 0
        if (queue.position >= declaredBytes) return 'whole'
        return contentBytes > left ? 'cut' : isZeros ? 'short' : 'broken'
      }
      refuseHuge(source, contentBytes)
      const bytes = recordHeaderBytes + contentBytes
      if (!queue.has(bytes) && !(await queue.more(bytes))) return endOfBytes()
      records.push(readRecord(queue.view, queue.at + recordHeaderBytes, contentBytes))
      queue.at += bytes
    }
    return undefined
  }
  return {
    async next(most) {
      const records: ShapeRecord[] = []
      ending ??= await take(records, most)
      return records
    },
    ending: () => ending ?? 'whole',
    close: () => queue.close(),
  }
}

const windowBytes = 1 << 18

/** Visits the records in index order through a window of the file; an edited file is mostly in order. */
function visitShapes(source: Source, index: RecordIndex, signal: AbortSignal | undefined): ShapeReader {
  let window = new DataView(new ArrayBuffer(0)) as DataView
  let windowStart = 0
  let record = 0
  let isCut = false
  const has = (start: number, bytes: number): boolean =>
    start >= windowStart && start + bytes <= windowStart + window.byteLength
  /** True if the file has these bytes; then they are in the window. */
  const load = async (start: number, bytes: number): Promise<boolean> => {
    signal?.throwIfAborted()
    const read = await source.read(start, start + Math.max(windowBytes, bytes))
    window = new DataView(read.buffer, read.byteOffset, read.length)
    windowStart = start
    return has(start, bytes)
  }
  /** How many bytes the record whose header is in the window takes. */
  const bytesAt = (start: number): number => {
    const left = source.size - start - recordHeaderBytes
    const said = window.getInt32(start - windowStart + 4) * 2
    const contentBytes = said >= 4 && said <= left ? said : Math.min(left, index.contentBytesOf(record))
    refuseHuge(source, contentBytes)
    return recordHeaderBytes + contentBytes
  }
  return {
    async next(most) {
      const records: ShapeRecord[] = []
      for (; record < index.count && !isCut && records.length < most; record += 1) {
        const start = index.startOf(record)
        isCut = !has(start, recordHeaderBytes) && !(await load(start, recordHeaderBytes))
        const bytes = isCut ? 0 : bytesAt(start)
        isCut ||= !has(start, bytes) && !(await load(start, bytes))
        if (!isCut) records.push(readRecord(window, start - windowStart + recordHeaderBytes, bytes - recordHeaderBytes))
      }
      return records
    },
    ending: () => (isCut ? 'cut' : 'whole'),
    close: () => Promise.resolve(),
  }
}
