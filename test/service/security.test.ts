import { connect } from 'node:net'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Service } from '../../src/service/create.ts'
import { serve, type Served } from '../../src/service/serve.ts'
import {
  farmNumber,
  hillFarm,
  holding,
  list,
  plot,
  signIn,
  speaker,
  stillClock,
  text,
  type Answer,
} from './hill-farm.ts'

let service: Service
let served: Served
let faults: unknown[]
let still: ReturnType<typeof stillClock>
let hill: Awaited<ReturnType<typeof hillFarm>>['hill']
let rimu: typeof hill
/** The ids of the plot and the holding of Hill Farm. */
let ids: { readonly plot: string; readonly holding: string }

beforeEach(async () => {
  faults = []
  still = stillClock()
  const world = await hillFarm({
    clock: still.clock,
    onFault: (cause) => faults.push(cause),
    mostBodyBytes: 200_000,
    bodyTimeoutMs: 300,
    webhooks: {},
  })
  service = world.service
  hill = world.hill
  await hill.post('plots', [plot('1', undefined, { spatialFeature: null })])
  rimu = await signIn(service, 'rimu')
  served = await serve(service, { graceMs: 100 })
  const first = async (collection: string) =>
    text(list((await hill.get(`/ogc/collections/${collection}/items`)).body['features'])[0]!['id'])
  ids = { plot: await first('plots'), holding: await first('holdings') }
})
afterEach(async () => {
  await served.close()
  service.close()
  // No input makes the service itself fail.
  expect(faults).toEqual([])
})

/** A refusal is problem details that show nothing of the inside of the service. */
function expectProblem({ status, headers, body }: Answer, statuses: readonly number[]): void {
  expect(statuses).toContain(status)
  expect(headers.get('content-type')).toBe('application/problem+json')
  expect(body).toMatchObject({ status, title: expect.any(String) as string, detail: expect.any(String) as string })
  expect(JSON.stringify(body)).not.toMatch(/sqlite|\.ts\b|node:| {4}at |no such|near /i)
}

const data = [
  '/data/streaming/control',
  '/data/streaming/datasets',
  '/data/streaming/datasets/plots',
  '/data/streaming/datasets/plots/changes',
  '/data/crops/work-records',
  '/data/crops/pasture-cover-events',
  '/reference/treatment/medicine-products',
  '/ecosystem/organisations/1/webhooks',
]

describe('a caller who is not signed in', () => {
  test.each(data)('%s: no token, a made-up one, an expired one', async (path) => {
    const nobody = await speaker(service).get(path)
    expectProblem(nobody, [401])
    expect(nobody.headers.get('www-authenticate')).toBe('Bearer realm="windrow"')
    for (const token of ['x', 'a.b.c', `${hill.token}x`, 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.']) {
      const answer = await speaker(service, token).get(path)
      expectProblem(answer, [401])
      expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"')
    }
    still.turn(3601)
    expectProblem(await hill.get(path), [401])
  })

  test('other authorization schemes are refused', async () => {
    for (const Authorization of [
      `Basic ${btoa('sync@hillfarm.example:long winter')}`,
      `Token ${hill.token}`,
      hill.token!,
    ]) {
      const answer = await speaker(service).send('/data/streaming/control', { headers: { Authorization } })
      expectProblem(answer, [401])
    }
  })

  test('features without a token are there and empty, so that nothing can be found out', async () => {
    const nobody = speaker(service)
    expect((await nobody.get('/ogc/collections/plots/items')).body).toMatchObject({ numberMatched: 0, features: [] })
    expectProblem(await nobody.get(`/ogc/collections/plots/items/${ids.plot}`), [404])
  })
})

describe('a record of another account', () => {
  test('is neither read nor written, and no answer shows that it exists', async () => {
    await rimu.post('holdings', [holding('RF-1')])
    for (const path of [
      `/ogc/collections/plots/items/${ids.plot}`,
      `/ogc/collections/holdings/items/${ids.holding}`,
      `/ogc/collections/holdings/${ids.holding}/collections`,
      `/ogc/collections/holdings/${ids.holding}/collections/plots/items`,
      `/ogc/collections/holdings/${ids.holding}/collections/plots/items/${ids.plot}`,
    ]) {
      const foreign = await rimu.get(path)
      expectProblem(foreign, [404])
      const none = await rimu.get(path.replaceAll(/[0-9a-f]{12}(?=\/|$)/g, '000000000000'))
      const shape = (answer: Answer): string => text(answer.body['detail']).replaceAll(/[0-9a-f]{12}"/g, '"')
      expect(shape(foreign)).toBe(shape(none))
    }
    const { body } = await rimu.post('plots', [
      plot('2'),
      plot('1', 'RF-1', { dataPointKey: 'HF-0042/1' }),
      plot('3', 'RF-1', { identifiers: [farmNumber('RF-1'), farmNumber('HF-0042')], dataPointKey: 'RF-1/3' }),
    ])
    expect(list(body).map(({ successful }) => successful)).toEqual([false, false, true])
    expect((await hill.feed('plots')).items.map((item) => item['name'])).toEqual(['Pātiki 1'])
    expect((await rimu.feed('plots')).items.map((item) => item['dataPointKey'])).toEqual(['RF-1/3'])
  })

  test('naming the number of a holding does not take it over', async () => {
    const { body } = await rimu.post('holdings', [holding('HF-0042', { dataPointKey: 'mine', name: 'Mine now' })])
    expect(list(body)[0]).toMatchObject({ index: 0, successful: false })
    expect((await hill.feed('holdings')).items.map((item) => item['name'])).toEqual(['Hill Farm'])
  })
})

test.each([
  ['nonsense', () => 'nonsense'],
  ['the token of another dataset', async () => (await hill.feed('holdings')).token],
  [
    'a changed sequence',
    async () => changed((await hill.feed('plots')).token, (parts) => [parts[0]!, parts[1]!, '0', parts[3]!]),
  ],
  [
    'a changed dataset',
    async () => changed((await hill.feed('holdings')).token, (parts) => ['plots', ...parts.slice(1)]),
  ],
  ['a statement', () => "' OR 1=1 --"],
  ['an endless one', () => 'A'.repeat(8_000)],
])('a continuation token that is %s is refused', async (_, make) => {
  const since = encodeURIComponent(await make())
  expectProblem(await hill.get(`/data/streaming/datasets/plots/changes?since=${since}`), [400])
})

function changed(token: string, change: (parts: readonly string[]) => readonly string[]): string {
  return Buffer.from(change(Buffer.from(token, 'base64').toString().split('|')).join('|')).toString('base64')
}

describe('a database statement', () => {
  const statements = [
    `'; DROP TABLE records; --`,
    `' OR '1'='1`,
    `1) UNION SELECT key FROM settings --`,
    '%',
    '_',
    '\u0000',
    '*',
  ]
  const parameters: readonly (readonly [string, readonly number[]])[] = [
    ['/ogc/collections/plots/items?limit=', [400]],
    ['/ogc/collections/plots/items?offset=', [400]],
    ['/ogc/collections/plots/items?bbox=', [400]],
    ['/ogc/collections/plots/items?f=', [400]],
    ['/ogc/collections/plots/items?unknown=', [400]],
    ['/ogc/collections/plots/items/', [404]],
    ['/ogc/collections/', [404]],
    ['/ogc/collections/holdings/items/', [404]],
    ['/data/streaming/datasets/', [404]],
    ['/data/streaming/datasets/plots/changes?limit=', [400]],
    ['/data/streaming/datasets/plots/changes?since=', [400]],
    ['/data/crops/work-records?limit=', [400]],
    ['/data/crops/work-records?offset=', [400]],
    ['/data/crops/pasture-cover-events/', [404]],
    ['/data/crops/pasture-cover-events?includeDeleted=', [400]],
    ['/reference/treatment/medicine-products/', [404]],
    ['/ecosystem/organisations/1/webhooks/', [404]],
  ]
  test.each(parameters)('in %s is only text', async (prefix, statuses) => {
    for (const statement of statements) {
      const answer = await hill.get(prefix + encodeURIComponent(statement))
      // A wildcard may match a name.
      if (!prefix.includes('medicine')) expectProblem(answer, statuses)
      else expect([200, 404]).toContain(answer.status)
    }
    expect((await hill.feed('plots')).items).toHaveLength(1)
  })

  test('in a record is stored as it was written', async () => {
    const name = statements[0]!
    const key = statements[1]!
    await hill.post('plots', [plot('2', undefined, { name, dataPointKey: key })])
    expect((await hill.feed('plots')).items.at(-1)).toMatchObject({ name, dataPointKey: key })
  })
})

/** Writes bytes to the socket and returns everything that comes back until the connection ends. */
async function raw(bytes: string): Promise<string> {
  const socket = connect(Number(new URL(served.url).port), '127.0.0.1')
  socket.write(bytes)
  let answer = ''
  socket.on('data', (chunk) => void (answer += String(chunk)))
  socket.on('error', () => undefined)
  await once(socket, 'close')
  return answer
}

const ask = (path: string, headers = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${hill.token}\r\nConnection: close\r\n${headers}\r\n`

describe('on the wire', () => {
  test.each([
    '/../../../../etc/passwd',
    '/ogc/../../etc/passwd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/ogc/collections/..%2f..%2fetc%2fpasswd',
    '/ogc/collections/plots/items/..%5c..%5cwindows',
    '/ogc/collections/plots/items/%00',
    '/ogc/collections/plots/items/%',
    '/ogc/collections/plots/items/%ff%fe',
    '//evil.example/ogc',
    'http://evil.example/ogc',
  ])('%s leads nowhere', async (path) => {
    const answer = await raw(ask(path))
    expect(answer).toMatch(/^HTTP\/1.1 (400|404|421) /)
    expect(answer).toContain('application/problem+json')
    expect(answer).not.toMatch(/root:|evil\.example\/ogc\/collections/)
  })

  test.each([
    ['in a value', 'X-Requested-Region: NZ\r\n\tSet-Cookie: a=b\r\n'],
    ['in a path that comes back', ''],
  ])('a line break %s makes no header of the answer', async (_, headers) => {
    const answer = await raw(ask(headers === '' ? '/ogc/collections/x%0d%0aSet-Cookie:%20a=b' : '/ogc', headers))
    expect(answer.split('\r\n\r\n', 1)[0]).not.toMatch(/^Set-Cookie/im)
  })

  test('two lengths, or a length with chunks, cannot smuggle in a second request', async () => {
    const post = `POST /data/streaming/datasets/plots/resources HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${hill.token}\r\n`
    for (const lengths of [
      'Content-Length: 2\r\nContent-Length: 40\r\n',
      'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n',
    ])
      expect(await raw(`${post}${lengths}\r\n[]GET /ogc HTTP/1.1\r\nHost: localhost\r\n\r\n`)).toMatch(
        /^HTTP\/1.1 400 /,
      )
  })

  test('a body that arrives too slowly is given up, and nothing of it is stored', async () => {
    const path = '/data/streaming/datasets/plots/resources'
    const answer = await raw(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${hill.token}\r\nContent-Length: 500\r\n\r\n[${JSON.stringify(plot('2')).slice(0, 100)}`,
    )
    expect(answer).toMatch(/^HTTP\/1.1 408 /)
    expect(answer).toContain('"instance":"/data/streaming/datasets/plots/resources"')
    expect((await hill.feed('plots')).items).toHaveLength(1)
  })
})

describe('a body', () => {
  test.each([
    ['too large', `[${' '.repeat(200_000)}]`, 413],
    ['nested too deeply', `[${'['.repeat(50_000)}${']'.repeat(50_000)}]`, 400],
    ['nested too deeply in objects', `[${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}]`, 400],
    ['of too many entries', `[${'1,'.repeat(60_000)}1]`, 413],
    ['that is no list', '{"a":1}', 400],
    ['that breaks off', '[{"a":', 400],
    ['that is empty', '', 400],
    ['with a number that is none', '[1e]', 400],
  ])('%s is refused', async (_, body, status) => {
    expectProblem(await hill.post('plots', body), [status])
  })

  test('names with a meaning in JavaScript are only names', async () => {
    const record = JSON.stringify(plot('2')).replace(
      '{',
      '{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}},',
    )
    const { status } = await hill.post('plots', `[${record}]`)
    expect(status).toBe(200)
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined()
    expect((await hill.get('/data/streaming/datasets/__proto__')).status).toBe(404)
    expect((await hill.get('/data/streaming/datasets/constructor/changes')).status).toBe(404)
  })

  test('a compressed body is refused before it is decompressed', async () => {
    const answer = await hill.send('/data/streaming/datasets/plots/resources', {
      method: 'POST',
      body: 'x',
      headers: { 'Content-Encoding': 'gzip', 'Content-Type': 'application/json' },
    })
    expectProblem(answer, [415])
  })
})
