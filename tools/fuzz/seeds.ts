/** Lists the good files that are damaged: those of the contract suite, and others that reach more code of a reader. */

import { bytesOf, fixtures } from '../../test/formats/fixtures.ts'
import { zipBytes } from '../../test/core/zip-bytes.ts'
import {
  dbfBytes,
  multiPointContent,
  nullContent,
  partsContent,
  pointContent,
  shpBytes,
  square,
  turned,
} from '../../test/formats/shapefile/made-files.ts'

/** A good file; `reader` is its format. */
export type Seed = { readonly reader: string; readonly name: string; make(): Uint8Array }

const rowCount = 5

function wide(text: string): Uint8Array {
  return Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])
}

const outer = square(175, -38, 0.01)
const hole = turned(square(175.002, -37.998, 0.002))
const island = square(175.02, -38, 0.005)
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 0.5)

function shapesOfEveryType(): Uint8Array {
  const all = [...outer, ...hole]
  return shpBytes([
    partsContent(5, [outer, hole, island]),
    partsContent(15, [outer, hole], { z: numbers(all.length), m: numbers(all.length) }),
    partsContent(25, [outer], { m: numbers(outer.length) }),
    partsContent(3, [outer, island]),
    partsContent(13, [outer], { z: numbers(outer.length) }),
    pointContent(1, [175, -38]),
    pointContent(11, [175, -38], [3, 4]),
    multiPointContent(8, outer),
    multiPointContent(18, outer, { z: numbers(outer.length), m: numbers(outer.length) }),
    nullContent(),
  ])
}

function tableOfEveryKind(): Uint8Array {
  const stamp = Buffer.alloc(8)
  stamp.writeInt32LE(2_461_000)
  const double = Buffer.alloc(8)
  double.writeDoubleLE(12.5)
  const fields = [
    { name: 'NAME', letter: 'C', width: 12 },
    { name: 'AREA', letter: 'N', width: 10, decimals: 2 },
    { name: 'SOWN', letter: 'D', width: 8 },
    { name: 'IRRIGATED', letter: 'L', width: 1 },
    { name: 'COUNT', letter: 'I', width: 4 },
    { name: 'YIELD', letter: 'B', width: 8 },
    { name: 'SEEN', letter: 'T', width: 8 },
    { name: 'NOTE', letter: 'M', width: 10 },
    { name: 'RATE', letter: 'F', width: 12, decimals: 4 },
    { name: 'COST', letter: 'Y', width: 8 },
  ]
  const cells = [
    'Rāhui',
    '    112.60',
    '20260903',
    'T',
    Buffer.of(7, 0, 0, 0),
    double,
    stamp,
    '         1',
    '  1.2500E+01',
    double,
  ]
  const rows = Array.from({ length: 10 }, (_, index) => ({ cells, deleted: index === 7 }))
  return dbfBytes({ fields, rows, version: 0x30, languageDriver: 0x57 })
}

const wgs84 =
  'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]'
const nztm =
  'PROJCS["NZGD_2000_New_Zealand_Transverse_Mercator",GEOGCS["GCS_NZGD_2000",DATUM["D_NZGD_2000",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",1600000.0],PARAMETER["False_Northing",10000000.0],PARAMETER["Central_Meridian",173.0],PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]'

function shapefileOfEveryKind(): Uint8Array {
  return zipBytes([
    { name: 'Farm/all.shp', bytes: shapesOfEveryType() },
    { name: 'Farm/all.dbf', bytes: tableOfEveryKind() },
    { name: 'Farm/all.prj', bytes: wgs84 },
    { name: 'Farm/metres.shp', bytes: shpBytes([partsContent(5, [square(1_800_000, 5_800_000, 400)])]) },
    { name: 'Farm/metres.prj', bytes: nztm },
    { name: 'Farm/metres.cpg', bytes: 'ANSI 1252' },
  ])
}

const ring = [[175, -38, 4], [175.01, -38, 4], [175.01, -37.99, 4], [175, -38, 4]] // prettier-ignore
const geometries = [
  { type: 'Polygon', coordinates: [ring] },
  { type: 'MultiPolygon', coordinates: [[ring], [ring]] },
  {
    type: 'GeometryCollection',
    geometries: [
      { type: 'Point', coordinates: [175, -38] },
      { type: 'Polygon', coordinates: [ring] },
    ],
  },
  { type: 'LineString', coordinates: ring },
  { type: 'MultiLineString', coordinates: [ring, ring] },
  { type: 'MultiPoint', coordinates: ring },
  null,
]

function everyGeometry(): string {
  const features = geometries.map((geometry, index) => ({
    type: 'Feature',
    id: index,
    properties: { a: { b: [{ c: 'Tūī' }] } },
    geometry,
  }))
  const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:OGC:1.3:CRS84' } }
  return JSON.stringify({ type: 'FeatureCollection', name: 'all', crs, features }, undefined, 1)
}

const messyTable = [
  'Rimu Farm paddocks;;;;',
  ';;;;',
  'Paddock no;Name;Area (ha);Sown;WKT',
  '0001;"Rāhui ""top""";1.234,5;3/9/2026;"POLYGON((175 -38,175.01 -38,175.01 -37.99,175 -38))"',
  '0002;\'Tūī;12,25;31/12/2026;"MULTIPOLYGON(((175 -38,175.01 -38,175.01 -37.99,175 -38)))"',
  '0003;=1+1;;;SRID=4326;POINT(175 -38)',
  '',
  'Total;;1.246,75;;',
].join('\r\n')

const places =
  'id,name,latitude,longitude,geojson\n1,"a\nb",-38.1,175.2,"{""type"":""Point"",""coordinates"":[175,-38]}"\n2,c,"37°47\'20""S",175.3,\n'

const kmlTriples = '175,-38,4 175.01,-38,4\n175.01,-37.99,4 175,-38,4'
const kmlRing = `<LinearRing><coordinates>${kmlTriples}</coordinates></LinearRing>`
const kmlPolygon = `<Polygon><outerBoundaryIs>${kmlRing}</outerBoundaryIs><innerBoundaryIs>${kmlRing}</innerBoundaryIs></Polygon>`
const kmlEverything = `<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Document><name>Rimu &amp; Farm</name>
<Schema name="P" id="P"><SimpleField type="int" name="AREA"/></Schema><!-- made -->
<Folder><name>North</name><Placemark id="1"><name><![CDATA[Tūī <b>flat</b>]]></name>
<description><![CDATA[<table><tr><td>Crop</td><td>Ryegrass</td></tr><tr><td>Sown</td><td>3/9/2026</td></tr></table>]]></description>
<ExtendedData><Data name="id"><value>0001</value></Data><SchemaData schemaUrl="#P"><SimpleData name="AREA">12</SimpleData></SchemaData></ExtendedData>
<TimeSpan><begin>2026-09-03</begin></TimeSpan>${kmlPolygon}</Placemark>
<Folder><Placemark><MultiGeometry>${kmlPolygon}${kmlPolygon}<Point><coordinates>175,-38</coordinates></Point></MultiGeometry></Placemark></Folder></Folder>
<Placemark><LineString><coordinates>${kmlTriples}</coordinates></LineString></Placemark>
<Placemark><gx:Track><when>2026-09-03T00:00:00Z</when><gx:coord>175 -38 4</gx:coord><gx:coord>176 -38 4</gx:coord></gx:Track></Placemark>
<NetworkLink><Link><href>http://a.example/b.kml</href></Link></NetworkLink><GroundOverlay/></Document></kml>`

const sheetMain = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'

function messyBook(): Uint8Array {
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const links = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
  const link = (id: number, kind: string, target: string): string =>
    `<Relationship Id="r${id}" Type="${office}/${kind}" Target="${target}"/>`
  const sheet = `<worksheet ${sheetMain}><dimension ref="A1:F6"/><cols><col min="3" max="3" hidden="1"/></cols><sheetData>
<row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2" t="inlineStr"><is><r><t>Na</t></r><r><t>me</t></r><rPh sb="0" eb="1"><t>x</t></rPh></is></c><c r="C2" t="str"><v>Sown</v></c><c r="D2" t="s"><v>2</v></c></row>
<row r="3" hidden="1"><c r="A3" s="1"><v>7</v></c><c r="B3" t="s"><v>3</v></c><c r="C3" s="2"><v>46268</v></c><c r="D3"><f>1+1</f><v>2</v></c><c r="E3" t="b"><v>1</v></c></row>
<row><c s="3"><v>0.5</v></c><c t="e"><v>#REF!</v></c><c t="d"><v>2026-09-03T00:00:00</v></c><c><f>A1</f></c></row>
<row r="9"><c r="A9"><v>123456789012345678</v></c><c r="B9" t="inlineStr"><is><t xml:space="preserve"> a_x000D_b </t></is></c></row></sheetData>
<mergeCells><mergeCell ref="A1:D1"/><mergeCell ref="D2:E2"/></mergeCells></worksheet>`
  return zipBytes([
    { name: '[Content_Types].xml', bytes: '<Types/>' },
    {
      name: '_rels/.rels',
      bytes: `<Relationships ${links}>${link(1, 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    },
    {
      name: 'xl/workbook.xml',
      bytes: `<workbook ${sheetMain} xmlns:r="${office}"><workbookPr date1904="0"/><sheets><sheet name="P &amp; Q" sheetId="1" r:id="r1"/><sheet name="Old" sheetId="2" state="hidden" r:id="r4"/></sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      bytes: `<Relationships ${links}>${link(1, 'worksheet', 'worksheets/sheet1.xml')}${link(2, 'sharedStrings', 'sharedStrings.xml')}${link(3, 'styles', '/xl/styles.xml')}${link(4, 'worksheet', 'worksheets/sheet2.xml')}</Relationships>`,
    },
    { name: 'xl/worksheets/sheet1.xml', bytes: sheet },
    { name: 'xl/worksheets/sheet2.xml', bytes: `<worksheet ${sheetMain}><sheetData/></worksheet>` },
    {
      name: 'xl/sharedStrings.xml',
      bytes: `<sst ${sheetMain} count="4" uniqueCount="4"><si><t>Rimu Farm</t></si><si><t>id</t></si><si><t>Area</t></si><si><r><t>Tū</t></r><r><t>ī</t></r></si></sst>`,
    },
    {
      name: 'xl/styles.xml',
      bytes: `<styleSheet ${sheetMain}><numFmts count="2"><numFmt numFmtId="164" formatCode="00000"/><numFmt numFmtId="165" formatCode="[h]:mm"/></numFmts><cellXfs count="4"><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="14"/><xf numFmtId="165"/></cellXfs></styleSheet>`,
    },
  ])
}

/** All files that are damaged. */
export const seeds: readonly Seed[] = [
  ...fixtures.map(({ format, name, make }) => ({ reader: format, name, make: () => make(rowCount) })),
  { reader: 'csv', name: 'messy.csv', make: () => bytesOf(messyTable) },
  { reader: 'csv', name: 'places.csv', make: () => bytesOf(places) },
  { reader: 'csv', name: 'wide.tsv', make: () => wide(messyTable.replaceAll(';', '\t')) },
  {
    reader: 'csv',
    name: 'western.txt',
    make: () => Buffer.from(messyTable.replace('ā', 'ä').replace(/[ūī]/g, 'é'), 'latin1'),
  },
  { reader: 'geojson', name: 'all.geojson', make: () => bytesOf(everyGeometry()) },
  { reader: 'geojson', name: 'wide.geojson', make: () => wide(everyGeometry()) },
  { reader: 'kml', name: 'all.kml', make: () => bytesOf(kmlEverything) },
  { reader: 'xlsx', name: 'messy.xlsx', make: messyBook },
  { reader: 'shapefile', name: 'all.zip', make: shapefileOfEveryKind },
  { reader: 'shapefile', name: 'all.shp', make: shapesOfEveryType },
  { reader: 'shapefile', name: 'all.dbf', make: tableOfEveryKind },
]
