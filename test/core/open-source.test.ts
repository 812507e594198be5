import { readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { lastWrittenMs, openSource } from '../../src/core/sources/open-source.ts'
import { openedAlsoAs } from './other-spelling.ts'
import { folderWith } from './temporary-folder.ts'
import { zipBytes } from './zip-bytes.ts'

const zip = zipBytes([{ name: 'data/a.csv', bytes: 'id,name\n' }])

describe('openSource', () => {
  test('calls a file as its folder does, however its name was typed', async () => {
    const folder = folderWith({ 'Ra\u0304hui.csv': 'id\n' })
    await openedAlsoAs(join(folder, 'Ra\u0304hui.csv'), 'r\u0101hui.CSV')
    const { source } = await openSource('r\u0101hui.CSV', folder)
    expect([source.name, source.path]).toEqual(['Ra\u0304hui.csv', join(folder, 'Ra\u0304hui.csv')])
  })

  test.each([
    ['a file', 'b.csv', 'b.csv'],
    ['a file in a zip', 'farm.zip/data/a.csv', 'a.csv'],
    ['a file in a zip without an ending', 'download/data/a.csv', 'a.csv'],
    ['a folder in a zip', 'farm.zip/data', 'data'],
    ['a folder', 'maps', 'maps'],
    ['a folder with a slash behind', 'maps/', 'maps'],
  ])('opens %s', async (_, name, expected) => {
    const folder = folderWith({ 'b.csv': 'id\n', 'farm.zip': zip, download: zip, 'maps/c.csv': 'id\n' })
    const { source, close } = await openSource(name, folder)
    expect([source.name, source.prefix]).toEqual([expected, `${name.replace(/\/$/, '')}/`])
    await close()
  })

  test.each([
    ['nothing there', 'gone.csv'],
    ['a folder that is not there', 'gone/farm.zip/a.csv'],
    ['a path into a file that is no zip', 'b.csv/a.csv'],
    ['a path into a zip that does not hold it', 'farm.zip/b.csv'],
  ])('says it of %s', async (_, name) => {
    const folder = folderWith({ 'b.csv': 'id,name\n', 'farm.zip': zip })
    await expect(openSource(name, folder)).rejects.toMatchObject({ code: 'file-missing' })
  })
})

describe('a file that is packed with gzip', () => {
  const rows = 'id,name\n'.repeat(100_000)

  test('is unpacked, and has changed when the packed one has', async () => {
    const folder = folderWith({ 'plots.csv.gz': gzipSync(rows), download: gzipSync('id,name\n') })
    const { source, close } = await openSource('plots.csv.gz', folder)
    expect([source.name, source.size]).toEqual(['plots.csv', rows.length])
    const chunks: Uint8Array[] = []
    for await (const chunk of source.stream()) chunks.push(Uint8Array.from(chunk))
    expect(Buffer.concat(chunks).toString()).toBe(rows)
    expect(Buffer.from(await source.read(8, 15)).toString()).toBe('id,name')
    // A database is opened by its path.
    expect(readFileSync(source.path!, 'utf8')).toBe(rows)
    const packed = await source.fingerprint()
    expect(await source.fingerprint()).toBe(packed)
    utimesSync(join(folder, 'plots.csv.gz'), 100, 100)
    expect(await source.fingerprint()).not.toBe(packed)
    await close()
    const unnamed = await openSource('download', folder)
    expect([unnamed.source.name, unnamed.source.size]).toEqual(['download', 8])
    await unnamed.close()
  })

  test.each([
    ['cut off', 'file-damaged', gzipSync(rows).subarray(0, 200)],
    ['damaged', 'file-damaged', gzipSync(rows).fill(7, 100, 120)],
    ['a bomb', 'file-too-large', gzipSync(Buffer.alloc(40 << 20))],
  ])('is refused if it is %s', async (_, code, bytes) => {
    await expect(openSource('plots.csv.gz', folderWith({ 'plots.csv.gz': bytes }))).rejects.toMatchObject({ code })
  })
})

test('a source was last written when its newest file was, or the zip it lies in', async () => {
  const folder = folderWith({ 'maps/a.csv': '', 'maps/b.csv': '', 'farm.zip': zip })
  utimesSync(join(folder, 'maps/a.csv'), 100, 100)
  utimesSync(join(folder, 'maps/b.csv'), 200, 200)
  utimesSync(join(folder, 'farm.zip'), 300, 300)
  expect(await lastWrittenMs(join(folder, 'maps'))).toBe(200_000)
  expect(await lastWrittenMs(join(folder, 'farm.zip'))).toBe(300_000)
  expect(await lastWrittenMs(join(folder, 'farm.zip', 'data', 'a.csv'))).toBe(300_000)
  await expect(lastWrittenMs(join(folder, 'gone.csv'))).rejects.toMatchObject({ code: 'file-missing' })
})
