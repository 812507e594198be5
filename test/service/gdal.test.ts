import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serve, type Served } from '../../src/service/serve.ts'
import { hillFarm, holding, list, plot, square, text, type Tree } from './hill-farm.ts'

/** Hill Farm with 25 plots, every fifth without a boundary, and a second farm with three, all on a socket. */
async function twoFarmsServed() {
  const { service, hill } = await hillFarm()
  const crops = [{ name: 'Lucerne', establishmentDate: '2026-09-03T00:00:00+12:00' }]
  const place = (index: number) => (index % 5 === 4 ? {} : { spatialFeature: square(175.4 + index / 100, -38.1) })
  const keys = Array.from({ length: 25 }, (_, index) => String(index).padStart(3, '0'))
  await hill.post(
    'plots',
    keys.map((key, index) => plot(key, 'HF-0042', { crops, ...place(index) })),
  )
  await hill.post('holdings', [holding('HF-0043')])
  await hill.post(
    'plots',
    ['a', 'b', 'c'].map((key) => plot(key, 'HF-0043', { spatialFeature: square(176, -38.5) })),
  )
  const farms = list((await hill.get('/ogc/collections/holdings/items')).body['features'])
  return { ...(await serve(service)), token: hill.token!, second: text(farms[1]!['id']) }
}

let served: Served & { readonly token: string; readonly second: string }
let folder: string
beforeAll(async () => {
  served = await twoFarmsServed()
  folder = mkdtempSync(join(tmpdir(), 'windrow-gdal-'))
  writeFileSync(join(folder, 'header'), `Authorization: Bearer ${served.token}\n`)
})
afterAll(async () => {
  await served.close()
  rmSync(folder, { recursive: true })
})

/**
 * The requests of GDAL when it opens and reads the service, by version: 3.6 reads in tens and finds the page size nowhere else;
 * 3.12 reads the API document first, then pages in thousands. Recorded from both, for machines without GDAL.
 */
const json = 'application/json'
const features = 'application/geo+json, application/json'
type Recorded = {
  readonly asks: string
  readonly accept: string
  readonly features?: number
  readonly matched?: number
}
const sessions: Readonly<Record<string, readonly Recorded[]>> = {
  'GDAL 3.6 reads all plots': [
    { asks: '/ogc/collections', accept: json },
    { asks: '/ogc/collections/plots/items?limit=10', accept: features, features: 10, matched: 28 },
    { asks: '/ogc/collections/plots/items?limit=10&offset=10', accept: features, features: 10, matched: 28 },
    { asks: '/ogc/collections/plots/items?limit=10&offset=20', accept: features, features: 8, matched: 28 },
  ],
  'GDAL 3.6 reads a box': [
    { asks: '/ogc/collections', accept: json },
    {
      asks: '/ogc/collections/plots/items?limit=10&bbox=175.400000000000006,-38.1099999999999994,175.425000000000011,-38',
      accept: features,
      features: 8,
      matched: 8,
    },
  ],
  'GDAL 3.6 reads the plots of one holding': [
    { asks: '/ogc/collections/holdings/{second}/collections/plots', accept: json },
    {
      asks: '/ogc/collections/holdings/{second}/collections/plots/items?limit=10',
      accept: features,
      features: 3,
      matched: 3,
    },
  ],
  'GDAL 3.6 reads the flat profile': [
    { asks: '/ogc/collections?profile=flat', accept: json },
    { asks: '/ogc/collections/plots/items?limit=10&profile=flat', accept: features, features: 10, matched: 28 },
    {
      asks: '/ogc/collections/plots/items?limit=10&profile=flat&offset=20',
      accept: features,
      features: 8,
      matched: 28,
    },
  ],
  'GDAL 3.12 reads all plots': [
    { asks: '/ogc/collections', accept: json },
    { asks: '/ogc', accept: json },
    { asks: '/ogc/api', accept: 'application/vnd.oai.openapi+json;version=3.0' },
    { asks: '/ogc/collections/plots/items?limit=20', accept: features, features: 20, matched: 28 },
    { asks: '/ogc/collections/plots/items?limit=1000', accept: features, features: 28, matched: 28 },
  ],
  'GDAL 3.12 reads one farm by its own root': [
    { asks: '/ogc/farms/{second}/collections', accept: json },
    { asks: '/ogc/farms/{second}', accept: json },
    { asks: '/ogc/farms/{second}/api', accept: 'application/vnd.oai.openapi+json;version=3.0' },
    { asks: '/ogc/farms/{second}/collections/plots/items?limit=20', accept: features, features: 3, matched: 3 },
  ],
}

describe('the requests of GDAL', () => {
  test.each(Object.entries(sessions))('%s', async (_, recorded) => {
    for (const { asks, accept, ...counts } of recorded) {
      const address = served.url + asks.replace('{second}', served.second)
      const headers = { Accept: accept, Authorization: `Bearer ${served.token}` }
      const answer = await fetch(address, { headers })
      expect([asks, answer.status]).toEqual([asks, 200])
      // Any other type, text/plain for one, is refused on every call.
      expect(answer.headers.get('content-type')).toMatch(/^application\/(geo\+|vnd\.oai\.openapi\+)?json(;|$)/)
      const body = (await answer.json()) as Tree
      if (counts.features === undefined) continue
      expect([asks, list(body['features']).length]).toEqual([asks, counts.features])
      expect(body).toMatchObject({ numberReturned: counts.features, numberMatched: counts.matched })
    }
  })

  test('the collection that it opens has count, extent and items, so that it need not read everything first', async () => {
    const headers = { Authorization: `Bearer ${served.token}` }
    const { collections } = (await (await fetch(`${served.url}/ogc/collections`, { headers })).json()) as Tree
    const plots = list(collections).find(({ id }) => text(id) === 'plots')!
    expect(plots['itemCount']).toBe(28)
    expect(plots['extent']!['spatial']!['bbox']).toEqual([[175.4, -38.5, 176.002, -38.098]])
    const items = { href: `${served.url}/ogc/collections/plots/items`, rel: 'items', type: 'application/geo+json' }
    expect(plots['links']).toContainEqual(expect.objectContaining(items))
  })
})

const run = promisify(execFile)
const hasDriver = spawnSync('ogrinfo', ['--formats'], { encoding: 'utf8' }).stdout?.includes('OAPIF') === true

/** The service answers in this process, so GDAL must not block it. */
async function gdal(program: string, ...words: readonly string[]): Promise<string> {
  const env = { ...process.env, GDAL_HTTP_HEADER_FILE: join(folder, 'header') }
  return (await run(program, [...words], { env, encoding: 'utf8' })).stdout
}

describe.skipIf(!hasDriver)('GDAL itself', () => {
  test('lists the collections, and counts and bounds one', async () => {
    const layers = await gdal('ogrinfo', `OAPIF:${served.url}/ogc`)
    for (const name of ['holdings', 'plots', 'land-covers']) expect(layers).toContain(name)
    const plots = await gdal('ogrinfo', '-so', `OAPIF:${served.url}/ogc`, 'plots')
    expect(plots).toContain('Feature Count: 28')
    expect(plots).toContain('Extent: (175.400000, -38.500000) - (176.002000, -38.098000)')
  })

  test('pages through everything, and through one holding alone on both of its addresses', async () => {
    const count = async (address: string) => {
      const file = join(folder, 'read.geojson')
      await gdal('ogr2ogr', '-f', 'GeoJSON', file, `OAPIF:${served.url}${address}`, 'plots', '-overwrite')
      const read = list((JSON.parse(readFileSync(file, 'utf8')) as Tree)['features'])
      rmSync(file)
      // Newer versions write the id as the id of the feature.
      return new Set(read.map((feature) => text(feature['id'] ?? feature['properties']!['id']))).size
    }
    expect(await count('/ogc')).toBe(28)
    expect(await count(`/ogc/collections/holdings/${served.second}/collections/plots`)).toBe(3)
    expect(await count(`/ogc/farms/${served.second}`)).toBe(3)
  })

  test('filters by a box', async () => {
    const box = ['-spat', '175.4', '-38.11', '175.425', '-38']
    const found = await gdal('ogrinfo', '-so', ...box, `OAPIF:${served.url}/ogc`, 'plots')
    expect(found).toContain('Feature Count: 3\n')
    const rows = await gdal('ogr2ogr', '-f', 'CSV', '/vsistdout/', `OAPIF:${served.url}/ogc`, 'plots', ...box)
    expect(rows.trim().split('\n').slice(1)).toHaveLength(3)
  })

  test('reads the flat profile into typed columns', async () => {
    const flat = await gdal('ogrinfo', '-so', `OAPIF:${served.url}/ogc?profile=flat`, 'plots')
    expect(flat).toContain('Name: String')
    expect(flat).toContain('Total area (ha): Real')
    expect(flat).toContain('Crop 1 establishment date: DateTime')
    expect(flat).toContain('Deleted: Integer(Boolean)')
    expect(flat).toContain('Identifier (nz.example.farm-number): String')
    const rows = await gdal('ogr2ogr', '-f', 'CSV', '/vsistdout/', `OAPIF:${served.url}/ogc?profile=flat`, 'plots')
    expect(rows.trim().split('\n')).toHaveLength(29)
    expect(rows).toContain('HF-0042/007')
  })
})
