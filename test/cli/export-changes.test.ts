/** Exports only what changed or was deleted since the last time. */

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WindrowError } from '../../src/core/error.ts'
import { bufferSource, readAll } from '../../src/core/sources/source.ts'
import { membersOfZip } from '../../src/core/sources/zip.ts'
import { square } from '../service/hill-farm.ts'
import { startWorld, type Ran, type World } from './world.ts'

let world: World
beforeEach(async () => {
  world = startWorld()
  await world.publishFarms()
})
afterEach(() => world.close())

async function publish(names: Readonly<Record<string, string>>): Promise<void> {
  const features = Object.entries(names).map(([id, name], index) => ({
    ...square(175.3 + index / 100, -37.8),
    properties: { id, name },
  }))
  writeFileSync(join(world.folder, 'plots.geojson'), JSON.stringify({ type: 'FeatureCollection', features }))
  const { exit, err } = await world.run(
    'import plots.geojson --to plots --key id --holding nz.example.farm-number:00412876'.split(' '),
  )
  expect(exit, err).toBe(0)
}

async function remove(id: string): Promise<void> {
  const deletion = {
    resourceType: 'plotResource',
    dataPointKey: `plots/nz.example.farm-number/00412876/${id}`,
    meta: {
      modified: '2026-11-20T00:00:00Z',
      isDeleted: true,
      sourceId: { scheme: 'nz.example.farm-number.plots', id: `00412876/${id}` },
    },
  }
  writeFileSync(join(world.folder, 'deletion.json'), JSON.stringify([deletion]))
  expect((await world.run(['service', 'publish', 'plots', 'deletion.json'])).exit).toBe(0)
}

const exportChanges = (...words: readonly string[]): Promise<Ran> =>
  world.run([
    'export',
    'plots',
    '--only',
    'changed=since last export',
    '--set',
    'to.columns=[Data point key, Name, Deleted]',
    '-o',
    'changes.csv',
    ...words,
  ])

const written = (): readonly string[] =>
  readFileSync(join(world.folder, 'changes.csv'), 'utf8')
    .replace('\uFEFF', '')
    .replaceAll('plots/nz.example.farm-number/00412876/', '')
    .trimEnd()
    .split(/\r?\n/)

test('the first has all records, the next what changed, with deleted ones marked', async () => {
  await publish({ A: 'Creek flat', B: 'Top paddock', C: 'Swamp' })
  const first = await exportChanges()
  expect(first.exit, first.failure?.message).toBe(0)
  expect(first.out).toContain('This file has all plots: it is the first export of its kind.')
  expect(written()).toEqual([
    'Data point key,Name,Deleted',
    'A,Creek flat,false',
    'B,Top paddock,false',
    'C,Swamp,false',
  ])
  await publish({ A: 'Creek flat', B: 'New name', C: 'Swamp' })
  await remove('C')
  const second = await exportChanges()
  expect(second.exit, second.failure?.message).toBe(0)
  expect(written().slice(1)).toEqual([
    expect.stringMatching(/^B,New name,false$/),
    expect.stringMatching(/^C,.*,true$/),
  ])
})

test('without changes, the file is left as it is', async () => {
  await publish({ A: 'Creek flat' })
  await exportChanges()
  const { exit, failure } = await exportChanges()
  expect([exit, failure?.message]).toEqual([3, 'No plots have changed since the last export.'])
  expect(written()).toHaveLength(2)
  expect((await exportChanges('--set', 'to.empty=allow')).exit).toBe(0)
  expect(written()).toHaveLength(1)
})

test('a file that could not be written does not move the place in the feed', async () => {
  await publish({ A: 'Creek flat' })
  await exportChanges()
  await publish({ A: 'New name' })
  writeFileSync(join(world.folder, 'changes.csv'), 'a remark of the office')
  expect((await exportChanges()).failure?.code).toBe('target-exists')
  expect((await exportChanges('--set', 'to.columns=[Nonsense]', '--force')).exit).not.toBe(0)
  rmSync(join(world.folder, 'changes.csv'))
  expect((await exportChanges()).exit).toBe(0)
  expect(written()[1]).toBe('A,New name,false')
})

test('standard output that took only a part does not move the place in the feed', async () => {
  await publish({ A: 'Creek flat' })
  await exportChanges()
  await publish({ A: 'New name' })
  const words = ['export', 'plots', '--only', 'changed=since last export', '--set', 'to.columns=[Name]', '-o', '-']
  const full = new WindrowError('disk-full', 'full')
  let [taken, err] = ['', '']
  const terminal = {
    out: { write: (text: string) => (taken += text) },
    err: { write: (text: string) => (err += text) },
  }
  const stops = await world.run(words, { terminal: { ...terminal, arrived: () => Promise.reject(full) } })
  expect(stops.failure).toBe(full)
  const ends = await world.run(words, { terminal: { ...terminal, arrived: () => Promise.resolve(false) } })
  expect([ends.exit, err]).toEqual([0, expect.stringContaining('the next export has these records again')])
  expect(taken).toBe('Name\r\nNew name\r\n'.repeat(2))
  expect((await world.run(words)).out).toBe('Name\r\nNew name\r\n')
  expect((await world.run(words)).exit).toBe(3)
})

test('an import of deleted records makes none of them again', async () => {
  await publish({ A: 'Creek flat', B: 'Swamp' })
  await world.run(['export', 'plots', '--only', 'changed=since last export', '-o', 'all.csv'])
  await remove('B')
  await world.run(['export', 'plots', '--only', 'changed=since last export', '-o', 'changed.csv'])
  const file = join(world.folder, 'changed.csv')
  expect(readFileSync(file, 'utf8')).toMatch(/\n,.*,true,/)
  // As a service that also sends the name of a deleted record.
  writeFileSync(file, readFileSync(file, 'utf8').replace('\n,', '\nSwamp,'))
  const farm = ['--holding', 'nz.example.farm-number:00412876']
  const again = await world.run(['import', 'changed.csv', ...farm])
  expect(again.out).toContain('other rows: deleted records')
  expect(again.out).toContain('1 read = 0 ready + 0 unchanged + 0 rejected + 1 skipped')
  expect(again.out).toContain('The record of this row was deleted. An import does not publish it again. (row 2)')
  expect(again.out).not.toContain('pipeline')
  expect((await world.run(['init', 'changed.csv', ...farm, '-o', 'again.yaml'])).exit).toBe(0)
  expect((await world.run(['run', 'again.yaml'])).out).toContain('0 rejected + 1 skipped')
  expect((await world.run(['export', 'plots', '-o', 'left.csv'])).out).toContain('1 record was written.')
})

test('a pipeline has a place of its own', async () => {
  await publish({ A: 'Creek flat' })
  await exportChanges()
  const lines = ['windrow: 1', 'export: plots', 'only: { changed: since last export }', 'to: { file: nightly.csv }']
  writeFileSync(join(world.folder, 'nightly.yaml'), lines.join('\n'))
  expect((await world.run(['run', 'nightly.yaml'])).exit).toBe(0)
  expect((await world.run(['run', 'nightly.yaml'])).exit).toBe(3)
  expect(existsSync(join(world.folder, '.windrow/feeds/nightly.json'))).toBe(true)
})

test('two pipelines of one name in two folders do not share a place', async () => {
  await publish({ A: 'Creek flat' })
  const lines = ['windrow: 1', 'export: plots', 'only: { changed: since last export }', 'to: { file: changed.csv }']
  for (const folder of ['north', 'south', 'moved']) mkdirSync(join(world.folder, folder))
  const run = (folder: string): Promise<Ran> => world.run(['run', `${folder}/nightly.yaml`, '--state', 'shared'])
  for (const folder of ['north', 'south']) writeFileSync(join(world.folder, folder, 'nightly.yaml'), lines.join('\n'))
  expect((await run('north')).exit).toBe(0)
  expect((await run('south')).failure?.code).toBe('name-taken')
  renameSync(join(world.folder, 'north/nightly.yaml'), join(world.folder, 'moved/nightly.yaml'))
  expect((await run('moved')).failure?.code).toBe('nothing-matched')
})

test.each([
  ['paddocks that changed since the last export to the contractor', 'North', 'South'],
  ['changed ', '(all)', '[all]'],
])(
  'two pipelines whose names differ only at the end or in signs (%s) each have all changes',
  async (begin, ...ends) => {
    await publish({ A: 'Creek flat' })
    const lines = ['windrow: 1', 'export: plots', 'only: { changed: since last export }', 'to: { file: changed.csv }']
    for (const end of ends) {
      writeFileSync(join(world.folder, `${begin}${end}.yaml`), lines.join('\n'))
      expect((await world.run(['run', `${begin}${end}.yaml`])).out).toContain('1 record was written.')
    }
  },
)

test.each([
  [['work-records', '--only', 'changed=since last export'], '"changed" works for plots, holdings, land-covers only'],
  [
    ['plots', '--only', 'changed=since last export', '--only', 'plot=A'],
    '"changed" cannot be combined with other filters',
  ],
])('%j is refused', async (words, message) => {
  const { exit, failure } = await world.run(['export', ...words, '-o', 'x.csv'])
  expect([exit, failure?.message.replaceAll('land covers', 'land-covers')]).toEqual([
    2,
    expect.stringContaining(message),
  ])
})

test('the sheet About names the service, the account and what the export is of', async () => {
  await publish({ A: 'Creek flat' })
  const { exit, failure } = await world.run([
    'export',
    'plots',
    '--only',
    'changed=since last export',
    '-o',
    'changes.xlsx',
  ])
  expect(exit, failure?.message).toBe(0)
  const members = await membersOfZip(bufferSource('changes.xlsx', readFileSync(join(world.folder, 'changes.xlsx'))))
  const about = await readAll(members.find(({ name }) => name.endsWith('sheet2.xml'))!.source, 1e6)
  const texts = [
    ...Buffer.from(about)
      .toString()
      .matchAll(/<t(?: [^>]*)?>(.*?)<\/t>/g),
  ].map(([, text]) => text)
  expect(texts[texts.indexOf('Service') + 1]).toContain('http://127.0.0.1:8080')
  expect(texts[texts.indexOf('Account') + 1]).toBeTruthy()
  expect(texts[texts.indexOf('Only') + 1]).toBe('what changed or was deleted since the last export')
  expect(texts[texts.indexOf('Records written') + 1]).toBe('1')
})
