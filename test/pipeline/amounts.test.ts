import { expect, test } from 'vitest'
import { readDurationMs } from '../../src/core/values/duration.ts'
import { readThen, readWaitLimit, readRepair, readWidthM } from '../../src/pipeline/definition/amounts.ts'

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
