import { describe, expect, test } from 'vitest'
import { connectTo, type Client } from '../../src/client/connection.ts'
import { all, inTurn, json, problem, profile, scriptedWorld, type Answering } from './scripted-service.ts'

const base = 'https://service.example/api/data'

function talking(service: Answering) {
  const world = scriptedWorld(service)
  return { world, client: connectTo(profile, world) }
}

const idsOf = (batches: readonly (readonly { readonly [name: string]: unknown }[])[]): unknown[] =>
  batches.flat().map(({ id }) => id)

describe('work records', () => {
  const record = (id: string) => ({ id, resourceType: 'workRecordResource' })
  const first = 'https://service.example/api/data/crops/work-records?limit=500'

  test('are read along the links of a paged result', async () => {
    const { client, world } = talking(
      inTurn(
        () => json({ totalItems: 3, links: { next: '?offset=2' }, items: [record('a'), record('b')] }),
        () => json({ totalItems: 3, links: { next: null }, items: [record('b'), record('c')] }),
      ),
    )
    expect(idsOf(await all(client.workRecords()))).toEqual(['a', 'b', 'c'])
    expect(world.sent.map(({ url }) => url.href)).toEqual([first, first.replace('limit=500', 'offset=2')])
  })

  test('that became fewer are read again, and none that is left is missed', async () => {
    const { client } = talking(
      inTurn(
        () => json({ totalItems: 3, links: { next: '?offset=2' }, items: [record('a'), record('b')] }),
        () => json({ totalItems: 2, links: { next: null }, items: [] }),
        () => json({ totalItems: 2, links: { next: null }, items: [record('b'), record('c')] }),
      ),
    )
    expect(idsOf(await all(client.workRecords()))).toEqual(['a', 'b', 'c'])
  })

  test('may come as a bare list', async () => {
    const { client, world } = talking(() => json([record('a'), record('b')]))
    expect(idsOf(await all(client.workRecords({ limit: 20 })))).toEqual(['a', 'b'])
    expect(world.sent[0]?.url.search).toBe('?limit=20')
  })

  test('that are fewer than the service said are an error', async () => {
    const { client } = talking(() => json({ totalItems: 3, links: { next: null }, items: [record('a')] }))
    await expect(all(client.workRecords())).rejects.toMatchObject({
      code: 'service-confused',
      message: 'For the work records the service said 3, 1 came.',
      data: { said: 3, came: 1 },
    })
  })

  test('that are no list are an error', async () => {
    for (const body of [{}, { items: [null] }, 'x'])
      await expect(all(talking(() => json(body)).client.workRecords())).rejects.toMatchObject({
        code: 'service-confused',
      })
  })

  test('come in the spelling of the interface, with what windrow does not know', async () => {
    const { client } = talking(() => json({ items: [{ id: 'a', self: 'https://x.example/a', tractor: 'T-7' }] }))
    expect(await all(client.workRecords())).toEqual([[{ id: 'a', '@self': 'https://x.example/a', tractor: 'T-7' }]])
  })
})

describe('a list of crop records', () => {
  test.each<[string, (client: Client) => AsyncIterable<unknown>, string]>([
    ['load receivals', (client) => client.loadReceivals('h 1'), '/holdings/h%201/crops/load-receivals'],
    [
      'load receivals within bounds',
      (client) =>
        client.loadReceivals('h', {
          observedFrom: '2026-10-01',
          observedTo: '2026-10-31',
          consignedFrom: '2026-10-01T06:00:00+13:00',
          consignedTo: '2026-11-01T00:00:00Z',
        }),
      '/holdings/h/crops/load-receivals?ObservationDateFrom=2026-10-01&ObservationDateTo=2026-10-31' +
        '&ConsignmentDateFrom=2026-09-30T17%3A00%3A00.000Z&ConsignmentDateTo=2026-11-01T00%3A00%3A00.000Z',
    ],
    ['pasture cover events', (client) => client.pastureCoverEvents(), '/crops/pasture-cover-events?limit=500'],
    [
      'pasture cover events of a holding, deleted ones too',
      (client) => client.pastureCoverEvents({ holdingId: 'h', includeDeleted: true, limit: 50 }),
      '/holdings/h/crops/pasture-cover-events?limit=50&includeDeleted=true',
    ],
    [
      'sample analyses',
      (client) => client.sampleAnalyses('h', { observedFrom: '2026-10-01' }),
      '/holdings/h/crops/sample-analyses?ObservationDateFrom=2026-10-01',
    ],
    [
      'sample plans',
      (client) => client.samplePlans('h', { observedTo: '2026-10-01' }),
      '/holdings/h/crops/sample-plans?ObservationDateTo=2026-10-01',
    ],
    ['work records', (client) => client.workRecords({ limit: 7 }), '/crops/work-records?limit=7'],
  ])('%s', async (_name, ask, path) => {
    const { client, world } = talking(() => json({ totalItems: 1, items: [{ id: 'a' }] }))
    expect(await all(ask(client))).toEqual([[{ id: 'a' }]])
    expect(world.sent.map(({ url }) => url.href)).toEqual([base + path])
  })

  test.each(['yesterday', '2026-02-31', '2026-10-01T06:00:00', '31/10/2026', '2026-13-01'])(
    'is not asked for from %j on',
    async (observedFrom) => {
      const { client, world } = talking(() => json([]))
      await expect(async () => all(client.sampleAnalyses('h', { observedFrom }))).rejects.toMatchObject({
        code: 'option-invalid',
      })
      expect(world.sent).toHaveLength(0)
    },
  )

  test('does not carry the token to another host', async () => {
    const { client, world } = talking(() =>
      json({ totalItems: 2, items: [{ id: 'a' }], links: { next: 'https://elsewhere.example/data?offset=1' } }),
    )
    await expect(all(client.pastureCoverEvents())).rejects.toMatchObject({ code: 'service-confused' })
    expect(world.sent).toHaveLength(1)
  })
})

describe('one crop record', () => {
  test.each<[string, (client: Client) => Promise<unknown>, string]>([
    ['load receival', (client) => client.loadReceival('h', 'x/1'), '/holdings/h/crops/load-receivals/x%2F1'],
    ['pasture cover event', (client) => client.pastureCoverEvent('x'), '/crops/pasture-cover-events/x'],
    [
      'pasture cover event of a holding',
      (client) => client.pastureCoverEvent('x', { holdingId: 'h' }),
      '/holdings/h/crops/pasture-cover-events/x',
    ],
    ['sample analysis', (client) => client.sampleAnalysis('h', 'x'), '/holdings/h/crops/sample-analyses/x'],
    ['sample plan', (client) => client.samplePlan('h', 'x'), '/holdings/h/crops/sample-plans/x'],
  ])('%s', async (_name, ask, path) => {
    const { client, world } = talking(() => json({ id: 'x', moisture: 14.5 }))
    expect(await ask(client)).toEqual({ id: 'x', moisture: 14.5 })
    expect(world.sent.map(({ url }) => url.href)).toEqual([base + path])
    expect(await ask(talking(() => problem(404, 'No')).client)).toBeUndefined()
    await expect(ask(talking(() => json([])).client)).rejects.toMatchObject({ code: 'service-confused' })
  })
})
