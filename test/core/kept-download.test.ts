import { readdirSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openDownload } from '../../src/core/sources/kept-download.ts'
import { urlSource, type WebOptions } from '../../src/core/sources/source-url.ts'
import { holdFiles } from './held-files.ts'
import { folderWith } from './temporary-folder.ts'
import { serveParts, startServer } from './web-server.ts'

const large = Buffer.from(Array.from({ length: 400_000 }, (_, row) => `${row},x\n`).join(''))

/** Reads a file on the web as one run does; `part` reads only its first bytes. */
async function readOnce(url: string, keptIn: string, { part }: { part?: number } = {}) {
  const options: WebOptions = { allowsPrivate: true, sleep: () => Promise.resolve(), keptIn }
  const { source, close } = await urlSource(url, options)
  try {
    const bytes = Buffer.from(await source.read(0, part ?? source.size))
    return { bytes, name: source.name, fingerprint: await source.fingerprint() }
  } finally {
    await close()
  }
}

async function serving(content: { bytes: Buffer }, more: Readonly<Record<string, string>> = {}) {
  let sent = 0
  const server = await startServer((request, response) => {
    const write = response.end.bind(response)
    response.end = ((bytes?: Uint8Array) => {
      sent += bytes?.length ?? 0
      return write(bytes)
    }) as typeof response.end
    serveParts(request, response, content.bytes, more)
  })
  return { ...server, sent: () => sent }
}

describe('a file that has not changed', () => {
  test('is not downloaded again, and reads the same', async () => {
    const keptIn = join(folderWith({}), 'state/downloads')
    const { url, asked, sent } = await serving(
      { bytes: large },
      { 'content-disposition': 'attachment; filename=paddocks.csv' },
    )
    const first = await readOnce(`${url}/x?token=geheim`, keptIn)
    expect(sent()).toBe(large.length)
    const [before, second] = [asked.length, await readOnce(`${url}/x?token=geheim`, keptIn)]
    expect([asked.length - before, sent()]).toEqual([1, large.length])
    expect(second.bytes.equals(large)).toBe(true)
    expect([second.name, second.fingerprint]).toEqual(['paddocks.csv', first.fingerprint])
    const [name, ...others] = readdirSync(keptIn)
    expect(others).toEqual([])
    expect(name).toMatch(/^[0-9a-f]{32}$/)
    if (process.platform !== 'win32') expect(statSync(join(keptIn, name!)).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(keptIn, name!), 'latin1')).not.toContain('geheim')
  })

  test('is downloaded further where only a part of it was needed', async () => {
    const keptIn = folderWith({})
    const { url, sent } = await serving({ bytes: large })
    await readOnce(url, keptIn, { part: 10 })
    expect(sent()).toBe(1 << 20)
    expect((await readOnce(url, keptIn)).bytes.equals(large)).toBe(true)
    expect(sent()).toBe(large.length)
  })

  test('is not downloaded again from a server without parts', async () => {
    const keptIn = folderWith({})
    let sent = 0
    const { url } = await startServer((request, response) => {
      if (request.headers['if-none-match'] === '"1"') return response.writeHead(304, { etag: '"1"' }).end()
      sent += 1
      return response.writeHead(200, { etag: '"1"', 'content-disposition': 'filename=rimu.csv' }).end(large)
    })
    const first = await readOnce(url, keptIn)
    const second = await readOnce(url, keptIn)
    expect([sent, second.bytes.equals(large)]).toEqual([1, true])
    expect([second.name, second.fingerprint]).toEqual(['rimu.csv', first.fingerprint])
  })

  test('is still asked for with its secret', async () => {
    const keptIn = folderWith({})
    let isLocked = false
    const { url } = await startServer((request, response) =>
      isLocked ? response.writeHead(403).end() : serveParts(request, response, large),
    )
    await readOnce(url, keptIn)
    isLocked = true
    await expect(readOnce(url, keptIn)).rejects.toMatchObject({ code: 'file-unreadable' })
  })
})

describe('a file is downloaded again', () => {
  test('when it has changed, in whatever size', async () => {
    const keptIn = folderWith({})
    const content = { bytes: large }
    const { url } = await serving(content)
    await readOnce(url, keptIn)
    for (const bytes of [large.subarray(0, 1000), Buffer.concat([large, large]), large.subarray(5)]) {
      content.bytes = Buffer.from(bytes)
      expect((await readOnce(url, keptIn)).bytes.equals(bytes)).toBe(true)
    }
    expect(readdirSync(keptIn)).toHaveLength(1)
  })

  test('when it changed while it was read', async () => {
    const keptIn = folderWith({})
    const content = { bytes: large }
    const { url } = await serving(content)
    const { source, close } = await urlSource(url, { allowsPrivate: true, keptIn })
    content.bytes = Buffer.concat([large.subarray(0, 2_000_000), large])
    await expect(source.read(0, large.length)).rejects.toMatchObject({ code: 'source-changed' })
    await close()
    expect(readdirSync(keptIn)).toEqual([])
    expect((await readOnce(url, keptIn)).bytes.equals(content.bytes)).toBe(true)
  })

  test.each<[string, (path: string) => void]>([
    ['was cut off', (path) => truncateSync(path, 3_000_000)],
    ['is empty', (path) => truncateSync(path, 0)],
    ['is a number', (path) => writeFileSync(path, '500000001')],
    ['is something else', (path) => writeFileSync(path, 'x'.repeat(9000))],
  ])('when what is kept %s', async (_, damage) => {
    const keptIn = folderWith({})
    const { url, sent } = await serving({ bytes: large })
    await readOnce(url, keptIn)
    damage(join(keptIn, readdirSync(keptIn)[0]!))
    expect((await readOnce(url, keptIn)).bytes.equals(large)).toBe(true)
    expect(sent()).toBe(2 * large.length)
  })

  test.each([['W/"weak"'], ['']])('when its tag %j proves nothing', async (etag) => {
    const keptIn = folderWith({})
    const { url } = await startServer((_, response) => response.writeHead(200, { etag }).end(large))
    await readOnce(url, keptIn)
    expect(readdirSync(keptIn)).toEqual([])
  })
})

test('two runs at once read the same address, and one copy is kept', async () => {
  const keptIn = folderWith({})
  const { url } = await serving({ bytes: large })
  await readOnce(url, keptIn)
  const both = await Promise.all([readOnce(url, keptIn), readOnce(url, keptIn)])
  for (const { bytes } of both) expect(bytes.equals(large)).toBe(true)
  expect(readdirSync(keptIn)).toHaveLength(1)
})

test('what killed processes left, and what nobody used for a month, is removed', async () => {
  const keptIn = folderWith({})
  const old = (name: string, days: number): void => {
    writeFileSync(join(keptIn, name), 'x')
    const seconds = Date.now() / 1000 - days * 24 * 3600
    utimesSync(join(keptIn, name), seconds, seconds)
  }
  old('a.1234.part', 2)
  old('b.1234.part', 0)
  old('c', 31)
  old('d', 29)
  const { url } = await serving({ bytes: Buffer.from('id\n') })
  await readOnce(url, keptIn)
  expect(readdirSync(keptIn).filter((name) => name.length < 32)).toEqual(['b.1234.part', 'd'])
})

test('a folder that cannot be written keeps nothing and reads all the same', async () => {
  const folder = folderWith({ file: 'x' })
  const { url } = await serving({ bytes: large })
  expect((await readOnce(url, join(folder, 'file/downloads'))).bytes.equals(large)).toBe(true)
})

test('a download that Windows holds stops no run', async () => {
  const download = await openDownload(new URL('https://farms.example/paddocks.csv'), folderWith({}))
  const held = holdFiles()
  await download.close()
  expect(held.size).toBe(1)
})
