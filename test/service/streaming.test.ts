import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { WindrowError } from '../../src/core/error.ts'
import { folderWith } from '../core/temporary-folder.ts'
import {
  accountConfig,
  farmNumber,
  hillFarm,
  holding,
  list,
  openService,
  plot,
  plotsPath,
  signIn,
  speaker,
  storePlace,
  steadyRandom,
  square,
  stillClock,
  streaming,
  type Answer,
  text,
} from './hill-farm.ts'

const ok = (index = 0) => ({ index, successful: true })
const refused = (containing: string, index = 0) => ({
  index,
  successful: false,
  error: expect.stringContaining(containing) as string,
})
const json = { 'Content-Type': 'application/json' }

function expectProblem(answer: Answer, status: number, path: string): void {
  expect(answer.status).toBe(status)
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  expect(answer.body).toMatchObject({ type: 'about:blank', status, title: expect.any(String), instance: path })
  expect(answer.body['detail']).toEqual(expect.any(String))
}

describe('control and datasets', () => {
  test('an account without a holding gets 404; a published holding is connected and listed with its addresses', async () => {
    const service = openService()
    const hill = await signIn(service)
    expectProblem(await hill.get('/data/streaming/control'), 404, '/data/streaming/control')
    await hill.post('holdings', [holding('HF-0042')])
    const { body } = await hill.get('/data/streaming/control')
    const [item] = list(body)
    expect(list(body)).toHaveLength(1)
    expect(item).toMatchObject({
      connectedAt: '2026-11-20T00:00:00.000Z',
      signature: expect.stringMatching(/^[0-9a-f]{64}$/),
      identifiers: [farmNumber('HF-0042')],
      connectorIdentifiers: [{ id: 'hillfarm-sync' }],
    })
    expect(list(item!['resourceTypes']).map(({ id }) => id)).toEqual([
      '/core/holdings',
      '/core/land-covers',
      '/core/plots',
    ])
    expect(list(item!['resourceTypes'])[2]).toMatchObject({ updates: plotsPath })
    const feature = await hill.get(`/ogc/collections/holdings/items/${text(item!['holdingId'])}`)
    expect(feature.status).toBe(200)
  })

  test('the addresses of datasets answer; an unknown dataset is 404 for reading and for posting', async () => {
    const { hill } = await hillFarm()
    const { body } = await hill.get('/data/streaming/datasets')
    expect(list(body).map(({ name }) => name)).toEqual(['holdings', 'plots', 'land-covers'])
    for (const { url, changes } of list(body)) {
      expect((await hill.get(text(url))).status).toBe(200)
      expect((await hill.get(text(changes))).status).toBe(200)
    }
    const path = '/data/streaming/datasets/tractors'
    expectProblem(await hill.get(path), 404, path)
    expectProblem(await hill.get(`${path}/changes`), 404, `${path}/changes`)
    expectProblem(await hill.post('tractors', []), 404, `${path}/resources`)
  })
})

describe('publishing', () => {
  test('results count positions as sent, including a leading context and a continuation', async () => {
    const { hill } = await hillFarm()
    const sent = [{ id: '@context' }, plot('1'), 7, plot('2', 'XX-9999'), null, { id: '@continuation', token: 'x' }]
    const { status, body } = await hill.post('plots', sent)
    expect(status).toBe(200)
    expect(body).toEqual([
      ok(0),
      ok(1),
      refused('not a record', 2),
      refused('XX-9999', 3),
      refused('not a record', 4),
      ok(5),
    ])
    expect((await hill.feed('plots')).items).toHaveLength(1)
    expect((await hill.post('plots', [])).body).toEqual([])
  })

  test.each([
    ['the singular path', { resourceType: 'plotResource' }],
    ['another spelling of the type', { resourceType: '/core/plot' }],
    ['the type in other letters', { resourceType: 'PLOTRESOURCE' }],
  ])('%s is taken and read back in one spelling', async (_, more) => {
    const { hill } = await hillFarm()
    const { body } = await hill.send(`${streaming}/dataset/plots/resources`, {
      method: 'POST',
      body: JSON.stringify([plot('1', 'HF-0042', more)]),
      headers: json,
    })
    expect(body).toEqual([ok()])
    expect((await hill.feed('plots')).items[0]).toMatchObject({
      resourceType: 'plotResource',
      dataPointKey: 'HF-0042/1',
    })
  })

  test('records come back as they were sent, under an id of the service', async () => {
    const { hill } = await hillFarm()
    const more = {
      odd: [{ 'ā "quoted"': null }],
      additionalProperties: { x: 1.5e-7 },
      spatialFeature: square(175.4, -38.1),
    }
    const sent = plot('1', 'HF-0042', { ...more, id: 'my own', self: 'http://elsewhere.example' })
    await hill.post('plots', JSON.stringify([sent], undefined, 2))
    const { items } = await hill.feed('plots')
    const { id: _, self: __, ...rest } = sent
    expect(items[0]).toEqual({
      ...rest,
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/) as string,
      meta: { ...(sent['meta'] as object), created: '2026-11-20T00:00:00.000Z', isDeleted: false },
    })
  })

  test('a second spelling of a member is stored in the documented one', async () => {
    const { hill } = await hillFarm()
    const identifiers = [{ schema: 'nz.example.farm-number', id: 'HF-0042' }]
    expect((await hill.post('plots', [plot('1', 'HF-0042', { identifiers })])).body).toEqual([ok()])
    expect((await hill.feed('plots')).items[0]!['identifiers']).toEqual([farmNumber('HF-0042')])
  })

  test.each([
    ['no identity at all', { dataPointKey: undefined, meta: { modified: '2026-11-19T20:15:00Z' } }, 'sourceId'],
    ['no meta', { meta: undefined }, 'meta'],
    [
      'a moment without zone',
      { meta: { sourceId: { scheme: 's', id: '1' }, modified: '2026-11-19T20:15:00' } },
      'modified',
    ],
    ['a land cover', { resourceType: 'landCoverResource' }, 'land-covers'],
    ['a tractor', { resourceType: 'tractorResource' }, 'plotResource'],
    ['no holding', { identifiers: [] }, 'names no holding'],
    [
      'a point as boundary',
      { spatialFeature: { type: 'Feature', geometry: { type: 'Point', coordinates: [1, 2] } } },
      'Point',
    ],
    ['latitude first', { spatialFeature: square(-38.1, 175.4) }, '175.4'],
  ])('%s is an error of that item only', async (_, more, containing) => {
    const { hill } = await hillFarm()
    const { body } = await hill.post('plots', [plot('1', 'HF-0042', more), plot('2')])
    expect(body).toEqual([refused(containing, 0), ok(1)])
    expect((await hill.feed('plots')).items.map(({ dataPointKey }) => dataPointKey)).toEqual(['HF-0042/2'])
  })

  test.each([
    ['half a surrogate pair', (sent: string) => sent.replace('Pātiki', '\\ud83d'), '"name"'],
    ['U+0000 in a text', (sent: string) => sent.replace('Pātiki', '\\u0000'), '"name"'],
    ['U+0000 in the name of a member', (sent: string) => sent.replace('{', '{"a\\u0000":1,'), 'U+0000'],
  ])('%s is an error of that item only', async (_, damage, containing) => {
    const { hill } = await hillFarm()
    const good = JSON.stringify(plot('2', undefined, { name: '\u{1f69c} and a colon: "a":1' }))
    const { body } = await hill.post('plots', `[${damage(JSON.stringify(plot('1')))},${good}]`)
    expect(body).toEqual([refused(containing, 0), ok(1)])
  })

  test.each([
    'universal-data-api-full-sync-id',
    'universal-data-api-full-sync-start',
    'universal-data-api-full-sync-end',
  ])('%s is refused, because what is not in the list would stay', async (header) => {
    const { hill } = await hillFarm()
    const headers = { ...json, [header]: 'true' }
    const answer = await hill.send(plotsPath, { method: 'POST', body: JSON.stringify([plot('1')]), headers })
    expectProblem(answer, 501, '/data/streaming/datasets/plots/resources')
    expect(answer.body['detail']).toContain(header)
    expect((await hill.feed('plots')).items).toEqual([])
  })

  test.each([
    ['blanks around', ' \n[ {} , {} ]\t ', 2],
    ['a byte order mark', '\uFEFF[{}]', 1],
    ['blanks alone', ' [ ] ', 0],
  ])('a list with %s is a list', async (_, body, count) => {
    const { hill } = await hillFarm()
    expect(list((await hill.post('plots', body)).body)).toHaveLength(count)
  })

  test.each([
    ['no JSON', '[{"a":1]', 400],
    ['a comma too many', '[{},]', 400],
    ['two lists', '[{}][{}]', 400],
    ['brackets crossed', '[{"a":[1}]]', 400],
    ['closed by a brace', '[{}}', 400],
    ['an object', '{"plots":[]}', 400],
    ['text after the list', '[] []', 400],
    ['nothing', '', 400],
    ['brackets without end', '['.repeat(200_000), 400],
    ['a list of too many', `[${'1,'.repeat(50_000)}1]`, 413],
    ['deep but complete', `[{"a":${'['.repeat(100)}${']'.repeat(100)}}]`, 400],
    ['text that is not UTF-8', Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]), 400],
  ])('a body that is %s is a problem of the request', async (_, body, status) => {
    const { hill } = await hillFarm()
    const answer = await hill.send(plotsPath, { method: 'POST', body, headers: json })
    expectProblem(answer, status, '/data/streaming/datasets/plots/resources')
  })

  test('a compressed body, a body of another kind, a large one and a slow one get different answers', async () => {
    const { hill } = await hillFarm({ mostBodyBytes: 10_000, bodyTimeoutMs: 50 })
    const status = async (init: RequestInit) => (await hill.send(plotsPath, { method: 'POST', ...init })).status
    const large = `[${' '.repeat(10_000)}]`
    expect(await status({ body: '[]', headers: { ...json, 'Content-Encoding': 'gzip' } })).toBe(415)
    expect(await status({ body: '<xml/>', headers: { 'Content-Type': 'application/xml' } })).toBe(415)
    expect(await status({ body: large, headers: json })).toBe(413)
    const stream = (chunks: readonly string[]) =>
      new ReadableStream({
        async pull(controller) {
          for (const chunk of chunks) controller.enqueue(Buffer.from(chunk))
          await new Promise(() => undefined)
        },
      })
    const streamed = (chunks: readonly string[]) =>
      ({ body: stream(chunks), headers: json, duplex: 'half' }) as RequestInit
    expect(await status(streamed([large, large]))).toBe(413)
    expect(await status(streamed(['[']))).toBe(408)
  })
})

describe('recognising a record', () => {
  test('a replacement keeps id and created, and loses members that it no longer has', async () => {
    const { clock, turn } = stillClock()
    const { hill } = await hillFarm({ clock, tokenLifetimeS: 1e6 })
    await hill.post('plots', [plot('1')])
    const [before] = (await hill.feed('plots')).items
    turn(3600)
    const meta = { ...(plot('1')['meta'] as object), created: '2030-01-01T00:00:00Z', modified: '2026-11-21T00:00:00Z' }
    await hill.post('plots', [plot('1', 'HF-0042', { name: 'Rāhui north', totalArea: undefined, meta })])
    const { items } = await hill.feed('plots')
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({
      id: before!['id'],
      name: 'Rāhui north',
      meta: { created: before!['meta']!['created'] },
    })
    expect(items[0]).not.toHaveProperty('totalArea')
  })

  test('the same record again makes no change, in any order of members and with any blanks', async () => {
    const { hill } = await hillFarm()
    await hill.post('plots', [plot('1', 'HF-0042', { spatialFeature: square(175.4, -38.1) })])
    const { token, items } = await hill.feed('plots')
    const sent = plot('1', 'HF-0042', { spatialFeature: square(175.4, -38.1) })
    const turned = Object.fromEntries(Object.entries(sent).toReversed())
    const meta = Object.fromEntries(Object.entries(sent['meta'] as object).toReversed())
    for (const again of [sent, turned, { ...sent, meta }, items[0], { ...sent, resourceType: '/core/plots' }])
      expect((await hill.post('plots', JSON.stringify([again], undefined, 3))).body).toEqual([ok()])
    expect((await hill.feed('plots', token)).items).toEqual([])
    await hill.post('plots', [{ ...sent, name: 'Other' }])
    expect((await hill.feed('plots', token)).items).toHaveLength(1)
  })

  test('a zero with another sign makes no change', async () => {
    const { hill } = await hillFarm()
    const sent = JSON.stringify([plot('1', 'HF-0042', { totalArea: { measurement: 0, units: 'MTK' } })])
    const signed = sent.replace('"measurement":0', '"measurement":-0.0')
    expect(signed).not.toBe(sent)
    expect((await hill.post('plots', sent)).body).toEqual([ok()])
    const { token } = await hill.feed('plots')
    expect((await hill.post('plots', signed)).body).toEqual([ok()])
    expect((await hill.feed('plots', token)).items).toEqual([])
  })

  test('without a key the source id is the identity; a new key is the same record, with a note to the sender', async () => {
    const { hill } = await hillFarm()
    await hill.post('plots', [plot('1', 'HF-0042', { dataPointKey: undefined })])
    const [first] = (await hill.feed('plots')).items
    expect(first).not.toHaveProperty('dataPointKey')
    const renamed = (await hill.post('plots', [plot('1', 'HF-0042', { dataPointKey: 'new key' })])).body
    expect(renamed).toEqual([{ ...ok(), note: expect.stringContaining('new key') as string }])
    await hill.post('plots', [plot('1', 'HF-0042', { dataPointKey: null, name: 'Third' })])
    const { items } = await hill.feed('plots')
    expect(items).toMatchObject([{ id: first!['id'], dataPointKey: 'new key', name: 'Third' }])
  })

  test('without a source id the key is the identity', async () => {
    const { hill } = await hillFarm()
    const keyed = (name: string) => plot('1', 'HF-0042', { name, meta: { modified: '2026-11-19T20:15:00Z' } })
    for (const name of ['First', 'Second']) expect((await hill.post('plots', [keyed(name)])).body).toEqual([ok()])
    const { items } = await hill.feed('plots')
    expect(items).toMatchObject([{ name: 'Second', dataPointKey: 'HF-0042/1' }])
    expect(items[0]!['meta']).not.toHaveProperty('sourceId')
    const [feature] = list((await hill.get('/ogc/collections/plots/items')).body['features'])
    expect(feature!['properties']!['agriculture']!['meta']!['sourceId']).toEqual([])
  })

  test('one source id cannot belong to two keys', async () => {
    const { hill } = await hillFarm()
    await hill.post('plots', [plot('1'), plot('2')])
    const { body } = await hill.post('plots', [plot('1', 'HF-0042', { meta: plot('2')['meta'] })])
    expect(body).toEqual([refused('HF-0042/2')])
  })

  test('a key of another dataset or another holding is an error, not a move', async () => {
    const { hill } = await hillFarm()
    await hill.post('holdings', [holding('HF-0043')])
    await hill.post('plots', [plot('1')])
    const cover = { ...plot('1'), resourceType: 'landCoverResource' }
    expect((await hill.post('land-covers', [cover])).body).toEqual([refused('another dataset')])
    const moved = plot('1', 'HF-0042', { identifiers: [farmNumber('HF-0043')] })
    expect((await hill.post('plots', [moved])).body).toEqual([refused('another holding')])
    const keyless = { dataPointKey: undefined }
    await hill.post('plots', [plot('2', 'HF-0042', keyless)])
    const sameSource = plot('2', 'HF-0042', { ...keyless, identifiers: [farmNumber('HF-0043')] })
    expect((await hill.post('plots', [sameSource])).body).toEqual([refused('another holding')])
    expect((await hill.feed('land-covers')).items).toEqual([])
  })

  test('one source id on two farms, under their own keys, is two records', async () => {
    const { hill } = await hillFarm()
    await hill.post('holdings', [holding('HF-0043')])
    const meta = plot('7')['meta']
    const { body } = await hill.post('plots', [plot('7', 'HF-0042', { meta }), plot('7', 'HF-0043', { meta })])
    expect(body).toEqual([ok(0), ok(1)])
    expect((await hill.feed('plots')).items).toHaveLength(2)
  })

  test('a plot may name its holding by any of its identifiers, but not two holdings', async () => {
    const { hill } = await hillFarm()
    const second = { scheme: 'nz.example.brand', id: 'HILL' }
    await hill.post('holdings', [
      holding('HF-0042', { identifiers: [farmNumber('HF-0042'), second] }),
      holding('HF-0043'),
    ])
    const named = [{ scheme: 'nz.example.paddock', id: '1' }, second]
    expect((await hill.post('plots', [plot('1', 'HF-0042', { identifiers: named })])).body).toEqual([ok()])
    const both = plot('2', 'HF-0042', { identifiers: [second, farmNumber('HF-0043')] })
    expect((await hill.post('plots', [both])).body).toEqual([refused('more than one')])
  })

  test('a deletion leaves identity and meta, once; posting the record again brings it back', async () => {
    const { hill } = await hillFarm()
    await hill.post('plots', [plot('1'), plot('2')])
    const { token, items } = await hill.feed('plots')
    const meta = { ...(plot('1')['meta'] as object), isDeleted: true }
    expect((await hill.post('plots', [plot('1', 'HF-0042', { meta, identifiers: undefined })])).body).toEqual([ok()])
    const after = await hill.feed('plots', token)
    expect(after.items).toEqual([
      {
        id: items[0]!['id'],
        resourceType: 'plotResource',
        dataPointKey: 'HF-0042/1',
        meta: { ...meta, created: items[0]!['meta']!['created'] },
      },
    ])
    await hill.post('plots', [plot('1', 'HF-0042', { meta })])
    expect((await hill.feed('plots', after.token)).items).toEqual([])
    expect((await hill.get(`/ogc/collections/plots/items/${text(items[0]!['id'])}`)).status).toBe(404)
    await hill.post('plots', [plot('1')])
    const back = (await hill.feed('plots', after.token)).items
    expect(back).toMatchObject([{ id: items[0]!['id'], name: 'Pātiki 1', meta: { isDeleted: false } }])
  })
})

describe('holdings', () => {
  test('a holding of another account is neither read nor written, by key, identifier or plot', async () => {
    const { service, hill } = await hillFarm()
    const rimu = await signIn(service, 'rimu')
    await hill.post('plots', [plot('1')])
    for (const dataset of ['holdings', 'plots']) expect((await rimu.feed(dataset)).items).toEqual([])
    const own = (more: object) => [holding('RF-1', more as Record<string, unknown>)]
    const taken = await rimu.post('holdings', own({ identifiers: [farmNumber('HF-0042')] }))
    expect(taken.body).toEqual([refused('of another account')])
    expect((await rimu.post('holdings', own({ dataPointKey: 'holdings/HF-0042' }))).body).toEqual([
      refused('of another account'),
    ])
    const unknown = await rimu.post('plots', [plot('9', 'XX-9999')])
    const foreign = await rimu.post('plots', [plot('9', 'HF-0042')])
    expect(foreign.body).toEqual([refused('HF-0042')])
    const sentence = (answer: Answer) => text(list(answer.body)[0]!['error']).replaceAll(/XX-9999|HF-0042/g, '')
    expect(sentence(foreign)).toBe(sentence(unknown))
    const deletion = plot('1', 'HF-0042', {
      meta: { ...(plot('1')['meta'] as object), isDeleted: true },
      identifiers: [],
    })
    expect((await rimu.post('plots', [deletion])).body).toEqual([refused('names no holding')])
    expect((await hill.feed('plots')).items).toHaveLength(1)
    expect(list((await hill.get('/data/streaming/control')).body)[0]!['identifiers']).toEqual([farmNumber('HF-0042')])
  })

  test('a holding under another key is recognised by its identifier', async () => {
    const { hill } = await hillFarm()
    const again = holding('HF-0042', {
      dataPointKey: 'x',
      meta: { sourceId: { scheme: 's', id: 'x' }, modified: '2026-11-20T00:00:00Z' },
    })
    expect((await hill.post('holdings', [again])).body).toMatchObject([{ successful: true, note: expect.any(String) }])
    expect((await hill.feed('holdings')).items).toMatchObject([{ dataPointKey: 'x' }])
    const two = holding('HF-0044', { identifiers: [farmNumber('HF-0042'), farmNumber('HF-0043')] })
    await hill.post('holdings', [holding('HF-0043')])
    expect((await hill.post('holdings', [two])).body).toEqual([refused('two of your holdings')])
    expect((await hill.post('holdings', [holding('HF-0045', { identifiers: [] })])).body).toEqual([
      refused('identifier'),
    ])
  })

  test('a holding with plots is not deleted; an empty one is, and accepts no more plots', async () => {
    const { hill } = await hillFarm()
    await hill.post('plots', [plot('1')])
    const gone = { isDeleted: true }
    const deletion = holding('HF-0042', { meta: { ...(holding('HF-0042')['meta'] as object), ...gone } })
    expect((await hill.post('holdings', [deletion])).body).toEqual([refused('plots (1)')])
    await hill.post('plots', [plot('1', 'HF-0042', { meta: { ...(plot('1')['meta'] as object), ...gone } })])
    expect((await hill.post('holdings', [deletion])).body).toEqual([ok()])
    expect((await hill.get('/data/streaming/control')).status).toBe(404)
    expect((await hill.post('plots', [plot('2')])).body).toEqual([refused('HF-0042')])
  })

  test('an account that the configuration connects reads older records too, and owns holdings reserved for it', async () => {
    const store = storePlace()
    const before = await hillFarm({ store })
    const rimuBefore = await signIn(before.service, 'rimu')
    await before.hill.post('plots', [plot('1')])
    const { token } = await rimuBefore.feed('plots')
    before.service.close()
    const accounts = [
      accountConfig('hill'),
      accountConfig('rimu', { holdings: [farmNumber('HF-0042'), farmNumber('RF-1')] }),
    ]
    const service = openService({ store, random: steadyRandom('meanwhile'), accounts: { accounts } })
    const [hill, rimu] = [await signIn(service), await signIn(service, 'rimu')]
    expect((await rimu.feed('plots', token)).items).toHaveLength(1)
    expect((await rimu.post('plots', [plot('2')])).body).toEqual([ok()])
    expect((await hill.post('holdings', [holding('RF-1')])).body).toEqual([refused('of another account')])
    expect((await rimu.post('holdings', [holding('RF-1')])).body).toEqual([ok()])
    service.close()
    const later = openService({ store, random: steadyRandom('later') })
    const after = await signIn(later, 'rimu')
    expect((await after.feed('plots')).items).toEqual([])
    expect((await after.feed('holdings')).items).toMatchObject([{ name: 'Farm RF-1' }])
    later.close()
  })
})

describe('the feed of changes', () => {
  test('pages by token to an empty page whose token works later', async () => {
    const { hill } = await hillFarm()
    await hill.post(
      'plots',
      ['1', '2', '3'].map((key) => plot(key)),
    )
    const page = async (since?: string) => {
      const query = new URLSearchParams({ limit: '2', ...(since === undefined ? {} : { since }) })
      return list((await hill.get(`/data/streaming/datasets/plots/changes?${query.toString()}`)).body)
    }
    const first = await page()
    expect(first[0]).toEqual({ id: '@context', description: 'plots' })
    expect(first.map(({ name }) => name).slice(1, -1)).toEqual(['Pātiki 1', 'Pātiki 2'])
    const second = await page(text(first.at(-1)!['token']))
    expect(second).toHaveLength(3)
    const third = await page(text(second.at(-1)!['token']))
    expect(third).toEqual([first[0], { id: '@continuation', token: second.at(-1)!['token'] }])
    await hill.post('plots', [plot('1', 'HF-0042', { name: 'New' })])
    expect(await page(text(third.at(-1)!['token']))).toMatchObject([{}, { name: 'New' }, {}])
  })

  test('limits start at 1 and stop at 10000; other parameters are refused', async () => {
    const { hill } = await hillFarm()
    const status = async (query: string) => (await hill.get(`/data/streaming/datasets/plots/changes?${query}`)).status
    expect(await status('limit=99999999')).toBe(200)
    for (const query of ['limit=0', 'limit=-1', 'limit=ten', 'limit=1.5', 'limit=', 'limit=1&limit=2', 'sinse=x'])
      expect([query, await status(query)]).toEqual([query, 400])
  })

  test('a forged token, one of another dataset and one with a bit changed are refused', async () => {
    const { hill } = await hillFarm()
    await hill.post('plots', [plot('1')])
    const { token } = await hill.feed('plots')
    const foreign = (await hill.feed('holdings')).token
    const text = Buffer.from(token, 'base64').toString()
    const raised = Buffer.from(text.replace(/\|(\d+)\|/, '|0|')).toString('base64')
    for (const since of ['Zm9yZ2Vk', '', "' OR 1=1 --", foreign, raised, token.slice(0, -6)]) {
      const path = '/data/streaming/datasets/plots/changes'
      expectProblem(await hill.get(`${path}?since=${encodeURIComponent(since)}`), 400, path)
    }
  })

  test('a token of a reset or restored store starts the reader over, with an empty page', async () => {
    const one = await hillFarm()
    await one.hill.post('plots', [plot('1'), plot('2')])
    const { token } = await one.hill.feed('plots')
    const other = await hillFarm({ random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)) })
    const restored = await hillFarm()
    for (const { hill } of [other, restored]) {
      const answer = await hill.feed('plots', token)
      expect(answer.headers.get('universal-data-api-fullsync')).toBe('true')
      expect(answer.items).toEqual([])
      await hill.post('plots', [plot('1')])
      const next = await hill.feed('plots', answer.token)
      expect(next.items).toHaveLength(1)
      expect(next.headers.has('universal-data-api-fullsync')).toBe(false)
    }
  })
})

describe('the store', () => {
  test('restored from a copy, starts readers of later changes over, also after others have changed as much', async () => {
    const folder = folderWith({})
    const [store, copy] = [join(folder, 'live.db'), join(folder, 'copy.db')]
    const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes))
    const { service, hill } = await hillFarm({ store, random })
    await hill.post('plots', [plot('1')])
    const before = (await hill.feed('plots')).token
    service.close()
    copyFileSync(store, copy)
    const live = openService({ store, random })
    await speaker(live, hill.token).post('plots', [plot('2')])
    const later = (await speaker(live, hill.token).feed('plots', before)).token
    live.close()
    const restored = openService({ store: copy, random })
    const reader = speaker(restored, hill.token)
    await reader.post('plots', [plot('3'), plot('4')])
    expect((await reader.feed('plots', before)).items).toHaveLength(2)
    const { items, headers } = await reader.feed('plots', later)
    expect(items).toEqual([])
    expect(headers.get('universal-data-api-fullsync')).toBe('true')
    restored.close()
  })

  test('keeps everything over a restart, and only one process can open it', async () => {
    const store = storePlace()
    const { service, hill } = await hillFarm({ store })
    await hill.post('plots', [plot('1')])
    const { token } = await hill.feed('plots')
    expect(() => openService({ store })).toThrow(WindrowError)
    service.close()
    const again = openService({ store })
    const later = speaker(again, hill.token)
    expect((await later.feed('plots', token)).items).toEqual([])
    await later.post('plots', [plot('2')])
    expect((await later.feed('plots', token)).items).toHaveLength(1)
    again.close()
  })

  test('of another windrow is refused with what to do, and left alone', async () => {
    const store = storePlace()
    openService({ store }).close()
    const version = (): unknown => {
      using database = new DatabaseSync(store)
      return database.prepare('PRAGMA user_version').get()!['user_version']
    }
    const own = Number(version())
    for (const other of [own - 1, own + 1]) {
      const database = new DatabaseSync(store)
      database.exec(`PRAGMA user_version = ${other}`)
      database.close()
      expect(() => openService({ store })).toThrow(
        expect.objectContaining({
          code: 'state-unreadable',
          exit: 2,
          message: `The store "${store}" has the tables of another windrow (version ${other}; this windrow has ${own}).`,
          hint: expect.stringContaining('Move the file away') as string,
        }) as Error,
      )
      expect(version()).toBe(other)
    }
  })

  test('a failure in the middle of a list stores nothing, shows no detail to the caller and is reported', async () => {
    const faults: unknown[] = []
    const { clock } = stillClock()
    let left = Infinity
    const { hill } = await hillFarm({
      clock: () => {
        if ((left -= 1) < 0) throw new Error('the clock stopped at /home/somebody')
        return clock()
      },
      onFault: (cause) => void faults.push(cause),
    })
    // The clock is read for the token, for the list, and for the id of each new record.
    left = 3
    const answer = await hill.post('plots', [plot('1'), plot('2')])
    left = Infinity
    expectProblem(answer, 500, '/data/streaming/datasets/plots/resources')
    expect(JSON.stringify(answer.body)).not.toContain('somebody')
    expect(faults).toHaveLength(1)
    expect((await hill.feed('plots')).items).toEqual([])
  })
})
