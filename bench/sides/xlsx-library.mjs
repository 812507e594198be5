/** The peer that reads a workbook whole: the xlsx library as its manual shows first. */

import { readFileSync, writeFileSync } from 'node:fs'
import { read, utils } from 'xlsx'
import { startTally } from './tally.mjs'

const [file, output] = process.argv.slice(2)
const book = read(readFileSync(file))
const rows = utils.sheet_to_json(book.Sheets[book.SheetNames[0]])
const tally = startTally()
for (const row of rows) for (const name in row) tally.cell(name, row[name])
writeFileSync(output, tally.text(rows.length))
