import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { retryAfterMs, usualRetry, waitBeforeRetry } from '../../src/client/exchange.ts'

const now = new Date('2026-11-20T00:00:00Z')

describe('Retry-After', () => {
  test.each([
    ['seconds', '2', 2000],
    ['no wait', '0', 0],
    ['with blanks', ' 30 ', 30_000],
    ['a date', 'Fri, 20 Nov 2026 00:01:00 GMT', 60_000],
    ['a date of the old form', 'Friday, 20-Nov-26 00:00:05 GMT', 5000],
    ['a date of the oldest form', 'Fri Nov 20 00:00:07 2026', 7000],
    ['a date that has passed', 'Fri, 20 Nov 2026 00:00:00 GMT', 0],
    ['a negative number', '-1', undefined],
    ['a fraction', '1.5', undefined],
    ['words', 'soon', undefined],
    ['nothing', '', undefined],
    ['no header', null, undefined],
  ])('%s', (_name, header, expected) => {
    expect(retryAfterMs(header, now)).toBe(expected)
  })

  test('a very long number is not infinity', () => {
    expect(Number.isSafeInteger(retryAfterMs('9'.repeat(400), now))).toBe(true)
  })
})

describe('the wait', () => {
  test('doubles its ceiling up to the limit', () => {
    const ceilings = [1, 2, 3, 4, 5, 6, 7].map((failed) =>
      waitBeforeRetry(usualRetry, { failed, waitedMs: 0 }, () => 1 - 1e-9),
    )
    expect(ceilings).toEqual([499, 999, 1999, 3999, 7999, 15_999, 29_999])
  })

  test('ends with the tries and with the total', () => {
    expect(waitBeforeRetry(usualRetry, { failed: usualRetry.tries, waitedMs: 0 }, () => 0)).toBeUndefined()
    expect(waitBeforeRetry(usualRetry, { failed: 1, waitedMs: usualRetry.totalWaitMs }, () => 0.5)).toBeUndefined()
    expect(waitBeforeRetry(usualRetry, { failed: 1, waitedMs: 0, retryAfterMs: 3_600_000 }, () => 0)).toBeUndefined()
  })

  test('is never shorter than asked, never longer than allowed', () => {
    const cases = fc.record({
      failed: fc.integer({ min: 1, max: 40 }),
      waitedMs: fc.nat(400_000),
      retryAfterMs: fc.option(fc.nat(400_000), { nil: undefined }),
    })
    fc.assert(
      fc.property(cases, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (attempts, random) => {
        const wait = waitBeforeRetry(usualRetry, attempts, () => random)
        if (wait === undefined) return
        expect(wait).toBeGreaterThanOrEqual(attempts.retryAfterMs ?? 0)
        expect(attempts.waitedMs + wait).toBeLessThanOrEqual(usualRetry.totalWaitMs)
        if (attempts.retryAfterMs === undefined) expect(wait).toBeLessThan(usualRetry.mostMs)
      }),
    )
  })
})
