import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startWorld, type Ran, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = startWorld()
})
afterEach(() => world.close())

type Answer = { readonly body?: unknown; readonly status?: number; readonly headers?: Record<string, string> }
type Answers = { readonly [pathAndQuery: string]: Answer | readonly Answer[] }

const given = (body: unknown): Answer => ({ body })

/** Runs windrow against a service that gives these answers, one after another, and returns its requests. */
async function asking(
  words: readonly string[],
  answers: Answers,
  more: Parameters<World['run']>[1] = {},
): Promise<Ran & { readonly asked: readonly string[]; readonly sent: readonly string[] }> {
  const asked: string[] = []
  const sent: string[] = []
  const counts = new Map<string, number>()
  const fetch = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url)
    if (pathname.endsWith('/token')) return Response.json({ access_token: 'token-1', expires_in: 3600 })
    const path = pathname + search
    asked.push(`${request.method} ${path}`)
    sent.push(await request.text())
    const listed = answers[path] ?? { status: 404, body: { detail: `nothing at ${path}` } }
    const nth = counts.get(path) ?? 0
    counts.set(path, nth + 1)
    const list = Array.isArray(listed) ? (listed as readonly Answer[]) : [listed as Answer]
    const { body, status = 200, headers = {} } = list[Math.min(nth, list.length - 1)]!
    return new Response(body === undefined ? null : JSON.stringify(body), { status, headers })
  }
  const ran = await world.run(words, { fetch: fetch as typeof globalThis.fetch, ...more })
  return { ...ran, asked, sent }
}

const streaming = '/data/streaming'
const plots = {
  name: 'plots',
  containedTypes: ['plotResource'],
  changes: `${streaming}/datasets/plots/changes`,
  updates: `${streaming}/datasets/plots/resources`,
}
const troughs = { ...plots, name: 'troughs', containedTypes: ['troughResource'], changes: `${streaming}/troughs` }
const holdingId = 'h-1'
const rimu = {
  type: 'Feature',
  id: holdingId,
  geometry: null,
  properties: {
    agriculture: {
      id: holdingId,
      name: 'Rimu Farm',
      identifiers: [{ scheme: 'nz.example.farm-number', id: '00412876' }],
    },
  },
}
const holdings = { '/ogc/collections/holdings/items?limit=1000': given({ features: [rimu], numberMatched: 1 }) }

describe('windrow service', () => {
  test('lists its commands, and suggests the nearest for a wrong one', async () => {
    const { out } = await world.run(['service', '--help'])
    for (const name of ['control', 'datasets', 'changes', 'reference', 'webhooks', 'token']) expect(out).toContain(name)
    const { failure } = await world.run(['service', 'chnages', 'plots'])
    expect(failure?.message).toContain('changes')
  })

  test('about shows the title and description of the service', async () => {
    const answers = {
      '/ogc': given({ title: 'Farm data', links: [] }),
      '/ogc/conformance': given({ conformsTo: ['http://www.opengis.net/spec/x'] }),
    }
    const { out } = await asking(['service', 'about'], answers)
    expect(out).toContain('Farm data\nhttp://www.opengis.net/spec/x')
    expect(JSON.parse((await asking(['service', 'about', '--json'], answers)).out)).toMatchObject({
      landingPage: { title: 'Farm data' },
      conformsTo: ['http://www.opengis.net/spec/x'],
    })
  })

  test('control shows what may be published for each farm', async () => {
    const answers = {
      [`${streaming}/control`]: given([
        {
          holdingId,
          connectedAt: '2026-10-01T00:00:00Z',
          signature: 'abc',
          identifiers: [{ scheme: 'nz.example.farm-number', id: '00412876' }],
          resourceTypes: [{ id: '/core/plots' }, { id: '/core/troughs' }],
        },
      ]),
    }
    const { out, exit } = await asking(['service', 'control'], answers)
    expect(out).toBe(
      'Holding                          May publish                 Connected             Id\n' +
        'nz.example.farm-number:00412876  /core/plots, /core/troughs  2026-10-01T00:00:00Z  h-1\n',
    )
    expect(exit).toBe(0)
    expect(JSON.parse((await asking(['service', 'control', '--json'], answers)).out)).toMatchObject([
      { holdingId, signature: 'abc' },
    ])
    const written = await asking(['service', 'control', '-o', 'control.csv', '--json'], answers)
    expect(JSON.parse(written.out)).toMatchObject({ path: expect.stringMatching(/control\.csv$/) })
    expect(readFileSync(join(world.folder, 'control.csv'), 'utf8')).toContain('00412876')
  })

  test('replaces a file that is there only with --force', async () => {
    const words = ['service', 'datasets', '-o', 'mine.csv']
    const answers = { '/data/streaming/datasets': { body: [{ name: 'plots', url: 'https://farms.example/plots' }] } }
    writeFileSync(join(world.folder, 'mine.csv'), 'mine')
    expect((await asking(words, answers)).failure).toMatchObject({
      code: 'target-exists',
      hint: expect.stringContaining('--force') as string,
    })
    expect(readFileSync(join(world.folder, 'mine.csv'), 'utf8')).toBe('mine')
    expect((await asking([...words, '--force'], answers)).exit).toBe(0)
    expect(readFileSync(join(world.folder, 'mine.csv'), 'utf8')).toContain('plots')
  })

  test('control explains an account that is connected to no farm', async () => {
    const { out, exit } = await asking(['service', 'control'], {})
    expect([exit, out]).toEqual([0, expect.stringContaining('not connected to a farm. Publish one first')])
  })

  test('datasets shows those that windrow does not know', async () => {
    const { out } = await asking(['service', 'datasets'], { [`${streaming}/datasets`]: given([plots, troughs]) })
    expect(out).toMatch(/^plots +plotResource +yes +http/m)
    expect(out).toMatch(/^troughs +troughResource +no +http/m)
    const one = await asking(['service', 'datasets', 'troughs', '--json'], {
      [`${streaming}/datasets/troughs`]: given(troughs),
    })
    expect(JSON.parse(one.out)).toMatchObject([{ name: 'troughs' }])
  })

  test.each([
    [[], '/ogc/collections', given({ links: [], items: [{ id: 'plots', title: 'Plots' }] })],
    [['plots'], '/ogc/collections/plots', given({ id: 'plots', title: 'Plots' })],
    [
      ['--holding', 'Rimu Farm'],
      '/ogc/collections/holdings/h-1/collections',
      given({ links: [], items: [{ id: 'plots', title: 'Plots' }] }),
    ],
  ])('collections %j', async (words, path, answer) => {
    const { out } = await asking(['service', 'collections', ...words], { ...holdings, [path]: answer })
    expect(out).toBe('Collection  Title\nplots       Plots\n')
  })

  test.each([
    [['plots', 'p'], '/ogc/collections/plots/items/p'],
    [['plots', 'p', '--holding', 'Rimu Farm'], '/ogc/collections/holdings/h-1/collections/plots/items/p'],
    [['pasture-cover-events', 'p'], '/data/crops/pasture-cover-events/p'],
    [['load-receivals', 'p', '--holding', holdingId], '/data/holdings/h-1/crops/load-receivals/p'],
  ])('record %j', async (words, path) => {
    const feature = { type: 'Feature', id: 'p', geometry: null, properties: {} }
    const { out } = await asking(['service', 'record', ...words], { ...holdings, [path]: given(feature) })
    expect(JSON.parse(out)).toMatchObject({ id: 'p' })
    const missing = await asking(['service', 'record', ...words], holdings)
    expect(missing.failure).toMatchObject({ code: 'request-refused', message: expect.stringContaining('"p"') })
  })
})

describe('windrow service changes', () => {
  const dataset = { [`${streaming}/datasets/plots`]: given(plots) }
  const item = (key: string, more: object = {}) => ({
    dataPointKey: key,
    name: `Name of ${key}`,
    meta: { modified: '2026-11-01T00:00:00Z', ...more },
  })
  const page = (items: readonly object[], token?: string, headers: Record<string, string> = {}): Answer => ({
    body: [{ id: '@context' }, ...items, ...(token === undefined ? [] : [{ id: '@continuation', token }])],
    headers,
  })
  const feed = plots.changes
  const twoPages = {
    ...dataset,
    [feed]: page([item('a'), item('b', { isDeleted: true })], 't+1'),
    [`${feed}?since=t%2B1`]: page([], 't2'),
  }

  test('shows one line for each, and the token to continue from', async () => {
    const { out, err } = await asking(['service', 'changes', 'plots'], twoPages)
    expect(out).toBe('2026-11-01T00:00:00Z  changed  a  Name of a\n2026-11-01T00:00:00Z  deleted  b  Name of b\n')
    expect(err).toBe('2 changes.  To continue:  --since t2\n')
  })

  test('gives programs its pages with their tokens', async () => {
    const { out } = await asking(['service', 'changes', 'plots', '--json'], twoPages)
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
    expect(lines).toMatchObject([
      { items: [{ dataPointKey: 'a' }, { dataPointKey: 'b' }], token: 't+1', fullSync: false },
      { items: [], token: 't2' },
    ])
  })

  test('continues from the place in a file, which is saved after the records are written', async () => {
    const words = ['service', 'changes', 'plots', '--remember', 'place.json']
    await asking(words, twoPages)
    const { mode } = statSync(join(world.folder, 'place.json'))
    if (process.platform !== 'win32') expect(mode & 0o077).toBe(0)
    const { asked } = await asking(words, { ...dataset, [`${feed}?since=t2`]: page([], 't2') })
    expect(asked.at(-1)).toBe(`GET ${feed}?since=t2`)
    const other = await asking(['service', 'changes', 'troughs', '--remember', 'place.json'], {
      [`${streaming}/datasets/troughs`]: given(troughs),
    })
    expect(other.failure).toMatchObject({ code: 'state-unreadable' })
  })

  test('saves no place when the file could not be written', async () => {
    writeFileSync(join(world.folder, 'taken'), '')
    const words = ['service', 'changes', 'plots', '--remember', 'place.json', '-o', 'taken/plots.csv']
    expect((await asking(words, twoPages)).exit).toBe(2)
    expect(existsSync(join(world.folder, 'place.json'))).toBe(false)
  })

  test('writes the rows of a dataset, also of one that windrow does not know, to a file', async () => {
    const trough = { ...item('t-1'), litres: 900, resourceType: 'troughResource' }
    const { err } = await asking(['service', 'changes', 'troughs', '-o', 'troughs.csv'], {
      [`${streaming}/datasets/troughs`]: given(troughs),
      [troughs.changes]: page([trough]),
    })
    expect(readFileSync(join(world.folder, 'troughs.csv'), 'utf8')).toMatch(/Name of t-1.*900/)
    expect(err).toContain('windrow does not know the records of "troughs"')
  })

  test('finds a type that is only in the control list', async () => {
    const { changes, updates } = troughs
    const control = {
      [`${streaming}/control`]: given([{ resourceTypes: [{ id: '/core/troughs', changes, updates }] }]),
    }
    for (const name of ['troughs', '/core/troughs']) {
      const { out } = await asking(['service', 'changes', name], { ...control, [changes]: page([item('t-1')]) })
      expect(out).toContain('Name of t-1')
    }
    expect((await asking(['service', 'changes', '/core/silos'], control)).failure?.hint).toContain('/core/troughs')
    expect((await asking(['service', 'changes', 'silos'], control)).failure?.code).toBe('request-refused')
  })

  test('reads a restarted feed from its start, and reports it once', async () => {
    const startsOver = { 'universal-data-api-fullsync': 'true' }
    const { out, err } = await asking(['service', 'changes', 'plots', '--since', 'old'], {
      ...dataset,
      [`${feed}?since=old`]: page([], 'new', startsOver),
      [feed]: page([item('a')], 't1', startsOver),
      [`${feed}?since=t1`]: page([], 't1', startsOver),
    })
    expect(out).toContain('Name of a')
    expect(err.match(/restarts this feed/g)).toHaveLength(1)
  })

  test('writes no file with records from before a restart', async () => {
    const startsOver = { 'universal-data-api-fullsync': 'true' }
    const { failure } = await asking(['service', 'changes', 'plots', '-o', 'plots.ndjson'], {
      ...dataset,
      [feed]: page([item('old')], 't1'),
      [`${feed}?since=t1`]: page([item('a')], 't2', startsOver),
      [`${feed}?since=t2`]: page([], 't2'),
    })
    expect(failure).toMatchObject({ code: 'service-confused', exit: 4 })
    expect(existsSync(join(world.folder, 'plots.ndjson'))).toBe(false)
  })

  test('keeps looking with --follow, from its last place', async () => {
    const stop = new AbortController()
    const waits: number[] = []
    const sleep = (ms: number): Promise<void> => {
      waits.push(ms)
      if (waits.length === 2) stop.abort(new Error('enough'))
      return stop.signal.aborted ? Promise.reject(stop.signal.reason as Error) : Promise.resolve()
    }
    const answers = {
      ...twoPages,
      [`${feed}?since=t2`]: [page([item('c')], 't3')],
      [`${feed}?since=t3`]: page([], 't3'),
    }
    let out = ''
    const terminal = { out: { write: (text: string) => (out += text) }, err: { write: () => true } }
    const words = ['service', 'changes', 'plots', '--follow', '--every', '5']
    await expect(asking(words, answers, { sleep, signal: stop.signal, terminal })).rejects.toThrow('enough')
    expect(out.match(/Name of/g)).toHaveLength(3)
    expect(waits).toEqual([5000, 5000])
  })
})

describe('windrow service publish', () => {
  const dataset = { [`${streaming}/datasets/troughs`]: given(troughs) }
  const record = (key: string, more: object = {}) => ({
    dataPointKey: key,
    resourceType: 'troughResource',
    litres: 900,
    meta: { sourceId: { scheme: 'x', id: key }, modified: '2026-11-20T00:00:00Z' },
    ...more,
  })
  const publish = ['service', 'publish', 'troughs', 'troughs.json']

  test.each([
    ['a list', (records: readonly object[]) => JSON.stringify(records)],
    ['lines', (records: readonly object[]) => records.map((each) => `${JSON.stringify(each)}\r\n`).join('\n')],
  ])(
    'sends the good records of %s to a dataset that windrow does not know, and reports the others',
    async (_name, written) => {
      const records = [record('a'), record('b', { meta: undefined }), record('c')]
      writeFileSync(join(world.folder, 'troughs.json'), written(records))
      const results = [
        { index: 1, successful: false, error: 'No such holding.' },
        { index: 0, successful: true },
      ]
      const { exit, out, err, sent } = await asking(publish, { ...dataset, [troughs.updates]: given(results) })
      expect(JSON.parse(sent.at(-1)!)).toEqual([record('a'), record('c')])
      expect(err).toContain('windrow does not know the records of "troughs"')
      expect(out).toMatch(/record 1 \(b\): .*meta/)
      expect(out).toContain('record 2 (c): No such holding.')
      expect(out).toContain('3 read = 2 ready + 1 rejected;  2 ready = 1 accepted + 1 refused')
      expect(exit).toBe(3)
    },
  )

  test('sends nothing in a dry run', async () => {
    writeFileSync(join(world.folder, 'troughs.json'), JSON.stringify([record('a')]))
    const { exit, out, asked } = await asking([...publish, '--dry-run', '--json'], dataset)
    expect(JSON.parse(out)).toMatchObject({ read: 1, ready: 1, rejected: 0, accepted: 0 })
    expect(asked).toEqual([`GET ${streaming}/datasets/troughs`])
    expect(exit).toBe(0)
  })

  test('reports a file that is not JSON before any request', async () => {
    writeFileSync(join(world.folder, 'troughs.json'), '[{]')
    const { exit, asked } = await asking(publish, dataset)
    expect([exit, asked]).toEqual([2, []])
  })
})

describe('windrow service reference', () => {
  const breeds = [{ naem: 'Hillside', species: 'Sheep', identifiers: [{ schema: 'ICAR3', id: 'HLW' }] }]
  const drench = {
    name: 'Alphacide Drench',
    registeredId: { scheme: 'nz.example.agvet', id: 'A001001' },
    classification: 'Antibiotic+Related',
    species: ['Cattle', 'Sheep'],
  }
  const medicines = '/reference/treatment/medicine-products'
  test.each<[readonly string[], string, unknown, string]>([
    [['breeds', 'sheep'], '/reference/breeds?species=sheep', breeds, 'Hillside  Sheep    ICAR3:HLW'],
    [['breeds', '--species', 'sheep'], '/reference/breeds?species=sheep', breeds, 'Hillside'],
    [['breeds', 'sheep', '--code', 'ICAR3:HLW'], '/reference/breeds?species=sheep', breeds, 'Hillside'],
    [['breeds', 'sheep', '--cross', 'yes'], '/reference/breeds?species=sheep', breeds, 'No breed was found.'],
    [['species'], '/reference/species', ['Cattle', 'Deer'], 'Deer'],
    [
      ['medicines', '--species', 'Sheep', '--classification', 'Antibiotic+Related', '--authority', 'x'],
      `${medicines}?registration_authority=x&species=Sheep&classification=Antibiotic%2BRelated`,
      [drench],
      'Alphacide Drench  nz.example.agvet:A001001  Antibiotic+Related  Cattle, Sheep',
    ],
    [['medicines', 'alpha drench'], `${medicines}/alpha%20drench`, drench, 'Alphacide'],
    [['medicines', 'alpha'], `${medicines}/alpha`, { ...drench, expiryDate: 2027 }, '2027'],
    [
      ['medicines', '--registered', 'nz.example.agvet:A001001'],
      `${medicines}/nz.example.agvet/A001001`,
      drench,
      'Alphacide',
    ],
    [
      ['birth-periods', '--species', 'Cattle', '--country', 'NZ'],
      '/reference/birthPeriods?species=Cattle&country=NZ',
      [{ country: 'NZ', groupingName: 'Spring' }],
      'NZ       Spring',
    ],
  ])('%j', async (words, path, body, text) => {
    const { out, asked, exit } = await asking(['service', 'reference', ...words], { [path]: given(body) })
    expect(asked).toEqual([`GET ${path}`])
    expect(out).toContain(text)
    expect(exit).toBe(0)
  })

  test('of breeds and species need no connection', async () => {
    const service = ['--service', 'https://farms.example/api']
    const env = { HOME: world.folder, LOCALAPPDATA: world.folder }
    const answers = { '/api/reference/species': given(['Deer']), '/api/reference/breeds?species=deer': given(breeds) }
    expect((await asking(['service', 'reference', 'species', ...service], answers, { env })).out).toContain('Deer')
    expect((await asking(['service', 'reference', 'breeds', 'deer', ...service], answers, { env })).exit).toBe(0)
  })

  test('can be written to a workbook or a CSV file', async () => {
    const answers = { '/reference/breeds?species=sheep': given(breeds) }
    for (const name of ['breeds.csv', 'breeds.xlsx'])
      await asking(['service', 'reference', 'breeds', 'sheep', '-o', name], answers)
    expect(readFileSync(join(world.folder, 'breeds.csv'), 'utf8')).toMatch(/Hillside/)
    expect(statSync(join(world.folder, 'breeds.xlsx')).size).toBeGreaterThan(1000)
  })

  test.each([
    [['medicines', 'alpha', '--species', 'Sheep'], 'only one of these'],
    [['medicines', '--registered', 'A001001'], 'SCHEME:ID'],
    [['breeds', 'sheep', '--cross', 'maybe'], 'yes, no'],
    [['breeds'], 'Which species?'],
  ])('%j gets a message with a way out', async (words, text) => {
    const { failure, exit } = await asking(['service', 'reference', ...words], {})
    expect(`${failure?.message} ${failure?.hint}`).toContain(text)
    expect(exit).toBe(2)
  })
})

describe('windrow service webhooks', () => {
  const hooks = '/ecosystem/organisations/o-1/webhooks'
  const registration = {
    name: 'office',
    uri: 'https://office.example/hooks',
    authentication: { type: 'Basic', basicAuth: { username: 'u', password: 'geheim' } },
    subscriptions: [{ resourceType: 'plotResource', create: true, update: true, delete: true }],
  }

  test('list and get show the webhooks, without their secrets', async () => {
    const made = { id: 'w-1', ...registration }
    const answers = { [hooks]: given([made]), [`${hooks}/w-1`]: given(made) }
    const { out } = await asking(['service', 'webhooks', 'list', 'o-1'], answers)
    expect(out).toMatch(/w-1 +office +https:\/\/office.example\/hooks +Basic/)
    for (const words of [
      ['list', 'o-1', '--json'],
      ['get', 'o-1', 'w-1'],
    ]) {
      const { out: shown } = await asking(['service', 'webhooks', ...words], answers)
      expect(shown).toContain('"username"')
      expect(shown).not.toContain('geheim')
    }
  })

  test('create sends the registration of a file', async () => {
    writeFileSync(join(world.folder, 'office.json'), JSON.stringify(registration))
    const words = ['service', 'webhooks', 'create', 'o-1', '--registration', 'office.json']
    const { out, asked, sent } = await asking(words, { [hooks]: { status: 201, body: { id: 'w-1' } } })
    expect(asked).toEqual([`POST ${hooks}`])
    expect(JSON.parse(sent[0]!)).toEqual(registration)
    expect(out).toBe('Registered as w-1.\n')
  })

  test('create reports what is wrong with the file before anything is sent, and shows no secret', async () => {
    const words = ['service', 'webhooks', 'create', 'o-1', '--registration', 'office.json']
    for (const text of ['{"authentication": "geheim"', JSON.stringify({ ...registration, uri: 'geheim' })]) {
      writeFileSync(join(world.folder, 'office.json'), text)
      const { asked, failure, exit } = await asking(words, {})
      expect([exit, asked]).toEqual([2, []])
      expect(failure?.message).toContain(text.startsWith('{"auth') ? 'not valid JSON' : 'uri')
    }
    expect((await asking(words.slice(0, 4), {})).failure?.hint).toContain('--registration')
  })

  test('delete removes one, and reports one that does not exist', async () => {
    const { out } = await asking(['service', 'webhooks', 'delete', 'o-1', 'w-1'], { [`${hooks}/w-1`]: { status: 204 } })
    expect(out).toBe('w-1 was deleted.\n')
    expect((await asking(['service', 'webhooks', 'delete', 'o-1', 'w-1'], {})).exit).toBe(5)
  })

  test('that are disabled are reported as disabled', async () => {
    const { failure, exit } = await asking(['service', 'webhooks', 'list', 'o-1'], {
      [hooks]: { status: 501, body: { detail: 'Webhooks are disabled.' } },
    })
    expect(exit).toBe(5)
    expect(failure?.message).toContain('Webhooks are disabled.')
  })
})

describe('windrow service token', () => {
  test('prints only the token, and its expiry on standard error', async () => {
    const { out, err } = await asking(['service', 'token'], {})
    expect(out).toBe('token-1\n')
    expect(err).toMatch(/^Valid until \d{4}-/)
  })

  test('writes the header file for GDAL, for its owner only, and shows no token', async () => {
    const { out, err } = await asking(['service', 'token', '--gdal-header-file', 'gdal.txt'], {})
    const path = join(world.folder, 'gdal.txt')
    expect(readFileSync(path, 'utf8')).toBe('Authorization: Bearer token-1\n')
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o077).toBe(0)
    expect(out + err).not.toContain('token-1')
    expect(out).toContain('GDAL_HTTP_HEADER_FILE')
  })
})

describe('windrow export of crop data', () => {
  const spread = (id: string, observationDate: string) => ({ id, name: `Load ${id}`, observationDate, grade: 'A1' })
  const base = '/data/holdings/h-1/crops'

  test('reads lists by farm from every farm, and the days exactly', async () => {
    const words = ['export', 'load-receivals', '--from', '2026-10-01', '--until', '2026-10-31', '-o', 'loads.csv']
    const { out } = await asking([...words, '--zone', 'Pacific/Auckland'], {
      ...holdings,
      // The bounds of the service know the date of observation alone.
      [`${base}/load-receivals`]: given([
        spread('1', '2026-09-30T11:30:00Z'),
        spread('2', '2026-09-30T10:30:00Z'),
        { id: '3', name: 'Load 3', consignmentDate: '2026-10-31T10:30:00Z' },
        { id: '4', name: 'Load 4', consignmentDate: '2026-10-31T11:30:00Z' },
        { id: '5', name: 'Load 5' },
      ]),
    })
    expect(out).toContain('2 of 5 records matched and were written.')
    expect(out).toContain('1 record without a date was left out, because days were chosen.')
    expect(readFileSync(join(world.folder, 'loads.csv'), 'utf8').match(/Load \d/g)).toEqual(['Load 1', 'Load 3'])
  })

  test('reads pasture cover events, also deleted ones on request', async () => {
    const { asked } = await asking(['export', 'pasture-cover-events', '--only', 'deleted=include', '-o', 'cover.csv'], {
      '/data/crops/pasture-cover-events?limit=500&includeDeleted=true': given({ totalItems: 1, items: [{ id: 'e' }] }),
    })
    expect(asked).toHaveLength(1)
  })

  test('finds the farm that is meant where the service shows empty entries among the identifiers', async () => {
    const farm = { ...rimu, properties: { agriculture: { name: 'Rimu Farm', identifiers: [null, {}, { id: 7 }] } } }
    const listed = { '/ogc/collections/holdings/items?limit=1000': given({ features: [farm], numberMatched: 1 }) }
    const { failure } = await asking(['export', 'plots', '--holding', 'Rimo Farm', '-o', 'plots.csv'], listed)
    expect(failure?.message).toBe('Holding "Rimo Farm" was not found in the service. Did you mean Rimu Farm?')
  })

  test('leaves out jobs that were deleted, also where the service lists them', async () => {
    const job = { operation: 'Mowing', workedArea: { measurement: 2, units: 'HAR' } }
    const { out } = await asking(['export', 'work-records', '-o', 'jobs.csv'], {
      '/data/crops/work-records?limit=500': given({
        totalItems: 2,
        items: [
          { ...job, id: '1', name: 'Mown' },
          { ...job, id: '2', name: 'Mistake', meta: { isDeleted: true } },
        ],
      }),
    })
    expect(out).toContain('1 of 2 records matched and was written.')
    expect(readFileSync(join(world.folder, 'jobs.csv'), 'utf8').trim().split(/\r?\n/)).toHaveLength(2)
  })

  test('reads features within a box', async () => {
    const { asked } = await asking(
      ['export', 'plots', '--only', 'box=[175.2, -37.9, 175.4, -37.7]', '-o', 'plots.csv'],
      {
        '/ogc/collections/plots/items?limit=1000&bbox=175.2,-37.9,175.4,-37.7': given({
          features: [],
          numberMatched: 0,
        }),
      },
    )
    expect(asked).toHaveLength(1)
    const { failure } = await asking(['export', 'plots', '--only', 'box=[1, 2, 3]', '-o', 'plots.csv'], {})
    expect(failure?.message).toContain('only.box')
  })

  test.each([
    [['export', 'plots', '--from', '2026-10-01', '-o', 'x.csv'], '"from" works for work records'],
    [
      ['export', 'work-records', '--only', 'deleted=include', '-o', 'x.csv'],
      '"deleted" works for pasture cover events only',
    ],
    [['export', 'sample-plans', '--only', 'status=Complete', '-o', 'x.csv'], '"status" works for work records only'],
  ])('%j is refused', async (words, sentence) => {
    expect((await asking(words, {})).failure?.message).toContain(sentence)
  })
})
