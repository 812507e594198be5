import { describe, expect, test } from 'vitest'
import { keepNudged, makeBell, type Bell } from '../../src/schedule/nudged.ts'

/** Time passes only by `pass`; a wait ends when its time has come, or when it is aborted. */
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
  const bell = makeBell()
  const stop = new AbortController()
  const runs: number[] = []
  const kept = keepNudged(bell, {
    settleMs: 2000,
    catchUpMs,
    sleep: time.sleep,
    signal: stop.signal,
    run({ nudges }) {
      runs.push(nudges)
      during(runs.length, bell)
      return Promise.resolve()
    },
  })
  return { time, bell, stop, runs, kept }
}

describe('work that is nudged', () => {
  test('runs at the start, then once for all nudges that come together', async () => {
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

  test('runs again for a nudge that came while it ran', async () => {
    const { time, stop, runs, kept } = keeping(undefined, (nth, rung) => nth === 1 && rung.ring())
    await time.pass(2000)
    expect(runs).toEqual([0, 1])
    stop.abort()
    await kept
  })

  test('runs without a nudge when it has been long', async () => {
    const { time, stop, runs, kept } = keeping(60_000)
    await time.pass(60_000)
    await time.pass(60_000)
    expect(runs).toEqual([0, 0, 0])
    stop.abort()
    await kept
    expect(time.waits).toEqual([])
  })
})
