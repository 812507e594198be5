/** Plays recorded exchanges to the client, where they are available, and compares what it sends. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { connectTo, type Client } from '../../src/client/connection.ts'
import { eventReceiver, type Notice } from '../../src/client/events.ts'
import type { Profile } from '../../src/client/profile.ts'
import type { WebhookRegistration } from '../../src/resources/webhook.ts'
import { answerJson, serveOnLoopback, world, type Loopback, type Received } from './loopback.ts'
import { all, profile } from './scripted-service.ts'

const folder = new URL('../../../shared/transcripts/', import.meta.url)

type Part = { readonly line: string; readonly headers: Readonly<Record<string, string>>; readonly body: string }
type Transcript = { readonly request: Part; readonly response: Part; readonly status: number }

const tokens: Readonly<Record<string, string>> = { 'TOKEN-1': 'cGxvdHM6MQ+/==', 'TOKEN-2': 'cGxvdHM6Mg+/==' }

function placed(text: string, base: string, number: string): string {
  return text.replace(/<([A-Z0-9_]+(?:-\d+)?)( [^<>]*)?>/g, (_all, name: string, more: string | undefined) => {
    if (name === 'BASE') return base
    if (name === 'TIME-9') return '2026-11-20T00:00:00Z'
    // Text is different in each transcript: the id token of the first is a secret, and would be hidden in the others.
    if (name.startsWith('TEXT-')) return `${name.toLowerCase()} of ${number}`
    const value = tokens[name] ?? `${name.toLowerCase()}${more ?? ''}`
    return more === ' percent-encoded' ? encodeURIComponent(value) : value
  })
}

function part(text: string): Part {
  const [head = '', ...body] = text.trim().split(/\n\n/)
  const [line = '', ...headers] = head.split('\n')
  const pairs = headers.map(
    (each) => [each.split(': ')[0]!.toLowerCase(), each.split(': ').slice(1).join(': ')] as const,
  )
  return { line, headers: Object.fromEntries(pairs), body: body.join('\n\n') }
}

function transcript(number: string, base: string): Transcript {
  const name = readdirSync(folder).find((each) => each.startsWith(`${number}-`))
  const text = readFileSync(new URL(name ?? '', folder), 'utf8').replace(/^#.*\n/gm, '')
  const at = text.search(/^HTTP\/1\.1/m)
  const response = part(placed(text.slice(at), base, number))
  return {
    request: part(placed(text.slice(0, at), base, number)),
    response,
    status: Number(response.line.split(' ')[1]),
  }
}

const open: Loopback[] = []
afterEach(() => Promise.all(open.splice(0).map((each) => each.close())))

/** The people of the transcripts. */
const hillFarm = {
  ...profile,
  clientId: 'hillfarm-sync',
  clientSecret: 'p+w&1',
  username: 'sync@hillfarm.example',
  password: 'long winter',
}

/** Serves the transcripts one after another (the token endpoint apart), and gives the client and what it sent. */
async function playing(numbers: readonly string[], login = '01', given: Partial<Profile> = {}) {
  const server = await serveOnLoopback((received, response) => {
    const isLogin = received.path.endsWith('/token')
    const count = server.received.filter((each) => each.path.endsWith('/token') === isLogin).length
    const number = isLogin ? (count === 1 ? login : '02') : numbers[Math.min(count, numbers.length) - 1]!
    const { response: answer, status } = transcript(number, server.url)
    response.writeHead(status, answer.headers).end(answer.body)
  })
  open.push(server)
  const service = { service: server.url, tokenUrl: `${server.url}/auth/realms/example` }
  const client = connectTo({ ...hillFarm, ...service, ...given }, world, { retry: { tries: 1 } })
  const sent = (): readonly Received[] => server.received.filter(({ path }) => !path.endsWith('/token'))
  return { client, server, sent }
}

/** The client sent the request of the transcript; a page size that the transcript leaves open may be there. */
function expectSent(received: Received | undefined, number: string, base: string): void {
  const { request } = transcript(number, base)
  const [method, path = ''] = request.line.split(' ')
  const open_ = !path.includes('limit=')
  const withoutLimit = (text: string): string =>
    open_ ? text.replace(/([?&])limit=\d+&?/, '$1').replace(/[?&]$/, '') : text
  expect([received?.method, withoutLimit(received?.path ?? '')]).toEqual([method, path])
  expect(received?.headers.authorization).toBe(request.headers['authorization'])
  expect(received?.headers['content-type']).toBe(request.headers['content-type'])
  if (request.headers['content-type'] === 'application/json')
    expect(JSON.parse(received?.body ?? '')).toEqual(JSON.parse(request.body))
  else expect(received?.body).toBe(request.body)
}

/** What `act` gives or throws against the transcripts, each of which must have been sent. */
async function talk(
  numbers: readonly string[],
  act: (client: Client, base: string) => Promise<unknown>,
): Promise<unknown> {
  const { client, server, sent } = await playing(numbers)
  const outcome: unknown = await act(client, server.url).catch((cause: unknown) => cause)
  numbers.forEach((number, at) => expectSent(sent()[at], number, server.url))
  return outcome
}

const publishing = (number: string) => (client: Client, base: string) => {
  const { request } = transcript(number, base)
  const bodies = (JSON.parse(request.body) as object[]).map((each) => JSON.stringify(each))
  return client.publish(request.line.split(' ')[1]!, bodies)
}

describe.skipIf(!existsSync(folder))('the recorded exchanges', () => {
  test('01, 02: signing in and again', async () => {
    const { client, server } = await playing(['05', '41'])
    await client.datasets()
    const [first, second] = server.received.filter(({ path }) => path.endsWith('/token'))
    expectSent(first, '01', server.url)
    expectSent(second, '02', server.url)
    expect(server.received.at(-1)?.headers.authorization).toBe('Bearer access_token-2')
  })

  test('03: a wrong password', async () => {
    const { client, server } = await playing(['41'], '03', { password: 'summer', scope: 'openid' })
    await expect(client.datasets()).rejects.toMatchObject({ code: 'sign-in-refused' })
    expect(server.received).toHaveLength(1)
    expectSent(server.received[0], '03', server.url)
  })

  test('04: a call without a token is not made', async () => {
    const { client, server, sent } = await playing(['41'], '03')
    await expect(all(client.changes({ changes: '/data/streaming/datasets/plots/changes' }))).rejects.toMatchObject({
      code: 'sign-in-refused',
    })
    expect([server.received.length, sent().length]).toEqual([1, 0])
  })

  test('05: a token that ran out, twice in a row', async () => {
    const { client, server, sent } = await playing(['05', '05'])
    const publishing05 = client.publish('/data/streaming/datasets/plots/resources', [''])
    await expect(publishing05).rejects.toMatchObject({ code: 'sign-in-refused' })
    expectSent(sent()[0], '05', server.url)
    expect(sent()[1]).toMatchObject({ method: 'POST', path: sent()[0]!.path, body: sent()[0]!.body })
    expect(sent()).toHaveLength(2)
  })

  const plot = 'uuid-2'
  test.each<[string, (client: Client) => Promise<unknown>, unknown]>([
    ['10', (client) => client.landingPage(), { title: 'text-1 of 10', links: expect.any(Array) }],
    ['11', (client) => client.conformance(), expect.arrayContaining([expect.stringMatching(/conf\/core$/)])],
    ['12', (client) => client.collections(), [{ id: 'holdings' }, { id: 'plots' }, { id: 'land-covers' }]],
    ['13', (client) => client.collections('uuid-1'), [{ id: 'plots' }, { id: 'land-covers' }]],
    ['18', (client) => client.feature('plots', plot), { id: plot, properties: { agriculture: { name: 'Rāhui' } } }],
    ['30', (client) => client.breeds('sheep'), [{ name: 'Hillside Longwool' }, { name: 'Lowfield Short' }]],
    ['31', (client) => client.breeds(''), { code: 'request-refused', data: { status: 400 } }],
    ['32', (client) => client.birthPeriods({ species: 'Cattle', country: 'NZ' }), [{ groupingName: 'Spring' }]],
    [
      '33',
      (client) => client.medicineProduct({ scheme: 'nz.example.agvet', id: 'A001001' }),
      { classification: 'Immuno+Parasite+Nutrition', form: 'OralSolution/Suspension' },
    ],
    [
      '61',
      (client) => all(client.pastureCoverEvents({ holdingId: 'uuid-1', includeDeleted: true })),
      [[{ name: 'Farm walk', meta: { isDeleted: true } }]],
    ],
    [
      '71',
      (client) => client.createWebhook('uuid-1', JSON.parse(transcript('71', '').request.body) as WebhookRegistration),
      { code: 'request-refused', data: { status: 501 } },
    ],
  ])('%s: what it asks and what it makes of the answer', async (number, ask, expected) => {
    expect(await talk([number], ask)).toMatchObject(expected as object)
  })

  test('72: an event is taken from who was registered in 71', async () => {
    const notices: Notice[] = []
    const registration = JSON.parse(transcript('71', '').request.body) as WebhookRegistration
    const receiver = eventReceiver(registration, { clock: () => new Date(), onEvent: (each) => notices.push(each) })
    const { request, status } = transcript('72', '')
    const [method = '', path] = request.line.split(' ')
    const sent = { method, headers: request.headers, body: request.body }
    const response = await receiver.fetch(new Request(`https://office.hillfarm.example${path}`, sent))
    expect(response.status).toBe(status)
    expect(notices).toMatchObject([{ resourceType: 'landCoverResource' }])
  })

  test('19: a plot of another holding', async () => {
    const [, holding = '', id = ''] = /holdings\/([^/]+)\/.*items\/([^ ]+)/.exec(transcript('19', '').request.line)!
    expect(await talk(['19'], (client) => client.feature('plots', id, { holdingId: holding }))).toBeUndefined()
  })

  test('20, 70: what the service would refuse is not asked', async () => {
    const { client, sent } = await playing(['20'])
    await expect(all(client.features('plots', { limit: 0 }))).rejects.toMatchObject({ code: 'option-invalid' })
    await expect(playing(['70'], '01', { region: 'Waikato' })).rejects.toMatchObject({ code: 'option-invalid' })
    expect(sent()).toHaveLength(0)
  })

  test('21: a refusal is shown in the words of the service', async () => {
    const { client } = await playing(['21'])
    await expect(all(client.features('plots'))).rejects.toThrow(
      (JSON.parse(transcript('21', '').response.body) as { detail: string }).detail,
    )
  })

  test('14, 15: pages of plots, and a page that is missing', async () => {
    const outcome = await talk(['14'], (client) => all(client.features('plots', { limit: 1 })))
    // The transcripts skip the second of three plots: what is left over is too few.
    expect(outcome).toMatchObject({ code: 'service-confused' })
    const { client } = await playing(['14', '15'])
    await expect(all(client.features('plots', { limit: 1 }))).rejects.toThrow(
      'For the plots the service announced 3, but 2 came.',
    )
  })

  test('17: plots in a box', async () => {
    const outcome = await talk(['17'], (client) =>
      all(client.features('plots', { bbox: [175.4, -38.11, 175.402, -38.1] })),
    )
    expect((outcome as object[][]).flat()).toHaveLength(2)
  })

  test('40, 41: what may be published, and the datasets', async () => {
    expect(await talk(['40'], (client) => client.control())).toMatchObject([
      {
        identifiers: [{ scheme: 'nz.example.farm-number', id: 'HF-0042' }],
        resourceTypes: [{ id: '/core/holdings' }, { id: '/core/land-covers' }, { id: '/core/plots' }],
      },
    ])
    const datasets = await talk(['41'], (client) => client.datasets())
    expect(datasets).toMatchObject([{ name: 'holdings' }, { name: 'plots' }, { name: 'land-covers' }])
  })

  test('42: a dataset that is not there', async () => {
    const outcome = await talk(['42'], (client) =>
      all(client.changes({ changes: '/data/streaming/datasets/tractors/changes' })),
    )
    expect(outcome).toMatchObject({ code: 'request-refused', data: { status: 404 } })
  })

  const taken = { state: 'accepted' }
  test.each([
    ['43', [taken]],
    ['44', [taken, { state: 'refused', error: 'text-1 of 44' }, taken]],
    ['45', [taken]],
    ['46', [taken]],
    ['47', [{ state: 'refused', error: 'text-1 of 47' }]],
  ])('%s: publishing', async (number, expected) => {
    expect(await talk([number], publishing(number))).toEqual(expected)
  })

  test('50, 51, 52: the feed of changes', async () => {
    const feed = { changes: '/data/streaming/datasets/plots/changes' }
    const { client, server, sent } = await playing(['50', '51', '52'])
    const pages = await all(client.changes(feed, { limit: 2 }))
    expect(pages.map(({ items }) => items.length)).toEqual([2, 2, 0])
    expectSent(sent()[0], '50', server.url)
    await talk(['51'], (each) => all(each.changes(feed, { since: tokens['TOKEN-1'] })))
    await talk(['52'], (each) => all(each.changes(feed, { since: tokens['TOKEN-2'] })))
  })

  test('53, 54: a feed that begins again', async () => {
    const feed = { changes: '/data/streaming/datasets/plots/changes' }
    expect(await talk(['53'], (client) => all(client.changes(feed, { since: 'Zm9yZ2Vk' })))).toMatchObject({
      code: 'request-refused',
      data: { status: 400 },
    })
    expect(await talk(['54'], (client) => all(client.changes(feed, { since: tokens['TOKEN-1'] })))).toMatchObject([
      { items: [], fullSync: true },
    ])
  })

  test('55: too many requests', async () => {
    expect(await talk(['55'], publishing('55'))).toMatchObject({ code: 'service-failing', data: { status: 429 } })
  })

  test('60: the middle page of the work records', async () => {
    const server = await serveOnLoopback((received, response) => {
      if (received.path.endsWith('/token')) return answerJson(response, { access_token: 'access_token-1' })
      const middle = JSON.parse(transcript('60', server.url).response.body) as {
        links: { next: string }
        items: object[]
      }
      const page = received.path.includes('offset=')
        ? middle
        : { ...middle, items: [{ id: 'first' }], links: { next: `${server.url}${secondPage}` } }
      if (received.path.includes('offset=2'))
        return answerJson(response, { ...middle, items: [{ id: 'last' }], links: { next: null } })
      return answerJson(response, page)
    })
    const secondPage = transcript('60', '').request.line.split(' ')[1]!
    open.push(server)
    const client = connectTo({ ...hillFarm, service: server.url, tokenUrl: server.url }, world)
    expect((await all(client.workRecords({ limit: 1 }))).flat()).toMatchObject([
      { id: 'first' },
      { name: 'Spray Rāhui' },
      { id: 'last' },
    ])
    expectSent(server.received[2], '60', server.url)
  })
})
