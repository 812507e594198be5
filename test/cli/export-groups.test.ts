/** Exports records with a sheet for each group, and rates in the units that a person chose. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Values } from '../../src/core/row.ts'
import { bufferSource, fileSource, readAll } from '../../src/core/sources/source.ts'
import { membersOfZip } from '../../src/core/sources/zip.ts'
import { openFile } from '../../src/formats/index.ts'
import { xlsx } from '../../src/formats/xlsx.ts'
import { writeRecords } from '../../src/pipeline/export-run.ts'
import { workRecord } from '../../src/resources/work-record.ts'
import { after } from '../resources/fixtures/flat-rows.ts'
import { startWorld, type Ran, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = startWorld()
  await world.publishFarms()
  await world.run(['run', 'pipelines/onboard-paddocks.yaml'])
})
afterAll(() => world.close())

const exported = (file: string, ...words: readonly string[]): Promise<Ran> =>
  world.run(['export', 'work-records', '--zone', 'Pacific/Auckland', '-o', file, '--force', ...words])

async function sheetsOf(file: string): Promise<ReadonlyMap<string, readonly Values[]>> {
  const { tables, close } = await openFile(await fileSource(join(world.folder, file)))
  const sheets = new Map<string, readonly Values[]>()
  for (const table of tables) {
    const rows: Values[] = []
    for await (const batch of table.batches()) rows.push(...batch.map(({ values }) => values))
    sheets.set(table.name, rows)
  }
  await close()
  return sheets
}

async function grouped(...words: readonly string[]): Promise<ReadonlyMap<string, readonly Values[]>> {
  const { exit, failure } = await exported('groups.xlsx', '--force', ...words)
  expect(exit, failure?.message).toBe(0)
  return sheetsOf('groups.xlsx')
}

const sum = (rows: readonly Values[], column: string): number =>
  Number(rows.reduce((all, row) => all + Number(row[column] ?? 0), 0).toPrecision(12))

describe('a sheet for each group', () => {
  test.each([
    ['month', ['2026-09', '2026-10', '2026-11']],
    ['year', ['2026']],
    ['Farm', ['Kōwhai Station', 'Rimu Farm']],
    ['holding', ['Kōwhai Station', 'Rimu Farm']],
  ])('of the diary by %s', async (by, names) => {
    await exported('whole.xlsx')
    const whole = [...(await sheetsOf('whole.xlsx')).values()].flat()
    const sheets = await grouped('--set', `to.groupBy=${by}`)
    expect([...sheets.keys()]).toEqual(names)
    const rows = [...sheets.values()].flat()
    expect(rows).toHaveLength(whole.length)
    for (const row of whole) expect(rows).toContainEqual(row)
    expect(sum(rows, 'Area treated (ha)')).toBe(sum(whole, 'Area treated (ha)'))
    for (const [name, own] of sheets)
      expect(own.every((row) => (row['Date'] as string).startsWith(name) || row['Farm'] === name)).toBe(true)
  })

  test('by plot or product has all of its rows, in the order of their days, the sheet without a value last', async () => {
    expect([...(await grouped('--set', 'to.groupBy=plot')).keys()]).toContain('Rāhui')
    const sheets = await grouped('--set', 'to.groupBy=product')
    // Mixes of the same products are one group, whatever their shares.
    expect([...sheets.keys()].filter((name) => name.includes('%'))).toEqual([])
    expect([...sheets.keys()].at(-1)).toBe('No product')
    for (const rows of sheets.values()) {
      const days = rows.map((row) => row['Date'] as string)
      expect(days).toEqual(days.toSorted())
    }
  })

  test('keeps its columns, its order and its filters', async () => {
    const sheets = await grouped(
      '--set',
      'to.groupBy=month',
      '--set',
      'to.columns=[Paddock, Area treated=Area]',
      '--set',
      'to.sort=Paddock desc',
    )
    const rows = sheets.get('2026-11')!
    expect(Object.keys(rows[0]!)).toEqual(['Paddock', 'Area'])
    const names = rows.map((row) => row['Paddock'] as string)
    expect(names).toEqual(names.toSorted(new Intl.Collator('en').compare).toReversed())
  })

  test('of other records, by their own columns', async () => {
    const { exit, failure, out } = await world.run([
      'export',
      'plots',
      '-o',
      'plots.xlsx',
      '--set',
      'to.groupBy=Crop 1 name',
    ])
    expect(exit, failure?.message).toBe(0)
    const sheets = await sheetsOf('plots.xlsx')
    expect(sheets.size).toBeGreaterThan(2)
    expect([...sheets.values()].flat()).toHaveLength(22)
    for (const [name, rows] of sheets) for (const row of rows) expect(row['Crop 1 name'] ?? 'No crop 1 name').toBe(name)
    expect(out.match(/The boundaries/g)).toHaveLength(1)
  })

  test('is in a pipeline too, and in its check', async () => {
    const yaml = (more: string): string => `windrow: 1\nexport: work-records\nzone: Pacific/Auckland\n${more}\n`
    writeFileSync(
      join(world.folder, 'groups.yaml'),
      yaml('units: { rate: "gal (US)/ac" }\nto: { file: piped.xlsx, groupBy: month }'),
    )
    const { exit, failure } = await world.run(['run', 'groups.yaml'])
    expect(exit, failure?.message).toBe(0)
    const sheets = await sheetsOf('piped.xlsx')
    expect([...sheets.keys()]).toEqual(['2026-09', '2026-10', '2026-11'])
    expect(sheets.get('2026-10')![0]).toMatchObject({ Rate: '0.26727 gal (US)/ac' })
    writeFileSync(join(world.folder, 'wrong.yaml'), yaml('units: { rate: gal/ac }\nto: { file: x.xlsx }'))
    const checked = await world.run(['check', 'wrong.yaml'])
    expect(checked.out + checked.failure?.message).toContain('"gal/ac" is not a unit of rates.')
  })

  test('is by a column in which no record has anything, too: another night has', async () => {
    const sheets = await grouped(
      '--only',
      'operation=fertilizing',
      '--set',
      'to.groupBy=Registration',
      '--set',
      'to.sort=Weather',
    )
    expect([...sheets.keys()]).toEqual(['No registration'])
    expect(sheets.get('No registration')!.length).toBeGreaterThan(0)
  })

  test.each([
    [['-o', 'x.csv', '--set', 'to.groupBy=Farm'], 'Groups are sheets of a workbook; this format has one table.'],
    [
      ['-o', 'x.xlsx', '--set', 'to.groupBy=Farm', '--set', 'to.layout=linked'],
      'Of work records, only the diary can be grouped.',
    ],
    [['-o', 'x.xlsx', '--set', 'to.groupBy=Fram'], 'There is no column "Fram" in this export.'],
    [
      ['-o', 'x.geojson', '--set', 'units.rate=L/ha'],
      'Only the diary of work records has rates with a unit of their own.',
    ],
    [['-o', 'x.xlsx', '--set', 'units.rate=gal/ac'], '"gal/ac" is not a unit of rates.'],
    [['-o', 'x.xlsx', '--set', 'units.rate=km/h'], '"km/h" is not a unit of rates.'],
  ])('%j is refused', async (words, message) => {
    const { exit, failure } = await world.run(['export', 'work-records', ...words])
    expect([exit, failure?.message]).toEqual([2, expect.stringContaining(message)])
    expect(failure?.hint).toBeTruthy()
  })
})

test('a job in two groups has its area once on each sheet, and the totals say it for each', async () => {
  const product = (name: string): object => ({
    applicationTotal: { measurement: 4, units: 'LTR' },
    components: [{ percent: 100, product: { name } }],
  })
  const body = {
    operation: 'CropProtection',
    phenomenonStartTime: '2026-10-01T08:00:00+13:00',
    workedArea: { measurement: 2, units: 'HAR' },
    loggedOperations: [{ products: [product('Weedaway'), product('Stick'), product('Stick')] }],
  }
  const path = join(world.folder, 'two.xlsx')
  const job = { type: workRecord, zone: 'Pacific/Auckland', units: {}, layout: 'diary', groupBy: 'product' } as const
  const pages = async function* () {
    yield { records: [{ body }], passes: () => true }
  }
  await writeRecords({ ...job, path, format: xlsx, formatOptions: {} }, pages(), { now: new Date() })
  const areas = [...(await sheetsOf('two.xlsx'))].map(([name, rows]) => [
    name,
    rows.map((row) => row['Area treated (ha)']),
  ])
  expect(areas).toEqual([
    ['Stick', [2, null]],
    ['Weedaway', [2]],
  ])
  const members = await membersOfZip(bufferSource('two.xlsx', readFileSync(path)))
  const totals = await readAll(members.find(({ name }) => name.endsWith('sheet3.xml'))!.source, 1e6)
  const lines = [
    ...Buffer.from(totals)
      .toString()
      .matchAll(/<row [^>]*>(.*?)<\/row>/g),
  ].map(([, cells]) => [...cells!.matchAll(/<(?:t|v)(?: [^>]*)?>(.*?)<\/(?:t|v)>/g)].map(([, text]) => text))
  expect(lines).toEqual([
    ['Total of', 'Sheet', 'Name', 'Farm or registration', 'Status', 'Jobs', 'Area (ha)', 'Amount', 'Unit'],
    ['All jobs', '1', '2'],
    ['Product', 'Stick', '1', '2', '8', 'L'],
    ['Product', 'Weedaway', '1', '2', '4', 'L'],
    ['Paddock', '1', '2'],
    ['All jobs', 'Stick', '1', '2'],
    ['Product', 'Stick', 'Stick', '1', '2', '8', 'L'],
    ['Paddock', 'Stick', '1', '2'],
    ['All jobs', 'Weedaway', '1', '2'],
    ['Product', 'Weedaway', 'Weedaway', '1', '2', '4', 'L'],
    ['Paddock', 'Weedaway', '1', '2'],
  ])
})

test('plots of two farms with one name are on two sheets, by the ids of the farms', async () => {
  const two = startWorld()
  writeFileSync(join(two.folder, 'farms.csv'), 'Farm,Name\nA1,Home\nA2,Home\n')
  writeFileSync(join(two.folder, 'plots.csv'), 'No,Name,Farm\n1,House,A1\n2,House,A2\n3,Top,A2\n')
  const farm = ['--holding', 'nz.example.farm-number:<Farm>']
  await two.run(['import', 'farms.csv', '--to', 'holdings', '--key', 'Farm', ...farm])
  expect((await two.run(['import', 'plots.csv', '--to', 'plots', '--key', 'No', ...farm])).out).toContain('3 created')
  const { out } = await two.run(['export', 'plots', '-o', 'plots.xlsx', '--set', 'to.groupBy=Farm'])
  expect(out).toContain('Home (A1): 1 row, Home (A2): 2 rows')
  const { failure } = await two.run(['export', 'plots', '-o', 'home.xlsx', '--holding', 'Home'])
  expect(failure?.hint).toBe('Choose one of: Home (nz.example.farm-number:A1); Home (nz.example.farm-number:A2).')
  two.close()
})

describe('rates', () => {
  const rateOf = (rate: number, units: string, per: object | undefined, unit: string): unknown => {
    const application = {
      applicationRate: { measurement: rate, units },
      ...(per === undefined ? {} : { spatialMetric: per }),
    }
    const body = { loggedOperations: [{ products: [application] }] }
    return after(workRecord, [body], { layout: 'diary', units: { rate: unit } }).rows(body)[0]![0]!['Rate']
  }
  const hectare = { measurement: 1, units: 'HAR' }

  test.each([
    [2.5, 'LTR', hectare, 'gal (US)/ac', '0.26727 gal (US)/ac'],
    [2.5, 'LTR', { measurement: 100, units: 'MTK' }, 'L/ha', '250 L/ha'],
    [150, 'KGM', hectare, 'L/ha, lb/ac', '133.83 lb/ac'],
    [2.5, 'LTR', hectare, 'L/ha', '2.5 L/ha'],
    [150, 'KGM', hectare, 'gal (UK)/ac', '150 kg/ha'],
    [150, 'KGM', { measurement: 1, units: 'TNE' }, 'kg/ha', '150 kg/t'],
    [150, 'KGM', undefined, 'kg/ha', '150 kg'],
  ])('%d %s per %j in %s is "%s"', (...[rate, units, per, unit, expected]) => {
    expect(rateOf(rate, units, per, unit)).toBe(expected)
  })
})
