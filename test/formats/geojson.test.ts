import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Row, Table } from '../../src/core/row.ts'
import { geoJsonFromShape, shapeFromGeoJson, type Geometry } from '../../src/core/shapes/shape-geojson.ts'
import type { Shape } from '../../src/core/shape.ts'
import type { Source } from '../../src/core/sources/source.ts'
import { geojson } from '../../src/formats/geojson.ts'
import { memoryTarget, only, outTable, rowsOf, sourceOf } from './fixtures.ts'

async function openText(text: string | Uint8Array, name = 'paddocks.geojson'): Promise<Table> {
  return only(await geojson.open!(sourceOf(name, text), {}))
}

async function read(text: string | Uint8Array, name?: string): Promise<Row[]> {
  return rowsOf(await openText(text, name))
}

const codes = (row: Row | undefined): readonly string[] => (row?.problems ?? []).map(({ code }) => code)
const point = (x: number): string => `{"type":"Point","coordinates":[${x},-38]}`
const feature = (x: number, more = ''): string =>
  `{"type":"Feature",${more}"properties":{"name":"Ōtāne ${x}"},"geometry":${point(x)}}`
const collection = (...features: string[]): string => `{"type":"FeatureCollection","features":[${features.join(',')}]}`
const firstX = (row: Row): number | undefined => row.shape?.coordinates[0]

test('an id of 18 digits keeps them all, as text', async () => {
  const numbered = (id: string): string =>
    `{"type":"Feature","id":${id},"properties":{"nait":${id}},"geometry":${point(1)}}`
  const rows = await read(collection(numbered('982123456789012345'), numbered('982123456789012346')))
  expect(rows.map(({ values }) => values)).toEqual([
    { nait: '982123456789012345', id: '982123456789012345' },
    { nait: '982123456789012346', id: '982123456789012346' },
  ])
})

test('a feature that says only behind a list of features that it is one is not read as that list without a word', async () => {
  const table = await openText(`{"features":[${feature(1)}],"geometry":${point(7)},"type":"Feature"}`)
  await rowsOf(table)
  expect(table.found()).toMatchObject([{ code: 'file-inconsistent', severity: 'error' }])
})

test('features whose letters cannot be those of Windows-1252 are refused', async () => {
  const text = collection(
    feature(1),
    `{"type":"Feature","properties":{"name":"\xcf\xee\xeb\xe5"},"geometry":${point(2)}}`,
  )
  await expect(read(Buffer.from(text.replaceAll('Ō', 'O').replaceAll('ā', 'a'), 'latin1'))).rejects.toMatchObject({
    code: 'encoding-unknown',
  })
})

test('a second list of features is reported', async () => {
  const table = await openText(collection(feature(1)).replace(/}$/, `,"features":[${feature(2)},${feature(3)}]}`))
  expect(await rowsOf(table)).toHaveLength(1)
  expect(table.found()).toMatchObject([
    { code: 'file-inconsistent', severity: 'error', message: expect.stringContaining('2 features') },
  ])
})

describe('what GeoJSON may look like', () => {
  test.each([
    ['a collection', collection(feature(1), feature(2)), [1, 2]],
    ['a collection over many lines', JSON.stringify(JSON.parse(collection(feature(1), feature(2))), null, 2), [1, 2]],
    [
      'a collection with other members around',
      `{"bbox":[1,2],"x":{"features":[1]},"features": [${feature(1)}] ,"type":"FeatureCollection"}`,
      [1],
    ],
    ['a bare list of features', `\ufeff [${feature(1)},\n${feature(2)}]\n`, [1, 2]],
    ['a feature', feature(7), [7]],
    ['a bare geometry', point(7), [7]],
    ['features one a line', `${feature(1)}\n${feature(2)}\n\n${feature(3)}`, [1, 2, 3]],
    ['features one a line, Windows line ends', `${feature(1)}\r\n${feature(2)}\r\n`, [1, 2]],
    ['record separators', `\x1e${feature(1)}\n\x1e${feature(2)}\n`, [1, 2]],
    [
      'record separators over many lines',
      `\x1e${JSON.stringify(JSON.parse(feature(1)), null, 1)}\n\x1e${feature(2)}`,
      [1, 2],
    ],
    ['features one behind another', `${JSON.stringify(JSON.parse(feature(1)), null, 1)}\n${feature(2)}`, [1, 2]],
    ['a feature with a list of features, type first', feature(7, '"features":[],'), [7]],
    ['a feature with a list of features, type last', `{"features":[ ],"geometry":${point(7)},"type":"Feature"}`, [7]],
    ['a feature with a list of features in it', feature(7, `"features":[${feature(1)}],`), [7]],
    ['a geometry with a list of features', `{"type":"Point","features":[],"coordinates":[7,-38]}`, [7]],
    [
      'a feature with a list of features, one a line',
      `${feature(1, '"features":[],')}\n${feature(2, '"features":[],')}\n`,
      [1, 2],
    ],
    [
      'a collection with a geometry',
      `{"geometry":${point(9)},"type":"FeatureCollection","features":[${feature(1)}],"properties":{}}`,
      [1],
    ],
    ['an empty collection', collection(), []],
    ['a collection of nothing but blanks', '{"type":"FeatureCollection","features":[ \n ]}', []],
  ])('%s', async (_, text, expected) => {
    const table = await openText(text)
    const rows = await rowsOf(table)
    expect(rows.map(firstX)).toEqual(expected)
    expect(rows.map(({ at }) => at.row)).toEqual(expected.map((_x, index) => index))
    expect(rows.flatMap(({ problems }) => problems ?? [])).toEqual([])
    expect(table.found()).toEqual([])
    expect(table).toMatchObject({ format: 'geojson', hasGeometry: true, crs: { from: 'format', text: 'OGC:CRS84' } })
  })

  test('brackets, quotes and delimiters inside text are text', async () => {
    const name = 'a ] } [ { , "quoted" \\ \n \x1e ā'
    const text = collection(
      JSON.stringify({ type: 'Feature', properties: { name, '"features"': '[' }, geometry: null }),
      feature(2),
    )
    expect((await read(text)).map(({ values }) => values.name)).toEqual([name, 'Ōtāne 2'])
  })

  test('properties stay as they are, and the id becomes a column where there is none', async () => {
    const [one, two, three] = await read(
      collection(
        '{"type":"Feature","id":"007","properties":{"crop":{"name":"Rye"},"tags":[1,null]},"geometry":null}',
        '{"type":"Feature","id":8,"properties":{"id":"own","__proto__":{"x":1}},"geometry":null}',
        '{"type":"Feature","properties":null,"geometry":null}',
      ),
    )
    expect(one!.values).toEqual({ crop: { name: 'Rye' }, tags: [1, null], id: '007' })
    expect(one!.shape).toBeNull()
    expect(two!.values.id).toBe('own')
    expect(Object.getPrototypeOf(two!.values)).toBe(Object.prototype)
    expect(Object.keys(two!.values)).toContain('__proto__')
    expect(three!.values).toEqual({})
  })

  test('a collection of geometries with one on each line is one row, not a sequence', async () => {
    const lines = ['{"type":"GeometryCollection", "geometries": [', `${point(1)},`, point(2), ']}']
    const rows = await read(lines.join('\n'))
    expect(rows).toHaveLength(1)
    expect(rows[0]!.shape!.members).toHaveLength(2)
  })

  test('features on separate lines with commas between are rows', async () => {
    const lines = [1, 2].map((at) => `{"type":"Feature","properties":{"at":${at}},"geometry":${point(at)}}`)
    expect((await read(lines.join(',\n'))).map(({ values }) => values.at)).toEqual([1, 2])
  })

  test('collections of geometries keep their members, and heights are kept', async () => {
    const [row] = await read(
      `{"type":"GeometryCollection","geometries":[${point(1)},{"type":"Point","coordinates":[2,3,4]}]}`,
    )
    expect(row!.shape).toMatchObject({ kind: 'GeometryCollection', members: [{ kind: 'Point' }, { kind: 'Point' }] })
    expect(row!.shape!.members![1]!.z).toEqual(Float64Array.of(4))
  })
})

describe('the coordinate system', () => {
  const named = '"crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::2193"}}'
  const padding = `"note":"${'x'.repeat(100_000)}"`

  test.each([
    ['before the features', `{"type":"FeatureCollection",${named},"features":[${feature(1)}]}`],
    ['after the features', `{"type":"FeatureCollection","features":[${feature(1)}],${named}, "x": {"y": [1]}}\n`],
    ['on a feature alone', feature(1, `${named},`)],
  ])('is read %s', async (_, text) => {
    const table = await openText(text)
    expect(table.crs).toEqual({ from: 'crs member', text: 'urn:ogc:def:crs:EPSG::2193' })
    await rowsOf(table)
    expect(table.found()).toEqual([])
  })

  test('as an old EPSG number', async () => {
    const table = await openText(`{"crs":{"type":"EPSG","properties":{"code":2193}},"features":[]}`)
    expect(table.crs?.text).toBe('EPSG:2193')
  })

  test('in the properties of the last feature, or as null, is none', async () => {
    const text = `{"type":"FeatureCollection","crs":null,"features":[{"type":"Feature","geometry":null,"properties":{${named}}}]}`
    expect((await openText(text)).crs?.from).toBe('format')
  })

  const pointIn = (crs: string): string => `{"type":"Point",${crs}"coordinates":[175.5,-38]}`
  const epsg = (code: number): string => `"crs":{"type":"name","properties":{"name":"EPSG:${code}"}},`
  const featureIn = (inGeometry: string, own = ''): string =>
    `{"type":"Feature",${own}"properties":{},"geometry":${pointIn(inGeometry)}}`

  test.each([
    ['a geometry, as PostGIS writes it', `{"type":"FeatureCollection","features":[${featureIn(epsg(4272))}]}`],
    ['a feature', `{"type":"FeatureCollection","features":[${featureIn('', epsg(4272))}]}`],
    [
      'one behind a feature without a geometry',
      `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":null},${featureIn(epsg(4272))}]}`,
    ],
    ['a line', `${featureIn(epsg(4272))}\n${featureIn(epsg(4272))}`],
    ['a single geometry', pointIn(epsg(4272))],
  ])('the system is that of %s', async (_, text) => {
    const table = await openText(text)
    expect(table.crs).toEqual({ from: 'crs member', text: 'EPSG:4272' })
    expect((await rowsOf(table)).flatMap((row) => row.problems ?? [])).toEqual([])
  })

  test('a feature in another system than the file is a problem of its row', async () => {
    const features = [featureIn(''), featureIn(epsg(4326)), featureIn(epsg(4272))]
    const rows = await rowsOf(await openText(`{"type":"FeatureCollection","features":[${features.join()}]}`))
    expect(rows.map(({ problems }) => problems)).toMatchObject([
      undefined,
      undefined,
      [{ code: 'file-inconsistent', severity: 'error', value: 'EPSG:4272' }],
    ])
  })

  test('that is met too late is an error of the file, not silence', async () => {
    const table = await openText(`{"type":"FeatureCollection","features":[${feature(1)}],${named},${padding}}`)
    expect(table.crs?.from).toBe('format')
    await rowsOf(table)
    expect(table.found()).toMatchObject([
      { code: 'file-inconsistent', severity: 'error', value: 'urn:ogc:def:crs:EPSG::2193' },
    ])
  })
})

describe('features gone wrong', () => {
  test('NaN for a number and a comma too many are read, and reported once', async () => {
    const table = await openText(
      `{"type":"FeatureCollection","features":[
        {"type":"Feature","properties":{"name":"NaN, ]","area":NaN,"low":-Infinity},"geometry":${point(1)}},
        {"type":"Feature","properties":{"name":"a \\"b,}","area":2,},"geometry":${point(2)}},]}`,
    )
    const rows = await rowsOf(table)
    expect(rows.map(({ values }) => values)).toEqual([
      { name: 'NaN, ]', area: null, low: null },
      { name: 'a "b,}', area: 2 },
    ])
    expect(rows.map(({ shape }) => shape?.kind)).toEqual(['Point', 'Point'])
    expect(table.found()).toMatchObject([{ code: 'text-repaired', severity: 'note', at: { row: 0 } }])
  })

  test.each([
    ['broken JSON', '{"type":"Feature","properties":{"name":Top},"geometry":null}', 'row-unreadable'],
    ['null instead of a feature', 'null', 'row-unreadable'],
    ['a number', '12', 'row-unreadable'],
    ['a text', '"Feature ] }"', 'row-unreadable'],
    ['a list', '[1,2]', 'row-unreadable'],
    ['another type', '{"type":"Paddock","properties":{}}', 'row-unreadable'],
    ['properties that are a list', '{"type":"Feature","properties":[1],"geometry":null}', 'row-unreadable'],
    [
      'no such geometry',
      '{"type":"Feature","properties":{},"geometry":{"type":"Circle","coordinates":[1,2]}}',
      'geometry-wrong-type',
    ],
    ['a geometry that is text', '{"type":"Feature","properties":{},"geometry":"POINT (1 2)"}', 'geometry-wrong-type'],
    [
      'a coordinate that is text',
      '{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":["1",2]}}',
      'coordinate-not-a-number',
    ],
    [
      'nesting without end',
      `{"type":"Feature","geometry":null,"properties":{"a":${'['.repeat(5000)}${']'.repeat(5000)}}}`,
      'row-unreadable',
    ],
  ])('%s is a problem of its row, and the next is read', async (_, broken, code) => {
    for (const [text, name] of [
      [collection(feature(1), broken, feature(3)), 'a.geojson'],
      [[feature(1), broken, feature(3)].join('\n'), 'a.ndjson'],
      [[feature(1), broken, feature(3)].map((each) => `\x1e${each}\n`).join(''), 'a.geojsons'],
    ] as const) {
      const rows = await read(text, name)
      expect(rows.map(codes)).toEqual([[], [code], []])
      expect(rows.map(({ at }) => at.row)).toEqual([0, 1, 2])
      expect(rows[1]!.problems![0]!.message.length).toBeLessThan(200)
    }
  })

  test('a line that is cut off does not spoil the next', async () => {
    expect((await read(`${feature(1)}\n${feature(2).slice(0, -9)}\n${feature(3)}\n`)).map(codes)).toEqual([
      [],
      ['row-unreadable'],
      [],
    ])
  })

  test.each([
    ['in a feature', collection(feature(1), feature(2)).slice(0, -10), [[], ['row-unreadable']]],
    ['after a feature', collection(feature(1), feature(2)).slice(0, -2), [[], []]],
    ['in the last line', `${feature(1)}\n${feature(2).slice(0, -10)}`, [[], ['row-unreadable']]],
  ])('a file cut off %s says so', async (_, text, expected) => {
    const table = await openText(text)
    expect((await rowsOf(table)).map(codes)).toEqual(expected)
    expect(table.found()).toMatchObject([{ code: 'file-truncated', severity: 'error' }])
  })

  test.each([
    ['ArcGIS', 'error', '"properties":{"exceededTransferLimit":true}'],
    ['ArcGIS before', 'error', '"exceededTransferLimit":true'],
    ['a WFS', 'error', '"totalFeatures":900,"numberMatched":900,"numberReturned":2'],
    ['an OGC API', 'warning', '"links":[{"rel":"next","href":"https://farm.example/items?offset=2"}]'],
  ])('a page of several, as %s gives it, says so', async (_, severity, member) => {
    const table = await openText(`{"type":"FeatureCollection","features":[${feature(1)},${feature(2)}],${member}}`)
    expect(await rowsOf(table)).toHaveLength(2)
    expect(table.found()).toMatchObject([{ code: 'file-truncated', severity }])
  })

  test.each([
    ['"numberMatched":2,"numberReturned":2,"links":[{"rel":"self"},null]'],
    ['"exceededTransferLimit":false,"properties":null,"numberMatched":"unknown"'],
  ])('the whole says nothing with %s', async (member) => {
    const table = await openText(`{"type":"FeatureCollection","features":[${feature(1)},${feature(2)}],${member}}`)
    await rowsOf(table)
    expect(table.found()).toEqual([])
  })

  test('a hundred thousand brackets are refused with a message, wherever they are', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    await expect(openText(deep)).rejects.toMatchObject({ name: 'WindrowError', code: 'file-damaged' })
    expect((await read(`{"a":${deep},"features":[${feature(1)}]}`)).map(codes)).toEqual([[]])
    expect((await read(`{"type":"Feature","properties":{"a":${deep}},"geometry":null}`)).map(codes)).toEqual([
      ['row-unreadable'],
    ])
    expect((await read(collection(feature(1), `{"type":"Feature","geometry":${deep}}`))).map(codes)).toEqual([
      [],
      ['row-unreadable'],
    ])
  })

  test('a name twice takes the last, as everywhere', async () => {
    const [row] = await read('{"type":"Feature","properties":{"a":1,"a":2},"geometry":null,"geometry":null}')
    expect(row!.values).toEqual({ a: 2 })
  })

  test.each([
    ['', ''],
    [' behind a byte order mark', '\xef\xbb\xbf'],
  ])('text that is not UTF-8%s is read as Windows-1252, and reported once', async (_, mark) => {
    const features = collection(
      '{"type":"Feature","properties":{"n":"S\xfcd"},"geometry":null}',
      '{"type":"Feature","properties":{"n":"\xc9"},"geometry":null}',
    )
    const table = await openText(Buffer.from(mark + features, 'latin1'))
    expect((await rowsOf(table)).map(({ values }) => values.n)).toEqual(['Süd', 'É'])
    expect(table.found()).toMatchObject([{ code: 'encoding-guessed', at: { row: 0 } }])
  })

  test.each([
    ['', 'file-empty'],
    [' \n ', 'file-empty'],
    ['hello', 'file-damaged'],
    ['[1,2]', 'file-damaged'],
    ['{"type":"FeatureCollection","fea', 'file-damaged'],
    ['{"type":"FeatureCollection" "features":[]}', 'file-damaged'],
    ['{"type":"Topology","objects":{}}', 'format-unknown'],
    ['{"geometryType":"esriGeometryPolygon","features":[]}', 'format-unknown'],
    ['{"name":"Rimu Farm"}', 'format-unknown'],
    ['{"data":{"type":"FeatureCollection","features":[]}}', 'format-unknown'],
  ])('%j is refused: %s', async (text, code) => {
    await expect(openText(text)).rejects.toMatchObject({ name: 'WindrowError', code })
  })

  test.each([
    ['a bracket too many', `{"type":"FeatureCollection","features":[${feature(1)}},${feature(2)}]}`],
    ['something behind the end', `${collection(feature(1))} and so on`],
  ])('%s lets the file be opened, and stops the run where it is met', async (_, text) => {
    const table = await openText(text)
    await expect(rowsOf(table)).rejects.toMatchObject({ code: 'file-damaged', data: { byte: expect.any(Number) } })
  })

  test('a bracket that is never closed does not fill the memory', async () => {
    const endless: Source = {
      ...sourceOf('endless.geojson', `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"a":[`),
      async *stream() {
        yield Buffer.from(`{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"a":[`)
        for (;;) yield Buffer.alloc(1 << 20, '1,')
      },
    }
    const table = only(await geojson.open!(endless, {}))
    await expect(rowsOf(table)).rejects.toMatchObject({ code: 'file-too-large' })
  })
})

describe('writing GeoJSON', () => {
  const columns = [{ name: 'id' }, { name: 'name' }]
  const shape = shapeFromGeoJson({
    type: 'Polygon',
    coordinates: [
      [
        [1, 2],
        [3, 4],
        [5, 6],
        [1, 2],
      ],
    ],
  }) as Shape

  async function write(rows: Parameters<typeof outTable>[0], name = 'out.geojson'): Promise<string> {
    const target = memoryTarget(name)
    const written = await geojson.write!([outTable(rows, { columns, hasGeometry: true })], target, {})
    expect(written).toMatchObject({ rows: { Paddocks: rows.length } })
    return target.text()
  }

  test('coordinates have as many decimals as asked for, and values are written as they are', async () => {
    const target = memoryTarget('out.ndjson')
    const at = { kind: 'Point', coordinates: Float64Array.of(175.123456789, -38.5), ends: [], parts: [] } as const
    const values = { id: '7"', name: 'Tūī\n\u0007', area: 1.123456789 }
    const table = outTable([{ values, shape: at }], { columns: [...columns, { name: 'area' }], hasGeometry: true })
    await geojson.write!([table], target, { decimals: 6 })
    expect(JSON.parse(target.text())).toEqual({
      type: 'Feature',
      properties: values,
      geometry: { type: 'Point', coordinates: [175.123457, -38.5] },
    })
  })

  test('a collection has one feature a line and no crs member', async () => {
    const text = await write([
      { values: { id: '007', name: 'Ōtāne' }, shape },
      { values: { id: null }, shape: null },
    ])
    expect(JSON.parse(text)).toEqual({
      type: 'FeatureCollection',
      features: [
        { type: 'Feature', properties: { id: '007', name: 'Ōtāne' }, geometry: geoJsonFromShape(shape) },
        { type: 'Feature', properties: { id: null }, geometry: null },
      ],
    })
    expect(text.trimEnd().split('\n')).toHaveLength(4)
    expect(JSON.parse(await write([]))).toEqual({ type: 'FeatureCollection', features: [] })
  })

  test.each([
    ['out.ndjson', /^\{.*\}\n\{.*\}\n$/],
    ['out.geojsonl', /^\{.*\}\n\{.*\}\n$/],
    ['out.geojsons', /^\x1e\{.*\}\n\x1e\{.*\}\n$/],
  ])('%s is a sequence', async (name, form) => {
    expect(await write([{ values: { id: 1 } }, { values: { id: 2 } }], name)).toMatch(form)
    expect(await write([], name)).toBe('')
  })

  test('coordinates that are not numbers are left out with a note', async () => {
    const target = memoryTarget('out.geojson')
    const bad = { ...shape, coordinates: shape.coordinates.map(() => Number.POSITIVE_INFINITY) }
    const { notes } = await geojson.write!(
      [outTable([{ values: {}, shape: bad }], { columns, hasGeometry: true })],
      target,
      {},
    )
    expect(notes).toHaveLength(1)
    expect(JSON.parse(target.text()).features[0].geometry).toBeNull()
  })

  test('another coordinate system is refused', async () => {
    const projected = outTable([], {
      columns,
      hasGeometry: true,
      crs: { from: '.prj', text: 'PROJCS["NZGD2000 / New Zealand Transverse Mercator 2000"]' },
    })
    await expect(geojson.write!([projected], memoryTarget('a.geojson'), {})).rejects.toMatchObject({
      code: 'format-cannot-write',
    })
  })

  test('what is written is read as it was, in every layout', async () => {
    const number = fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .map((value) => (Object.is(value, -0) ? 0 : value))
    const position = fc.tuple(number, number)
    const ring = fc.array(position, { minLength: 4, maxLength: 6 })
    const polygon = fc.array(ring, { minLength: 1, maxLength: 3 })
    const geometry: fc.Arbitrary<Geometry | null> = fc.oneof(
      position.map((coordinates) => ({ type: 'Point' as const, coordinates })),
      ring.map((coordinates) => ({ type: 'LineString' as const, coordinates })),
      polygon.map((coordinates) => ({ type: 'Polygon' as const, coordinates })),
      fc
        .array(polygon, { minLength: 1, maxLength: 3 })
        .map((coordinates) => ({ type: 'MultiPolygon' as const, coordinates })),
      fc.constant(null),
    )
    const value = fc.jsonValue({ maxDepth: 2 }).map((each) => JSON.parse(JSON.stringify(each)) as typeof each)
    const row = fc.record({ id: fc.string({ unit: 'grapheme' }), name: value, geometry })
    const name = fc.constantFrom('a.geojson', 'a.ndjson', 'a.geojsons')
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 8 }), name, async (given, fileName) => {
        const rows = given.map(({ geometry: each, ...values }) => ({
          values: values as Row['values'],
          shape: each === null ? null : (shapeFromGeoJson(each) as Shape),
        }))
        const back = await read(await write(rows, fileName), fileName)
        expect(back.map(({ values, shape: own }) => ({ values, shape: own }))).toEqual(rows)
      }),
    )
  })
})

test('a boundary in another member does not count as missing', async () => {
  const place =
    '{"type":"Feature","properties":{"name":"Rāhui"},"geometry":null,"place":{"type":"Point","coordinates":[1,2]}}'
  const [row] = await read(collection(place))
  expect(row!.problems).toMatchObject([{ code: 'geometry-wrong-type', severity: 'error' }])
  expect(row!.problems![0]!.message).toContain('"place"')
  const placeless = '{"type":"Feature","properties":{},"geometry":null,"place":{"town":"Rimu"}}'
  expect(codes((await read(collection(placeless)))[0])).toEqual([])
})

test.each([
  ['two boundaries', `"geometry":${point(1)},"geometry":${point(2)}`, 'two members "geometry"'],
  ['a boundary and none', `"geometry":${point(1)},"geometry":null`, 'two members "geometry"'],
  ['two lists', '"geometry":{"type":"Point","coordinates":[1,2],"coordinates":[2,3]}', 'two members "coordinates"'],
])('a feature with %s is a problem of its row', async (_, members, message) => {
  const text = `{"type":"Feature","properties":{"geometry":"a \\" {","name":"Rāhui"},${members}}`
  const rows = await read(collection(feature(1), text))
  expect(rows.map(codes)).toEqual([[], ['geometry-wrong-type']])
  expect(rows[1]).toMatchObject({ values: { name: 'Rāhui' }, shape: null })
  expect(rows[1]!.problems![0]!.message).toContain(message)
})

describe('a property called coordinates is not a boundary', () => {
  test.each([
    ['before the geometry', `{"type":"Feature","properties":{"coordinates":[9,9]},"geometry":${point(1)}}`, 1],
    ['after the geometry', `{"type":"Feature","geometry":${point(1)},"properties":{"coordinates":[9,9]}}`, 1],
    ['with no geometry', `{"type":"Feature","geometry":null,"properties":{"coordinates":[9,9]}}`, undefined],
    ['as a foreign member', `{"type":"Feature","geometry":${point(1)},"properties":{},"coordinates":[9,9]}`, 1],
  ])('%s', async (_, text, x) => {
    const [row] = await read(collection(text))
    expect(firstX(row!)).toBe(x)
    expect(codes(row)).toEqual([])
  })
})

test('coordinates of another depth than the type are a problem of that row alone', async () => {
  const wrong =
    '{"type":"Feature","properties":{"name":"Rāhui"},"geometry":{"type":"Polygon","coordinates":[[175,-38],[175,-37]]}}'
  const rows = await read(collection(feature(1), wrong, feature(2)))
  expect(rows.map(codes)).toEqual([[], ['geometry-wrong-type'], []])
  expect(rows[1]!.values).toEqual({ name: 'Rāhui' })
})
