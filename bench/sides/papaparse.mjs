/** The peer that reads CSV: papaparse's own stream, row by row, text unchanged. With the argument "bare" it only reads. */

import { createReadStream, writeFileSync } from 'node:fs'
import Papa from 'papaparse'
import { startTally } from './tally.mjs'

const [file, output, bare] = process.argv.slice(2)
const tally = startTally()
let rows = 0
// Without an encoding the stream gives bytes, and papaparse breaks a letter across two chunks.
Papa.parse(createReadStream(file, 'utf8'), {
  header: true,
  skipEmptyLines: true,
  step({ data }) {
    rows += 1
    if (bare !== undefined) return
    for (const name in data) tally.cell(name, data[name])
  },
  complete: () => writeFileSync(output, bare === undefined ? tally.text(rows) : String(rows)),
})
