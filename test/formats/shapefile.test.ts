import { decidedBy } from './fixtures.ts'
import { describe, expect, test } from 'vitest'
import { parseShp } from 'shpjs'
import { rowsPerBatch } from '../../src/core/row.ts'
import { geoJsonFromShape } from '../../src/core/shapes/shape-geojson.ts'
import { bufferSource } from '../../src/core/sources/source.ts'
import { shapefile } from '../../src/formats/shapefile.ts'
import { zipBytes } from '../core/zip-bytes.ts'
import { collect, loose } from './shapefile/collected.ts'
import { namesTable, partsContent, pointContent, shpBytes, square, turned } from './shapefile/made-files.ts'

const paddock = (x: number): Buffer => partsContent(5, [square(x, 0, 10)])
const shp = shpBytes([paddock(0), paddock(20), paddock(40)])
const names = ['Top Flat', 'Kōwhai', 'River']
const dbf = namesTable(names)
const prj = '\uFEFFPROJCS["NZGD_2000_New_Zealand_Transverse_Mercator"]\n'

describe('recognising', () => {
  const head = shp.subarray(0, 4096)
  test.each([
    ['a .shp', { name: 'a.shp', head }, true],
    ['a .shp by its first bytes', { name: 'download', head }, true],
    ['a .dbf', { name: 'A.DBF', head: dbf }, true],
    ['a zip with a .shp in it', { name: 'a.zip', head: Buffer.from('PK\x03\x04'), members: ['maps/A.SHP'] }, true],
    ['a zip without one', { name: 'a.zip', head: Buffer.from('PK\x03\x04'), members: ['xl/workbook.xml'] }, false],
    ['a text called .shp', { name: 'a.shp', head: Buffer.from('<html>') }, false],
    ['a text called .dbf', { name: 'a.dbf', head: Buffer.from('a;b\n1;2\n') }, false],
    ['nothing', { name: 'a.shp', head: new Uint8Array(0) }, false],
  ])('%s', (_, probe, expected) => {
    expect(shapefile.recognise(probe)).toBe(expected)
  })
})

describe('loose files', () => {
  test('belong together also where one writes accents apart', async () => {
    const [layer] = await collect(loose({ 'R\u0101hui.shp': shp, 'Ra\u0304hui.dbf': dbf, 'RA\u0304HUI.prj': prj }))
    expect(layer!.rows.map((row) => row.values)).toEqual(names.map((NAME) => ({ NAME })))
    expect(layer!.table.crs).toMatchObject({ from: '.prj' })
  })

  test('a shape, its values, its place and its coordinate system', async () => {
    const [layer] = await collect(
      loose({ 'Rimu.shp': shp, 'rimu.DBF': dbf, 'Rimu.prj': prj, 'Rimu.cpg': 'UTF-8\r\n', 'Other.dbf': 'x' }),
    )
    expect(layer!.table).toMatchObject({
      name: 'Rimu',
      format: 'shapefile',
      hasGeometry: true,
      count: 3,
      crs: { from: '.prj', text: prj.slice(1).trim() },
      columns: [{ name: 'NAME', type: 'text', width: 20 }],
      choices: [{ setting: 'from.encoding', value: 'utf-8' }],
    })
    expect(layer!.rows.map((row) => row.values)).toEqual(names.map((NAME) => ({ NAME })))
    expect(layer!.rows.map((row) => row.at)).toEqual([0, 1, 2].map((row) => ({ source: 'Rimu.shp', row })))
    expect(geoJsonFromShape(layer!.rows[1]!.shape!)).toEqual({ type: 'Polygon', coordinates: [square(20, 0, 10)] })
    expect(layer!.found).toEqual([])
  })

  test.each(['Rimu.dbf', 'Rimu.shx'])('naming the %s opens the whole', async (name) => {
    const files = { 'Rimu.dbf': dbf, 'Rimu.shp': shp, 'Rimu.shx': shp.subarray(0, 100) }
    const [layer] = await collect(loose({ [name]: files[name as keyof typeof files], ...files }))
    expect(layer!.rows).toHaveLength(3)
    expect(layer!.rows[2]).toMatchObject({
      at: { source: 'Rimu.shp', row: 2 },
      values: { NAME: 'River' },
      shape: { kind: 'Polygon' },
    })
  })

  test('a .dbf alone is a table without geometry', async () => {
    const [layer] = await collect(loose({ 'sprays.dbf': dbf }))
    expect(layer!.table.hasGeometry).toBe(false)
    expect(layer!.rows[0]).not.toHaveProperty('shape')
    expect(layer!.rows).toHaveLength(3)
  })

  test('a .shp alone has no values, and that is reported', async () => {
    const [layer] = await collect(loose({ 'Rimu.shp': shp }))
    expect(layer!.rows.map((row) => row.values)).toEqual([{}, {}, {}])
    expect(layer!.rows[0]!.problems).toBeUndefined()
    expect(layer!.found).toMatchObject([{ code: 'file-inconsistent', severity: 'warning' }])
  })

  test('an empty .dbf is as none', async () => {
    const [layer] = await collect(loose({ 'Rimu.shp': shp, 'Rimu.dbf': '' }))
    expect(layer!.rows).toHaveLength(3)
    expect(layer!.found).toMatchObject([{ code: 'file-inconsistent', severity: 'warning' }])
  })

  test('an index alone is not enough', async () => {
    await expect(collect(loose({ 'Rimu.shx': shp.subarray(0, 100) }))).rejects.toMatchObject({ code: 'file-missing' })
  })

  test('reading twice gives the same', async () => {
    const [table] = await decidedBy(shapefile, loose({ 'Rimu.shp': shp, 'Rimu.dbf': namesTable(['a', 'b']) }), {})
    for (let time = 0; time < 2; time += 1) {
      let rows = 0
      for await (const batch of table!.batches()) rows += batch.length
      expect(rows).toBe(3)
      expect(table!.found()).toHaveLength(1)
    }
  })

  test('stopping early lets go of the files', async () => {
    let open = 0
    const watched = (name: string, bytes: Uint8Array) => ({
      ...bufferSource(name, bytes),
      async *stream() {
        open += 1
        try {
          for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000)
        } finally {
          open -= 1
        }
      },
    })
    const many = shpBytes(Array.from({ length: 2000 }, (_, index) => paddock(index)))
    const table = watched('a.dbf', namesTable(Array.from({ length: 2000 }, () => 'x')))
    const source = { ...watched('a.shp', many), siblings: () => Promise.resolve([table]) }
    const [layer] = await decidedBy(shapefile, source, { encoding: 'utf-8' })
    for await (const batch of layer!.batches()) {
      expect(batch).toHaveLength(rowsPerBatch)
      expect(open).toBe(2)
      break
    }
    expect(open).toBe(0)
  })
})

describe('zips', () => {
  const packed = (files: Readonly<Record<string, Uint8Array | string>>, method: 0 | 8 = 8) =>
    bufferSource('farm map.zip', zipBytes(Object.entries(files).map(([name, bytes]) => ({ name, bytes, method }))))

  test.each([0, 8] as const)('in folders, in capitals, with method %i', async (method) => {
    const layers = await collect(
      packed(
        {
          'Export/Rimu/PADDOCKS.SHP': shp,
          'Export/Rimu/paddocks.dbf': dbf,
          'Export/Rimu/Paddocks.PRJ': prj,
          'Export/readme.txt': '',
        },
        method,
      ),
    )
    expect(layers.map(({ table }) => table.name)).toEqual(['PADDOCKS'])
    expect(layers[0]!.rows[1]).toMatchObject({
      at: { source: 'farm map.zip', layer: 'PADDOCKS', row: 1 },
      values: { NAME: 'Kōwhai' },
    })
    expect(layers[0]!.table.crs!.text).toContain('NZGD_2000')
  })

  test('several layers are several tables; the same name twice gets its folder', async () => {
    const layers = await collect(
      packed({
        'north/fields.shp': shp,
        'north/fields.dbf': dbf,
        'south/fields.shp': shpBytes([paddock(0)]),
        'south/fields.dbf': namesTable(['South']),
        'roads.shp': shpBytes([]),
        'roads.dbf': namesTable([]),
      }),
    )
    expect(layers.map(({ table, rows }) => [table.name, rows.length])).toEqual([
      ['north/fields', 3],
      ['south/fields', 1],
      ['roads', 0],
    ])
    expect(layers[1]!.rows[0]!.values).toEqual({ NAME: 'South' })
  })

  test('a .dbf of another folder is not taken', async () => {
    const [layer] = await collect(packed({ 'a/fields.shp': shp, 'b/fields.dbf': dbf }))
    expect(layer!.rows[0]!.values).toEqual({})
  })

  test.each([
    ['no shapefile in it', packed({ 'readme.txt': 'x' }), 'format-unknown'],
    ['a web page called .zip', bufferSource('a.zip', Buffer.from('<html>not found</html>')), 'file-damaged'],
    ['a name that climbs out', packed({ '../evil.shp': shp }), 'archive-unsafe'],
  ])('%s', async (_, source, code) => {
    await expect(collect(source)).rejects.toMatchObject({ code })
  })
})

test('reads clean files as another reader does', async () => {
  const rings = [square(0, 0, 50), turned(square(10, 10, 5)), turned(square(20, 20, 5))]
  const bytes = shpBytes([
    partsContent(5, rings),
    partsContent(5, [square(0, 0, 5), square(100, 0, 5)]),
    partsContent(5, [square(3, 3, 1)]),
  ])
  const [layer] = await collect(loose({ 'a.shp': bytes }))
  expect(layer!.rows.map((row) => geoJsonFromShape(row.shape!))).toEqual(
    parseShp(bytes).map((each) => ({ ...each, bbox: undefined })),
  )
  const points = shpBytes([pointContent(1, [175.3, -37.8]), pointContent(1, [0, 0])], { type: 1 })
  const [other] = await collect(loose({ 'p.shp': points }))
  expect(other!.rows.map((row) => geoJsonFromShape(row.shape!))).toEqual(parseShp(points))
})
