/** Runs work soon after it is asked for, once for many requests, and from time to time without any. */

export type Requests = ReturnType<typeof startRequests>

type Running = {
  /** How long to wait after the first request for others that come with it. */
  readonly settleMs: number
  /** Requests may be lost, so the work also runs this often; undefined: only when asked. */
  readonly catchUpMs: number | undefined
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
  run(): Promise<void>
}

/** Requests by whoever knows that there may be work; they add up to one until `forget`. */
export function startRequests() {
  let next = Promise.withResolvers<true>()
  return {
    ask: () => next.resolve(true),
    /** Resolves at the next request, or at once if there was one since `forget`. */
    asked: () => next.promise,
    forget: () => void (next = Promise.withResolvers()),
  }
}

/** Runs once at the start, for what was missed, then after each request, one run at a time, until the signal is aborted. */
export async function runWhenAsked(requests: Requests, { settleMs, catchUpMs, sleep, signal, run }: Running) {
  const quietly = (ms: number, until: AbortSignal) =>
    sleep(ms, until)
      .catch(() => undefined)
      .then(() => false)
  signal.addEventListener('abort', requests.ask, { once: true })
  while (!signal.aborted) {
    await run()
    const stop = new AbortController()
    const catchUp = catchUpMs === undefined ? [] : [quietly(catchUpMs, AbortSignal.any([signal, stop.signal]))]
    const isAsked = await Promise.race([requests.asked(), ...catchUp])
    stop.abort()
    // A request during the wait belongs to this run, one during the run to the next.
    if (isAsked && !signal.aborted) await quietly(settleMs, signal)
    requests.forget()
  }
}
