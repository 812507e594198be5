/** A service with a dataset that windrow does not know: the embedded one, whose plots get another name in its answers. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startWorld, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = startWorld()
})
afterEach(() => world.close())

const toTroughs = (text: string): string =>
  text.replaceAll('plotResource', 'troughResource').replaceAll(/plots\b/g, 'troughs')
const toPlots = (text: string): string => text.replaceAll('troughResource', 'plotResource')

async function fetchOfTroughs(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (!pathname.startsWith('/data/streaming')) return world.fetch(request)
  const url = request.url.replace('troughs', 'plots')
  const body = request.method === 'POST' ? toPlots(await request.text()) : null
  const answer = await world.fetch(new Request(url, { method: request.method, headers: request.headers, body }))
  const text = await answer.text()
  return new Response(pathname.includes('holdings') ? text : toTroughs(text), answer)
}
const fetch = fetchOfTroughs as typeof globalThis.fetch

test('an import publishes to a dataset that windrow does not know, with a note, and finds its records again', async () => {
  await world.run(
    'import samples/rimu-farm/holdings.csv --to holdings --holding nz.example.farm-number --state state'.split(' '),
    { fetch },
  )
  const ring = '[[175.3,-37.8],[175.31,-37.8],[175.31,-37.79],[175.3,-37.8]]'
  const features = ['T1', 'T2'].map(
    (id) =>
      `{"type":"Feature","properties":{"ID":"${id}","NAME":"Trough ${id}"},"geometry":{"type":"Polygon","coordinates":[${ring}]}}`,
  )
  writeFileSync(
    join(world.folder, 'troughs.geojson'),
    `{"type":"FeatureCollection","features":[${features.join(',')}]}`,
  )
  const words =
    'import troughs.geojson --to troughs --key ID --holding nz.example.farm-number:00412876 --state state'.split(' ')
  const first = await world.run(words, { fetch })
  expect(first.failure).toBeUndefined()
  expect(first.out).toContain('windrow does not know the records of "troughs"')
  expect(first.out).toContain('2 ready = 2 created + 0 updated + 0 refused + 0 unsent')
  expect(first.out).toContain('all 2 seen in the service')
  expect((await world.run(words, { fetch })).out).toContain('2 read = 0 ready + 2 unchanged')
  expect((await world.run(['verify', 'troughs', '--state', 'state'], { fetch })).exit).toBe(0)
  await world.run(['service', 'changes', 'troughs', '-o', 'out.geojson'], { fetch })
  const { features: written } = JSON.parse(readFileSync(join(world.folder, 'out.geojson'), 'utf8')) as {
    features: { geometry: { type: string }; properties: object }[]
  }
  expect(written.map(({ geometry }) => geometry.type)).toEqual(['Polygon', 'Polygon'])
})

test('an unknown word for --to gets a list of the known ones', async () => {
  writeFileSync(join(world.folder, 'troughs.csv'), 'ID,NAME\n1,Trough\n')
  const { failure } = await world.run(['import', 'troughs.csv', '--to', 'silos'], { fetch })
  expect(failure).toMatchObject({ code: 'option-invalid', hint: expect.stringContaining('plots') })
})
