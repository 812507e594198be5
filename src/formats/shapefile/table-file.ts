/** Reads the rows of a .dbf file one after another. */

import { isAscii } from 'node:buffer'
import type { Column, Range, Value } from '../../core/row.ts'
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

/** `next` returns a row's cells in the order of the fields (the same array each time), or undefined if it needs `more` bytes. */
export type TableReader = Awaited<ReturnType<typeof openRows>>

type OddValue = OddCell & { readonly index: number }

type Wanted = {
  readonly text: TextReader
  readonly signal?: AbortSignal | undefined
  readonly range?: Range | undefined
}

/** Starts reading the rows; the header's length is more reliable than its number of fields. */
export async function openRows(source: Source, header: TableHeader, { text, signal, range }: Wanted) {
  const { fields, rowBytes } = header
  const queue = new ByteQueue(source, signal, (range?.from ?? 0) * rowBytes)
  await queue.skip(header.headerBytes)
  const cells: Value[] = fields.map(() => null)
  const odd: OddValue[] = []
  let left = range === undefined ? rowsToRead(header) : range.to - range.from
  const nextRow = (): number | 'deleted' | undefined => {
    if (left === 0 || !queue.has(rowBytes)) return undefined
    left -= 1
    const { at } = queue
    queue.at += rowBytes
    // Otherwise a count that is too large would read the padding after the last row.
    if (queue.bytes[at] === endOfRows) {
      left = 0
      return undefined
    }
    if (queue.bytes[at] === deletedMark) return 'deleted'
    odd.length = 0
    return at
  }
  const readValue = (index: number, at: number): Value => {
    const field = fields[index]!
    const from = at + field.at
    if (field.kind === 'text') return readText(text, queue.bytes, from, from + field.width)
    const cell = readCell(field.kind, queue.bytes, from, from + field.width)
    if (typeof cell !== 'object' || cell === null) return cell
    odd.push({ ...cell, index })
    return cell.value
  }
  return {
    /** Cells of the last row that do not fit their column. */
    odd: odd as readonly OddValue[],
    next(): readonly Value[] | 'deleted' | undefined {
      const at = nextRow()
      if (typeof at !== 'number') return at
      for (let index = 0; index < fields.length; index += 1) cells[index] = readValue(index, at)
      return cells
    },
    more: () => (left === 0 ? Promise.resolve(false) : queue.more(rowBytes)),
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
