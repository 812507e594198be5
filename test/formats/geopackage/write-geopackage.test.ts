import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Column, Row, Value, Values } from '../../../src/core/row.ts'
import { geoJsonFromShape, shapeFromGeoJson, type Geometry } from '../../../src/core/shapes/shape-geojson.ts'
import type { Shape } from '../../../src/core/shape.ts'
import { fileSource } from '../../../src/core/sources/source.ts'
import { fileTarget } from '../../../src/core/sources/target.ts'
import type { OutTable } from '../../../src/formats/format.ts'
import { geopackage } from '../../../src/formats/geopackage.ts'
import { only, rowsOf } from '../fixtures.ts'

let folder = ''
let files = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'windrow-gpkg-test-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

type Given = { readonly values: Values; readonly shape?: Shape | null }

function table(columns: readonly Column[], rows: readonly Given[], more: Partial<OutTable> = {}): OutTable {
  const all: readonly Row[] = rows.map((row, index) => ({ at: { source: 'test', row: index }, ...row }))
  return {
    name: 'Plots',
    columns,
    hasGeometry: rows.some((row) => row.shape !== undefined),
    async *rows() {
      yield all.slice(0, 1)
      yield all.slice(1)
    },
    ...more,
  }
}

async function write(tables: readonly OutTable[]) {
  const target = await fileTarget(join(folder, `${(files += 1)}.gpkg`))
  try {
    return { ...(await geopackage.write!(tables, target, {})), ...(await target.commit()) }
  } catch (error) {
    await target.abandon()
    throw error
  }
}

async function back(tables: readonly OutTable[]) {
  const written = await write(tables)
  const read = await geopackage.open!(await fileSource(written.path), {})
  return { written, tables: read, layers: await Promise.all(read.map((each) => rowsOf(each))) }
}

function shapeOf(geometry: Geometry): Shape {
  const shape = shapeFromGeoJson(geometry)
  if (typeof shape === 'string') throw new Error(shape)
  return shape
}

const ring = (x: number, y: number, size: number): number[][] => [[x, y], [x + size, y], [x + size, y + size], [x, y + size], [x, y]] // oxfmt-ignore
const rings = [ring(175, -38, 1), ring(175.2, -37.8, 0.1).toReversed()]
const holed = shapeOf({ type: 'Polygon', coordinates: rings })
const parts = shapeOf({ type: 'MultiPolygon', coordinates: [[ring(176, -38, 0.5)], [ring(177, -38, 0.5)]] })

/** One plot of everything; the second without a boundary, the third with two parts. */
const columns: readonly Column[] = [
  { name: 'Name', type: 'text' },
  { name: 'Total area (ha)', type: 'number' },
  { name: 'Rows', type: 'integer' },
  { name: 'Grazed', type: 'boolean' },
  { name: 'Sown', type: 'date' },
  { name: 'Start (Pacific/Auckland)', type: 'date-time', zone: 'Pacific/Auckland' },
]
const start = '2026-04-05T02:30:00+13:00'
const plots = table(columns, [
  { values: { Name: 'Rāhui "north"', 'Total area (ha)': 3.81, Rows: 12, Grazed: true, Sown: '2026-04-05', 'Start (Pacific/Auckland)': start }, shape: holed }, // oxfmt-ignore
  { values: { Name: 'Not drawn yet', Grazed: false }, shape: null },
  { values: { Name: '', 'Total area (ha)': 2.5, Rows: 0 }, shape: parts },
])

function ask(path: string, query: string): readonly Record<string, unknown>[] {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return database.prepare(query).all()
  } finally {
    database.close()
  }
}

describe('what is written is read again:', () => {
  test('texts, numbers, truths, days, moments, boundaries with holes and parts', async () => {
    const { written, tables, layers } = await back([plots])
    expect(written).toMatchObject({ rows: { Plots: 3 }, bytes: statSync(written.path).size })
    expect(only(tables)).toMatchObject({ name: 'Plots', hasGeometry: true, crs: { from: 'table', text: 'EPSG:4326' } })
    expect(only(tables).columns).toEqual([
      { name: 'fid', type: 'integer' },
      { name: 'Name', type: 'text' },
      { name: 'Total area (ha)', type: 'number' },
      { name: 'Rows', type: 'integer' },
      { name: 'Grazed', type: 'boolean' },
      { name: 'Sown', type: 'date' },
      { name: 'Start (UTC)', type: 'date-time' },
    ])
    const [first, second, third] = layers[0]!
    expect(first!.values).toEqual({ fid: 1, Name: 'Rāhui "north"', 'Total area (ha)': 3.81, Rows: 12, Grazed: true, Sown: '2026-04-05', 'Start (UTC)': '2026-04-04T13:30:00.000Z' }) // oxfmt-ignore
    expect(second).toMatchObject({ values: { Grazed: false, Rows: null, Sown: null }, shape: null })
    expect(third!.values).toMatchObject({ Name: '', Rows: 0 })
    expect(geoJsonFromShape(third!.shape!)).toEqual(geoJsonFromShape(parts))
    expect(geoJsonFromShape(first!.shape!)).toMatchObject({ coordinates: [rings] })
    expect(written.notes).toEqual([expect.stringContaining('Times are in UTC')])
  })

  test.each<[Geometry, string]>([
    [{ type: 'Point', coordinates: [175, -38] }, 'POINT'],
    [{ type: 'MultiPoint', coordinates: [[175, -38], [176, -38]] }, 'MULTIPOINT'], // oxfmt-ignore
    [{ type: 'MultiLineString', coordinates: [[[175, -38], [176, -38], [176, -37]], [[1, 2], [3, 4]]] }, 'MULTILINESTRING'], // oxfmt-ignore
    [{ type: 'MultiPolygon', coordinates: [[ring(175, -38, 1).map((at) => [...at, 12.5])]] }, 'MULTIPOLYGON'],
    [{ type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [175, -38] }] }, 'GEOMETRYCOLLECTION'],
  ])('%j', async (geometry, kind) => {
    const { written, layers } = await back([table([], [{ values: {}, shape: shapeOf(geometry) }])])
    expect(geoJsonFromShape(layers[0]![0]!.shape!)).toEqual(geometry)
    const [described] = ask(written.path, 'SELECT geometry_type_name, z, m FROM gpkg_geometry_columns')
    expect(described).toEqual({ geometry_type_name: kind, z: kind === 'MULTIPOLYGON' ? 1 : 0, m: 0 })
  })

  test('several tables, those without geometry as attributes, under names that SQLite allows', async () => {
    const products = table([{ name: 'Product', type: 'text' }], [{ values: { Product: 'Āta' } }], { name: 'Products' })
    const again = { ...products, name: 'products' }
    const odd = { ...products, name: 'gpkg_contents' }
    const { tables, written } = await back([plots, products, again, odd])
    expect(tables.map(({ name, hasGeometry }) => [name, hasGeometry])).toEqual([
      ['Plots', true],
      ['Products', false],
      ['products_2', false],
      ['layer_gpkg_contents', false],
    ])
    expect(ask(written.path, 'SELECT DISTINCT data_type AS is_ FROM gpkg_contents')).toEqual([{ is_: 'features' }, { is_: 'attributes' }]) // oxfmt-ignore
  })

  test('columns that are called like the key, the geometry or each other', async () => {
    const names = ['FID', 'geom', 'Name', 'name', 'constructor']
    const values = Object.fromEntries(names.map((name) => [name, name]))
    const { tables, layers } = await back([table(names.map((name) => ({ name, type: 'text' as const })), [{ values, shape: holed }])]) // oxfmt-ignore
    expect(only(tables).columns!.map(({ name }) => name)).toEqual(['fid_2', 'FID', 'geom', 'Name', 'name_2', 'constructor']) // oxfmt-ignore
    expect(layers[0]![0]!.values).toMatchObject({
      FID: 'FID',
      geom: 'geom',
      name_2: 'name',
      constructor: 'constructor',
    })
  })

  test.each<[string, Column['type'], readonly Value[], { readonly as: Column['type']; readonly is: readonly Value[] }]>(
    [
      ['half numbers among whole ones', 'integer', [1, 2.5], { as: 'number', is: [1, 2.5] }],
      ['a word among numbers', 'number', [1, 'about 2'], { as: 'text', is: ['1', 'about 2'] }],
      ['a day that is none', 'date', ['2026-04-05', '2026'], { as: 'text', is: ['2026-04-05', '2026'] }],
      ['a time without a zone', 'date-time', ['2026-04-05T02:30:00'], { as: 'text', is: ['2026-04-05T02:30:00'] }],
      [
        'whole numbers too large for JavaScript',
        'integer',
        ['123456789012345678'],
        { as: 'integer', is: ['123456789012345678'] },
      ],
      ['numbers in a column without a type', undefined, [5, 7.25], { as: 'text', is: ['5', '7.25'] }],
      ['a moment to the microsecond', 'date-time', ['2026-04-05T02:30:00.123456Z'], { as: 'date-time', is: ['2026-04-05T02:30:00.123456Z'] }], // oxfmt-ignore
      ['groups', 'json', [{ a: [1] }], { as: 'text', is: ['{"a":[1]}'] }],
      ['blank cells', 'number', ['', NaN, 3], { as: 'number', is: [null, null, 3] }],
    ],
  )('%s', async (_, type, values, { as, is }) => {
    const column = { name: 'C', ...(type === undefined ? {} : { type }) }
    const { tables, layers, written } = await back([
      table(
        [column],
        values.map((value) => ({ values: { C: value } })),
      ),
    ])
    expect(only(tables).columns![1]).toEqual({ name: 'C', type: as })
    expect(layers[0]!.map((row) => row.values['C'])).toEqual(is)
    expect(written.notes).toHaveLength(as === 'text' && type !== undefined && type !== 'json' ? 1 : 0)
  })

  test('dates that begin a day in their zone as days, and all as moments if one does not', async () => {
    const column = { name: 'Sowing date (Pacific/Auckland)', type: 'date-time', zone: 'Pacific/Auckland' } as const
    const write = async (...all: readonly Value[]) => {
      const { tables, layers } = await back([table([column], all.map((each) => ({ values: { [column.name]: each } })))]) // oxfmt-ignore
      const { name, type } = only(tables).columns![1]!
      return [name, type, layers[0]!.map((row) => row.values[name])]
    }
    const midnight = '2026-04-05T00:00:00+13:00'
    expect(await write(midnight, null)).toEqual([column.name, 'date', ['2026-04-05', null]])
    expect(await write(midnight, '2026-04-05T02:30:00+13:00')).toEqual([
      'Sowing date (UTC)',
      'date-time',
      ['2026-04-04T11:00:00.000Z', '2026-04-04T13:30:00.000Z'],
    ])
    expect(await write(midnight, 'soon')).toEqual([column.name, 'text', [midnight, 'soon']])
  })

  test('the coordinate system of the source, by number or by description', async () => {
    const rows = [{ values: {}, shape: shapeOf({ type: 'Point', coordinates: [1_803_000, 5_814_000] }) }]
    const wkt = 'PROJCS["Farm grid",GEOGCS["X"]]'
    const { tables } = await back([
      table([], rows, { name: 'a', crs: { from: 'table', text: 'EPSG:2193', described: 'PROJCS["NZTM"]' } }),
      table([], rows, { name: 'b', crs: { from: '.prj', text: wkt } }),
      table([], rows, { name: 'c', crs: { from: '.prj', text: wkt } }),
    ])
    expect(tables.map(({ crs }) => crs)).toEqual([
      { from: 'table', text: 'EPSG:2193', described: 'PROJCS["NZTM"]' },
      { from: 'table', text: wkt },
      { from: 'table', text: wkt },
    ])
  })
})

describe('the file', () => {
  test('is marked as version 1.3, and has a spatial index with the box of each boundary', async () => {
    const { path } = await write([plots])
    expect(ask(path, 'PRAGMA application_id')).toEqual([{ application_id: 0x47504b47 }])
    expect(ask(path, 'PRAGMA user_version')).toEqual([{ user_version: 10300 }])
    expect(ask(path, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    expect(ask(path, 'PRAGMA foreign_key_check')).toEqual([])
    expect(ask(path, 'SELECT id, minx, maxx, miny, maxy FROM rtree_Plots_geom')).toEqual([
      { id: 1, minx: 175, maxx: 176, miny: -38, maxy: -37 },
      { id: 3, minx: 176, maxx: 177.5, miny: -38, maxy: -37.5 },
    ])
    expect(ask(path, "SELECT name FROM sqlite_schema WHERE type = 'trigger'")).toHaveLength(6)
    expect(ask(path, 'SELECT min_x, min_y, max_x, max_y, identifier FROM gpkg_contents')).toEqual([
      { min_x: 175, min_y: -38, max_x: 177.5, max_y: -37, identifier: 'Plots' },
    ])
  })

  test('leaves nothing behind when a row cannot be read or there are too many columns', async () => {
    const before = (await readdir(folder)).length
    const temporary = await mkdtemp(join(tmpdir(), 'windrow-gpkg-temporary-'))
    vi.stubEnv('TMPDIR', temporary)
    const failing = { ...plots, rows: async function* () { yield [] as Row[]; throw new Error('The line went dead.') } } // oxfmt-ignore
    await expect(write([failing])).rejects.toThrow('The line went dead.')
    const wide = table(Array.from({ length: 1991 }, (_, index) => ({ name: `c${index}` })), []) // oxfmt-ignore
    await expect(write([wide])).rejects.toMatchObject({ code: 'format-cannot-write' })
    vi.unstubAllEnvs()
    expect(await readdir(temporary)).toEqual([])
    await rm(temporary, { recursive: true })
    expect((await readdir(folder)).length).toBe(before)
  })

  test('takes shapes whose coordinates are not numbers as none, and reports it', async () => {
    const shape = { ...holed, coordinates: holed.coordinates.map((each, index) => (index === 3 ? NaN : each)) }
    const { layers, written } = await back([table([], [{ values: {}, shape }])])
    expect(layers[0]![0]!.shape).toBeNull()
    expect(written.notes).toEqual(['Boundaries left out because their coordinates are not numbers: 1.'])
  })
})

const hasGdal = spawnSync('ogrinfo', ['--version']).status === 0

describe.skipIf(!hasGdal)('GDAL (skipped where ogrinfo is missing)', () => {
  const ogrinfo = (...words: readonly string[]): string => spawnSync('ogrinfo', words, { encoding: 'utf8' }).stdout

  test('opens it, with counts, types, macrons, days, areas and the spatial index', async () => {
    const { path } = await write([plots, table([{ name: 'Product', type: 'text' }], [{ values: { Product: 'Āta' } }], { name: 'Products' })]) // oxfmt-ignore
    const all = ogrinfo('-ro', '-al', path)
    for (const line of [
      'Layer name: Plots',
      'Geometry: Multi Polygon',
      'Feature Count: 3',
      'Extent: (175.000000, -38.000000) - (177.500000, -37.000000)',
      'Total area (ha): Real',
      'Rows: Integer64',
      'Grazed: Integer(Boolean)',
      'Sown: Date',
      'Start (UTC): DateTime',
      'Name (String) = Rāhui "north"',
      'Total area (ha) (Real) = 3.81',
      'Sown (Date) = 2026/04/05',
      'Start (UTC) (DateTime) = 2026/04/04 13:30:00+00',
      'Layer name: Products',
      'Geometry: None',
      'Product (String) = Āta',
    ])
      expect(all).toContain(line)
    const sql = `SELECT HasSpatialIndex('Plots', 'geom') AS has_index, round(ST_Area(geom), 2) AS area FROM Plots WHERE fid = 1`
    const indexed = ogrinfo('-ro', '-q', path, '-sql', sql)
    expect(indexed).toContain('has_index (Integer) = 1')
    expect(indexed).toContain('area (Real) = 0.99')
    expect(ogrinfo('-ro', '-so', path, 'Plots', '-spat', '176.6', '-38', '177', '-37')).toContain('Feature Count: 1')
  })

  test('can change it: the triggers keep the index up to date', async () => {
    const { path } = await write([plots])
    const moved = `UPDATE Plots SET geom = (SELECT geom FROM Plots WHERE fid = 3) WHERE fid = 2`
    ogrinfo('-q', path, '-sql', moved)
    ogrinfo('-q', path, '-sql', 'DELETE FROM Plots WHERE fid = 1')
    expect(ask(path, 'SELECT id FROM rtree_Plots_geom ORDER BY id')).toEqual([{ id: 2 }, { id: 3 }])
  })

  const checker = ['-m', 'osgeo_utils.samples.validate_gpkg']
  const hasChecker = spawnSync('/usr/bin/python3', [...checker, '--help']).stderr?.includes('No module') === false

  test.skipIf(!hasChecker)('finds it valid', async () => {
    const { path } = await write([
      plots,
      table([{ name: 'Product' }], [{ values: { Product: 'Āta' } }], { name: 'Products' }),
      table([], [{ values: {}, shape: shapeOf({ type: 'Point', coordinates: [175, -38] }) }], { name: 'Points' }),
    ])
    const { status, stderr, stdout } = spawnSync('/usr/bin/python3', [...checker, path], { encoding: 'utf8' })
    expect([status, stderr, stdout]).toEqual([0, '', ''])
  })
})
