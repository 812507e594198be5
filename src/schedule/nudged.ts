/** Runs work soon after it is asked for, once for many requests, and from time to time without any. */

/** Rung by anyone who knows that there may be work. */
export type Bell = {
  ring(): void
  /** How often it was rung since the last call. */
  take(): number
  /** Resolves at the next ring, or at once when it was rung since `take`. */
  rung(): Promise<void>
}

export type Ringing = {
  /** How long to wait after the first ring for others that come with it. */
  readonly settleMs: number
  /** Rings may be lost, so the work also runs this often; undefined: only when rung. */
  readonly catchUpMs: number | undefined
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
  run(occasion: { readonly rings: number }): Promise<void>
}

export function makeBell(): Bell {
  let rings = 0
  let hear = (): void => undefined
  return {
    ring() {
      rings += 1
      hear()
    },
    take() {
      const taken = rings
      rings = 0
      return taken
    },
    rung: () => (rings > 0 ? Promise.resolve() : new Promise((resolve) => (hear = resolve))),
  }
}

/** Runs once at the start, for what was missed, then after each ring, one run at a time, until the signal is aborted. */
export async function runWhenRung(bell: Bell, { settleMs, catchUpMs, sleep, signal, run }: Ringing): Promise<void> {
  for (let rings = 0; !signal.aborted;) {
    await run({ rings })
    const stop = new AbortController()
    const until = AbortSignal.any([signal, stop.signal])
    const waits = [
      bell.rung(),
      untilAborted(until),
      ...(catchUpMs === undefined ? [] : [quietly(sleep(catchUpMs, until))]),
    ]
    await Promise.race(waits)
    stop.abort()
    rings = bell.take()
    // A ring during the wait belongs to this run, a ring during the run to the next.
    if (rings > 0) await quietly(sleep(settleMs, signal))
    rings += bell.take()
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

function quietly(sleeping: Promise<void>): Promise<void> {
  return sleeping.catch(() => undefined)
}
