import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { connectTo } from '../../src/client/connection.ts'
import { all, inTurn, json, problem, profile, scriptedWorld, type Answering } from './scripted-service.ts'
import { runs } from '../runs.ts'

const base = 'https://service.example/api/data/streaming'
const updates = `${base}/datasets/plots/resources`
const changes = `${base}/datasets/plots/changes`
const bodies = ['{"n":0}', '{"n":1}', '{"n":2}']
const accepted = { state: 'accepted' } as const

function talking(service: Answering) {
  const world = scriptedWorld(service)
  return { world, client: connectTo(profile, world, { retry: { tries: 2 } }) }
}

describe('control', () => {
  test('lists holdings with absolute addresses', async () => {
    const { client, world } = talking(() =>
      json([
        {
          holdingId: 'h-1',
          signature: 'abc',
          region: 'NZ',
          identifiers: [{ scheme: 'nz.example.farm-number', id: '00412876' }, { scheme: 'only' }, null],
          connectorIdentifiers: [{ schema: 'nz.example.connector', id: 'c-1' }],
          resourceTypes: [
            { id: '/core/plots', changes: '/streams/plots/changes', updates: 'https://service.example/streams/plots' },
            { description: 'no id' },
          ],
        },
        {},
      ]),
    )
    expect(await client.control()).toEqual([
      {
        holdingId: 'h-1',
        signature: 'abc',
        region: 'NZ',
        identifiers: [{ scheme: 'nz.example.farm-number', id: '00412876' }],
        connectorIdentifiers: [{ scheme: 'nz.example.connector', id: 'c-1' }],
        resourceTypes: [
          {
            id: '/core/plots',
            changes: 'https://service.example/streams/plots/changes',
            updates: 'https://service.example/streams/plots',
          },
        ],
      },
      { identifiers: [], connectorIdentifiers: [], resourceTypes: [] },
    ])
    expect(world.sent[0]?.url.href).toBe(`${base}/control`)
  })

  test('is an empty list when missing', async () => {
    expect(await talking(() => problem(404, 'Nothing connected')).client.control()).toEqual([])
  })

  test('is an error, not an empty list, when it is not a list', async () => {
    for (const body of [{}, null, 'x', [1]])
      await expect(talking(() => json(body)).client.control()).rejects.toMatchObject({ code: 'service-confused' })
  })
})

describe('datasets', () => {
  const plots = { name: 'plots', changes, updates, containedTypes: ['plotResource'] }
  test('are listed, and read by name', async () => {
    const { client, world } = talking((sent) => json(sent.url.pathname.endsWith('/datasets') ? [plots] : plots))
    expect(await client.datasets()).toEqual([plots])
    expect(await client.dataset('land covers/x')).toEqual(plots)
    expect(world.sent[1]?.url.href).toBe(`${base}/datasets/land%20covers%2Fx`)
  })

  test('without a name are an error', async () => {
    await expect(talking(() => json([{ url: 'x' }])).client.datasets()).rejects.toMatchObject({
      code: 'service-confused',
    })
    await expect(talking(() => json([])).client.dataset('x')).rejects.toMatchObject({ code: 'service-confused' })
  })
})

describe('publishing', () => {
  test('sends the texts unchanged, in one list', async () => {
    const { client, world } = talking(() => json(bodies.map((_body, index) => ({ index, successful: true }))))
    expect(await client.publish(updates, ['{"a": 1.50}', ' {"b":"Ō"}', '{"c":1e3}'])).toEqual([
      accepted,
      accepted,
      accepted,
    ])
    const [sent] = world.sent
    expect([sent?.method, sent?.url.href, sent?.headers.get('content-type'), sent?.body]).toEqual([
      'POST',
      updates,
      'application/json',
      '[{"a": 1.50}, {"b":"Ō"},{"c":1e3}]',
    ])
  })

  test('matches results by index, and an item without a result is unsent', async () => {
    const { client } = talking(() =>
      json([
        { index: 2, successful: true },
        { index: 0, successful: false, error: 'The holding\u0007 was\nnot found' },
      ]),
    )
    expect(await client.publish(updates, bodies)).toEqual([
      { state: 'refused', error: 'The holding was not found' },
      { state: 'unsent' },
      accepted,
    ])
  })

  test('counts a refusal without a reason as refused', async () => {
    const { client } = talking(() => json([{ index: 0, successful: false }]))
    expect(await client.publish(updates, ['{}'])).toEqual([{ state: 'refused', error: 'The service gave no reason.' }])
  })

  const good = { index: 0, successful: true }
  test.each([
    ['a foreign index', [good, { index: 3, successful: true }]],
    ['a negative index', [{ index: -1, successful: true }]],
    ['a fractional index', [{ index: 0.5, successful: true }]],
    ['an index that is text', [{ index: '0', successful: true }]],
    ['no index', [{ successful: true }]],
    ['a repeated index', [good, good]],
    ['a repeated index that disagrees', [good, { index: 0, successful: false }]],
    ['no success', [{ index: 0 }]],
    ['success that is text', [{ index: 0, successful: 'false' }]],
    ['something that is no result', [good, null]],
    ['no list', { results: [good] }],
    ['nothing', null],
  ])('stops the run at %s', async (_name, answer) => {
    const { client, world } = talking(() => json(answer))
    await expect(client.publish(updates, bodies)).rejects.toMatchObject({ code: 'service-confused' })
    expect(world.sent).toHaveLength(1)
  })

  test('sends nothing for no records', async () => {
    const { client, world } = talking(() => json([]))
    expect(await client.publish(updates, [])).toEqual([])
    expect(await all(client.publishHalving(updates, []))).toEqual([])
    expect(world.sent).toHaveLength(0)
  })

  test('gives the same outcomes for any order of results', async () => {
    const results = fc.array(fc.constantFrom('accepted', 'refused', 'unsent'), { minLength: 1, maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(results, fc.infiniteStream(fc.nat(1000)), async (states, order) => {
        const answer = states
          .map((state, index) => ({ state, index, at: order.next().value ?? 0 }))
          .filter(({ state }) => state !== 'unsent')
          .toSorted((a, b) => a.at - b.at)
          .map(({ state, index }) => ({ index, successful: state === 'accepted', error: `no ${index}` }))
        const { client } = talking(() => json(answer))
        const outcome = await client.publish(
          updates,
          states.map((_state, n) => `{"n":${n}}`),
        )
        expect(outcome.map(({ state }) => state)).toEqual(states)
        outcome.forEach((each, index) => each.state === 'refused' && expect(each.error).toBe(`no ${index}`))
      }),
      { numRuns: runs(50) },
    )
  })
})

describe('halving', () => {
  /** Refuses a whole batch with a bad item, or with more than `most` items. */
  const touchy =
    (bad: ReadonlySet<number>, status: number, most = Infinity): Answering =>
    (sent) => {
      const items = JSON.parse(sent.body) as { n: number }[]
      const found = items.find(({ n }) => bad.has(n))
      if (found !== undefined) return problem(status, `item ${found.n} is broken`)
      if (items.length > most) return problem(413, 'too much')
      return json(items.map((_item, index) => ({ index, successful: true })))
    }
  const numbered = (count: number): string[] => Array.from({ length: count }, (_each, n) => `{"n":${n}}`)

  test.each([400, 413, 422])('finds the item that causes a %i, and sends the others', async (status) => {
    const { client } = talking(touchy(new Set([5]), status))
    const parts = await all(client.publishHalving(updates, numbered(9)))
    const outcomes = parts.flatMap(({ items }) => items)
    expect(outcomes).toHaveLength(9)
    expect(outcomes[5]).toEqual({ state: 'refused', error: 'item 5 is broken' })
    expect(outcomes.filter(({ state }) => state === 'accepted')).toHaveLength(8)
  })

  test('gives every item one outcome, in order, whichever items are faulty', async () => {
    const item = fc.integer({ min: 0, max: 39 })
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.uniqueArray(item),
        fc.integer({ min: 1, max: 40 }),
        async (count, bad, most) => {
          const { client, world } = talking(touchy(new Set(bad), 422, most))
          const parts = await all(client.publishHalving(updates, numbered(count)))
          let next = 0
          for (const { first, items } of parts) {
            expect(first).toBe(next)
            next += items.length
          }
          expect(next).toBe(count)
          const states = parts.flatMap(({ items }) => items.map(({ state }) => state))
          expect(states).toEqual(numbered(count).map((_body, n) => (bad.includes(n) ? 'refused' : 'accepted')))
          expect(world.sent.length).toBeLessThan(2 * count)
        },
      ),
      { numRuns: runs(60) },
    )
  })

  test('does not halve for errors that no item causes', async () => {
    for (const [status, code] of [
      [404, 'request-refused'],
      [403, 'rights-missing'],
      [500, 'service-failing'],
    ] as const) {
      const { client, world } = talking(() => problem(status, 'No'))
      await expect(all(client.publishHalving(updates, bodies))).rejects.toMatchObject({ code })
      expect(world.sent).toHaveLength(1)
    }
  })

  test('gives known results before a later part fails', async () => {
    const { client } = talking(
      inTurn(
        () => problem(413, 'too much'),
        () =>
          json([
            { index: 0, successful: true },
            { index: 1, successful: true },
          ]),
        () => problem(500, 'Oops'),
      ),
    )
    const known: unknown[] = []
    const reading = async (): Promise<void> => {
      for await (const part of client.publishHalving(updates, bodies)) known.push(part)
    }
    await expect(reading()).rejects.toMatchObject({ code: 'service-failing' })
    expect(known).toEqual([{ first: 0, items: [accepted, accepted] }])
  })
})

describe('changes', () => {
  const context = { id: '@context', description: 'plots' }
  const token = (text: unknown) => ({ id: '@continuation', token: text })
  const item = (id: string) => ({ id, resourceType: 'plotResource' })

  test('are read to the empty page, each token sent percent-encoded', async () => {
    const { client, world } = talking(
      inTurn(
        () => json([context, item('a'), item('b'), token('t1+/=&#')]),
        () => json([context, item('c'), token('t2')]),
        () => json([context, token('t3')]),
      ),
    )
    const pages = await all(client.changes({ changes }, { limit: 2 }))
    expect(pages).toEqual([
      { items: [item('a'), item('b')], token: 't1+/=&#', fullSync: false },
      { items: [item('c')], token: 't2', fullSync: false },
      { items: [], token: 't3', fullSync: false },
    ])
    expect(world.sent.map(({ url }) => url.search)).toEqual([
      '?limit=2',
      '?since=t1%2B%2F%3D%26%23&limit=2',
      '?since=t2&limit=2',
    ])
  })

  test('start at the given token, and keep the other parameters of the address', async () => {
    const { client, world } = talking(() => json([context, token('t2')]))
    const address = { changes: `${changes}?view=full&since=old&limit=7` }
    expect(await all(client.changes(address, { since: 't1' }))).toEqual([{ items: [], token: 't2', fullSync: false }])
    expect(world.sent[0]?.url.search).toBe('?view=full&since=t1')
  })

  test.each([
    ['in the middle', [context, item('a'), token('t1'), item('b')], 't1'],
    ['at the start', [token('t1'), context, item('a'), item('b')], 't1'],
    ['several times: the last counts', [context, token('t0'), item('a'), token('t1'), item('b'), token('t2')], 't2'],
    ['in a broken one after a good one', [context, item('a'), item('b'), token('t1'), token(7)], 't1'],
  ])('take a token %s', async (_name, page, expected) => {
    const { client, world } = talking(
      inTurn(
        () => json(page),
        () => json([]),
      ),
    )
    const [first] = await all(client.changes({ changes }))
    expect(first).toEqual({ items: [item('a'), item('b')], token: expected, fullSync: false })
    expect(world.sent[1]?.url.search).toBe(`?since=${expected}`)
  })

  test('without a new token keep the old one, and end', async () => {
    const { client, world } = talking(() => json([context, item('a')]))
    expect(await all(client.changes({ changes }, { since: 't1' }))).toEqual([
      { items: [item('a')], token: 't1', fullSync: false },
    ])
    expect(world.sent).toHaveLength(1)
  })

  test('without a new token after a full sync drop the old one', async () => {
    const { client } = talking(() => json([{ id: 'a' }], 200, { 'universal-data-api-fullsync': 'true' }))
    expect(await all(client.changes({ changes }, { since: 'old' }))).toMatchObject([
      { token: undefined, fullSync: true },
    ])
  })

  test.each(['universal-data-api-fullsync', 'icar-full-sync'])('report %s', async (header) => {
    const { client, world } = talking(() => json([context, token('t4')], 200, { [header]: 'true' }))
    expect(await all(client.changes({ changes }, { since: 't1' }))).toEqual([
      { items: [], token: 't4', fullSync: true },
    ])
    expect(world.sent).toHaveLength(1)
  })

  test.each([
    ['the same token', ['t1', 't1']],
    ['an earlier token', ['t1', 't2', 't1']],
  ])('that lead back to %s are an error, not an endless run', async (_name, tokens) => {
    const { client, world } = talking((_sent, nth) => json([item(`i${nth}`), token(tokens[nth % tokens.length])]))
    await expect(all(client.changes({ changes }))).rejects.toMatchObject({ code: 'service-confused' })
    expect(world.sent).toHaveLength(tokens.length)
  })

  test('that cannot be continued fail with the status', async () => {
    const { client } = talking(() => problem(400, 'The token is of another dataset'))
    await expect(all(client.changes({ changes }, { since: 'x' }))).rejects.toMatchObject({
      code: 'request-refused',
      data: { status: 400, detail: 'The token is of another dataset' },
    })
  })

  test.each([
    ['no list', { items: [] }],
    ['an item that is none', [context, 'x']],
  ])('that are %s are an error', async (_name, body) => {
    await expect(all(talking(() => json(body)).client.changes({ changes }))).rejects.toMatchObject({
      code: 'service-confused',
    })
  })

  test('without an address cannot be read', async () => {
    await expect(all(talking(() => json([])).client.changes({}))).rejects.toMatchObject({ code: 'service-confused' })
  })

  test('are read one page ahead of the reader, and no further when it stops', async () => {
    const { client, world } = talking((_sent, nth) => json([item(`i${nth}`), token(`t${nth}`)]))
    const sent: number[] = []
    for await (const page of client.changes({ changes })) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      sent.push(world.sent.length)
      if (page.items[0]?.['id'] === 'i1') break
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([...sent, world.sent.length]).toEqual([2, 3, 3])
  })

  test('that fail one page ahead fail when that page is asked for', async () => {
    const { client } = talking(
      inTurn(
        () => json([item('a'), token('t1')]),
        () => problem(403, 'Not yours'),
      ),
    )
    const pages: unknown[] = []
    const reading = (async () => {
      for await (const page of client.changes({ changes })) {
        await new Promise((resolve) => setTimeout(resolve, 20))
        pages.push(page.token)
      }
    })()
    await expect(reading).rejects.toMatchObject({ data: { status: 403 } })
    expect(pages).toEqual(['t1'])
  })
})
