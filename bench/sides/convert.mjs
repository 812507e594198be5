/** Our side of a conversion: any file that windrow reads to GeoJSON by lines in longitude and latitude. */

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [home, file, output] = process.argv.slice(2)
const { fileSource, fileTarget, formatForTarget, identifyCrs, isProjectionFault, openFile, projectorFor } =
  await import(pathToFileURL(join(home, 'dist', 'files.js')).href)

const { keepMemorySmall } = await import(pathToFileURL(join(home, 'dist', 'memory.js')).href)
keepMemorySmall()
const { tables } = await openFile(await fileSource(file))
const [{ name, crs, columns, hasGeometry, batches }] = tables
const toLonLat = projectorFor(identifyCrs(crs))

function placed(row) {
  const shape = row.shape ? toLonLat(row.shape) : null
  if (shape !== null && isProjectionFault(shape)) throw new Error(`Row ${row.at.row}: ${shape.message}`)
  return { at: row.at, values: row.values, shape }
}

async function* rows() {
  for await (const batch of batches()) yield batch.map(placed)
}

const target = await fileTarget(output)
await formatForTarget(output).write([{ name, columns, hasGeometry, rows }], target, { decimals: 7 })
await target.commit()
