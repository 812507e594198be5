/** Exports only the records that a person asks for, and says what there is where nothing matches. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startWorld, type Ran, type World } from './world.ts'

let world: World
beforeEach(async () => {
  world = startWorld()
  await world.publishFarms()
})
afterEach(() => world.close())

const auckland = ['--zone', 'Pacific/Auckland', '--set', 'to.layout=flat']

function exportWork(...words: readonly string[]): Promise<Ran> {
  return world.run(['export', 'work-records', '-o', 'work.csv', ...auckland, ...words])
}

function names(path = 'work.csv'): readonly string[] {
  const [head = '', ...lines] = readFileSync(join(world.folder, path), 'utf8').trimEnd().split(/\r?\n/)
  const at = head.replace('\uFEFF', '').split(',').indexOf('Name')
  return [...new Set(lines.map((line) => (line.match(/("([^"]|"")*"|[^,]*)(,|$)/g) ?? [])[at]!.replace(/,$/, '')))]
}

describe('work records are kept', () => {
  test.each([
    ['by the name of a paddock, without its macrons', ['--only', 'plot=Rahui'], ['Spray Rāhui before sowing']],
    ['by the id of a paddock', ['--only', 'plot=007'], ['Spray Rāhui before sowing']],
    ['by SCHEME:ID of a paddock', ['--only', 'plot=nz.example.kowhai.paddock:7'], ['Gorse on the terrace']],
    [
      'by several paddocks',
      ['--only', 'plot=Swamp', '--only', 'plot=Terrace'],
      ['Thistles in Swamp', 'Gorse on the terrace'],
    ],
    ['by the type of a product', ['--only', 'product=fungicide'], ['Rust in Pōhutukawa']],
    ['by the registration of a product', ['--only', 'product=P9047'], ['Slugs in Mānuka']],
    [
      'by the manufacturer of a product',
      ['--only', 'product=Harbour Nutrients', '--only', 'status=Scheduled'],
      ['Super on Top flat'],
    ],
    [
      'by several operations and statuses',
      ['--only', 'operation=Mowing', '--only', 'operation=Sowing and planting', '--only', 'status=Complete'],
      ['Sow Hāngī', 'Mow Hay barn'],
    ],
    ['by the month in words', ['--only', 'day=last month', '--only', 'operation=SowingAndPlanting'], ['Sow Hāngī']],
    [
      'from some weeks ago until a word',
      ['--from', '3 weeks ago', '--until', 'yesterday', '--only', 'operation=Mowing'],
      ['Mow Hay barn'],
    ],
    ['by their last change', ['--only', 'modified since=2026-11-12', '--only', 'product=P9033'], ['Moths in Pūkeko']],
  ])('%s', async (_, words, expected) => {
    const { exit, err, failure } = await world.run(
      ['export', 'work-records', '-o', 'work.csv', ...auckland, ...words],
      {
        clock: () => new Date('2026-11-23T00:00:00Z'),
      },
    )
    expect(exit, err + (failure?.message ?? '') + (failure?.hint ?? '')).toBe(0)
    expect(names()).toEqual(expected)
  })

  test('by a paddock that was renamed since, because its id is the same', async () => {
    const lines = [
      'windrow: 1',
      'import: plots',
      'from: { file: renamed.csv, geometry: wkt, crs: "EPSG:4326" }',
      'holding: { scheme: nz.example.farm-number, id: "00412876" }',
      'source: { scheme: nz.example.rimu.paddock }',
      'key: <Id>',
      'record: { name: <Name> }',
    ]
    writeFileSync(join(world.folder, 'renamed.yaml'), lines.join('\n'))
    const corners = '175.3 -37.8, 175.31 -37.8, 175.31 -37.81, 175.3 -37.81, 175.3 -37.8'
    writeFileSync(join(world.folder, 'renamed.csv'), `Id,Name,wkt\n007,New name,"POLYGON ((${corners}))"\n`)
    const imported = await world.run(['run', 'renamed.yaml'])
    expect(imported.exit, imported.out + imported.err + imported.failure?.message).toBe(0)
    const { exit, failure } = await exportWork('--only', 'plot=New name')
    expect(exit, failure?.hint).toBe(0)
    expect(names()).toEqual(['Spray Rāhui before sowing'])
  })

  test('of the farm by its number', async () => {
    expect((await exportWork('--holding', '00731190')).out).toContain('1 of 12 records matched')
  })
})

test('a farm is kept by its number and its last change together', async () => {
  const words = ['export', 'holdings', '-o', 'farm.csv', '--holding', '00412876']
  expect((await world.run(words)).out).toContain('1 of 2 records matched')
  const { failure } = await world.run([...words, '--only', 'modified since=2199-01-01'])
  expect(failure?.code).toBe('nothing-matched')
})

describe('plots are kept', () => {
  beforeEach(async () => {
    const file = 'samples/rimu-farm/Rimu paddocks FINAL v3.zip'
    const options = '--to plots --holding nz.example.farm-number:00412876 --crs EPSG:2193 --zone Pacific/Auckland'
    await world.run(['import', file, ...options.split(' '), '--key', 'PADDOCK_ID'])
  })

  test('by name', async () => {
    const { exit, err, failure } = await world.run(['export', 'plots', '--only', 'plot=woolshed', '-o', 'plots.csv'])
    expect(exit, err + failure?.message).toBe(0)
    expect(names('plots.csv')).toEqual(['Woolshed'])
  })

  test('by their last change, and the months are listed if there is none', async () => {
    const { failure } = await world.run(['export', 'plots', '--only', 'modified since=2030-01-01', '-o', 'plots.csv'])
    expect(failure?.code).toBe('nothing-matched')
    expect(failure?.hint).toMatch(/^Months of the last change: \d{4}-\d{2} \(\d+\)\./)
  })
})

describe('a filter or a word of it that matches nothing', () => {
  test.each([
    [['--only', 'operation=spraying', '--only', 'day=2026-11-08'], 'Operations in this period: Mowing (1).'],
    [
      ['--only', 'operation=CropProtecton'],
      'Operations: CropProtection (8), Fertilizing (2), SowingAndPlanting (1), Mowing (1). Did you mean CropProtection?',
    ],
    [['--only', 'status=Done'], 'Statuses: Complete (10), Cancelled (1), Scheduled (1).'],
    [['--only', 'product=Roundup', '--only', 'operation=SowingAndPlanting'], 'Products: none.'],
    [['--only', 'plot=Rahuui', '--only', 'day=2026-11-08'], 'Paddocks in this period: Hay barn (1).'],
    [
      ['--only', 'operation=Mowing', '--only', 'operation=Spraying'],
      'Operations: CropProtection (8), Fertilizing (2),',
    ],
    [['--only', 'operation=Mowing', '--only', 'operation=CropProtecton'], 'Did you mean CropProtection?'],
    [
      ['--only', 'operation=Mowing', '--only', 'operation=SowingAndPlanting', '--only', 'day=2026-11'],
      'Operations in this period: ',
    ],
    [['--only', 'operation=Mowing,CropProtection'], 'Give several words one by one, not with commas.'],
    [['--only', 'status=Complete', '--only', 'status=Done'], 'Statuses: Complete (10), Cancelled (1), Scheduled (1).'],
    [['--only', 'plot=Swamp', '--only', 'plot=Nirvana'], 'Paddocks: Woolshed (1)'],
    [['--only', 'product=fungicide', '--only', 'product=Rundup'], 'Products: '],
    [['--only', 'day=2020-01-01'], 'Months with records: 2026-11 (4), 2026-10 (7), 2026-09 (1).'],
  ])('%j lists the words that would match', async (words, hint) => {
    const { exit, failure } = await exportWork(...words)
    expect(failure?.code).toBe('nothing-matched')
    expect(exit).toBe(3)
    expect(failure?.message).toMatch(/^None of 12 work records matches: .*\. No file was written\.$/)
    expect(failure?.hint).toContain(hint)
    expect(existsSync(join(world.folder, 'work.csv'))).toBe(false)
  })

  test('leaves the old file untouched', async () => {
    await exportWork()
    const before = readFileSync(join(world.folder, 'work.csv'), 'utf8')
    const { failure } = await exportWork('--only', 'status=Done')
    expect(failure?.message).toBe('None of 12 work records matches: status "Done". "work.csv" is unchanged.')
    expect(readFileSync(join(world.folder, 'work.csv'), 'utf8')).toBe(before)
  })

  test('writes the headings if to.empty allows it', async () => {
    const { exit, out } = await exportWork('--only', 'status=Done', '--set', 'to.empty=allow')
    expect(exit).toBe(0)
    expect(out).toContain('No record matched; the file has headings only.')
    expect(existsSync(join(world.folder, 'work.csv'))).toBe(true)
  })

  test('stops a pipeline in the same way, unless it allows an empty file', async () => {
    const lines = ['windrow: 1', 'export: work-records', 'only: { plot: [Nowhere] }', 'to: { file: work.csv }']
    writeFileSync(join(world.folder, 'none.yaml'), lines.join('\n'))
    const { exit, failure } = await world.run(['run', 'none.yaml'])
    expect([exit, failure?.hint]).toEqual([3, expect.stringContaining('Paddocks: Woolshed (1)')])
    writeFileSync(join(world.folder, 'none.yaml'), lines.join('\n').replace('work.csv', 'work.csv, empty: allow'))
    expect((await world.run(['run', 'none.yaml'])).exit).toBe(0)
  })

  test.each([
    ['work-records', '{ operation: [Spraying, Mowing], day: last month }', 'operation "Spraying"'],
    ['work-records', '{ operator: Nobody }', 'operator "Nobody"'],
    ['work-records', '{ operation: [Mowing, Fertilizing], day: today }', undefined],
    ['work-records', '{ operation: [Spraying], day: last month }, empty: allow', undefined],
    ['plots', '{ holding: Nowhere }', 'Holding "Nowhere" was not found'],
  ])('is found by check where it matches no record of any day: %s %s', async (what, only, fault) => {
    const [filter, empty = ''] = only.split(/(?<=\})/)
    const lines = ['windrow: 1', `export: ${what}`, `only: ${filter}`, `to: { file: work.csv${empty} }`]
    writeFileSync(join(world.folder, 'words.yaml'), lines.join('\n'))
    const { exit, out } = await world.run(['check', 'words.yaml'])
    if (fault === undefined) expect([exit, out]).toEqual([0, expect.stringContaining('no mistakes')])
    else expect([exit > 0, out]).toEqual([true, expect.stringContaining(fault)])
    expect(existsSync(join(world.folder, 'work.csv'))).toBe(false)
  })

  test('may be a paddock without records, if the service has it', async () => {
    const file = 'samples/rimu-farm/Rimu paddocks FINAL v3.zip'
    const options = '--to plots --holding nz.example.farm-number:00412876 --crs EPSG:2193 --zone Pacific/Auckland'
    await world.run(['import', file, ...options.split(' '), '--key', 'PADDOCK_ID'])
    const { exit } = await exportWork('--only', 'plot=Swamp', '--only', 'plot=Woolshed', '--only', 'day=2026-10')
    expect(exit).toBe(0)
    expect(names()).toEqual(['Thistles in Swamp'])
  })

  test('is a note if to.empty allows it', async () => {
    const { exit, out } = await exportWork(
      '--only',
      'operation=Mowing',
      '--only',
      'operation=Spraying',
      '--set',
      'to.empty=allow',
    )
    expect(exit).toBe(0)
    expect(out).toContain('None of 12 work records matches: operation "Spraying". Operations: ')
    expect(names()).toEqual(['Mow Hay barn'])
  })

  test('an account without records learns how to see its farms', async () => {
    const { exit, failure } = await world.run(['export', 'plots', '-o', 'plots.csv'])
    expect(exit).toBe(3)
    expect(failure?.message).toBe('The service shows this account no plots. No file was written.')
    expect(failure?.hint).toContain('windrow service control')
  })
})

describe('days that cannot be', () => {
  test.each([
    [['--only', 'day=today', '--from', 'yesterday'], '"day" cannot be combined with "from" or "until".'],
    [['--from', 'this month', '--until', 'last month'], 'before it begins'],
    [['--from', 'soon'], '"soon" is not a day.'],
    [['--only', 'modified since=31/12/2026'], '"31/12/2026" is not a day.'],
  ])('%j', async (words, message) => {
    const { exit, failure } = await exportWork(...words)
    expect([exit, failure?.message]).toEqual([2, expect.stringContaining(message)])
  })
})

test('a list that is shorter than the service counted leaves the old file untouched', async () => {
  await exportWork()
  const before = readFileSync(join(world.folder, 'work.csv'), 'utf8')
  const fetch = async (input: Request): Promise<Response> => {
    const answer = await world.fetch(new Request(input))
    if (!input.url.includes('/crops/work-records')) return answer
    const body = (await answer.json()) as { items: unknown[] }
    return Response.json({ ...body, items: body.items.slice(1) })
  }
  const { exit, failure } = await world.run(['export', 'work-records', '-o', 'work.csv'], {
    fetch: fetch as typeof globalThis.fetch,
  })
  expect([exit, failure?.message]).toEqual([4, expect.stringContaining('announced 12, but 11 came')])
  expect(readFileSync(join(world.folder, 'work.csv'), 'utf8')).toBe(before)
})
