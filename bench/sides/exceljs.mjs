/** The peer that streams a workbook: exceljs of bench/peers. */

import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { startTally } from './tally.mjs'

const [peers, file, output] = process.argv.slice(2)
const ExcelJS = createRequire(join(peers, 'package.json'))('exceljs')
const tally = startTally()
const options = { worksheets: 'emit', sharedStrings: 'cache', styles: 'cache', hyperlinks: 'ignore' }
let names
let rows = 0
for await (const sheet of new ExcelJS.stream.xlsx.WorkbookReader(file, options))
  for await (const { values } of sheet) {
    if (names === undefined) {
      names = values
      continue
    }
    rows += 1
    for (let column = 1; column < values.length; column += 1) tally.cell(names[column], values[column])
  }
writeFileSync(output, tally.text(rows))
