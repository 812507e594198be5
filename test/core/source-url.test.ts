import { readdirSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { onTestFinished, beforeEach, describe, expect, test, vi } from 'vitest'
import { membersOfZip } from '../../src/core/sources/zip.ts'
import type { Source } from '../../src/core/sources/source.ts'
import { urlSource, type WebOptions } from '../../src/core/sources/source-url.ts'
import { folderWith } from './temporary-folder.ts'
import { serveParts, startServer } from './web-server.ts'
import { zipBytes } from './zip-bytes.ts'

/** Bytes that no packing makes smaller, the same each time. */
function noise(bytes: number): Buffer {
  const made = Buffer.alloc(bytes)
  for (let at = 0, state = 1; at < bytes; at += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    made[at] = state >>> 24
  }
  return made
}
const large = noise(3_000_000)

let temporary: string
beforeEach(() => {
  temporary = folderWith({})
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, temporary)
  return () => void vi.unstubAllEnvs()
})

const quick: WebOptions = { allowsPrivate: true, sleep: () => Promise.resolve() }

async function opened(url: string, options: WebOptions = quick): Promise<Source> {
  const { source, close } = await urlSource(url, options)
  onTestFinished(close)
  return source
}

async function wholeOf(source: Source): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source.stream()) chunks.push(Uint8Array.from(chunk))
  return Buffer.concat(chunks)
}

const rangeOf = ({ range = '' }: IncomingMessage['headers']): readonly [number, number] => {
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(range)!
  return [Number(start), Number(end)]
}

const serving =
  (content: Uint8Array, more?: Readonly<Record<string, string>>) =>
  (request: IncomingMessage, response: ServerResponse) =>
    serveParts(request, response, content, more)

describe('a server that gives parts', () => {
  test('is asked for each byte once at most, however often the file is read', async () => {
    const { url, asked } = await startServer(serving(large))
    const source = await opened(`${url}/export/paddocks.csv`)
    expect([source.name, source.size]).toEqual(['paddocks.csv', large.length])
    expect(large.equals(await wholeOf(source))).toBe(true)
    expect(large.equals(await wholeOf(source))).toBe(true)
    expect(Buffer.from(await source.read(7, 99))).toEqual(large.subarray(7, 99))
    const ranges = asked.map(({ headers }) => rangeOf(headers))
    for (const [index, [start]] of ranges.entries()) expect(start).toBe(index === 0 ? 0 : ranges[index - 1]![1] + 1)
    expect(asked.length).toBeLessThan(8)
  })

  test('is asked for each byte once at most, also where reading is odd', async () => {
    const { url, asked } = await startServer(serving(large))
    const source = await opened(url)
    for (const [start, end] of [
      [2_900_001, 2_900_010],
      [1_500_003, 1_900_007],
      [1_100_000, 1_600_000],
      [0, 3_000_000],
    ] as const)
      expect(large.subarray(start, end).equals(await source.read(start, end))).toBe(true)
    const spans = asked.map(({ headers }) => rangeOf(headers)).toSorted(([one], [other]) => one - other)
    for (const [index, [start]] of spans.entries())
      expect(start).toBeGreaterThanOrEqual(index === 0 ? 0 : spans[index - 1]![1] + 1)
  })

  test.each([
    [400_000, true],
    [100_000, false],
  ])('and never more than %d bytes at once is read: %s', async (most, isRead) => {
    const { url } = await startServer((request, response, nth) => {
      const [start, end] = rangeOf(request.headers)
      if (nth > 0) request.headers.range = `bytes=${start}-${Math.min(end, start + most - 1)}`
      serveParts(request, response, large)
    })
    const reading = wholeOf(await opened(url))
    if (isRead) expect(large.equals(await reading)).toBe(true)
    else await expect(reading).rejects.toThrow('other bytes than were requested')
  })

  test('sends of a zip only the directory and the member that is read', async () => {
    const zip = zipBytes([
      { name: 'photos.bin', bytes: noise(6_000_000), method: 0 },
      { name: 'paddocks.csv', bytes: 'id,name\n' },
    ])
    const { url, asked } = await startServer(serving(zip))
    const members = await membersOfZip(await opened(`${url}/farm.zip`))
    expect(Buffer.from(await members[1]!.source.read(0, 99)).toString()).toBe('id,name\n')
    const bytes = asked.map(({ headers }) => {
      const [start, end] = rangeOf(headers)
      return Math.min(end, zip.length) - start
    })
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(2_500_000)
  })

  test('two readers at once are given the same file', async () => {
    const { url } = await startServer(serving(large))
    const source = await opened(url)
    const [one, other, tail] = await Promise.all([wholeOf(source), wholeOf(source), source.read(2_900_000, 9_000_000)])
    expect(large.equals(one)).toBe(true)
    expect(large.equals(other)).toBe(true)
    expect(Buffer.from(tail)).toEqual(large.subarray(2_900_000))
  })

  test('that has another file meanwhile is noticed by its tag', async () => {
    let content = large
    const { url } = await startServer((request, response) => serveParts(request, response, content))
    const source = await opened(url)
    content = noise(large.length)
    content[5] = 7
    await expect(wholeOf(source)).rejects.toMatchObject({ code: 'source-changed' })
  })

  test('that has another file meanwhile is noticed by its date', async () => {
    let date = 'Fri, 20 Nov 2026 01:00:00 GMT'
    const { url } = await startServer((request, response) => {
      const since = request.headers['if-range']
      if (since !== undefined && since !== date) delete request.headers.range
      delete request.headers['if-range']
      serveParts(request, response, large, { etag: 'W/"weak"', 'last-modified': date })
    })
    const source = await opened(url)
    date = 'Fri, 20 Nov 2026 02:00:00 GMT'
    await expect(wholeOf(source)).rejects.toMatchObject({ code: 'source-changed' })
  })

  test('that breaks off is asked for the rest', async () => {
    const { url, asked } = await startServer((request, response, nth) => {
      if (nth !== 1) return serveParts(request, response, large, { etag: '"1"' })
      const [start, end] = rangeOf(request.headers)
      response.writeHead(206, { etag: '"1"', 'content-range': `bytes ${start}-${end}/${large.length}` })
      response.write(large.subarray(start, start + 300_000), () => response.destroy())
      return undefined
    })
    expect(large.equals(await wholeOf(await opened(url)))).toBe(true)
    const [broken, next] = asked.slice(1).map(({ headers }) => rangeOf(headers))
    expect(next![0]).toBeLessThan(broken![1])
  })

  test('that is small and always breaks off in the middle is continued there', async () => {
    const small = large.subarray(0, 100_000)
    const { url, asked } = await startServer((request, response) => {
      const [start, end] = rangeOf(request.headers)
      const last = Math.min(end, small.length - 1)
      response.writeHead(206, { etag: '"1"', 'content-range': `bytes ${start}-${last}/${small.length}` })
      response.write(small.subarray(start, Math.min(start + 60_000, last + 1)), () => response.destroy())
    })
    expect(small.equals(await wholeOf(await opened(url)))).toBe(true)
    expect(asked.map(({ headers }) => rangeOf(headers)[0])).toEqual([0, 60_000])
  })

  test.each<[string, string, string]>([
    ['another place', 'bytes 5-9/3000000', 'other bytes'],
    ['another size', 'bytes 1048576-1310719/17', 'changed'],
    ['nothing it could be', 'pears', 'changed'],
  ])('that answers with %s is not believed', async (_, range, message) => {
    const { url } = await startServer((request, response, nth) => {
      if (nth === 0) serveParts(request, response, large, { etag: '"1"' })
      else response.writeHead(206, { etag: '"1"', 'content-range': range }).end(large.subarray(0, 262144))
    })
    await expect(wholeOf(await opened(url))).rejects.toThrow(message)
  })

  test('that sends more than it says is not believed', async () => {
    const { url } = await startServer((request, response, nth) => {
      if (nth === 0) return serveParts(request, response, large, { etag: '"1"' })
      const [start, end] = rangeOf(request.headers)
      response.writeHead(206, { etag: '"1"', 'content-range': `bytes ${start}-${end}/${large.length}` }).end(large)
      return undefined
    })
    await expect(wholeOf(await opened(url))).rejects.toMatchObject({ code: 'address-unreachable' })
  })
})

describe('a server that gives the whole only', () => {
  test('is asked once, and nothing is left here', async () => {
    const { url, asked } = await startServer((_, response) => response.end(large))
    const { source, close } = await urlSource(`${url}/a.csv`, quick)
    expect(large.equals(await wholeOf(source))).toBe(true)
    expect(asked).toHaveLength(1)
    // Where an open file may lose its name, not even a killed process leaves it.
    if (process.platform !== 'win32') expect(readdirSync(temporary)).toEqual([])
    await close()
    expect(readdirSync(temporary)).toEqual([])
  })

  test.each(['gzip', 'x-gzip', 'deflate', 'br'])('and packs it unasked (%s) is unpacked', async (coding) => {
    const pack = { br: brotliCompressSync, deflate: deflateSync }[coding] ?? gzipSync
    const content = large.subarray(0, 300_000)
    const packed = pack(content)
    const { url, asked } = await startServer(serving(packed, { 'content-encoding': coding }))
    const source = await opened(url)
    expect(content.equals(await wholeOf(source))).toBe(true)
    expect(asked[0]!.headers['accept-encoding']).toBe('identity')
    expect(asked[1]!.headers.range).toBeUndefined()
  })

  test('and compresses it badly is reported', async () => {
    const packed = gzipSync(large)
    packed.fill(0, 2000)
    const { url } = await startServer((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
    )
    await expect(opened(url)).rejects.toMatchObject({ code: 'file-damaged' })
    const odd = await startServer((_, response) => response.writeHead(200, { 'content-encoding': 'zstd' }).end('x'))
    await expect(opened(odd.url)).rejects.toMatchObject({ code: 'file-unreadable' })
    expect(readdirSync(temporary)).toEqual([])
  })

  test('because nothing would show that the file changed is read completely', async () => {
    const { url, asked } = await startServer(serving(large, { etag: 'W/"weak"' }))
    expect(large.equals(await wholeOf(await opened(url)))).toBe(true)
    expect(asked.map(({ headers }) => headers.range)).toEqual(['bytes=0-1048575', undefined])
  })

  test('and sends less than it says is not believed', async () => {
    const { url } = await startServer((_, response) => {
      response.writeHead(200, { 'content-length': 1000 })
      response.write('short', () => response.destroy())
    })
    await expect(opened(url)).rejects.toMatchObject({ code: 'address-unreachable', exit: 4 })
    expect(readdirSync(temporary)).toEqual([])
  })
})

test.each<[string, Readonly<Record<string, string>>, string]>([
  ['/a/paddocks%20%C5%8C.csv?token=x', {}, 'paddocks Ō.csv'],
  ['/download', { 'content-disposition': 'attachment; filename="Rimu \\"top\\".csv"' }, 'Rimu "top".csv'],
  ['/download', { 'content-disposition': "attachment; filename=x.csv; filename*=UTF-8''%C5%8Ctane.csv" }, 'Ōtane.csv'],
  ['/download', { 'content-disposition': 'attachment; filename="../../etc/passwd.csv"' }, 'passwd.csv'],
  ['/download', { 'content-disposition': 'attachment; filename=..' }, 'download'],
  ['/export', { 'content-type': 'text/csv; charset=utf-8' }, 'export.csv'],
  ['/', { 'content-type': 'application/geo+json' }, '127.0.0.1.geojson'],
])('the name of %s with %j is %s', async (path, headers, name) => {
  const { url } = await startServer((_, response) => response.writeHead(200, headers).end('id\n'))
  expect((await opened(url + path)).name).toBe(name)
})

describe('the parts of a shapefile', () => {
  test('are asked for beside the .shp, with its query, and what is not there is not there', async () => {
    const { url, asked } = await startServer((request, response) => {
      const path = request.url!
      if (/\.(shp|dbf)\?key=1$/.test(path)) serveParts(request, response, Buffer.from(path))
      else if (path.includes('.cpg')) response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sorry')
      else response.writeHead(path.includes('.prj') ? 403 : 404).end()
    })
    const source = await opened(`${url}/maps/paddocks.shp?key=1`)
    expect(asked).toHaveLength(1)
    expect((await source.siblings()).map(({ name }) => name)).toEqual(['paddocks.dbf'])
    await source.siblings()
    expect(asked.map(({ path }) => path)).toHaveLength(5)
  })

  test('that the server fails to give stop the reading', async () => {
    const { url } = await startServer((request, response) => {
      if (request.url!.endsWith('.shp')) serveParts(request, response, large)
      else response.writeHead(500).end()
    })
    const source = await opened(`${url}/paddocks.shp`)
    await expect(source.siblings()).rejects.toMatchObject({ code: 'address-unreachable' })
  })

  test('are asked for no other file', async () => {
    const { url, asked } = await startServer(serving(large))
    expect(await (await opened(`${url}/a.csv`)).siblings()).toEqual([])
    expect(asked).toHaveLength(1)
  })
})

test('the fingerprint follows the content', async () => {
  let content = 'one'
  const whole = await startServer((_, response) => response.end(content))
  const parts = await startServer((request, response) => serveParts(request, response, Buffer.from(content)))
  for (const { url } of [whole, parts]) {
    content = 'one'
    const before = await (await opened(url)).fingerprint()
    expect(await (await opened(url)).fingerprint()).toBe(before)
    content = 'two'
    expect(await (await opened(url)).fingerprint()).not.toBe(before)
  }
})

test('an empty file is empty', async () => {
  const { url } = await startServer(serving(new Uint8Array(0)))
  expect((await opened(url)).size).toBe(0)
})
