/** Hides old and other workbooks (.xls, .xlsb, .ods): the library that reads them whole, their sheets, headers and limits. */

import type { WorkBook, WorkSheet } from 'xlsx'
import { WindrowError } from '../core/error.ts'
import { problem, type Problem } from '../core/problem.ts'
import {
  batchSize,
  isBlank,
  valuesMaker,
  type Decision,
  type Place,
  type Row,
  type Table,
  type Value,
} from '../core/row.ts'
import { readAll, type Source } from '../core/source.ts'
import type { Format, FormatOptions, Probe } from './format.ts'
import { namesOfHeader } from './table.ts'
import { checkUnpacked } from './workbook/limits.ts'
import { shownText, understand, type BookCell } from './workbook/cell.ts'

/** Workbooks of Excel before 2007, binary workbooks and OpenDocument spreadsheets; read whole, so of moderate size. */
export const workbook: Format = {
  name: 'workbook',
  title: 'Workbook (.xls, .xlsb, .ods)',
  extensions: ['.xls', '.xlsb', '.ods'],
  options: {
    type: 'object',
    properties: {
      header: { type: 'integer', minimum: 1, description: 'The number of the row with the column names.' },
      hidden: { type: 'boolean', description: 'Read hidden sheets too.' },
    },
    additionalProperties: false,
  },
  recognise,
  open: openWorkbook,
}

const compoundFile = [0xd0, 0xcf, 0x11, 0xe0]

function recognise({ name, head, members }: Probe): boolean {
  if (members === undefined) return /\.xlt?s?$/i.test(name) && (beginsWith(head, compoundFile) || isOldStream(head))
  if (members.includes('xl/workbook.bin')) return true
  // The kind stands in the first member, but some programs do not put it first.
  const saysSo = /\.ods$/i.test(name) || Buffer.from(head.subarray(0, 200)).includes('opendocument.spreadsheet')
  return saysSo && members.includes('content.xml')
}

function beginsWith(head: Uint8Array, bytes: readonly number[]): boolean {
  return bytes.every((byte, index) => head[index] === byte)
}

/** Excel 2 to 4 wrote the records of a sheet bare: 0x09, then the version. */
function isOldStream(head: Uint8Array): boolean {
  return head[0] === 0x09 && [0x00, 0x02, 0x04, 0x08].includes(head[1] ?? -1)
}

const limitBytes = 100 * 2 ** 20

async function openWorkbook(source: Source, options: FormatOptions): Promise<readonly Table[]> {
  const book = await parse(source.name, await bytesWithinLimits(source))
  const from1904 = book.Workbook?.WBProps?.date1904 === true
  const hidden = book.SheetNames.filter((_, index) => (book.Workbook?.Sheets?.[index]?.Hidden ?? 0) !== 0)
  const names = book.SheetNames.filter((name) => options.hidden === true || !hidden.includes(name))
  const sheets = names.flatMap((name) => {
    const rows = rowsOfSheet(book.Sheets[name])
    return rows.length === 0 ? [] : [{ name, rows }]
  })
  if (sheets.length === 0) {
    const hint =
      hidden.length === 0
        ? 'Open it and look.'
        : `Hidden: ${hidden.join(', ')}. Show the sheet, or set the option "hidden".`
    throw new WindrowError('file-empty', `"${source.name}" has no visible sheet with anything in it.`, { hint })
  }
  const notes = options.hidden === true ? [] : hidden.map((name) => hiddenNote(source.name, name))
  return sheets.map((sheet) =>
    tableOf({ source: source.name, ...sheet, alone: sheets.length === 1, from1904, notes }, options),
  )
}

async function bytesWithinLimits(source: Source): Promise<Uint8Array> {
  if (source.size === 0) throw new WindrowError('file-empty', `"${source.name}" holds nothing to read.`)
  if (source.size > limitBytes)
    throw new WindrowError(
      'file-too-large',
      `"${source.name}" has ${source.size >> 20} MB; workbooks of this kind are read up to 100 MB.`,
      {
        hint: 'Save the sheet as CSV (UTF-8) and read that.',
      },
    )
  const bytes = await readAll(source, limitBytes)
  if (beginsWith(bytes, [0x50, 0x4b])) await checkUnpacked(source)
  else if (!beginsWith(bytes, compoundFile) && !isOldStream(bytes))
    throw new WindrowError('file-damaged', `"${source.name}" is not a workbook inside, whatever its name says.`, {
      hint: 'Open it in Excel and save it again as a workbook or as CSV.',
    })
  return bytes
}

async function parse(name: string, bytes: Uint8Array): Promise<WorkBook> {
  // Loaded only where it is wanted: it takes 8 MB and 30 ms of every start.
  const XLSX = await import('xlsx')
  try {
    return quietly(() =>
      XLSX.read(bytes, { type: 'array', dense: true, cellNF: true, cellFormula: false, cellHTML: false }),
    )
  } catch (cause) {
    if (/password|encrypt/i.test((cause as Error).message))
      throw new WindrowError('file-unreadable', `"${name}" is protected by a password.`, {
        hint: 'Open it in Excel, take the password off (File, Info, Protect Workbook), and save it.',
        cause,
      })
    throw new WindrowError('file-damaged', `"${name}" cannot be read as a workbook; it is damaged or cut off.`, {
      hint: 'Open it in Excel or LibreOffice and save it again.',
      cause,
    })
  }
}

/** The library writes its doubts about number formats and records to standard error, which belongs to the person. */
function quietly<T>(work: () => T): T {
  const log = globalThis.console
  const usual = Object.getOwnPropertyDescriptor(log, 'error') ?? {}
  Object.defineProperty(log, 'error', { ...usual, value: () => undefined })
  try {
    return work()
  } finally {
    Object.defineProperty(log, 'error', usual)
  }
}

type SheetRow = readonly (BookCell | null | undefined)[] | null | undefined

/** The rows of a sheet down to the last that has anything in it. */
function rowsOfSheet(sheet: WorkSheet | undefined): readonly SheetRow[] {
  const rows = ((sheet as { '!data'?: readonly SheetRow[] } | undefined)?.['!data'] ?? []) as readonly SheetRow[]
  let end = rows.length
  while (end > 0 && isBlankRow(rows[end - 1])) end -= 1
  // The library leaves holes for rows without cells.
  return Array.from(rows.slice(0, end))
}

function isBlankRow(row: SheetRow): boolean {
  return row === null || row === undefined || row.every((cell) => cell?.t !== 'e' && shownText(cell).trim() === '')
}

type SheetRead = {
  readonly source: string
  readonly name: string
  readonly rows: readonly SheetRow[]
  readonly alone: boolean
  readonly from1904: boolean
  readonly notes: readonly Problem[]
}

function tableOf(sheet: SheetRead, options: FormatOptions): Table {
  const header = headerOf(sheet, options.header as number | undefined)
  const place = (row: number): Place => ({ source: sheet.source, ...(sheet.alone ? {} : { layer: sheet.name }), row })
  const { names, indices, notes } = columnsOf(sheet, header.row, place(header.row))
  const decision: Decision = { option: 'header', value: header.row, evidence: header.evidence }
  return {
    name: sheet.name,
    format: 'workbook',
    columns: names.map((name) => ({ name })),
    hasGeometry: false,
    count: sheet.rows.length - header.row,
    decisions: [decision],
    batches: (signal) => rowBatches(sheet, { first: header.row, names, indices, place }, signal),
    found: () => [...sheet.notes, ...notes],
  }
}

function headerOf(sheet: SheetRead, wanted: number | undefined): { readonly row: number; readonly evidence: string } {
  if (wanted !== undefined) {
    if (Number.isInteger(wanted) && wanted >= 1 && wanted <= sheet.rows.length)
      return { row: wanted, evidence: 'The option says so.' }
    throw new WindrowError(
      'option-invalid',
      `Row ${wanted} is said to hold the column names, but the sheet "${sheet.name}" has ${sheet.rows.length} rows.`,
      {
        hint: 'Give the number of the row as the spreadsheet shows it.',
      },
    )
  }
  const texts = (row: SheetRow): number =>
    (row ?? []).filter((cell) => cell?.t === 's' && shownText(cell).trim() !== '').length
  const at = sheet.rows.findIndex((row) => texts(row) >= 2)
  if (at >= 0) return { row: at + 1, evidence: 'It is the first row with at least two texts.' }
  return {
    row: sheet.rows.findIndex((row) => !isBlankRow(row)) + 1,
    evidence: 'It is the first row with anything in it.',
  }
}

type Columns = {
  readonly names: readonly string[]
  readonly indices: readonly number[]
  readonly notes: readonly Problem[]
}

/** The columns that have a header or a cell below it; the empty ones beside a table are none. */
function columnsOf(sheet: SheetRead, headerRow: number, at: Place): Columns {
  const used = new Set<number>()
  for (const row of sheet.rows.slice(headerRow - 1))
    row?.forEach((cell, index) => {
      if (cell?.t === 'e' || shownText(cell).trim() !== '') used.add(index)
    })
  const indices = [...used].toSorted((a, b) => a - b)
  const header = sheet.rows[headerRow - 1] ?? []
  const { names, notes } = namesOfHeader(
    indices.map((index) => shownText(header[index])),
    at,
  )
  return { names, indices, notes }
}

type Reading = {
  readonly first: number
  readonly names: readonly string[]
  readonly indices: readonly number[]
  place(row: number): Place
}

async function* rowBatches(sheet: SheetRead, reading: Reading, signal?: AbortSignal): AsyncGenerator<readonly Row[]> {
  const valuesOf = valuesMaker(reading.names)
  for (let from = reading.first; from < sheet.rows.length; from += batchSize) {
    signal?.throwIfAborted()
    const rows = sheet.rows.slice(from, from + batchSize)
    yield rows.map((cells, index) =>
      rowOf(cells ?? [], reading.place(from + index + 1), { ...sheet, ...reading, valuesOf }),
    )
  }
}

type Means = {
  readonly names: readonly string[]
  readonly indices: readonly number[]
  readonly from1904: boolean
  readonly valuesOf: ReturnType<typeof valuesMaker>
}

function rowOf(cells: NonNullable<SheetRow>, at: Place, { names, indices, from1904, valuesOf }: Means): Row {
  const problems: Problem[] = []
  const values: Value[] = indices.map((index, column) => {
    const cell = cells[index]
    const { value, fault } = understand(cell, from1904)
    if (fault !== undefined) problems.push(cellProblem(fault, at, { column: names[column]!, value: shownText(cell) }))
    return value
  })
  if (problems.length === 0 && values.every(isBlank))
    problems.push(problem('row-blank', at, { message: 'The row is blank.' }))
  return problems.length === 0 ? { at, values: valuesOf(values) } : { at, values: valuesOf(values), problems }
}

function cellProblem(
  fault: 'error' | 'no such day',
  at: Place,
  cell: { readonly column: string; readonly value: string },
): Problem {
  if (fault === 'error')
    return problem('cell-error', at, {
      ...cell,
      message: `The cell shows ${cell.value === '' ? 'an error' : cell.value} instead of a value.`,
      hint: 'Mend the formula, or replace it by its value.',
    })
  return problem('date-impossible', at, { ...cell, message: `"${cell.value}" is not a day that there was or will be.` })
}

function hiddenNote(source: string, sheet: string): Problem {
  return problem(
    'sheet-hidden',
    { source, layer: sheet, row: 1 },
    {
      message: `The sheet "${sheet}" is hidden and was not read.`,
      hint: 'Show it in the workbook, or set the option "hidden".',
    },
  )
}
