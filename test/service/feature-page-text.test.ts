import { expect, test } from 'vitest'
import { layoutOf } from '../../src/service/feature-page-text.ts'
import { farmNumber, hillFarm, holding, list, plot, square, text, type Tree } from './hill-farm.ts'

const items = '/ogc/collections/plots/items'

/** Plots whose texts are made of every kind of part, on two holdings. */
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
  ['that the database writes', async () => undefined],
  [
    'with one that is written by itself',
    async (hill: Hill) => hill.post('plots', [plot('6', undefined, { links: related })]),
  ],
  ['with gaps', async (hill: Hill) => remove(hill, '4')],
])('a page %s has the very features that are served one by one', async (_, change) => {
  const { hill } = await manyKinds()
  await change(hill)
  for (const query of ['', '?limit=2&offset=1', '?bbox=175,-39,175.5,-37', '?datetime=2026-12-01T00:00:00Z'])
    // The second time, the list of all numbers is remembered.
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

test.each([
  ['', null, 0],
  ['"name":"a"', 0, 0],
  ['"spatialFeature":{"geometry":{"a":1}}', 30, 7],
  ['"name":"ā","spatialFeature":{"geometry":null}', 0, 0],
  ['"links":[],"name":"a"', null, 0],
  [`"name":"${'a'.repeat(70_000)}"`, null, 0],
])('the layout of %.40s', (body, start, length) => {
  expect(layoutOf(Buffer.from(body))).toEqual({ start, length })
})
