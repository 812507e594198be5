import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { membersWithin, openMember, spelledAsThere, usualAllowance } from '../../src/core/sources/file-tree.ts'
import { folderSource } from '../../src/core/sources/folder.ts'
import { bufferSource, type Source } from '../../src/core/sources/source.ts'
import { openedAlsoAs } from './other-spelling.ts'
import { folderWith } from './temporary-folder.ts'
import { zipBytes } from './zip-bytes.ts'

const zipOf = (files: Readonly<Record<string, string | Uint8Array>>): Uint8Array =>
  zipBytes(Object.entries(files).map(([name, bytes]) => ({ name, bytes })))
const zipped = (files: Readonly<Record<string, string | Uint8Array>>): Source => bufferSource('farm.zip', zipOf(files))

async function textOf(source: Source, path: string): Promise<string> {
  const opened = await openMember(source, path)
  try {
    return Buffer.from(await opened.source.read(0, opened.source.size)).toString()
  } finally {
    await opened.close()
  }
}

test('a path is spelled as its folders have it, where it may be spelled otherwise', async () => {
  const there = join(folderWith({ ['Nord/Ra\u0304hui.yaml']: '' }), 'Nord', 'Ra\u0304hui.yaml')
  expect(await spelledAsThere(there)).toBe(there)
  for (const missing of ['gone.yaml', ...(process.platform === 'linux' ? ['RA\u0304HUI.yaml'] : [])]) {
    const path = join(dirname(there), missing)
    expect(await spelledAsThere(path)).toBe(path)
  }
  expect(await spelledAsThere(await openedAlsoAs(there, 'r\u0101hui.YAML'))).toBe(there)
})

describe('openMember', () => {
  test.each([
    ['its path', 'data/Paddocks.csv'],
    ['other letters', 'DATA/paddocks.csv'],
    ['slashes too many', './data//Paddocks.csv'],
  ])('finds a file by %s', async (_, path) => {
    expect(await textOf(zipped({ 'data/Paddocks.csv': 'id', 'b.csv': '' }), path)).toBe('id')
    expect(await textOf(folderSource(folderWith({ 'data/Paddocks.csv': 'id' })), path)).toBe('id')
  })

  test('finds a name whose marks are written apart', async () => {
    expect(await textOf(zipped({ ['R\u0101hui.csv'.normalize('NFD')]: 'id' }), 'R\u0101hui.csv')).toBe('id')
  })

  test('takes case into account if only it distinguishes two files', async () => {
    const source = zipped({ 'a.csv': 'small', 'A.csv': 'large' })
    expect(await textOf(source, 'A.csv')).toBe('large')
    await expect(openMember(zipped({ 'ab.csv': '1', 'AB.csv': '2' }), 'Ab.csv')).rejects.toMatchObject({
      code: 'file-missing',
    })
  })

  test('goes into a zip in a zip, and in a zip in a folder', async () => {
    const inner = zipOf({ 'maps/paddocks.csv': 'id' })
    expect(await textOf(zipped({ 'download/inner.zip': inner }), 'download/inner.zip/maps/paddocks.csv')).toBe('id')
    const folder = folderSource(folderWith({ 'inner.zip': inner }))
    expect(await textOf(folder, 'inner.zip/maps/paddocks.csv')).toBe('id')
  })

  test('opens a folder in a zip as a folder', async () => {
    const { source } = await openMember(zipped({ 'data/north/a.csv': '1', 'data/b.csv': '2', 'c.csv': '3' }), 'data')
    expect((await source.members!()).map(({ name }) => name)).toEqual(['north/a.csv', 'b.csv'])
    await expect(source.read(0, 1)).rejects.toMatchObject({ code: 'file-unreadable' })
  })

  test('lists what there is where the name is wrong', async () => {
    await expect(openMember(zipped({ 'a.csv': '', 'b.csv': '' }), 'c.csv')).rejects.toMatchObject({
      code: 'file-missing',
      message: 'There is no "c.csv" in "farm.zip".',
      hint: 'It contains: a.csv, b.csv.',
    })
    await expect(openMember(bufferSource('a.csv', Buffer.from('id,name')), 'x')).rejects.toMatchObject({
      code: 'file-missing',
      message: expect.stringContaining('neither a folder nor a zip'),
    })
  })

  test('a zip that is too large for memory waits on the disk and is gone afterwards', async () => {
    const noise = Buffer.from(Array.from({ length: 5 << 20 }, (_, index) => (index * 2654435761) >>> 24))
    const inner = zipBytes([
      { name: 'noise.bin', bytes: noise, method: 0 },
      { name: 'a.csv', bytes: 'id' },
    ])
    const opened = await openMember(zipped({ 'inner.zip': inner }), 'inner.zip/a.csv')
    expect(Buffer.from(await opened.source.read(0, 2)).toString()).toBe('id')
    await opened.close()
    await expect(opened.source.read(0, 2)).rejects.toMatchObject({ code: 'file-missing' })
  })
})

describe('zips in each other', () => {
  const deep = (levels: number): Uint8Array =>
    levels === 0 ? zipOf({ 'a.csv': 'id' }) : zipOf({ 'i.zip': deep(levels - 1) })

  test('are opened two deep and no deeper', async () => {
    expect(await textOf(bufferSource('farm.zip', deep(2)), 'i.zip/i.zip/a.csv')).toBe('id')
    await expect(openMember(bufferSource('farm.zip', deep(3)), 'i.zip/i.zip/i.zip/a.csv')).rejects.toMatchObject({
      code: 'file-missing',
    })
  })

  test('share one allowance', async () => {
    const inner = zipOf({ 'a.csv': 'id', 'b.csv': 'id' })
    const source = zipped({ 'i.zip': inner, 'c.csv': '' })
    const tight = { ...usualAllowance, members: 3 }
    await expect(openMember(source, 'i.zip/a.csv', tight)).rejects.toMatchObject({ code: 'file-too-large' })
    const small = { ...usualAllowance, totalBytes: inner.length + 3 }
    await expect(openMember(source, 'i.zip/a.csv', small)).rejects.toMatchObject({ code: 'file-too-large' })
    expect((await membersWithin(source, usualAllowance))!.left).toEqual({
      zips: usualAllowance.zips - 1,
      members: usualAllowance.members - 2,
      totalBytes: usualAllowance.totalBytes - inner.length,
    })
  })
})
