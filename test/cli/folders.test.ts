import { symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { readFarms, readFolder } from '../../src/cli/schedule/schedule-folder.ts'
import { listArrived } from '../../src/pipeline/prepare/watch-folder.ts'
import { runFolders } from '../../src/pipeline/report/run-folder.ts'
import { listAllAsLinks } from '../core/cloud-folder.ts'
import { folderWith } from '../core/temporary-folder.ts'

const pipeline =
  'windrow: 1\nexport: plots\nto: { file: plots.csv }\nschedule: { every: day, at: "02:15", zone: Pacific/Auckland }\n'

const namesOf = async (folder: string, pattern = '*.csv'): Promise<readonly string[]> => {
  const arrived = await listArrived({ folder, pattern, take: 'newest', moveTo: undefined, allowsNone: false })
  return arrived.map((path) => basename(path))
}

test('a file that arrives in a folder of OneDrive is found', async () => {
  const folder = folderWith({ 'farm.csv': 'ID\n', 'old.csv/note.txt': '' })
  listAllAsLinks()
  expect(await namesOf(folder)).toEqual(['farm.csv'])
})

test('what Windows and Excel put into a folder is no file that arrives', async () => {
  const own = ['desktop.ini', 'Thumbs.db', '~$farm.xlsx', '~WRL0001.tmp', '.DS_Store']
  const folder = folderWith(Object.fromEntries(['farm.xlsx', ...own].map((name) => [name, 'x'])))
  expect(await namesOf(folder, '*')).toEqual(['farm.xlsx'])
})

test.skipIf(process.platform === 'win32')('a link in a folder where files arrive is left alone', async () => {
  const folder = folderWith({ 'farm.csv': 'ID\n' })
  symlinkSync(join(folder, 'farm.csv'), join(folder, 'link.csv'))
  expect(await namesOf(folder)).toEqual(['farm.csv'])
})

test('Notify.yaml is no broken pipeline where it is found as notify.yaml', async () => {
  const files = { 'plots.yaml': pipeline, 'Notify.yaml': 'windrow: 1\nnotify: Rimu\n' }
  expect((await readFolder(folderWith(files), { formats: [] })).broken).toHaveLength(
    process.platform === 'linux' ? 1 : 0,
  )
  expect((await readFolder(folderWith({ ...files, 'notify.yaml': '' }), { formats: [] })).broken).toEqual([])
})

test('the runs and the farms in a folder of OneDrive are found', async () => {
  const folder = folderWith({ 'runs/2026-11-20-1412-nightly/stage.db': '', 'rimu/plots.yaml': pipeline })
  listAllAsLinks()
  expect(runFolders(folder).map(({ id }) => id)).toEqual(['2026-11-20-1412-nightly'])
  const { pipelines, broken } = await readFarms(folder, { formats: [] })
  expect([pipelines.map(({ name }) => name), broken]).toEqual([['rimu/plots'], []])
})
