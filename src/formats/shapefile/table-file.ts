/** Opens the table of a shapefile: its encoding, its columns, and those that cannot be read; and reads its rows one after another. */

import { isAscii } from 'node:buffer'
import type { Column, Value, Place } from '../../core/row.ts'
import type { Source } from '../../core/sources/source.ts'
import { ByteQueue } from './byte-queue.ts'
import { columnTypes, readCell, readText, type OddCell } from './shapefile-cell.ts'
import { startTrial, type TextTrial } from '../../core/letters.ts'
import { type TextReader, chooseEncoding, textReader } from './encoding.ts'
import { deletedMark, type Field, type TableHeader, readTableHeader } from './table-header.ts'
import { problem, type Problem } from '../../core/problem.ts'
import { stemOf } from '../../core/sources/file-tree.ts'
import { namesOfHeader } from '../table-names.ts'
import { fullNames } from './field-names.ts'

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
function fieldNames(fields: readonly Field[], reader: TextReader): readonly string[] {
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

/** The opened table; `notes` are what is known before a row is read. */
export type Attributes = Awaited<ReturnType<typeof openAttributes>>

/** The inputs: the table, its declared encoding, the option, whether the text may decide it, and the place for notes. */
export type TableClues = {
  readonly dbf: Source
  readonly cpg: Source | undefined
  readonly names: Source | undefined
  readonly encoding: string | undefined
  readonly decides: boolean
  readonly at: Place
}

/** Opens the table. Reads all of it only to decide its encoding. */
export async function openAttributes({ dbf, cpg, names: list, encoding, decides, at }: TableClues) {
  const header = await readTableHeader(dbf)
  const choice = await chooseEncoding({
    option: encoding,
    declaration: await beginningOf(cpg, 200),
    languageDriver: header.languageDriver,
    ...(decides ? { trial: () => tryText(dbf, header) } : {}),
  })
  const short = fieldNames(header.fields, textReader(choice.encoding))
  const listed = await beginningOf(list, mostListBytes)
  const full = listed === undefined ? short : fullNames(listed, stemOf(dbf.name), short)
  const { names, notes } = namesOfHeader(full, at)
  const columns = header.fields.map((field, index) => columnOf(names[index]!, field))
  const doubts = choice.doubts.map(({ code, ...more }) => problem(code, at, more))
  const unread = header.fields.flatMap((field, index) =>
    field.kind === 'none' ? [unreadable(field, names[index]!, at)] : [],
  )
  return { header, choice, columns, notes: [...repaired(header, dbf, at), ...doubts, ...notes, ...unread] }
}

const mostListBytes = 1 << 20

async function beginningOf(file: Source | undefined, bytes: number): Promise<string | undefined> {
  return file === undefined ? undefined : Buffer.from(await file.read(0, bytes)).toString('utf8')
}

function repaired({ isRepaired }: TableHeader, { name }: Source, at: Place): readonly Problem[] {
  if (!isRepaired) return []
  return [
    problem('file-inconsistent', at, {
      message: `The header of "${name}" gives wrong lengths; its rows were found by their marks.`,
      hint: 'Check whether the values are complete. If not, export the file again.',
    }),
  ]
}

function unreadable({ letter, width }: TableHeader['fields'][number], column: string, at: Place): Problem {
  const isMemo = /[MGP]/.test(letter)
  const what = isMemo
    ? 'a memo, whose text is in a .dbt or .fpt file that is not read'
    : 'not text, number, date or truth'
  const why = width === 0 ? 'has no width' : `is of the kind "${letter}" (${what})`
  return problem('column-unreadable', at, {
    column,
    message: `The column "${column}" ${why}; its cells are left empty.`,
  })
}
