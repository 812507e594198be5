/**
 * Our side of a writer contest: rows of a diary to a file in the format of its name.
 *
 *   node write-rows.mjs HOME DIARY OUTPUT [TIMES [FILES]]
 *
 * TIMES: how often the rows are written, one after the other; FILES: into as many files as that, each with all rows once.
 */

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { columnsOf, rowsOf } from './json-lines.mjs'

const [home, file, output, times = '1', files = '1'] = process.argv.slice(2)
const { fileTarget, formatForTarget } = await import(pathToFileURL(join(home, 'dist', 'files.js')).href)
const { keepMemorySmall } = await import(pathToFileURL(join(home, 'dist', 'memory.js')).href)
keepMemorySmall()
const columns = await columnsOf(file)

async function* rows() {
  let row = 0
  for (let time = 0; time < Number(times); time += 1)
    for await (const batch of rowsOf(file))
      yield batch.map((values) => ({ at: { source: 'diary', row: row++ }, values }))
}

for (let count = 0; count < Number(files); count += 1) {
  const target = await fileTarget(output)
  await formatForTarget(output).write([{ name: 'Diary', columns, hasGeometry: false, rows }], target, {})
  await target.commit()
}
