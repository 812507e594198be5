import { expect, test } from 'vitest'
import { farmNumber, hillFarm, holding, list, plot, square, text, type Tree } from './hill-farm.ts'

const items = '/ogc/collections/plots/items'

/** Plots on two holdings whose texts contain every kind of member. */
async function manyKinds() {
  const world = await hillFarm()
  const { hill } = world
  await hill.post('holdings', [holding('HF-2')])
  await hill.post('plots', [
    plot('1', undefined, { spatialFeature: square(175, -38) }),
    plot('2', 'HF-2', { spatialFeature: null, name: 'Ōtāne "flat" \\ \n\u{1f33f}' }),
    plot('3', undefined, { spatialFeature: { type: 'Feature', geometry: null, properties: { geometry: 'none' } } }),
    plot('4', undefined, {
      spatialFeature: square(176, -38),
      additionalProperties: { geometry: [1, { geometry: '}' }] },
    }),
    { resourceType: 'plotResource', dataPointKey: 'bare', identifiers: [farmNumber('HF-2')], meta: plot('5')['meta'] },
  ])
  return world
}

const related = [{ relationship: 'neighbour', contentType: 'plot', related: 'https://farms.example/plots/7' }]

test.each([
  ['of every kind', async () => undefined],
  ['with relations of its own', async (hill: Hill) => hill.post('plots', [plot('6', undefined, { links: related })])],
  ['with gaps', async (hill: Hill) => remove(hill, '4')],
])('a page %s has the very features that are served one by one', async (_, change) => {
  const { hill } = await manyKinds()
  await change(hill)
  for (const query of ['', '?limit=2&offset=1', '?bbox=175,-39,175.5,-37', '?datetime=2026-12-01T00:00:00Z'])
    // From the second time on, the list of all numbers is kept.
    for (const time of [1, 2]) {
      const { body } = await hill.get(items + query)
      const features = list(body['features'])
      expect(features.length, `${query} ${time}`).toBeGreaterThan(1)
      expect(body['numberReturned']).toBe(features.length)
      for (const each of features) expect(each).toEqual((await hill.get(`${items}/${text(each['id'])}`)).body)
    }
})

type Hill = Awaited<ReturnType<typeof hillFarm>>['hill']

function remove(hill: Hill, key: string) {
  return hill.post('plots', [plot(key, undefined, { meta: { ...(plot(key)['meta'] as object), isDeleted: true } })])
}

test('pages follow what is published between them', async () => {
  const { hill } = await manyKinds()
  const names = async () => list((await hill.get(`${items}?limit=1000`)).body['features']).map(nameOf)
  expect(await names()).toHaveLength(5)
  expect(await names()).toHaveLength(5)
  await hill.post('plots', [plot('1', undefined, { name: 'Renamed' }), plot('7')])
  expect(await names()).toHaveLength(6)
  expect(await names()).toContain('Renamed')
  await remove(hill, '7')
  expect(await names()).toHaveLength(5)
})

function nameOf(feature: Tree): Tree | undefined {
  return feature['properties']!['agriculture']!['name']
}

function namesIn(body: Tree): readonly string[] {
  return list(body['features']).map((each) => text(nameOf(each)))
}

function next(body: Tree): string | undefined {
  return list(body['links']).find(({ rel }) => text(rel) === 'next')?.['href'] as string | undefined
}

/** Reads all pages along `next`; `between` happens after each of them. */
async function readAll(hill: Hill, first: string, between: (page: number) => Promise<unknown>) {
  const names: string[] = []
  let page = 0
  for (let address: string | undefined = first; address !== undefined; page += 1) {
    const { body, status } = await hill.get(address)
    expect(status, address).toBe(200)
    names.push(...namesIn(body))
    await between(page)
    address = next(body)
  }
  return names
}

test('features with a geometry come first, so that a map knows their kind', async () => {
  const { hill } = await hillFarm()
  const bare = Array.from({ length: 12 }, (_, index) => plot(`bare ${index}`))
  const located = Array.from({ length: 8 }, (_, index) =>
    plot(`located ${index}`, undefined, { spatialFeature: square(175 + index / 100, -38) }),
  )
  await hill.post('plots', [...bare, ...located])
  const isLocated = (feature: Tree): boolean => feature['geometry'] !== null
  const { body } = await hill.get(items)
  expect(list(body['features']).map(isLocated)).toEqual([...Array<boolean>(8).fill(true), false, false])
  // A plot that gets its boundary later is among the first from then on.
  await hill.post('plots', [plot('bare 3', undefined, { spatialFeature: square(176, -38) })])
  expect(list((await hill.get(items)).body['features']).filter(isLocated)).toHaveLength(9)
})

test('next skips no plot when records before it are deleted: 1,500 plots', async () => {
  const { hill } = await hillFarm()
  const keys = Array.from({ length: 1500 }, (_, index) => `d${String(index).padStart(4, '0')}`)
  await hill.post(
    'plots',
    keys.map((key) => plot(key, undefined, { name: key })),
  )
  const gone = ['d0003', 'd0999', 'd1200']
  const names = await readAll(hill, `${items}?limit=1000`, async (page) => {
    if (page === 0) for (const key of gone) await remove(hill, key)
  })
  expect(names).toEqual(keys.filter((key) => key !== 'd1200'))
})

test('no plot is skipped or comes twice when records get a boundary between pages', async () => {
  const { hill } = await hillFarm()
  const name = (index: number): string => `p${index}`
  const located = (index: number) =>
    plot(name(index), undefined, { name: name(index), spatialFeature: square(175 + index / 100, -38) })
  await hill.post(
    'plots',
    Array.from({ length: 9 }, (_, index) =>
      index % 2 === 0 ? located(index) : plot(name(index), undefined, { name: name(index) }),
    ),
  )
  const order = ['p0', 'p2', 'p4', 'p6', 'p8', 'p1', 'p3', 'p5', 'p7']
  // p1 and p7 move to the front of a new reading, p2 has another boundary.
  const late = [1, 7, 2]
  const names = await readAll(hill, `${items}?limit=2`, async (page) => {
    const index = late[page]
    if (index !== undefined) await hill.post('plots', [{ ...located(index), spatialFeature: square(170, -40) }])
  })
  expect(names).toEqual(order)
  expect(await readAll(hill, `${items}?limit=4`, () => Promise.resolve())).toEqual([
    'p0',
    'p1',
    'p2',
    'p4',
    'p6',
    'p7',
    'p8',
    'p3',
    'p5',
  ])
})

test.each(['after=x', 'after=1.2', 'after=1.0.-3'])('%s is refused with its name', async (query) => {
  const { hill } = await hillFarm()
  const { status, body } = await hill.get(`${items}?${query}`)
  expect(status).toBe(400)
  expect(text(body['detail'])).toContain('after')
})
