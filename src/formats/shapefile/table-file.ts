/** Reads the rows of a .dbf file one after another. */

import { isAscii } from 'node:buffer'
import { rowsPerBatch, type Column, type Range, type Value } from '../../core/row.ts'
import type { Source } from '../../core/sources/source.ts'
import { ByteQueue } from './byte-queue.ts'
import { columnTypes, readCell, readText, type OddCell } from './shapefile-cell.ts'
import { startTrial, type TextReader, type TextTrial } from './encoding.ts'
import { deletedMark, type Field, type TableHeader } from './table-header.ts'

const endOfRows = 0x1a

/** The field as a column of the table; width and decimals if it contains digits or letters. */
export function columnOf(name: string, field: Field): Column {
  const isWritten = field.letter === 'C' || field.letter === 'N' || field.letter === 'F'
  return {
    name,
    type: columnTypes[field.kind],
    ...(isWritten ? { width: field.width } : {}),
    ...(field.letter === 'N' || field.letter === 'F' ? { decimals: field.decimals } : {}),
  }
}

/** The fields' names as text, blank and repeated ones unchanged. */
export function fieldNames(fields: readonly Field[], reader: TextReader): readonly string[] {
  return fields.map(({ name }) => (isAscii(name) ? name.toString('latin1') : reader.decode(name, name.length >= 10)))
}

/** A row's cells in the order of the fields, and those that do not fit their column. */
export type TableRow =
  | 'deleted'
  | { readonly cells: readonly Value[]; readonly odd: readonly (OddCell & { readonly index: number })[] }

type Wanted = {
  readonly text: TextReader
  readonly signal?: AbortSignal | undefined
  readonly range?: Range | undefined
}

/**
 * Reads the rows in batches, all but the last as long as a batch of rows of the layer. The header's length is more reliable than its
 * number of fields.
 */
export async function* readTable(
  source: Source,
  header: TableHeader,
  { text, signal, range }: Wanted,
): AsyncGenerator<readonly TableRow[], undefined> {
  const { fields, rowBytes } = header
  await using queue = new ByteQueue(source, signal, header.headerBytes + (range?.from ?? 0) * rowBytes)
  const rowAt = (at: number): TableRow => {
    if (queue.bytes[at] === deletedMark) return 'deleted'
    const odd: (OddCell & { readonly index: number })[] = []
    const cells = fields.map((field, index) => {
      const from = at + field.at
      if (field.kind === 'text') return readText(text, queue.bytes, from, from + field.width)
      const cell = readCell(field.kind, queue.bytes, from, from + field.width)
      if (typeof cell !== 'object' || cell === null) return cell
      odd.push({ ...cell, index })
      return cell.value
    })
    return { cells, odd }
  }
  let batch: TableRow[] = []
  for (let left = range === undefined ? rowsToRead(header) : range.to - range.from; left > 0; left -= 1) {
    // Otherwise a count that is too large would read the padding after the last row.
    if (!(queue.has(rowBytes) || (await queue.more(rowBytes))) || queue.bytes[queue.at] === endOfRows) break
    batch.push(rowAt(queue.at))
    queue.at += rowBytes
    if (batch.length < rowsPerBatch) continue
    yield batch
    batch = []
  }
  yield batch
}

/** Some programs never count the rows in the header; otherwise rows beyond the count are left over from an older, longer table. */
export function rowsToRead(header: TableHeader): number {
  return header.declaredRows === 0 ? header.presentRows : Math.min(header.declaredRows, header.presentRows)
}

/** Reads all text of the table to find possible encodings. */
export async function tryText(source: Source, header: TableHeader): Promise<TextTrial> {
  const texts = header.fields.filter((field) => field.kind === 'text')
  const trial = startTrial()
  for (const { name } of header.fields) trial.add(name, name.length >= 10)
  await using queue = new ByteQueue(source, undefined, header.headerBytes)
  for (let left = rowsToRead(header); left > 0 && (await queue.more(header.rowBytes)); left -= 1) {
    const row = queue.bytes.subarray(queue.at, queue.at + header.rowBytes)
    queue.at += header.rowBytes
    if (isAscii(row)) continue
    for (const { at, width } of texts) trial.add(row.subarray(at, at + width), true)
  }
  return trial.verdict()
}
