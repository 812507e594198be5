import { describe, expect, test } from 'vitest'
import { runWhenRung, makeBell, type Bell } from '../../src/schedule/nudged.ts'

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

function keeping(catchUpMs: number | undefined, during: (nth: number, bell: Bell) => void = () => undefined) {
  const time = clockwork()
  const silent = makeBell()
  let rings = 0
  const bell: Bell = {
    ...silent,
    ring() {
      rings += 1
      silent.ring()
    },
  }
  const stop = new AbortController()
  const runs: number[] = []
  const kept = runWhenRung(bell, {
    settleMs: 2000,
    catchUpMs,
    sleep: time.sleep,
    signal: stop.signal,
    run() {
      runs.push(rings)
      rings = 0
      during(runs.length, bell)
      return Promise.resolve()
    },
  })
  return { time, bell, stop, runs, kept }
}

describe('work that runs when rung', () => {
  test('runs at the start, then once for all rings that come together', async () => {
    const { time, bell, stop, runs, kept } = keeping(undefined)
    await settled()
    expect(runs).toEqual([0])
    bell.ring()
    await settled()
    bell.ring()
    bell.ring()
    await time.pass(2000)
    expect(runs).toEqual([0, 3])
    stop.abort()
    await kept
  })

  test('runs again for a ring that came while it ran', async () => {
    const { time, stop, runs, kept } = keeping(undefined, (nth, rung) => nth === 1 && rung.ring())
    await time.pass(2000)
    expect(runs).toEqual([0, 1])
    stop.abort()
    await kept
  })

  test('runs without a ring after a long time', async () => {
    const { time, stop, runs, kept } = keeping(60_000)
    await time.pass(60_000)
    await time.pass(60_000)
    expect(runs).toEqual([0, 0, 0])
    stop.abort()
    await kept
    expect(time.waits).toEqual([])
  })
})
