import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Report } from '../../src/pipeline/report/report.ts'
import { collection, pipeline, startFarm, type Farm } from './farm.ts'

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

const send = (features: readonly object[], more = ''): Promise<Report> =>
  farm.night(collection(features), pipeline({ from: '{ file: fields.geojson }' }, more))

const messages = ({ problems }: Report, code: string): readonly string[] =>
  problems
    .filter((each) => each.code === code)
    .flatMap(({ first }) => first.map(({ at, message }) => `${at.row}: ${message}`))

test('new boundaries 115 km from those of the farm stop the run, unless that is allowed', async () => {
  expect((await send(paddocks('A', 10, 0))).exit).toBe(0)
  const report = await send(paddocks('B', 3, 115), 'rules: { replaced: stop above 100 % }')
  expect(report).toMatchObject({ exit: 6, error: { code: 'rule-stopped' }, records: { created: 0 } })
  expect(messages(report, 'far')).toEqual([
    '-1: 3 of 3 boundaries lie 115 km or more from the plots of Rimu Farm: at -37.80, 176.61, not at -37.80, 175.30. Is this the right farm?',
  ])
  const more = 'rules: { replaced: stop above 100 %, far: allow }'
  expect((await send(paddocks('B', 3, 115), more)).records.created).toBe(3)
})

test('boundaries that would move 115 km stop it, though the farm has land there', async () => {
  await send([...paddocks('A', 10, 0), paddock('far', 115)])
  const report = await send([...paddocks('A', 10, 115), paddock('far', 115, 30)])
  expect(report).toMatchObject({ exit: 6, error: { code: 'rule-stopped' } })
  expect(messages(report, 'far')[0]).toContain(
    '10 of 11 boundaries of Rimu Farm would move by 115 km or more, from -37.80, 175.30 to -37.80, 176.61.',
  )
})

test('a known boundary that would move alone is rejected, unless far land is allowed', async () => {
  await send(paddocks('A', 10, 0))
  const moved = [...paddocks('A', 9, 0), paddock('A9', 115)]
  const report = await send(moved)
  expect(report).toMatchObject({ exit: 3, rows: { unchanged: 9, rejected: 1 }, records: { updated: 0 } })
  expect(report.problems[0]).toMatchObject({ code: 'boundary-moved-far', first: [{ value: 'A9' }] })
  expect(messages(report, 'boundary-moved-far')).toEqual([
    '9: The boundary would move by 115 km, from -37.79, 175.30 to -37.80, 176.61.',
  ])
  expect(farm.posted()).toEqual([])
  expect(report.areaM2).toBeCloseTo((await send(moved.slice(0, 9))).areaM2, 3)
  expect(await send(moved, 'rules: { far: allow }')).toMatchObject({ exit: 0, records: { updated: 1 } })
})

test('a boundary far from the others of its farm has a warning, but not at the end of a chain', async () => {
  const chain = numbers(4).map((each) => paddock(`C${each}`, each * 40))
  const first = await send([...chain, paddock('away', 400), paddock('beside', 0.2)])
  expect(first).toMatchObject({ exit: 0, records: { created: 6 } })
  expect(messages(first, 'boundary-far')).toEqual([
    '4: The boundary lies 400 km from most others of the file, at -37.79955, 179.85113.',
  ])
  const added = await send([...chain, paddock('away', 400), paddock('beside', 0.2), paddock('west', -115)])
  expect(messages(added, 'boundary-far')).toEqual([
    expect.stringMatching(/^6: The boundary lies 115 km from the nearest one of the farm, at /),
  ])
})

test('the first boundaries of a farm stop the run where the coordinate system puts them into an ocean', async () => {
  const astray = paddocks('A', 3, -25_957)
  const report = await send(astray)
  expect(report).toMatchObject({ exit: 6, error: { code: 'rule-stopped' }, records: { created: 0 } })
  expect(messages(report, 'far')[0]).toContain('where no farm can be.')
  expect((await send(astray, 'rules: { far: allow }')).records.created).toBe(3)
  // A farm that has boundaries there is compared with those.
  expect((await send([...astray, paddock('B', -25_958)])).records.created).toBe(1)
})
