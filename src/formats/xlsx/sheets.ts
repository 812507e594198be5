/** Writes tables as sheets: legal names, widths from the first rows, streamed rows, and notes on what a sheet cannot contain. */

import { WindrowError } from '../../core/error.ts'
import type { Column, Row } from '../../core/row.ts'
import type { OutTable } from '../format.ts'
import { cellOf } from '../table-names.ts'
import { columnLetters } from '../spreadsheet/column-letters.ts'
import { cellStyles, cellXml, textXml, type CellLosses } from './cells.ts'

/** The limits of a sheet, header included. */
export const sheetLimits = { rows: 1_048_576, columns: 16_384 } as const

/** A sheet being written: `xml` may be read once; `rows` is correct after that. */
export type Sheet = {
  readonly name: string
  readonly columns: number
  readonly xml: AsyncIterable<string>
  rows(): number
}

/** Makes a name that Excel accepts: at most 31 units, no forbidden characters, unique regardless of case. */
export function sheetName(wanted: string, taken: ReadonlySet<string>): string {
  const legal = wanted
    .toWellFormed()
    .replace(/[[\]:*?/\\\x00-\x1f]/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^['\s]+|['\s]+$/g, '')
  // Excel reserves the name "History".
  const base = legal === '' || legal.toLowerCase() === 'history' ? `Sheet ${legal}`.trim() : legal
  for (let count = 1; ; count += 1) {
    const suffix = count === 1 ? '' : ` (${count})`
    const name = base.slice(0, 31 - suffix.length).replace(/[\ud800-\udbff]$|['\s]+$/, '') + suffix
    if (!taken.has(name.toLowerCase())) return name
  }
}

/** The sheets of a table: one, or as many as its rows need. The next one starts when the one before has been read. */
export async function* sheetsOf(
  table: OutTable,
  losses: CellLosses,
  nameOf: (wanted: string) => string,
  rowLimit: number = sheetLimits.rows,
): AsyncGenerator<Sheet> {
  if (table.columns.length > sheetLimits.columns)
    throw new WindrowError(
      'format-cannot-write',
      `"${table.name}" has ${table.columns.length} columns; a sheet can have ${sheetLimits.columns}.`,
      {
        hint: 'Export fewer columns, or write CSV.',
      },
    )
  const rest = rowsInPieces(table)
  let held = await rest.next()
  do {
    let rows = 0
    const xml = async function* (): AsyncGenerator<string> {
      const first = held.done === true ? [] : held.value
      yield sheetHead(table.columns, first, losses)
      let room = rowLimit - 1
      const writeRow = rowWriter(table.columns, losses)
      while (held.done !== true && room > 0) {
        const now = held.value.slice(0, room)
        yield now.map((row, index) => writeRow(row, rows + index + 2)).join('')
        rows += now.length
        room -= now.length
        held = now.length < held.value.length ? { done: false, value: held.value.slice(now.length) } : await rest.next()
      }
      yield sheetTail(table.columns.length, rows)
    }
    yield { name: nameOf(table.name), columns: table.columns.length, xml: xml(), rows: () => rows }
  } while (held.done !== true)
}

async function* rowsInPieces(table: OutTable): AsyncGenerator<readonly Row[], undefined> {
  for await (const batch of table.rows()) if (batch.length > 0) yield batch
  return undefined
}

function rowWriter(columns: readonly Column[], losses: CellLosses): (row: Row, number: number) => string {
  const cells = columns.map((column, index) => ({ letters: columnLetters(index), column, read: cellOf(column.name) }))
  return ({ values }, number) => {
    let text = ''
    for (const { letters, column, read } of cells) text += cellXml(`${letters}${number}`, read(values), column, losses)
    return `<row r="${number}">${text}</row>`
  }
}

function sheetHead(columns: readonly Column[], first: readonly Row[], losses: CellLosses): string {
  const header = columns
    .map(({ name }, index) => textXml(`${columnLetters(index)}1`, name, losses, cellStyles.header))
    .join('')
  const widths = columns
    .map(
      (column, index) =>
        `<col min="${index + 1}" max="${index + 1}" width="${widthOf(column, first)}" customWidth="1"/>`,
    )
    .join('')
  return (
    `${xmlDeclaration}<worksheet xmlns="${mainNamespace}"><sheetViews><sheetView workbookViewId="0">` +
    `<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>` +
    `${widths === '' ? '' : `<cols>${widths}</cols>`}<sheetData><row r="1">${header}</row>`
  )
}

function sheetTail(columns: number, rows: number): string {
  const filter = columns === 0 ? '' : `<autoFilter ref="A1:${columnLetters(columns - 1)}${rows + 1}"/>`
  return `</sheetData>${filter}</worksheet>`
}

/** Wide enough for the header with its filter button and for the first rows, but not wider than is convenient on a screen. */
function widthOf(column: Column, first: readonly Row[]): number {
  const read = cellOf(column.name)
  let longest = column.name.length + 3
  for (const { values } of first) {
    const value = read(values)
    if (typeof value === 'string' || typeof value === 'number') longest = Math.max(longest, String(value).length + 1)
  }
  return Math.min(60, Math.max(8, longest))
}

export const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
export const mainNamespace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
