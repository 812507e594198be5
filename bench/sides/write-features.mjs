/** Our side of a map contest: features of a GeoJSON file to a file in the format of its name. All have the columns of the first. */

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [home, file, output] = process.argv.slice(2)
const { fileSource, fileTarget, formatForTarget, openFile } = await import(
  pathToFileURL(join(home, 'dist', 'files.js')).href
)
const { keepMemorySmall } = await import(pathToFileURL(join(home, 'dist', 'memory.js')).href)
keepMemorySmall()
const { tables } = await openFile(await fileSource(file))
const [{ name, batches }] = tables
const columns = await firstColumns()

async function firstColumns() {
  for await (const [{ values }] of batches())
    return Object.entries(values).map(([column, value]) => ({
      name: column,
      type: typeof value === 'number' ? 'number' : 'text',
    }))
}

const target = await fileTarget(output)
await formatForTarget(output).write([{ name, columns, hasGeometry: true, rows: () => batches() }], target, {
  decimals: 7,
})
await target.commit()
