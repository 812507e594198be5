/** Reads a .shp file: its header, its records of every shape type, and where it breaks off. */

import { WindrowError } from '../../core/error.ts'
import type { Range } from '../../core/row.ts'
import type { Source } from '../../core/sources/source.ts'
import { ByteQueue } from './byte-queue.ts'
import { headerBytes, isBorneOut, readRecordIndex, recordHeaderBytes, type RecordIndex } from './record-index.ts'
import { readRecord, refuseHuge, type Ending, type ShapeReader } from './shape-record.ts'
import { isGeometryFile } from './shapefile-head.ts'

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
export async function openShapes(
  source: Source,
  shx: Source | undefined,
  signal?: AbortSignal,
  range?: Range,
): Promise<OpenShapes> {
  const index = shx === undefined ? undefined : await readRecordIndex(shx, source.size)
  if (index === undefined || index.leaps.length === 0)
    return { ...(await walkShapes(source, index, { signal, range })), usesIndex: index !== undefined }
  if (await isBorneOut(index, source)) return { ...visitShapes(source, index, signal), usesIndex: true }
  return { ...(await walkShapes(source, undefined, { signal })), usesIndex: false }
}

async function walkShapes(
  source: Source,
  index: RecordIndex | undefined,
  { signal, range }: { readonly signal: AbortSignal | undefined; readonly range?: Range | undefined },
): Promise<ShapeReader> {
  const queue = new ByteQueue(source, signal, range?.at)
  if (range === undefined && !(await queue.more(headerBytes))) throw notAShapefile(source)
  // Unsigned, so that files beyond 2 GB work. A range begins behind the header, of a file that has its declared length.
  const declaredBytes = range === undefined ? queue.view.getUint32(24) * 2 : source.size
  if (range === undefined) queue.at += headerBytes
  const nextRange = range?.isLast === false && index !== undefined ? index.startOf(range.to) : undefined
  let wanted = 0
  let record = range?.from ?? 0
  let ending: Ending | undefined
  const stop = (how: Ending): undefined => {
    ending = how
    return undefined
  }
  /** The length of the record by its own header or the index; undefined while more bytes are needed to decide which is right. */
  const contentBytesHere = (left: number): number | undefined => {
    const said = queue.view.getInt32(queue.at + 4) * 2
    const indexed = index !== undefined && record < index.count ? index.contentBytesOf(record) : said
    if (indexed === said || indexed < 4 || indexed > left) return said
    refuseHuge(source, indexed)
    if (left - indexed < recordHeaderBytes) return said >= 4 && said <= left ? said : indexed
    // After the right length comes the next record with its number.
    wanted = recordHeaderBytes + indexed + recordHeaderBytes
    if (!queue.has(wanted)) return undefined
    return queue.view.getInt32(queue.at + recordHeaderBytes + indexed) === record + 2 ? indexed : said
  }
  return {
    next() {
      if (ending !== undefined) return undefined
      if (nextRange !== undefined && record === range!.to)
        return stop(queue.position === nextRange ? 'whole' : 'broken')
      wanted = recordHeaderBytes
      if (!queue.has(wanted)) return undefined
      const left = source.size - queue.position - recordHeaderBytes
      const contentBytes = contentBytesHere(left)
      if (contentBytes === undefined) return undefined
      // After the declared end there is only padding; zeros before it are padding too, or lost shapes.
      if (contentBytes < 4 || contentBytes > left) {
        const isZeros = contentBytes === 0 && queue.view.getInt32(queue.at) === 0
        if (queue.position >= declaredBytes) return stop('whole')
        return stop(contentBytes > left ? 'cut' : isZeros ? 'short' : 'broken')
      }
      refuseHuge(source, contentBytes)
      wanted = recordHeaderBytes + contentBytes
      if (!queue.has(wanted)) return undefined
      const start = queue.at + recordHeaderBytes
      queue.at += wanted
      record += 1
      return readRecord(queue.view, start, contentBytes)
    },
    async more() {
      if (ending !== undefined) return false
      if (await queue.more(wanted)) return true
      if (queue.position >= declaredBytes) ending = 'whole'
      else ending = queue.has(1) ? 'cut' : 'short'
      return false
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
  const load = async (start: number, bytes: number): Promise<void> => {
    const read = await source.read(start, start + Math.max(windowBytes, bytes))
    window = new DataView(read.buffer, read.byteOffset, read.length)
    windowStart = start
  }
  const has = (start: number, bytes: number): boolean =>
    start >= windowStart && start + bytes <= windowStart + window.byteLength
  /** How many bytes of the record are known to exist: its header alone, or all of it. */
  const bytesAt = (start: number): number => {
    if (!has(start, recordHeaderBytes)) return recordHeaderBytes
    const left = source.size - start - recordHeaderBytes
    const said = window.getInt32(start - windowStart + 4) * 2
    const contentBytes = said >= 4 && said <= left ? said : Math.min(left, index.contentBytesOf(record))
    refuseHuge(source, contentBytes)
    return recordHeaderBytes + contentBytes
  }
  return {
    next() {
      if (record === index.count || isCut) return undefined
      const start = index.startOf(record)
      const bytes = bytesAt(start)
      if (!has(start, recordHeaderBytes) || !has(start, bytes)) return undefined
      record += 1
      return readRecord(window, start - windowStart + recordHeaderBytes, bytes - recordHeaderBytes)
    },
    async more() {
      signal?.throwIfAborted()
      if (record === index.count || isCut) return false
      const start = index.startOf(record)
      await load(start, recordHeaderBytes)
      const bytes = bytesAt(start)
      if (!has(start, bytes)) await load(start, bytes)
      isCut = !has(start, bytes)
      return !isCut
    },
    ending: () => (isCut ? 'cut' : 'whole'),
    close: () => Promise.resolve(),
  }
}
