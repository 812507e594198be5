import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { onTestFinished, describe, expect, test } from 'vitest'
import { urlSource, type WebOptions } from '../../src/core/sources/source-url.ts'
import { nextAddress, webError } from '../../src/core/sources/web-request.ts'
import { serveParts, startServer } from './web-server.ts'

const quick: WebOptions = { allowsPrivate: true, sleep: () => Promise.resolve() }
const large = Buffer.alloc(3_000_000, 'x')

async function openAndRead(url: string, options: WebOptions = quick): Promise<Buffer> {
  const { source, close } = await urlSource(url, options)
  try {
    return Buffer.from(await source.read(0, source.size))
  } finally {
    await close()
  }
}

describe('redirects', () => {
  const redirectTo = (location: string) => startServer((_, response) => response.writeHead(302, { location }).end())

  test.each([301, 302, 303, 307, 308])('%d is followed, without password or cookie', async (status) => {
    const target = await startServer((request, response) => serveParts(request, response, large))
    const { url, asked } = await startServer((_, response) =>
      response.writeHead(status, { location: `${target.url}/b.csv`, 'set-cookie': 'id=1' }).end(),
    )
    const env = { WINDROW_WEB_SECRETS: url.replace('//', '//me:secret@') }
    expect(large.equals(await openAndRead(url, { ...quick, env }))).toBe(true)
    expect(asked[0]!.headers.authorization).toBe(`Basic ${Buffer.from('me:secret').toString('base64')}`)
    for (const { headers } of target.asked)
      expect([headers.authorization, headers.cookie]).toEqual([undefined, undefined])
    // Later parts are asked for where the first was found.
    expect(asked).toHaveLength(1)
    expect(target.asked.length).toBeGreaterThan(1)
  })

  test('an address that runs out is asked for again at the start', async () => {
    let [tickets, used] = [0, 0]
    const { url } = await startServer((request, response) => {
      if (request.url === '/start') response.writeHead(302, { location: `/ticket/${(tickets += 1)}` }).end()
      else if (request.url === '/ticket/1' && (used += 1) > 1) response.writeHead(403).end()
      else serveParts(request, response, large)
    })
    expect(large.equals(await openAndRead(`${url}/start`))).toBe(true)
    expect(tickets).toBe(2)
  })

  test('that never end are given up', async () => {
    const { url, asked } = await startServer((_, response) => response.writeHead(302, { location: '/round' }).end())
    await expect(openAndRead(url)).rejects.toMatchObject({ code: 'address-refused' })
    expect(asked).toHaveLength(6)
  })

  test('lead nowhere that the first address may not lead', async () => {
    const options = { ...quick, allowsPrivate: false, resolve: () => Promise.resolve([]) }
    await expect(openAndRead((await redirectTo('http://x/')).url, options)).rejects.toMatchObject({
      code: 'address-refused',
    })
    await expect(openAndRead((await redirectTo('file:///etc/passwd')).url)).rejects.toThrow('file://')
    await expect(openAndRead((await redirectTo('http://[')).url)).rejects.toThrow('is not an address')
    expect(() => nextAddress(new URL('https://farms.example/a'), 'http://farms.example/a')).toThrow('is not followed')
    expect(nextAddress(new URL('http://farms.example/a'), 'https://me:secret@farms.example/b#c').href).toBe(
      'https://farms.example/b',
    )
  })
})

describe('addresses inside', () => {
  test.each([
    ['http://127.0.0.1/', 'this machine'],
    ['http://2130706433/', 'this machine'],
    ['http://0x7f.1/', 'this machine'],
    ['http://0/', 'this machine'],
    ['http://[::1]/', 'this machine'],
    ['http://10.1.2.3/', 'a private network'],
    ['http://172.31.0.1/', 'a private network'],
    ['http://192.168.1.20/a.csv', 'a private network'],
    ['http://[fd00::1]/', 'a private network'],
    ['http://169.254.169.254/latest', 'the local network'],
    ['http://[fe80::1]/', 'the local network'],
    ['http://100.64.0.1/', 'a provider'],
    ['http://224.0.0.1/', 'many machines'],
    ['http://[ff02::1]/', 'many machines'],
    ['http://[::ffff:8.8.8.8]/', 'within an address'],
    ['http://[64:ff9b::808:808]/', 'within an address'],
    ['http://[2002:7f00:1::]/', 'within an address'],
    ['http://240.0.0.1/', 'no machine'],
  ])('%s is refused: %s', async (url, place) => {
    await expect(openAndRead(url, {})).rejects.toMatchObject({
      code: 'address-refused',
      message: expect.stringContaining(place),
      hint: expect.stringContaining('from.private addresses: allow'),
    })
  })

  test('that a name leads to are refused, and one of several is enough', async () => {
    const found = [
      { address: '93.184.215.14', family: 4 },
      { address: '10.0.0.5', family: 4 },
    ]
    const resolve = (): Promise<typeof found> => Promise.resolve(found)
    await expect(openAndRead('https://farms.example/a.csv', { resolve })).rejects.toThrow(
      'a private network (10.0.0.5)',
    )
  })

  test('cannot be slipped in between the check and the connection', async () => {
    // A name that is a public address for the check and this machine for the connection.
    let looks = 0
    const { url, asked } = await startServer((_, response) => response.end('secret'))
    const resolve = () => {
      looks += 1
      return Promise.resolve([{ address: looks === 1 ? '192.88.99.1' : '127.0.0.1', family: 4 }])
    }
    const name = url.replace('http://127.0.0.1', 'https://rebind.example')
    await expect(openAndRead(name, { resolve })).rejects.toMatchObject({ code: 'address-refused' })
    expect([looks, asked]).toEqual([1, []])
  })

  test('are read where that is allowed, with one look at the name for each connection', async () => {
    const { url } = await startServer((_, response) => response.end('id\n'))
    let looks = 0
    const resolve = () => {
      looks += 1
      return Promise.resolve([{ address: '127.0.0.1', family: 4 }])
    }
    const name = url.replace('127.0.0.1', 'nas.example')
    expect(String(await openAndRead(name, { ...quick, resolve }))).toBe('id\n')
    expect(looks).toBe(1)
  })
})

describe('what goes wrong is a sentence', () => {
  test.each([
    [401, 'file-unreadable', 'sign-in'],
    [403, 'file-unreadable', 'do not have permission to read'],
    [404, 'file-missing', 'There is no file'],
    [410, 'file-missing', 'There is no file'],
    [429, 'address-unreachable', 'reports an error (429)'],
    [500, 'address-unreachable', 'reports an error (500)'],
    [503, 'address-unreachable', 'reports an error (503)'],
    [204, 'file-unreadable', '204 instead of a file'],
  ])('%d', async (status, code, message) => {
    const { url } = await startServer((_, response) => response.writeHead(status).end())
    await expect(openAndRead(url)).rejects.toMatchObject({ code, message: expect.stringContaining(message) })
  })

  test('a server that is busy for a moment is asked again', async () => {
    const { url, asked } = await startServer((_, response, nth) =>
      nth < 2 ? response.writeHead(503).end() : response.end('id\n'),
    )
    expect(String(await openAndRead(url))).toBe('id\n')
    expect(asked).toHaveLength(3)
  })

  test('nobody there', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    await expect(openAndRead(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({
      code: 'address-unreachable',
      exit: 4,
    })
    const resolve = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }))
    await expect(openAndRead('http://farms.example/', { ...quick, resolve })).rejects.toThrow('was not found')
  })

  test('something that is not http', async () => {
    const server = createServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n')).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await expect(openAndRead(`http://127.0.0.1:${port}/`)).rejects.toThrow('does not answer in http')
  })

  test('a certificate that proves nothing', () => {
    const cause = Object.assign(new Error('x'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    expect(webError(new URL('https://farms.example/a'), cause)).toMatchObject({ code: 'address-refused' })
  })
})

describe('limits', () => {
  const limited = (limits: NonNullable<WebOptions['limits']>): WebOptions => ({ ...quick, limits })

  test('a server that says nothing, before or within the file', async () => {
    const silent = await startServer(() => undefined)
    await expect(openAndRead(silent.url, limited({ idleMs: 100 }))).rejects.toThrow('without sending anything')
    const stuck = await startServer((_, response) => void response.writeHead(200).write('id'))
    await expect(openAndRead(stuck.url, limited({ idleMs: 100 }))).rejects.toThrow('without sending anything')
  })

  test('a server that drips', async () => {
    const { url } = await startServer((_, response) => {
      const drip = setInterval(() => response.write('x'), 20)
      response.on('close', () => clearInterval(drip))
    })
    await expect(openAndRead(url, limited({ totalMs: 200 }))).rejects.toMatchObject({
      code: 'address-unreachable',
      message: expect.stringContaining('in total'),
    })
  })

  test.each([
    ['that says so', { 'content-length': '3000000' }],
    ['that does not', {}],
  ])('a file that is too large %s', async (_, headers) => {
    const { url } = await startServer((_request, response) => response.writeHead(200, headers).end(large))
    await expect(openAndRead(url, limited({ bytes: 1_000_000 }))).rejects.toMatchObject({ code: 'file-too-large' })
  })

  test('a file that is too large, in parts', async () => {
    const { url } = await startServer((request, response) => serveParts(request, response, large))
    await expect(openAndRead(url, limited({ bytes: 2_000_000 }))).rejects.toThrow('2000000 bytes')
  })

  test('a signal ends it', async () => {
    const { url } = await startServer((_, response) => void response.writeHead(200).write('id'))
    const stop = new AbortController()
    setTimeout(() => stop.abort(new Error('enough')), 50)
    await expect(openAndRead(url, { ...quick, signal: stop.signal })).rejects.toThrow('enough')
  })
})

describe('secrets of an address', () => {
  test.each(['http://127.0.0.1:1/a.csv?token=secret', 'http://127.0.0.1:1/a.csv?secret#secret'])(
    '%s are in no message',
    async (url) => {
      for (const options of [quick, {}]) {
        const failure = (await openAndRead(url, options).catch((cause: unknown) => cause)) as Error & { hint: string }
        expect(`${failure.message} ${failure.hint}`).toContain('http://127.0.0.1:1/a.csv?...')
        expect(`${failure.message} ${failure.hint} ${JSON.stringify(failure)}`).not.toContain('secret')
      }
    },
  )

  test('are not repeated from a broken address', async () => {
    const failure = (await openAndRead('https://me:secret@[/').catch((cause: unknown) => cause)) as Error
    expect(failure.message).not.toContain('secret')
  })
})
