import { describe, expect, test } from 'vitest'
import { WindrowError } from '../../src/core/error.ts'
import type { LoadFile } from '../../src/service/create.ts'
import { base, farmNumber, hillFarm, holding, list, signIn, speaker, text } from './hill-farm.ts'

const path = '/data/crops/work-records'

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
  test('come in pages, with links to the others and null where there is none', async () => {
    const { hill, summary } = await threeJobs()
    expect(summary).toEqual({ workRecords: { stored: 3, refused: [] } })
    const at = (offset: number) => `${base}${path}?limit=1&offset=${offset}`
    const middle = (await hill.get(`${path}?limit=1&offset=1`)).body
    expect(middle).toMatchObject({ totalPages: 3, itemsPerPage: 1, offset: 1, totalItems: 3, page: 2 })
    expect(middle['links']).toEqual({ first: at(0), next: at(2), previous: at(0), last: at(2) })
    expect(list(middle['items'])).toMatchObject([{ ...workRecord('B'), id: expect.any(String) }])
    const first = (await hill.get(`${path}?limit=1`)).body
    expect(first['links']).toMatchObject({ next: at(1), previous: null })
    expect((await hill.get(`${path}?limit=1&offset=2`)).body['links']).toMatchObject({ next: null, previous: at(1) })
    const all = (await hill.get(path)).body
    expect(all).toMatchObject({ totalPages: 1, itemsPerPage: 100, page: 1, totalItems: 3 })
    expect(list(all['items']).map(({ name }) => name)).toEqual(['A', 'B', 'C'])
  })

  test('each is there at its own address', async () => {
    const { hill } = await threeJobs()
    const [first] = list((await hill.get(path)).body['items'])
    const answer = await hill.get(text(first!['@self']))
    expect([answer.status, answer.body]).toEqual([200, first])
    expect((await hill.get(`${path}/nothing`)).status).toBe(404)
  })

  test('are for accounts that are connected to their holding', async () => {
    const { service, hill } = await threeJobs()
    const rimu = await signIn(service, 'rimu')
    const [first] = list((await hill.get(path)).body['items'])
    expect((await rimu.get(path)).body).toMatchObject({ totalItems: 0, totalPages: 0, items: [], page: 1 })
    expect((await rimu.get(text(first!['@self']))).status).toBe(404)
    expect((await speaker(service).get(path)).status).toBe(401)
  })

  test.each(['limit=0', 'offset=x', 'includeDeleted=true'])('%s is a mistake that is said', async (query) => {
    const { hill } = await threeJobs()
    expect((await hill.get(`${path}?${query}`)).status).toBe(400)
  })

  test('loaded again are replaced, by id or by source id, and keep their places', async () => {
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

  test('may come before the holding they name, and are seen when it is there', async () => {
    const { service, hill } = await hillFarm()
    const early = { identifier: farmNumber('HF-0099') }
    expect(service.load({ workRecords: [workRecord('A', { holding: early })] }).workRecords.refused).toEqual([])
    expect((await hill.get(path)).body['totalItems']).toBe(0)
    await hill.post('holdings', [holding('HF-0099')])
    expect((await hill.get(path)).body['totalItems']).toBe(1)
  })

  test('that cannot be stored are told by their place in the list; the others are', async () => {
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
    for (const file of [null, [], { workRecords: {} }, { workRecords: [], plots: [] }])
      expect(() => service.load(file as unknown as LoadFile)).toThrow(WindrowError)
  })
})
