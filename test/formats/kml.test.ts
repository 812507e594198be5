import { describe, expect, test } from 'vitest'
import type { Row, Table } from '../../src/core/row.ts'
import { geoJsonFromShape } from '../../src/core/shapes/shape-geojson.ts'
import { kml } from '../../src/formats/kml.ts'
import { openFile } from '../../src/formats/index.ts'
import { zipBytes } from '../core/zip-bytes.ts'
import { decidedBy, only, recogniseFormat, rowsOf, sourceOf } from './fixtures.ts'
import { expectQuick } from '../processor-time.ts'

const documentOf = (inside: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>Rimu</name>${inside}</Document></kml>`
const placemark = (inside: string): string => `<Placemark>${inside}</Placemark>`
const point = '<Point><coordinates>175,-38</coordinates></Point>'
const ring = (text: string): string => `<LinearRing><coordinates>${text}</coordinates></LinearRing>`
const outer = (text: string): string => `<outerBoundaryIs>${ring(text)}</outerBoundaryIs>`
const inner = (text: string): string => `<innerBoundaryIs>${ring(text)}</innerBoundaryIs>`
const large = '0,0 9,0 9,9 0,0'
const small = '5,1 6,1 6,2 5,1'
const largeRing = [[0, 0], [9, 0], [9, 9], [0, 0]] // oxfmt-ignore
const smallRing = [[5, 1], [6, 1], [6, 2], [5, 1]] // oxfmt-ignore

async function open(text: string | Uint8Array, name = 'farm.kml'): Promise<Table> {
  return only(await decidedBy(kml, sourceOf(name, text), {}))
}

async function read(inside: string): Promise<Row[]> {
  const table = await open(documentOf(inside))
  const rows = await rowsOf(table)
  expect(table.found()).toEqual([])
  return rows
}

async function readOne(inside: string): Promise<Row> {
  const rows = await read(placemark(inside))
  expect(rows).toHaveLength(1)
  return rows[0]!
}

describe('geometry', () => {
  const shapes: readonly (readonly [string, string, object])[] = [
    ['a point', point, { type: 'Point', coordinates: [175, -38] }],
    ['a line', '<LineString><coordinates>1,2 3,4</coordinates></LineString>', { type: 'LineString', coordinates: [[1, 2], [3, 4]] }],
    ['a ring alone', ring(small), { type: 'LineString', coordinates: smallRing }],
    ['a polygon with holes', `<Polygon>${outer(large)}${inner(small)}${inner(small)}</Polygon>`, { type: 'Polygon', coordinates: [largeRing, smallRing, smallRing] }],
    ['several rings in one inner boundary', `<Polygon>${outer(large)}<innerBoundaryIs>${ring(small)}${ring(small)}</innerBoundaryIs></Polygon>`, { type: 'Polygon', coordinates: [largeRing, smallRing, smallRing] }],
    ['holes before their outline', `<Polygon>${inner(small)}${outer(large)}</Polygon>`, { type: 'Polygon', coordinates: [largeRing, smallRing] }],
    ['two outlines in one polygon', `<Polygon>${outer(large)}${inner(small)}${outer(small)}</Polygon>`, { type: 'MultiPolygon', coordinates: [[largeRing, smallRing], [smallRing]] }],
    ['a point without end before a polygon', `<MultiGeometry><Point><coordinates>1,2</coordinates><Polygon>${outer(large)}</Polygon></MultiGeometry>`, { type: 'GeometryCollection', geometries: [{ type: 'Polygon', coordinates: [largeRing] }, { type: 'Point', coordinates: [1, 2] }] }],
    ['a polygon beside a column that is called Point', `<ExtendedData><Point><coordinates>1,2</coordinates></Point></ExtendedData><Polygon>${outer(large)}</Polygon>`, { type: 'Polygon', coordinates: [largeRing] }],
    ['polygons in folds', `<MultiGeometry><MultiGeometry><Polygon>${outer(large)}</Polygon></MultiGeometry><Polygon>${outer(small)}</Polygon></MultiGeometry>`, { type: 'MultiPolygon', coordinates: [[largeRing], [smallRing]] }],
    ['one polygon in a fold', `<MultiGeometry><Polygon>${outer(large)}</Polygon></MultiGeometry>`, { type: 'Polygon', coordinates: [largeRing] }],
    ['points', `<MultiGeometry>${point}${point}</MultiGeometry>`, { type: 'MultiPoint', coordinates: [[175, -38], [175, -38]] }],
    ['a polygon and its label', `<MultiGeometry>${point}<Polygon>${outer(large)}</Polygon></MultiGeometry>`, { type: 'GeometryCollection', geometries: [{ type: 'Polygon', coordinates: [largeRing] }, { type: 'Point', coordinates: [175, -38] }] }],
    ['a track', '<gx:Track><when>2026-01-01</when><gx:coord>1 2 3</gx:coord><gx:coord>4 5 6</gx:coord></gx:Track>', { type: 'LineString', coordinates: [[1, 2, 3], [4, 5, 6]] }],
    ['tracks', '<gx:MultiTrack><gx:Track><gx:coord>1 2</gx:coord><gx:coord>4 5</gx:coord></gx:Track><gx:Track><gx:coord>6 7</gx:coord><gx:coord>8 9</gx:coord></gx:Track></gx:MultiTrack>', { type: 'MultiLineString', coordinates: [[[1, 2], [4, 5]], [[6, 7], [8, 9]]] }],
  ] // oxfmt-ignore

  test.each(shapes)('%s is one row', async (_, inside, expected) => {
    const row = await readOne(inside)
    expect(row.problems).toBeUndefined()
    expect(geoJsonFromShape(row.shape!)).toEqual(expected)
  })

  test.each([
    ['with heights', '1,2,3 4,5,6', [[1, 2, 3], [4, 5, 6]]],
    ['with heights of nothing', '1,2,0 4,5,0.0', [[1, 2], [4, 5]]],
    ['with a height here and there', '1,2,3 4,5', [[1, 2], [4, 5]]],
    ['over many lines', '\n\t1,2\n\t\t4,5\n', [[1, 2], [4, 5]]],
    ['without any blank', '1,2,3,4,5,6,7,8,9', [[1, 2, 3], [4, 5, 6], [7, 8, 9]]],
    ['with blanks behind commas', '1, 2, 3 4 , 5 ,6', [[1, 2, 3], [4, 5, 6]]],
    ['with a comma behind each', '1,2, 4,5,', [[1, 2], [4, 5]]],
    ['with signs and exponents', '+1.5e1,-.25 -1,2.', [[15, -0.25], [-1, 2]]],
    ['with more digits than numbers have', '175.31264123456789012345,-37.7891100000000000000001 0.1,0.2', [[Number('175.31264123456789'), -37.78911], [0.1, 0.2]]],
  ])('coordinates %s', async (_, text, expected) => {
    const row = await readOne(`<LineString><coordinates>${text}</coordinates></LineString>`)
    expect(row.problems).toBeUndefined()
    expect(geoJsonFromShape(row.shape!)).toEqual({ type: 'LineString', coordinates: expected })
  }) // oxfmt-ignore

  test.each([
    ['too few numbers', '175 -38'],
    ['too many numbers', '1,2,3,4'],
    ['words', 'east,south'],
    ['no number', '1,NaN'],
    ['nothing between commas', '1,,3'],
  ])('coordinates with %s are a problem, and no half of a boundary is kept', async (_, text) => {
    const row = await readOne(`<MultiGeometry><Polygon>${outer(large)}</Polygon><LineString><coordinates>${text}</coordinates></LineString></MultiGeometry>`) // oxfmt-ignore
    expect(row.shape).toBeNull()
    expect(row.problems).toMatchObject([{ code: 'coordinate-not-a-number' }])
  })

  test.each([
    ['nothing', ''],
    ['no coordinates', '<Polygon></Polygon>'],
    ['blank coordinates', '<Point><coordinates> \n </coordinates></Point>'],
  ])('%s is no shape', async (_, inside) => {
    expect(await readOne(`<name>a</name>${inside}`)).toMatchObject({ shape: null, values: { name: 'a' } })
  })

  test.each([
    ['a model', '<Model><Link><href>barn.dae</href></Link></Model>', 'model'],
    ['holes without outline', `<Polygon>${inner(small)}</Polygon>`, 'outline'],
  ])('%s is named', async (_, inside, part) => {
    const row = await readOne(inside)
    expect(row.problems).toMatchObject([{ code: 'geometry-wrong-type', message: expect.stringContaining(part) }])
    expect(row.shape).toBeNull()
  })

  test('all faults are named, and coordinates outside of a geometry are one', async () => {
    const row = await readOne(`<coordinates>1,x</coordinates><Model/><Polygon>${inner('2,x')}${inner(small)}</Polygon>`)
    expect(row.problems).toMatchObject([
      { code: 'coordinate-not-a-number', value: '1,x' },
      { code: 'geometry-wrong-type', message: expect.stringContaining('model') },
      { code: 'geometry-wrong-type', message: expect.stringContaining('outline') },
    ])
    expect(row.shape).toBeNull()
  })
})

describe('columns', () => {
  test('27 fields are 27 columns of one row', async () => {
    const fields = Array.from({ length: 27 }, (_, index) => `<SimpleData name="field ${index}">${index}</SimpleData>`)
    const row = await readOne(`<ExtendedData><SchemaData schemaUrl="#x">${fields.join('')}</SchemaData></ExtendedData>`)
    expect(Object.keys(row.values)).toHaveLength(27)
    expect(row.values['field 26']).toBe('26')
  })

  test('a schema says what is a number, and zeros in front keep text', async () => {
    const fields = [['id', 'int', '007'], ['count', 'int', '7'], ['area', 'double', '3.50'], ['wet', 'bool', '1'], ['long', 'int', '123456789012345678'], ['name2', 'string', '7']] // oxfmt-ignore
    const schema = `<Schema id="s">${fields.map(([name, type]) => `<SimpleField type="${type}" name="${name}"/>`).join('')}</Schema>`
    const data = fields.map(([name, , value]) => `<SimpleData name='${name}'>${value}</SimpleData>`).join('')
    const [row] = await read(
      schema + placemark(`<ExtendedData><SchemaData schemaUrl="#s">${data}</SchemaData></ExtendedData>`),
    )
    expect(row!.values).toEqual({
      id: '007',
      count: 7,
      area: 3.5,
      wet: true,
      long: '123456789012345678',
      name2: '7',
    })
  })

  test('data, elements of other makers, times and texts', async () => {
    const row =
      await readOne(`<name> Rāhui </name><address>Hill Road</address><styleUrl>#red</styleUrl><TimeSpan><begin>2026-01</begin><end>2026-02</end></TimeSpan>
      <ExtendedData xmlns:farm="urn:farm"><Data name="crop"><displayName>Crop</displayName><value>Rye &amp; clover</value></Data><farm:stock>12</farm:stock></ExtendedData>
      <description>Steep</description>${point}`)
    expect(row.values).toEqual({
      name: 'Rāhui',
      crop: 'Rye & clover',
      stock: '12',
      description: 'Steep',
      address: 'Hill Road',
      begin: '2026-01',
      end: '2026-02',
    })
  })

  test('data named like an element of KML are a separate column, unless they are equal', async () => {
    const data = (name: string, value: string): string => `<Data name="${name}"><value>${value}</value></Data>`
    const row = await readOne(`<name>Top</name><ExtendedData>${data('name', 'Other')}${data('folder', '')}</ExtendedData>`) // oxfmt-ignore
    expect(row.values).toEqual({ name: 'Top', 'name (2)': 'Other', folder: '' })
    expect((await readOne(`<name>Top</name><ExtendedData>${data('name', 'Top')}</ExtendedData>`)).values).toEqual({
      name: 'Top',
    })
  })

  test('folders are a column, not rows', async () => {
    const rows = await read(
      `<Folder><name>North</name>${placemark(point)}<Folder><name>Hill</name>${placemark(point)}</Folder></Folder>${placemark(point)}`,
    )
    expect(rows.map(({ at, values }) => [at.row, values.folder])).toEqual([
      [1, 'North'],
      [2, 'North / Hill'],
      [3, undefined],
    ])
  })

  test('a name such as __proto__ is only a name', async () => {
    const row = await readOne('<ExtendedData><Data name="__proto__"><value>x</value></Data></ExtendedData>')
    expect(Object.getPrototypeOf(row.values)).toBe(Object.prototype)
    expect(Object.keys(row.values)).toEqual(['__proto__'])
  })

  describe('out of a description', () => {
    const page = (rows: string): string =>
      `<description><![CDATA[<html><head><style>td {}</style></head><body><table><tr><td><b>Top</b></td></tr><tr><td><table>${rows}</table></td></tr></table></body></html>]]></description>`
    const rowsText =
      '<tr bgcolor="#D4E4F3">\n<td>PADDOCK</td>\n\n<td>007</td>\n</tr><tr><td>Crop</td><td>Rye &amp; clover</td></tr><tr><td>Sown</td><td>&lt;Null&gt;</td></tr>'

    test('a table of two columns becomes columns, with a note', async () => {
      const table = await open(documentOf(placemark(`<name>Top</name>${page(rowsText)}${point}`)))
      const [row] = await rowsOf(table)
      expect(row!.values).toEqual({ name: 'Top', PADDOCK: '007', Crop: 'Rye & clover', Sown: '' })
      expect(table.found()).toMatchObject([{ code: 'description-read', severity: 'note' }])
    })

    test('unless there are data', async () => {
      const row = await readOne(`<ExtendedData><Data name="a"><value>1</value></Data></ExtendedData>${page(rowsText)}`)
      expect(row.values).toEqual({ a: '1' })
    })

    test.each([
      ['a table of three columns', '<table><tr><td>a</td><td>b</td><td>c</td></tr></table>', 'a b c'],
      ['a text with marks', 'Steep<br/>and <b>wet</b> &amp; cold', 'Steep\nand wet & cold'],
      ['a text that only looks like marks', 'slope < 5 and > 2', 'slope < 5 and > 2'],
    ])('%s stays text', async (_, html, expected) => {
      const row = await readOne(`<description><![CDATA[${html}]]></description>`)
      expect(row.values).toEqual({ description: expected })
    })
  })
})

test('many placemarks come in batches of some hundred rows', async () => {
  const { batches } = await open(documentOf(placemark(point).repeat(5000)))
  const sizes: number[] = []
  for await (const batch of batches()) sizes.push(batch.length)
  expect(sizes.reduce((sum, size) => sum + size)).toBe(5000)
  expect(Math.max(...sizes)).toBeLessThan(500)
})

describe('messy files', () => {
  test.each([
    ['a bare &', '<name>Smith & Sons</name>', 'Smith & Sons'],
    ['a bare <', '<name>slope < 5</name>', 'slope < 5'],
    ['entities', '<name>&#82;&#x101;hui&nbsp;&quot;1&quot; &unknown;</name>', 'Rāhui\u00a0"1" &unknown;'],
    ['a literal section', '<name><![CDATA[Smith & <Sons>]]></name>', 'Smith & <Sons>'],
    ['a letter in brackets', '<name><![CDATA[River <A>]]></name>', 'River <A>'],
    ['a link', '<name><![CDATA[<a href="x">River</a>]]></name>', 'River'],
    [
      'tags of a web page',
      '<name><![CDATA[<b>Smith</b> &amp; <font color="red">Sons</font><br/>2]]></name>',
      'Smith & Sons 2',
    ],
    ['a comment', '<name>To<!-- <name>no</name> -->p</name>', 'Top'],
    ['prefixes', '<kml:name>Top</kml:name>', 'Top'],
    ['prefixes that nobody declared', '<gx:drawOrder xsi:x="a > b">1</gx:drawOrder><name>Top</name>', 'Top'],
    ['an end without a beginning', '</Folder></b><name>Top</name>', 'Top'],
    ['blanks in tags', '<name\n>Top</name\t>', 'Top'],
  ])('%s', async (_, inside, name) => {
    expect((await readOne(inside + point)).values).toEqual({ name })
  })

  test('an element that is not closed ends with its placemark', async () => {
    const rows = await read(`${placemark(`<name>a<Style>${point}`)}${placemark(`<name>b</name>${point}`)}`)
    expect(rows).toHaveLength(2)
    expect(rows[1]!.values.name).toBe('b')
  })

  test('the same in pieces of any size', async () => {
    const text = documentOf(
      placemark(`<name>Smith & "<![CDATA[&amp;]]>" &amp; <!-- x --> Sons</name><Polygon>${outer(large)}</Polygon>`),
    )
    const whole = await rowsOf(await open(text))
    for (const size of [1, 2, 3, 7]) {
      const source = sourceOf('farm.kml', text)
      const pieces = {
        ...source,
        async *stream() {
          const bytes = Buffer.from(text)
          for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
        },
      }
      expect(await rowsOf(only(await decidedBy(kml, pieces, {})))).toEqual(whole)
    }
  })

  test('a file that was cut off gives the placemarks before the cut and a report', async () => {
    const table = await open(documentOf(placemark(point) + placemark(point)).slice(0, -60))
    expect(await rowsOf(table)).toHaveLength(1)
    expect(table.found()).toMatchObject([{ code: 'file-truncated', severity: 'error' }])
  })

  test.each([
    ['declared', '<?xml version="1.0" encoding="ISO-8859-1"?>', [], 'windows-1252'],
    ['declared wrongly', '<?xml version="1.0" encoding="UTF-8"?>', ['encoding-guessed'], 'windows-1252'],
    ['not declared', '', ['encoding-guessed'], 'windows-1252'],
  ])('text in Windows-1252, %s', async (_, head, codes, encoding) => {
    const table = await open(Buffer.from(`${head}<kml>${placemark('<name>S\xfcd</name>')}</kml>`, 'latin1'))
    expect((await rowsOf(table))[0]!.values.name).toBe('Süd')
    expect(table.found().map(({ code }) => code)).toEqual(codes)
    expect(table.choices).toMatchObject([{ setting: 'from.encoding', value: encoding }])
  })

  test('text in another alphabet is read as the file declares, and refused where it declares nothing', async () => {
    const text = `<kml>${placemark('<name>\xcf\xee\xeb\xe5</name>')}</kml>`
    const declared = await open(Buffer.from(`<?xml version="1.0" encoding="windows-1251"?>${text}`, 'latin1'))
    expect((await rowsOf(declared))[0]!.values.name).toBe('Поле')
    await expect(open(Buffer.from(text, 'latin1'))).rejects.toMatchObject({ code: 'encoding-unknown' })
  })

  test('UTF-8 that declares something else is read as UTF-8', async () => {
    const table = await open(
      `<?xml version="1.0" encoding="windows-1252"?><kml>${placemark('<name>Rāhui</name>')}</kml>`,
    )
    expect((await rowsOf(table))[0]!.values.name).toBe('Rāhui')
    expect(table.found()).toEqual([])
  })

  test('links, and pictures on the map, are reported', async () => {
    const link = '<NetworkLink><Link><href>https://farm.example/all.kml</href></Link></NetworkLink>'
    const picture = '<GroundOverlay><Icon><href>map.png</href></Icon></GroundOverlay>'
    const table = await open(documentOf(`${link}${picture}${placemark(point)}`))
    expect(await rowsOf(table)).toHaveLength(1)
    expect(table.found()).toMatchObject([
      { code: 'parts-left-out', severity: 'warning', value: 'https://farm.example/all.kml' },
      { code: 'parts-left-out', severity: 'note' },
    ])
    const empty = await open(documentOf(link))
    await rowsOf(empty)
    expect(empty.found()).toMatchObject([{ code: 'parts-left-out', severity: 'error' }])
  })
})

describe('hostile files', () => {
  test.each([
    ['entities of its own', '<!DOCTYPE kml [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><kml>&b;</kml>', 'archive-unsafe'],
    ['folders without end', `<kml>${'<Folder>'.repeat(100_000)}`, 'file-damaged'],
    ['a tag without end', `<kml><Placemark a="${'x'.repeat(3_000_000)}`, 'file-damaged'],
  ])('%s are refused', async (_, text, code) => {
    await expect(open(text).then(rowsOf)).rejects.toMatchObject({ name: 'WindrowError', code })
  })

  test.each([
    ['a tag of one long name', `<Data ${'a'.repeat(900_000)}>`],
    ['attributes without values', `<Data ${'a '.repeat(400_000)}>`],
    ['quotes in a row', `<Data name=${'"'.repeat(900_000)}>`],
    ['colons in a row', `<Data ${':'.repeat(900_000)}>`],
    ['a description of beginnings', `<description>${'&lt;style'.repeat(100_000)}</description>`],
    ['a description of rows', `<description>&lt;table>${'&lt;tr&lt;td'.repeat(100_000)}&lt;/table></description>`],
    ['blanks and line feeds', `<description>&lt;p ${' \n'.repeat(300_000)}x</description>`],
    ['ends in a row', `</a>`.repeat(200_000)],
    ['coordinates of commas', `<Point><coordinates>${'1,2,'.repeat(200_000)}</coordinates></Point>`],
    ['ampersands', `<name>${'&#1'.repeat(300_000)}</name>`],
  ])('%s cost one pass', async (_, inside) => {
    await expectQuick(2500, async () => rowsOf(await open(documentOf(placemark(inside)))))
  })

  test('one name for a million data is refused', async () => {
    const data = Array.from({ length: 3000 }, (_, index) => `<Data name="a"><value>${index}</value></Data>`)
    const table = await open(documentOf(placemark(`<ExtendedData>${data.join('')}</ExtendedData>`)))
    await expect(rowsOf(table)).rejects.toMatchObject({ code: 'file-too-large' })
  })

  test('a text without end does not fill the memory', async () => {
    const source = {
      ...sourceOf('endless.kml', '<kml>'),
      async *stream() {
        yield Buffer.from('<kml><Placemark><name>')
        for (;;) yield Buffer.alloc(1 << 20, 'x')
      },
    }
    const table = only(await decidedBy(kml, source, { encoding: 'utf-8' }))
    await expect(rowsOf(table)).rejects.toMatchObject({ code: 'file-too-large' })
  })
})

describe('KMZ', () => {
  const kmz = (members: Readonly<Record<string, string>>): Promise<readonly Table[]> =>
    decidedBy(
      kml,
      sourceOf('farm.kmz', zipBytes(Object.entries(members).map(([name, bytes]) => ({ name, bytes })))),
      {},
    )

  test('one document is the file', async () => {
    const table = only(await kmz({ 'doc.kml': documentOf(placemark(point)), 'files/map.png': 'x' }))
    expect(table.name).toBe('farm')
    expect((await rowsOf(table))[0]!.at).toEqual({ source: 'farm.kmz', row: 1 })
  })

  test('several are layers, and one that only links to them is none', async () => {
    const link = '<NetworkLink><Link><href>layers/North%20block.kml</href></Link></NetworkLink>'
    const tables = await kmz({
      'doc.kml': documentOf(link),
      'layers/North block.kml': documentOf(placemark(point)),
      'layers/South.kml': documentOf(placemark(point)),
    })
    expect(tables.map(({ name }) => name)).toEqual(['North block', 'South'])
    expect((await rowsOf(tables[0]!))[0]!.at).toEqual({ source: 'farm.kmz', layer: 'North block', row: 1 })
  })

  test('links between its documents are no loss', async () => {
    const link = '<NetworkLink><Link><href>b/doc.kml</href></Link></NetworkLink>'
    const [first] = await kmz({
      'doc.kml': documentOf(link + placemark(point)),
      'b/doc.kml': documentOf(placemark(point)),
    })
    await rowsOf(first!)
    expect(first).toMatchObject({ name: 'doc' })
    expect(first!.found()).toEqual([])
  })
})

describe('what is KML', () => {
  test.each([
    ['farm.kml', '<kml>', 'kml'],
    ['stdin', '\ufeff<?xml version="1.0"?>\n<!-- made by hand --><kml:kml>', 'kml'],
    ['farm.kml', '<Document><Placemark/></Document>', 'kml'],
    ['farm.kml', '<!DOCTYPE html><html>Sign in</html>', undefined],
    ['farm.xml', '<farm/>', undefined],
  ])('%s with %j is %s', async (name, text, format) => {
    expect((await recogniseFormat(sourceOf(name, text)))?.name).toBe(format)
  })

  test('it lies in degrees', async () => {
    const { tables } = await openFile(sourceOf('farm.kml', documentOf(placemark(point))))
    expect(only(tables)).toMatchObject({ format: 'kml', crs: { from: 'format', text: 'OGC:CRS84' } })
  })
})
