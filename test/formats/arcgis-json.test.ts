import { describe, expect, test } from 'vitest'
import type { Row, Table } from '../../src/core/row.ts'
import { geoJsonFromShape } from '../../src/core/shapes/shape-geojson.ts'
import { arcgisJson } from '../../src/formats/arcgis-json.ts'
import { openFile } from '../../src/formats/index.ts'
import { identifyCrs } from '../../src/geometry/crs/crs.ts'
import { only, recogniseFormat, rowsOf, sourceOf } from './fixtures.ts'

type Layer = Readonly<Record<string, unknown>>

const layer: Layer = {
  displayFieldName: 'NAME',
  geometryType: 'esriGeometryPolygon',
  spatialReference: { wkid: 2193, latestWkid: 2193 },
  fields: [
    { name: 'OBJECTID', type: 'esriFieldTypeOID', alias: 'OBJECTID' },
    { name: 'NAME', type: 'esriFieldTypeString', alias: 'Paddock' },
    { name: 'SOWN', type: 'esriFieldTypeDate', alias: 'Sown' },
    { name: 'HA', type: 'esriFieldTypeDouble', alias: 'Area' },
  ],
}

async function open(features: readonly unknown[], more: Layer = {}, after: Layer = {}): Promise<Table> {
  const text = JSON.stringify({ ...layer, ...more, features, ...after })
  return only((await openFile(sourceOf('query.json', text))).tables)
}

async function geometryOf(geometry: unknown, more: Layer = {}): Promise<Row> {
  const [row] = await rowsOf(await open([{ attributes: { OBJECTID: 1 }, geometry }], more))
  return row!
}

const outline = [[0, 0], [0, 9], [9, 9], [9, 0], [0, 0]] // oxfmt-ignore
const hole = [[1, 1], [2, 1], [2, 2], [1, 1]] // oxfmt-ignore
const island = [[20, 0], [20, 9], [29, 9], [20, 0]] // oxfmt-ignore

test('features without a description of their layer are read', async () => {
  const text = JSON.stringify({ features: [{ attributes: { NAME: 'Top' }, geometry: { rings: [outline] } }] })
  const [row] = await rowsOf(only((await openFile(sourceOf('query.json', text))).tables))
  expect(row).toMatchObject({ values: { NAME: 'Top' }, shape: { kind: 'Polygon' } })
})

test('coordinates that count steps on a screen are refused', async () => {
  const transform = { originPosition: 'upperLeft', scale: [0.5, 0.5], translate: [1800000, 5800000] }
  await expect(open([{ attributes: {}, geometry: { rings: [outline] } }], { transform })).rejects.toMatchObject({
    code: 'format-unknown',
    hint: expect.stringContaining('quantizationParameters'),
  })
})

test('an id of 18 digits keeps them all, as text', async () => {
  const features = '[{"attributes":{"OBJECTID":982123456789012345},"geometry":null}]'
  const text = `${JSON.stringify(layer).slice(0, -1)},"features":${features}}`
  const [row] = await rowsOf(only((await openFile(sourceOf('query.json', text))).tables))
  expect(row?.values['OBJECTID']).toBe('982123456789012345')
})

describe('a layer', () => {
  test('has its columns, its system and its rows', async () => {
    const table = await open([
      { attributes: { OBJECTID: 7, NAME: 'Rāhui', SOWN: 1788393600000, HA: 3.5 }, geometry: { rings: [outline] } },
      { attributes: { OBJECTID: 9, NAME: null, SOWN: -1500, HA: null }, geometry: null },
      { attributes: { OBJECTID: 10 } },
    ])
    expect(table).toMatchObject({ name: 'query', format: 'arcgis-json', hasGeometry: true })
    expect(identifyCrs(table.crs!).code).toBe('EPSG:2193')
    expect(table.columns).toEqual([
      { name: 'OBJECTID', type: 'integer' },
      { name: 'NAME', type: 'text' },
      { name: 'SOWN', type: 'date-time' },
      { name: 'HA', type: 'number' },
    ])
    const rows = await rowsOf(table)
    expect(rows.map(({ at }) => at.row)).toEqual([0, 1, 2])
    expect(rows.map(({ values }) => values)).toEqual([
      { OBJECTID: 7, NAME: 'Rāhui', SOWN: '2026-09-03T00:00:00Z', HA: 3.5 },
      { OBJECTID: 9, NAME: null, SOWN: '1969-12-31T23:59:58.500Z', HA: null },
      { OBJECTID: 10 },
    ])
    expect(rows.map(({ shape }) => shape?.kind ?? null)).toEqual(['Polygon', null, null])
    expect(table.found()).toEqual([])
  })

  test('with codes has what they mean, as ArcGIS shows them', async () => {
    const codedValues = [
      { name: 'Ryegrass', code: 1 },
      { name: 'Lucerne', code: 2 },
    ]
    const crop = { name: 'CROP', type: 'esriFieldTypeInteger', domain: { type: 'codedValue', codedValues } }
    const area = { name: 'HA', type: 'esriFieldTypeDouble', domain: { type: 'range', range: [0, 9] } }
    const table = await open([{ attributes: { CROP: 2, HA: 2 } }, { attributes: { CROP: 7 } }], {
      fields: [crop, area],
    })
    expect(table.columns).toEqual([
      { name: 'CROP', type: 'text' },
      { name: 'HA', type: 'number' },
    ])
    expect((await rowsOf(table)).map(({ values }) => values)).toEqual([{ CROP: 'Lucerne', HA: 2 }, { CROP: 7 }])
  })

  test('without geometry is a table', async () => {
    const table = await open([{ attributes: { OBJECTID: 1 } }], { geometryType: undefined })
    expect(table.hasGeometry).toBe(false)
  })

  test.each([
    ['the newer number', { wkid: 102100, latestWkid: 3857 }, 'EPSG:3857'],
    ['a number of its own', { wkid: 102100 }, 'EPSG:3857'],
    ['the number of EPSG', { wkid: 4326 }, 'EPSG:4326'],
  ])('says its system by %s', async (_, spatialReference, code) => {
    expect(identifyCrs((await open([], { spatialReference })).crs!).code).toBe(code)
  })

  test('that says no system has none', async () => {
    expect((await open([], { spatialReference: undefined })).crs).toBeUndefined()
  })

  test('with only the first features of the server is reported', async () => {
    const table = await open([{ attributes: { OBJECTID: 1 } }], {}, { exceededTransferLimit: true })
    expect(await rowsOf(table)).toHaveLength(1)
    expect(table.found()).toMatchObject([{ code: 'file-truncated', severity: 'error' }])
  })

  test('that was cut off is reported', async () => {
    const text = JSON.stringify({
      ...layer,
      features: [{ attributes: { OBJECTID: 1 } }, { attributes: { OBJECTID: 2 } }],
    })
    const table = only(await arcgisJson.open!(sourceOf('query.json', text.slice(0, -12)), {}))
    const rows = await rowsOf(table)
    expect(rows.map(({ problems }) => problems?.[0]?.code)).toEqual([undefined, 'row-unreadable'])
    expect(table.found()).toMatchObject([{ code: 'file-truncated' }])
  })
})

describe('geometry', () => {
  test.each([
    ['rings in any order', { rings: [hole, island, outline] }, { type: 'MultiPolygon', coordinates: [[island], [outline, hole]] }],
    ['an open ring', { rings: [outline.slice(0, -1)] }, { type: 'Polygon', coordinates: [outline] }],
    ['one path', { paths: [hole] }, { type: 'LineString', coordinates: hole }],
    ['paths', { paths: [hole, island] }, { type: 'MultiLineString', coordinates: [hole, island] }],
    ['points', { points: hole }, { type: 'MultiPoint', coordinates: hole }],
    ['a point', { x: 1, y: 2 }, { type: 'Point', coordinates: [1, 2] }],
    ['a point with height', { x: 1, y: 2, z: 3 }, { type: 'Point', coordinates: [1, 2, 3] }],
    ['heights', { hasZ: true, paths: [[[1, 2, 3], [4, 5, 6]]] }, { type: 'LineString', coordinates: [[1, 2, 3], [4, 5, 6]] }],
    ['a height that is missing', { hasZ: true, paths: [[[1, 2, null], [4, 5, 6]]] }, { type: 'LineString', coordinates: [[1, 2], [4, 5]] }],
    ['measures', { hasM: true, paths: [[[1, 2, 3], [4, 5, 6]]] }, { type: 'LineString', coordinates: [[1, 2], [4, 5]] }],
  ])('%s', async (_, geometry, expected) => {
    const { shape, problems } = await geometryOf(geometry)
    expect(problems).toBeUndefined()
    expect(geoJsonFromShape(shape!)).toEqual(expected)
  }) // oxfmt-ignore

  test.each([
    ['no rings', { rings: [] }],
    ['empty rings', { rings: [[]] }],
    ['an empty point', { x: 'NaN', y: 'NaN' }],
    ['a point of nothing', { x: null }],
  ])('%s is no shape', async (_, geometry) => {
    const row = await geometryOf(geometry)
    expect(row.shape).toBeNull()
    expect(row.problems).toBeUndefined()
  })

  test.each([
    ['arcs', { curveRings: [[[0, 0], { c: [[3, 3], [1, 4]] }]] }],
    ['a box', { xmin: 1, ymin: 2, xmax: 3, ymax: 4 }],
    ['texts', { rings: [[['1', '2']]] }],
    ['a number', { rings: 1 }],
    ['a list', [1, 2]],
  ])('%s is a problem of its row', async (_, geometry) => {
    const row = await geometryOf(geometry)
    expect(row.shape).toBeNull()
    expect(row.problems).toMatchObject([{ code: 'geometry-wrong-type' }])
  }) // oxfmt-ignore
})

describe('invalid features', () => {
  test.each([
    ['{"attributes":[1]}'],
    ['[]'],
    ['12'],
    ['{}'],
    [`{"attributes":{"a":${'['.repeat(99)}${']'.repeat(99)}}}`],
  ])('%s is a problem of its row', async (text) => {
    const whole = JSON.stringify({ ...layer, features: [] }).replace('"features":[]', `"features":[${text}]`)
    const [row] = await rowsOf(only(await arcgisJson.open!(sourceOf('query.json', whole), {})))
    expect(row!.problems).toMatchObject([{ code: 'row-unreadable' }])
  })

  test('the description of a layer is refused with the way to its records', async () => {
    const text = JSON.stringify(layer)
    expect((await recogniseFormat(sourceOf('layer.json', text)))?.name).toBe('arcgis-json')
    await expect(openFile(sourceOf('layer.json', text))).rejects.toMatchObject({
      code: 'format-unknown',
      hint: expect.stringContaining('f=geojson'),
    })
  })
})
