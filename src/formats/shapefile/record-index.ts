/** Reads the .shx file: where each record of the .shp begins, as far as it can be trusted. */

import type { Source } from '../../core/sources/source.ts'
import { isShapeType } from './shape-record.ts'

/**
 * Where records are, in bytes of the .shp; the content begins 8 bytes later. `leaps` are the first records that are not
 * directly after the one before them: programs that edit in place leave gaps, or write the changed record at the end.
 */
export type RecordIndex = {
  readonly count: number
  readonly leaps: readonly number[]
  startOf(record: number): number
  contentBytesOf(record: number): number
}

/** The 8 bytes before the content of each record: its number from 1, its length in words. */
export const recordHeaderBytes = 8
/** The bytes before the first record of a .shp, or the first entry of a .shx. */
export const headerBytes = 100

const entryBytes = 8
/** Eight million records; a longer index is not loaded, and the records are read one after another. */
const largestIndexBytes = 64 * 2 ** 20
const mostLeaps = 32
const samples = 32

/** How many records an index of this size is for. */
export function indexedRecords(shx: Source): number {
  return Math.max(0, Math.floor((shx.size - headerBytes) / entryBytes))
}

/** Reads the index; undefined if it is not one, or points outside a .shp of that size. */
export async function readRecordIndex(shx: Source, shpBytes: number): Promise<RecordIndex | undefined> {
  const count = indexedRecords(shx)
  if (count === 0 || shx.size > largestIndexBytes) return undefined
  const bytes = await shx.read(headerBytes, headerBytes + count * entryBytes)
  if (bytes.length < count * entryBytes) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  // Counted in words of two bytes, unsigned, so that files beyond 2 GB work.
  const startOf = (record: number): number => view.getUint32(record * entryBytes) * 2
  const contentBytesOf = (record: number): number => view.getUint32(record * entryBytes + 4) * 2
  const leaps: number[] = []
  let expected = headerBytes
  for (let record = 0; record < count; record += 1) {
    const start = startOf(record)
    if (start < headerBytes || start + recordHeaderBytes + 4 > shpBytes) return undefined
    if (start !== expected && leaps.length < mostLeaps) leaps.push(record)
    expected = start + recordHeaderBytes + contentBytesOf(record)
  }
  return { count, leaps, startOf, contentBytesOf }
}

/** True if there are records with the right number where the index leaps to, and where a sample of the others should be. */
export async function isBorneOut({ count, leaps, startOf }: RecordIndex, shp: Source): Promise<boolean> {
  const step = Math.max(1, Math.floor(count / samples))
  const looked = new Set(leaps)
  for (let record = 0; record < count; record += step) looked.add(record)
  for (const record of looked) {
    const start = startOf(record)
    const bytes = await shp.read(start, start + recordHeaderBytes + 4)
    if (bytes.length < recordHeaderBytes + 4) return false
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    const contentBytes = view.getInt32(4) * 2
    const isWhole = contentBytes >= 4 && start + recordHeaderBytes + contentBytes <= shp.size
    if (view.getInt32(0) !== record + 1 || !isWhole || !isShapeType(view.getInt32(8, true))) return false
  }
  return true
}
