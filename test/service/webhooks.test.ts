import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkAgainst } from '../../src/resources/validation.ts'
import { cloudEvent } from '../resources/fixtures/answers.ts'
import type { Service, ServiceOptions } from '../../src/service/create.ts'
import {
  hillFarm,
  holding,
  list,
  openService,
  plot,
  signIn,
  speaker,
  storePlace,
  text,
  type Tree,
} from './hill-farm.ts'

const path = '/ecosystem/organisations/0f8b-office/webhooks'

type Received = { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: string }
type Answer = { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> }

let subscriber: Server
let url: string
let received: Received[]
/** How the subscriber answers; 204 by default. */
let answer: (request: Received) => Answer | Promise<Answer>
let services: Service[]

beforeEach(async () => {
  received = []
  services = []
  answer = () => ({ status: 204 })
  subscriber = createServer((incoming, outgoing) => void take(incoming, outgoing))
  subscriber.listen(0, '127.0.0.1')
  await once(subscriber, 'listening')
  url = `http://127.0.0.1:${(subscriber.address() as AddressInfo).port}`
})
afterEach(() => {
  for (const service of services) service.close()
  subscriber.closeAllConnections()
  subscriber.close()
})

async function take(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const request = { url: incoming.url!, headers: incoming.headers, body: await readText(incoming) }
  received.push(request)
  const { status, body, headers } = await answer(request)
  outgoing.writeHead(status, headers).end(body)
}

const webhooks = { allowsLoopback: true, retryWaitsMs: [20, 20] }

async function hillOffice(options: ServiceOptions = {}) {
  const world = await hillFarm({ webhooks, ...options })
  services.push(world.service)
  return world
}

const everyPlot = { resourceType: 'plotResource', systemEventType: null, create: true, update: true, delete: true }

function registration(authentication: object = { type: 'None' }, more: object = {}) {
  return { name: 'tell the office', uri: `${url}/hooks`, authentication, subscriptions: [everyPlot], ...more }
}

type Speaker = Awaited<ReturnType<typeof hillOffice>>['hill']

function register(hill: Speaker, body: unknown) {
  return hill.send(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  })
}

const deliveries = (): readonly Received[] => received.filter((each) => each.url === '/hooks')
const events = (): readonly Tree[] => deliveries().map(({ body }) => JSON.parse(body) as Tree)

describe('without webhooks', () => {
  test.each([
    ['GET', path],
    ['POST', path],
    ['GET', `${path}/1`],
    ['DELETE', `${path}/1`],
  ])('%s %s answers 501, with a token and without', async (method, address) => {
    const { service, hill } = await hillFarm()
    for (const each of [hill, speaker(service)]) {
      const { status, headers, body } = await each.send(address, { method })
      expect([status, headers.get('content-type')]).toEqual([501, 'application/problem+json'])
      expect(body).toMatchObject({ title: 'Not Implemented', status: 501, instance: address })
    }
  })
})

describe('registration', () => {
  test('a webhook is created, listed, read and deleted, by its own account only', async () => {
    const { service, hill } = await hillOffice()
    const created = await register(hill, registration())
    expect(created.status).toBe(201)
    const id = text(created.body['id'])
    expect(created.headers.get('location')).toBe(`http://service.example${path}/${id}`)
    expect(created.body).toMatchObject(registration())
    expect((await hill.get(path)).body).toEqual([created.body])
    expect((await hill.get(`${path}/${id}`)).body).toEqual(created.body)
    const rimu = await signIn(service, 'rimu')
    expect((await rimu.get(path)).body).toEqual([])
    expect((await rimu.get(`${path}/${id}`)).status).toBe(404)
    expect((await rimu.send(`${path}/${id}`, { method: 'DELETE' })).status).toBe(404)
    expect((await speaker(service).get(path)).status).toBe(401)
    expect((await hill.send(`${path}/${id}`, { method: 'DELETE' })).status).toBe(204)
    expect((await hill.get(path)).body).toEqual([])
    await hill.post('plots', [plot('1')])
    expect(received).toEqual([])
  })

  test.each([
    ['not JSON', () => '{', 'JSON'],
    ['no name', () => registration({ type: 'None' }, { name: undefined }), 'name'],
    ['an unknown way to sign in', () => registration({ type: 'Kerberos' }), 'authentication'],
    ['a way to sign in without its members', () => registration({ type: 'Basic' }), 'basicAuth'],
    ['no subscription', () => registration(undefined, { subscriptions: [] }), 'subscriptions'],
    [
      'an unknown type',
      () => registration(undefined, { subscriptions: [{ ...everyPlot, resourceType: 'x' }] }),
      'plotResource',
    ],
    [
      'a type and a system event',
      () => registration(undefined, { subscriptions: [{ ...everyPlot, systemEventType: 'x' }] }),
      'either',
    ],
    [
      'a subscription to no change',
      () => registration(undefined, { subscriptions: [{ resourceType: 'plotResource' }] }),
      'set create, update or delete to true',
    ],
    ['a file', () => registration(undefined, { uri: 'file:///etc/passwd' }), 'https'],
    ['a private network', () => registration(undefined, { uri: 'https://10.0.0.8/hooks' }), 'private network'],
    [
      'a private network in another notation',
      () => registration(undefined, { uri: 'https://0x0a000008/hooks' }),
      'private network',
    ],
    [
      'an address within an address',
      () => registration(undefined, { uri: 'https://[::ffff:10.0.0.8]/' }),
      'address within',
    ],
    [
      'the metadata of a cloud',
      () => registration(undefined, { uri: 'http://169.254.169.254/latest' }),
      'local network',
    ],
    ['a password in the address', () => registration(undefined, { uri: 'https://a:b@farm.example/' }), 'password'],
    [
      'a token endpoint in a private network',
      () =>
        registration({
          type: 'ClientCredentials',
          clientCredentialsAuth: { clientId: 'a', clientSecret: 'b', tokenEndpoint: 'https://192.168.1.1/token' },
        }),
      'tokenEndpoint',
    ],
    [
      'a header with a line break',
      () => registration({ type: 'HttpHeader', headerAuth: { httpHeader: 'X-Key', apiToken: 'a\r\nHost: b' } }),
      'header',
    ],
    [
      'a header that cannot be set',
      () => registration({ type: 'HttpHeader', headerAuth: { httpHeader: 'Transfer-Encoding', apiToken: 'chunked' } }),
      'header',
    ],
  ])('%s is refused in a sentence', async (_, make, said) => {
    const { hill } = await hillOffice()
    const body = make()
    const answered =
      typeof body === 'string' ? await hill.send(path, { method: 'POST', body }) : await register(hill, body)
    expect(answered.status).toBe(400)
    expect(answered.body['detail']).toContain(said)
  })

  test('loopback is refused unless it is allowed', async () => {
    const { hill } = await hillOffice({ webhooks: {} })
    for (const uri of [url, 'https://localhost/hooks', 'https://[::1]/', 'http://farm.example/'])
      expect((await register(hill, registration(undefined, { uri }))).status, uri).toBe(400)
    expect((await register(hill, registration(undefined, { uri: 'https://farm.example/' }))).status).toBe(201)
  })

  test('a host name in a private network is refused when it is called', async () => {
    const resolve = () => Promise.resolve([{ address: '10.0.0.8', family: 4 }])
    const { hill } = await hillOffice({ webhooks: { resolve, retryWaitsMs: [] } })
    const { body } = await register(hill, registration(undefined, { uri: 'https://inside.example/' }))
    await hill.post('plots', [plot('1')])
    const undelivered = async () => list((await hill.get(`${path}/${text(body['id'])}/undelivered`)).body)
    await expect.poll(undelivered).toHaveLength(1)
    expect((await undelivered())[0]!['reason']).toContain('private network')
  })

  test('secrets are never shown', async () => {
    const { hill } = await hillOffice()
    const secret = 'hush-hush'
    const variants = [
      { type: 'Basic', basicAuth: { username: 'u', password: secret } },
      { type: 'ApiToken', apiTokenAuth: { apiToken: secret, authorizationScheme: 'Token' } },
      { type: 'HttpHeader', headerAuth: { httpHeader: 'X-Key', apiToken: secret } },
      {
        type: 'AuthorisationCode',
        authorisationCodeAuth: { clientId: 'c', clientSecret: secret, tokenEndpoint: `${url}/t`, refreshToken: secret },
      },
    ]
    for (const each of variants)
      expect(JSON.stringify((await register(hill, registration(each))).body)).not.toContain(secret)
    const { body } = await hill.get(path)
    expect(JSON.stringify(body)).not.toContain(secret)
    expect(list(body).map((each) => each['authentication'])).toMatchObject([
      { type: 'Basic', basicAuth: { username: 'u' } },
      { type: 'ApiToken', apiTokenAuth: { authorizationScheme: 'Token' } },
      { type: 'HttpHeader', headerAuth: { httpHeader: 'X-Key' } },
      { type: 'AuthorisationCode', authorisationCodeAuth: { clientId: 'c', tokenEndpoint: `${url}/t` } },
    ])
  })
})

describe('events', () => {
  test('create, update and delete come in order, as CloudEvents with the record', async () => {
    const { hill } = await hillOffice({ webhooks: { ...webhooks, brand: 'purefields' } })
    await register(hill, registration())
    await hill.post('plots', [plot('1')])
    await hill.post('plots', [plot('1')])
    await hill.post('plots', [plot('1', undefined, { name: 'Renamed' })])
    await hill.post('plots', [plot('1', undefined, { meta: { ...(plot('1')['meta'] as object), isDeleted: true } })])
    await expect.poll(events).toHaveLength(3)
    for (const event of events()) expect(checkAgainst(cloudEvent, event)).toEqual([])
    expect(events().map(({ type }) => type)).toEqual([
      'com.purefields.plotResource.create',
      'com.purefields.plotResource.update',
      'com.purefields.plotResource.delete',
    ])
    expect(events()[0]).toMatchObject({
      specversion: '1.0',
      source: '/ecosystem/organisations/0f8b-office/events',
      time: '2026-11-20T00:00:00.000Z',
      compurefieldsresourcetype: 'plotResource',
      compurefieldssystemeventtype: null,
      datacontenttype: 'application/json',
      data: { resourceType: 'plotResource', name: 'Pātiki 1', dataPointKey: 'HF-0042/1', meta: { isDeleted: false } },
    })
    expect(events()[1]!['data']!['name']).toBe('Renamed')
    expect(events()[2]!['data']).toMatchObject({ name: 'Renamed', meta: { isDeleted: true } })
    expect(new Set(events().map(({ id }) => id)).size).toBe(3)
    expect(deliveries()[0]!.headers['content-type']).toBe('application/cloudevents+json')
  })

  test('only subscribed changes come, on holdings of the account', async () => {
    const { service, hill } = await hillOffice()
    await register(hill, registration(undefined, { subscriptions: [{ ...everyPlot, create: false }] }))
    const rimu = await signIn(service, 'rimu')
    await rimu.post('holdings', [holding('RF-1')])
    await rimu.post('plots', [plot('9', 'RF-1')])
    await rimu.post('plots', [plot('9', 'RF-1', { name: 'New' })])
    await hill.post('plots', [plot('1')])
    await hill.post('plots', [plot('1', undefined, { name: 'New' })])
    await expect.poll(events).toHaveLength(1)
    expect(events()[0]).toMatchObject({ type: 'com.windrow.plotResource.update', data: { name: 'New' } })
  })

  test.each([
    [
      'Basic',
      { basicAuth: { username: 'ana', password: 'p:w ä' } },
      'authorization',
      `Basic ${btoa('ana:p:w \u00c3\u00a4')}`,
    ],
    ['ApiToken', { apiTokenAuth: { apiToken: 'k1', authorizationScheme: 'Token' } }, 'authorization', 'Token k1'],
    ['ApiToken', { apiTokenAuth: { apiToken: 'k1' } }, 'authorization', 'Bearer k1'],
    ['HttpHeader', { headerAuth: { httpHeader: 'X-Farm-Key', apiToken: 'k2' } }, 'x-farm-key', 'k2'],
    ['Header', { headerAuth: { httpHeader: 'X-Farm-Key', apiToken: 'k2' } }, 'x-farm-key', 'k2'],
    ['None', {}, 'authorization', undefined],
  ] as const)('%s %o goes along', async (...row) => {
    const [type, variant, header, value] = row
    const { hill } = await hillOffice()
    expect((await register(hill, registration({ type, ...variant }))).status).toBe(201)
    await hill.post('plots', [plot('1')])
    await expect.poll(deliveries).toHaveLength(1)
    expect(deliveries()[0]!.headers[header]).toBe(value)
  })

  test('ClientCredentials signs in once, and again when its token is not accepted', async () => {
    let issued = 0
    answer = ({ url: asked, headers }) => {
      if (asked === '/token')
        return { status: 200, body: JSON.stringify({ access_token: `t${(issued += 1)}`, expires_in: 3600 }) }
      return { status: headers.authorization === 'Bearer t1' && deliveries().length === 2 ? 401 : 204 }
    }
    const { hill } = await hillOffice()
    const access = { clientId: 'c', clientSecret: 's&=', tokenEndpoint: `${url}/token` }
    await register(hill, registration({ type: 'ClientCredentials', clientCredentialsAuth: access }))
    await hill.post('plots', [plot('1'), plot('2')])
    await expect.poll(deliveries).toHaveLength(3)
    expect(deliveries().map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t1', 'Bearer t2'])
    const asked = received.find((each) => each.url === '/token')!
    expect(asked.headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect(Object.fromEntries(new URLSearchParams(asked.body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'c',
      client_secret: 's&=',
    })
  })

  test('AuthorisationCode exchanges its refresh token, and keeps the new one for after a restart', async () => {
    let turn = 0
    answer = ({ url: asked }) =>
      asked === '/token'
        ? {
            status: 200,
            body: JSON.stringify({ access_token: `t${(turn += 1)}`, refresh_token: `r${turn}`, expires_in: 3600 }),
          }
        : { status: 204 }
    const store = storePlace()
    const { service, hill } = await hillOffice({ store })
    const access = { clientId: 'c', clientSecret: 's', tokenEndpoint: `${url}/token`, refreshToken: 'r0' }
    await register(hill, registration({ type: 'AuthorisationCode', authorisationCodeAuth: access }))
    await hill.post('plots', [plot('1')])
    await expect.poll(deliveries).toHaveLength(1)
    await expect.poll(async () => (await hill.get(path)).body[0 as never]!['waiting']).toBe(0)
    service.close()
    services = []
    const again = openService({ store, webhooks })
    services.push(again)
    await (await signIn(again)).post('plots', [plot('2')])
    await expect.poll(deliveries).toHaveLength(2)
    const grants = received.filter((each) => each.url === '/token').map(({ body }) => new URLSearchParams(body))
    expect(grants.map((form) => [form.get('grant_type'), form.get('refresh_token')])).toEqual([
      ['refresh_token', 'r0'],
      ['refresh_token', 'r1'],
    ])
    expect(deliveries().map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t2'])
  })
})

describe('an event that is not accepted', () => {
  test('comes again after a wait, in its order, under the same id', async () => {
    answer = () => ({ status: received.length < 3 ? 503 : 204 })
    const { hill } = await hillOffice()
    await register(hill, registration())
    await hill.post('plots', [plot('1'), plot('2')])
    await expect.poll(events).toHaveLength(4)
    const ids = events().map(({ id }) => id)
    expect([ids[0], ids[1]]).toEqual([ids[2], ids[0]])
    expect(events()[3]!['data']!['dataPointKey']).toBe('HF-0042/2')
  })

  test.each([
    ['rejects it for good', () => ({ status: 422 }), 1, 'answered 422'],
    ['redirects it', () => ({ status: 302, headers: { Location: 'http://127.0.0.1:9/' } }), 1, 'not followed'],
    ['never accepts it', () => ({ status: 500 }), 3, 'answered 500'],
  ])(
    'a subscriber that %s: the event is listed as not delivered, the next one goes out',
    async (_, fail, tries, why) => {
      answer = ({ body }) => (body.includes('HF-0042/1') ? fail() : { status: 204 })
      const { hill } = await hillOffice()
      const { body } = await register(hill, registration())
      await hill.post('plots', [plot('1'), plot('2')])
      await expect.poll(events).toHaveLength(tries + 1)
      const undelivered = list((await hill.get(`${path}/${text(body['id'])}/undelivered`)).body)
      expect(undelivered).toMatchObject([
        { type: 'plotResource', change: 'create', attempts: tries, reason: expect.stringContaining(why) as string },
      ])
      expect(events().at(-1)!['data']!['dataPointKey']).toBe('HF-0042/2')
    },
  )

  test('goes out after a restart when it was still waiting', async () => {
    answer = () => ({ status: 503 })
    const store = storePlace()
    const { service, hill } = await hillOffice({ store, webhooks: { ...webhooks, retryWaitsMs: [60_000] } })
    await register(hill, registration())
    await hill.post('plots', [plot('1'), plot('2')])
    await expect.poll(deliveries).toHaveLength(1)
    service.close()
    services = []
    answer = () => ({ status: 204 })
    services.push(openService({ store, webhooks }))
    await expect
      .poll(() => events().map((event) => event['data']!['dataPointKey']))
      .toEqual(['HF-0042/1', 'HF-0042/1', 'HF-0042/2'])
  })

  test('whose subscriber never answers delays neither publishing nor the end of the service', async () => {
    answer = () => new Promise(() => undefined)
    const { service, hill } = await hillOffice()
    await register(hill, registration())
    await hill.post('plots', [plot('1')])
    await expect.poll(deliveries).toHaveLength(1)
    expect((await hill.post('plots', [plot('2')])).status).toBe(200)
    service.close()
    services = []
  })
})
