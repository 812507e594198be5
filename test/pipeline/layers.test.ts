import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fileSource } from '../../src/core/sources/source.ts'
import { geopackage } from '../../src/formats/geopackage.ts'
import { kml } from '../../src/formats/kml.ts'
import { zipBytes } from '../core/zip-bytes.ts'
import { rowsOf } from '../formats/fixtures.ts'
import { geometryBlob, layerSql, packageBytes, polygonWkb } from '../formats/geopackage/made-packages.ts'
import { collection, keyOf, paddock, rimu, startFarm, type Farm } from './farm.ts'

let farm: Farm
beforeEach(async () => {
  farm = await startFarm()
})
afterEach(() => farm.close())

const pipeline = (file: string, more: string): string => `windrow: 1
import: plots
from: { ${file} }
holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }
${more}`

const ring = [
  [175.3, -37.8],
  [175.301, -37.8],
  [175.301, -37.799],
  [175.3, -37.8],
] as const

test('nested properties of GeoJSON can be mapped', async () => {
  const properties = { field: { id: '007' }, seasons: [{ crop: { name: 'Lucerne' } }, { crop: null }] }
  farm.write('map.geojson', collection([paddock(1, properties)]))
  const yaml = pipeline('file: map.geojson', 'key: <field.id>\nrecord:\n  name: <seasons[0].crop.name>')
  expect(await farm.run(yaml)).toMatchObject({ exit: 0, records: { created: 1 } })
  expect((await farm.held('plots')).get(keyOf('plots', rimu, '007'))).toMatchObject({ name: 'Lucerne' })
})

test('a page of features from a server is not taken for all of them', async () => {
  const text = collection([paddock(1, { id: '1' })]).replace(/\}$/, ',"exceededTransferLimit":true}')
  farm.write('map.geojson', text)
  const report = await farm.run(pipeline('file: map.geojson', 'key: <id>\nrecord: { name: <id> }'))
  expect(report).toMatchObject({ exit: 2, outcome: 'stopped', error: { code: 'file-damaged' } })
  expect((await farm.held('plots')).size).toBe(0)
})

test('a layer of a GeoPackage is imported by its name, in its own coordinate system', async () => {
  const boundary = geometryBlob(polygonWkb([ring]), 4326)
  const bytes = packageBytes({
    sql: `${layerSql('code TEXT, name TEXT', { system: 4326 })} ${layerSql('', { name: 'troughs' })}`,
    insert: {
      into: 'paddocks',
      rows: [
        [12, '007', 'Rāhui', boundary],
        [13, '008', 'Top', null],
      ],
    },
  })
  writeFileSync(join(farm.folder, 'farm.gpkg'), bytes)
  const rest = 'key: <code>\nrecord: { name: <name>, totalArea: measured }'
  await expect(farm.run(pipeline('file: farm.gpkg', rest))).rejects.toMatchObject({ code: 'layer-unclear' })
  const report = await farm.run(pipeline('file: farm.gpkg, layer: paddocks', rest))
  expect(report).toMatchObject({ rows: { read: 2 }, records: { created: 2 } })
  expect((await farm.held('plots')).get(keyOf('plots', rimu, '007'))).toMatchObject({ name: 'Rāhui' })
})

test('a placemark with a label is one plot, and its rejected neighbour goes back', async () => {
  const polygon = `<Polygon><outerBoundaryIs><LinearRing><coordinates>${ring.join(' ')}</coordinates></LinearRing></outerBoundaryIs></Polygon>`
  const placemark = (id: string, geometry: string): string =>
    `<Placemark><name>Top ${id}</name><ExtendedData><Data name="id"><value>${id}</value></Data></ExtendedData>${geometry}</Placemark>`
  const label = '<Point><coordinates>175.3005,-37.7995</coordinates></Point>'
  const both = `<MultiGeometry>${label}${polygon}</MultiGeometry>`
  const text = `<kml><Document>${placemark('007', both)}${placemark('008', label)}</Document></kml>`
  writeFileSync(join(farm.folder, 'farm.kmz'), zipBytes([{ name: 'doc.kml', bytes: text }]))
  const report = await farm.run(pipeline('file: farm.kmz', 'key: <id>\nrecord: { name: <name> }'))
  expect(report).toMatchObject({ rows: { read: 2, rejected: 1 }, records: { created: 1 } })
  expect((await farm.held('plots')).get(keyOf('plots', rimu, '007'))).toMatchObject({ name: 'Top 007' })
  const [layer] = await kml.open!(await fileSource(report.files!.rejected!), {})
  const [row] = await rowsOf(layer!)
  expect(row).toMatchObject({ values: { id: '008' } })
  expect([...row!.shape!.coordinates]).toEqual([175.3005, -37.7995])
})

test('rejected rows of a GeoPackage keep their boundaries and their coordinate system', async () => {
  const rows = [[1, null, geometryBlob(polygonWkb([[[1_803_000, 5_814_000], [1_803_100, 5_814_000], [1_803_000, 5_814_100], [1_803_000, 5_814_000]]]))]] // oxfmt-ignore
  writeFileSync(
    join(farm.folder, 'farm.gpkg'),
    packageBytes({ sql: layerSql('code TEXT'), insert: { into: 'paddocks', rows } }),
  )
  const report = await farm.run(pipeline('file: farm.gpkg', 'key: <code>\nrecord: { name: <code> }'))
  expect(report).toMatchObject({ rows: { rejected: 1 } })
  const [layer] = await geopackage.open!(await fileSource(report.files!.rejected!), {})
  expect(layer).toMatchObject({ name: 'rejected', crs: { text: 'EPSG:2193' } })
  const [row] = await rowsOf(layer!)
  expect(row).toMatchObject({ values: { fid: 1, problem: expect.any(String) as string } })
  expect([...row!.shape!.coordinates.subarray(0, 2)]).toEqual([1_803_000, 5_814_000])
})
