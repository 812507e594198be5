/** Reads the rows of a .dbf file one after another. */

import { isAscii } from 'node:buffer'
import type { Column, Value } from '../../core/row.ts'
import type { Source } from '../../core/sources/source.ts'
import { ByteQueue } from './byte-queue.ts'
import { columnTypes, readCell, readText, type OddCell } from './shapefile-cell.ts'
import { startTrial, type TextTrial } from '../../core/letters.ts'
import type { TextReader } from './encoding.ts'
import { deletedMark, type Field, type TableHeader } from './table-header.ts'

const endOfRows = 0x1a
const noneOdd: readonly OddValue[] = []

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

/** The cells of a row in the order of the fields, and those that do not fit their column. */
export type TableRow = { readonly cells: readonly Value[]; readonly odd: readonly OddValue[] }

type OddValue = OddCell & { readonly index: number }

/**
 * Starts reading the rows; the header's length is more reliable than its number of fields. `next` reads at most so many rows, fewer
 * only at the end.
 */
export async function openRows(source: Source, header: TableHeader, text: TextReader, signal?: AbortSignal) {
  const { fields, rowBytes } = header
  const queue = new ByteQueue(source, signal)
  await queue.skip(header.headerBytes)
  let left = rowsToRead(header)
  const rowAt = (at: number): TableRow => {
    let odd = noneOdd
    const cells = fields.map((field, index) => {
      const from = at + field.at
      if (field.kind === 'text') return readText(text, queue.bytes, from, from + field.width)
      const cell = readCell(field.kind, queue.bytes, from, from + field.width)
      if (typeof cell !== 'object' || cell === null) return cell
      odd = [...odd, { ...cell, index }]
      return cell.value
    })
    return { cells, odd }
  }
  return {
    async next(most: number): Promise<readonly (TableRow | 'deleted')[]> {
      const rows: (TableRow | 'deleted')[] = []
      for (; left > 0 && rows.length < most; left -= 1) {
        if (!queue.has(rowBytes) && !(await queue.more(rowBytes))) break
        const mark = queue.bytes[queue.at]
        // Otherwise a count that is too large would read the padding after the last row.
        if (mark === endOfRows) break
        rows.push(mark === deletedMark ? 'deleted' : rowAt(queue.at))
        queue.at += rowBytes
      }
      return rows
    },
    close: () => queue.close(),
  }
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
  const queue = new ByteQueue(source)
  try {
    await queue.skip(header.headerBytes)
    for (let left = rowsToRead(header); left > 0 && (await queue.more(header.rowBytes)); left -= 1) {
      const row = queue.bytes.subarray(queue.at, queue.at + header.rowBytes)
      queue.at += header.rowBytes
      if (isAscii(row)) continue
      for (const { at, width } of texts) trial.add(row.subarray(at, at + width), true)
    }
    return trial.verdict()
  } finally {
    await queue.close()
  }
}
