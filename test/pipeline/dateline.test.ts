import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { collection, rimu, startFarm, type Farm } from './farm.ts'

let farm: Farm
beforeEach(async () => {
  farm = await startFarm()
})
afterEach(() => farm.close())

const field = (id: string, west: number, east: number): object => ({
  type: 'Feature',
  properties: { ID: id },
  geometry: {
    type: 'Polygon',
    coordinates: [
      [
        [west, -16.8],
        [east, -16.8],
        [east, -16.79],
        [west, -16.79],
        [west, -16.8],
      ],
    ],
  },
})

test('a farm across 180 degrees is one place in report and map, and its fields are cut there', async () => {
  farm.write(
    'taveuni.geojson',
    collection([field('1', 179.97, 179.98), field('2', 179.995, -179.995), field('3', 180.01, 180.02)]),
  )
  const report = await farm.run(`windrow: 1
import: plots
from: { file: taveuni.geojson }
holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }
key: <ID>
record: { name: <ID>, totalArea: measured }`)
  expect(report).toMatchObject({ exit: 0, records: { created: 3 } })
  expect(report.source.bbox).toEqual([179.97, -16.8, -179.98, -16.79])
  const published = farm.posted().flat() as unknown as readonly {
    readonly name: string
    readonly centroid: { readonly coordinates: readonly number[] }
    readonly totalArea: { readonly measurement: number }
    readonly spatialFeature: { readonly geometry: { readonly type: string; readonly coordinates: unknown } }
  }[]
  const [, across, beyond] = published
  expect(across!.spatialFeature.geometry).toMatchObject({ type: 'MultiPolygon' })
  expect(Math.abs(across!.centroid.coordinates[0]!)).toBeCloseTo(180, 9)
  expect(across!.totalArea.measurement).toBeCloseTo(published[0]!.totalArea.measurement, 1)
  expect(beyond!.spatialFeature.geometry).toMatchObject({ type: 'Polygon' })
  expect(beyond!.centroid.coordinates[0]).toBeCloseTo(-179.985, 9)
  const page = readFileSync(report.files['page']!, 'utf8')
  // Five hundredths of a degree wide and one tall: drawn around the earth it would be a hair.
  const [, width, height] = /viewBox="-16 -16 (\d+) (\d+)"/.exec(page)!
  expect((Number(width) - 32) / (Number(height) - 84 - 32)).toBeCloseTo(5 * Math.cos((16.795 * Math.PI) / 180), 1)
})
