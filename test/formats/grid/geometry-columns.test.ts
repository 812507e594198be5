import { describe, expect, test } from 'vitest'
import type { Row, Table } from '../../../src/core/row.ts'
import { geoJsonFromShape } from '../../../src/core/shapes/shape-geojson.ts'
import { csv } from '../../../src/formats/csv.ts'
import type { FormatOptions } from '../../../src/formats/format.ts'
import { decidedBy, only, rowsOf, sourceOf } from '../fixtures.ts'

async function open(lines: readonly string[], options: FormatOptions = {}): Promise<Table> {
  return only(
    await decidedBy(csv, sourceOf('Rimu paddocks.csv', `${lines.join('\n')}\n`), { delimiter: '|', ...options }),
  )
}

const shapeOf = ({ shape }: Row) => (shape ? geoJsonFromShape(shape) : shape)
const shapes = async (table: Table) => (await rowsOf(table)).map(shapeOf)
const points = (...positions: readonly (readonly number[])[]) =>
  positions.map((coordinates) => ({ type: 'Point', coordinates }))
const decided = (table: Table, option: string) =>
  table.choices.find(({ setting }) => setting === `from.${option}`)?.value

describe('longitude and latitude', () => {
  test.each([
    ['lon', 'lat'],
    ['Longitude', 'Latitude'],
    ['LONG_WGS84', 'LAT_WGS84'],
    ['GpsLon', 'GpsLat'],
    ['Längengrad', 'Breitengrad'],
    ['lengtegraad', 'breedtegraad'],
    ['longitud', 'latitud'],
    ['Długość geograficzna', 'Szerokość geograficzna'],
  ])('are known as %s and %s', async (x, y) => {
    const table = await open([`id|${x}|${y}`, '1|175.31|-37.79', '2|175.32|-37.80'])
    expect(table).toMatchObject({ hasGeometry: true, crs: { from: 'columns', text: 'EPSG:4326' } })
    expect([decided(table, 'x'), decided(table, 'y')]).toEqual([x, y])
    expect(await shapes(table)).toEqual(points([175.31, -37.79], [175.32, -37.8]))
    expect(table.found()).toEqual([])
  })

  test('stay as values, and blank ones are no geometry', async () => {
    const rows = await rowsOf(await open(['id|lon|lat', '1|175.31|-37.79', '2||']))
    expect(rows.map(({ values }) => values.lon)).toEqual(['175.31', ''])
    expect(rows[1]).toMatchObject({ shape: null })
    expect(rows[1]!.problems).toBeUndefined()
  })

  test('with a decimal comma, and in degrees and minutes', async () => {
    expect(await shapes(await open(['id|lon|lat', '1|175,312|-37,787']))).toEqual(points([175.312, -37.787]))
    expect(await shapes(await open(['id|lon|lat', `1|175°30'E|37°30'S`]))).toEqual(points([175.5, -37.5]))
  })

  test.each([
    ['N/S', 'E/W'],
    ['lat dir', 'lon dir'],
    ['Latitude Ref', 'Longitude Ref'],
  ])('with their halves of the earth in the columns %s and %s are not read', async (ns, ew) => {
    const table = await open([`id|lat|${ns}|lon|${ew}`, '1|37.787|S|175.312|E'])
    expect(table.hasGeometry).toBe(false)
  })

  test('exchanged in all rows are corrected, with a warning', async () => {
    const table = await open(['id|latitude|longitude', '1|175.312|-37.787', '2|175.318|-37.788', '3|176|-38'])
    expect(await shapes(table)).toEqual(points([175.312, -37.787], [175.318, -37.788], [176, -38]))
    expect(table.found()).toMatchObject([{ code: 'coordinate-out-of-range', severity: 'warning' }])
    expect([decided(table, 'x'), decided(table, 'y')]).toEqual(['latitude', 'longitude'])
  })

  test('exchanged in one row are an error of that row', async () => {
    const rows = await rowsOf(await open(['id|lat|lon', '1|-37.7|175.3', '2|175.3|-37.7', '3|-37.8|175.4']))
    expect(rows.map(({ problems = [] }) => problems.map(({ code }) => code))).toEqual([
      [],
      ['coordinate-out-of-range'],
      [],
    ])
    expect(rows[1]!.shape).toBeNull()
  })

  test('half a position, none at all and text that is not a number are reported', async () => {
    const lines = ['id|lon|lat', '1|175.3|-37.7', '2|175.3|', '3|0|0', '4|east|-37', '5|175.4|-37.6', '6|175.4|-37.5']
    const rows = await rowsOf(await open(lines))
    expect(rows.map(({ problems = [] }) => problems.map(({ code, severity }) => `${code} ${severity}`))).toEqual([
      [],
      ['coordinate-not-a-number error'],
      ['geometry-missing warning'],
      ['coordinate-not-a-number error'],
      [],
      [],
    ])
  })

  test('under names that may mean something else need decimals', async () => {
    const drawn = await open(['id|x|y', '1|3|4', '2|5|6'])
    expect(drawn.hasGeometry).toBe(false)
    const sizes = await open(['Schlag|Länge|Breite', 'Top|120|80'])
    expect(sizes.hasGeometry).toBe(false)
    const table = await open(['Schlag|Länge|Breite', 'Top|11,97743|44,88024', 'Nord|11,98|44,89'])
    expect(await shapes(table)).toEqual(points([11.97743, 44.88024], [11.98, 44.89]))
    expect(table.found()).toMatchObject([{ code: 'crs-assumed' }])
  })

  test('are left alone for records that take boundaries', async () => {
    const table = (await open(['id|lon|lat', '1|175.31|-37', '2|175.31|-97'])).withoutPoints!
    const rows = await rowsOf(table)
    expect(table.hasGeometry).toBe(false)
    expect(rows.map((row) => [Object.hasOwn(row, 'shape'), row.problems])).toEqual([
      [false, undefined],
      [false, undefined],
    ])
    expect(table.found()).toMatchObject([{ code: 'geometry-wrong-type', severity: 'note' }])
  })

  test('are named as longitude and latitude by what they contain, for records that take a place', async () => {
    const table = await open(['id|Latitude|Longitude', '1|175.31|-37.8', '2|175.32|-37.9'])
    expect(table.withoutPoints!.lonLat).toEqual(['Latitude', 'Longitude'])
  })
})

describe('east and north', () => {
  test.each([
    ['Easting', 'Northing'],
    ['NZTM_E', 'NZTM_N'],
    ['Rechtswert', 'Hochwert'],
    ['E', 'N'],
    ['X', 'Y'],
  ])('are known as %s and %s, in a system that is not said', async (x, y) => {
    const table = await open([`id|${x}|${y}`, '1|1805123.5|5815321', '2|1,805,200.25|5,815,400'])
    expect(table.hasGeometry).toBe(true)
    expect(table.crs).toBeUndefined()
    expect(await shapes(table)).toEqual(points([1805123.5, 5815321], [1805200.25, 5815400]))
  })
})

const square = 'POLYGON ((175 -38, 176 -38, 176 -37, 175 -38))'
const ring = [
  [
    [175, -38],
    [176, -38],
    [176, -37],
    [175, -38],
  ],
]

describe('a column of text', () => {
  test.each([
    ['well-known text', square],
    ['GeoJSON', JSON.stringify({ type: 'Polygon', coordinates: ring })],
    [
      'a GeoJSON feature',
      JSON.stringify({ type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: ring } }),
    ],
  ])('holds boundaries as %s', async (_, text) => {
    const table = await open(['id|place', `1|"${text.replaceAll('"', '""')}"`, '2|'])
    expect(decided(table, 'geometry')).toBe('place')
    expect(table.crs).toEqual({ from: 'columns', text: 'EPSG:4326' })
    expect(await shapes(table)).toEqual([{ type: 'Polygon', coordinates: ring }, null])
  })

  test('contains well-known binary in hexadecimal digits, with its system', async () => {
    const table = await open(['id|geom', '1|010100002091080000000000000000F03F0000000000000040'])
    expect(table.crs?.text).toBe('EPSG:2193')
    expect(await shapes(table)).toEqual(points([1, 2]))
  })

  test('says its system in front, and a cell in another one is an error', async () => {
    const table = await open([
      'id|geom',
      '1|SRID=2193;POINT (1800000 5800000)',
      '2|SRID=2193;POINT (1 2)',
      '3|SRID=4326;POINT (1 2)',
    ])
    expect(table.crs?.text).toBe('EPSG:2193')
    const rows = await rowsOf(table)
    expect(rows.map(({ problems = [] }) => problems.map(({ code }) => code))).toEqual([[], [], ['geometry-unreadable']])
  })

  test('is GeoJSON that states its system, as PostGIS writes it', async () => {
    const cell = (code: number): string =>
      `{"type":"Point","crs":{"type":"name","properties":{"name":"EPSG:${code}"}},"coordinates":[175.5,-38]}`
    const table = await open(['id|geom', `1|${cell(4272)}`, `2|${cell(4272)}`, `3|${cell(4326)}`])
    expect(table.crs).toEqual({ from: 'columns', text: 'EPSG:4272' })
    const rows = await rowsOf(table)
    expect(rows.map(({ problems = [] }) => problems.map(({ code }) => code))).toEqual([[], [], ['geometry-unreadable']])
  })

  test('in metres has no system', async () => {
    const table = await open(['id|wkt', '1|POINT (1800000 5800000)'])
    expect(table).toMatchObject({ hasGeometry: true })
    expect(table.crs).toBeUndefined()
  })

  test('with a broken cell is an error of its row', async () => {
    const rows = await rowsOf(await open(['id|wkt', `1|${square}`, '2|POLYGON ((175 -38, 176']))
    expect(rows[1]).toMatchObject({ shape: null, problems: [{ code: 'geometry-unreadable', column: 'wkt' }] })
    expect(rows[1]!.problems![0]!.message).toContain('ends too early')
  })

  test('with boundaries is taken before one with points, which is named', async () => {
    const table = await open(['id|centroid|outline', `1|POINT (175 -38)|${square}`])
    expect(table.choices.find(({ setting }) => setting === 'from.geometry')).toMatchObject({
      value: 'outline',
      others: [{ value: 'centroid' }],
    })
  })

  test('whose name is a text that got into the header does not fill the messages', async () => {
    const name = 'x'.repeat(10_000)
    const table = await open([`${name}|${name}`, `${square}|${square}`, `${square}|`])
    const messages = [...table.found(), ...(await rowsOf(table)).flatMap(({ problems = [] }) => problems)]
    expect(messages.length).toBeGreaterThan(1)
    for (const { message } of messages) expect(message.length).toBeLessThan(500)
  })

  test('called WKT that holds words is none', async () => {
    expect((await open(['id|WKT', '1|LOC', '2|BAY'])).hasGeometry).toBe(false)
  })
})

describe('the options', () => {
  const lines = ['id|lon|lat|east|north', '1|175.31|-37.79|1805123|5815321']

  test('forbid geometry', async () => {
    const table = await open(lines, { geometry: 'none' })
    expect(table.hasGeometry).toBe(false)
    expect((await rowsOf(table))[0]).not.toHaveProperty('shape')
  })

  test('name other columns', async () => {
    const table = await open(lines, { x: 'east', y: 'north' })
    expect(await shapes(table)).toEqual(points([1805123, 5815321]))
    expect(table.crs).toBeUndefined()
  })

  test('stay as the option sets them in a file with exchanged columns', async () => {
    const table = await open(['id|lat|lon', '1|175.3|-37.7'], { x: 'lon', y: 'lat' })
    expect((await rowsOf(table))[0]!.problems).toMatchObject([{ code: 'coordinate-out-of-range' }])
    expect(await shapes(await open(['id|lat|lon', '1|175.3|-37.7'], { x: 'lat', y: 'lon' }))).toEqual(
      points([175.3, -37.7]),
    )
  })

  test.each([
    [{ x: 'lon' }, 'option-invalid'],
    [{ x: 'lon', y: 'latitude' }, 'column-missing'],
    [{ geometry: 'wkt' }, 'column-missing'],
  ])('%j is refused: %s', async (options, code) => {
    await expect(open(lines, options)).rejects.toMatchObject({ code })
  })
})
