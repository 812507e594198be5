/** Makes the small files of invented farms that the format tests read. */

import * as XLSX from 'xlsx'
import type { Row, Table } from '../../src/core/row.ts'
import { bufferSource, type Source } from '../../src/core/sources/source.ts'
import type { Target } from '../../src/core/sources/target.ts'
import type { Format, FormatOptions, OutTable } from '../../src/formats/format.ts'
import { searched } from '../../src/formats/grid/geometry-columns.ts'
import { formats } from '../../src/formats/index.ts'
import { formatOf, probeSource } from '../../src/formats/recognise.ts'
import { zipBytes } from '../core/zip-bytes.ts'
import { geometryBlob, layerSql, packageBytes, polygonWkb } from './geopackage/made-packages.ts'
import { dbfBytes, partsContent, shpBytes } from './shapefile/made-files.ts'

const names = ['Rāhui', 'Ōtāne flat', 'Kōwhai top', 'Pōkeka "river"', 'Mānuka; creek', 'Tūī, lower']

/** The format that recognises a source; undefined if none does. */
export async function recogniseFormat(source: Source): Promise<Format | undefined> {
  return formatOf(await probeSource(source), formats)
}

/** Opens a source in a format; what the options leave out is decided by all of it. */
export async function decidedBy(
  format: Format,
  source: Source,
  options: FormatOptions = {},
): Promise<readonly Table[]> {
  const tables = await (format.look ?? format.open!)(source, options)
  return Promise.all(tables.map((table) => searched(table)))
}

export type Paddock = { readonly id: string; readonly name: string; readonly area: number; readonly sown: string }

/** Paddocks of Rimu Farm, as many as wanted; ids begin with zeros and names carry macrons, quotes and separators. */
function paddocks(count: number): readonly Paddock[] {
  return Array.from({ length: count }, (_, index) => ({
    id: String(index).padStart(4, '0'),
    name: `${names[index % names.length]!} ${index}`,
    area: (index % 700) / 10 + 0.5,
    sown: `2026-0${1 + (index % 9)}-1${index % 9}`,
  }))
}

const encoder = new TextEncoder()

export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text)
}

/** A source made of text or bytes. */
export function sourceOf(name: string, content: string | Uint8Array): Source {
  return bufferSource(name, typeof content === 'string' ? bytesOf(content) : content)
}

function csvText(count: number): string {
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
  const lines = paddocks(count).map(({ id, name, area, sown }) => `${id},${quoted(name)},${area},${sown}`)
  return `${['id,name,area,sown', ...lines].join('\n')}\n`
}

function feature({ id, name, area, sown }: Paddock): string {
  const x = 175 + Number(id) / 1000
  const ring = [
    [x, -38],
    [x + 0.001, -38],
    [x + 0.001, -37.999],
    [x, -38],
  ]
  const geometry = { type: 'Polygon', coordinates: [ring] }
  return JSON.stringify({ type: 'Feature', properties: { id, name, area, sown }, geometry })
}

function collectionText(count: number): string {
  return `{"type":"FeatureCollection","features":[\n${paddocks(count).map(feature).join(',\n')}\n]}\n`
}

function arcgisText(count: number): string {
  const features = paddocks(count).map(({ id, name, area, sown }) => {
    const x = 1_800_000 + Number(id) * 100
    const rings = [
      [
        [x, 5_800_000],
        [x, 5_800_080],
        [x + 80, 5_800_000],
        [x, 5_800_000],
      ],
    ]
    return JSON.stringify({ attributes: { id, name, area, sown }, geometry: { rings } })
  })
  const fields = ['id', 'name', 'area', 'sown'].map((name) => ({ name, type: 'esriFieldTypeString' }))
  const opening = { geometryType: 'esriGeometryPolygon', spatialReference: { wkid: 2193 }, fields, features: [] }
  return JSON.stringify(opening).replace('"features":[]', `"features":[\n${features.join(',\n')}\n]`)
}

function book(count: number, bookType: 'biff8' | 'xlsb' | 'xlsx' | 'ods'): Uint8Array {
  const cells = paddocks(count).map(({ id, name, area, sown }) => [id, name, area, sown])
  const sheet = XLSX.utils.aoa_to_sheet([['id', 'name', 'area', 'sown'], ...cells])
  const workbook = XLSX.utils.book_new()
  XLSX.utils.book_append_sheet(workbook, sheet, 'Paddocks')
  return new Uint8Array(
    XLSX.write(workbook, { type: 'array', bookType, bookSST: true, compression: true }) as ArrayBuffer,
  )
}

/** A zipped shapefile, packed without compression so that cutting it short cuts the layer short too. */
function shapefileZip(count: number): Uint8Array {
  const rows = paddocks(count)
  const shapes = rows.map(({ id }) => {
    const x = 175 + Number(id) / 1000
    return partsContent(5, [
      [
        [x, -38],
        [x, -37.999],
        [x + 0.001, -38],
        [x, -38],
      ],
    ])
  })
  const table = dbfBytes({
    fields: [
      { name: 'id', letter: 'C', width: 8 },
      { name: 'name', letter: 'C', width: 40 },
    ],
    rows: rows.map(({ id, name }) => ({ cells: [id, name] })),
  })
  return zipBytes([
    { name: 'paddocks.shp', bytes: shpBytes(shapes), method: 0 },
    { name: 'paddocks.dbf', bytes: table, method: 0 },
    { name: 'paddocks.cpg', bytes: 'UTF-8', method: 0 },
  ])
}

function kmlText(count: number): string {
  const placemarks = paddocks(count).map(({ id, name, area, sown }) => {
    const x = 175 + Number(id) / 1000
    const data = Object.entries({ id, area, sown }).map(
      ([key, value]) => `<Data name="${key}"><value>${value}</value></Data>`,
    )
    return `<Placemark><name>${name}</name><ExtendedData>${data.join('')}</ExtendedData><Polygon><outerBoundaryIs><LinearRing>
      <coordinates>${x},-38,0 ${x + 0.001},-38,0 ${x + 0.001},-37.999,0 ${x},-38,0</coordinates>
      </LinearRing></outerBoundaryIs></Polygon></Placemark>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>Rimu Farm</name>\n${placemarks.join('\n')}\n</Document></kml>\n`
}

function geoPackage(count: number): Uint8Array {
  const rows = paddocks(count).map(({ id, name, area, sown }, index) => {
    const x = 1_800_000 + index * 100
    const y = 5_800_000
    const ring = [
      [x, y],
      [x + 80, y],
      [x, y + 80],
      [x, y],
    ] as const
    return [index + 1, id, name, area, sown, geometryBlob(polygonWkb([ring]))]
  })
  return packageBytes({
    sql: layerSql('id TEXT, name TEXT, area DOUBLE, sown DATE'),
    insert: { into: 'paddocks', rows },
  })
}

/** A file of one format, by the number of its rows. */
export type Fixture = {
  readonly format: string
  readonly name: string
  readonly isText: boolean
  readonly make: (count: number) => Uint8Array
}

/** At least one file for each format that can be read. */
export const fixtures: readonly Fixture[] = [
  { format: 'csv', name: 'paddocks.csv', isText: true, make: (count) => bytesOf(csvText(count)) },
  { format: 'geojson', name: 'paddocks.geojson', isText: true, make: (count) => bytesOf(collectionText(count)) },
  {
    format: 'geojson',
    name: 'paddocks.ndjson',
    isText: true,
    make: (count) => bytesOf(`${paddocks(count).map(feature).join('\n')}\n`),
  },
  {
    format: 'geojson',
    name: 'paddocks.geojsons',
    isText: false,
    make: (count) =>
      bytesOf(
        paddocks(count)
          .map((each) => `\x1e${feature(each)}\n`)
          .join(''),
      ),
  },
  { format: 'arcgis-json', name: 'query.json', isText: true, make: (count) => bytesOf(arcgisText(count)) },
  { format: 'kml', name: 'paddocks.kml', isText: true, make: (count) => bytesOf(kmlText(count)) },
  {
    format: 'kml',
    name: 'paddocks.kmz',
    isText: false,
    make: (count) => zipBytes([{ name: 'doc.kml', bytes: kmlText(count) }]),
  },
  { format: 'geopackage', name: 'paddocks.gpkg', isText: false, make: geoPackage },
  { format: 'shapefile', name: 'paddocks.zip', isText: false, make: shapefileZip },
  { format: 'workbook', name: 'paddocks.xls', isText: false, make: (count) => book(count, 'biff8') },
  { format: 'workbook', name: 'paddocks.xlsb', isText: false, make: (count) => book(count, 'xlsb') },
  { format: 'xlsx', name: 'paddocks.xlsx', isText: false, make: (count) => book(count, 'xlsx') },
  { format: 'workbook', name: 'paddocks.ods', isText: false, make: (count) => book(count, 'ods') },
]

/** All rows of a table. */
export async function rowsOf(table: Table, signal?: AbortSignal): Promise<Row[]> {
  const rows: Row[] = []
  for await (const batch of table.batches(signal)) rows.push(...batch)
  return rows
}

/** The only table of a list. */
export function only(tables: readonly Table[]): Table {
  if (tables.length !== 1) throw new Error(`expected one table, got ${tables.length}`)
  return tables[0]!
}

/** A target that keeps its bytes in memory. */
export function memoryTarget(name: string): Target & { bytes(): Buffer; text(): string } {
  const parts: Buffer[] = []
  let position = 0
  const bytes = (): Buffer => Buffer.concat(parts)
  return {
    path: name,
    name,
    write(chunk) {
      const part = Buffer.from(chunk as Uint8Array)
      parts.push(part)
      position += part.length
      return Promise.resolve()
    },
    commit: () => Promise.resolve({ path: name, bytes: position }),
    abandon: () => Promise.resolve(),
    bytes,
    text: () => bytes().toString('utf8'),
  }
}

/** A table to be written, made of rows without places. */
export function outTable(
  rows: readonly Omit<Row, 'at'>[],
  more: Partial<OutTable> & Pick<OutTable, 'columns'>,
): OutTable {
  return {
    name: 'Paddocks',
    hasGeometry: false,
    async *rows() {
      for (let from = 0; from < rows.length; from += 100)
        yield rows
          .slice(from, from + 100)
          .map((row, index) => ({ at: { source: 'service', row: from + index }, ...row }))
    },
    ...more,
  }
}
