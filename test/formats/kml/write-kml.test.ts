import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Column, Row, Values } from '../../../src/core/row.ts'
import { geoJsonFromShape, shapeFromGeoJson, type Geometry } from '../../../src/core/shapes/shape-geojson.ts'
import type { Shape } from '../../../src/core/shape.ts'
import { fileSource } from '../../../src/core/sources/source.ts'
import { fileTarget } from '../../../src/core/sources/target.ts'
import type { OutTable } from '../../../src/formats/format.ts'
import { openFile } from '../../../src/formats/index.ts'
import { kml } from '../../../src/formats/kml.ts'
import { only, rowsOf } from '../fixtures.ts'

let folder = ''
let files = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'windrow-kml-test-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

type Given = { readonly values: Values; readonly shape?: Shape | null }

function table(columns: readonly Column[], rows: readonly Given[], more: Partial<OutTable> = {}): OutTable {
  const all: readonly Row[] = rows.map((row, index) => ({ at: { source: 'test', row: index }, ...row }))
  return {
    name: 'Plots',
    columns,
    hasGeometry: true,
    async *rows() {
      yield all
    },
    ...more,
  }
}

async function write(tables: readonly OutTable[], ending = 'kml') {
  const target = await fileTarget(join(folder, `${(files += 1)}.${ending}`))
  try {
    return { ...(await kml.write!(tables, target, {})), ...(await target.commit()) }
  } catch (error) {
    await target.abandon()
    throw error
  }
}

async function back(tables: readonly OutTable[], ending = 'kml'): Promise<readonly Row[]> {
  const { path } = await write(tables, ending)
  const opened = await openFile(await fileSource(path))
  expect(opened.format.name).toBe('kml')
  return rowsOf(only(opened.tables))
}

function shapeOf(geometry: Geometry): Shape {
  const shape = shapeFromGeoJson(geometry)
  if (typeof shape === 'string') throw new Error(shape)
  return shape
}

const ring = (x: number, y: number, size: number): number[][] => [[x, y], [x + size, y], [x + size, y + size], [x, y + size], [x, y]] // oxfmt-ignore
const holed: Geometry = { type: 'Polygon', coordinates: [ring(175, -38, 1), ring(175.2, -37.8, 0.1).toReversed()] }
const hard = 'Rāhui <b>"Smith & Sons"</b> ]]> &amp;'
const columns: readonly Column[] = [
  { name: 'Name', type: 'text' },
  { name: 'Crop 1 name', type: 'text' },
  { name: 'Total area (ha)', type: 'number' },
  { name: 'Grazed', type: 'boolean' },
  { name: 'A <&> "B"', type: 'text' },
]
const facts = { Name: hard, 'Crop 1 name': 'Lucerne', 'Total area (ha)': 3.81, Grazed: true, 'A <&> "B"': '007' }

describe('what is written is read again:', () => {
  test.each(['kml', 'kmz'])('facts and a boundary with a hole as .%s', async (ending) => {
    const [first, second] = await back(
      [
        table(columns, [
          { values: facts, shape: shapeOf(holed) },
          { values: { Name: 'Bare' }, shape: null },
        ]),
      ],
      ending,
    )
    expect(first!.values).toEqual({ ...facts, name: hard, folder: 'Plots' })
    expect(geoJsonFromShape(first!.shape!)).toEqual(holed)
    expect(second).toMatchObject({ values: { name: 'Bare' }, shape: null })
  })

  test.each<Geometry>([
    { type: 'Point', coordinates: [175, -38] },
    { type: 'MultiPoint', coordinates: [[175, -38], [176, -38]] }, // oxfmt-ignore
    { type: 'LineString', coordinates: [[175, -38], [176, -38, ], [176, -37]] }, // oxfmt-ignore
    { type: 'MultiLineString', coordinates: [[[175, -38], [176, -38]], [[1, 2], [3, 4]]] }, // oxfmt-ignore
    { type: 'MultiPolygon', coordinates: [holed.coordinates, [ring(177, -38, 0.5).map((at) => [...at])]] },
    { type: 'Polygon', coordinates: [ring(177, -38, 0.5).map((at) => [...at, 12.5])] },
  ])('%j', async (geometry) => {
    const [row] = await back([table([], [{ values: {}, shape: shapeOf(geometry) }])])
    expect(geoJsonFromShape(row!.shape!)).toEqual(geometry)
  })

  test('several tables, a folder each', async () => {
    const products = table([{ name: 'Product', type: 'text' }], [{ values: { Product: 'Āta' } }], { name: 'Products', hasGeometry: false }) // oxfmt-ignore
    const rows = await back([table(columns, [{ values: facts, shape: shapeOf(holed) }]), products])
    expect(rows.map(({ values }) => [values['name'], values['folder']])).toEqual([
      [hard, 'Plots'],
      ['Āta', 'Products'],
    ])
  })
})

test('a crop has the same colour in every file, and no crop another', async () => {
  const styles = async (...crops: readonly string[]): Promise<readonly string[]> => {
    const rows = crops.map((crop) => ({ values: { Name: 'A', 'Crop 1 name': crop } }))
    const text = readFileSync((await write([table(columns, rows)])).path, 'utf8')
    for (const [, id] of text.matchAll(/<styleUrl>#([^<]+)</g)) expect(text).toContain(`<Style id="${id}">`)
    return [...text.matchAll(/<styleUrl>#([^<]+)</g)].map(([, id]) => id!)
  }
  const [lucerne, none, again] = await styles('Lucerne', '', ' lucerne')
  expect(again).toBe(lucerne)
  expect(none).toBe('no-crop')
  expect(lucerne).not.toBe('no-crop')
  expect(await styles('Kale', 'Lucerne')).toContain(lucerne)
})

test('a balloon shows the facts as text, not as a page of somebody else', async () => {
  const text = readFileSync((await write([table(columns, [{ values: facts }])])).path, 'utf8')
  const [, balloon] = /<description><!\[CDATA\[(.*?)\]\]><\/description>/s.exec(text)!
  expect(balloon).toContain('<th align="left">Total area (ha)</th><td>3.81</td>')
  expect(balloon).toContain('<th align="left">Grazed</th><td>true</td>')
  expect(balloon).toContain('&lt;b&gt;&quot;Smith &amp; Sons&quot;&lt;/b&gt; ]]&gt; &amp;amp;')
})

test('yes and no are numbers among the facts, because other programs take "true" for 0', async () => {
  const rows = [true, false].map((Grazed) => ({ values: { Grazed } }))
  const text = readFileSync((await write([table(columns, rows)])).path, 'utf8')
  expect(text.match(/(?<=<SimpleData name="Grazed">)\w+/g)).toEqual(['1', '0'])
})

test('boundaries in another coordinate system are refused, those without numbers left out', async () => {
  const crs = { from: 'table', text: 'EPSG:2193' } as const
  await expect(write([table(columns, [], { crs })])).rejects.toMatchObject({ code: 'format-cannot-write' })
  const shape = { ...shapeOf(holed), coordinates: new Float64Array([1, NaN]) }
  const written = await write([table(columns, [{ values: facts, shape }])])
  expect(written.notes).toEqual(['Boundaries left out because their coordinates are not numbers: 1.'])
})

const hasGdal = spawnSync('ogrinfo', ['--version']).status === 0

test.skipIf(!hasGdal)('GDAL opens both (skipped where ogrinfo is missing)', async () => {
  for (const ending of ['kml', 'kmz']) {
    const { path } = await write([table(columns, [{ values: { ...facts, Name: 'Rāhui & Sons' }, shape: shapeOf(holed) }])], ending) // oxfmt-ignore
    const { stdout } = spawnSync('ogrinfo', ['-ro', '-al', path], { encoding: 'utf8' })
    for (const line of [
      'Layer name: Plots',
      'Feature Count: 1',
      'Name (String) = Rāhui & Sons',
      'Extent: (175.000000, -38.000000) - (176.000000, -37.000000)',
    ])
      // oxfmt-ignore
      expect(stdout).toContain(line)
    // Of a .kmz it reads no schemas, only what every placemark has.
    if (ending === 'kml' && stdout.includes('LIBKML')) expect(stdout).toContain('Total area (ha) (Real) = 3.81')
  }
})
