/** Reads a .shp file: its header, its records of every shape type, and where it breaks off. */

import { WindrowError } from '../../core/error.ts'
import { rowsPerBatch, type Range } from '../../core/row.ts'
import type { Source } from '../../core/sources/source.ts'
import { ByteQueue } from './byte-queue.ts'
import { headerBytes, isBorneOut, readRecordIndex, recordHeaderBytes, type RecordIndex } from './record-index.ts'
import { readRecord, refuseHuge, type Ending, type ShapeRecord } from './shape-record.ts'
import { isGeometryFile } from './shapefile-head.ts'

/** Records in batches, all but the last as long as a batch of rows; the last says how they ended. */
type Shapes = AsyncGenerator<{ readonly records: readonly ShapeRecord[]; readonly ending?: Ending }, undefined>

/** `usesIndex` is true if the index file was used. */
export type OpenShapes = { readonly batches: Shapes; readonly usesIndex: boolean }

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
    return { batches: walkShapes(source, index, { signal, range }), usesIndex: index !== undefined }
  if (await isBorneOut(index, source)) return { batches: visitShapes(source, index, signal), usesIndex: true }
  return { batches: walkShapes(source, undefined, { signal }), usesIndex: false }
}

async function* walkShapes(
  source: Source,
  index: RecordIndex | undefined,
  { signal, range }: { readonly signal: AbortSignal | undefined; readonly range?: Range | undefined },
): Shapes {
  await using queue = new ByteQueue(source, signal, range?.at)
  if (range === undefined && !(await queue.more(headerBytes))) throw notAShapefile(source)
  // Unsigned, so that files beyond 2 GB work. A range begins behind the header, of a file that has its declared length.
  const declaredBytes = range === undefined ? queue.view.getUint32(24) * 2 : source.size
  if (range === undefined) queue.at += headerBytes
  const nextRange = range?.isLast === false && index !== undefined ? index.startOf(range.to) : undefined
  const early = (how: Ending): Ending => (queue.position >= declaredBytes ? 'whole' : how)
  yield* inBatches(range?.from ?? 0, async (record) => {
    if (nextRange !== undefined && record === range!.to) return queue.position === nextRange ? 'whole' : 'broken'
    if (!queue.has(recordHeaderBytes) && !(await queue.more(recordHeaderBytes)))
      return early(queue.has(1) ? 'cut' : 'short')
    const left = source.size - queue.position - recordHeaderBytes
    const said = queue.view.getInt32(queue.at + 4) * 2
    const indexed = index !== undefined && record < index.count ? index.contentBytesOf(record) : said
    const contentBytes = indexed === said ? said : await likelier(source, queue, { record, left, said, indexed })
    // After the declared end there is only padding; zeros before it are padding too, or lost shapes.
    if (contentBytes > left) return early('cut')
    if (contentBytes < 4) return early(contentBytes === 0 && queue.view.getInt32(queue.at) === 0 ? 'short' : 'broken')
    refuseHuge(source, contentBytes)
    if (!queue.has(recordHeaderBytes + contentBytes) && !(await queue.more(recordHeaderBytes + contentBytes)))
      return early('cut')
    const start = queue.at + recordHeaderBytes
    queue.at = start + contentBytes
    return readRecord(queue.view, start, contentBytes)
  })
}

async function* inBatches(first: number, take: (record: number) => Promise<ShapeRecord | Ending>): Shapes {
  let batch: ShapeRecord[] = []
  for (let record = first; ; record += 1) {
    const taken = await take(record)
    if (typeof taken === 'string') {
      yield { records: batch, ending: taken }
      return
    }
    batch.push(taken)
    if (batch.length < rowsPerBatch) continue
    yield { records: batch }
    batch = []
  }
}

type Lengths = { readonly record: number; readonly left: number; readonly said: number; readonly indexed: number }

/** The length of the record by its own header or by the index, whichever is right. */
async function likelier(source: Source, queue: ByteQueue, { record, left, said, indexed }: Lengths): Promise<number> {
  if (indexed < 4 || indexed > left) return said
  refuseHuge(source, indexed)
  if (left - indexed < recordHeaderBytes) return said >= 4 && said <= left ? said : indexed
  // After the right length comes the next record with its number.
  const isNext =
    (await queue.more(recordHeaderBytes + indexed + recordHeaderBytes)) &&
    queue.view.getInt32(queue.at + recordHeaderBytes + indexed) === record + 2
  return isNext ? indexed : said
}

const windowBytes = 1 << 18

/** Visits the records in index order through a window of the file; an edited file is mostly in order. */
async function* visitShapes(source: Source, index: RecordIndex, signal: AbortSignal | undefined): Shapes {
  let window: DataView = new DataView(new ArrayBuffer(0))
  let windowStart = 0
  /** Brings these bytes into the window; false if the file has no more of them. */
  const has = async (start: number, bytes: number): Promise<boolean> => {
    const isIn = (): boolean => start >= windowStart && start + bytes <= windowStart + window.byteLength
    if (isIn()) return true
    signal?.throwIfAborted()
    const read = await source.read(start, start + Math.max(windowBytes, bytes))
    window = new DataView(read.buffer, read.byteOffset, read.length)
    windowStart = start
    return isIn()
  }
  yield* inBatches(0, async (record) => {
    if (record === index.count) return 'whole'
    const start = index.startOf(record)
    if (!(await has(start, recordHeaderBytes))) return 'cut'
    const left = source.size - start - recordHeaderBytes
    const said = window.getInt32(start - windowStart + 4) * 2
    const contentBytes = said >= 4 && said <= left ? said : Math.min(left, index.contentBytesOf(record))
    refuseHuge(source, contentBytes)
    if (!(await has(start, recordHeaderBytes + contentBytes))) return 'cut'
    return readRecord(window, start - windowStart + recordHeaderBytes, contentBytes)
  })
}
