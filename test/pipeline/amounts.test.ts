import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  allows,
  allowsDeletes,
  readDurationMs,
  readLimit,
  readThen,
  readWaitLimit,
  readRepair,
  readWidthM,
  spellLimit,
} from '../../src/pipeline/definition/amounts.ts'

describe('limits', () => {
  test.each([
    ['5 %', { share: 0.05 }],
    ['12.8%', { share: 0.128 }],
    ['10', { count: 10 }],
    [10, { count: 10 }],
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
  ])('%s allows %d of %d: %s', (written, count, total, expected) => {
    const limit = readLimit(written)
    expect(typeof limit === 'object' && allows(limit, count, total)).toBe(expected)
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
  ])('%s lets %d of %d records be deleted: %s', (written, count, total, expected) => {
    const limit = readLimit(written)
    expect(typeof limit === 'object' && allowsDeletes(limit, count, total)).toBe(expected)
  })

  test('are read back as they are written', () => {
    const share = fc.integer({ min: 0, max: 1000 }).map((tenths) => Number(`${tenths / 10}e-2`))
    fc.assert(
      fc.property(
        fc.oneof(fc.record({ share }), fc.record({ count: fc.nat() }), fc.record({ share, count: fc.nat() })),
        (limit) => {
          expect(readLimit(spellLimit(limit))).toEqual(limit)
        },
      ),
    )
  })
})

test.each([
  ['up to 1 %', 0.01],
  ['15 %', 0.15],
  ['none', 0],
])('repairs: %s', (written, expected) => {
  expect(readRepair(written)).toBe(expected)
})

test.each(['some', 'up to 1', '120 %', ''])('repairs: "%s" is not a limit', (written) => {
  expect(readRepair(written)).toBeTypeOf('string')
})

test.each([
  ['under 0.5 m', 0.5],
  ['20 cm', 0.2],
  ['under 5mm', 0.005],
  ['none', 0],
])('widths: %s', (written, expected) => {
  expect(readWidthM(written)).toBe(expected)
})

test.each(['0.5', 'under 5 %', '20 m', 'thin'])('widths: "%s" is not a width', (written) => {
  expect(readWidthM(written)).toBeTypeOf('string')
})

test.each([
  ['2 min', 120_000],
  ['30s', 30_000],
  ['1.5 h', 5_400_000],
  ['1 day', 86_400_000],
  ['30 minutes', 1_800_000],
])('times: %s', (written, expected) => {
  expect(readDurationMs(written)).toBe(expected)
})

test.each(['2', 'min', '2 minits', '-2 min', '2 mi'])('times: "%s" is not a time', (written) => {
  expect(readDurationMs(written)).toBeTypeOf('string')
})

test.each([
  ['until 06:00', { minuteOfDay: 360 }],
  ['until 6:30', { minuteOfDay: 390 }],
  ['4 h', { ms: 14_400_000 }],
  ['none', undefined],
])('%s is a time to wait', (written, expected) => {
  expect(readWaitLimit(written)).toEqual(expected)
})

test.each(['until 25:00', 'until 6', 'a while', '06:00'])('"%s" is no time to wait', (written) => {
  expect(readWaitLimit(written)).toContain('until 06:00')
})

test.each([
  ['move to done', { folder: 'done' }],
  ['move to /srv/read files', { folder: '/srv/read files' }],
  ['keep', undefined],
])('%s says what to do with a file', (written, expected) => {
  expect(readThen(written)).toEqual(expected)
})

test('a file is not deleted', () => {
  expect(readThen('delete')).toContain('move to done, or keep')
})
