import { describe, expect, test } from 'vitest'
import { runWhenAsked, startRequests, type Requests } from '../../src/schedule/run-when-asked.ts'

/** Time passes only by `pass`; a wait ends when its time is over or when it is aborted. */
function clockwork() {
  const waits: { readonly ms: number; readonly end: () => void }[] = []
  return {
    waits,
    sleep: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const wait = { ms, end: resolve }
        waits.push(wait)
        signal.addEventListener('abort', () => {
          waits.splice(waits.indexOf(wait), 1)
          reject(signal.reason as Error)
        })
      }),
    async pass(ms: number) {
      await settled()
      const at = waits.findIndex((wait) => wait.ms === ms)
      expect(at, `a wait of ${ms}`).not.toBe(-1)
      waits.splice(at, 1)[0]!.end()
      await settled()
    },
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2))

function keeping(catchUpMs: number | undefined, during: (nth: number, requests: Requests) => void = () => undefined) {
  const time = clockwork()
  const silent = startRequests()
  let asks = 0
  const requests: Requests = {
    ...silent,
    ask() {
      asks += 1
      silent.ask()
    },
  }
  const stop = new AbortController()
  const runs: number[] = []
  const kept = runWhenAsked(requests, {
    settleMs: 2000,
    catchUpMs,
    sleep: time.sleep,
    signal: stop.signal,
    run() {
      runs.push(asks)
      asks = 0
      during(runs.length, requests)
      return Promise.resolve()
    },
  })
  return { time, requests, stop, runs, kept }
}

describe('work that runs when it is asked for', () => {
  test('runs at the start, then once for all requests that come together', async () => {
    const { time, requests, stop, runs, kept } = keeping(undefined)
    await settled()
    expect(runs).toEqual([0])
    requests.ask()
    await settled()
    requests.ask()
    requests.ask()
    await time.pass(2000)
    expect(runs).toEqual([0, 3])
    stop.abort()
    await kept
  })

  test('runs again when it was asked for while it ran', async () => {
    const { time, stop, runs, kept } = keeping(undefined, (nth, requests) => nth === 1 && requests.ask())
    await time.pass(2000)
    expect(runs).toEqual([0, 1])
    stop.abort()
    await kept
  })

  test('runs without being asked after a long time', async () => {
    const { time, stop, runs, kept } = keeping(60_000)
    await time.pass(60_000)
    await time.pass(60_000)
    expect(runs).toEqual([0, 0, 0])
    stop.abort()
    await kept
    expect(time.waits).toEqual([])
  })
})
