import { describe, expect, test } from 'vitest'
import { WindrowError } from '../../src/core/error.ts'
import { demoCredentials } from '../../src/service/store/accounts.ts'
import type { LoadFile } from '../../src/service/routes/crop-records.ts'
import {
  accountConfig,
  base,
  farmNumber,
  hillFarmOnSocket,
  askToken,
  holding,
  list,
  openService,
  signIn,
  speaker,
  steadyRandom,
  storePlace,
  text,
  type Answer,
} from './hill-farm.ts'

const path = '/data/crops/work-records'

/** The service on a socket, on which the configuration gives Hill Farm and two more farms to the account `hill`. */
function hillFarm() {
  const holdings = ['HF-0042', 'HF-0043', 'HF-0099'].map(farmNumber)
  return hillFarmOnSocket({ accounts: { accounts: [accountConfig('hill', { holdings }), accountConfig('rimu')] } })
}

function workRecord(name: string, more: Record<string, unknown> = {}) {
  return {
    resourceType: 'workRecordResource',
    name,
    operation: 'CropProtection',
    status: 'Complete',
    priority: null,
    holding: { identifier: { ...farmNumber('HF-0042'), resourceType: 'identifierType' }, name: 'Hill Farm' },
    meta: { sourceId: { scheme: 'nz.example.hillfarm.job', id: name }, modified: '2026-11-19T20:15:00Z' },
    loggedOperations: [{ resourceType: 'operationRecordResource', operation: 'CropProtection', products: [] }],
    ...more,
  }
}

async function threeJobs() {
  const world = await hillFarm()
  const summary = world.service.load({ workRecords: ['A', 'B', 'C'].map((name) => workRecord(name)) })
  return { ...world, summary }
}

describe('work records', () => {
  test('come in pages, with links to the other pages and null where there is none', async () => {
    const { hill, summary } = await threeJobs()
    expect(summary.workRecords).toEqual({ stored: 3, refused: [] })
    const at = (offset: number) => `${base}${path}?limit=1&offset=${offset}`
    const next = (offset: number) => `${at(offset)}&after=${offset}`
    const middle = (await hill.get(`${path}?limit=1&offset=1`)).body
    expect(middle).toMatchObject({ totalPages: 3, itemsPerPage: 1, offset: 1, totalItems: 3, page: 2 })
    expect(middle['links']).toEqual({ first: at(0), next: next(2), previous: at(0), last: at(2) })
    expect(list(middle['items'])).toMatchObject([{ ...workRecord('B'), id: expect.any(String) }])
    const first = (await hill.get(`${path}?limit=1`)).body
    expect(first['links']).toMatchObject({ next: next(1), previous: null })
    expect((await hill.get(`${path}?limit=1&offset=2`)).body['links']).toMatchObject({ next: null, previous: at(1) })
    const all = (await hill.get(path)).body
    expect(all).toMatchObject({ totalPages: 1, itemsPerPage: 100, page: 1, totalItems: 3 })
    expect(list(all['items']).map(({ name }) => name)).toEqual(['A', 'B', 'C'])
  })

  test('are all read along next, also when an earlier one is deleted meanwhile', async () => {
    const { hill, service } = await threeJobs()
    const first = (await hill.get(`${path}?limit=2`)).body
    const [a] = list(first['items'])
    service.load({ workRecords: [{ ...a, meta: { ...(a!['meta'] as object), isDeleted: true } }] })
    const second = (await hill.get(text(first['links']!['next']))).body
    expect(second).toMatchObject({ totalItems: 2, offset: 1 })
    expect(list(second['items']).map(({ name }) => name)).toEqual(['C'])
  })

  test('each is there at its own address', async () => {
    const { hill } = await threeJobs()
    const [first] = list((await hill.get(path)).body['items'])
    const answer = await hill.get(text(first!['@self']))
    expect([answer.status, answer.body]).toEqual([200, first])
    expect((await hill.get(`${path}/nothing`)).status).toBe(404)
  })

  test('are only for accounts that are connected to their holding', async () => {
    const { service, hill } = await threeJobs()
    const rimu = await signIn(service, 'rimu')
    const [first] = list((await hill.get(path)).body['items'])
    expect((await rimu.get(path)).body).toMatchObject({ totalItems: 0, totalPages: 0, items: [], page: 1 })
    expect((await rimu.get(text(first!['@self']))).status).toBe(404)
    expect((await speaker(service).get(path)).status).toBe(401)
  })

  test.each(['limit=0', 'offset=x', 'includeDeleted=true'])('%s is refused with its name', async (query) => {
    const { hill } = await threeJobs()
    expect((await hill.get(`${path}?${query}`)).status).toBe(400)
  })

  test('loaded again replace the stored ones, by id or by source id, and keep their order', async () => {
    const { service, hill } = await threeJobs()
    const [first, second] = list((await hill.get(path)).body['items'])
    service.load({
      workRecords: [workRecord('A', { remark: 'windy' }), { ...second!, status: 'Paused', meta: undefined }],
    })
    const { items, totalItems } = (await hill.get(path)).body
    expect(totalItems).toBe(3)
    expect(list(items)[0]).toMatchObject({ id: first!['id'], remark: 'windy' })
    expect(list(items)[1]).toMatchObject({ id: second!['id'], status: 'Paused' })
  })

  test('may be loaded before the holding they name, and are visible once it is published', async () => {
    const { service, hill } = await hillFarm()
    const early = { identifier: farmNumber('HF-0099') }
    expect(service.load({ workRecords: [workRecord('A', { holding: early })] }).workRecords.refused).toEqual([])
    expect((await hill.get(path)).body['totalItems']).toBe(0)
    await hill.post('holdings', [holding('HF-0099')])
    expect((await hill.get(path)).body['totalItems']).toBe(1)
  })

  test('stay hidden from an account that publishes a holding under the identifier of their farm', async () => {
    const { service, hill } = await hillFarmOnSocket()
    const rimu = await signIn(service, 'rimu')
    const other = { identifier: farmNumber('HF-0099') }
    const { workRecords } = service.load({ workRecords: [workRecord('A'), workRecord('B', { holding: other })] })
    expect(workRecords).toEqual({ stored: 2, refused: [], hidden: [farmNumber('HF-0042'), farmNumber('HF-0099')] })
    await hill.post('holdings', [holding('HF-0042', { identifiers: [farmNumber('HF-0042'), farmNumber('HF-0099')] })])
    await rimu.post('holdings', [holding('OTHER', { identifiers: [farmNumber('OTHER')] })])
    for (const who of [hill, rimu]) expect((await who.get(path)).body['totalItems']).toBe(0)
  })

  test('belong to the account whose configuration lists their farm, not to one that published it before', async () => {
    const store = storePlace()
    const first = openService({ store })
    const early = await signIn(first, 'rimu')
    await early.post('holdings', [holding('HF-0042')])
    first.close()
    const accounts = [accountConfig('hill', { holdings: [farmNumber('HF-0042')] }), accountConfig('rimu')]
    const service = openService({ store, random: steadyRandom('later'), accounts: { accounts } })
    const { workRecords } = service.load({ workRecords: [workRecord('A')] })
    expect(workRecords).toEqual({ stored: 1, refused: [] })
    expect((await (await signIn(service, 'hill')).get(path)).body['totalItems']).toBe(1)
    expect((await (await signIn(service, 'rimu')).get(path)).body['totalItems']).toBe(0)
    service.close()
  })

  test.each([
    ['alone', [], 1],
    ['beside configured accounts', [accountConfig('rimu')], 0],
  ])('are shown to the demonstration account %s or not', async (_, accounts, expected) => {
    const service = openService({ demo: true, accounts: { accounts } })
    const { clientId, clientSecret, username, password } = demoCredentials
    const fields = { grant_type: 'password', client_id: clientId, client_secret: clientSecret, username, password }
    const { body } = await askToken(service, new URLSearchParams(fields))
    const demo = speaker(service, text(body['access_token']))
    service.load({ workRecords: [workRecord('A')] })
    await demo.post('holdings', [holding('HF-0042')])
    expect((await demo.get(path)).body['totalItems']).toBe(expected)
  })

  test('that cannot be stored are reported by their position in the list; the others are stored', async () => {
    const { service, hill } = await hillFarm()
    await hill.post('holdings', [holding('HF-0043')])
    const { workRecords } = service.load({
      workRecords: [
        workRecord('A'),
        'B',
        workRecord('D', { status: undefined }),
        { ...workRecord('E'), holding: null },
      ],
    })
    expect(workRecords.stored).toBe(1)
    expect(workRecords.refused.map(({ index }) => index)).toEqual([1, 2, 3])
    for (const file of [null, [], {}, { workRecords: {} }, { workRecords: [], plots: [] }])
      expect(() => service.load(file as unknown as LoadFile)).toThrow(WindrowError)
  })
})

const hillFarmReference = { identifier: farmNumber('HF-0042'), name: 'Hill Farm', contentType: 'holding' }

/** Two farms of the account `hill`, and a farm without an account, with crop records of each kind. */
async function twoFarms() {
  const world = await hillFarm()
  await world.hill.post('holdings', [holding('HF-0043')])
  const [first, second] = list((await world.hill.get('/ogc/collections/holdings/items')).body['features'])
  const record = (id: string, day: string, more: Record<string, unknown> = {}) => ({
    id,
    holding: hillFarmReference,
    observationDate: `${day}T10:00:00.1234567+00:00`,
    meta: { sourceId: { scheme: 'org.example.lab', id }, modified: '2026-11-19T20:15:00Z' },
    ...more,
  })
  const [others, strangers] = ['HF-0043', 'XX-9999'].map((id) => ({ holding: { identifier: farmNumber(id) } }))
  const days = [record('1', '2026-10-01'), record('2', '2026-11-01'), record('3', '2026-11-30')]
  const deleted = { meta: { ...days[0]!.meta, isDeleted: true, sourceId: { scheme: 'org.example.lab', id: 'gone' } } }
  const farmWalks = [...days, record('4', '2026-11-02', deleted), record('5', '2026-11-03', others)]
  const summary = world.service.load({
    loadReceivals: days.map((each, index) => ({
      ...each,
      consignmentDate: `2026-1${index}-15T00:00:00Z`,
      moisture: 14.5,
    })),
    pastureCoverEvents: [...farmWalks, record('6', '2026-11-04', strangers)],
    sampleAnalyses: [...days, record('7', '2026-11-05', others)],
    samplePlans: days,
  })
  for (const { refused } of Object.values(summary)) expect(refused).toEqual([])
  return { ...world, farm: text(first!['id']), other: text(second!['id']) }
}

const ids = ({ status, body }: Answer): readonly unknown[] => {
  expect(status).toBe(200)
  expect(body['totalItems']).toBe(list(body['items']).length)
  return list(body['items']).map(({ id }) => id)
}

describe('load receivals, sample analyses and sample plans', () => {
  test.each(['load-receivals', 'sample-analyses', 'sample-plans'])(
    '%s are those of the holding, alone by id',
    async (kind) => {
      const { hill, farm, other } = await twoFarms()
      const path = `/data/holdings/${farm}/crops/${kind}`
      expect(ids(await hill.get(path))).toEqual(['1', '2', '3'])
      expect(ids(await hill.get(`/data/holdings/${other}/crops/${kind}`))).toEqual(
        kind === 'sample-analyses' ? ['7'] : [],
      )
      const one = await hill.get(`${path}/2`)
      expect(one.body).toMatchObject({ id: '2', observationDate: '2026-11-01T10:00:00.1234567+00:00' })
      for (const missing of [
        `${path}/9`,
        `/data/holdings/${other}/crops/${kind}/2`,
        `/data/holdings/none/crops/${kind}/2`,
      ])
        expect((await hill.get(missing)).status).toBe(404)
      expect((await hill.get(`/data/crops/${kind}`)).status).toBe(404)
    },
  )

  test.each([
    ['ObservationDateFrom=2026-11-01', ['2', '3']],
    ['ObservationDateTo=2026-11-01', ['1', '2']],
    ['ObservationDateFrom=2026-11-01&ObservationDateTo=2026-11-01', ['2']],
    ['ObservationDateTo=2026-11-01T09:59:59Z', ['1']],
    ['ObservationDateFrom=2026-11-01T10:00:00.123', ['2', '3']],
    ['ObservationDateFrom=2026-11-01t10:00:00z', ['2', '3']],
    ['ObservationDateTo=2026-11-01T09:59:60Z', ['1']],
    ['ObservationDateFrom=2026-11-01T23:00:00+13:00', ['2', '3']],
    ['ObservationDateFrom=2026-11-01T23:00:01%2B13:00', ['3']],
    ['ConsignmentDateFrom=2026-11-15&ConsignmentDateTo=2026-11-15', ['2']],
    ['ConsignmentDateFrom=2026-11-16&ObservationDateFrom=2026-11-30', ['3']],
    ['ConsignmentDateTo=', ['1', '2', '3']],
  ])('load receivals by %s: From is the lower bound, To the upper, both included', async (query, expected) => {
    const { hill, farm } = await twoFarms()
    expect(ids(await hill.get(`/data/holdings/${farm}/crops/load-receivals?${query}`))).toEqual(expected)
  })

  test.each([
    ['load-receivals', 'ObservationDateFrom=yesterday'],
    ['load-receivals', 'ConsignmentDateTo=2026-02-30'],
    ['load-receivals', 'ObservationDateFrom=2026-11-02&ObservationDateTo=2026-11-01'],
    ['sample-plans', 'ConsignmentDateFrom=2026-11-01'],
  ])('%s?%s is a mistake that is said', async (kind, query) => {
    const { hill, farm } = await twoFarms()
    const answer = await hill.get(`/data/holdings/${farm}/crops/${kind}?${query}`)
    expect(answer.status).toBe(400)
    expect(text(answer.body['detail'])).toContain(query.split('=')[0])
  })

  test('a filter stays in the links of a page', async () => {
    const { hill, farm } = await twoFarms()
    const { body } = await hill.get(`/data/holdings/${farm}/crops/sample-plans?ObservationDateFrom=2026-11-01&limit=1`)
    expect(body).toMatchObject({ totalItems: 2, totalPages: 2 })
    const next = await hill.get(text(body['links']!['next']))
    expect(list(next.body['items'])[0]!['id']).toBe('3')
    expect(next.body['links']).toMatchObject({ next: null })
  })
})

describe('pasture cover events', () => {
  test("are listed for one holding and for all of one's own, deleted ones only when asked for", async () => {
    const { hill, farm, other } = await twoFarms()
    const all = '/data/crops/pasture-cover-events'
    const nested = `/data/holdings/${farm}/crops/pasture-cover-events`
    expect(ids(await hill.get(all))).toEqual(['1', '2', '3', '5'])
    expect(ids(await hill.get(`${all}?includeDeleted=True`))).toEqual(['1', '2', '3', '4', '5'])
    expect(ids(await hill.get(nested))).toEqual(['1', '2', '3'])
    expect(ids(await hill.get(`${nested}?includeDeleted=true`))).toEqual(['1', '2', '3', '4'])
    expect(ids(await hill.get(`/data/holdings/${other}/crops/pasture-cover-events?includeDeleted=false`))).toEqual([
      '5',
    ])
    expect((await hill.get(`${all}?includeDeleted=perhaps`)).status).toBe(400)
  })

  test('each is there alone on both paths, a deleted one with its mark; under another holding it is 404', async () => {
    const { hill, farm, other } = await twoFarms()
    const nested = `/data/holdings/${farm}/crops/pasture-cover-events`
    const { body } = await hill.get('/data/crops/pasture-cover-events/4')
    expect(body).toMatchObject({ id: '4', resourceType: 'svcPastureCoverEvent', meta: { isDeleted: true } })
    expect((await hill.get(`${nested}/4`)).body).toEqual(body)
    for (const path of [
      `/data/holdings/${other}/crops/pasture-cover-events/4`,
      `${nested}/5`,
      '/data/crops/pasture-cover-events/6',
    ]) {
      const answer = await hill.get(path)
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 404, 'application/problem+json'])
    }
  })

  test("of somebody else's farm look as if there were none", async () => {
    const { service, hill, farm } = await twoFarms()
    const rimu = await signIn(service, 'rimu')
    const nested = `/data/holdings/${farm}/crops/pasture-cover-events`
    const unknown = '/data/holdings/0199ffff-0000-7000-8000-000000000000/crops/pasture-cover-events'
    for (const path of ['/data/crops/pasture-cover-events', nested, unknown])
      expect(ids(await rimu.get(path))).toEqual([])
    expect((await rimu.get(`${nested}/1`)).status).toBe(404)
    expect(ids(await hill.get(unknown))).toEqual([])
    expect((await speaker(service).get(nested)).status).toBe(401)
  })
})

describe('the region that is asked for', () => {
  test.each([
    ['NZ', ['HF-0042', 'WORLD']],
    ['gb', ['UK-1', 'WORLD']],
    ['AU', ['WORLD']],
  ])('%s: holdings of that country, and those that name none', async (region, expected) => {
    const { service, hill } = await hillFarm()
    const one = (scheme: string, id: string) => holding(id, { identifiers: [{ scheme, id }] })
    await hill.post('holdings', [one('uk.example.holding', 'UK-1'), one('com.example.farm', 'WORLD')])
    service.load({ workRecords: [workRecord('A')] })
    const get = (path: string) => hill.send(path, { headers: { 'X-Requested-Region': region } })
    const sources = ({ body }: Answer) =>
      list(body).map((each) => text(each['identifiers']![0 as never]!['id' as never]))
    expect(sources(await get('/data/streaming/control'))).toEqual(expected)
    const feed = (await get('/data/streaming/datasets/holdings/changes')).body
    expect(list(feed).slice(1, -1)).toHaveLength(expected.length)
    expect((await get('/ogc/collections/holdings/items')).body['numberMatched']).toBe(expected.length)
    expect((await get(path)).body['totalItems']).toBe(region === 'NZ' ? 1 : 0)
  })

  test.each(['/ogc', '/ogc/collections/plots/items', '/data/streaming/control', '/data/streaming/datasets', path])(
    'one that is none is a mistake at %s',
    async (address) => {
      const { hill } = await hillFarm()
      for (const region of ['Waikato', 'QQ', 'N', '64', 'ZZ', 'EU', 'XK', 'UK']) {
        const answer = await hill.send(address, { headers: { 'X-Requested-Region': region } })
        expect([region, answer.status]).toEqual([region, 400])
        expect(text(answer.body['detail'])).toContain('X-Requested-Region')
      }
    },
  )
})
