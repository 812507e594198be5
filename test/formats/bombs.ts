/** Makes harmful files: too large unpacked, too deep, endless, or with false headers. */

import { closeSync, openSync, writeSync } from 'node:fs'
import { crc32, deflateRawSync } from 'node:zlib'
import { zipBytes, type MadeMember } from '../core/zip-bytes.ts'
import { bytesOf } from './fixtures.ts'
import { geometryBlob, layerSql, packageBytes } from './geopackage/made-packages.ts'
import { content, dbfBytes, namesTable, partsContent, shpBytes, square } from './shapefile/made-files.ts'

/** `make` gives the bytes, or writes a file too large for that; `harmless` files are read to their end, others refused. */
export type Bomb = {
  readonly what: string
  readonly file: string
  readonly harmless?: true
  readonly says?: RegExp
  readonly make: (path: string) => Uint8Array | undefined
}

/** Writes a head, a piece again and again up to a size, and a tail. */
function longFile(head: string, piece: string, megabytes: number, tail = ''): Bomb['make'] {
  return (path) => {
    const block = blockOf(piece)
    const file = openSync(path, 'w')
    writeSync(file, head)
    for (let written = 0; written < megabytes; written += 1) writeSync(file, block)
    writeSync(file, tail)
    closeSync(file)
    return undefined
  }
}

/** A member of `head` and then `piece` for so many megabytes, packed without holding it, and without its checksum. */
function packedMember(name: string, piece: string, megabytes: number, head = ''): MadeMember {
  const block = blockOf(piece)
  // A flushed block ends on a byte, so that it may stand again and again.
  const [first, again] = [Buffer.from(head), block].map((each) => deflateRawSync(each, { finishFlush: 2 }))
  const packed = Buffer.concat([first!, ...Array.from({ length: megabytes }, () => again!), Buffer.of(3, 0)])
  return { name, packed, size: Buffer.byteLength(head) + megabytes * block.length, crc: 0 }
}

/** The same with its checksum: nothing but its length is wrong with it. */
function longMember(name: string, head: string): MadeMember {
  const [piece, megabytes] = ['abcdefghij', 80]
  const block = blockOf(piece)
  let crc = crc32(head)
  for (let count = 0; count < megabytes; count += 1) crc = crc32(block, crc)
  return { ...packedMember(name, piece, megabytes, head), crc }
}

function blockOf(piece: string): Buffer {
  return Buffer.from(piece.repeat(Math.ceil(2 ** 20 / piece.length)))
}

const zip =
  (...members: readonly MadeMember[]) =>
  (): Uint8Array =>
    zipBytes(members)
const text = (content: string) => (): Uint8Array => bytesOf(content)
const repeat = (piece: string, times: number): string => piece.repeat(times)

const bookParts: readonly MadeMember[] = [
  {
    name: '[Content_Types].xml',
    bytes:
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
  },
  {
    name: '_rels/.rels',
    bytes:
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>',
  },
  {
    name: 'xl/_rels/workbook.xml.rels',
    bytes:
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="r3" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>',
  },
  {
    name: 'xl/workbook.xml',
    bytes:
      '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Paddocks" sheetId="1" r:id="r1"/></sheets></workbook>',
  },
]
const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const named =
  '<row r="1"><c r="A1" t="inlineStr"><is><t>id</t></is></c><c r="B1" t="inlineStr"><is><t>name</t></is></c></row>'
const record = '<row r="2"><c r="A2"><v>1</v></c><c r="B2" t="inlineStr"><is><t>Tui</t></is></c></row>'

function book(sheet: string, more: readonly MadeMember[] = []): () => Uint8Array {
  return zip(...bookParts, { name: 'xl/worksheets/sheet1.xml', bytes: sheet }, ...more)
}

const laughs = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "ha">${Array.from({ length: 30 }, (_, index) => `<!ENTITY a${index + 1} "${repeat(`&a${index};`, 10)}">`).join('')}]>`
const stranger = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY secret SYSTEM "file:///etc/hostname">]>'
const kmlOf = (doctype: string, name: string): string =>
  `${doctype}<kml xmlns="http://www.opengis.net/kml/2.2"><Document><Placemark><name>${name}</name><Point><coordinates>175,-38</coordinates></Point></Placemark></Document></kml>`
const odsOf = (doctype: string, cells: string): Uint8Array =>
  zipBytes([
    { name: 'mimetype', bytes: 'application/vnd.oasis.opendocument.spreadsheet', method: 0 },
    {
      name: 'content.xml',
      bytes: `${doctype}<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet><table:table table:name="P">${cells}</table:table></office:spreadsheet></office:body></office:document-content>`,
    },
  ])

function nestedZips(depth: number, inner: Uint8Array): Uint8Array {
  let bytes = inner
  for (let level = 0; level < depth; level += 1) bytes = zipBytes([{ name: `level${level}.zip`, bytes, method: 8 }])
  return bytes
}

/** Many names in the directory for one packed body: what is small on the disk and in each name is huge together. */
function overlappingZip(count: number): Uint8Array {
  const first = packedMember('first.csv', 'a', 30)
  return zipBytes([
    first,
    ...Array.from({ length: count }, (_, index) => ({
      name: `again${index}.csv`,
      packed: new Uint8Array(0),
      packedSize: first.packed!.length,
      size: first.size!,
      crc: 0,
      offset: 0,
    })),
  ])
}

const shapes = shpBytes([partsContent(5, [square(175, -38, 0.01)])])
const table = namesTable(['Tui'])

function withNumber(bytes: Uint8Array, at: number, value: number, isLittle: boolean): Uint8Array {
  const made = Uint8Array.from(bytes)
  new DataView(made.buffer).setUint32(at, value, isLittle)
  return made
}

function wkbNested(depth: number): string {
  return repeat('010700000001000000', depth)
}

/** Files that archives should not hold. */
const archives: readonly Bomb[] = [
  { what: 'a member that unpacks to a thousand times its size', file: 'a.zip', make: zip(packedMember('paddocks.csv', 'a', 400)), says: /500 times its packed size/ },
  { what: 'the same as a shapefile', file: 'b.zip', make: zip({ name: 'a.shp', bytes: shapes }, packedMember('a.dbf', ' ', 400)), says: /a\.dbf|times/ },
  { what: 'sizes that add up to more than the limit', file: 'c.zip', make: zip(...Array.from({ length: 6 }, (_, index) => ({ name: `${index}.csv`, bytes: 'a,b\n', size: 0xfffffff0 }))), says: /unpacks to more than/ },
  { what: 'twenty thousand members', file: 'd.zip', make: zip(...Array.from({ length: 20_000 }, (_, index) => ({ name: `${index}.csv`, bytes: '', method: 0 as const }))), says: /20000 files/ },
  { what: 'zips in zips, nine deep', file: 'e.zip', make: () => nestedZips(9, zipBytes([packedMember('paddocks.csv', 'a', 400)])) },
  { what: 'a zip in a zip that unpacks to a thousand times its size', file: 'f.zip', make: () => nestedZips(1, zipBytes([packedMember('paddocks.csv', 'a', 400)])) },
  { what: 'many names for one packed body', file: 'g.zip', make: () => overlappingZip(500), says: /share|same/ },
  { what: 'a name that climbs out', file: 'h.zip', make: zip({ name: '../../evil.csv', bytes: 'a,b\n1,2\n' }), says: /outside the zip/ },
  { what: 'a name that climbs out by backslashes', file: 'i.zip', make: zip({ name: '..\\..\\evil.csv', bytes: 'a,b\n1,2\n' }) },
  { what: 'a name from the root', file: 'j.zip', make: zip({ name: '/tmp/evil.csv', bytes: 'a,b\n1,2\n' }) },
  { what: 'a link', file: 'k.zip', make: zip({ name: 'a.csv', bytes: '/etc/passwd', madeBy: 0x314, attributes: 0xa1ff0000 }), says: /link/ },
] // prettier-ignore

/** XML that asks for more than it says. */
const markup: readonly Bomb[] = [
  { what: 'entities in entities in KML', file: 'a.kml', make: text(kmlOf(laughs, '&a30;')) },
  { what: 'an entity from elsewhere in KML', file: 'b.kml', make: text(kmlOf(stranger, '&secret;')) },
  { what: 'entities in entities in .xlsx', file: 'a.xlsx', make: book(`${laughs}<worksheet ${main}><sheetData>${named}<row r="2"><c r="A2" t="inlineStr"><is><t>&a30;</t></is></c></row></sheetData></worksheet>`) },
  { what: 'entities in entities in .ods', file: 'a.ods', make: () => odsOf(laughs, '<table:table-row><table:table-cell office:value-type="string"><text:p>id</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>&a30;</text:p></table:table-cell></table:table-row>') },
  { what: 'rows and cells repeated without end in .ods', file: 'b.ods', make: () => odsOf('', '<table:table-row table:number-rows-repeated="1048576"><table:table-cell office:value-type="float" office:value="1" table:number-columns-repeated="16384"><text:p>1</text:p></table:table-cell></table:table-row>'), says: /million cells/ },
  { what: 'folders in folders in KML, 200,000 deep', file: 'c.kml', make: text(`<kml><Document>${repeat('<Folder>', 200_000)}`) },
  { what: 'a name without end in KML', file: 'd.kml', make: longFile('<kml><Document><Placemark><name>', 'x', 96) },
  { what: 'a tag without end in KML', file: 'e.kml', make: longFile('<kml><Document><Placemark id="', 'x', 96) },
  { what: 'a geometry in geometries, 200,000 deep', file: 'f.kml', make: text(`<kml><Document><Placemark>${repeat('<MultiGeometry>', 200_000)}`) },
  { what: 'coordinates without end in KML', file: 'g.kml', make: longFile('<kml><Document><Placemark><LineString><coordinates>', '175.1,-38.1 ', 96) },
] // prettier-ignore

/** Workbooks that lie. */
const workbooks: readonly Bomb[] = [
  { what: 'a cell in the last column of the last row', file: 'b.xlsx', harmless: true, make: book(`<worksheet ${main}><sheetData>${named}${record}<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>`) },
  { what: 'a dimension that covers all there can be', file: 'c.xlsx', harmless: true, make: book(`<worksheet ${main}><dimension ref="A1:XFD1048576"/><sheetData>${named}${record}</sheetData><mergeCells><mergeCell ref="A3:XFD1048576"/></mergeCells></worksheet>`) },
  { what: 'cells beyond what can be', file: 'd.xlsx', make: book(`<worksheet ${main}><sheetData>${named}<row r="99999999999"><c r="ZZZZZZ99999999999"><v>1</v></c></row></sheetData></worksheet>`), harmless: true },
  { what: 'a text without end', file: 'e.xlsx', make: () => zipBytes([...bookParts, longMember('xl/worksheets/sheet1.xml', `<worksheet ${main}><sheetData>${named}<row r="2"><c r="A2" t="inlineStr"><is><t>`)]) },
  { what: 'a shared text without end', file: 'f.xlsx', make: () => book(`<worksheet ${main}><sheetData>${named}<row r="2"><c r="A2" t="s"><v>0</v></c></row></sheetData></worksheet>`, [longMember('xl/sharedStrings.xml', `<sst ${main} count="4294967295" uniqueCount="4294967295"><si><t>`)])() },
  { what: 'a tag without end', file: 'g.xlsx', make: () => zipBytes([...bookParts, longMember('xl/worksheets/sheet1.xml', `<worksheet ${main}><sheetData>${named}<row r="2" x="`)]) },
  { what: 'a number format made to be looked at for ever', file: 'h.xlsx', harmless: true, make: book(`<worksheet ${main}><sheetData>${named}<row r="2"><c r="A2" s="1"><v>7</v></c><c r="B2" s="1"><v>7</v></c></row></sheetData></worksheet>`, [{ name: 'xl/styles.xml', bytes: `<styleSheet ${main}><numFmts count="1"><numFmt numFmtId="200" formatCode="000${repeat(';&quot;', 60_001)}"/></numFmts><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="200"/></cellXfs></styleSheet>` }]) },
  { what: 'merged cells by the hundred thousand', file: 'i.xlsx', harmless: true, make: book(`<worksheet ${main}><sheetData>${named}${record}</sheetData><mergeCells>${repeat('<mergeCell ref="A1:XFD1"/>', 200_000)}</mergeCells></worksheet>`) },
] // prettier-ignore

/** Shapefiles whose numbers lie. */
const shapefiles: readonly Bomb[] = [
  { what: 'four billion rows in a header', file: 'l.zip', harmless: true, make: zip({ name: 'a.shp', bytes: shapes }, { name: 'a.dbf', bytes: withNumber(table, 4, 0xffffffff, true) }) },
  { what: 'a record of two billion bytes', file: 'm.zip', harmless: true, make: zip({ name: 'a.shp', bytes: withNumber(shapes, 104, 0x3fffffff, false) }, { name: 'a.dbf', bytes: table }) },
  { what: 'two billion parts', file: 'n.zip', harmless: true, make: zip({ name: 'a.shp', bytes: withNumber(shapes, 144, 0x7fffffff, true) }, { name: 'a.dbf', bytes: table }) },
  { what: 'two billion vertices', file: 'o.zip', harmless: true, make: zip({ name: 'a.shp', bytes: withNumber(shapes, 148, 0x7fffffff, true) }, { name: 'a.dbf', bytes: table }) },
  { what: 'a record of 200 MB', file: 'p.shp', make: longRecord, says: /bytes/ },
  { what: 'rows of no bytes', file: 'q.dbf', make: () => withNumber(table, 8, 0x00000021, true) },
  { what: 'two thousand columns without width', file: 'r.dbf', harmless: true, make: () => dbfBytes({ fields: Array.from({ length: 2000 }, () => ({ name: 'A', letter: 'C', width: 1 })), rows: [{ cells: [] }] }) },
  { what: 'a coordinate system in brackets without end', file: 's.zip', harmless: true, make: zip({ name: 'a.shp', bytes: shapes }, { name: 'a.dbf', bytes: table }, { name: 'a.prj', bytes: repeat('PROJCS["a",', 6000) }) },
  { what: 'five thousand rings across each other', file: 't.shp', harmless: true, make: crossingRings },
] // prettier-ignore

/** The shape claims 200 MB of vertices, and the file is that long. */
function longRecord(path: string): undefined {
  const vertices = 12_000_000
  const head = Buffer.from(shpBytes([]))
  const start = content(5, ['d', 0], ['d', 0], ['d', 1], ['d', 1], ['i', 1], ['i', vertices], ['i', 0])
  const record = Buffer.alloc(8)
  record.writeInt32BE(1, 0)
  record.writeInt32BE((start.length + vertices * 16) / 2, 4)
  head.writeInt32BE((100 + 8 + start.length + vertices * 16) / 2, 24)
  const file = openSync(path, 'w')
  for (const part of [head, record, start]) writeSync(file, part)
  const block = Buffer.alloc(16 * 100_000, 0x3f)
  for (let written = 0; written < vertices; written += 100_000) writeSync(file, block)
  closeSync(file)
  return undefined
}

function crossingRings(): Uint8Array {
  const rings = Array.from({ length: 5000 }, (_, index) => square(175 + index * 1e-7, -38 + (index % 100) * 1e-7, 0.01))
  return shpBytes([partsContent(5, rings)])
}

const wideRow = (cells: number): string => Array.from({ length: cells }, (_, index) => `c${index}`).join(',')

/** Text without end or bottom. */
const texts: readonly Bomb[] = [
  { what: 'a line without end', file: 'a.csv', make: longFile('id,name\n1,', 'x', 96), says: /line break|row/i, harmless: true },
  { what: 'a header without end', file: 'b.csv', make: longFile('', 'x', 96) },
  { what: 'a quote that is never closed', file: 'c.csv', make: longFile('id,name\n1,"', 'x\n', 96), harmless: true },
  { what: 'millions of columns', file: 'd.csv', make: longFile('', 'a,', 100) },
  { what: 'nothing but quotes', file: 'e.csv', make: longFile('id,name\n', '"', 100), harmless: true },
  { what: 'collections in collections as WKT', file: 'f.csv', harmless: true, make: text(`id,wkt\n1,"${repeat('GEOMETRYCOLLECTION(', 100_000)}"\n2,"POINT(175 -38)"\n`) },
  { what: 'collections in collections as GeoJSON text', file: 'g.csv', harmless: true, make: text(`id,geometry\n1,"${repeat('{""type"":""GeometryCollection"",""geometries"":[', 40_000)}"\n2,"{""type"":""Point"",""coordinates"":[175,-38]}"\n`) },
  { what: 'collections in collections as WKB', file: 'h.csv', harmless: true, make: text(`id,geom\n1,${wkbNested(100_000)}\n2,0101000000000000000000F03F0000000000000040\n`) },
  { what: 'a count of four billion vertices as WKB', file: 'i.csv', harmless: true, make: text('id,geom\n1,0102000000ffffffff\n2,0101000000000000000000F03F0000000000000040\n') },
  { what: 'two thousand columns in rows of every length', file: 'j.csv', harmless: true, make: text(`id,${wideRow(1999)}\n${repeat(`\n1,${wideRow(1999)}\n"2",${wideRow(1999)}\n"a "" b",x\n`, 300)}`) },
  { what: 'brackets, a million deep, where features should be', file: 'a.geojson', harmless: true, make: text(`{"type":"FeatureCollection","features":${repeat('[', 1_000_000)}`) },
  { what: 'brackets, a million deep, in a feature', file: 'b.geojson', harmless: true, make: text(`{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"a":${repeat('[', 500_000)}${repeat(']', 500_000)}},"geometry":null}]}`) },
  { what: 'collections in collections, a hundred thousand deep', file: 'c.geojson', harmless: true, make: text(`{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":${repeat('{"type":"GeometryCollection","geometries":[', 100_000)}${repeat(']}', 100_000)}}]}`) },
  { what: 'a text without end', file: 'd.geojson', make: longFile('{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"a":"', 'x', 96) },
  { what: 'coordinates without end', file: 'e.geojson', make: longFile('{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":{"type":"LineString","coordinates":[', '[175.1,-38.1],', 96) },
  { what: 'a line without end in a sequence', file: 'f.ndjson', make: longFile('{"type":"Feature","properties":{"a":"', 'x', 96) },
  { what: 'what stands before the features, without end', file: 'g.geojson', make: longFile('{"type":"FeatureCollection","name":"', 'x', 96) },
  { what: 'brackets, a million deep, after the features', file: 'h.geojson', harmless: true, make: text(`{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":null}],"x":${repeat('[', 500_000)}${repeat(']', 500_000)}}`) },
  { what: 'brackets in the crs member', file: 'i.geojson', make: text(`{"type":"FeatureCollection","crs":${repeat('[', 500_000)}${repeat(']', 500_000)},"features":[{"type":"Feature","properties":{"a":"b"},"geometry":null}]}`), harmless: true },
  { what: 'a hundred thousand members in properties', file: 'j.geojson', harmless: true, make: text(`{"type":"FeatureCollection","features":[{"type":"Feature","properties":{${Array.from({ length: 100_000 }, (_, index) => `"a${index}":1`).join(',')}},"geometry":null}]}`) },
] // prettier-ignore

const endlessView = `CREATE VIEW endless AS WITH RECURSIVE up(fid) AS (SELECT 1 UNION ALL SELECT fid + 1 FROM up) SELECT max(fid) AS fid FROM up;
  INSERT INTO gpkg_contents VALUES ('endless', 'attributes', 'endless', 0);`

function packageOf(wkb: Buffer): Uint8Array {
  return packageBytes({
    sql: layerSql('name TEXT'),
    insert: { into: 'paddocks', rows: [[1, 'Tui', geometryBlob(wkb)]] },
  })
}

/** Databases that compute or lie. */
const databases: readonly Bomb[] = [
  { what: 'a view that never ends', file: 'a.gpkg', make: () => packageBytes({ sql: endlessView }), says: /computed by the file, and did not finish within 4 seconds/ },
  { what: 'collections in collections', file: 'b.gpkg', harmless: true, make: () => packageOf(Buffer.from(wkbNested(100_000), 'hex')) },
  { what: 'a count of four billion vertices', file: 'c.gpkg', harmless: true, make: () => packageOf(Buffer.from('0102000000ffffffff', 'hex')) },
] // prettier-ignore

/** Every bomb, by its kind. */
export const bombs = { archives, markup, workbooks, shapefiles, texts, databases }
