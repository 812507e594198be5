import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { collection, rimu, startFarm, type Farm } from './farm.ts'

let farm: Farm
beforeEach(async () => {
  farm = await startFarm()
})
afterEach(() => farm.close())

const apart = (more = '') => `windrow: 1
import: plots
from: { file: map.geojson }
holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }
key: <ID>
record: { name: <NAME>, totalArea: measured }
geometry: { multipart: explode }
${more}`

const square = (west: number, size: number): number[][] => [
  [west, -37.8],
  [west + size, -37.8],
  [west + size, -37.8 + size],
  [west, -37.8 + size],
  [west, -37.8],
]

const [small, large, middle] = [square(175.3, 0.001), square(175.31, 0.003), square(175.32, 0.002)]

const feature = (ID: string, ...rings: number[][][]): object => ({
  type: 'Feature',
  properties: { ID, NAME: `Paddock ${ID}` },
  geometry:
    rings.length === 1
      ? { type: 'Polygon', coordinates: rings }
      : { type: 'MultiPolygon', coordinates: rings.map((ring) => [ring]) },
})

const areas = async (): Promise<Record<string, unknown>> =>
  Object.fromEntries(
    [...(await farm.held('plots')).values()].map((body) => [
      (body['meta'] as { sourceId: { id: string } }).sourceId.id.slice(`${rimu.id}/`.length),
      Math.round((body['totalArea'] as { measurement: number }).measurement / 1e4),
    ]),
  )

describe('a boundary of several parts', () => {
  test('becomes a record per part, the largest with the key of the row, and the counts are of parts', async () => {
    farm.write('map.geojson', collection([feature('1', square(175.29, 0.001)), feature('2', small, large, middle)]))
    const report = await farm.run(apart())
    expect(report).toMatchObject({ exit: 0, rows: { read: 4, ready: 4 }, records: { created: 4 } })
    expect(report.problems.find(({ code }) => code === 'parts-apart')?.first[0]?.message).toBe(
      "1 row has a boundary of several parts; these became 3 records. Each part counts as a row here. The largest part has the row's key, the others the same key with ~2, ~3 ...",
    )
    expect(await areas()).toEqual({ '1': 1, '2': 9, '2~2': 4, '2~3': 1 })
  })

  test('keeps its keys in another order of the parts', async () => {
    farm.write('map.geojson', collection([feature('2', small, large, middle)]))
    await farm.run(apart())
    farm.write('map.geojson', collection([feature('2', middle, small, large)]))
    expect(await farm.run(apart())).toMatchObject({ rows: { read: 3, unchanged: 3 }, records: { ready: 0 } })
  })

  test('that gets a small part more keeps the others as they are', async () => {
    farm.write('map.geojson', collection([feature('2', large)]))
    await farm.run(apart())
    farm.write('map.geojson', collection([feature('2', small, large)]))
    expect(await farm.run(apart())).toMatchObject({ records: { created: 1, unchanged: 1, updated: 0 } })
    expect(await areas()).toEqual({ '2': 9, '2~2': 1 })
  })

  test('that loses a part has that one deleted where the pipeline says so', async () => {
    farm.write('map.geojson', collection([feature('2', small, large)]))
    await farm.run(apart('gone: delete\nrules: { deletes: stop above 100 % }'))
    farm.write('map.geojson', collection([feature('2', large)]))
    expect(await farm.run(apart('gone: delete\nrules: { deletes: stop above 100 % }'))).toMatchObject({
      gone: { deleted: 1 },
    })
    expect(await areas()).toEqual({ '2': 9 })
  })

  test('of which one cannot be used goes back as a whole row, while the others go out', async () => {
    const tie = [
      [175.33, -37.8],
      [175.334, -37.796],
      [175.334, -37.8],
      [175.33, -37.796],
      [175.33, -37.8],
    ]
    farm.write('map.geojson', collection([feature('2', tie, small)]))
    const report = await farm.run(apart())
    expect(report).toMatchObject({ exit: 3, rows: { read: 2, ready: 1, rejected: 1 } })
    const rejected = JSON.parse(farm.read(report.files['rejected']!)) as {
      features: { geometry: { type: string; coordinates: unknown[] } }[]
    }
    expect(rejected.features.map(({ geometry }) => [geometry.type, geometry.coordinates.length])).toEqual([
      ['MultiPolygon', 2],
    ])
  })
})

test('of a collection the polygons are taken apart, and a label beside them is reported', async () => {
  const members = [
    { type: 'Polygon', coordinates: [small] },
    { type: 'Point', coordinates: [175.3, -37.8] },
    { type: 'Polygon', coordinates: [large] },
  ]
  const shape = { type: 'GeometryCollection', geometries: members }
  farm.write('map.geojson', collection([{ type: 'Feature', properties: { ID: '7', NAME: 'Bush' }, geometry: shape }]))
  const report = await farm.run(apart())
  expect(report.problems.map(({ code }) => code)).toEqual(expect.arrayContaining(['parts-left-out', 'parts-apart']))
  expect(await areas()).toEqual({ '7': 9, '7~2': 1 })
})
