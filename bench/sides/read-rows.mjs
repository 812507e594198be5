/**
 * One side of a readers contest: windrow's own, through its public library, counting what it reads. With the argument "bare" it
 * only reads.
 */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startTally } from './tally.mjs'

const [home, file, output, bare] = process.argv.slice(2)
const { fileSource, openFile } = await import(pathToFileURL(join(home, 'dist', 'files.js')).href)
const { keepMemorySmall } = await import(pathToFileURL(join(home, 'dist', 'memory.js')).href)
keepMemorySmall()
const { tables } = await openFile(await fileSource(file))
const tally = startTally()
let rows = 0
for (const table of tables)
  for await (const batch of table.batches()) {
    rows += batch.length
    if (bare === undefined)
      for (const { values, shape } of batch) {
        for (const name in values) tally.cell(name, values[name])
        if (shape) tally.vertices += shape.coordinates.length / 2
      }
  }
writeFileSync(output, bare === undefined ? tally.text(rows) : String(rows))
