/**
 * Opens workbooks other than .xlsx with the library, within limits and in a separate process: the library trusts the file, and a damaged
 * one can make it run for ever or use all memory, which a thread cannot contain.
 */

import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { WindrowError } from '../../core/error.ts'
import { rowsPerBatch, type Table } from '../../core/row.ts'
import { readAll, type Member, type Source } from '../../core/sources/source.ts'
import { membersOfZip } from '../../core/sources/zip.ts'
import type { FormatOptions } from '../format.ts'
import { numberFormat } from '../spreadsheet/number-format.ts'
import { hasFilledCell } from '../spreadsheet/spreadsheet-cell.ts'
import { emptyRow, keptRow, type CellRow, type Sheet, type SheetListener } from '../spreadsheet/spreadsheet-sheet.ts'
import { sheetTables } from '../spreadsheet/spreadsheet-tables.ts'
import { nameCode, rawAttribute, XmlScanner } from '../xml.ts'
import { hasText, type PackedSheet } from './packing.ts'
import { beginsWith, compoundFile, isOldStream } from '../recognise.ts'
import type { Answer, BookLimits, Question } from './library.ts'

const limitBytes = 100 * 2 ** 20

/** Opens a workbook as a table for each of its sheets. */
export async function openWorkbook(
  source: Source,
  options: FormatOptions,
  decides: boolean,
): Promise<readonly Table[]> {
  const { bytes, unpackedBytes } = await bytesWithinLimits(source)
  const { sheets, formats, from1904 } = await readBook(source.name, bytes, unpackedBytes)
  const book = { formats: formats.map(numberFormat), from1904, sheets: sheets.map(sheetOf) }
  return sheetTables({ ...book, source: source.name, format: 'workbook' }, options, decides)
}

async function bytesWithinLimits(source: Source) {
  if (source.size === 0) throw new WindrowError('file-empty', `"${source.name}" is empty.`)
  if (source.size > limitBytes)
    throw new WindrowError(
      'file-too-large',
      `"${source.name}" has ${Math.round(source.size / 2 ** 20)} MB; the limit for workbooks of this kind is 100 MB.`,
      { hint: 'Save it as .xlsx, which is read at any size, or save the sheet as CSV (UTF-8).' },
    )
  const bytes = await readAll(source, limitBytes)
  if (beginsWith(bytes, [0x50, 0x4b])) return { bytes, unpackedBytes: await checkUnpacked(source) }
  if (!beginsWith(bytes, compoundFile) && !isOldStream(bytes))
    throw new WindrowError('file-damaged', `"${source.name}" is not a workbook, despite its name.`, {
      hint: 'Open it in Excel and save it again as a workbook or as CSV.',
    })
  // Excel stores a book with a password as one stream of this name ([MS-OFFCRYPTO] 2.3.4.4).
  // Searched as bytes: Node's search for UTF-16 never ends in a buffer at an odd address.
  if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(Buffer.from('EncryptedPackage', 'utf16le')))
    throw passwordError(source.name)
  return { bytes, unpackedBytes: bytes.length }
}

/** All members together, unpacked. */
const unpackedBytes = 2 ** 30
/** The library uses about 100 bytes for a cell and its text. */
const mostCells = 10_000_000

/** Reads through a packed workbook and refuses one that unpacks to too much; returns its unpacked size. */
async function checkUnpacked(source: Source): Promise<number> {
  // The library trusts the sizes that a zip declares; this counts what really comes out.
  const members = await membersOfZip(source, { totalBytes: unpackedBytes })
  if (await isEncrypted(members)) throw passwordError(source.name)
  let seenBytes = 0
  for (const { name, source: member } of members) {
    const count = name === 'content.xml' ? cellCounter(source.name) : undefined
    for await (const chunk of member.stream()) {
      seenBytes += chunk.length
      count?.push(chunk)
    }
  }
  return seenBytes
}

/** OpenDocument encrypts each member, or packs all of them into one, and declares it in its manifest (ODF 1.2 part 3, 3.4). */
async function isEncrypted(members: readonly Member[]): Promise<boolean> {
  const manifest = members.find(({ name }) => name === 'META-INF/manifest.xml')?.source
  return manifest !== undefined && Buffer.from(await manifest.read(0, 1 << 16)).includes('encryption-data')
}

const rowName = nameCode('table-row')
const cellName = nameCode('table-cell')
const repeatedNames = [nameCode('number-rows-repeated'), nameCode('number-columns-repeated')]
const valueNames = ['value-type', 'value', 'date-value', 'time-value', 'string-value', 'boolean-value'].map(nameCode)

/**
 * Counts the filled cells of an OpenDocument sheet from its tags. A row and a cell can declare many repetitions
 * (ODF 1.2, 19.675 and 19.677), so a few bytes can make a sheet that no memory can hold.
 */
function cellCounter(fileName: string): XmlScanner {
  let cells = 0
  let rowTimes = 1
  return new XmlScanner(fileName, {
    open(name, attributes, bytes) {
      if (name !== rowName && name !== cellName) return
      const has = (each: number): boolean => rawAttribute(attributes, each, bytes) !== undefined
      const repeated = repeatedNames.map((each) => rawAttribute(attributes, each, bytes)).find((each) => each)
      const times = Math.max(1, Number(repeated) || 1)
      if (name === rowName) rowTimes = times
      else if (!attributes.isEmpty || valueNames.some(has)) cells += times * rowTimes
      if (cells <= mostCells) return
      throw new WindrowError('file-too-large', `"${fileName}" unpacks to more than ${mostCells / 1e6} million cells.`, {
        hint: 'Delete the rows and columns that are only filled down, or save the sheet as CSV (UTF-8) and read that.',
      })
    },
  })
}

/** Makes a sheet of packed cells. */
function sheetOf(packed: PackedSheet): Sheet {
  const { name, hidden, ends, merges } = packed
  const hiddenRows = new Set(packed.hiddenRows)
  return {
    name,
    hidden,
    firstRows(most, reach) {
      const first: CellRow[] = []
      const reader = rowReader(packed, hiddenRows)
      for (let index = 0; index < ends.length && (first.length < most || index < reach); index += 1) {
        const row = reader(index)
        if (hasFilledCell(row)) first.push(keptRow(row))
      }
      return Promise.resolve(first)
    },
    merges: () => Promise.resolve(merges),
    async *pass(listener: SheetListener, signal?: AbortSignal) {
      for (const column of packed.hiddenColumns) listener.hiddenColumns?.(column, column)
      for (const merge of merges) listener.merged?.(merge)
      const reader = rowReader(packed, hiddenRows)
      for (let index = 0; index < ends.length; index += 1) {
        listener.row?.(reader(index))
        if (index % rowsPerBatch !== rowsPerBatch - 1) continue
        signal?.throwIfAborted()
        yield
      }
      yield
    },
  }
}

/** Returns the rows one after another, from the first on; each is valid until the next. */
function rowReader(packed: PackedSheet, hiddenRows: ReadonlySet<number>): (index: number) => CellRow {
  const { ends, columns, kinds, numbers, formats, texts } = packed
  const row = emptyRow()
  let [at, text] = [0, 0]
  return (index) => {
    row.number = index + 1
    row.hidden = hiddenRows.has(index)
    row.count = 0
    for (const end = ends[index]!; at < end; at += 1) {
      const cell = row.count
      const kind = kinds[at]!
      row.columns[cell] = columns[at]!
      row.kinds[cell] = kind & ~hasText
      row.numbers[cell] = numbers[at]!
      row.texts[cell] = (kind & hasText) === 0 ? undefined : texts[text++]
      row.formats[cell] = formats[at]!
      row.count = cell + 1
    }
    return row
  }
}

/** Sound files need up to 0.2 s and 40 MB of heap per unpacked MB; the limits are several times that. */
function limitsFor(unpackedBytes: number): BookLimits {
  const megabytes = Math.ceil(unpackedBytes / 2 ** 20)
  const heapMB = Math.min(4096, 96 + 56 * megabytes)
  return { seconds: 3 + megabytes, heapMB, memoryMB: heapMB + 112 + 4 * megabytes }
}

/** Reads a whole workbook in a separate process. Throws a WindrowError if it cannot be read, exceeds the limits, or has a password. */
export async function readBook(name: string, bytes: Uint8Array, unpackedBytes: number) {
  const answer = await answerOf(name, { bytes, limits: limitsFor(unpackedBytes) })
  if (!('fault' in answer)) return answer
  if (/password|encrypt/i.test(answer.fault)) throw passwordError(name)
  throw new WindrowError('file-damaged', `"${name}" cannot be read as a workbook; it is damaged or cut off.`, {
    hint: 'Open it in Excel or LibreOffice and save it again.',
    cause: answer.fault,
  })
}

export function passwordError(name: string): WindrowError {
  return new WindrowError('file-unreadable', `"${name}" is protected by a password.`, {
    hint: /\.ods$/i.test(name)
      ? 'Open it in LibreOffice and save it with another name, without a password.'
      : 'Open it in Excel, take the password off (File, Info, Protect Workbook), and save it.',
  })
}

async function answerOf(name: string, question: Question): Promise<Answer> {
  const child = startReader(question.limits.heapMB)
  const ended = new AbortController()
  const { signal } = ended
  const message = (): Promise<unknown> =>
    Promise.race([
      once(child, 'message', { signal }).then(([found]) => found as unknown),
      once(child, 'exit', { signal }).then(() => undefined),
    ])
  try {
    if ((await message()) === undefined)
      throw new WindrowError('part-missing', 'The part of windrow that reads workbooks does not start.', {
        hint: 'Install windrow again. If that does not help, save the sheet as CSV (UTF-8) and read that.',
      })
    const begun = performance.now()
    child.send(question)
    const answer = (await message()) as Answer | undefined
    if (answer === undefined) throw costly(name, question.limits, performance.now() - begun)
    return answer
  } finally {
    ended.abort()
    child.kill('SIGKILL')
  }
}

// It has the same extension as this file: .ts in the repository, .js in the package.
const library = new URL(`./library${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url)

function startReader(heapMB: number): ChildProcess {
  return fork(library, {
    // The options of this process may not suit another one.
    execArgv: [`--max-old-space-size=${heapMB}`, '--max-semi-space-size=8'],
    serialization: 'advanced',
    // The library prints warnings about number formats and records to standard error.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}

function costly(name: string, { seconds, memoryMB }: BookLimits, tookMs: number): WindrowError {
  const what = tookMs >= seconds * 1000 ? `longer than ${seconds} seconds` : `more than ${memoryMB} MB of memory`
  return new WindrowError('file-too-large', `"${name}" takes ${what} to read, far beyond what its size explains.`, {
    hint: 'It may be damaged, or its sheets filled down to the last row. Open it in Excel or LibreOffice, save the sheet as CSV (UTF-8) and read that.',
  })
}
