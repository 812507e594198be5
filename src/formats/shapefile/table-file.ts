/** Hides the .dbf file: its header in the dialects of dBASE and FoxPro, and its rows as cells. */

import { isAscii } from 'node:buffer'
import { WindrowError } from '../../core/error.ts'
import type { Column, ColumnType, Value } from '../../core/row.ts'
import type { Source } from '../../core/source.ts'
import { ByteQueue } from './byte-queue.ts'
import { cellReader, type CellKind, type OddCell } from './cell.ts'
import { trialOf, type TextReader } from './encoding.ts'

/** One field as the header describes it; `at` counts from the start of the row. */
export type Field = {
  readonly name: Buffer
  readonly letter: string
  readonly kind: CellKind
  readonly at: number
  readonly width: number
  readonly decimals: number
}

/** What the header says, and how many rows are really there. */
export type TableHeader = {
  readonly headerBytes: number
  readonly rowBytes: number
  readonly declaredRows: number
  readonly presentRows: number
  readonly languageDriver: number
  readonly fields: readonly Field[]
}

const prologueBytes = 32
const descriptorBytes = 32
const endOfDescriptors = 0x0d
const deletedFlag = 0x2a
const endOfRows = 0x1a

/** Reads the header. Throws a WindrowError where it makes no sense. */
export async function readTableHeader(source: Source): Promise<TableHeader> {
  if (source.size === 0) throw new WindrowError('file-empty', `"${source.name}" is empty.`)
  const prologue = Buffer.from(await source.read(0, prologueBytes))
  if (prologue.length < prologueBytes) throw damaged(source, 'it ends within its header')
  if ((prologue[0]! & 7) === 4)
    throw new WindrowError('file-unreadable', `"${source.name}" is a dBASE 7 table, which windrow does not read.`, {
      hint: 'Save it as dBASE IV or export it again as a shapefile.',
    })
  const declaredRows = prologue.readUInt32LE(4)
  const headerBytes = prologue.readUInt16LE(8)
  const rowBytes = prologue.readUInt16LE(10)
  if (headerBytes <= prologueBytes || rowBytes === 0 || headerBytes > source.size)
    throw damaged(source, 'its header makes no sense')
  const descriptors = Buffer.from(await source.read(prologueBytes, headerBytes))
  // Clipper and FoxPro keep the high byte of a wide text column where others keep the decimals, or rubbish: the row's length tells.
  const wide = readFields(descriptors, true)
  const fields = usedBytes(wide) === rowBytes ? wide : readFields(descriptors, false)
  const used = usedBytes(fields)
  if (used > rowBytes) throw damaged(source, `its columns need ${used} bytes a row where the header has ${rowBytes}`)
  const presentRows = Math.floor((source.size - headerBytes) / rowBytes)
  const shown = fields.filter((field) => field.letter !== '0')
  return { headerBytes, rowBytes, declaredRows, presentRows, languageDriver: prologue[29]!, fields: shown }
}

function usedBytes(fields: readonly Field[]): number {
  return fields.reduce((sum, field) => sum + field.width, 1)
}

function damaged(source: Source, what: string): WindrowError {
  return new WindrowError('file-damaged', `"${source.name}" is not a usable table: ${what}.`, {
    hint: 'Copy or export it again.',
  })
}

function readFields(descriptors: Buffer, wide: boolean): readonly Field[] {
  const fields: Field[] = []
  let at = 1
  for (let start = 0; start + descriptorBytes <= descriptors.length; start += descriptorBytes) {
    if (descriptors[start] === endOfDescriptors) break
    const raw = descriptors.subarray(start, start + 11)
    const end = raw.indexOf(0)
    const letter = String.fromCharCode(descriptors[start + 11]!)
    const isText = letter === 'C'
    const width = descriptors[start + 16]! + (isText && wide ? descriptors[start + 17]! * 256 : 0)
    const decimals = isText ? 0 : descriptors[start + 17]!
    const name = end < 0 ? raw : raw.subarray(0, end)
    fields.push({ name, letter, kind: kindOf(letter, width, decimals), at, width, decimals })
    at += width
  }
  return fields
}

function kindOf(letter: string, width: number, decimals: number): CellKind {
  if (width === 0) return 'none'
  switch (letter.toUpperCase()) {
    case 'C':
      return 'text'
    case 'N':
    case 'F':
      return decimals === 0 && letter === 'N' ? 'integer' : 'number'
    case 'D':
      return width === 8 ? 'date' : 'text'
    case 'L':
      return 'truth'
    case 'I':
    case '+':
      return width === 4 ? 'int32' : 'none'
    case 'B':
    case 'O':
      return width === 8 ? 'double' : 'none'
    case 'Y':
      return width === 8 ? 'currency' : 'none'
    case 'T':
    case '@':
      return width === 8 ? 'julian' : width === 14 ? 'stamp' : 'none'
    default:
      return 'none'
  }
}

const columnTypes: Readonly<Record<CellKind, ColumnType>> = {
  text: 'text',
  integer: 'integer',
  number: 'number',
  date: 'date',
  truth: 'boolean',
  int32: 'integer',
  double: 'number',
  currency: 'number',
  julian: 'date-time',
  stamp: 'date-time',
  none: 'text',
}

/** The field as a column of the table; width and decimals where they are digits or letters, not a binary form. */
export function columnOf(name: string, field: Field): Column {
  const isWritten = field.letter === 'C' || field.letter === 'N' || field.letter === 'F'
  return {
    name,
    type: columnTypes[field.kind],
    ...(isWritten ? { width: field.width } : {}),
    ...(field.letter === 'N' || field.letter === 'F' ? { decimals: field.decimals } : {}),
  }
}

/** The fields' names as text, blank and repeated ones as they are. */
export function fieldNames(fields: readonly Field[], reader: TextReader): readonly string[] {
  return fields.map(({ name }) => (isAscii(name) ? name.toString('latin1') : reader.decode(name, name.length >= 10)))
}

/** `next` gives a row's cells in the order of the fields (the same array each time), or undefined when it needs `more` bytes. */
export type TableReader = {
  next(): readonly Value[] | 'deleted' | undefined
  more(): Promise<boolean>
  /** Cells of the row given last that are not what their column is for. */
  readonly odd: readonly (OddCell & { readonly index: number })[]
  close(): Promise<void>
}

/** Starts reading the rows; the header's length is trusted over its number of fields. */
export async function openRows(
  source: Source,
  header: TableHeader,
  text: TextReader,
  signal?: AbortSignal,
): Promise<TableReader> {
  const queue = new ByteQueue(source, signal)
  await queue.skip(header.headerBytes)
  const { fields, rowBytes } = header
  const cells: Value[] = fields.map(() => null)
  const odd: (OddCell & { readonly index: number })[] = []
  const readCell = cellReader(text)
  let left = rowsToRead(header)
  return {
    odd,
    next() {
      if (left === 0 || !queue.has(rowBytes)) return undefined
      left -= 1
      const { at } = queue
      queue.at += rowBytes
      // A count that is too large would else read the filling behind the last row.
      if (queue.bytes[at] === endOfRows) {
        left = 0
        return undefined
      }
      if (queue.bytes[at] === deletedFlag) return 'deleted'
      odd.length = 0
      for (let index = 0; index < fields.length; index += 1) {
        const field = fields[index]!
        const from = at + field.at
        const cell = readCell(field.kind, queue, from, from + field.width)
        if (typeof cell === 'object' && cell !== null) {
          odd.push({ ...cell, index })
          cells[index] = cell.value
        } else cells[index] = cell
      }
      return cells
    },
    more: () => (left === 0 ? Promise.resolve(false) : queue.more(rowBytes)),
    close: () => queue.close(),
  }
}

/** Some programs never count the rows in the header; what lies beyond the count is else the rest of an older, longer table. */
export function rowsToRead(header: TableHeader): number {
  return header.declaredRows === 0 ? header.presentRows : Math.min(header.declaredRows, header.presentRows)
}

/** Reads all text of the table to see whether it is ASCII, UTF-8 or something else. */
export async function tryText(source: Source, header: TableHeader): Promise<'ascii' | 'utf-8' | 'other'> {
  const texts = header.fields.filter((field) => field.kind === 'text')
  let verdict: 'ascii' | 'utf-8' = 'ascii'
  for (const { name } of header.fields) {
    const trial = trialOf(name, name.length >= 10)
    if (trial === 'other') return trial
    if (trial === 'utf-8') verdict = trial
  }
  const queue = new ByteQueue(source)
  try {
    await queue.skip(header.headerBytes)
    for (let left = rowsToRead(header); left > 0 && (await queue.more(header.rowBytes)); left -= 1) {
      const row = queue.bytes.subarray(queue.at, queue.at + header.rowBytes)
      queue.at += header.rowBytes
      if (trialOf(row, false) === 'ascii') continue
      for (const field of texts) {
        const trial = trialOf(row.subarray(field.at, field.at + field.width), true)
        if (trial === 'other') return trial
        if (trial === 'utf-8') verdict = trial
      }
    }
    return verdict
  } finally {
    await queue.close()
  }
}
