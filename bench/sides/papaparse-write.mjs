/** The peer that writes CSV: papaparse's unparse, batch by batch. */

import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import Papa from 'papaparse'
import { columnsOf, rowsOf } from './json-lines.mjs'

const [file, output] = process.argv.slice(2)
const out = createWriteStream(output)
const columns = (await columnsOf(file)).map(({ name }) => name)
const text = (rows) => `${Papa.unparse(rows, { columns, escapeFormulae: true, header: false })}\r\n`
out.write(`${Papa.unparse([columns])}\r\n`)
for await (const batch of rowsOf(file)) if (!out.write(text(batch))) await once(out, 'drain')
out.end()
await once(out, 'finish')
