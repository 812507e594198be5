/** One side of the GeoJSON text contest: the same 4,000 paddocks turned into text forty times, written to a file once. */

import { writeFileSync } from 'node:fs'
import { geometryText } from '../../src/core/shapes/geometry-text.ts'
import { geoJsonFromShape, shapeFromGeoJson } from '../../src/core/shapes/shape-geojson.ts'
import type { Shape } from '../../src/core/shape.ts'
import { paddocksOf } from '../data.ts'

const [side, output] = process.argv.slice(2)

const shapes = Array.from(paddocksOf({ count: 4000 }), ({ parts }): Shape => {
  const shape = shapeFromGeoJson({ type: 'MultiPolygon', coordinates: parts })
  if (typeof shape === 'string') throw new Error(shape)
  return shape
})

const write = side === 'ours' ? geometryText : (shape: Shape): string => JSON.stringify(geoJsonFromShape(shape))

let length = 0
for (let time = 0; time < 40; time += 1) for (const shape of shapes) length += write(shape).length
writeFileSync(output!, `${shapes.map((shape) => write(shape)).join('\n')}\n${length}\n`)
