import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Report } from '../../src/pipeline/report/report.ts'
import { collection, rimu, startFarm, type Farm } from './farm.ts'

let farm: Farm
beforeEach(async () => {
  farm = await startFarm()
})
afterEach(() => farm.close())

/** A paddock of a hectare, so many kilometres east of the farm. */
function paddock(id: string, eastKm: number, north = 0): object {
  const [west, south] = [175.3 + eastKm / 87.9, -37.8 + north / 1e3]
  const ring = [
    [west, south],
    [west + 0.001, south],
    [west + 0.001, south + 0.0009],
    [west, south + 0.0009],
    [west, south],
  ]
  return {
    type: 'Feature',
    properties: { No: id, Name: `Paddock ${id}` },
    geometry: { type: 'Polygon', coordinates: [ring] },
  }
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at)
const paddocks = (prefix: string, count: number, eastKm: number): readonly object[] =>
  numbers(count).map((each) => paddock(`${prefix}${each}`, eastKm, each))

async function send(features: readonly object[], more = '', how: Parameters<Farm['run']>[1] = {}): Promise<Report> {
  farm.write('fields.geojson', collection(features))
  return farm.run(
    `windrow: 1
import: plots
from: { file: fields.geojson }
holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }
key: <No>
record: { name: <Name> }
${more}`,
    how,
  )
}

test('stops new boundaries that lie 115 km from those of the farm, and names the farm, both places and the distance', async () => {
  expect((await send(paddocks('A', 10, 0))).exit).toBe(0)
  const report = await send(paddocks('B', 3, 115), 'rules: { replaced: stop above 100 % }')
  expect(report).toMatchObject({ exit: 6, error: { code: 'far-from-farm' }, records: { created: 0 } })
  expect(report.error!.message).toBe(
    'fields.geojson: 3 of 3 boundaries lie 115 km or more from the plots of Rimu Farm: at -37.80, 176.61, not at -37.80, 175.30. Is this the right farm? Nothing was sent.',
  )
  expect(report.error!.hint).toContain('rules: { far: allow }')
  expect((await send(paddocks('B', 3, 115), 'rules: { replaced: stop above 100 %, far: allow }')).records.created).toBe(
    3,
  )
})

test('stops boundaries that would move 115 km, though the farm has land there', async () => {
  await send([...paddocks('A', 10, 0), paddock('far', 115)])
  const report = await send([...paddocks('A', 10, 115), paddock('far', 115, 30)])
  expect(report).toMatchObject({ exit: 6, error: { code: 'far-from-farm' } })
  expect(report.error!.message).toContain(
    '10 of 11 boundaries of Rimu Farm would move by 115 km or more, from -37.80, 175.30 to -37.80, 176.61.',
  )
})

test.each([
  ['one boundary', 1, 0],
  ['half of them', 3, 3],
])('lets %s through', async (_, far, near) => {
  await send(paddocks('A', 10, 0))
  const all = [...paddocks('A', 10, 0), ...paddocks('B', far, 115), ...paddocks('C', near, 49)]
  expect((await send(all)).exit).toBe(0)
})

describe('a boundary far from the others of its farm has a warning', () => {
  const far = ({ problems }: Report): readonly string[] =>
    problems
      .filter(({ code }) => code === 'boundary-far')
      .flatMap(({ first }) => first.map(({ at, message }) => `${at.row}: ${message}`))

  test('among the first ones, but not at the end of a chain', async () => {
    const chain = numbers(4).map((each) => paddock(`C${each}`, each * 40))
    const report = await send([...chain, paddock('away', 400), paddock('beside', 0.2)])
    expect(report).toMatchObject({ exit: 0, records: { created: 6 } })
    expect(far(report)).toEqual(['4: The boundary lies 400 km from most others of the file, at -37.79955, 179.85113.'])
  })

  test('beside those that the service has', async () => {
    await send(paddocks('A', 10, 0))
    const added = await send([...paddocks('A', 10, 0), paddock('B', 115)])
    expect(far(added)).toEqual([
      expect.stringMatching(/^10: The boundary lies 115 km from the nearest one of the farm, at /),
    ])
  })
})

test('rejects a known boundary that would move alone, unless that is allowed', async () => {
  await send(paddocks('A', 10, 0))
  const moved = [...paddocks('A', 9, 0), paddock('A9', 115)]
  const report = await send(moved)
  expect(report).toMatchObject({ exit: 3, rows: { unchanged: 9, rejected: 1 }, records: { updated: 0 } })
  expect(report.problems[0]).toMatchObject({ code: 'boundary-moved-far', first: [{ at: { row: 9 }, value: 'A9' }] })
  expect(report.problems[0]!.first[0]!.message).toBe(
    'The boundary would move by 115 km, from -37.79, 175.30 to -37.80, 176.61.',
  )
  expect(farm.posted()).toEqual([])
  expect(report.areaM2).toBeCloseTo((await send(moved.slice(0, 9))).areaM2, 3)
  expect(await send(moved, 'rules: { far: allow }')).toMatchObject({ exit: 0, records: { updated: 1 } })
})

test('stops the first boundaries of a farm where its coordinate system puts them into an ocean', async () => {
  const astray = paddocks('A', 3, -25_957)
  const report = await send(astray)
  expect(report).toMatchObject({ exit: 6, error: { code: 'far-from-farm' }, records: { created: 0 } })
  expect(report.error!.message).toContain('where no farm can be. Nothing was sent.')
  expect(report.error!.hint).toContain('If the file is right:  rules: { far: allow }')
  expect((await send(astray, 'rules: { far: allow }')).records.created).toBe(3)
  // A farm that has boundaries there is compared with those.
  expect((await send([...astray, paddock('B', -25_958)])).records.created).toBe(1)
})

test('does not compare the first boundaries of a farm', async () => {
  expect((await send(paddocks('A', 3, 0))).exit).toBe(0)
})
