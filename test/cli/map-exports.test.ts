/** Exports plots as maps: sequences of features by their ending, rings in the direction of RFC 7946, layers for mapping programs. */

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { records, rimu, square, worldWith } from './hard-records.ts'
import type { World } from './world.ts'

let world: World
beforeAll(async () => {
  const shell = square(175.3, -37.8, 0.002)
  const hole = square(175.3005, -37.7995, 0.0005)
  const clockwise = { type: 'Polygon', coordinates: [shell.toReversed(), hole] }
  const [first] = records['plots']!
  world = await worldWith({
    plots: [
      { ...first!, identifiers: [rimu], spatialFeature: { type: 'Feature', geometry: clockwise, properties: {} } },
    ],
  })
})
afterAll(() => world.close())

async function exported(name: string): Promise<string> {
  const { failure } = await world.run(['export', 'plots', '-o', name, '--zone', 'Pacific/Auckland'])
  expect(failure).toBeUndefined()
  return readFileSync(join(world.folder, name), 'utf8')
}

const turnsLeft = (ring: readonly (readonly number[])[]): boolean =>
  ring.slice(1).reduce((sum, [x, y], index) => sum + ring[index]![0]! * y! - x! * ring[index]![1]!, 0) > 0

test.each([
  ['ndjson', ''],
  ['geojsonl', ''],
  ['jsonl', ''],
  ['geojsonseq', '\u001E'],
  ['geojsons', '\u001E'],
])('a name that ends in .%s is a sequence of features', async (ending, separator) => {
  const text = await exported(`plots.${ending}`)
  expect(text.startsWith(`${separator}{"type":"Feature"`)).toBe(true)
  expect(JSON.parse(text.replaceAll('\u001E', ''))).toMatchObject({ properties: { 'Crop 1 name': 'Lucerne' } })
})

test('GeoJSON has no crs member, and turns shells to the left and holes to the right, however the service has them', async () => {
  const map = JSON.parse(await exported('plots.geojson')) as {
    features: [{ id: unknown; geometry: { coordinates: [number, number][][] } }]
  }
  expect(map).not.toHaveProperty('crs')
  const [{ id, geometry }] = map.features
  expect(id).toEqual(expect.any(String))
  expect(geometry.coordinates.map(turnsLeft)).toEqual([true, false])
})

test('so does KML', async () => {
  const rings = [...(await exported('plots.kml')).matchAll(/<coordinates>([^<]*)</g)].map(([, text]) =>
    text!.split(' ').map((pair) => pair.split(',').map(Number)),
  )
  expect(rings.map(turnsLeft)).toEqual([true, false])
})

test('a text beyond 254 bytes is refused before a shapefile is written, and cut if that is set', async () => {
  const long = await worldWith({ plots: [{ ...records['plots']![0]!, name: 'Ā'.repeat(200), identifiers: [rimu] }] })
  try {
    const refused = await long.run(['export', 'plots', '-o', 'long.zip'])
    expect(refused.failure?.message).toBe(
      'The text in column "Name" of row 0 takes 400 bytes; a shapefile can store 254.',
    )
    expect(existsSync(join(long.folder, 'long.zip'))).toBe(false)
    const { out, failure } = await long.run(['export', 'plots', '-o', 'long.zip', '--set', 'to.cut=true'])
    expect(failure).toBeUndefined()
    expect(out).toContain('Texts in the column "Name" that were cut to 254 bytes: 1.')
    expect((await long.run(['export', 'plots', '-o', 'long.gpkg', '--set', 'to.cut=true'])).failure?.message).toContain(
      'to.cut works for Shapefile',
    )
  } finally {
    long.close()
  }
})

const hasGdal = spawnSync('ogrinfo', ['--version']).status === 0

test.skipIf(!hasGdal).each(['gpkg', 'zip', 'geojson', 'kml'])(
  'GDAL finds the plot, its name with macrons and its area in .%s (skipped where ogrinfo is missing)',
  async (ending) => {
    await exported(`gdal.${ending}`)
    const path = join(world.folder, `gdal.${ending}`)
    const { stdout } = spawnSync('ogrinfo', ['-ro', '-al', ending === 'zip' ? `/vsizip/${path}` : path], {
      encoding: 'utf8',
    })
    expect(stdout).toContain('Feature Count: 1')
    expect(stdout).toContain('Extent: (175.300000, -37.800000) - (175.302000, -37.798000)')
    expect(stdout).toContain('Name (String) = Rāhui "north", 2/3')
    expect(stdout).toContain(
      ending === 'zip' ? 'TOTAL_HA (Real) = 3.8123456789' : 'Total area (ha) (Real) = 3.8123456789',
    )
    expect(stdout).toContain(ending === 'zip' ? 'CROP (String) = Lucerne' : 'Crop 1 name (String) = Lucerne')
  },
)
