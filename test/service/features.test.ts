import { describe, expect, test } from 'vitest'
import {
  base,
  farmNumber,
  hillFarmOnSocket as hillFarm,
  holding,
  list,
  openService,
  plot,
  signIn,
  speaker,
  storePlace,
  square,
  stillClock,
  type Answer,
  type Tree,
  text,
} from './hill-farm.ts'

const plots = '/ogc/collections/plots'
const geoJson = 'application/geo+json'

/** Hill Farm with three plots: two with a boundary, far from each other, and one without. */
async function threePlots() {
  const world = await hillFarm()
  await world.hill.post('plots', [
    plot('007', 'HF-0042', { name: 'Rāhui', spatialFeature: square(175.401, -38.101) }),
    plot('008', 'HF-0042', { name: 'Creek flat', spatialFeature: square(175.5, -38.2) }),
    plot('009', 'HF-0042', { name: 'Bull paddock' }),
  ])
  const [farm] = list((await world.hill.get('/ogc/collections/holdings/items')).body['features'])
  return { ...world, farm: text(farm!['id']) }
}

const names = (answer: Answer): readonly unknown[] =>
  list(answer.body['features']).map((feature) => feature['properties']!['agriculture']!['name'])
const link = (document: Tree, rel: string): string | undefined =>
  list(document['links']).find((each) => text(each['rel']) === rel)?.['href'] as string | undefined

describe('documents', () => {
  test('every link of the landing page and of the collections works and has the stated type', async () => {
    const { hill, farm } = await threePlots()
    for (const start of ['/ogc', '/ogc/', '/ogc/collections', `/ogc/collections/holdings/${farm}/collections`]) {
      const { body, status } = await hill.get(start)
      expect(status).toBe(200)
      const documents = [body, ...(body['collections'] === undefined ? [] : list(body['collections']))]
      for (const { href, type } of documents.flatMap((document) => list(document['links']))) {
        const answer = await hill.get(text(href))
        expect([href, answer.status, answer.headers.get('content-type')?.replace('; charset=utf-8', '')]).toEqual([
          href,
          200,
          type,
        ])
      }
    }
    const { body } = await hill.get('/ogc')
    expect(link(body, 'data')).toBe(`${base}/ogc/collections`)
    expect(link(body, 'service-desc')).toBe(`${base}/ogc/api`)
  })

  test('collections come under both names, each with an absolute items link of exactly the GeoJSON type', async () => {
    const { hill, farm } = await threePlots()
    const all = (await hill.get('/ogc/collections')).body
    expect(list(all['collections']).map(({ id, itemCount }) => [id, itemCount])).toEqual([
      ['holdings', 1],
      ['plots', 3],
      ['land-covers', 0],
    ])
    expect(all['items']).toEqual(all['collections'])
    const nested = (await hill.get(`/ogc/collections/holdings/${farm}/collections`)).body
    expect(list(nested['collections']).map(({ id }) => id)).toEqual(['plots', 'land-covers'])
    const items = {
      rel: 'items',
      type: geoJson,
      href: `${base}/ogc/collections/holdings/${farm}/collections/plots/items`,
    }
    expect(list(nested['collections'])[0]!['links']).toContainEqual(expect.objectContaining(items))
    const one = await hill.get(`/ogc/collections/holdings/${farm}/collections/plots`)
    expect(one.body).toEqual(list(nested['collections'])[0])
  })

  test('the API document refers to the page limits and lists exactly the paths that answer', async () => {
    const { hill, farm } = await threePlots()
    const { body } = await hill.get('/ogc/api')
    const paths = body['paths'] as unknown as Record<string, Tree>
    expect(list(body['servers'])).toEqual([{ url: `${base}/ogc` }])
    expect(body['components']!['parameters']!['limit']!['schema']).toMatchObject({ default: 10, maximum: 10_000 })
    expect(list(paths['/collections/plots/items']!['get']!['parameters'])).toContainEqual({
      $ref: '#/components/parameters/limit',
    })
    const [first] = list((await hill.get(`${plots}/items`)).body['features'])
    expect(Object.keys(paths)).toHaveLength(21)
    for (const path of Object.keys(paths)) {
      const id = path.includes('/holdings/items/') ? farm : path.includes('land-covers') ? 'none' : text(first!['id'])
      const { status } = await hill.get(`/ogc${path.replace('{holdingId}', farm).replace('{id}', id)}`)
      expect([path, status]).toEqual([path, id === 'none' && path.endsWith('{id}') ? 404 : 200])
    }
    for (const [, name] of JSON.stringify(paths).matchAll(/#\/components\/parameters\/(\w+)/g))
      expect(body['components']!['parameters']).toHaveProperty(name!)
  })
})

describe('lists of features', () => {
  test('pages by next to the end, with all parameters, each feature once, those with a geometry first, in the order of creation', async () => {
    const { hill } = await threePlots()
    let address: string | undefined = `${base}${plots}/items?bbox=170,-40,180,-30&limit=1&f=json`
    const seen: unknown[] = []
    const addresses: string[] = []
    while (address !== undefined) {
      addresses.push(address)
      const answer: Answer = await hill.get(address)
      expect(answer.headers.get('content-type')).toBe(geoJson)
      expect(answer.body).toMatchObject({ type: 'FeatureCollection', numberMatched: 3, numberReturned: 1 })
      expect(link(answer.body, 'self')).toBe(address)
      seen.push(...names(answer))
      address = link(answer.body, 'next')
    }
    expect(seen).toEqual(['Rāhui', 'Creek flat', 'Bull paddock'])
    const repeated = `${base}${plots}/items?bbox=170,-40,180,-30&limit=1&f=json`
    expect(addresses[2]!.replace(/after=[\d.]+$/, '')).toBe(`${repeated}&`)
    for (const address of [addresses[2]!, `${repeated}&offset=2`])
      expect(link((await hill.get(address)).body, 'prev')).toBe(`${repeated}&offset=1`)
    for (const offset of ['3', '99999999999999999999'])
      expect((await hill.get(`${plots}/items?offset=${offset}`)).body).toMatchObject({
        numberMatched: 3,
        numberReturned: 0,
      })
  })

  test('a change moves no feature to another page; a deletion removes it', async () => {
    const { hill } = await threePlots()
    await hill.post('plots', [
      plot('007', 'HF-0042', { name: 'Rāhui north', spatialFeature: square(175.402, -38.101) }),
    ])
    expect(names(await hill.get(`${plots}/items`))).toEqual(['Rāhui north', 'Creek flat', 'Bull paddock'])
    await hill.post('plots', [
      plot('008', 'HF-0042', { meta: { ...(plot('008')['meta'] as object), isDeleted: true } }),
    ])
    const answer = await hill.get(`${plots}/items`)
    expect(names(answer)).toEqual(['Rāhui north', 'Bull paddock'])
    expect(answer.body['numberMatched']).toBe(2)
  })

  test.each([
    ['what it touches at an edge', '175.4,-38.11,175.401,-38.1', ['Rāhui', 'Bull paddock']],
    ['nothing a metre away', '175.4,-38.11,175.40099,-38.1', ['Bull paddock']],
    ['what holds it inside', '175.4019,-38.1005,175.402,-38.1', ['Rāhui', 'Bull paddock']],
    ['all in between heights', '175,-39,0,176,-38,100', ['Rāhui', 'Creek flat', 'Bull paddock']],
    ['what lies across the 180th meridian', '175.45,-39,-175,-38', ['Creek flat', 'Bull paddock']],
  ])('a box selects %s, and always what has no location', async (_, box, expected) => {
    const { hill } = await threePlots()
    const answer = await hill.get(`${plots}/items?bbox=${box}`)
    expect(names(answer)).toEqual(expected)
    expect(answer.body['numberMatched']).toBe(expected.length)
  })

  test('a box in the empty corner of a triangle does not touch it, on any page', async () => {
    const { hill } = await hillFarm()
    const coordinates = [
      [
        [175, -38],
        [175.1, -38],
        [175, -37.9],
        [175, -38],
      ],
    ]
    const spatialFeature = { type: 'Feature', geometry: { type: 'Polygon', coordinates }, properties: {} }
    await hill.post('plots', [
      plot('1', 'HF-0042', { spatialFeature }),
      plot('2', 'HF-0042', { spatialFeature: square(175.08, -37.92) }),
    ])
    const corner = (await hill.get(`${plots}/items?bbox=175.07,-37.93,175.1,-37.9&limit=1`)).body
    expect([corner['numberMatched'], link(corner, 'next')]).toEqual([1, undefined])
    expect((await hill.get(`${plots}/items?bbox=175.04,-37.97,175.1,-37.9`)).body['numberMatched']).toBe(2)
  })

  test.each([
    ['east of it', '179.9,-39,180,-38'],
    ['west of it', '-180,-39,-179.9,-38'],
    ['across it', '179.99,-39,-179.99,-38'],
    ['counted on beyond it', '179.99,-39,180.5,-38'],
    ['counted back beyond it', '-180.5,-39,-179.99,-38'],
  ])(
    'a boundary on both sides of the 180th meridian is found by a box %s, and not by one on the other side',
    async (_, box) => {
      const { hill } = await hillFarm()
      const parts = [square(179.998, -38.1), square(-180, -38.1)].map(({ geometry }) => geometry.coordinates)
      const spatialFeature = { type: 'Feature', geometry: { type: 'MultiPolygon', coordinates: parts }, properties: {} }
      expect((await hill.post('plots', [plot('1', 'HF-0042', { spatialFeature })])).body).toMatchObject([
        { successful: true },
      ])
      expect((await hill.get(`${plots}/items?bbox=${box}`)).body['numberMatched']).toBe(1)
      expect((await hill.get(`${plots}/items?bbox=10,-39,100,-38`)).body['numberMatched']).toBe(0)
      const moved = plot('1', 'HF-0042', { spatialFeature: square(20, -38.1) })
      await hill.post('plots', [moved])
      expect((await hill.get(`${plots}/items?bbox=${box}`)).body['numberMatched']).toBe(0)
    },
  )

  test.each([
    ['2026-03-01T00:00:00Z', ['always', 'until May', 'from February']],
    ['2026-06-01T00:00:00Z', ['always', 'from February']],
    ['../2026-01-31T10:59:59Z', ['always', 'until May']],
    ['../2026-01-31T11:00:00Z', ['always', 'until May', 'from February']],
    ['2026-05-31/..', ['always', 'until May', 'from February']],
    ['2026-06-01/', ['always', 'from February']],
    ['2025-01-01T00:00:00Z/2025-12-31T23:59:59+13:00', ['always', 'until May']],
  ])('datetime=%s selects what is valid then, and what says nothing of its time', async (datetime, expected) => {
    const { hill } = await hillFarm()
    const valid = (name: string, times: object) =>
      plot(name, 'HF-0042', { name, meta: { ...(plot(name)['meta'] as object), ...times } })
    await hill.post('plots', [
      valid('always', {}),
      valid('until May', { validTo: '2026-05-31T23:59:59.9999999Z' }),
      valid('from February', { validFrom: '2026-02-01T00:00:00+13:00' }),
    ])
    const answer = await hill.get(`${plots}/items?datetime=${datetime}`)
    expect(names(answer)).toEqual(expected)
    expect(answer.body['numberMatched']).toBe(expected.length)
  })

  test.each([
    ['small letters', '2026-05-31t23:59:59z', '2026-05-31T23:59:59Z', '2026-06-01T00:00:00Z'],
    ['a leap second', '2016-12-31T23:59:60Z', '2016-12-31T23:59:59Z', '2017-01-01T00:00:00Z'],
    ['any millisecond', '2038-04-06T14:55:11.746Z', '2038-04-06T14:55:11.746Z', '2038-04-06T14:55:11.747Z'],
    ['parts of a millisecond', '2026-05-31T23:59:59.9999Z', '2026-05-31T23:59:59.9999Z', '2026-06-01T00:00:00Z'],
  ])('the end of a record with %s is its last moment', async (_, validTo, last, after) => {
    const { hill } = await hillFarm()
    await hill.post('plots', [plot('1', 'HF-0042', { meta: { ...(plot('1')['meta'] as object), validTo } })])
    const matched = async (datetime: string) =>
      (await hill.get(`${plots}/items?datetime=${datetime}`)).body['numberMatched']
    expect([await matched(last), await matched(after)]).toEqual([1, 0])
  })

  test('a box finds what changed since the last request', async () => {
    const { hill } = await threePlots()
    const box = `${plots}/items?bbox=175.4,-38.11,175.41,-38.09`
    expect(names(await hill.get(box))).toEqual(['Rāhui', 'Bull paddock'])
    const deleted = { meta: { ...(plot('007')['meta'] as object), isDeleted: true } }
    await hill.post('plots', [
      plot('007', 'HF-0042', deleted),
      plot('008', 'HF-0042', { name: 'Moved', spatialFeature: square(175.405, -38.1) }),
      plot('009', 'HF-0042', { name: 'Placed', spatialFeature: square(10, 50) }),
    ])
    expect(names(await hill.get(box))).toEqual(['Moved'])
  })

  test('a box finds what was stored after a failure and a restart', async () => {
    const store = storePlace()
    let left = Infinity
    const { clock } = stillClock()
    const failing = (): Date => {
      if ((left -= 1) < 0) throw new Error('the clock stopped')
      return clock()
    }
    const { service, hill } = await hillFarm({ store, clock: failing })
    const places = ['1', '2', '3'].map((key) => plot(key, 'HF-0042', { spatialFeature: square(175.4, -38.1) }))
    await hill.post('plots', places.slice(0, 1))
    left = 3
    expect((await hill.post('plots', places.slice(1))).status).toBe(500)
    left = Infinity
    const box = `${plots}/items?bbox=175,-39,176,-38`
    expect((await hill.get(box)).body['numberMatched']).toBe(1)
    service.close()
    const again = openService({ store })
    const later = speaker(again, hill.token)
    await later.post('plots', places)
    expect((await later.get(box)).body['numberMatched']).toBe(3)
    again.close()
  })

  test.each([
    'limit=0',
    'limit=many',
    'limit=1&limit=2',
    'offset=-1',
    'limt=500',
    'bbox=1,2,3',
    'bbox=1,2,3,x',
    'bbox=1,9,3,4',
    'bbox=1,2,3,0x10',
    'f=html',
    'profile=round',
    'datetime=yesterday',
    'datetime=../..',
    'datetime=2026-02-30',
    'datetime=2026-03-01/2026-02-01',
    'datetime=2026-01-01/2026-02-01/2026-03-01',
    `bbox=${"1,2,3,4');DROP TABLE records;--"}`,
  ])('%s is a mistake that is said', async (query) => {
    const { hill } = await threePlots()
    const answer = await hill.get(`${plots}/items?${query}`)
    expect(answer.status).toBe(400)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer.body).toMatchObject({ status: 400, instance: `${plots}/items` })
    expect((await hill.get(`${plots}/items`)).body['numberMatched']).toBe(3)
  })

  test('the limit is ten by default, and ten thousand at most', async () => {
    const { hill } = await hillFarm()
    const keys = Array.from({ length: 12 }, (_, index) => String(index))
    await hill.post(
      'plots',
      keys.map((key) => plot(key)),
    )
    expect((await hill.get(`${plots}/items`)).body['numberReturned']).toBe(10)
    expect((await hill.get(`${plots}/items?limit=1000000`)).body['numberReturned']).toBe(12)
  })
})

describe('the flat profile', () => {
  test('has the columns of the whole collection on every page, text kept as text', async () => {
    const { hill, farm } = await threePlots()
    const crops = [{ name: 'Lucerne', establishmentDate: '2026-09-03T00:00:00+12:00' }]
    await hill.post('plots', [plot('010', 'HF-0042', { crops, totalArea: { measurement: 5000, units: 'MTK' } })])
    for (const path of [plots, `/ogc/collections/holdings/${farm}/collections/plots`]) {
      const [first, last] = await Promise.all(
        [0, 3].map((offset) => hill.get(`${path}/items?profile=flat&limit=1&offset=${offset}`)),
      )
      const [one, other] = [first!, last!].map(
        ({ body }) => list(body['features'])[0]!['properties'] as unknown as Record<string, unknown>,
      )
      expect(Object.keys(one!)).toEqual(Object.keys(other!))
      expect(one).toMatchObject({
        Name: 'Rāhui',
        'Total area (ha)': 1.85,
        'Crop 1 name': null,
        'Data point key': 'HF-0042/007',
      })
      expect(other).toMatchObject({ 'Total area (ha)': 0.5, 'Crop 1 name': 'Lucerne', Deleted: false })
      expect(other!['Source id (nz.example.HF-0042.paddock)']).toBe('010')
      expect(link(first!.body, 'next')).toContain('profile=flat')
      for (const name of ['id', 'Id', 'Self', 'agriculture']) expect(one).not.toHaveProperty(name)
    }
  })

  test('is the same for one feature, which keeps id, geometry and links', async () => {
    const { hill } = await threePlots()
    const [listed] = list((await hill.get(`${plots}/items?profile=flat`)).body['features'])
    const { body } = await hill.get(`${plots}/items/${text(listed!['id'])}?profile=flat`)
    expect(body).toEqual(listed)
    const whole = (await hill.get(`${plots}/items/${text(listed!['id'])}?profile=record`)).body
    expect({ ...body, properties: null }).toEqual({ ...whole, properties: null })
  })

  test('follows changes, separately for each caller', async () => {
    const { service, hill } = await threePlots()
    const rimu = await signIn(service, 'rimu')
    await rimu.post('holdings', [holding('RF-1')])
    await rimu.post('plots', [plot('1', 'RF-1', { odd: 'x' })])
    const columns = async (who: typeof hill) =>
      Object.keys(list((await who.get(`${plots}/items?profile=flat`)).body['features'])[0]!['properties']!)
    expect(await columns(rimu)).toContain('Odd')
    expect(await columns(hill)).not.toContain('Odd')
    await hill.post('plots', [plot('007', 'HF-0042', { odd: 'y' })])
    expect(await columns(hill)).toContain('Odd')
  })
})

describe('a root for one holding', () => {
  test('has every address that a client builds by itself, for that holding alone', async () => {
    const { hill, farm } = await threePlots()
    await hill.post('holdings', [holding('HF-0043')])
    await hill.post('plots', [plot('x', 'HF-0043')])
    const root = `${base}/ogc/farms/${farm}`
    const landing = (await hill.get(root)).body
    expect(landing['title']).toBe('Farm records of Hill Farm')
    expect(link(landing, 'data')).toBe(`${root}/collections`)
    const api = (await hill.get(link(landing, 'service-desc')!)).body
    expect(list(api['servers'])).toEqual([{ url: root }])
    for (const path of Object.keys(api['paths']!).filter((each) => !each.includes('{')))
      expect([path, (await hill.get(root + path)).status]).toEqual([path, 200])
    const items = await hill.get(`${root}/collections/plots/items?limit=2`)
    expect(items.body).toMatchObject({ numberMatched: 3, numberReturned: 2 })
    expect(link(items.body, 'next')).toMatch(new RegExp(`^${root}/collections/plots/items\\?limit=2&after=[\\d.]+$`))
    const [feature] = list(items.body['features'])
    expect((await hill.get(`${root}/collections/plots/items/${text(feature!['id'])}`)).body).toEqual(feature)
    expect((await hill.get(`${root}/collections/holdings`)).status).toBe(404)
  })

  test.each([{ name: undefined }, { name: null }])('works for a holding without a name: %j', async (more) => {
    const { hill } = await hillFarm()
    await hill.post('holdings', [holding('HF-0043', more)])
    const [, second] = list((await hill.get('/ogc/collections/holdings/items')).body['features'])
    const landing = (await hill.get(link(second!, 'service')!)).body
    expect(landing['title']).toBe('Farm records of a holding')
  })

  test('is linked from the holding, and is 404 for another account', async () => {
    const { service, hill, farm } = await threePlots()
    const { body } = await hill.get(`/ogc/collections/holdings/items/${farm}`)
    expect((await hill.get(link(body, 'service')!)).status).toBe(200)
    expect((await speaker(service).get(`/ogc/farms/${farm}`)).status).toBe(404)
  })

  test('has a description for people', async () => {
    const { hill } = await hillFarm()
    const page = await hill.send('/ogc/api.html')
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  })
})

describe('a feature', () => {
  test('contains the record as it was sent, its source ids as a list, its addresses and its holding', async () => {
    const { hill, farm } = await hillFarm().then(async (world) => {
      const [feature] = list((await world.hill.get('/ogc/collections/holdings/items')).body['features'])
      return { ...world, farm: text(feature!['id']) }
    })
    const spatialFeature = square(175.401, -38.101)
    const crops = [{ name: 'Lucerne', establishmentDate: '2026-09-03T00:00:00.1234567+12:00' }]
    const relation = { relationship: 'other', related: 'https://hillfarm.example/x' }
    const sent = plot('007', 'HF-0042', { spatialFeature, crops, links: [relation], odd: { ā: 1 } })
    await hill.post('plots', [sent])
    const [listed] = list((await hill.get(`${plots}/items`)).body['features'])
    const id = text(listed!['id'])
    const { body, headers } = await hill.get(`${plots}/items/${id}`)
    expect(headers.get('content-type')).toBe(geoJson)
    expect(body).toEqual(listed)
    const { dataPointKey: _, meta, ...rest } = sent as { dataPointKey: string; meta: { sourceId: object } }
    expect(body).toMatchObject({
      type: 'Feature',
      id,
      geometry: spatialFeature.geometry,
      properties: {
        agriculture: {
          ...rest,
          id,
          self: `${base}${plots}/items/${id}`,
          meta: { ...meta, sourceId: [meta.sourceId], isDeleted: false },
          links: [
            relation,
            {
              relationship: 'holding',
              contentType: 'holding',
              related: `${base}/ogc/collections/holdings/items/${farm}`,
            },
          ],
        },
      },
    })
    expect(link(body, 'self')).toBe(`${base}${plots}/items/${id}`)
    expect(link(body, 'collection')).toBe(`${base}${plots}`)
  })

  test.each([
    ['no spatial feature', {}],
    ['a spatial feature without geometry', { spatialFeature: { type: 'Feature', geometry: null, properties: {} } }],
    ['a spatial feature that is null', { spatialFeature: null }],
  ])('with %s has a null geometry', async (_, more) => {
    const { hill } = await hillFarm()
    expect((await hill.post('plots', [plot('1', 'HF-0042', more)])).body).toMatchObject([{ successful: true }])
    const { body } = await hill.get(`${plots}/items?bbox=0,0,1,1`)
    expect(body).toMatchObject({ numberReturned: 1, features: [{ geometry: null }] })
  })

  test('of another holding is not there under this one, nor in its list', async () => {
    const { hill, farm } = await threePlots()
    await hill.post('holdings', [holding('HF-0043')])
    await hill.post('plots', [plot('x', 'HF-0043')])
    const all = list((await hill.get(`${plots}/items`)).body['features'])
    const nested = `/ogc/collections/holdings/${farm}/collections/plots/items`
    expect(names(await hill.get(nested))).toEqual(['Rāhui', 'Creek flat', 'Bull paddock'])
    expect((await hill.get(`${nested}/${text(all[0]!['id'])}`)).status).toBe(200)
    for (const path of [
      `${nested}/${text(all[3]!['id'])}`,
      `${plots}/items/${farm}`,
      `${nested}/%E0%A4%A`,
      `${nested}/'--`,
    ]) {
      const answer = await hill.get(path)
      expect([path, answer.status]).toEqual([path, 404])
    }
  })

  test('is there only for callers that may see it; without a token everything is empty, with a bad one 401', async () => {
    const { service, hill, farm } = await threePlots()
    const rimu = await signIn(service, 'rimu')
    const [feature] = list((await hill.get(`${plots}/items`)).body['features'])
    for (const stranger of [rimu, speaker(service)]) {
      expect((await stranger.get('/ogc')).status).toBe(200)
      expect((await stranger.get(`${plots}/items`)).body).toMatchObject({ numberMatched: 0, features: [] })
      expect((await stranger.get(`${plots}/items/${text(feature!['id'])}`)).status).toBe(404)
      expect((await stranger.get(`/ogc/collections/holdings/${farm}/collections`)).status).toBe(404)
      expect((await stranger.get(`/ogc/collections/holdings/${farm}/collections/plots/items`)).status).toBe(404)
    }
    expect((await speaker(service, 'bad').get(`${plots}/items`)).status).toBe(401)
  })

  test('of a holding leads to the collections of that holding', async () => {
    const { hill } = await threePlots()
    const { body } = await hill.get('/ogc/collections/holdings/items')
    const [farm] = list(body['features'])
    expect(farm!['properties']!['agriculture']).toMatchObject({
      resourceType: 'holdingResource',
      identifiers: [farmNumber('HF-0042')],
    })
    expect((await hill.get(link(farm!, 'data')!)).body['collections']).toHaveLength(2)
  })
})

describe('addresses', () => {
  test.each([
    ['GET', '/', 404],
    ['GET', '/ogc/collections/tractors', 404],
    ['GET', '/ogc/collections/holdings/x/collections/holdings', 404],
    ['GET', '/ogc/collections/plots/items/x/y', 404],
    ['GET', '/ogc/collections/plots/items/%00', 404],
    ['GET', '/favicon.ico', 404],
    ['POST', '/ogc/collections/plots/items', 405],
    ['DELETE', '/data/streaming/datasets/plots', 405],
    ['GET', '/data/streaming/datasets/plots/resources', 405],
    ['GET', '/auth/realms/windrow/protocol/openid-connect/token', 405],
  ])('%s %s is %i, as problem details', async (method, path, status) => {
    const { hill } = await hillFarm()
    const answer = await hill.send(path, { method })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer.body).toMatchObject({ status, instance: path, detail: expect.any(String) })
    if (status === 405) expect(answer.headers.get('allow')).toMatch(/GET|POST/)
  })

  test('HEAD answers like GET, without the body', async () => {
    const { hill } = await hillFarm()
    const answer = await hill.send('/ogc', { method: 'HEAD' })
    expect([answer.status, answer.body]).toEqual([200, {}])
  })
})
