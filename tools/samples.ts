/**
 * Makes the files of samples/rimu-farm and the records of the demonstration service, with the same bytes each time.
 *
 *   npm run samples
 */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { workRecordsText } from './rimu-jobs.ts'
import { cropRecordsText } from './rimu-readings.ts'
import { drawPaddocks, lonLatOf, type Paddock } from './rimu-farm.ts'
import { nztmPrj, shapefileZip, type Ring } from './shapefile-zip.ts'

const folder = fileURLToPath(new URL('../samples/rimu-farm', import.meta.url))

const demo = fileURLToPath(new URL('../src/service/demo.json', import.meta.url))

/** Every sample by file name. */
export function makeSamples(): ReadonlyMap<string, Uint8Array> {
  const paddocks = drawPaddocks()
  const texts: readonly (readonly [string, string])[] = [
    ['holdings.csv', holdingsText()],
    ['rimu-paddocks.geojson', paddocksText(paddocks)],
    ['nightly.csv', nightlyText(paddocks)],
    ['land-covers.geojson', landCoversText(paddocks)],
    ['work-records.json', workRecordsText()],
    ['crop-records.json', cropRecordsText()],
  ]
  return new Map([
    ['Rimu paddocks FINAL v3.zip', paddocksZip(paddocks)],
    ...texts.map(([name, text]) => [name, Buffer.from(text)] as const),
  ])
}

const farms = [
  ['00412876', 'Rimu Farm', '121.4', '175.3062', '-37.7919'],
  ['00731190', 'Kōwhai Station', '2310', '175.8841', '-38.4127'],
] as const

function holdingsText(): string {
  return csv(',', [['FARM_NO', 'NAME', 'AREA_HA', 'LON', 'LAT'], ...farms])
}

/** The records of the service that a program has in itself: the farms, as an import of holdings.csv publishes them, and their work. */
export function demoText(): string {
  const scheme = 'nz.example.farm-number'
  const moment = '2026-09-01T00:00:00.000Z'
  const holdings = farms.map(([id, name, areaHa, lon, lat]) => ({
    resourceType: 'holdingResource',
    dataPointKey: `holdings/${scheme}/${id}/${id}`,
    name,
    totalArea: { measurement: Number(areaHa), units: 'HAR' },
    identifiers: [{ scheme, id }],
    meta: { sourceId: { scheme: `${scheme}.holdings`, id: `${id}/${id}` }, modified: moment, created: moment },
    centroid: { type: 'Point', coordinates: [Number(lon), Number(lat)] },
  }))
  return `${JSON.stringify({ holdings, records: JSON.parse(workRecordsText()) as unknown })}\n`
}

function paddocksZip(paddocks: readonly Paddock[]): Uint8Array {
  return shapefileZip({
    name: 'paddocks',
    prj: nztmPrj,
    fields: [
      { name: 'PADDOCK_ID', width: 8 },
      { name: 'NAME', width: 40 },
      { name: 'CROP', width: 8 },
      { name: 'SOWN', width: 10 },
      { name: 'AREA_HA', width: 9, decimals: 2 },
    ],
    records: paddocks.map(({ id, name, crop, sown, areaHa, rings }) => ({
      polygon: rings,
      cells: [id, name, crop, sown, areaHa],
    })),
  })
}

function paddocksText(paddocks: readonly Paddock[]): string {
  return collection(
    paddocks.map(({ id, name, crop, sown, areaHa, rings }) => ({
      properties: { PADDOCK_ID: id, NAME: name, CROP: crop, SOWN: sown, AREA_HA: Number(areaHa) },
      rings: rings.map((ring) => ring.map(lonLatOf).toReversed()),
    })),
  )
}

const cropNames: Readonly<Record<string, string>> = {
  RG: 'Ryegrass',
  LUC: 'Lucerne',
  PLN: 'Plantain',
  CHI: 'Chicory',
  FB: 'Fodder beet',
  KAL: 'Kale',
  MZ: 'Maize',
}

/** The office program's nightly file: without boundaries, with decimal commas, three crops newer than the map. */
function nightlyText(paddocks: readonly Paddock[]): string {
  const newer: Readonly<Record<string, readonly [string, string]>> = {
    '005': ['MZ', '2026-11-10'],
    '013': ['KAL', '2026-11-16'],
    '020': ['CHI', '2026-11-12'],
  }
  const rows = paddocks
    .filter(({ id }) => id !== '006' && id !== '012')
    .toSorted((one, other) => one.id.localeCompare(other.id, 'en'))
    .map(({ id, name, crop, sown, areaHa }, index) => {
      const [day = '', month = '', year = ''] = sown.split('/')
      const [code, date] = newer[id] ?? [
        crop,
        sown === '' ? '' : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`,
      ]
      const cover = (1850 + ((index * 137) % 900) / 2).toFixed(1)
      return [id, name, cropNames[code]!, date, areaHa.replace('.', ','), cover.replace('.', ',')]
    })
  return csv(';', [['Paddock no', 'Name', 'Crop', 'Sown', 'Area ha', 'Cover kg DM/ha'], ...rows])
}

/** A few land covers south of the paddocks; the bush has the number of a paddock. */
function landCoversText(paddocks: readonly Paddock[]): string {
  const south = Math.min(...paddocks.flatMap(({ rings }) => rings.flat().map(([, y]) => y))) - 20
  const west = Math.min(...paddocks.flatMap(({ rings }) => rings.flat().map(([x]) => x)))
  const covers: readonly (readonly [string, string, string, string, string])[] = [
    ['007', 'Rāhui bush', 'Forest', 'Indigenous', 'Tōtara;Kahikatea;Rimu'],
    ['C2', 'Raupō swamp', 'Wetland', 'Freshwater', 'Raupō'],
    ['C3', 'Shelter belt', 'Forest', 'Exotic', 'Radiata pine'],
    ['C4', 'House, yards & sheds', 'Built-up', '', ''],
  ]
  return collection(
    covers.map(([id, name, cover, kind, species], index) => {
      const left = west + 60 + index * 330
      const ring: Ring = [
        [left, south],
        [left, south - 120 - index * 15],
        [left + 90, south - 150],
        [left + 240 - index * 30, south - 95],
        [left + 255 - index * 20, south - 10],
        [left, south],
      ]
      return {
        properties: { COVER_ID: id, NAME: name, COVER: cover, KIND: kind, SPECIES: species },
        rings: [ring.map(lonLatOf)],
      }
    }),
  )
}

function collection(features: readonly { readonly properties: object; readonly rings: readonly Ring[] }[]): string {
  const lines = features.map(({ properties, rings }) =>
    JSON.stringify({ type: 'Feature', properties, geometry: { type: 'Polygon', coordinates: rings } }),
  )
  return `{"type":"FeatureCollection","features":[\n${lines.join(',\n')}\n]}\n`
}

function csv(delimiter: string, rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.join(delimiter)}\r\n`).join('')
}

if (import.meta.main) {
  mkdirSync(folder, { recursive: true })
  for (const [name, bytes] of makeSamples()) writeFileSync(join(folder, name), bytes)
  writeFileSync(demo, demoText())
}
