/** Runs work soon after it is asked for, once for many requests, and from time to time without any. */

export type Bell = ReturnType<typeof makeBell>

type Ringing = {
  /** How long to wait after the first ring for others that come with it. */
  readonly settleMs: number
  /** Rings may be lost, so the work also runs this often; undefined: only when rung. */
  readonly catchUpMs: number | undefined
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
  run(): Promise<void>
}

/** Rung by anyone who knows that there may be work. */
export function makeBell() {
  let next = Promise.withResolvers<true>()
  return {
    ring: () => next.resolve(true),
    /** Resolves at the next ring, or at once when it was rung since `silence`. */
    rung: () => next.promise,
    silence: () => void (next = Promise.withResolvers()),
  }
}

/** Runs once at the start, for what was missed, then after each ring, one run at a time, until the signal is aborted. */
export async function runWhenRung(bell: Bell, { settleMs, catchUpMs, sleep, signal, run }: Ringing): Promise<void> {
  const quietly = (ms: number, until: AbortSignal): Promise<false> =>
    sleep(ms, until).then(
      () => false,
      () => false,
    )
  signal.addEventListener('abort', bell.ring, { once: true })
  while (!signal.aborted) {
    await run()
    const stop = new AbortController()
    const catchUp = catchUpMs === undefined ? [] : [quietly(catchUpMs, AbortSignal.any([signal, stop.signal]))]
    const isRung = await Promise.race([bell.rung(), ...catchUp])
    stop.abort()
    // A ring during the wait belongs to this run, a ring during the run to the next.
    if (isRung && !signal.aborted) await quietly(settleMs, signal)
    bell.silence()
  }
}
