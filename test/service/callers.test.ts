import { createHash } from 'node:crypto'
import { request, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { once } from 'node:events'
import { buffer as readBuffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serve, type ServeOptions } from '../../src/service/serve.ts'
import { createService } from '../../src/service/create.ts'
import { hillFarm, list, plot, square, text, tokenForm, type Tree } from './hill-farm.ts'

async function start(options: ServeOptions = {}) {
  const { service, hill } = await hillFarm()
  const served = await serve(service, options)
  onTestFinished(served.close)
  const { port } = new URL(served.url)
  /** Sends these headers unchanged; fetch would replace some of them. */
  const ask = async (path: string, headers: OutgoingHttpHeaders = {}, method = 'GET') => {
    const authorization = `Bearer ${hill.token}`
    const going = request({
      host: '127.0.0.1',
      port,
      path,
      method,
      agent: false,
      headers: { authorization, ...headers },
    }).end()
    const [coming] = (await once(going, 'response')) as [IncomingMessage]
    return { status: coming.statusCode, headers: coming.headers, body: await readBuffer(coming) }
  }
  const links = async (path: string, headers: OutgoingHttpHeaders = {}) => {
    const { body } = await ask(path, headers)
    return [...body.toString().matchAll(/https?:\/\/[^"?]+/g)].map(([link]) => link)
  }
  return { hill, served, ask, links }
}

describe('behind a proxy', () => {
  const publicAddress = 'https://farm.example/windrow/'

  test('links, next, changes, updates and iss start with the public address', async () => {
    const { hill, served, links, ask } = await start({ publicAddress })
    await hill.post('plots', [plot('1'), plot('2')])
    for (const path of ['/ogc', '/ogc/collections', '/ogc/collections/plots/items?limit=1', '/data/streaming/datasets'])
      for (const link of await links(path))
        if (!link.includes('opengis')) expect(link).toMatch(/^https:\/\/farm\.example\/windrow\//)
    const items = JSON.parse((await ask('/ogc/collections/plots/items?limit=1')).body.toString()) as Tree
    expect(list(items['links']).map(({ rel }) => text(rel))).toContain('next')
    expect(served.tokenUrl).toBe('https://farm.example/windrow/auth/realms/windrow/protocol/openid-connect/token')
    const form = { method: 'POST', body: tokenForm('hill') }
    const signedIn = await fetch(`${served.authUrl}/protocol/openid-connect/token`, form)
    const [, claims = ''] = text(((await signedIn.json()) as Tree)['id_token']).split('.')
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      iss: 'https://farm.example/windrow/auth/realms/windrow',
    })
    // The proxy may pass its own Host on, or that of the caller.
    expect((await ask('/ogc', { host: 'farm.example' })).status).toBe(200)
    expect((await ask('/ogc', { host: 'other.example' })).status).toBe(421)
  })

  test.each([
    ['Forwarded', { forwarded: 'for=192.0.2.1;proto=https;host="farm.example:8443", for=10.0.0.1;proto=http' }],
    ['X-Forwarded', { 'x-forwarded-proto': 'https, http', 'x-forwarded-host': 'farm.example:8443' }],
  ])('%s headers count only when the configuration says so', async (_, headers) => {
    const trusting = await start({ forwarded: true, hosts: ['farm.example'] })
    expect(await trusting.links('/ogc', headers)).toContain('https://farm.example:8443/ogc/collections')
    const plain = await start({ hosts: ['farm.example'] })
    expect(await plain.links('/ogc', headers)).toContain(`${plain.served.url}/ogc/collections`)
  })

  test('a forwarded host name that is not on the list is refused', async () => {
    const { ask } = await start({ forwarded: true })
    expect((await ask('/ogc', { 'x-forwarded-host': 'evil.example' })).status).toBe(421)
    expect((await ask('/ogc', { 'x-forwarded-host': 'a b', 'x-forwarded-proto': 'javascript' })).status).toBe(200)
  })

  test.each(['http://farm.example', 'farm.example', 'https://u:p@farm.example', 'https://farm.example?a=1'])(
    'the public address %s is refused',
    async (address) => {
      const { service } = await hillFarm()
      await expect(serve(service, { publicAddress: address })).rejects.toMatchObject({ code: 'option-invalid' })
    },
  )

  test('callers behind a proxy on the same machine cannot read the counts', async () => {
    const { ask } = await start({ publicAddress })
    expect((await ask('/metrics')).status).toBe(200)
    expect((await ask('/metrics', { 'x-forwarded-for': '192.0.2.1' })).status).toBe(403)
    expect((await ask('/metrics', { forwarded: 'for=192.0.2.1' })).status).toBe(403)
  })

  test('the demonstration account is refused with a public address', async () => {
    const demo = createService({ demo: true })
    await expect(serve(demo, { publicAddress })).rejects.toThrow(/Everybody knows the password/)
    demo.close()
  })
})

describe('a web page', () => {
  const origin = 'https://map.example'

  test('of an allowed origin may send requests and read answers', async () => {
    const { ask } = await start({ origins: [origin] })
    const wish = { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' }
    const before = await ask('/ogc/collections/plots/items', wish, 'OPTIONS')
    expect(before.status).toBe(204)
    expect(before.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'HEAD, GET, OPTIONS',
      'access-control-allow-headers':
        'Authorization, Content-Type, X-Requested-Region, X-Requesting-ClientID, X-Downgrade-Authentication',
    })
    for (const path of ['/ogc', '/ogc/collections/none', '/ogc?a=1', '/health']) {
      const { headers } = await ask(path, { origin })
      expect([path, headers['access-control-allow-origin'], headers.vary]).toEqual([path, origin, 'Origin'])
    }
    // The page must also see that a token has expired.
    const refused = await ask('/ogc', { origin, authorization: 'Bearer none' })
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, origin])
  })

  test('of any other origin may not; * allows all origins', async () => {
    const { ask } = await start({ origins: [origin] })
    for (const other of ['https://evil.example', 'http://map.example', 'null']) {
      const { headers } = await ask('/ogc', { origin: other })
      expect(headers['access-control-allow-origin']).toBeUndefined()
    }
    const open = await start({ origins: ['*'] })
    expect((await open.ask('/ogc', { origin })).headers['access-control-allow-origin']).toBe(origin)
    const closed = await start()
    expect((await closed.ask('/ogc', { origin })).headers['access-control-allow-origin']).toBeUndefined()
  })

  test('OPTIONS lists the methods of an address', async () => {
    const { ask } = await start()
    const { status, headers } = await ask('/data/streaming/datasets/plots/resources', {}, 'OPTIONS')
    expect([status, headers.allow]).toEqual([204, 'POST, OPTIONS'])
    expect((await ask('/nothing', {}, 'OPTIONS')).status).toBe(404)
  })

  test.each(['map.example', 'https://map.example/', 'https://map.example/page'])(
    '"%s" is not an origin',
    async (wrong) => {
      const { service } = await hillFarm()
      await expect(serve(service, { origins: [wrong] })).rejects.toMatchObject({ code: 'option-invalid' })
    },
  )
})

describe('a large answer', () => {
  async function manyPlots(options: ServeOptions = {}) {
    const world = await start(options)
    const plots = Array.from({ length: 300 }, (_, index) =>
      plot(String(index), undefined, { spatialFeature: square(175 + index / 1000, -38) }),
    )
    await world.hill.post('plots', plots)
    return world
  }
  const items = '/ogc/collections/plots/items?limit=1000'
  const withoutTime = (bytes: Buffer): string => bytes.toString().replace(/"timeStamp":"[^"]*"/, '')

  test.each([
    ['gzip', 'gzip', gunzipSync],
    ['br', 'br', brotliDecompressSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip;q=1, br;q=0.5', 'gzip', gunzipSync],
    ['br;q=0, *', 'gzip', gunzipSync],
  ])('comes packed to who accepts %s', async (accepted, encoding, unpack) => {
    const { ask } = await manyPlots()
    const plain = await ask(items)
    expect(plain.headers).toMatchObject({ vary: 'Accept-Encoding', 'content-length': String(plain.body.length) })
    expect(plain.headers['content-encoding']).toBeUndefined()
    const packed = await ask(items, { 'accept-encoding': accepted })
    expect(packed.headers).toMatchObject({ vary: 'Accept-Encoding', 'content-encoding': encoding })
    expect(packed.headers['content-length']).toBeUndefined()
    expect(packed.body.length).toBeLessThan(plain.body.length / 4)
    const digest = (bytes: Buffer): string => createHash('sha256').update(withoutTime(bytes)).digest('hex')
    expect(digest(unpack(packed.body))).toBe(digest(plain.body))
  })

  test('is not compressed for callers that do not accept it, for HEAD, and when it is small', async () => {
    const { ask } = await manyPlots()
    for (const accepted of ['identity', 'gzip;q=0', 'deflate', 'x-gzip'])
      expect((await ask(items, { 'accept-encoding': accepted })).headers['content-encoding']).toBeUndefined()
    const head = await ask(items, { 'accept-encoding': 'gzip' }, 'HEAD')
    expect([head.status, head.body.length]).toEqual([200, 0])
    expect((await ask('/health', { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBeUndefined()
  })

  test('that the caller does not read to its end does no harm', async () => {
    const { ask, hill, served } = await manyPlots()
    const headers = { 'accept-encoding': 'gzip', authorization: `Bearer ${hill.token}` }
    for (let turn = 0; turn < 20; turn += 1) {
      const going = request(served.url + items, { agent: false, headers }).end()
      going.on('error', () => undefined)
      going.on('response', (coming) => coming.once('data', () => going.destroy()))
      await new Promise((resolve) => going.once('close', resolve))
    }
    expect((await ask('/health')).status).toBe(200)
  })
})
