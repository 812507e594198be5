/** Hides when work that is nudged from outside runs: soon after a nudge, once for many of them, and now and then without any. */

/** Rung by whoever knows that there may be something to do. */
export type Bell = {
  ring(): void
  /** How often it was rung since it was last asked. */
  take(): number
  /** Settles at the next ring, at once when it was rung since `take`. */
  rung(): Promise<void>
}

export type Nudging = {
  /** How long to wait after a nudge for the others that come with it. */
  readonly settleMs: number
  /** Nudges may be lost, so the work is done at least this often; undefined leaves it to the nudges. */
  readonly catchUpMs: number | undefined
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
  run(occasion: { readonly nudges: number }): Promise<void>
}

/** Makes a bell. */
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

/** Works once at the start, for what was missed, then at each nudge, one run at a time, until the signal is aborted. */
export async function keepNudged(bell: Bell, { settleMs, catchUpMs, sleep, signal, run }: Nudging): Promise<void> {
  for (let nudges = 0; !signal.aborted;) {
    await run({ nudges })
    const stop = new AbortController()
    const until = AbortSignal.any([signal, stop.signal])
    const waits = [
      bell.rung(),
      untilAborted(until),
      ...(catchUpMs === undefined ? [] : [quietly(sleep(catchUpMs, until))]),
    ]
    await Promise.race(waits)
    stop.abort()
    nudges = bell.take()
    // What comes while it settles belongs to this run; what comes while it runs, to the next.
    if (nudges > 0) await quietly(sleep(settleMs, signal))
    nudges += bell.take()
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
