import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { collection, keyOf, paddock, rimu, startFarm, type Farm, type Fetch } from './farm.ts'

const pipeline = (file: string, more = ''): string => `windrow: 1
import: plots
from: { file: ${file} }
holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }
key: <No>
record: { name: <Name> }
${more}`
const nightly = pipeline('nightly.csv')

let farm: Farm
beforeEach(async () => {
  farm = await startFarm()
})
afterEach(() => farm.close())

/** The feed of a service that shows nothing of what it has. */
const hideFeed: Fetch = async (input, init) => {
  const response = await farm.direct(input, init)
  if (!(input as Request).url.includes('/changes')) return response
  const items = (await response.json()) as readonly { readonly id?: string }[]
  return Response.json(items.filter(({ id }) => id?.startsWith('@') === true))
}
const refuseFeatures: Fetch = (input, init) =>
  (input as Request).url.includes('/ogc/')
    ? Promise.resolve(new Response('{}', { status: 403 }))
    : hideFeed(input, init)

const nightOf = (names: readonly string[]): string =>
  farm.write('nightly.csv', `No,Name\n${names.map((name, at) => `${at + 1},${name}`).join('\n')}\n`)
const boundaries = async (): Promise<readonly boolean[]> =>
  [...(await farm.held('plots')).values()].map((each) => 'spatialFeature' in each)

describe('records that the feed does not show, in a ledger that lost them,', () => {
  beforeEach(async () => {
    farm.write('map.geojson', collection([1, 2, 3].map((No) => paddock(No, { No, Name: `Paddock ${No}` }))))
    expect(await farm.run(pipeline('map.geojson'), { name: 'map' })).toMatchObject({ records: { created: 3 } })
    rmSync(join(farm.folder, '.windrow'), { recursive: true })
    nightOf(['North', 'Paddock 2', 'Paddock 3'])
  })

  test('keep their boundaries: the run stops, and the next one reads the feed from its start', async () => {
    const stopped = await farm.run(nightly, { fetch: hideFeed })
    expect(stopped).toMatchObject({ exit: 4, error: { code: 'service-confused' }, records: { created: 0 } })
    expect(stopped.error!.message).toContain('The service has 3 of these plots with a boundary')
    expect(await boundaries()).toEqual([true, true, true])
    expect(await farm.run(nightly)).toMatchObject({ exit: 0, records: { updated: 1 } })
    expect(await boundaries()).toEqual([true, true, true])
    expect((await farm.held('plots')).get(keyOf('plots', rimu, '1'))).toMatchObject({ name: 'North' })
  })

  test('do not stop a file with boundaries, or with other records', async () => {
    farm.write('nightly.csv', 'No,Name\n7,House\n')
    expect(await farm.run(nightly, { fetch: hideFeed })).toMatchObject({ records: { created: 1 } })
    expect(await farm.run(pipeline('map.geojson'), { fetch: hideFeed })).toMatchObject({ records: { created: 3 } })
  })

  test('do not stop a run for which the service shows no features', async () => {
    expect(await farm.run(nightly, { fetch: refuseFeatures })).toMatchObject({ records: { created: 3 } })
  })
})
