/** The peer that streams a workbook out: exceljs of bench/peers, with days and times as dates. */

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { columnsOf, rowsOf } from './json-lines.mjs'

const [peers, file, output] = process.argv.slice(2)
const ExcelJS = createRequire(join(peers, 'package.json'))('exceljs')
const columns = await columnsOf(file)
const dates = columns.filter(({ type }) => type === 'date' || type === 'date-time').map(({ name }) => name)
const book = new ExcelJS.stream.xlsx.WorkbookWriter({ filename: output, useStyles: true, useSharedStrings: false })
const sheet = book.addWorksheet('Diary')
sheet.columns = columns.map(({ name }) => ({
  header: name,
  key: name,
  ...(dates.includes(name) ? { style: { numFmt: 'yyyy-mm-dd hh:mm' } } : {}),
}))
for await (const batch of rowsOf(file))
  for (const row of batch) {
    // An offset is not a part of what a sheet shows.
    for (const name of dates) if (row[name]) row[name] = new Date(`${row[name].slice(0, 19)}Z`)
    sheet.addRow(row).commit()
  }
await sheet.commit()
await book.commit()
