/** Decides whether and when to try again. */

/** At most `tries` attempts; the wait before the n-th is random below `firstMs` doubled n times, never above `mostMs`. */
export type RetryPolicy = {
  readonly tries: number
  readonly firstMs: number
  readonly mostMs: number
  readonly totalWaitMs: number
}

/** About half a minute for a silent service, up to five minutes for one that asks for a wait. */
export const usualRetry: RetryPolicy = { tries: 8, firstMs: 500, mostMs: 30_000, totalWaitMs: 300_000 }

/** Failed attempts so far, time spent waiting, and the wait that the last answer asked for. */
export type Attempts = {
  readonly failed: number
  readonly waitedMs: number
  readonly retryAfterMs?: number | undefined
}

const longestWaitMs = 366 * 86_400_000

/** Reads a Retry-After header, seconds or a date (RFC 9110, 10.2.3), as milliseconds from now; undefined when it is neither. */
export function retryAfterMs(header: string | null, now: Date): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, longestWaitMs)
  // Date.parse alone would read "2" or "-1" as years.
  if (!/^[A-Za-z]{3,9},? /.test(text)) return undefined
  // The oldest of the three forms has no zone, and means GMT too.
  const at = Date.parse(/(GMT|UTC)$/.test(text) ? text : `${text} GMT`)
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - now.getTime()), longestWaitMs)
}

/**
 * The wait before the next attempt, or undefined when tries or time are used up. Full jitter, so that many clients do not
 * return at once; the wait that the service asked for is the least, and one that exceeds the total ends the attempts.
 */
export function waitBeforeRetry(policy: RetryPolicy, attempts: Attempts, random: () => number): number | undefined {
  if (attempts.failed >= policy.tries) return undefined
  const ceiling = Math.min(policy.mostMs, policy.firstMs * 2 ** Math.max(0, attempts.failed - 1))
  const jitter = Math.floor(random() * ceiling)
  const wait = attempts.retryAfterMs === undefined ? jitter : attempts.retryAfterMs + Math.min(jitter, policy.firstMs)
  return attempts.waitedMs + wait > policy.totalWaitMs ? undefined : wait
}
