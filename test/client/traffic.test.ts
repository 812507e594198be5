import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { connectTo } from '../../src/client/connection.ts'
import { openTraffic, type Pauses } from '../../src/client/traffic.ts'
import { json, problem, profile, scriptedWorld } from './scripted-service.ts'

// The times are those of a clock that the tests move, so that it does not matter how busy the machine is.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }))
afterEach(() => void vi.useRealTimers())

const callers = 12
const usualMs = 20
const slowMs = 6000
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

type Trouble = { readonly from: number; readonly to: number; readonly is: 'slow' | 'too many requests' }

/** Calls a service from 12 places at once, `calls` times, and notes each request as it goes out. The trouble is with some of them. */
async function callOften(calls: number, { trouble, pauses }: { trouble?: Trouble; pauses?: Pauses } = {}) {
  const requests: { readonly at: number; readonly underWay: number }[] = []
  let underWay = 0
  const world = scriptedWorld(async (_sent, nth) => {
    requests.push({ at: performance.now(), underWay: (underWay += 1) })
    const isBad = trouble !== undefined && nth >= trouble.from && nth < trouble.to
    await wait(isBad && trouble.is === 'slow' ? slowMs : usualMs)
    underWay -= 1
    return isBad && trouble.is !== 'slow' ? problem(429, 'Too many requests', { 'Retry-After': '0' }) : json([])
  })
  const client = connectTo(
    profile,
    { ...world, clock: () => new Date(), sleep: wait },
    { traffic: openTraffic(pauses), retry: { firstMs: 100, tries: 20 } },
  )
  let left = calls
  const call = async (): Promise<void> => {
    while ((left -= 1) >= 0) await client.datasets()
  }
  let isDone = false
  const all = Promise.all(Array.from({ length: callers }, call)).finally(() => (isDone = true))
  while (!isDone) await vi.advanceTimersByTimeAsync(usualMs)
  await all
  return {
    requests: requests.length,
    mostUnderWay: (from: number, to: number) => Math.max(...requests.slice(from, to).map((each) => each.underWay)),
    perSecond: (from: number, to: number) => (1000 * (to - from)) / (requests[to]!.at - requests[from]!.at),
  }
}

test('a healthy service is asked as often as before', async () => {
  const { mostUnderWay } = await callOften(200)
  expect(mostUnderWay(100, 200)).toBe(callers)
})

test('a service that gets slow is asked less often, one request at a time in the end, and then as before', async () => {
  const { mostUnderWay, perSecond } = await callOften(400, { trouble: { from: 100, to: 126, is: 'slow' } })
  expect(mostUnderWay(0, 90)).toBe(callers)
  expect(mostUnderWay(122, 126)).toBeLessThanOrEqual(2)
  expect(perSecond(120, 125)).toBeLessThan(perSecond(10, 90) / 100)
  expect(mostUnderWay(250, 390)).toBe(callers)
  expect(perSecond(300, 390)).toBeGreaterThan(100 * perSecond(120, 125))
})

test('a service that answers 429 is asked less often, and then as before', async () => {
  const trouble = { from: 100, to: 124, is: 'too many requests' } as const
  const { requests, mostUnderWay, perSecond } = await callOften(400, { trouble })
  expect(requests).toBe(424)
  expect(mostUnderWay(0, 90)).toBe(callers)
  expect(mostUnderWay(120, 124)).toBeLessThanOrEqual(2)
  expect(perSecond(114, 124)).toBeLessThan(perSecond(10, 90) / 10)
  expect(mostUnderWay(300, 400)).toBe(callers)
})

test('a pause that another worker heard slows this one down, too', async () => {
  const until = Date.now() + 300
  const { mostUnderWay } = await callOften(200, {
    pauses: { get: () => until, set: () => undefined, delete: () => undefined },
  })
  expect(mostUnderWay(0, 10)).toBeLessThan(callers)
  expect(mostUnderWay(150, 200)).toBe(callers)
})
