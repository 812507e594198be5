import { beforeAll, describe, expect, test } from 'vitest'
import {
  accountConfig,
  base,
  farmNumber,
  hillFarm,
  holding,
  list,
  openService,
  plot,
  plotsPath,
  signIn,
  square,
  type Tree,
} from './hill-farm.ts'

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** The longest time between two rounds of the event loop, in milliseconds of processor time. */
async function longestHold(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let since = cpuMs()
  let isOver = false
  const watch = (): void => {
    const now = cpuMs()
    longest = Math.max(longest, now - since)
    since = now
    if (!isOver) setImmediate(watch)
  }
  setImmediate(watch)
  await work()
  // Work that never pauses keeps this watch from running too.
  isOver = true
  return Math.max(longest, cpuMs() - since)
}

const at = (index: number) => square(170 + (index % 300) * 0.01, -40 - Math.floor(index / 300) * 0.01)
const plots = (count: number, name: string) =>
  JSON.stringify(
    Array.from({ length: count }, (_, index) =>
      plot(String(index), undefined, { name: `${name} ${index}`, spatialFeature: at(index) }),
    ),
  )

/** What this machine needs to read and write 10,000 plots, in milliseconds of processor time. */
function yardstickMs(): number {
  const begun = cpuMs()
  expect(JSON.stringify(JSON.parse(yardstick))).toBe(yardstick)
  return cpuMs() - begun
}
const yardstick = plots(10_000, 'Rāhui')

/** Expects that the others wait no longer than three times as long as the yardstick takes, which is 0.2 s on a usual machine. */
async function expectShortHolds(work: () => Promise<unknown>): Promise<void> {
  const before = yardstickMs()
  const hold = await longestHold(work)
  expect(hold).toBeLessThan(3 * Math.max(before, yardstickMs()))
}

describe('no request holds the others for long', () => {
  let world: Awaited<ReturnType<typeof hillFarm>>

  // Reads the answer but does not parse it: that would hold the thread that is measured.
  const answer = async (url: string, init: RequestInit = {}): Promise<Buffer> => {
    const headers = { Authorization: `Bearer ${world.hill.token}`, 'Content-Type': 'application/json' }
    const response = await world.service.fetch(new Request(url, { ...init, headers }))
    expect(response.status).toBe(200)
    const chunks: Uint8Array[] = []
    for await (const chunk of response.body!) chunks.push(chunk)
    return Buffer.concat(chunks)
  }

  beforeAll(async () => {
    const holdings = [farmNumber('HF-0042')]
    world = await hillFarm({ accounts: { accounts: [accountConfig('hill', { holdings })] } })
    const workRecords = Array.from({ length: 3_000 }, (_, index) => ({
      operation: 'CropProtection',
      status: 'Complete',
      holding: { identifier: farmNumber('HF-0042') },
      meta: { sourceId: { scheme: 'nz.example.job', id: String(index) }, modified: '2026-11-19T20:15:00Z' },
      remark: 'x'.repeat(2_000),
    }))
    expect(world.service.load({ workRecords }).workRecords.stored).toBe(3_000)
  })

  test.each(['Pātiki', 'Rāhui'])('when 10,000 plots are posted, named %s', async (name) => {
    const body = plots(10_000, name)
    let written: Buffer | undefined
    await expectShortHolds(async () => (written = await answer(plotsPath, { method: 'POST', body })))
    const results = list(JSON.parse(String(written)) as Tree)
    expect(results.every(({ index, successful }, place) => Number(index) === place && Boolean(successful))).toBe(true)
    expect(results).toHaveLength(10_000)
  })

  test.each<[string, (turn: number) => string]>([
    ['pages', (turn) => `/ogc/collections/plots/items?limit=3000&offset=${(turn % 3) * 3_000}`],
    ['flat pages', (turn) => `/ogc/collections/plots/items?profile=flat&limit=3000&offset=${(turn % 3) * 3_000}`],
    ['boxes', (turn) => `/ogc/collections/plots/items?bbox=${170 + turn / 1000},-50,180,-30`],
    ['pages of the feed', () => '/data/streaming/datasets/plots/changes?limit=3000'],
    ['pages of work records', () => '/data/crops/work-records?limit=3000'],
  ])('when ten %s are asked for at once', async (_, path) => {
    const tenTimes = () => Promise.all(Array.from({ length: 10 }, (__, turn) => answer(base + path(turn))))
    await expectShortHolds(tenTimes)
  })
})

test('the lists of an account are stored in the order in which they came, a long one before a short one', async () => {
  const { hill } = await hillFarm()
  const long = hill.post('plots', plots(1_000, 'Pātiki'))
  const short = hill.post('plots', [plot('999', undefined, { name: 'Last' }), plot('short')])
  for (const { status } of await Promise.all([long, short])) expect(status).toBe(200)
  const { body } = await hill.get('/ogc/collections/plots/items?offset=999')
  const names = list(body['features']).map((each) => each['properties']!['agriculture']!['name'])
  expect(names).toEqual(['Last', 'Pātiki short'])
})

describe('a box', () => {
  const round = (key: string, points: number) => {
    const corners = Array.from({ length: points }, (_, index) => {
      const angle = (index / points) * 2 * Math.PI
      return [175 + Math.cos(angle) * 0.05, -38 + Math.sin(angle) * 0.05]
    })
    const coordinates = [[...corners, corners[0]!]]
    return plot(key, 'HF-0042', { spatialFeature: { type: 'Feature', geometry: { type: 'Polygon', coordinates } } })
  }

  test('takes no time for boundaries that the caller may not see, indexed or not', async () => {
    const { service, hill } = await hillFarm()
    const rimu = await signIn(service, 'rimu')
    await rimu.post('holdings', [holding('RIMU')])
    let west = 175.03
    const cost = async (who: typeof hill, found: number): Promise<number> => {
      // Another box each time: what was found in the same one is kept.
      west += 1e-6
      const begun = cpuMs()
      const { body } = await who.get(`/ogc/collections/plots/items?bbox=${west},-38.0301,175.0301,-38.03`)
      expect(body['numberMatched']).toBe(found)
      return cpuMs() - begun
    }
    await cost(rimu, 0)
    for (const key of ['1', '2', '3', '4', '5']) await hill.post('plots', [round(key, 50_000)])
    const beforeIndex = await cost(rimu, 0)
    const own = await cost(hill, 5)
    const afterIndex = await cost(rimu, 0)
    expect(Math.max(beforeIndex, afterIndex)).toBeLessThan(own / 10)
  })

  test('finds a record without a boundary by its centroid', async () => {
    const { hill } = await hillFarm()
    const centroid = { type: 'Point', coordinates: [175.88, -38.41] }
    await hill.post('plots', [
      plot('1', undefined, { centroid }),
      plot('2', undefined, { centroid, spatialFeature: null }),
      plot('3', undefined, { centroid, spatialFeature: square(10, 50) }),
      plot('4', undefined, { centroid: null }),
    ])
    const names = async (box: string): Promise<readonly unknown[]> =>
      list((await hill.get(`/ogc/collections/plots/items?bbox=${box}`)).body['features']).map(
        (each) => each['properties']!['agriculture']!['name'],
      )
    expect(await names('175.8,-38.5,175.9,-38.4')).toEqual(['Pātiki 1', 'Pātiki 2', 'Pātiki 4'])
    expect(await names('10,50,11,51')).toEqual(['Pātiki 3', 'Pātiki 4'])
  })
})

test('after a failure in the middle of a long list, each result reports whether its record is stored', async () => {
  const faults: unknown[] = []
  let left = Infinity
  const clock = (): Date => {
    if ((left -= 1) < 0) throw new Error('the clock stopped')
    return new Date('2026-11-20T00:00:00Z')
  }
  const service = openService({ clock, onFault: (cause) => void faults.push(cause) })
  const { hill } = await hillFarm({}, service)
  left = 7_000
  const { status, body } = await hill.post('plots', plots(12_000, 'Pātiki'))
  left = Infinity
  expect(status).toBe(200)
  const stored = list(body).filter(({ successful }) => Boolean(successful)).length
  expect(stored).toBe(5_000)
  expect(list(body)[5_000]).toMatchObject({ index: 5_000, successful: false, error: expect.stringContaining('again') })
  expect(list(body)).toHaveLength(12_000)
  expect((await hill.get('/ogc/collections/plots/items')).body['numberMatched']).toBe(stored)
  expect(faults).toHaveLength(1)
})
