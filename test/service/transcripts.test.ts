import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Service } from '../../src/service/create.ts'
import type { FaultPlan } from '../../src/service/faults/faults.ts'
import type { ReferenceData } from '../../src/service/routes/reference-data.ts'
import { serve, type Served } from '../../src/service/serve.ts'
import {
  accountConfig,
  askToken,
  farmNumber,
  hillFarm,
  holding,
  list,
  openService,
  plot,
  signIn,
  square,
  stillClock,
  tokenForm,
  type Tree,
  text,
} from './hill-farm.ts'

const folder = '../shared/transcripts'
/** The address of the service. */
let origin: string

type Exchange = {
  readonly method: string
  readonly target: string
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  readonly status: number
  readonly answerHeaders: ReadonlyMap<string, string>
  readonly answer: unknown
}

function readTranscript(name: string): Exchange {
  const text = readFileSync(`${folder}/${name}.http`, 'utf8')
    .replaceAll('\r', '')
    .replace(/^(#.*\n)+/, '')
  const split = text.indexOf('\nHTTP/1.1')
  const [request, response] = [text.slice(0, split), text.slice(split + 1)]
  const part = (message: string) => {
    const [head = '', ...rest] = message.split('\n\n')
    const [first = '', ...lines] = head.trim().split('\n')
    const headers = new Map(
      lines.map((line) => [line.split(':')[0]!.toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    )
    return { first, headers, body: rest.join('\n\n').trim() }
  }
  const [asked, answered] = [part(request), part(response)]
  const [method = '', target = ''] = asked.first.replace(/ HTTP\/1\.1$/, '').split(/ (.*)/)
  return {
    method,
    target,
    headers: asked.headers,
    body: asked.body,
    status: Number(answered.first.split(' ')[1]),
    answerHeaders: answered.headers,
    answer: answered.body === '' ? undefined : JSON.parse(answered.body),
  }
}

/** The records that the service needs to answer as shown. */
function recordsOf(name: string): readonly Record<string, unknown>[] {
  const { answer } = readTranscript(name)
  const text = JSON.stringify([answer].flat())
    .replaceAll(/<TIME-\d>/g, '2026-11-02T00:00:00Z')
    .replaceAll(/<TEXT-\d>/g, 'some text')
  return JSON.parse(text) as readonly Record<string, unknown>[]
}

/**
 * The ruling on default limits says 100 where 61 shows 50. A link to the next page names the last record read, where 14 shows an
 * offset and 60 an offset alone: an offset would leave out a record when one before it is deleted.
 */
function byTheRulings(name: string, { answer, ...exchange }: Exchange): Exchange {
  const changes: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
    '14': [['items?limit=1&offset=1', 'items?limit=1&after=<AFTER-1>']],
    '60': [['limit=1&offset=2","previous', 'limit=1&offset=2&after=<AFTER-2>","previous']],
    '61': [
      ['limit=50', 'limit=100'],
      ['"itemsPerPage":50', '"itemsPerPage":100'],
    ],
  }
  let ruled = JSON.stringify(answer)
  for (const [shown, given] of changes[name.slice(0, 2)] ?? []) ruled = ruled.replaceAll(shown, given)
  return { ...exchange, answer: JSON.parse(ruled) }
}

/** The values of placeholders; the same name means the same text across all transcripts. */
type Bindings = Map<string, string>
const moment = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?(?:Z|[+-]\\d\\d:\\d\\d)'

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

function expectText(shown: string, actual: unknown, bound: Bindings, at: string): void {
  const names: string[] = []
  const pattern = shown
    .replaceAll('<BASE>', origin)
    .split(/(<[A-Z0-9_]+-\d+[^>]*>)/)
    .map((part) => {
      const name = /^<([A-Z0-9_]+-\d+)/.exec(part)?.[1]
      if (name === undefined) return escaped(part)
      const known = bound.get(name)
      if (name.startsWith('TIME')) return `(?:${moment})`
      if (name.startsWith('TEXT')) return '[^]*'
      if (known !== undefined) return escaped(known)
      names.push(name)
      return '([^/?]+)'
    })
  const match = new RegExp(`^${pattern.join('')}$`).exec(String(actual))
  expect(match, `${at}: ${String(actual)} is not ${shown}`).not.toBeNull()
  for (const [index, name] of names.entries()) bound.set(name, match![index + 1]!)
}

function expectLike(shown: unknown, actual: unknown, bound: Bindings, at = ''): void {
  if (typeof shown === 'string') return expectText(shown, actual, bound, at)
  if (typeof shown !== 'object' || shown === null) return expect(actual, at).toBe(shown)
  if (!Array.isArray(shown)) {
    for (const [name, member] of Object.entries(shown)) {
      expect(actual, at).toHaveProperty([name])
      expectLike(member, (actual as Tree)[name], bound, `${at}/${name}`)
    }
    return
  }
  const entries = actual as readonly Tree[]
  if (at.endsWith('/links')) {
    for (const [index, each] of shown.entries()) {
      const same = entries.find(({ rel, relationship }) => (rel ?? relationship) === (each.rel ?? each.relationship))
      expectLike(each, same, bound, `${at}/${index}`)
    }
    return
  }
  const isResults = shown.length > 0 && Object.hasOwn(shown[0] as object, 'successful')
  const ordered = isResults ? shown.toSorted((one, other) => one.index - other.index) : shown
  expect(entries, at).toHaveLength(ordered.length)
  for (const [index, each] of ordered.entries()) expectLike(each, entries[index], bound, `${at}/${index}`)
}

function fill(text: string, bound: Bindings): string {
  return text
    .replaceAll('<BASE>', origin)
    .replaceAll(/<(TOKEN-\d+) percent-encoded>/g, (_, name: string) => encodeURIComponent(bound.get(name)!))
    .replaceAll(/<([A-Z0-9_]+-\d+)>/g, (_, name: string) => bound.get(name) ?? '0199ffff-0000-7000-8000-000000000000')
}

const replayed = new Set<string>()

async function replay(name: string, bound: Bindings): Promise<void> {
  replayed.add(`${name}.http`)
  const exchange = byTheRulings(name, readTranscript(name))
  const headers = new Headers()
  for (const [header, value] of exchange.headers) if (header !== 'host') headers.set(header, fill(value, bound))
  const init = {
    method: exchange.method,
    headers,
    ...(exchange.body === '' ? {} : { body: fill(exchange.body, bound) }),
  }
  const response = await fetch(origin + fill(exchange.target, bound), init)
  const answer: unknown = await response.json()
  expect(response.status, JSON.stringify(answer)).toBe(exchange.status)
  for (const [header, value] of exchange.answerHeaders)
    expectText(value, response.headers.get(header)?.split(';')[0], new Map(), header)
  expectLike(exchange.answer, answer, bound)
}

describe.skipIf(!existsSync(folder))('the transcripts', () => {
  const bound: Bindings = new Map()
  const { clock, turn } = stillClock()
  let service: Service
  let served: Served
  let token = ''
  const use = (text: string): void => void bound.set('ACCESS_TOKEN-1', text)

  beforeAll(async () => {
    const connector = { id: 'hillfarm-sync', scheme: 'org.example.connector' }
    const reference: ReferenceData = {
      species: ['Cattle', 'Sheep', 'Deer'],
      breeds: recordsOf('30-breeds-of-sheep'),
      birthPeriods: recordsOf('32-birth-periods'),
      medicines: recordsOf('33-medicine-by-registration'),
    }
    const accounts = { accounts: [accountConfig('hill', { connector, holdings: [farmNumber('HF-0042')] })] }
    service = openService({ clock, realm: 'example', reference, accounts })
    served = await serve(service)
    origin = served.url
    const hill = await signIn(service)
    token = hill.token!
    await hill.post('holdings', [holding('HF-0042', { name: 'Hill Farm' })])
    const full = readTranscript('18-ogc-plot-by-id').answer as Tree
    const {
      id: _,
      self: __,
      links: ___,
      ...rahui
    } = full['properties']!['agriculture']! as unknown as Record<string, Tree>
    const meta = (key: string) => ({
      sourceId: { scheme: 'nz.example.hillfarm.paddock', id: key },
      modified: '2026-11-19T20:15:00.1234567+00:00',
      created: '2025-03-01T00:00:00+00:00',
    })
    const own = (key: string, name: string, more = {}) =>
      plot(key, 'HF-0042', { dataPointKey: key, name, meta: meta(key), ...more })
    const crops = list(rahui['crops']).map((crop) => ({ ...crop, establishmentDate: '2024-09-01T00:00:00Z' }))
    const { body } = await hill.post('plots', [
      own('007', 'Rāhui', { ...rahui, crops, meta: meta('007') }),
      own('008', 'Creek flat', { spatialFeature: square(175.5, -38.2) }),
      own('009', 'Bull paddock'),
    ])
    expect(list(body).map(({ successful }) => successful)).toEqual([true, true, true])
    const [farm] = list((await hill.get('/ogc/collections/holdings/items')).body['features'])
    bound.set('UUID-1', text(farm!['id']))
    const [job] = list((readTranscript('60-work-records-second-page').answer as Tree)['items'])
    const times = { phenomenonStartTime: '2026-11-01T20:00:00Z', phenomenonEndTime: '2026-11-01T22:00:00Z' }
    const jobs = ['J-30', 'J-31', 'J-32'].map((id) => ({
      ...JSON.parse(JSON.stringify(job).replaceAll(/<UUID-\d>/g, `${id}-id`)),
      ...times,
      meta: { sourceId: { scheme: 'nz.example.hillfarm.job', id }, modified: '2026-11-02T00:00:00Z' },
      holding: { identifier: farmNumber('HF-0042'), name: 'Hill Farm', contentType: 'holding' },
    }))
    const withTypes = jobs.map((each) => ({
      ...each,
      holding: { ...each.holding, identifier: { ...each.holding.identifier, resourceType: 'identifierType' } },
    }))
    const [walk] = (recordsOf('61-pasture-cover-with-deleted')[0] as unknown as { readonly items: readonly object[] })
      .items
    const loaded = service.load({ workRecords: withTypes, pastureCoverEvents: [walk] })
    expect([loaded.workRecords.refused, loaded.pastureCoverEvents.refused]).toEqual([[], []])
  })

  afterAll(() => served.close())

  // In this order, because later transcripts need the records of earlier ones.
  test.each(['01-token-password', '02-token-refresh', '03-token-wrong-password', '04-call-without-token'])(
    '%s',
    (name) => replay(name, bound),
  )

  test.each([
    '10-ogc-landing-page',
    '11-ogc-conformance',
    '12-ogc-collections',
    '13-ogc-collections-of-one-holding',
    '14-ogc-plots-first-page',
    '15-ogc-plots-last-page',
    '17-ogc-plots-in-a-box',
    '18-ogc-plot-by-id',
    '19-ogc-plot-of-another-holding',
    '20-ogc-limit-zero',
    '21-ogc-unknown-parameter',
    '30-breeds-of-sheep',
    '31-breeds-without-species',
    '32-birth-periods',
    '33-medicine-by-registration',
    '40-control',
    '41-datasets',
    '42-unknown-dataset',
    '50-changes-from-the-start',
    '60-work-records-second-page',
    '61-pasture-cover-with-deleted',
    '70-region-that-is-none',
    '71-webhooks-switched-off',
  ])('%s', async (name) => {
    use(token)
    await replay(name, bound)
  })

  test('51-changes-since and 52-changes-nothing-new', async () => {
    const body = JSON.parse(readTranscript('43-publish-a-plot').body) as readonly object[]
    const bull = JSON.parse(readTranscript('46-publish-a-deletion').body) as readonly object[]
    const response = await service.fetch(
      new Request(`${origin}/data/streaming/datasets/plots/resources`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify([{ ...body[0], name: 'Rāhui north' }, ...bull]),
      }),
    )
    expect(response.status).toBe(200)
    await replay('51-changes-since', bound)
    await replay('52-changes-nothing-new', bound)
  })

  test.each([
    '43-publish-a-plot',
    '44-publish-with-one-refusal',
    '45-publish-on-the-other-path',
    '46-publish-a-deletion',
    '47-publish-without-identity',
    '48-publish-something-else',
    '53-changes-foreign-token',
  ])('%s', (name) => replay(name, bound))

  /** Replays against a separate service. */
  async function elsewhere(other: Service, name: string): Promise<void> {
    const { body } = await askToken(other, tokenForm('hill'))
    const [home, listening] = [origin, await serve(other)]
    use(text(body['access_token']))
    origin = listening.url
    await replay(name, bound)
    origin = home
    await listening.close()
  }

  test('54-changes-start-over', async () => {
    const { service: reset } = await hillFarm({ random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)) })
    await elsewhere(reset, '54-changes-start-over')
  })

  test('55-too-many-requests', async () => {
    const faults: FaultPlan = { faults: [{ fault: 'too-many', on: 'publish', retryAfterS: 2 }] }
    await elsewhere(openService({ faults }), '55-too-many-requests')
  })

  test('72-webhook-delivery', async () => {
    const asked = readTranscript('71-webhooks-switched-off')
    const registration = JSON.parse(fill(asked.body, new Map([['API_TOKEN-1', 'k3y']]))) as Tree
    const received: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = []
    const subscriber = createServer((incoming, outgoing) => {
      void readText(incoming).then((body) => {
        received.push({ headers: incoming.headers, body })
        outgoing.writeHead(204).end()
      })
    }).listen(0, '127.0.0.1')
    await once(subscriber, 'listening')
    const uri = `http://127.0.0.1:${(subscriber.address() as AddressInfo).port}/hooks`
    const { service: open, hill } = await hillFarm({ webhooks: { allowsLoopback: true } })
    const body = JSON.stringify({ ...registration, uri })
    const headers = { 'Content-Type': 'application/json' }
    const { status } = await hill.send('/ecosystem/organisations/hill/webhooks', { method: 'POST', body, headers })
    expect(status).toBe(201)
    await hill.post('land-covers', [{ ...plot('b'), resourceType: 'landCoverResource', name: 'Bush by the creek' }])
    await expect.poll(() => received).toHaveLength(1)
    const shown = readTranscript('72-webhook-delivery')
    replayed.add('72-webhook-delivery.http')
    expect(received[0]!.headers.authorization).toBe('Token k3y')
    expect(received[0]!.headers['content-type']?.split(';')[0]).toBe(shown.headers.get('content-type'))
    const event = JSON.parse(
      shown.body.replaceAll('<SERVICE>', 'windrow').replace('<TEXT-1 ending in /events>', '<TEXT-1>'),
    )
    expectLike(event, JSON.parse(received[0]!.body), new Map())
    expect(text((JSON.parse(received[0]!.body) as Tree)['source'])).toMatch(/\/events$/)
    open.close()
    subscriber.close()
  })

  test('05-call-with-expired-token', async () => {
    use(token)
    turn(2 * 3600)
    await replay('05-call-with-expired-token', bound)
  })

  test('none is left out', () => {
    const all = readdirSync(folder).filter((name) => name.endsWith('.http'))
    expect(all.filter((name) => !replayed.has(name))).toEqual([])
  })
})
