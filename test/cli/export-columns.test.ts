/** Exports chosen columns, under other headings, in another order, and in other units. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fileSource } from '../../src/core/sources/source.ts'
import { openFile } from '../../src/formats/index.ts'
import { records, worldWith } from './hard-records.ts'
import { startWorld, type Ran, type World } from './world.ts'

let world: World
beforeEach(async () => {
  world = startWorld()
  await world.publishFarms()
})
afterEach(() => world.close())

function exportWork(...words: readonly string[]): Promise<Ran> {
  const layout = words.some((each) => each.startsWith('to.layout=')) ? [] : ['--set', 'to.layout=flat']
  return world.run(['export', 'work-records', '--zone', 'Pacific/Auckland', ...layout, ...words])
}
const linesOf = (text: string): readonly string[] => text.replace('\uFEFF', '').trimEnd().split(/\r?\n/)

describe('columns', () => {
  test('are chosen, renamed and ordered; unit and zone may be left out', async () => {
    const { exit, out, failure } = await exportWork(
      '-o',
      '-',
      '--set',
      'to.columns=[start, Name=Job,  worked area]',
      '--only',
      'operation=Mowing',
    )
    expect(exit, failure?.message).toBe(0)
    expect(linesOf(out)).toEqual([
      'Start (Pacific/Auckland),Job,Worked area (ha)',
      expect.stringMatching(/^2026-11-08T10:00:00\+13:00,Mow Hay barn,\d+(\.\d+)?$/),
    ])
  })

  test('are listed with ?, and no file is written', async () => {
    const { exit, out } = await exportWork('--set', 'to.columns=?')
    expect(exit).toBe(0)
    expect((await world.run(['runs'])).out).not.toContain('export-work-records')
    expect(linesOf(out)).toEqual(
      expect.arrayContaining(['Work records', '  Name', '  Start (Pacific/Auckland)', '  Worked area (ha)']),
    )
  })

  test('of the diary are listed, chosen and sorted by, without a column of ids', async () => {
    const diary = ['--set', 'to.layout=diary']
    expect(linesOf((await exportWork('--set', 'to.columns=?', ...diary)).out)).toEqual(
      expect.arrayContaining(['  Date', '  Paddock', '  Product']),
    )
    const { out } = await exportWork(
      '-o',
      '-',
      '--set',
      'to.columns=[Paddock]',
      '--set',
      'to.sort=Paddock desc',
      ...diary,
    )
    expect(linesOf(out)[1]).toBe('Woolshed')
  })

  test('are found by a single word that only one of them has', async () => {
    const zip = 'samples/rimu-farm/Rimu paddocks FINAL v3.zip'
    await world.run(['import', zip, '--holding', 'nz.example.farm-number:00412876', '--zone', 'Pacific/Auckland'])
    const words = ['--set', 'to.columns=[Name=Paddock, Area]', '--set', 'to.sort=Area desc']
    const { exit, out, failure } = await world.run(['export', 'plots', '-o', '-', ...words])
    expect(exit, failure?.message).toBe(0)
    expect(linesOf(out)[0]).toBe('Paddock,Total area (ha)')
    const areas = linesOf(out)
      .slice(1)
      .map((line) => Number(line.split(',').at(-1)))
    expect(areas).toEqual(areas.toSorted((one, other) => other - one))
    expect((await exportWork('-o', '-', '--set', 'to.columns=[Area]', '--set', 'to.layout=diary')).exit).toBe(0)
  })

  test('that are not there are answered with the nearest and the list', async () => {
    const { exit, failure } = await exportWork('-o', 'work.csv', '--set', 'to.columns=[Operatoin]')
    expect([exit, failure?.message]).toEqual([2, 'There is no column "Operatoin" in this export.'])
    expect(failure?.hint).toMatch(/^Did you mean Operation\? The columns are: Name, /)
  })

  test('that the schema knows are there every day, and empty where no record fills them', async () => {
    const columns = 'Name,operation,Product type,Plot identifier (nz.example.Rimu),Application rate (kg),Logged start'
    const head =
      'Name,Operation,Product type,Plot identifier (nz.example.Rimu),Application rate (kg),Logged start (Pacific/Auckland)'
    const lines = [
      'windrow: 1',
      'export: work-records',
      'zone: Pacific/Auckland',
      'only: { day: DAY }',
      `to: { file: "{day}.csv", layout: flat, columns: [${columns}], empty: allow }`,
    ]
    const written = async (day: string): Promise<readonly string[]> => {
      writeFileSync(join(world.folder, 'work.yaml'), lines.join('\n').replace('DAY', day))
      const { exit, failure } = await world.run(['run', 'work.yaml'])
      expect(exit, failure?.message).toBe(0)
      return linesOf(readFileSync(join(world.folder, `${day}.csv`), 'utf8'))
    }
    expect(await written('2026-11-08')).toEqual([head, expect.stringMatching(/^Mow Hay barn,Mowing,,,,2026-11-08T/)])
    expect(await written('2026-09-29')).toEqual([
      head,
      expect.stringMatching(/^Urea on Woolshed,Fertilizing,[^,]+,,\d/),
    ])
    expect(await written('2020-01-01')).toEqual([head])
  })

  test('that the schema knows are there without any record of the kind', async () => {
    const zip = 'samples/rimu-farm/Rimu paddocks FINAL v3.zip'
    await world.run(['import', zip, '--holding', 'nz.example.farm-number:00412876', '--zone', 'UTC'])
    const wanted = 'Name,Crop 3 establishment date (UTC),Crop 3 name=Crop'
    const words = [
      'export',
      'plots',
      '-o',
      '-',
      '--zone',
      'UTC',
      '--set',
      `to.columns=[${wanted}]`,
      '--set',
      'to.sort=Crop 3 name',
    ]
    const { exit, out, failure } = await world.run(words)
    expect(exit, failure?.message).toBe(0)
    expect(linesOf(out)[0]).toBe('Name,Crop 3 establishment date (UTC),Crop')
    expect(
      linesOf(out)
        .slice(1)
        .every((line) => line.endsWith(',,')),
    ).toBe(true)
    const sorted = [
      'export',
      'plots',
      '-o',
      'plots.xlsx',
      '--set',
      'to.sort=Crop 3 name',
      '--set',
      'to.groupBy=Crop 3 variety',
    ]
    expect((await world.run(sorted)).exit).toBe(0)
  })

  test.each([
    ['Name,Product tpe', 'Product tpe'],
    ['Name,Logged operation 1 name', 'Logged operation 1 name'],
    ['Start (Europe/London)', 'Start (Europe/London)'],
    ['Worked area (ac)', 'Worked area (ac)'],
  ])('that no record can have are refused, also without records: %s', async (columns, wrong) => {
    for (const day of ['2026-11-08', '2020-01-01']) {
      const words = [
        '-o',
        'work.csv',
        '--set',
        `to.columns=[${columns}]`,
        '--only',
        `day=${day}`,
        '--set',
        'to.empty=allow',
      ]
      const { exit, failure } = await exportWork(...words)
      expect([exit, failure?.message]).toEqual([2, `There is no column "${wrong}" in this export.`])
    }
  })

  test('with the same heading are refused', async () => {
    const { failure } = await exportWork('-o', 'work.csv', '--set', 'to.columns=[Name, Operation=Name]')
    expect(failure?.message).toBe('Two of the chosen columns are called "Name".')
  })

  test('leave out the tables of a linked workbook that have none of them', async () => {
    const { exit, failure } = await exportWork(
      '-o',
      'work.xlsx',
      '--set',
      'to.layout=linked',
      '--set',
      'to.columns=[Status, Responsible]',
    )
    expect(exit, failure?.message).toBe(0)
    const { tables, close } = await openFile(await fileSource(join(world.folder, 'work.xlsx')))
    expect(tables.map(({ columns = [] }) => columns.map(({ name }) => name))).toContainEqual(['Status', 'Responsible'])
    expect(tables.some(({ columns = [] }) => columns.some(({ name }) => name === 'Product type'))).toBe(false)
    await close()
  })

  test.each([
    ['Start,Paddock', '2026-11-08T10:00:00'],
    ['Date,Start,Paddock', '10:00:00'],
  ])('of times of day show their day, too, unless it is beside them: %s', async (columns, start) => {
    const words = ['--set', 'to.layout=diary', '--only', 'operation=Mowing', '--set', `to.columns=[${columns}]`]
    const { exit, failure } = await exportWork('-o', 'mowing.xlsx', ...words)
    expect(exit, failure?.message).toBe(0)
    const { tables, close } = await openFile(await fileSource(join(world.folder, 'mowing.xlsx')))
    for await (const [row] of tables[0]!.batches()) expect(row!.values['Start (Pacific/Auckland)']).toBe(start)
    await close()
  })

  test('of farms in CSV have the boundary only if it is asked for', async () => {
    const words = ['export', 'holdings', '-o', '-', '--set']
    expect(linesOf((await world.run([...words, 'to.columns=[Name]'])).out)[0]).toBe('Name')
    expect(linesOf((await world.run([...words, 'to.columns=[Name, boundary]'])).out)[0]).toBe('Name,boundary')
  })

  test('and the order are the same in a pipeline', async () => {
    const lines = [
      'windrow: 1',
      'export: work-records',
      'to: { file: work.csv, layout: flat, columns: [Name=Job], sort: Name desc }',
    ]
    writeFileSync(join(world.folder, 'work.yaml'), lines.join('\n'))
    const { exit, failure } = await world.run(['run', 'work.yaml'])
    expect(exit, failure?.message).toBe(0)
    const [head, ...names] = linesOf(readFileSync(join(world.folder, 'work.csv'), 'utf8'))
    expect(head).toBe('Job')
    expect([...new Set(names)].slice(0, 2)).toEqual(['Urea on Woolshed', 'Thistles in Swamp'])
  })
})

describe('records are sorted', () => {
  const columnOf = async (sort: string): Promise<readonly string[]> => {
    const { exit, out, failure } = await exportWork(
      '-o',
      '-',
      '--set',
      `to.columns=[${sort.replace(/ desc$/, '')}]`,
      '--set',
      `to.sort=${sort}`,
    )
    expect(exit, failure?.message).toBe(0)
    return linesOf(out).slice(1)
  }

  test('by numbers, the smallest first, and those without one last', async () => {
    const areas = await columnOf('Worked area')
    const known = areas.filter((each) => each !== '').map(Number)
    expect(known.length).toBeGreaterThan(5)
    expect(known).toEqual(known.toSorted((one, other) => one - other))
    expect(areas.findIndex((each) => each === '') === -1 || areas.at(-1) === '').toBe(true)
  })

  test('by time, the last first', async () => {
    const times = await columnOf('Start desc')
    expect(times).toEqual(times.toSorted().toReversed())
  })

  test('by no column that is not there', async () => {
    expect((await exportWork('-o', '-', '--set', 'to.sort=Nonsense')).failure?.message).toContain(
      'no column "Nonsense"',
    )
  })
})

test('lengths are in the unit that is set', async () => {
  expect((await world.run(['run', 'pipelines/onboard-paddocks.yaml'])).exit).toBe(3)
  const { out } = await world.run(['export', 'plots', '--set', 'to.columns=?', '--set', 'units.length=cm'])
  const { failure } = await world.run(['export', 'holdings', '-o', 'x.csv', '--set', 'units.length=ha'])
  expect(failure?.message).toContain('"ha" is not a unit of length.')
  expect(out).toContain('Total length (cm)')
})

test('plots and land covers have the name of their farm beside their own', async () => {
  const plots = await worldWith(records)
  try {
    for (const type of ['plots', 'land-covers']) {
      const { out } = await plots.run(['export', type, '-o', '-', '--set', 'to.columns=[Name, Farm, Identifier]'])
      expect(
        linesOf(out)
          .slice(1)
          .every((line) => /,(?:Rimu Farm|Kōwhai Station),/.test(line)),
        out,
      ).toBe(true)
    }
    expect(linesOf((await plots.run(['export', 'plots', '-o', '-'])).out)[0]).toMatch(/^\W?Name,Farm,/)
    expect(linesOf((await plots.run(['export', 'holdings', '-o', '-'])).out)[0]).not.toContain('Farm,')
  } finally {
    plots.close()
  }
})
