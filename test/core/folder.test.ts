import { symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folderSource } from '../../src/core/sources/folder.ts'
import { listAllAsLinks } from './cloud-folder.ts'
import { folderWith } from './temporary-folder.ts'

const namesIn = async (path: string): Promise<readonly string[]> =>
  (await folderSource(path).members!()).map(({ name }) => name)

describe('the members of a folder', () => {
  test('are its files at every level, with their sizes, in order', async () => {
    const folder = folderWith({ 'b.csv': 'id\n', 'north/a.csv': 'id,name\n', 'north/hill/c.csv': '' })
    const members = await folderSource(folder).members!()
    expect(members.map(({ name, source }) => [name, source.size])).toEqual([
      ['b.csv', 3],
      ['north/a.csv', 8],
      ['north/hill/c.csv', 0],
    ])
    expect(Buffer.from(await members[1]!.source.read(0, 2)).toString()).toBe('id')
  })

  test('are not what programs leave for themselves', async () => {
    const junk = ['.DS_Store', '._a.csv', '~$book.xlsx', 'Thumbs.db', '__MACOSX/a.csv', '.windrow/ledger.db']
    const folder = folderWith(Object.fromEntries(['a.csv', ...junk].map((name) => [name, 'x'])))
    expect(await namesIn(folder)).toEqual(['a.csv'])
  })

  test('are those of OneDrive, too, which Windows lists as links', async () => {
    const folder = folderWith({ 'b.csv': 'id\n', 'north/a.csv': 'id,name\n' })
    listAllAsLinks()
    expect(await namesIn(folder)).toEqual(['b.csv', 'north/a.csv'])
  })

  test.skipIf(process.platform === 'win32')('are reached by links only within the folder', async () => {
    const outside = folderWith({ 'secret.csv': 'id\n' })
    const folder = folderWith({ 'a.csv': 'id\n' })
    symlinkSync(join(outside, 'secret.csv'), join(folder, 'out.csv'))
    symlinkSync(outside, join(folder, 'away'))
    symlinkSync(folder, join(folder, 'round'))
    symlinkSync(join(folder, 'nothing'), join(folder, 'broken.csv'))
    symlinkSync(join(folder, 'a.csv'), join(folder, 'same.csv'))
    expect(await namesIn(folder)).toEqual(['a.csv', 'same.csv'])
  })

  test('are bounded in number and depth', async () => {
    const folder = folderWith({ 'a.csv': '', 'b.csv': '', '1/2/3/c.csv': '' })
    await expect(folderSource(folder, { members: 1, levels: 9 }).members!()).rejects.toMatchObject({
      code: 'file-too-large',
      message: expect.stringContaining('more than 1 files'),
    })
    await expect(folderSource(folder, { members: 9, levels: 3 }).members!()).rejects.toMatchObject({
      code: 'file-too-large',
      message: expect.stringContaining('3 levels'),
    })
  })

  test('of a folder that is not there are a sentence', async () => {
    await expect(folderSource(join(folderWith({}), 'gone')).members!()).rejects.toMatchObject({ code: 'file-missing' })
  })
})

test('a folder has no bytes', async () => {
  const source = folderSource(folderWith({}))
  await expect(source.read(0, 1)).rejects.toMatchObject({ code: 'file-unreadable' })
  await expect(source.stream()[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'file-unreadable' })
})

test('the fingerprint of a folder follows any file in it', async () => {
  const folder = folderWith({ 'north/a.csv': 'id\n' })
  const source = folderSource(folder)
  const before = await source.fingerprint()
  expect(await source.fingerprint()).toBe(before)
  utimesSync(join(folder, 'north/a.csv'), 1, 1)
  const touched = await source.fingerprint()
  expect(touched).not.toBe(before)
  writeFileSync(join(folder, 'b.csv'), '')
  expect(await source.fingerprint()).not.toBe(touched)
})
