/** Reads records in the order of the index if that is not their order in the .shp. */

import type { Source } from '../../core/sources/source.ts'
import { recordHeaderBytes, type RecordIndex } from './record-index.ts'
import { readRecord, refuseHuge, type ShapeReader } from './shape-record.ts'

const windowBytes = 1 << 18

/** Visits the records in index order through a window of the file; an edited file is mostly in order. */
export function visitShapes(source: Source, index: RecordIndex, signal: AbortSignal | undefined): ShapeReader {
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
