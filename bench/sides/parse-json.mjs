/** The peer that reads GeoJSON whole: one JSON.parse. */

import { readFileSync, writeFileSync } from 'node:fs'
import { startTally } from './tally.mjs'

const [file, output] = process.argv.slice(2)
const { features } = JSON.parse(readFileSync(file, 'utf8'))
const tally = startTally()
for (const { properties, geometry } of features) {
  for (const name in properties) tally.cell(name, properties[name])
  for (const part of geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates)
    for (const ring of part) tally.vertices += ring.length
}
writeFileSync(output, tally.text(features.length))
