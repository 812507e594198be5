/** Writes tables as an Excel workbook: the sheets are streamed, the rest of the book follows. */

import { WindrowError } from '../../core/error.ts'
import type { Target } from '../../core/sources/target.ts'
import { zipTarget } from '../../core/sources/zip-writer.ts'
import type { FormatOptions, OutRow, OutTable, Written } from '../format.ts'
import { bookParts, type Sheet } from './xlsx-book.ts'
import { styleBook } from './cell-styles.ts'
import type { CellLosses } from './cells.ts'
import { sheetName, sheetsOf } from './sheets.ts'

/** Level 6 of deflate saves a sixth of the bytes but takes twice the time. */
const defaultLevel = 1

/** Writes tables as the sheets of a workbook. */
export async function writeXlsx(tables: readonly OutTable[], target: Target, options: FormatOptions): Promise<Written> {
  if (tables.length === 0)
    throw new WindrowError('format-cannot-write', 'There is no table to write into the workbook.')
  const zip = zipTarget(target, { level: (options.level as number | undefined) ?? defaultLevel })
  const losses: CellLosses = { cut: 0, zones: 0 }
  const styles = styleBook()
  const sheets: Sheet[] = []
  const notes: string[] = []
  const rows: Record<string, number> = {}
  const taken = new Set<string>()
  const nameOf = (wanted: string): string => {
    const name = sheetName(wanted, taken)
    taken.add(name.toLowerCase())
    return name
  }
  const shaped = new Set<OutTable>()
  for (const table of tables) {
    const before = sheets.length
    const watched = { ...table, rows: () => watchShapes(table, shaped) }
    for await (const sheet of sheetsOf(watched, losses, nameOf, { styles })) {
      await zip.add(`xl/worksheets/sheet${sheets.length + 1}.xml`, sheet.xml)
      sheets.push(sheet)
    }
    const own = sheets.slice(before)
    rows[table.name] = (rows[table.name] ?? 0) + own.reduce((sum, sheet) => sum + sheet.rows(), 0)
    notes.push(...tableNotes(table, own))
  }
  const [first, ...more] = shaped
  if (first !== undefined)
    notes.push(
      `The boundaries${more.length === 0 ? ` of "${first.name}"` : ''} are not in the workbook; write GeoJSON or a shapefile for them.`,
    )
  for (const [name, xml] of bookParts(sheets, styles.xml())) await zip.add(name, [xml])
  await zip.finish()
  return { rows, notes: [...notes, ...lossNotes(losses)] }
}

/** The rows of the table, which becomes one of the `shaped` as soon as one of them has a shape. */
async function* watchShapes(table: OutTable, shaped: Set<OutTable>): AsyncGenerator<readonly OutRow[]> {
  for await (const batch of table.rows()) {
    if (!shaped.has(table) && batch.some(({ shape }) => shape !== undefined && shape !== null)) shaped.add(table)
    yield batch
  }
}

function tableNotes(table: OutTable, sheets: readonly Sheet[]): readonly string[] {
  const [first, ...more] = sheets.map(({ name }) => `"${name}"`)
  const name = `"${table.name}"`
  const notes: string[] = []
  if (more.length > 0) notes.push(`${name} has more rows than a sheet can contain; it continues in ${more.join(', ')}.`)
  if (first !== undefined && first !== name)
    notes.push(`${name} is called ${first} in the workbook, because Excel does not accept the original name.`)
  return notes
}

function lossNotes({ cut, zones }: CellLosses): readonly string[] {
  const notes: string[] = []
  if (cut > 0)
    notes.push(
      `${cut === 1 ? 'One cell was' : `${cut} cells were`} cut, because Excel allows 32,767 characters in a cell.`,
    )
  if (zones > 0)
    notes.push(
      `${zones} times are in UTC or the zone they were recorded in, because a cell cannot contain the zone. For local time set  zone: Pacific/Auckland`,
    )
  return notes
}
