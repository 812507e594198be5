import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileDatePattern } from '../../src/core/values/date-pattern.ts'
import { runs } from '../runs.ts'

type Spelt = { readonly pattern: string; readonly regex: RegExp }

// The same patterns as regular expressions, written out by hand.
const patterns: readonly Spelt[] = [
  { pattern: 'd/M/yyyy', regex: /^(?<d>\d{1,2})\/(?<M>\d{1,2})\/(?<y>\d{4})$/u },
  { pattern: 'yyyyMMdd', regex: /^(?<y>\d{4})(?<M>\d{2})(?<d>\d{2})$/u },
  { pattern: 'dd.MM.yyyy H:mm', regex: /^(?<d>\d{2})\.(?<M>\d{2})\.(?<y>\d{4})\s+(?<H>\d{1,2}):(?<m>\d{2})$/u },
  {
    pattern: "yyyy-MM-dd'T'HH:mm:ssX",
    regex: /^(?<y>\d{4})-(?<M>\d\d)-(?<d>\d\d)T(?<H>\d\d):(?<m>\d\d):(?<s>\d\d)(?<X>z|[+-]\d{2}(?::?\d{2})?)$/iu,
  },
  {
    pattern: 'yyyy-MM-dd HH:mmXXX',
    regex: /^(?<y>\d{4})-(?<M>\d\d)-(?<d>\d\d)\s+(?<H>\d\d):(?<m>\d\d)(?<X>z|[+-]\d{2}:\d{2})$/iu,
  },
]
const two = fc.integer({ min: 0, max: 99 }).chain((n) => fc.constantFrom(String(n), String(n).padStart(2, '0')))
const piece = fc.oneof(
  two,
  fc.constantFrom('2026', '/', '-', '.', ' ', '\u00a0', 'T', 't', ':', 'Z', 'z', '+', '+12:00', '-0330', '+12'),
)
const byForm = fc
  .constantFrom(...patterns)
  .chain(({ pattern }) =>
    fc
      .tuple(
        ...[...pattern.replaceAll("'", '').matchAll(/y+|M+|d+|H+|m+|s+|X+|./g)].map(([token]) =>
          /[yMdHmsX]/.test(token)
            ? token.startsWith('y')
              ? fc.constantFrom('2026', '0000', '26')
              : token.startsWith('X')
                ? piece
                : two
            : fc.oneof({ weight: 20, arbitrary: fc.constant(token) }, { weight: 1, arbitrary: piece }),
        ),
      )
      .map((pieces) => pieces.join('')),
  )

test('a date is read as the regular expression of its pattern, written out by hand, reads it', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        byForm,
        fc.array(piece, { maxLength: 9 }).map((pieces) => pieces.join('')),
      ),
      (text) => {
        for (const { pattern, regex } of patterns) {
          const compiled = compileDatePattern(pattern)
          if (typeof compiled === 'string') throw new Error(compiled)
          const reading = compiled.read(text)
          const groups = regex.exec(text)?.groups
          expect(reading !== undefined).toBe(groups !== undefined)
          if (typeof reading !== 'object' || groups === undefined) continue
          const { y, M, d, H = '0', m = '0', s = '0', X } = groups
          const { year, month, day, hour, minute, second, offset } = reading
          expect([year, month, day, hour, minute, second]).toEqual([y, M, d, H, m, s].map(Number))
          const digits = X?.slice(1).replace(':', '').padEnd(4, '0')
          expect(offset).toBe(
            X === undefined ? undefined : /z/i.test(X) ? 'Z' : `${X[0]}${digits!.slice(0, 2)}:${digits!.slice(2)}`,
          )
        }
      },
    ),
    { numRuns: runs(3000) },
  )
})
