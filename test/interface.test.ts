import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyCommand } from '../src/cli/options/command.ts'
import { loadCommands } from '../src/cli/commands.ts'
import { connectTo, type Client } from '../src/client/connection.ts'
import type { WebhookRegistration } from '../src/resources/webhook.ts'
import { demoCredentials } from '../src/service/store/accounts.ts'
import { createService, type Service } from '../src/service/create.ts'
import { serve, type Served } from '../src/service/serve.ts'
import { interfaceRows, interfaceSections } from '../tools/interface.ts'
import { world } from './client/loopback.ts'
import { all } from './client/scripted-service.ts'
import { root } from './imports.ts'

const farmNumber = { scheme: 'nz.example.farm-number', id: '00412876' }
const meta = (id: string) => ({ sourceId: { scheme: 'nz.example.rimu', id }, modified: '2026-11-20T00:00:00Z' })
const published = (key: string, more: object = {}) =>
  JSON.stringify({ dataPointKey: key, name: key, identifiers: [farmNumber], meta: meta(key), ...more })
const observed = (id: string) => ({
  id,
  name: id,
  holding: { identifier: farmNumber },
  observationDate: '2026-10-10T00:00:00Z',
  meta: meta(id),
})

let service: Service
let served: Served
let client: Client
let asked: string[]
let ids: { readonly holding: string; readonly plots: string; readonly 'land-covers': string }

beforeAll(async () => {
  asked = []
  service = createService({ demo: true, webhooks: { allowsLoopback: true } })
  served = await serve(service)
  const profile = { name: 'demo', service: served.url, tokenUrl: served.authUrl, ...demoCredentials }
  const heard = async (request: Request): Promise<Response> => {
    const response = await fetch(request)
    asked.push(`${response.status} ${request.method} ${new URL(request.url).pathname}`)
    return response
  }
  client = connectTo(profile, { ...world, fetch: heard })
  for (const [dataset, key] of [
    ['holdings', 'farm'],
    ['plots', 'plot'],
    ['land-covers', 'cover'],
  ] as const) {
    const { updates } = await client.dataset(dataset)
    expect(await client.publish(updates!, [published(key)])).toEqual([{ state: 'accepted' }])
  }
  const idOf = async (collection: 'holdings' | 'plots' | 'land-covers'): Promise<string> =>
    String((await all(client.features(collection))).flat()[0]!['id'])
  ids = { holding: await idOf('holdings'), plots: await idOf('plots'), 'land-covers': await idOf('land-covers') }
  service.load({
    workRecords: [{ ...observed('w'), operation: 'Mowing', status: 'Complete' }],
    pastureCoverEvents: [observed('p')],
    loadReceivals: [observed('l')],
    sampleAnalyses: [observed('a')],
    samplePlans: [observed('s')],
  })
})
afterAll(async () => {
  await served.close()
  service.close()
})

const registration = {
  name: 'office',
  uri: 'http://127.0.0.1:9/hooks',
  authentication: { type: 'None' },
  subscriptions: [{ resourceType: 'plotResource', create: true, update: true, delete: true }],
} as WebhookRegistration

/** The client's call of each endpoint: the documented path, its parts filled in, with the preparation it needs. */
const asks: Readonly<Record<string, () => Promise<unknown>>> = {
  'GET /ogc': () => client.landingPage(),
  'GET /ogc/conformance': () => client.conformance(),
  'GET /ogc/collections': () => client.collections(),
  'GET /ogc/collections/holdings/{holdingId}/collections': () => client.collections(ids.holding),
  ...Object.fromEntries(
    (['holdings', 'plots', 'land-covers'] as const).flatMap((name) => {
      const at = `GET /ogc/collections/${name}`
      const id = (): string => (name === 'holdings' ? ids.holding : ids[name])
      return [
        [at, () => client.collection(name)],
        [`${at}/items`, () => all(client.features(name))],
        [`${at}/items/{id}`, () => client.feature(name, id())],
      ]
    }),
  ),
  ...Object.fromEntries(
    (['plots', 'land-covers'] as const).flatMap((name) => {
      const at = `GET /ogc/collections/holdings/{holdingId}/collections/${name}`
      return [
        [at, () => client.collection(name, ids.holding)],
        [`${at}/items`, () => all(client.features(name, { holdingId: ids.holding }))],
        [`${at}/items/{id}`, () => client.feature(name, ids[name], { holdingId: ids.holding })],
      ]
    }),
  ),
  'GET /reference/birthPeriods': () => client.birthPeriods(),
  'GET /reference/treatment/medicine-products': () => client.medicineProducts(),
  'GET /reference/treatment/medicine-products/{identifierScheme}/{identifierId}': async () => {
    const [first] = await client.medicineProducts()
    return client.medicineProduct(first!.registeredId as { scheme: string; id: string })
  },
  'GET /reference/treatment/medicine-products/{search}': () => client.findMedicineProduct('drench'),
  'GET /reference/species': () => client.species(),
  'GET /reference/breeds': () => client.breeds('sheep'),
  'GET /data/streaming/control': () => client.control(),
  'GET /data/streaming/datasets': () => client.datasets(),
  'GET /data/streaming/datasets/{dataset}': () => client.dataset('plots'),
  'GET /data/streaming/datasets/{dataset}/changes': async () => all(client.changes(await client.dataset('plots'))),
  'POST /data/streaming/datasets/{dataset}/resources': async () =>
    client.publish((await client.dataset('plots')).updates!, [published('plot')]),
  'POST /data/streaming/dataset/{datasetid}/resources': () =>
    client.publish('/data/streaming/dataset/plots/resources', [published('plot')]),
  'GET /data/holdings/{HoldingId}/crops/load-receivals': () => all(client.loadReceivals(ids.holding)),
  'GET /data/holdings/{HoldingId}/crops/load-receivals/{Id}': () => client.loadReceival(ids.holding, 'l'),
  'GET /data/holdings/{holdingId}/crops/pasture-cover-events': () =>
    all(client.pastureCoverEvents({ holdingId: ids.holding })),
  'GET /data/holdings/{holdingId}/crops/pasture-cover-events/{pastureCoverEventId}': () =>
    client.pastureCoverEvent('p', { holdingId: ids.holding }),
  'GET /data/crops/pasture-cover-events': () => all(client.pastureCoverEvents()),
  'GET /data/crops/pasture-cover-events/{pastureCoverEventId}': () => client.pastureCoverEvent('p'),
  'GET /data/holdings/{HoldingId}/crops/sample-analyses': () => all(client.sampleAnalyses(ids.holding)),
  'GET /data/holdings/{HoldingId}/crops/sample-analyses/{Id}': () => client.sampleAnalysis(ids.holding, 'a'),
  'GET /data/holdings/{HoldingId}/crops/sample-plans': () => all(client.samplePlans(ids.holding)),
  'GET /data/holdings/{HoldingId}/crops/sample-plans/{Id}': () => client.samplePlan(ids.holding, 's'),
  'GET /data/crops/work-records': () => all(client.workRecords()),
  'GET /ecosystem/organisations/{OrganisationId}/webhooks': () => client.webhooks('office'),
  'POST /ecosystem/organisations/{OrganisationId}/webhooks': () => client.createWebhook('office', registration),
  'GET /ecosystem/organisations/{OrganisationId}/webhooks/{webhookId}': async () =>
    client.webhook('office', (await client.createWebhook('office', registration))!.id!),
  'DELETE /ecosystem/organisations/{OrganisationId}/webhooks/{webhookId}': async () =>
    client.deleteWebhook('office', (await client.createWebhook('office', registration))!.id!),
}

const endpoints = interfaceRows.map(({ row }) => row).filter((row) => /^[A-Z]+ \//.test(row))

/** Each placeholder of a path is one segment. */
function patternOf(row: string): RegExp {
  const escaped = row.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/ ]+')
  return new RegExp(`^2\\d\\d ${escaped}$`)
}

describe('each endpoint of the document', () => {
  test.each(endpoints)('%s is called by the client and answered by the service', async (row) => {
    asked.length = 0
    const answer = await asks[row]!()
    expect(answer).toBeDefined()
    expect(asked.filter((each) => patternOf(row).test(each))).not.toEqual([])
  })

  test('is in the list once, without others', () => {
    expect(endpoints.toSorted()).toEqual(Object.keys(asks).toSorted())
    expect(endpoints).toHaveLength(19 + 6 + 6 + 11 + 4)
  })
})

const documentPath = new URL('../../shared/service-interface.md', import.meta.url)
test.skipIf(!existsSync(documentPath))('the list has each endpoint that the tables of the document have', () => {
  const text = readFileSync(documentPath, 'utf8').split(/^## (?=\d)/m)
  const tables = text.filter((part) => /^[46]\./.test(part)).join('\n')
  const cells = [...tables.matchAll(/^\| (?:(GET|POST|DELETE) \| )?`(?:(GET|POST) )?(\/[^` ]+)`/gm)]
  const named = cells.map(([, method, other, path]) => `${method ?? other ?? 'GET'} ${path}`)
  expect(named).toHaveLength(46)
  expect(named.filter((each) => !endpoints.includes(each))).toEqual([])
})

describe('each row of the list', () => {
  test('is complete, and of a known section', () => {
    for (const row of interfaceRows)
      for (const cell of [row.row, row.route, row.client, row.command, row.tests.flat().join('')])
        expect(cell, JSON.stringify(row)).toMatch(/\S/)
    expect(interfaceSections.map(({ title }) => title.split(' ')[0])).toEqual([
      '4',
      '4.1',
      '4.2',
      '4.3',
      '4.4',
      '5',
      '6',
    ])
    expect(interfaceRows.every(({ tests }) => tests.length > 0)).toBe(true)
  })

  const routes = [...new Set(interfaceRows.map(({ route }) => route))].filter((route) => /^[A-Z]+ \//.test(route))
  test.each(routes)('has a route of the service: %s', async (route) => {
    const [method = '', path = ''] = route.split(' ')
    const concrete = path.replace('{realm}', 'windrow').replaceAll(/\{\w+\}/g, 'x')
    // OPTIONS at a path with a route is answered with the allowed methods.
    const response = await service.fetch(new Request(served.url + concrete, { method: 'OPTIONS' }))
    expect(response.status).toBe(204)
    expect(response.headers.get('allow')?.split(', ')).toContain(method)
  })

  test('has a function of the client', async () => {
    const { eventReceiver } = await import('../src/client/events.ts')
    const functions: Readonly<Record<string, unknown>> = { ...client, connectTo, eventReceiver }
    for (const row of interfaceRows) expect(functions[row.client], row.client).toBeTypeOf('function')
  })

  test('has a command', async () => {
    const known = everyCommand(await loadCommands()).map(({ words }) => `windrow ${words}`)
    for (const row of interfaceRows) expect(known).toContain(row.command)
  })

  test('has existing tests', () => {
    for (const [file, title] of interfaceRows.flatMap(({ tests }) => tests))
      expect(readFileSync(join(root, file), 'utf8').includes(title), `${file}: ${title}`).toBe(true)
  })
})

describe('beside the endpoints', () => {
  test('the service accepts the optional headers with every call', async () => {
    const options = { region: 'NZ', requestingClientId: 'other', downgradeAuthentication: 'true' }
    const profile = { name: 'demo', service: served.url, tokenUrl: served.authUrl, ...demoCredentials }
    const asking = connectTo(profile, world, options)
    expect(await asking.datasets()).toHaveLength(3)
    expect(await asking.collections()).toHaveLength(3)
  })

  test('the feed gives everything without since, and nothing new after its last token', async () => {
    const feed = await client.dataset('plots')
    const pages = await all(client.changes(feed))
    expect(pages.flatMap(({ items }) => items)).toMatchObject([{ dataPointKey: 'plot' }])
    const later = await all(client.changes(feed, { since: pages.at(-1)!.token }))
    expect(later.flatMap(({ items }) => items)).toEqual([])
  })

  test('the service uses the names of datasets and types in the document', async () => {
    expect((await client.datasets()).map(({ name }) => name).toSorted()).toEqual(['holdings', 'land-covers', 'plots'])
    const [control] = await client.control()
    expect(control!.resourceTypes.map(({ id }) => id).toSorted()).toEqual([
      '/core/holdings',
      '/core/land-covers',
      '/core/plots',
    ])
  })
})
