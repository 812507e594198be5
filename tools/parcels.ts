/**
 * Runs a national parcel file of invented land without sending it, and shows the time and the memory: a CSV with the boundaries as WKT,
 * each parcel sharing its fences with the next ones.
 *
 *   npm run parcels                         500,000 rows
 *   npm run parcels -- --rows 10000000
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { measure } from '../bench/measure.ts'
import { countOf, readOptions } from './read-options.ts'
import { writeText } from './write-text.ts'

const uses = ['Pasture', 'Maize', 'Forest', 'Orchard']
const [west, south] = [1_750_000, 5_600_000]
const parcelM = 100

/** The places round a parcel, in thirds of its sides. */
const corners = [0, 1, 2, 3].flatMap((side) =>
  [0, 1, 2].map((step): readonly [number, number] => {
    const places = [
      [step, 0],
      [3, step],
      [3 - step, 3],
      [0, 3 - step],
    ] as const
    return places[side]!
  }),
)

/** Parcels of about a hectare, in EPSG:2193. The same number of rows gives the same file. */
function* parcelLines(rows: number): Generator<string> {
  const across = Math.ceil(Math.sqrt(rows))
  yield 'PARCEL,NAME,LAND_USE,DISTRICT,WKT\n'
  for (let row = 0; row < rows; row += 1) {
    const [x, y] = [(row % across) * 3, Math.floor(row / across) * 3]
    const ring = [...corners, corners[0]!].map(([right, up]) => placeText(x + right, y + up)).join(', ')
    yield `P${String(row).padStart(8, '0')},Parcel ${row},${uses[row % 4]},District ${row % 87},"POLYGON ((${ring}))"\n`
  }
}

/** The same place for all parcels that meet there, a few metres off the grid. */
function placeText(x: number, y: number): string {
  const off = (seed: number): number => {
    const mixed = Math.imul(x * 374_761_393 + y * 668_265_263 + seed, 1_274_126_177)
    return (((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32 - 0.5) * 8
  }
  return `${(west + (x * parcelM) / 3 + off(1)).toFixed(2)} ${(south + (y * parcelM) / 3 + off(2)).toFixed(2)}`
}

const { rows: asked } = readOptions({ rows: { type: 'string', default: '500000' } })
const rows = countOf('rows', asked)
const folder = mkdtempSync(join(tmpdir(), 'windrow-parcels-'))
try {
  writeText(join(folder, 'parcels.csv'), parcelLines(rows))
  const pipeline = join(folder, 'parcels.yaml')
  writeFileSync(
    pipeline,
    `windrow: 1
import: plots
from: { file: parcels.csv, encoding: utf-8, crs: EPSG:2193 }
holding: { scheme: nz.example.land-register, id: "1" }
key: <PARCEL>
record: { name: <NAME>, totalArea: measured }
`,
  )
  const program = fileURLToPath(new URL('../bin/windrow.js', import.meta.url))
  const { seconds, peakMB } = await measure(['node', program, 'run', pipeline, '--dry-run', '--connection', 'none'])
  console.log(`${rows} parcels: ${seconds.toFixed(1)} s, ${peakMB?.toFixed(0) ?? '?'} MB`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
