import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Report } from '../../src/pipeline/report/report.ts'
import { collection, kowhai, paddock, rimu, startFarm, type Farm } from './farm.ts'

let farm: Farm
beforeEach(async () => {
  farm = await startFarm()
})
afterEach(() => farm.close())

type Row = readonly [no: string, name: string, crop: string, areaHa: number]

const home: readonly Row[] = [
  ['1', 'Woolshed', 'Ryegrass', 5.23],
  ['2', 'Kānuka', 'Ryegrass', 4.94],
  ['3', 'Swamp', 'Plantain', 5.29],
  ['4', 'Tōtara', 'Maize', 4.9],
  ['5', 'Front flat', 'Kale', 5.53],
]
const away: readonly Row[] = [
  ['1', 'Gully', 'Barley', 12.1],
  ['2', 'Ridge', 'Wheat', 8.4],
  ['3', 'Airstrip', 'Ryegrass', 20],
  ['4', 'Quarry', 'Barley', 3.3],
  ['9', 'Yards', 'Ryegrass', 1.9],
]

const text = (rows: readonly Row[], header = 'No,Name,Crop,Area'): string =>
  `${[header, ...rows.map((row) => row.join(','))].join('\n')}\n`
const send = (file: string, more = '', how: Parameters<Farm['run']>[1] = {}): Promise<Report> => {
  farm.write('paddocks.csv', file)
  return farm.run(
    `windrow: 1
import: plots
from: { file: paddocks.csv }
holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }
key: <No>
record: { name: <Name>, crops: [{ name: <Crop> }], totalArea: { from: Area, unit: ha } }
${more}`,
    how,
  )
}

describe('a file that gives most known records another name', () => {
  test('and another crop or area is stopped as that of another farm', async () => {
    expect((await send(text(home))).exit).toBe(0)
    const report = await send(text(away))
    expect(report).toMatchObject({ exit: 6, error: { code: 'records-renamed' }, records: { updated: 0 } })
    expect(report.error!.message).toBe(
      'paddocks.csv: 4 of the 4 known plots in the file would get another name, and 4 of them other values too: ' +
        '"Woolshed" (1) would become "Gully", "Kānuka" (2) would become "Ridge", "Swamp" (3) would become "Airstrip". ' +
        'Is this the file of another farm, or have the ids moved to other rows? Nothing was sent.',
    )
    expect(report.error!.hint).toContain('rules: { renamed: allow }')
    expect((await send(text(away), 'rules: { renamed: allow }')).records.updated).toBe(4)
  })

  test('because the headers of name and crop are swapped is stopped, and says so', async () => {
    await send(text(home))
    const report = await send(text(home, 'No,Crop,Name,Area'))
    expect(report).toMatchObject({ exit: 6, error: { code: 'rule-stopped' } })
    expect(report.error!.message).toContain('Did the columns move, or lose their values?')
  })

  test.each<[string, readonly Row[]]>([
    ['and nothing else', home.map(([no, , crop, area], at): Row => [no, away[at]![1], crop, area])],
    [
      'and rounds the areas',
      home.map(([no, , crop, area], at): Row => [no, away[at]![1], crop, Number(area.toFixed(1))]),
    ],
    ['by a word more, and new crops', home.map(([no, name, , area]): Row => [no, `0${no} ${name}`, 'Oats', area])],
    ['in other spelling, and new crops', home.map(([no, name, , area]): Row => [no, name.toUpperCase(), 'Oats', area])],
  ])('%s is published', async (_, rows) => {
    await send(text(home))
    expect(await send(text(rows))).toMatchObject({ exit: 0, records: { updated: 5 } })
  })

  test('is published if it renames and resows some of many', async () => {
    await send(text(home))
    const rows = [...away.slice(0, 3), ...home.slice(3)]
    expect(await send(text(rows))).toMatchObject({ exit: 0, records: { updated: 3, unchanged: 2 } })
  })
})

describe('of a file with several farms', () => {
  const sendAll = (own: readonly Row[], next: readonly Row[]): Promise<Report> => {
    const ofFarm = (id: string, rows: readonly Row[]): string[] => rows.map((row) => [id, ...row].join(','))
    farm.write(
      'farms.csv',
      `Farm,No,Name,Crop,Area\n${[...ofFarm(rimu.id, own), ...ofFarm(kowhai.id, next)].join('\n')}\n`,
    )
    return farm.run(`windrow: 1
import: plots
from: { file: farms.csv }
holding: { scheme: ${rimu.scheme}, id: <Farm> }
key: <No>
record: { name: <Name>, crops: [{ name: <Crop> }], totalArea: { from: Area, unit: ha } }`)
  }
  // So many that the other farm is a small share of the file.
  const large = Array.from({ length: 40 }, (_, at): Row => [`${at}`, `Block ${at}`, 'Vines', 2 + at])

  test('the rows of one that are those of another farm stop it', async () => {
    expect((await sendAll(large, home)).exit).toBe(0)
    const report = await sendAll(large, away)
    expect(report).toMatchObject({ exit: 6, error: { code: 'records-renamed' }, records: { updated: 0 } })
    expect(report.error!.message).toContain(
      `4 of the 4 known plots of ${kowhai.scheme}:${kowhai.id} in the file would get another name, and 4 of them other values too`,
    )
    expect(report.error!.message).toContain('Are these the rows of another farm')
  })

  test('one that renames some and resows others is published', async () => {
    await sendAll(large, home)
    const next = [...away.slice(0, 3), ...home.slice(3)]
    expect(await sendAll(large, next)).toMatchObject({ exit: 0, records: { updated: 3, unchanged: 42 } })
  })
})

describe('boundaries', () => {
  const sendMap = (features: readonly object[]): Promise<Report> => {
    farm.write('map.geojson', collection(features))
    return farm.run(`windrow: 1
import: plots
from: { file: map.geojson }
holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }
key: <No>
record: { name: <Name>, crops: [{ name: <Crop> }] }`)
  }
  const map = (rows: readonly Row[], east: number): readonly object[] =>
    rows.map(([, Name, Crop], at) => paddock(at + east, { No: `${at + 1}`, Name, Crop }))

  test('on the same land let a renaming with new crops through', async () => {
    await sendMap(map(home, 0))
    expect(await sendMap(map(away, 0))).toMatchObject({ exit: 0, records: { updated: 5 } })
  })

  test('on other land do not: it is the farm next door', async () => {
    await sendMap(map(home, 0))
    expect(await sendMap(map(away, 40))).toMatchObject({ exit: 6, error: { code: 'records-renamed' } })
  })

  const numbered = (count: number): readonly Row[] =>
    Array.from({ length: count }, (_, at): Row => [`${at}`, `${at + 1}`, 'Ryegrass', 1])

  test.each([5, 1])('on other land do not, though %i have the names and crops of the farm next door', async (count) => {
    await sendMap(map(numbered(count), 0))
    const report = await sendMap(map(numbered(count), 40))
    expect(report).toMatchObject({ exit: 6, error: { code: 'records-renamed' }, records: { updated: 0 } })
    expect(report.error!.message).toContain(
      `${count} of the ${count} known plots in the file would move to other land: "1" (1)`,
    )
  })

  test('that moved for half of the known records are published', async () => {
    await sendMap(map(numbered(6), 0))
    const moved = map(numbered(6), 40)
    expect(await sendMap([...map(numbered(3), 0), ...moved.slice(3)])).toMatchObject({
      exit: 0,
      records: { updated: 3 },
    })
  })

  test('and names that two records get from the next ones, as ids that count rows do when one goes, are stopped', async () => {
    const all = numbered(12)
    await sendMap(map(all, 0))
    const left = map(all, 0)
      .filter((_, at) => at !== 9)
      .map((feature, at) => ({
        ...feature,
        properties: { ...(feature as { properties: object }).properties, No: `${at + 1}` },
      }))
    const report = await sendMap(left)
    expect(report).toMatchObject({ exit: 6, error: { code: 'rule-stopped' }, records: { updated: 0 } })
    expect(report.error!.message).toContain(
      '1 of the 2 records whose names changed would get the name and the boundary of another record (row 9: "10" would become "11").',
    )
  })
})
