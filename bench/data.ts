/**
 * Makes benchmark farms: seeded paddocks in NZTM (EPSG:2193) with 5 to 60 vertices each, median 26, 5 in 100 with a hole,
 * 3 in 100 in two parts, and eight attributes with macrons.
 */

import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lonLatOf } from '../tools/rimu-farm.ts'
import { chanceFrom, type Chance } from '../tools/seeded.ts'
import {
  nztmPrj,
  shapefileZip,
  writeShapefile,
  type Field,
  type Layer,
  type Polygon,
  type Ring,
} from '../tools/shapefile-zip.ts'
import { writeText } from '../tools/write-text.ts'
import { madeOnce } from './made-once.ts'

/** One paddock: its parts, each a shell (clockwise) with its holes (counterclockwise), closed, in NZTM metres. */
export type Paddock = { readonly parts: readonly (readonly Ring[])[]; readonly cells: readonly string[] }

export type Farm = {
  readonly count: number
  /** One boundary in 100 crosses itself. */
  readonly bowTies?: boolean
}

// Raised when the paddocks change, so that older files are not used.
const edition = 1
const metresApart = 1000

const fields: readonly Field[] = [
  { name: 'PADDOCK_ID', width: 12 },
  { name: 'NAME', width: 60 },
  { name: 'FARM', width: 80 },
  { name: 'CROP', width: 40 },
  { name: 'VARIETY', width: 60 },
  { name: 'SOWN', width: 10 },
  { name: 'AREA_HA', width: 12, decimals: 2 },
  { name: 'NOTES', width: 160 },
]

const names = ['Rāhui', 'Ōtāne flat', 'Pōhutukawa', 'Kererū', 'Tūī', 'Mānuka', 'Woolshed', 'Hāngī', 'Bull paddock']
const farms = ['Rimu Farm', 'Kōwhai Station', 'Tōtara Downs', 'Ngāio Ridge Trust']
const crops = ['Ryegrass', 'Lucerne', 'Chicory', 'Plantain', 'Fodder beet', 'Kale', 'Maize']
const notes = ['', '', 'Wet at the southern end, keep heavy stock off until September', 'Drained in 2019; hāpua below']

/** The paddocks, the same ones for the same farm. */
export function* paddocksOf(farm: Farm): Generator<Paddock> {
  const chance = chanceFrom(2193)
  const across = Math.ceil(Math.sqrt(farm.count))
  for (let index = 0; index < farm.count; index += 1) {
    const middle = [
      1_500_000 + (index % across) * metresApart,
      5_300_000 + Math.floor(index / across) * metresApart,
    ] as const
    const parts = partsAround(chance, middle, farm.bowTies === true)
    yield { parts, cells: cellsOf(chance, index) }
  }
}

function partsAround(chance: Chance, [x, y]: readonly [number, number], bowTies: boolean): Paddock['parts'] {
  const kind = chance.next()
  if (bowTies && chance.next() < 0.01) return [[bowTie(x, y, chance.between(40, 120))]]
  // A closed ring repeats its first vertex, so 4 to 59 become 5 to 60; the power lowers the mean to 26.
  const vertices = 4 + Math.floor(56 * chance.next() ** 1.62)
  const size = chance.between(80, 180)
  if (kind < 0.05) return [[star(chance, [x, y], size, vertices), star(chance, [x, y], size * 0.3, 6).toReversed()]]
  if (kind >= 0.08) return [[star(chance, [x, y], size, vertices)]]
  const half = Math.max(5, Math.floor(vertices / 2))
  return [[star(chance, [x, y], size, half)], [star(chance, [x + 450, y + 90], size * 0.8, half)]]
}

/** A clockwise ring around a point that never crosses itself, because its angles only grow. */
function star(chance: Chance, [x, y]: readonly [number, number], size: number, vertices: number): Ring {
  const ring = Array.from({ length: vertices }, (_, index) => {
    const angle = (-2 * Math.PI * (index + chance.between(0, 0.8))) / vertices
    const radius = size * chance.between(0.6, 1)
    return [millimetres(x + Math.cos(angle) * radius), millimetres(y + Math.sin(angle) * radius)] as const
  })
  return [...ring, ring[0]!]
}

function bowTie(x: number, y: number, size: number): Ring {
  const corners: readonly (readonly [number, number])[] = [
    [x - size, y - size],
    [x + size, y + size],
    [x + size, y - size],
    [x - size, y + size],
    [x - size, y - size],
  ]
  return corners.map(([cornerX, cornerY]) => [millimetres(cornerX), millimetres(cornerY)] as const)
}

function millimetres(metres: number): number {
  return Math.round(metres * 1000) / 1000
}

function cellsOf(chance: Chance, index: number): readonly string[] {
  const day = String(chance.whole(1, 28)).padStart(2, '0')
  return [
    String(index + 1).padStart(7, '0'),
    `${chance.pick(names)} ${chance.whole(1, 99)}`,
    chance.pick(farms),
    chance.pick(crops),
    `Variety ${chance.whole(1, 40)}`,
    `${day}/0${chance.whole(1, 9)}/2026`,
    chance.between(0.4, 12).toFixed(2),
    chance.pick(notes),
  ]
}

/** The path of the farm as a zipped shapefile, made when missing. */
export function zipOf(folder: string, farm: Farm): Promise<string> {
  return madeOnce(fileFor(folder, farm, 'zip'), (path) => {
    const records = Array.from(paddocksOf(farm), ({ parts, cells }) => ({ polygon: parts.flat(), cells }))
    writeFileSync(path, shapefileZip({ name: 'paddocks', prj: nztmPrj, fields, records }))
  })
}

/** The path of the farm as a loose shapefile without an index, written a part at a time, made when missing. */
export async function layerOf(folder: string, farm: Farm): Promise<string> {
  const path = fileFor(folder, farm, 'shp')
  if (existsSync(path)) return path
  const layer = { name: 'paddocks', prj: nztmPrj, fields }
  const parts = partsOf(farm, 10_000)
  await writeShapefile(path.slice(0, -'.shp'.length), layer, parts)
  return path
}

function* partsOf(farm: Farm, size: number): Generator<Layer['records']> {
  let records: { readonly polygon: Polygon; readonly cells: readonly string[] }[] = []
  for (const { parts, cells } of paddocksOf(farm)) {
    records.push({ polygon: parts.flat(), cells })
    if (records.length < size) continue
    yield records
    records = []
  }
  if (records.length > 0) yield records
}

/** The path of the farm as GeoJSON in longitude and latitude, made when missing. */
export function geoJsonOf(folder: string, farm: Farm): Promise<string> {
  return madeOnce(fileFor(folder, farm, 'geojson'), (path) => writeText(path, geoJsonPieces(farm)))
}

function* geoJsonPieces(farm: Farm): Generator<string> {
  let before = '{"type":"FeatureCollection","features":[\n'
  for (const paddock of paddocksOf(farm)) {
    yield before + JSON.stringify(featureOf(paddock))
    before = ',\n'
  }
  yield '\n]}\n'
}

function featureOf({ parts, cells }: Paddock): object {
  const polygons = parts.map((rings) => rings.map((ring) => ring.map(lonLatOf).toReversed()))
  const properties = Object.fromEntries(
    fields.map(({ name, decimals }, index) => [name, decimals === undefined ? cells[index] : Number(cells[index])]),
  )
  const geometry =
    polygons.length === 1
      ? { type: 'Polygon', coordinates: polygons[0] }
      : { type: 'MultiPolygon', coordinates: polygons }
  return { type: 'Feature', properties, geometry }
}

function fileFor(folder: string, farm: Farm, ending: string): string {
  return join(folder, `paddocks-${farm.count}${farm.bowTies === true ? '-bow-ties' : ''}-${edition}.${ending}`)
}
