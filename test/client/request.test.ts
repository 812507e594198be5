import { describe, expect, test } from 'vitest'
import { connectTo, type Client, type ConnectionOptions } from '../../src/client/connection.ts'
import { WindrowError } from '../../src/core/error.ts'
import { all, inTurn, json, problem, profile, scriptedWorld, type Answering } from './scripted-service.ts'

const updates = 'https://service.example/api/data/streaming/datasets/plots/resources'
const noWait: ConnectionOptions = { retry: { tries: 3 } }

/** Requests the datasets and returns the requests sent and the error thrown. */
async function asking(service: Answering, options: ConnectionOptions = {}, given = profile) {
  const world = scriptedWorld(service)
  const error: unknown = await connectTo(given, world, options)
    .datasets()
    .then(
      () => undefined,
      (cause: unknown) => cause,
    )
  return { world, error: error as WindrowError | undefined }
}

describe('what is sent', () => {
  test('has the token and the optional headers, and does not follow redirects', async () => {
    const options = { region: 'nz', requestingClientId: 'other', downgradeAuthentication: 'true' }
    const { world } = await asking(() => json([]), options)
    const [sent] = world.sent
    expect(sent?.url.href).toBe('https://service.example/api/data/streaming/datasets')
    expect(sent?.redirect).toBe('manual')
    expect(Object.fromEntries(sent?.headers ?? [])).toMatchObject({
      authorization: 'Bearer token-1',
      accept: 'application/json',
      'x-requested-region': 'NZ',
      'x-requesting-clientid': 'other',
      'x-downgrade-authentication': 'true',
    })
  })

  test.each([
    ['a region that is none', { region: 'Waikato' }],
    ['a line break in a header', { requestingClientId: 'a\r\nX: 1' }],
    ['a macron in a header', { downgradeAuthentication: 'Kōwhai' }],
  ])('is refused beforehand: %s', (_name, options) => {
    expect(() =>
      connectTo(
        profile,
        scriptedWorld(() => json([])),
        options,
      ),
    ).toThrow(expect.objectContaining({ code: 'option-invalid' }))
  })
})

describe('addresses of a connection', () => {
  const refused = [
    ['plain http elsewhere', 'http://service.example'],
    ['plain http to a name that only looks local', 'http://localhost.example'],
    ['plain http to a number that only looks local', 'http://127.0.0.1.example'],
    ['another scheme', 'ftp://service.example'],
    ['no address', 'service'],
    ['credentials inside', 'https://office:geheim@service.example'],
    ['credentials in something else', 'office:geheim@service.example'],
  ] as const
  test.each(refused)('are refused for the service: %s', (_name, service) => {
    const world = scriptedWorld(() => json([]))
    const connect = (): Client => connectTo({ ...profile, service }, world)
    expect(connect).toThrow(expect.objectContaining({ code: 'option-invalid' }))
    expect(connect).not.toThrow(/geheim/)
  })
  test.each(refused)('are refused for the sign-in: %s', (_name, tokenUrl) => {
    const world = scriptedWorld(() => json([]))
    expect(() => connectTo({ ...profile, tokenUrl }, world)).toThrow(
      expect.objectContaining({ code: 'option-invalid' }),
    )
  })
  test.each(['http://localhost:8080', 'http://127.0.0.1:8080/', 'http://[::1]/x/', 'https://service.example/a/b//'])(
    'may be %s',
    (service) => {
      expect(() =>
        connectTo(
          { ...profile, service },
          scriptedWorld(() => json([])),
        ),
      ).not.toThrow()
    },
  )
})

describe('retries', () => {
  test.each([408, 429, 502, 503, 504])('repeat after %i', async (status) => {
    const { world, error } = await asking(
      inTurn(
        () => problem(status, 'Busy'),
        () => json([]),
      ),
    )
    expect(error).toBeUndefined()
    expect(world.sent).toHaveLength(2)
    expect(world.waits).toEqual([250])
  })

  test.each([400, 403, 404, 405, 409, 410, 413, 415, 422, 500, 501])('do not repeat after %i', async (status) => {
    const { world, error } = await asking(() => problem(status, 'No'))
    expect(error).toBeInstanceOf(WindrowError)
    expect(world.sent).toHaveLength(1)
    expect(world.waits).toEqual([])
  })

  test('repeat after a network fault, with the very same body', async () => {
    const cut = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } })
    const world = scriptedWorld((_sent, nth) =>
      nth === 0 ? Promise.reject(cut) : json([{ index: 0, successful: true }]),
    )
    await connectTo(profile, world).publish(updates, ['{"name":"Rāhui"}'])
    expect(world.sent.map(({ body }) => body)).toEqual(['[{"name":"Rāhui"}]', '[{"name":"Rāhui"}]'])
  })

  test('wait at least as long as asked, in seconds or until a date', async () => {
    const { world } = await asking(
      inTurn(
        () => problem(429, 'Slow down', { 'Retry-After': '2' }),
        () => problem(503, 'Closed', { 'Retry-After': 'Fri, 20 Nov 2026 00:01:00 GMT' }),
        () => json([]),
      ),
    )
    expect(world.waits[0]).toBeGreaterThanOrEqual(2000)
    expect(world.waits[0]! + world.waits[1]!).toBeGreaterThanOrEqual(60_000)
  })

  test('end sooner, where that is wanted, only while nothing has answered', async () => {
    const cut = () => Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } }))
    const retry = { tries: 5, silentTries: 2 }
    const silent = scriptedWorld(cut, cut)
    await expect(connectTo(profile, silent, { retry }).datasets()).rejects.toMatchObject({ data: { tries: 2 } })
    expect((await asking(cut, { retry })).error).toMatchObject({ data: { tries: 5 } })
  })

  test('end after the allowed tries', async () => {
    const { world, error } = await asking(() => problem(503, 'Down for maintenance'), noWait)
    expect(world.sent).toHaveLength(3)
    expect(error).toMatchObject({ code: 'service-failing', exit: 4, data: { status: 503, tries: 3 } })
    expect(error?.message).toBe(
      'service.example answers 503 for the list of datasets (asked 3 times): Down for maintenance.',
    )
  })

  test.each([
    [429, 'The service is busy. Run it again later.'],
    [503, 'The service has a fault. Run it again later.'],
  ])('end with %i and say what that means', async (status, hint) => {
    expect((await asking(() => problem(status, 'No'), noWait)).error?.hint).toBe(hint)
  })

  test('end when the service asks for a longer wait than allowed, and report it', async () => {
    const { world, error } = await asking(() => problem(503, 'Down', { 'Retry-After': '3600' }))
    expect(world.waits).toEqual([])
    expect(error).toMatchObject({ code: 'service-failing', hint: expect.stringContaining('60 minutes') })
  })

  test('report each wait', async () => {
    const waitings: unknown[] = []
    await asking(
      inTurn(
        () => problem(503, 'Busy'),
        () => json([]),
      ),
      { onWait: (waiting) => waitings.push(waiting) },
    )
    expect(waitings).toEqual([{ ms: 250, reason: 'service.example: it answers 503: Busy.' }])
  })
})

describe('the error of a failure', () => {
  const fault = (code: string) => () =>
    Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(code), { code }) }))
  test.each<{ name: string; service: Answering; code: string; words: string; times: number }>([
    {
      name: 'nobody listens',
      service: fault('ECONNREFUSED'),
      code: 'service-unreachable',
      words: 'no server runs at that address',
      times: 3,
    },
    {
      name: 'no such name',
      service: fault('ENOTFOUND'),
      code: 'service-unreachable',
      words: 'the host is unknown',
      times: 3,
    },
    {
      name: 'an old certificate',
      service: fault('CERT_HAS_EXPIRED'),
      code: 'service-unreachable',
      words: 'certificate is not trusted',
      times: 1,
    },
    {
      name: 'plain http in place of https',
      service: fault('EPROTO'),
      code: 'service-unreachable',
      words: 'the server does not use https',
      times: 1,
    },
    { name: 'something else', service: fault('EWHATEVER'), code: 'service-unreachable', words: 'EWHATEVER', times: 3 },
    {
      name: 'no rights',
      service: () => problem(403, 'Not yours'),
      code: 'rights-missing',
      words: 'The account has no right to do this: the list of datasets (403): Not yours.',
      times: 1,
    },
    {
      name: 'a refusal',
      service: () => problem(400, 'limit is no number'),
      code: 'request-refused',
      words: 'refuses the list of datasets (400): limit is no number.',
      times: 1,
    },
    {
      name: 'a refusal as a web page',
      service: () => new Response('<h1>Nope</h1>', { status: 400 }),
      code: 'request-refused',
      words: '(400).',
      times: 1,
    },
    {
      name: 'a fault of its own',
      service: () => problem(500, 'Oops!'),
      code: 'service-failing',
      words: 'answers 500 for the list of datasets: Oops!',
      times: 1,
    },
    {
      name: 'a web page',
      service: () => new Response('<html>', { headers: { 'Content-Type': 'text/html' } }),
      code: 'service-confused',
      words: 'did not answer with JSON',
      times: 1,
    },
    {
      name: 'cut JSON',
      service: () => new Response('[{"name":'),
      code: 'service-confused',
      words: 'did not answer with JSON',
      times: 1,
    },
    {
      name: 'no UTF-8',
      service: () => new Response(new Uint8Array([0x5b, 0x22, 0xe9, 0x22, 0x5d])),
      code: 'service-confused',
      words: 'not UTF-8',
      times: 1,
    },
  ])('$name', async ({ service, code, words, times }) => {
    const { world, error } = await asking(service, noWait)
    expect(error).toMatchObject({ code, message: expect.stringContaining(words) })
    expect(world.sent).toHaveLength(times)
  })

  test('quotes the service in one short line without control characters', async () => {
    const { error } = await asking(() => problem(400, `\u001b[31mred\u202e\r\n${'long '.repeat(1000)}`))
    expect(error?.message).toMatch(/\(400\): \[31mred long long/)
    expect(error?.message).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(error?.message.length).toBeLessThan(400)
  })
})

describe('limits', () => {
  test('an answer above the limit is not read to its end', async () => {
    let chunks = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        chunks += 1
        controller.enqueue(new Uint8Array(1 << 16))
      },
    })
    const { error } = await asking(() => new Response(endless), { limits: { bodyBytes: 1 << 20 } })
    expect(error).toMatchObject({ code: 'service-confused', message: expect.stringContaining('more than 1 MB') })
    expect(chunks).toBeLessThan(25)
  })

  test('an endless error body is cut', async () => {
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1 << 16)),
    })
    const { error } = await asking(() => new Response(endless, { status: 400 }))
    expect(error).toMatchObject({ code: 'request-refused', data: { status: 400 } })
  })

  const never = new Promise<never>(() => undefined)
  const stalling = (): Response =>
    new Response(
      new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode('[')),
        pull: () => never,
      }),
    )
  const dripping = (): Response =>
    new Response(
      new ReadableStream<Uint8Array>({
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve, 5))
          controller.enqueue(new TextEncoder().encode(' '))
        },
      }),
    )
  test.each([
    ['no answer', () => never, 'no answer within 20 ms'],
    ['an answer that stops', stalling, 'the answer stopped for 30 ms'],
    ['an answer in drops', dripping, 'the answer was not complete after 60 ms'],
  ] as const)('%s is a fault that is tried again', async (_name, service, words) => {
    const limits = { answerMs: 20, stallMs: 30, bodyMs: 60 }
    const { world, error } = await asking(service as Answering, { limits, retry: { tries: 2 } })
    const hint =
      'Check the address and the internet connection (a dry run can do with --connection none), then run it again.'
    expect(error).toMatchObject({ code: 'service-unreachable', message: expect.stringContaining(words), hint })
    expect(world.sent).toHaveLength(2)
  })

  test('an abort passes through everything', async () => {
    const during = new AbortController()
    const world = scriptedWorld(() => {
      setTimeout(() => during.abort(new Error('stopped by hand')), 5)
      return never
    })
    await expect(connectTo(profile, world).datasets(during.signal)).rejects.toThrow('stopped by hand')
    const waiting = new AbortController()
    const slow = scriptedWorld(() => problem(503, 'Busy'))
    const client = connectTo(profile, {
      ...slow,
      sleep: (_ms, signal) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(new Error('the sleep was cut')))
          setTimeout(() => waiting.abort(new Error('stopped while waiting')), 5)
        }),
    })
    await expect(client.datasets(waiting.signal)).rejects.toThrow('stopped while waiting')
    await expect(client.datasets(AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
  })
})

describe('redirects', () => {
  const onward = (status: number, location: string | undefined): Response =>
    new Response('', { status, headers: location === undefined ? {} : { Location: location } })

  test.each([301, 302, 303, 307, 308])('%i within the service is followed for reading', async (status) => {
    const { world, error } = await asking(
      inTurn(
        () => onward(status, '/api/v2/datasets'),
        () => json([]),
      ),
    )
    expect(error).toBeUndefined()
    expect(world.sent[1]?.url.href).toBe('https://service.example/api/v2/datasets')
    expect(world.sent[1]?.headers.get('authorization')).toBe('Bearer token-1')
  })

  test.each([
    ['another host', 'https://evil.example/'],
    ['another port', 'https://service.example:8443/'],
    ['plain http', 'http://service.example/'],
    ['a host that hides behind credentials', 'https://service.example@evil.example/'],
    ['credentials', 'https://a:b@service.example/'],
    ['no scheme of the web', 'data:application/json,[]'],
    ['nowhere', undefined],
    ['no address', 'https://'],
  ])('to %s is not followed', async (_name, location) => {
    const { world, error } = await asking(() => onward(302, location))
    expect(error).toMatchObject({ code: 'service-confused' })
    expect(world.sent).toHaveLength(1)
  })

  test('end after a few', async () => {
    const { world, error } = await asking(() => onward(302, '/again'))
    expect(error).toMatchObject({ code: 'service-confused' })
    expect(world.sent.length).toBeLessThan(10)
  })

  test.each([
    [307, 2],
    [308, 2],
    [301, 1],
    [302, 1],
    [303, 1],
  ])('%i of a publish is followed only as a publish', async (status, times) => {
    const world = scriptedWorld(
      inTurn(
        () => onward(status, '/moved'),
        () => json([{ index: 0, successful: true }]),
      ),
    )
    const outcome = await connectTo(profile, world)
      .publish(updates, ['{}'])
      .catch((cause: unknown) => cause)
    expect(world.sent.map(({ method, body }) => [method, body])).toEqual(Array(times).fill(['POST', '[{}]']))
    if (times === 1) expect(outcome).toMatchObject({ code: 'service-confused' })
  })
})

describe('links that the service gives', () => {
  const elsewhere = 'https://evil.example/x'
  const next = [{ rel: 'next', href: elsewhere }]
  test.each<[string, Answering, (client: Client) => Promise<unknown>, number]>([
    ['updates', () => json([]), (client) => client.publish(elsewhere, ['{}']), 0],
    ['updates, halving', () => json([]), (client) => all(client.publishHalving(elsewhere, ['{}'])), 0],
    ['changes', () => json([]), (client) => all(client.changes({ changes: elsewhere })), 0],
    ['next of features', () => json({ features: [], links: next }), (client) => all(client.features('plots')), 1],
    [
      'next of work records',
      () => json({ items: [], links: { next: elsewhere } }),
      (client) => all(client.workRecords()),
      1,
    ],
  ])('to another origin get no token: %s', async (_name, service, act, times) => {
    const world = scriptedWorld(service)
    await expect(act(connectTo(profile, world))).rejects.toMatchObject({
      code: 'service-confused',
      message: expect.stringContaining('https://evil.example'),
    })
    expect(world.sent).toHaveLength(times)
    expect(world.sent.every(({ url }) => url.origin === 'https://service.example')).toBe(true)
  })
})
