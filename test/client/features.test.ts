import { describe, expect, test } from 'vitest'
import { connectTo, type Client } from '../../src/client/connection.ts'
import type { FeatureOptions } from '../../src/client/features.ts'
import { all, inTurn, json, problem, profile, scriptedWorld, type Answering } from './scripted-service.ts'

const base = 'https://service.example/api/ogc/collections'
const feature = (id: string) => ({ type: 'Feature', id, geometry: null, properties: { agriculture: { id } } })
const next = (href: string, type?: string) => ({ rel: 'next', href, ...(type === undefined ? {} : { type }) })
const page = (ids: readonly string[], more: object = {}) => ({
  type: 'FeatureCollection',
  features: ids.map(feature),
  ...more,
})

function talking(service: Answering) {
  const world = scriptedWorld(service)
  return { world, client: connectTo(profile, world) }
}

/** A service whose pages of two go by offset; the first record goes after the first page of so many readings. */
function shrinking(readings: number): Answering {
  const ids = Array.from({ length: 30 }, (_, index) => `d${index}`).slice(0, readings === 1 ? 5 : 30)
  let left = readings
  return ({ url }) => {
    const offset = Number(url.searchParams.get('offset'))
    const numberMatched = ids.length
    const some = ids.slice(offset, offset + 2)
    const links = offset + 2 < ids.length ? [next(`?offset=${offset + 2}`)] : []
    if (offset === 0 && left > 0) {
      ids.shift()
      left -= 1
    }
    return json(page(some, { numberMatched, links }))
  }
}

const idsOf = (batches: readonly (readonly { readonly [name: string]: unknown }[])[]): unknown[] =>
  batches.flat().map(({ id }) => id)

describe('features', () => {
  test.each<[string, 'holdings' | 'plots' | 'land-covers', FeatureOptions, string]>([
    ['of a collection', 'plots', {}, `${base}/plots/items?limit=1000`],
    [
      'of one holding',
      'land-covers',
      { holdingId: 'a/b' },
      `${base}/holdings/a%2Fb/collections/land-covers/items?limit=1000`,
    ],
    [
      'in a box',
      'plots',
      { bbox: [175.4, -38.11, 175.402, 1e-9], limit: 10 },
      `${base}/plots/items?limit=10&bbox=175.4,-38.11,175.402,0`,
    ],
  ])('%s', async (_name, collection, options, url) => {
    const { client, world } = talking(() => json(page([])))
    await all(client.features(collection, options))
    expect(world.sent.map((sent) => sent.url.href)).toEqual([url])
    expect(world.sent[0]?.headers.get('accept')).toMatch(/^application\/geo\+json/)
  })

  test('one holding is read as one', async () => {
    const { client, world } = talking(() => json(feature('h-1')))
    expect(idsOf(await all(client.features('holdings', { holdingId: 'h-1' })))).toEqual(['h-1'])
    expect(world.sent[0]?.url.href).toBe(`${base}/holdings/items/h-1`)
    expect(await all(talking(() => problem(404, 'No')).client.features('holdings', { holdingId: 'h-2' }))).toEqual([])
  })

  test.each<[string, FeatureOptions]>([
    ['page size 0', { limit: 0 }],
    ['page size 10001', { limit: 10_001 }],
    ['page size 1.5', { limit: 1.5 }],
    ['a box with no number', { bbox: [Number.NaN, 0, 1, 1] }],
    ['a box in metres', { bbox: [1_800_000, 5_700_000, 1_800_100, 5_700_100] }],
    ['a box upside down', { bbox: [0, 10, 1, 5] }],
  ])('cannot be asked for with %s', async (_name, options) => {
    const { client, world } = talking(() => json(page([])))
    await expect(all(client.features('plots', options))).rejects.toMatchObject({ code: 'option-invalid' })
    expect(world.sent).toHaveLength(0)
  })

  test('of one holding cannot be asked for with a box, too', async () => {
    const { client } = talking(() => json(feature('h-1')))
    const both = { holdingId: 'h-1', bbox: [0, 0, 1, 1] } as const
    await expect(all(client.features('holdings', both))).rejects.toMatchObject({ code: 'option-invalid' })
  })

  test('follow the next link as it stands, relative or not', async () => {
    const { client, world } = talking(
      inTurn(
        () => json(page(['a'], { numberMatched: 3, links: [next('?page=two&x=%20')] })),
        () => json(page(['b'], { numberMatched: 3, links: [next(`${base}/plots/items?page=3`)] })),
        () => json(page(['c'], { numberMatched: 3, links: [{ rel: 'self', href: 'x' }, null, next('')] })),
      ),
    )
    expect(idsOf(await all(client.features('plots')))).toEqual(['a', 'b', 'c'])
    expect(world.sent.map(({ url }) => url.search)).toEqual(['?limit=1000', '?page=two&x=%20', '?page=3'])
  })

  test.each([
    [
      'typed as GeoJSON',
      [next('?html', 'text/html'), next('?json', 'application/json'), next('?geo', 'application/geo+json')],
      '?geo',
    ],
    ['typed as JSON', [next('?html', 'text/html'), next('?none'), next('?json', 'application/json')], '?json'],
    ['without a type', [next('?html', 'text/html'), next('?none')], '?none'],
  ])('take the next link %s', async (_name, links, search) => {
    const { client, world } = talking(
      inTurn(
        () => json(page(['a'], { links })),
        () => json(page(['b'])),
      ),
    )
    await all(client.features('plots'))
    expect(world.sent[1]?.url.search).toBe(search)
  })

  test('come once, also when pages overlap', async () => {
    const { client } = talking(
      inTurn(
        () => json(page(['a', 'b'], { numberMatched: 3, links: [next('?2')] })),
        () => json(page(['b', 'c'], { numberMatched: 3 })),
      ),
    )
    expect(idsOf(await all(client.features('plots')))).toEqual(['a', 'b', 'c'])
  })

  test('are told apart by the id of the record where the feature has none', async () => {
    const bare = (id: string | undefined) => ({ type: 'Feature', properties: { agriculture: { id } } })
    const features = [
      bare('a'),
      bare('a'),
      bare(undefined),
      bare(undefined),
      { ...bare('x'), id: 7 },
      { ...bare('y'), id: 7 },
    ]
    const { client } = talking(() => json({ features }))
    expect((await all(client.features('plots'))).flat()).toHaveLength(4)
  })

  test('that are fewer than the service said are an error', async () => {
    const { client } = talking(
      inTurn(
        () => json(page(['a', 'b'], { numberMatched: 4, links: [next('?2')] })),
        () => json(page(['b', 'c'], { numberMatched: 4 })),
      ),
    )
    await expect(all(client.features('plots'))).rejects.toMatchObject({
      code: 'service-confused',
      message: 'For the plots the service said 4, 3 came.',
    })
  })

  test('may become more while they are read: the last word counts', async () => {
    const { client } = talking(
      inTurn(
        () => json(page(['a', 'b'], { numberMatched: 3, links: [next('?2')] })),
        () => json(page(['c', 'd'], { numberMatched: 4 })),
      ),
    )
    expect(idsOf(await all(client.features('plots')))).toEqual(['a', 'b', 'c', 'd'])
  })

  test('that became fewer are read again, and what moved onto a page already read is not missed', async () => {
    const { client, world } = talking(shrinking(1))
    // d0 was there when it was read; d2 moved onto the first page when d0 was deleted.
    expect(idsOf(await all(client.features('plots')))).toEqual(['d0', 'd1', 'd3', 'd4', 'd2'])
    expect(world.sent).toHaveLength(4)
  })

  test('that become fewer each time are an error in the end', async () => {
    const { client } = talking(shrinking(9))
    await expect(all(client.features('plots'))).rejects.toMatchObject({
      code: 'service-confused',
      message: 'Some of the plots were deleted while the list was read 5 times.',
    })
  })

  test.each<[string, Answering]>([
    ['to itself', () => json(page(['a'], { links: [next(`${base}/plots/items?limit=1000`)] }))],
    [
      'back and forth',
      (_sent, nth) => json(page([`f${nth}`], { links: [next(nth % 2 === 0 ? '?b' : '?limit=1000')] })),
    ],
    ['ever onward with the same', (_sent, nth) => json(page(['a'], { links: [next(`?offset=${nth}`)] }))],
    ['ever onward with nothing', (_sent, nth) => json(page([], { links: [next(`?offset=${nth}`)] }))],
  ])('with next links %s are an error, not an endless run', async (_name, service) => {
    const { client, world } = talking(service)
    await expect(all(client.features('plots'))).rejects.toMatchObject({ code: 'service-confused' })
    expect(world.sent.length).toBeLessThan(6)
  })

  test.each([
    ['no list', { type: 'FeatureCollection' }],
    ['a list of something else', { features: [{ type: 'Point' }] }],
    ['a feature without properties', { features: [{ type: 'Feature', properties: null }] }],
    ['a page that is short of what it says', page(['a'], { numberReturned: 2 })],
    ['an array', [feature('a')]],
  ])('that are %s are an error', async (_name, body) => {
    await expect(all(talking(() => json(body)).client.features('plots'))).rejects.toMatchObject({
      code: 'service-confused',
    })
  })
})

describe('documents of the features API', () => {
  test.each<[string, (client: Client) => Promise<unknown>, string]>([
    ['the landing page', (client) => client.landingPage(), ''],
    ['what it conforms to', (client) => client.conformance(), '/conformance'],
    ['its collections', (client) => client.collections(), '/collections'],
    ['the collections of a holding', (client) => client.collections('a b'), '/collections/holdings/a%20b/collections'],
    ['a collection', (client) => client.collection('holdings'), '/collections/holdings'],
    [
      'a collection of a holding',
      (client) => client.collection('plots', 'h-1'),
      '/collections/holdings/h-1/collections/plots',
    ],
  ])('%s', async (_name, ask, path) => {
    const { client, world } = talking(() => json({ links: [], collections: [] }))
    await ask(client)
    expect(world.sent.map(({ url }) => url.href)).toEqual([`https://service.example/api/ogc${path}`])
  })

  test('the classes that it conforms to are those that are text', async () => {
    const { client } = talking(() => json({ conformsTo: ['a', 1, 'b'] }))
    expect(await client.conformance()).toEqual(['a', 'b'])
  })

  test.each(['items', 'collections'])('collections are read from %s', async (member) => {
    const { client } = talking(() => json({ links: [], [member]: [{ id: 'plots', extra: 1 }, {}, null] }))
    expect(await client.collections()).toEqual([{ id: 'plots', extra: 1 }])
  })

  test('collections that are listed under both names come once', async () => {
    const list = [{ id: 'holdings' }, { id: 'plots' }]
    const { client } = talking(() => json({ links: [], items: list, collections: list }))
    expect(await client.collections()).toEqual(list)
  })

  test('what is not there is undefined, a service without its landing page an error', async () => {
    const { client } = talking(() => problem(404, 'No'))
    expect(await client.collection('plots', 'h-1')).toBeUndefined()
    expect(await client.feature('plots', 'p-1')).toBeUndefined()
    expect(await client.collections('h-1')).toEqual([])
    await expect(client.landingPage()).rejects.toMatchObject({ code: 'request-refused', data: { status: 404 } })
  })
})

describe('one feature', () => {
  test('is read by its id, of all or of one holding', async () => {
    const { client, world } = talking(() => json(feature('p/1')))
    expect(await client.feature('plots', 'p/1')).toMatchObject({ id: 'p/1' })
    await client.feature('land-covers', 'l', { holdingId: 'h' })
    expect(world.sent.map(({ url }) => url.href)).toEqual([
      `${base}/plots/items/p%2F1`,
      `${base}/holdings/h/collections/land-covers/items/l`,
    ])
  })

  test.each(['', '.', '..', '\ud800'])('is never asked for by the id %j, which is another place', async (id) => {
    const { client, world } = talking(() => json(feature('x')))
    await expect(client.feature('plots', id)).rejects.toMatchObject({ code: 'option-invalid' })
    expect(world.sent).toHaveLength(0)
  })

  test('has its record in one spelling, and keeps what is not known', async () => {
    const record = {
      '@self': 'https://x.example/1',
      speciesPresent: [{ classification: [{ scheme: 's' }], seen: true }],
      mystery: 1,
    }
    const { client } = talking(() =>
      json({ type: 'Feature', id: 'l', geometry: null, properties: { agriculture: record, more: 2 } }),
    )
    expect((await client.feature('land-covers', 'l'))?.properties).toEqual({
      agriculture: {
        self: 'https://x.example/1',
        speciesPresent: [{ classfication: [{ scheme: 's' }], seen: true }],
        mystery: 1,
      },
      more: 2,
    })
  })
})
