import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isoOfSerial, serialOfIso, timeOfSerial } from '../../src/formats/day-numbers.ts'

describe('the day numbers of spreadsheets', () => {
  test.each([
    ['1900-01-01', 1],
    ['1900-02-28', 59],
    ['1900-03-01', 61],
    ['1904-01-01', 1462],
    ['2000-02-29', 36_585],
    ['2026-09-03', 46_268],
    ['9999-12-31', 2_958_465],
    ['2024-02-29T13:45:00', 45_351 + (13 * 60 + 45) / 1440],
    ['2021-01-01T10:10:10', 44_197 + 36_610 / 86_400],
    ['2021-01-01T10:10:10.123', 44_197 + 36_610.123 / 86_400],
  ])('%s is %d', (iso, serial) => {
    expect(serialOfIso(iso)?.serial).toBeCloseTo(serial, 9)
    expect(isoOfSerial(serial)).toBe(iso)
  })

  test.each([
    '1900-02-29',
    '2026-02-30',
    '2026-13-01',
    '1899-12-31',
    '2026-01-01T24:00',
    '3/9/2026',
    '',
    '2026-01-01T10',
  ])('%j is no day here', (text) => expect(serialOfIso(text)).toBeUndefined())

  test.each([0, 60, -1, 2_958_466, Number.NaN, Number.POSITIVE_INFINITY])('%d has no date', (serial) => {
    expect(isoOfSerial(serial)).toBeUndefined()
  })

  test('a 1904 book counts from its own day', () => {
    expect(isoOfSerial(0, true)).toBe('1904-01-01')
    expect(isoOfSerial(44_806, true)).toBe('2026-09-03')
  })

  test('a zone is reported, and the digits are unchanged', () => {
    expect(serialOfIso('2026-09-03T08:00:00+12:00')).toEqual({ serial: 46_268 + 8 / 24, zone: true })
    expect(serialOfIso('2026-09-03T08:00')).toMatchObject({ zone: false })
  })

  test('a time is cut from any number of days', () => {
    expect(timeOfSerial(0.5)).toBe('12:00:00')
    expect(timeOfSerial(36_610 / 86_400)).toBe('10:10:10')
    // 31 December 9999, as programs write for "never".
    expect(timeOfSerial(2_958_465.75)).toBe('18:00:00')
  })

  test('every day from 1 March 1900 comes back, and agrees with the calendar', () => {
    fc.assert(
      fc.property(fc.integer({ min: 61, max: 2_958_465 }), (serial) => {
        const iso = isoOfSerial(serial)!
        expect(iso).toBe(new Date((serial - 25_569) * 86_400_000).toISOString().slice(0, 10))
        expect(serialOfIso(iso)).toEqual({ serial, zone: false })
      }),
    )
  })
})
