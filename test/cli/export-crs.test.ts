/** Exports boundaries in the coordinate system that a person names, and brings them back unchanged. */

import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openFile } from '../../src/formats/index.ts'
import { openSource } from '../../src/core/sources/open-source.ts'
import { counts, records, worldWith } from './hard-records.ts'
import type { World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await worldWith(records)
})
afterAll(() => world.close())

const exported = (...words: string[]) => world.run(['export', 'plots', '--zone', 'Pacific/Auckland', ...words])

async function firstPosition(name: string): Promise<readonly number[]> {
  const { source, close } = await openSource(name, world.folder)
  const { tables } = await openFile(source)
  for await (const [row] of tables[0]!.batches()) {
    await close()
    return Array.from(row!.shape!.coordinates.subarray(0, 2))
  }
  throw new Error('no rows')
}

test.each(['gpkg', 'zip'])('.%s in EPSG:2193 comes back unchanged', async (ending) => {
  const file = `nztm.${ending}`
  const { failure, out } = await exported('-o', file, '--crs', 'EPSG:2193')
  expect(failure).toBeUndefined()
  expect(out).toContain('The coordinates are in EPSG:2193 (NZTM2000).')
  const [x, y] = await firstPosition(file)
  expect([Math.round(x! / 10_000), Math.round(y! / 10_000)]).toEqual([180, 581])
  expect([x, y].map((each) => Math.round(each! * 1000) / 1000)).toEqual([x, y])
  expect(await counts(world, ['import', file])).toMatchObject({
    rows: { ready: 0, rejected: 0, unchanged: records['plots']!.length },
    records: { created: 0, updated: 0 },
  })
})

const hasGdal = spawnSync('ogrinfo', ['--version']).status === 0
test.skipIf(!hasGdal).each(['gpkg', 'zip'])(
  'GDAL knows the system of .%s by its code, and finds the plots where they are (skipped where ogrinfo is missing)',
  async (ending) => {
    await exported('-o', `gdal.${ending}`, '--crs', 'EPSG:2193', '--force')
    const path = `${ending === 'zip' ? '/vsizip/' : ''}${join(world.folder, `gdal.${ending}`)}`
    const { stdout } = spawnSync('ogrinfo', ['-ro', '-al', '-so', path], { encoding: 'utf8' })
    expect(stdout).toContain('ID["EPSG",2193]')
    const json = spawnSync('ogr2ogr', ['-f', 'GeoJSON', '/vsistdout/', path, '-t_srs', 'EPSG:4326'], {
      encoding: 'utf8',
    })
    const [first] = (JSON.parse(json.stdout) as { features: { geometry: { coordinates: number[][][][] } }[] }).features
    const longitudes = first!.geometry.coordinates.flat(3).filter((_, index) => index % 2 === 0)
    expect(Math.min(...longitudes)).toBeCloseTo(175.3, 7)
  },
)

test.each([
  ['plots.geojson', 'Coordinates in GeoJSON are in longitude and latitude, not in EPSG:2193.'],
  ['plots.kml', 'Coordinates in KML and KMZ are in longitude and latitude, not in EPSG:2193.'],
  ['plots.csv', 'CSV'],
  ['plots.xlsx', 'Excel'],
])('%s cannot be in another system, and names the formats that can', async (file, message) => {
  const { failure } = await exported('-o', file, '--crs', 'EPSG:2193')
  expect(failure?.message).toContain(message)
  expect(failure?.hint).toBe(
    'Leave the coordinate system out, or write Shapefile or GeoPackage: -o FILE.gpkg or -o FILE.zip.',
  )
  expect(existsSync(join(world.folder, file))).toBe(false)
})

test('every format may be asked for longitude and latitude by name', async () => {
  expect((await exported('-o', 'wgs84.geojson', '--crs', 'EPSG:4326')).failure).toBeUndefined()
})

test('a boundary far outside the area of the system is named, and no file is written', async () => {
  const { failure } = await exported('-o', 'osgb.gpkg', '--crs', 'EPSG:27700')
  expect(failure?.message).toMatch(/^The boundary of ".+" lies far outside the area of EPSG:27700 \(.+\)\.$/)
  expect(existsSync(join(world.folder, 'osgb.gpkg'))).toBe(false)
})

test('an unknown system is refused with the names that are like it', async () => {
  const { failure } = await exported('-o', 'unknown.gpkg', '--crs', 'NZTM')
  expect(failure?.message).toContain('to.crs')
})

test('a pipeline names the system under to, and check finds a wrong one', async () => {
  const pipeline = (crs: string): void =>
    writeFileSync(
      join(world.folder, 'maps.yaml'),
      `windrow: 1\nexport: plots\nzone: Pacific/Auckland\nto:\n  file: maps.gpkg\n  crs: ${crs}\n`,
    )
  pipeline('EPSG:2193')
  expect((await world.run(['run', 'maps.yaml'])).failure).toBeUndefined()
  expect((await firstPosition('maps.gpkg'))[0]).toBeGreaterThan(1_000_000)
  pipeline('EPSG:9')
  const { failure } = await world.run(['check', 'maps.yaml'])
  expect(failure?.message).toContain('maps.yaml:6:8')
})
