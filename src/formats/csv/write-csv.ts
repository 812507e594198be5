/** Writes a table as CSV that Excel and other programs read alike: quoting, line ends, byte order mark, disarmed formulas. */

import type { Value } from '../../core/row.ts'
import { wktText } from '../../core/shapes/shape-wkt.ts'
import type { Target } from '../../core/sources/target.ts'
import type { FormatOptions, OutTable, Written } from '../format.ts'
import { cellOf, freeName, onlyTable } from '../table-names.ts'
import { separatorOf } from './dialect.ts'
import { joinRecords } from './split.ts'

const writeChars = 1 << 17

/** Writes one table by RFC 4180; a geometry becomes well-known text in longitude and latitude in the column `boundary`. */
export async function writeCsv(tables: readonly OutTable[], target: Target, options: FormatOptions): Promise<Written> {
  const table = onlyTable(tables, 'CSV')
  const names = table.columns.map((column) => column.name)
  const readers = names.map(cellOf)
  const boundary = table.hasGeometry ? [freeName('boundary', names)] : []
  const delimiter = delimiterOf(target.name, options.delimiter)
  let text = `${options.bom === false ? '' : '\ufeff'}${joinRecords([[...names, ...boundary].map(disarmed)], delimiter)}`
  let rows = 0
  let unwritable = 0
  for await (const batch of table.rows()) {
    const records: string[][] = []
    for (const { values, shape } of batch) {
      const cells = readers.map((read) => cellText(read(values)))
      if (table.hasGeometry) {
        const wkt = shape === null || shape === undefined ? '' : wktText(shape)
        const usable = !/NaN|Infinity/.test(wkt)
        if (!usable) unwritable += 1
        cells.push(usable ? wkt : '')
      }
      records.push(cells)
    }
    text += joinRecords(records, delimiter)
    rows += batch.length
    if (text.length < writeChars) continue
    await target.write(text)
    text = ''
  }
  await target.write(text)
  const notes =
    unwritable === 0 ? [] : [`${unwritable} boundaries were left out because their coordinates are not numbers.`]
  return { path: target.path, bytes: target.position, rows: { [table.name]: rows }, notes }
}

function delimiterOf(fileName: string, option: FormatOptions[string]): string {
  if (option === undefined) return /\.(tsv|tab)$/i.test(fileName) ? '\t' : ','
  return separatorOf(option)
}

function cellText(value: Value): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return disarmed(value)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const startsFormula = /^[=+\-@\t\r]/
const plainNumber = /^[+-]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:[eE][+-]?\d+)?$/

/** Text that a spreadsheet would take for a formula gets the apostrophe that marks text there. */
function disarmed(text: string): string {
  return startsFormula.test(text) && !plainNumber.test(text) ? `'${text}` : text
}
