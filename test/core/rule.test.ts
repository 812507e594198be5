import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judge, readLimit, readRuling, spellLimit, usualPolicy, type Limit, type Rule } from '../../src/core/rule.ts'

const place = { source: 'a.csv', row: -1 }

type Counts = { readonly count: number; readonly total: number; readonly mayGo?: number }

const base = { about: 'night', usual: 'stop', why: 'Too many.' } as const
const many: Rule<Counts, Counts> = {
  ...base,
  id: 'many',
  above: { share: 0.05, count: 10 },
  find: (counts) => counts,
  says: ({ count, total }, limit) => ({
    message: `${count} of ${total}; the limit is ${limit}.`,
    hint: 'Look at it.',
    setting: 'many: yes',
  }),
}

const found = (
  rules: Readonly<Record<string, Parameters<typeof readRuling>[1]>>,
  counts: Counts,
  allowed: string[] = [],
) => {
  const rulings = Object.entries(rules).map(([id, text]) => [id, readRuling(many, text)] as const)
  const policy = { rulings: Object.fromEntries(rulings) as typeof usualPolicy.rulings, allowed: new Set(allowed) }
  return judge([many], counts, { policy, place })
}

describe('limits', () => {
  test.each([
    ['5 %', { share: 0.05 }],
    ['12.8%', { share: 0.128 }],
    ['10', { count: 10 }],
    ['5 % or 10', { share: 0.05, count: 10 }],
    ['10 or 5 per cent', { share: 0.05, count: 10 }],
    ['0', { count: 0 }],
  ])('%s', (written, expected) => {
    expect(readLimit(written)).toEqual(expected)
  })

  test.each(['', 'five', '5 % or', '5 % or 10 or 3', '5 % or 6 %', '1 or 2', '-1', '1.5', '101 %', '5 % and 10'])(
    '"%s" is none',
    (written) => {
      expect(readLimit(written)).toBeTypeOf('string')
    },
  )

  test.each([
    ['5 % or 10', 10, 24, true],
    ['5 % or 10', 11, 24, false],
    ['5 % or 10', 50, 1000, true],
    ['5 % or 10', 51, 1000, false],
    ['5 %', 1, 24, true],
    ['5 %', 2, 24, false],
    ['0', 0, 24, true],
    ['0', 1, 24, false],
    ['0 %', 0, 0, true],
  ])('%s lets %d of %d pass: %s', (written, count, total, expected) => {
    expect(found({ many: `stop above ${written}` }, { count, total }).length === 0).toBe(expected)
  })

  test.each([
    ['5 % or 10', 1, 3, true],
    ['5 % or 10', 2, 24, false],
    ['5 % or 10', 9, 199, true],
    ['5 % or 10', 10, 199, false],
    ['5 % or 10', 50, 1000, true],
    ['5 % or 10', 51, 1000, false],
    ['5 % or 0', 1, 3, false],
    ['10', 10, 24, true],
    ['5 %', 1, 19, false],
  ])('%s, of which one may always go, lets %d of %d go: %s', (written, count, total, expected) => {
    expect(found({ many: `stop above ${written}` }, { count, total, mayGo: 1 }).length === 0).toBe(expected)
  })

  test('are read back as they are written', () => {
    const share = fc.integer({ min: 0, max: 1000 }).map((tenths) => Number(`${tenths / 10}e-2`))
    const limits: fc.Arbitrary<Limit> = fc.oneof(
      fc.record({ share }),
      fc.record({ count: fc.nat() }),
      fc.record({ share, count: fc.nat() }),
    )
    fc.assert(
      fc.property(limits, (limit) => {
        expect(readLimit(spellLimit(limit))).toEqual(limit)
      }),
    )
  })
})

describe('a verdict', () => {
  const counts = { count: 50, total: 100 }
  const message = '50 of 100; the limit is 5 % or 10.'

  test('stops by default, and keeps apart what to write', () => {
    const stop = { code: 'many', severity: 'stop', at: place, message, hint: 'Look at it.', setting: 'many: yes' }
    expect(found({}, counts)).toEqual([stop])
  })

  test('may be a warning, with what to write in its hint', () => {
    const [warning] = found({ many: 'warn' }, counts)
    expect(warning).toMatchObject({ severity: 'warning', message })
    expect(warning!.hint).toBe('Look at it. If the file is right:  many: yes')
  })

  test('may allow all, or more', () => {
    expect(found({ many: 'allow' }, counts)).toEqual([])
    expect(found({ many: 'stop above 60 %' }, counts)).toEqual([])
  })

  test('lets one run through, which says so', () => {
    const [warning] = found({}, counts, ['many'])
    expect(warning).toMatchObject({
      severity: 'warning',
      message: `${message} This run was let through with --allow many.`,
    })
  })

  test.each([
    ['maybe', /"maybe" is no verdict for many. Write one of: allow, note, warn, stop, or/],
    ['reject', /no verdict/],
    ['stop above some', /"some" is not a limit/],
    ['', /no verdict/],
  ])('"%s" is none', (written, sentence) => {
    expect(readRuling(many, written)).toMatch(sentence)
  })

  test('has a limit only where the rule has one', () => {
    const { above: _, ...plain } = many
    expect(readRuling(plain, 'stop above 5 %')).toBe(
      '"stop above 5 %" is no verdict for many. Write one of: allow, note, warn, stop.',
    )
    expect(readRuling(plain, 'warn')).toEqual({ verdict: 'warn' })
  })

  test('is off until it has a limit', () => {
    const off = { ...many, above: 'off' } as const
    expect(judge([off], counts, { policy: usualPolicy, place })).toEqual([])
  })
})
