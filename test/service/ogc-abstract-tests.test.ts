/** Runs the abstract tests of OGC API Features Part 1 (core, GeoJSON, OpenAPI 3.0), each under its name, against a service on a socket. */

import { existsSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serve, type Served } from '../../src/service/serve.ts'
import { hillFarm, list, plot, square, stillClock, text, type Tree } from './hill-farm.ts'

const clock = stillClock()
const now = '2026-11-20T00:00:00.000Z'
let served: Served
let token: string
let farm: string

/** Hill Farm: twelve plots, ten of them in a row with a boundary, one valid until May only; and a land cover. */
beforeAll(async () => {
  const { service, hill } = await hillFarm({ clock: clock.clock })
  const past = { meta: { ...(plot('11')['meta'] as object), validTo: '2026-05-31T00:00:00Z' } }
  const plots = Array.from({ length: 12 }, (_, index) =>
    plot(String(index), 'HF-0042', {
      ...(index < 10 ? { spatialFeature: square(175 + index / 10, -38.1) } : {}),
      ...(index === 11 ? past : {}),
    }),
  )
  await hill.post('plots', plots)
  const cover = { resourceType: 'landCoverResource', spatialFeature: square(175, -38.2) }
  await hill.post('land-covers', [plot('bush', 'HF-0042', cover)])
  served = await serve(service)
  token = hill.token!
  farm = text(list((await hill.get('/ogc/collections/holdings/items')).body['features'])[0]!['id'])
})
afterAll(() => served.close())

type Got = { readonly status: number; readonly type: string; readonly body: Tree; readonly page: string }

async function get(address: string, headers: Record<string, string> = {}): Promise<Got> {
  const url = address.startsWith('http') ? address : `${served.url}/ogc${address}`
  const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}`, ...headers } })
  const page = await answer.text()
  const type = answer.headers.get('content-type') ?? ''
  return { status: answer.status, type, page, body: (type.includes('json') ? JSON.parse(page) : {}) as Tree }
}

async function found(address: string): Promise<Got> {
  const got = await get(address)
  expect([address, got.status]).toEqual([address, 200])
  return got
}

const linked = (document: Tree, rel: string): readonly Tree[] =>
  list(document['links']).filter((each) => text(each['rel']) === rel)
const hrefs = (document: Tree, rel: string): readonly string[] => linked(document, rel).map(({ href }) => text(href))
const ids = (document: Tree): readonly string[] => list(document['features']).map(({ id }) => text(id))

/** Every collection of the service, including those of the holding, and the address of its features. */
async function collections() {
  const all = [
    '/collections',
    `/collections/holdings/${farm}/collections`,
    `${served.url}/ogc/farms/${farm}/collections`,
  ]
  const documents = await Promise.all(all.map(found))
  return documents.flatMap(({ body }) => list(body['collections']))
}

function expectLinks(document: Tree, ...rels: readonly string[]): void {
  for (const each of list(document['links'])) {
    expect(each).toMatchObject({
      href: expect.stringMatching(/^http/),
      rel: expect.any(String),
      type: expect.any(String),
    })
  }
  for (const rel of rels) expect([rel, hrefs(document, rel).length]).toEqual([rel, 1])
}

/** Positions of a geometry, however deep its coordinates nest. */
function positions(coordinates: unknown): readonly (readonly number[])[] {
  const isPosition = Array.isArray(coordinates) && typeof coordinates[0] === 'number'
  return isPosition ? [coordinates as number[]] : (coordinates as unknown[]).flatMap(positions)
}

const itemsOf = (collection: Tree): string => hrefs(collection, 'items')[0]!
const plotsItems = '/collections/plots/items'

const folder = '../shared/schemas/ogcapi'
function faults(schema: string, document: unknown): unknown {
  const ajv = new Ajv2020({ strict: false, logger: false })
  formats.default(ajv)
  const fits = ajv.compile(JSON.parse(readFileSync(`${folder}/${schema}.schema.json`, 'utf8')) as object)
  fits(document)
  return fits.errors
}

describe('core: landing page, API definition, conformance', () => {
  test('/ats/core/http', async () => {
    const answer = await fetch(`${served.url}/ogc`, { method: 'HEAD' })
    expect([answer.status, await answer.text()]).toEqual([200, ''])
    const refused = await fetch(`${served.url}/ogc`, { method: 'DELETE' })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'HEAD, GET'])
  })

  test.each(['', '/'])('/ats/core/root-op at %j', async (path) => {
    expect((await found(path)).type).toBe('application/json')
  })

  test('/ats/core/root-success', async () => {
    const { body } = await found('/')
    expect(body).toMatchObject({ title: expect.any(String), description: expect.any(String) })
    expectLinks(body, 'self', 'service-desc', 'service-doc', 'conformance', 'data')
  })

  test('/ats/core/api-definition-op', async () => {
    const { body } = await found('/')
    for (const rel of ['service-desc', 'service-doc'])
      for (const { href, type } of linked(body, rel))
        expect((await found(text(href))).type.replace('; charset=utf-8', '')).toBe(text(type))
  })

  test('/ats/core/api-definition-success', async () => {
    const { body } = await found('/api')
    expect(text(body['openapi'])).toMatch(/^3\.0\.\d$/)
    expect(body['info']).toMatchObject({ title: expect.any(String), version: expect.any(String) })
    const operations = Object.entries(body['paths']!).map(([path, item]) => ({ path, get: item['get']! }))
    const names = operations.map(({ get: each }) => text(each['operationId']))
    expect(new Set(names).size).toBe(names.length)
    for (const { path, get: each } of operations) {
      const parameters = list(each['parameters']).map(({ $ref }) => resolved(body, text($ref)))
      const inPath = parameters.filter((parameter) => text(parameter['in']) === 'path')
      const templates = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect(inPath.map(({ name }) => name)).toEqual(templates)
      for (const parameter of inPath) expect(parameter['required']).toBe(true)
    }
    for (const [, pointer] of JSON.stringify(body).matchAll(/"\$ref":"([^"]+)"/g))
      expect(resolved(body, pointer!)).toEqual(expect.any(Object))
  })

  test('/ats/core/conformance-op', async () => {
    const { body } = await found('/')
    for (const address of ['/conformance', ...hrefs(body, 'conformance')]) await found(address)
  })

  test('/ats/core/conformance-success', async () => {
    const { body } = await found('/conformance')
    const part = 'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/'
    expect(body['conformsTo']).toEqual([`${part}core`, `${part}oas30`, `${part}geojson`])
  })
})

describe('core: collections', () => {
  test('/ats/core/fc-md-op', async () => {
    expect((await found('/collections')).type).toBe('application/json')
  })

  test('/ats/core/fc-md-success', async () => {
    for (const each of await collections())
      expect(list(each['crs'])[0]).toBe('http://www.opengis.net/def/crs/OGC/1.3/CRS84')
  })

  test('/ats/core/fc-md-links', async () => {
    expectLinks((await found('/collections')).body, 'self')
  })

  test('/ats/core/fc-md-items', async () => {
    const { body } = await found('/collections')
    expect(list(body['collections']).map(({ id }) => id)).toEqual(['holdings', 'plots', 'land-covers'])
  })

  test('/ats/core/fc-md-items-links', async () => {
    for (const each of await collections()) {
      expectLinks(each, 'self', 'items')
      expect(linked(each, 'items')[0]!['type']).toBe('application/geo+json')
    }
  })

  test('/ats/core/fc-md-extent and /ats/core/fc-md-extent-multi', async () => {
    const withExtent = (await collections()).filter((each) => each['extent'] !== undefined)
    expect(withExtent.map(({ id }) => id)).toEqual([0, 1, 2].flatMap(() => ['plots', 'land-covers']))
    for (const each of withExtent) {
      const boxes = each['extent']!['spatial']!['bbox'] as unknown as readonly (readonly number[])[]
      expect(boxes).toHaveLength(1)
      const [west, south, east, north] = boxes[0] as [number, number, number, number]
      const { body } = await found(`${itemsOf(each)}?limit=10000`)
      const all = list(body['features']).flatMap(({ geometry }) =>
        geometry === null ? [] : positions(geometry!['coordinates']),
      )
      expect([Math.min(...all.map(([x]) => x!)), Math.max(...all.map(([x]) => x!))]).toEqual([west, east])
      expect([Math.min(...all.map(([, y]) => y!)), Math.max(...all.map(([, y]) => y!))]).toEqual([south, north])
    }
  })

  test('/ats/core/sfc-md-op and /ats/core/sfc-md-success', async () => {
    for (const each of await collections()) expect((await found(hrefs(each, 'self')[0]!)).body).toEqual(each)
  })
})

describe('core: features', () => {
  test('/ats/core/fc-op', async () => {
    for (const each of await collections()) {
      const { type, body } = await found(itemsOf(each))
      expect([type, text(body['type'])]).toEqual(['application/geo+json', 'FeatureCollection'])
    }
    const both = (await found(`${plotsItems}?bbox=174,-39,175.15,-38&datetime=2026-07-01T00:00:00Z`)).body
    const box = ids((await found(`${plotsItems}?bbox=174,-39,175.15,-38`)).body)
    const time = ids((await found(`${plotsItems}?datetime=2026-07-01T00:00:00Z&limit=100`)).body)
    expect(ids(both)).toEqual(box.filter((id) => time.includes(id)))
    expect([ids(both).length, box.length, time.length]).toEqual([3, 4, 11])
  })

  test('/ats/core/fc-response', async () => {
    const { body } = await found(`${plotsItems}?limit=3`)
    expect(list(body['features'])).toHaveLength(3)
    for (const each of list(body['features']))
      expect(each).toMatchObject({ type: 'Feature', properties: expect.any(Object) })
  })

  test('/ats/core/fc-links', async () => {
    const { body } = await found(`${plotsItems}?limit=3&offset=3`)
    expectLinks(body, 'self', 'next', 'prev', 'collection')
    expect(hrefs(body, 'self')).toEqual([`${served.url}/ogc${plotsItems}?limit=3&offset=3`])
    for (const rel of ['next', 'prev']) {
      const page = (await found(hrefs(body, rel)[0]!)).body
      expect(ids(page).filter((id) => ids(body).includes(id))).toEqual([])
    }
    expect(hrefs((await found(`${plotsItems}?limit=12`)).body, 'next')).toEqual([])
  })

  test('/ats/core/fc-timeStamp', async () => {
    expect((await found(plotsItems)).body['timeStamp']).toBe(now)
  })

  test('/ats/core/fc-numberMatched and /ats/core/fc-numberReturned', async () => {
    for (const query of ['', '?limit=5', '?bbox=175,-39,175.35,-38', '?datetime=2026-07-01T00:00:00Z&limit=4']) {
      const all: string[] = []
      let address: string | undefined = plotsItems + query
      let matched: unknown
      while (address !== undefined) {
        const { body }: Got = await found(address)
        expect(body['numberReturned']).toBe(ids(body).length)
        matched = body['numberMatched']
        all.push(...ids(body))
        address = hrefs(body, 'next')[0]
      }
      expect([query, new Set(all).size, all.length]).toEqual([query, matched, matched])
    }
  })

  test('/ats/core/fc-limit-definition', async () => {
    expect(await parameter('limit')).toMatchObject({
      ...inQuery,
      schema: { type: 'integer', minimum: 1, maximum: 10_000, default: 10 },
    })
  })

  test('/ats/core/fc-limit-response', async () => {
    for (const limit of [1, 5, 11]) expect(ids((await found(`${plotsItems}?limit=${limit}`)).body)).toHaveLength(limit)
    expect(ids((await found(plotsItems)).body)).toHaveLength(10)
    for (const limit of ['10001', '99999999999999999999'])
      expect(ids((await found(`${plotsItems}?limit=${limit}`)).body)).toHaveLength(12)
  })

  test('/ats/core/fc-bbox-definition', async () => {
    const [four, six] = [4, 6].map((count) => ({ minItems: count, maxItems: count }))
    expect(await parameter('bbox')).toMatchObject({
      ...inQuery,
      schema: { type: 'array', oneOf: [four, six], items: { type: 'number' } },
    })
  })

  test.each([
    ['four numbers', '175.15,-38.2,175.45,-38', 3],
    ['six numbers', '175.15,-38.2,-100,175.45,-38,5000', 3],
    ['the whole globe', '-180,-90,180,90', 10],
    ['a box across the 180th meridian', '175.85,-39,-170,-38', 1],
    ['a box where nothing is', '0,0,1,1', 0],
  ])('/ats/core/fc-bbox-response with %s', async (_, bbox, placed) => {
    const { body } = await found(`${plotsItems}?bbox=${bbox}&limit=100`)
    const withPlace = list(body['features']).filter(({ geometry }) => (geometry as unknown) !== null)
    expect([withPlace.length, ids(body).length]).toEqual([placed, placed + 2])
  })

  test('/ats/core/crs84', async () => {
    const { body } = await found(`${plotsItems}?limit=100`)
    for (const { geometry } of list(body['features']))
      for (const [longitude, latitude] of geometry === null ? [] : positions(geometry!['coordinates'])) {
        expect(longitude).toBeCloseTo(175.5, -1)
        expect(latitude).toBeCloseTo(-38.1, 1)
      }
    expect(body).not.toHaveProperty('crs')
  })

  test('/ats/core/fc-time-definition', async () => {
    expect(await parameter('datetime')).toMatchObject({ ...inQuery, schema: { type: 'string' } })
  })

  test.each([
    ['2026-05-31T00:00:00Z', 12],
    ['2026-05-31T00:00:00.001Z', 11],
    ['2026-01-01T00:00:00Z/2026-12-31T00:00:00Z', 12],
    ['2026-06-01T00:00:00Z/..', 11],
    ['2026-06-01T00:00:00Z/', 11],
    ['../2026-06-01T00:00:00Z', 12],
    ['/2026-06-01T00:00:00Z', 12],
  ])('/ats/core/fc-time-response with %s', async (datetime, count) => {
    expect((await found(`${plotsItems}?datetime=${datetime}`)).body['numberMatched']).toBe(count)
  })

  test.each(['limit=0', 'limit=ten', 'offset=-1', 'bbox=1,2,3', 'datetime=soon'])(
    '/ats/core/query-param-invalid: %s',
    async (query) => {
      const { status, type, body } = await get(`${plotsItems}?${query}`)
      expect([status, type, body['status']]).toEqual([400, 'application/problem+json', 400])
    },
  )

  test.each([
    '/?x=1',
    '/api?x=1',
    '/conformance?x=1',
    '/collections?x=1',
    '/collections/plots?x=1',
    `${plotsItems}?bbox-crs=1`,
  ])('/ats/core/query-param-unknown: %s', async (address) => {
    expect((await get(address)).status).toBe(400)
  })

  test('/ats/core/f-op and /ats/core/f-success', async () => {
    for (const each of await collections()) {
      for (const feature of list((await found(itemsOf(each))).body['features'])) {
        const { body, type } = await found(`${itemsOf(each)}/${text(feature['id'])}`)
        expect([body, type]).toEqual([feature, 'application/geo+json'])
      }
    }
  })

  test('/ats/core/f-links', async () => {
    for (const each of await collections())
      for (const feature of list((await found(itemsOf(each))).body['features'])) {
        expectLinks(feature, 'self', 'collection')
        expect(hrefs(feature, 'self')).toEqual([`${itemsOf(each)}/${text(feature['id'])}`])
        expect(hrefs(feature, 'collection')).toEqual(hrefs(each, 'self'))
      }
  })
})

describe('GeoJSON', () => {
  test('/ats/geojson/definition', async () => {
    for (const accept of ['application/geo+json', 'application/json', '*/*'])
      expect((await get(plotsItems, { Accept: accept })).type).toBe('application/geo+json')
    for (const path of ['/', '/conformance', '/collections', '/collections/plots'])
      expect((await get(path, { Accept: 'application/json' })).type).toBe('application/json')
  })

  test('/ats/geojson/content', async () => {
    const { body } = await found(`${plotsItems}?limit=100`)
    for (const feature of list(body['features'])) {
      expect(Object.keys(feature)).toEqual(['type', 'id', 'geometry', 'properties', 'links'])
      if ((feature['geometry'] as unknown) === null) continue
      expect(text(feature['geometry']!['type'])).toBe('Polygon')
      for (const ring of list(feature['geometry']!['coordinates']))
        expect(positions(ring).at(-1)).toEqual(positions(ring)[0])
    }
  })
})

describe('OpenAPI 3.0', () => {
  test('/ats/oas30/oas-definition-1', async () => {
    const { body } = await found('/')
    const machine = linked(body, 'service-desc')[0]!
    const person = linked(body, 'service-doc')[0]!
    expect(text(machine['type'])).toBe('application/vnd.oai.openapi+json;version=3.0')
    expect(text(person['type'])).toBe('text/html')
    const { page } = await found(text(person['href']))
    for (const path of Object.keys((await found('/api')).body['paths']!)) expect(page).toContain(path)
  })

  test('/ats/oas30/oas-impl', async () => {
    for (const root of ['', `/farms/${farm}`]) {
      const { body } = await found(`${root}/api`)
      expect(list(body['servers'])).toEqual([{ url: `${served.url}/ogc${root}` }])
      for (const [path, item] of Object.entries(body['paths']!)) {
        const name = ['plots', 'land-covers', 'holdings'].find((each) => path.includes(each)) ?? 'holdings'
        const [first] = list((await found(`/collections/${name}/items`)).body['features'])
        const id = text(first!['id'])
        const got = await get(root + path.replace('{holdingId}', farm).replace('{id}', id))
        expect([path, got.status]).toEqual([path, 200])
        const [media] = Object.keys(item['get']!['responses']!['200']!['content']!)
        expect([path, got.type]).toEqual([path, media])
      }
    }
  })

  test('/ats/oas30/completeness and /ats/oas30/exceptions-codes', async () => {
    const { body } = await found('/api')
    for (const [path, item] of Object.entries(body['paths']!)) {
      const codes = Object.keys(item['get']!['responses']!)
      for (const code of ['200', '400', '401', '500']) expect([path, codes.includes(code)]).toEqual([path, true])
      expect([path, codes.includes('404')]).toEqual([path, path.includes('{')])
    }
  })

  test('/ats/oas30/security', async () => {
    const { body } = await found('/api')
    expect(body['components']!['securitySchemes']).toEqual({ bearer: { type: 'http', scheme: 'bearer' } })
    expect(body['security']).toEqual([{ bearer: [] }, {}])
    expect((await get('/', { Authorization: 'Bearer no-such-token' })).status).toBe(401)
  })
})

describe.skipIf(!existsSync(folder))('the published schemas', () => {
  test.each([
    ['landingPage', '/'],
    ['confClasses', '/conformance'],
    ['collections', '/collections'],
    ['collection', '/collections/plots'],
    ['featureCollectionGeoJSON', `${plotsItems}?limit=10`],
    ['featureCollectionGeoJSON', `${plotsItems}?limit=10&profile=flat`],
  ])('%s fits %s', async (schema, address) => {
    const { body } = await get(address)
    expect(faults(schema, body)).toBeNull()
  })

  test('featureGeoJSON fits a feature', async () => {
    for (const feature of list((await found(plotsItems)).body['features']))
      expect(faults('featureGeoJSON', (await found(hrefs(feature, 'self')[0]!)).body)).toBeNull()
  })
})

const inQuery = { in: 'query', required: false, style: 'form', explode: false }

/** A parameter as the API document defines it for the items of every collection. */
async function parameter(name: string): Promise<Tree> {
  const { body } = await found('/api')
  const lists = Object.entries(body['paths']!).filter(([path]) => path.endsWith('/items'))
  expect(lists).toHaveLength(5)
  const defined = lists.map(([, item]) =>
    list(item['get']!['parameters'])
      .map(({ $ref }) => resolved(body, text($ref)))
      .find((each) => text(each['name']) === name),
  )
  for (const each of defined) expect(each).toEqual(defined[0])
  return defined[0]!
}

function resolved(document: Tree, pointer: string): Tree {
  return pointer
    .split('/')
    .slice(1)
    .reduce((at, name) => at[name]!, document)
}
