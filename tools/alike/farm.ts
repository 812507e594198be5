/** Draws an invented farm and writes it in the ways in which other programs do: the same bytes each time. */

import proj4 from 'proj4'
import * as XLSX from 'xlsx'
import { zipBytes } from '../../test/core/zip-bytes.ts'
import { dbfBytes, partsContent, shpBytes } from '../../test/formats/shapefile/made-files.ts'
import type { Files } from './trial.ts'

export type Point = readonly [x: number, y: number]

export type Paddock = {
  readonly id: string
  readonly name: string
  readonly crop: string
  readonly sown: string
  /** In hectares. */
  readonly area: string
  /** Longitude and latitude, counterclockwise and closed. */
  readonly ring: readonly Point[]
}

export type Cells = readonly (readonly (string | number)[])[]

const names = ['Kānuka', 'Woolshed', 'Top Flat', 'Ōhau', 'River', 'Hāngī', 'Bull', 'Pōhutukawa', 'Back hill', 'Swamp']
const crops = ['Ryegrass', 'Lucerne', 'Maize', 'Ryegrass', 'Plantain']
const metre = 1 / 111_320

/** Paddocks in rows of five with common fences, the first with its south-west corner here. */
export function drawFarm([west, south]: Point, count = 10): readonly Paddock[] {
  const east = metre / Math.cos((south * Math.PI) / 180)
  const x = (column: number): number => west + (column * 190 + (column % 2) * 45) * east
  const y = (row: number): number => south + (row * 160 + (row % 2) * 30) * metre
  return Array.from({ length: count }, (_, index) => {
    const [column, row] = [index % 5, Math.floor(index / 5)]
    const corners = [
      [x(column), y(row)],
      [x(column + 1), y(row)],
      [x(column + 1), y(row + 1)],
      [x(column), y(row + 1)],
    ].map(([lon, lat]) => [round(lon!), round(lat!)] as const)
    const area = ((x(column + 1) - x(column)) / east) * ((y(row + 1) - y(row)) / metre)
    return {
      id: String(index + 1).padStart(2, '0'),
      name: names[index] ?? `Block ${index + 1}`,
      crop: crops[index % crops.length]!,
      sown: `2026-0${(index % 8) + 1}-1${index % 10}`,
      area: (area / 10_000).toFixed(2),
      ring: [...corners, corners[0]!],
    }
  })
}

/** The western and the eastern half of a paddock that was split. */
export function halves(paddock: Paddock): readonly [Paddock, Paddock] {
  const [southWest, southEast, northEast, northWest] = paddock.ring as [Point, Point, Point, Point]
  const middle = (southWest[0] + southEast[0]) / 2
  const [south, north]: [Point, Point] = [
    [middle, southWest[1]],
    [middle, northWest[1]],
  ]
  return [
    {
      ...paddock,
      id: `${paddock.id}A`,
      name: `${paddock.name} A`,
      ring: [southWest, south, north, northWest, southWest],
    },
    { ...paddock, id: `${paddock.id}B`, name: `${paddock.name} B`, ring: [south, southEast, northEast, north, south] },
  ]
}

/** The farm as a table with a row of names above. */
export function tableOf(paddocks: readonly Paddock[]): string[][] {
  return [
    ['ID', 'Name', 'Crop', 'Sown', 'Area (ha)'],
    ...paddocks.map(({ id, name, crop, sown, area }) => [id, name, crop, sown, area]),
  ]
}

export function csv(rows: Cells, delimiter = ','): string {
  const quoted = (cell: string): string =>
    cell.includes(delimiter) || /["\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
  return rows.map((row) => `${row.map((cell) => quoted(String(cell))).join(delimiter)}\r\n`).join('')
}

type Named = Readonly<Record<string, string | number | null>>

const usual = ({ id, name, crop, area }: Paddock): Named => ({ ID: id, NAME: name, CROP: crop, AREA_HA: Number(area) })

export function geojson(paddocks: readonly Paddock[], properties: (paddock: Paddock) => Named = usual): string {
  return collection(
    paddocks.map((each) => ({
      properties: properties(each),
      geometry: { type: 'Polygon', coordinates: [each.ring] },
    })),
  )
}

export function collection(features: readonly object[], more: object = {}): string {
  const listed = features.map((each) => JSON.stringify({ type: 'Feature', ...each }))
  return `${JSON.stringify({ type: 'FeatureCollection', ...more }).slice(0, -1)},"features":[\n${listed.join(',\n')}\n]}\n`
}

export type ShapefileOptions = {
  /** The path without an ending. */
  readonly stem?: string
  readonly prj?: string
  /** From longitude and latitude into the system of the file. */
  readonly project?: (point: Point) => Point
  readonly properties?: (paddock: Paddock) => Named
  readonly encoding?: 'latin1' | 'utf8'
}

/** The members of a shapefile. */
export function shapefile(paddocks: readonly Paddock[], options: ShapefileOptions = {}): Files {
  const { stem = 'paddocks', prj, project = (point) => point, properties = usual, encoding = 'utf8' } = options
  const rows = paddocks.map((each) => properties(each))
  const fields = Object.entries(rows[0] ?? {}).map(([name, value]) => ({
    name,
    ...(typeof value === 'number' ? { letter: 'N', width: 12, decimals: 3 } : { letter: 'C', width: 40 }),
  }))
  const shapes = paddocks.map(({ ring }) => partsContent(5, [ring.map((point) => project(point)).toReversed()]))
  return {
    [`${stem}.shp`]: shpBytes(shapes),
    [`${stem}.dbf`]: dbfBytes({
      fields,
      rows: rows.map((row) => ({ cells: Object.values(row).map(String) })),
      encoding,
    }),
    [`${stem}.cpg`]: encoding === 'utf8' ? 'UTF-8' : 'ISO-8859-1',
    ...(prj === undefined ? {} : { [`${stem}.prj`]: prj }),
  }
}

/** A projection by proj4's own words, to the millimetre. */
export function projectionTo(words: string): (point: Point) => Point {
  return ([lon, lat]) => {
    const [x = 0, y = 0] = proj4('EPSG:4326', words, [lon, lat])
    return [Math.round(x * 1000) / 1000, Math.round(y * 1000) / 1000]
  }
}

/** The text of a .prj for longitude and latitude. */
export const wgs84 =
  'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["Degree",0.0174532925199433]]'

/** From longitude and latitude into NZTM (EPSG:2193). */
export const nztm = projectionTo(
  '+proj=tmerc +lat_0=0 +lon_0=173 +k=0.9996 +x_0=1600000 +y_0=10000000 +ellps=GRS80 +units=m +no_defs',
)

export function zip(files: Files): Uint8Array {
  return zipBytes(Object.entries(files).map(([name, bytes]) => ({ name, bytes, changed: 0x5d74_6000 })))
}

/** The members of a shapefile in a zip, as one file. */
export const zipped = (...args: Parameters<typeof shapefile>): Files => ({ 'farm.zip': zip(shapefile(...args)) })

/** The table of the farm as one file, perhaps after something happened to its rows. */
export const csvFile = (paddocks: readonly Paddock[], how = (rows: string[][]): string[][] => rows): Files => ({
  'paddocks.csv': csv(how(tableOf(paddocks))),
})

/** The same paddocks with each corner elsewhere. */
export const moved = (paddocks: readonly Paddock[], how: (point: Point) => Point): readonly Paddock[] =>
  paddocks.map((each) => ({ ...each, ring: each.ring.map((point) => how(point)) }))

export function placemark({ name, ring }: Pick<Paddock, 'name' | 'ring'>, more = ''): string {
  const points = ring.map(([lon, lat]) => `${lon},${lat},0`).join(' ')
  return `<Placemark><name>${name}</name>${more}<Polygon><outerBoundaryIs><LinearRing><coordinates>${points}</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>`
}

export function kml(inside: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2"><Document>\n${inside}\n</Document></kml>\n`
}

/** A workbook with these sheets. */
export function book(sheets: Readonly<Record<string, Cells>>, bookType: 'xlsx' | 'xls' | 'ods' = 'xlsx'): Uint8Array {
  const workbook = XLSX.utils.book_new()
  for (const [name, rows] of Object.entries(sheets))
    XLSX.utils.book_append_sheet(workbook, XLSX.utils.aoa_to_sheet(rows.map((row) => [...row])), name)
  return new Uint8Array(XLSX.write(workbook, { type: 'array', bookType }) as ArrayBuffer)
}

function round(degrees: number): number {
  return Math.round(degrees * 1e7) / 1e7
}
