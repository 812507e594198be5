import { afterEach, expect, test } from 'vitest'
import { connectTo } from '../../src/client/connection.ts'
import { openTraffic, type Pauses } from '../../src/client/traffic.ts'
import { createService, type Service } from '../../src/service/create.ts'
import type { FaultPlan } from '../../src/service/faults/faults.ts'
import { serve, type Served } from '../../src/service/serve.ts'
import { demoCredentials } from '../../src/service/store/accounts.ts'
import { world } from './loopback.ts'

let service: Service | undefined
let served: Served | undefined
afterEach(stop)

async function stop(): Promise<void> {
  await served?.close()
  service?.close()
}

const callers = 12
// Real time decides here, and other programs on the machine have a say in it.
const patient = { retry: 2 }
const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index)

/** Calls a service on a real socket from 12 places at once, `calls` times, and notes each request as it goes out. */
async function callOften(
  calls: number,
  faults: FaultPlan['faults'],
  { pauses, neverSlowMs, seen = calls }: { pauses?: Pauses; neverSlowMs?: number; seen?: number } = {},
) {
  service = createService({ demo: true, ...(faults.length === 0 ? {} : { faults: { faults } }) })
  served = await serve(service, { graceMs: 100 })
  const requests: { readonly at: number; readonly underWay: number }[] = []
  let underWay = 0
  const client = connectTo(
    { name: 'demo', service: served.url, tokenUrl: served.authUrl, ...demoCredentials },
    {
      ...world,
      async fetch(request) {
        requests.push({ at: performance.now(), underWay: (underWay += 1) })
        return fetch(request).finally(() => (underWay -= 1))
      },
    },
    { traffic: openTraffic(pauses, neverSlowMs), retry: { firstMs: 100, tries: 20 } },
  )
  await client.signIn()
  requests.length = 0
  let left = calls
  const call = async (): Promise<void> => {
    while ((left -= 1) >= 0) await client.datasets()
  }
  await Promise.all(numbers(0, callers).map(call))
  expect(requests.length).toBeGreaterThanOrEqual(seen)
  return {
    mostUnderWay: (from: number, to: number) => Math.max(...requests.slice(from, to).map((each) => each.underWay)),
    perSecond: (from: number, to: number) => (1000 * (to - from)) / (requests[to]!.at - requests[from]!.at),
  }
}

test('a healthy service is asked as often as before', async () => {
  const { mostUnderWay } = await callOften(200, [])
  expect(mostUnderWay(100, 200)).toBe(callers)
})

test(
  'a service that gets slow is asked less often, with few requests at once in the end, and then as before',
  patient,
  async () => {
    // On a busy machine a healthy service is slow, too.
    const { perSecond: usually } = await callOften(100, [])
    const neverSlowMs = Math.max(150, (4 * callers * 1000) / usually(20, 90))
    await stop()
    const slow = { fault: 'slow', on: 'datasets', ms: Math.round(2 * neverSlowMs), at: numbers(101, 127) } as const
    const { mostUnderWay, perSecond } = await callOften(400, [slow], { neverSlowMs })
    expect(mostUnderWay(0, 90)).toBe(callers)
    expect(mostUnderWay(122, 126)).toBeLessThanOrEqual(callers / 4)
    // All twelve at once would be 50 a second.
    expect(perSecond(120, 126)).toBeLessThan(10)
    expect(mostUnderWay(250, 390)).toBe(callers)
    expect(perSecond(300, 390)).toBeGreaterThan(5 * perSecond(120, 126))
  },
)

test('a service that answers 429 is asked less often, and then as before', patient, async () => {
  const tooMany = { fault: 'too-many', on: 'datasets', retryAfterS: 0, at: numbers(101, 125) } as const
  const { mostUnderWay, perSecond } = await callOften(400, [tooMany], { seen: 424 })
  expect(mostUnderWay(0, 90)).toBe(callers)
  expect(mostUnderWay(120, 124)).toBeLessThanOrEqual(callers / 4)
  expect(perSecond(114, 124)).toBeLessThan(perSecond(10, 90) / 4)
  expect(mostUnderWay(300, 400)).toBe(callers)
})

test('a pause that another worker heard slows this one down, too', async () => {
  const until = Date.now() + 300
  const { mostUnderWay } = await callOften(200, [], {
    pauses: { get: () => until, set: () => undefined, delete: () => undefined },
  })
  expect(mostUnderWay(0, 10)).toBeLessThan(callers)
  expect(mostUnderWay(150, 200)).toBe(callers)
})
