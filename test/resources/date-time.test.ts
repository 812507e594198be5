import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dateTimeFault, zoneClock } from '../../src/resources/date-time.ts'

describe('dateTimeFault', () => {
  test.each([
    '2026-11-19T20:15:00Z',
    '2026-11-19T20:15:00+13:00',
    '2026-11-19T20:15:00.1234567+00:00',
    '2026-11-19T20:15:00.123456789012-00:00',
    '2024-02-29T00:00:00Z',
    '2016-12-31T23:59:60Z',
    '2026-11-19t20:15:00z',
  ])('%s is a moment', (text) => {
    expect(dateTimeFault(text)).toBeUndefined()
  })
  test.each([
    ['2026-11-19', 'form'],
    ['2026-11-19T20:15:00', 'form'],
    ['2026-11-19 20:15:00Z', 'form'],
    ['2026-11-19T20:15Z', 'form'],
    ['2026-11-19T20:15:00.Z', 'form'],
    ['2026-11-19T20:15:00,5Z', 'form'],
    ['2026-11-19T20:15:00+1300', 'form'],
    ['2026-11-19T20:15:00Z ', 'form'],
    ['2026/11/19T20:15:00Z', 'form'],
    ['2026-11-19T20.15.00Z', 'form'],
    ['', 'form'],
    ['2026-02-29T00:00:00Z', 'impossible'],
    ['1900-02-29T00:00:00Z', 'impossible'],
    ['2026-04-31T00:00:00Z', 'impossible'],
    ['2026-00-01T00:00:00Z', 'impossible'],
    ['2026-01-00T00:00:00Z', 'impossible'],
    ['2026-01-01T24:00:00Z', 'impossible'],
    ['2026-01-01T00:60:00Z', 'impossible'],
    ['2026-01-01T00:00:60Z', 'impossible'],
    ['2026-01-01T00:00:00+24:00', 'impossible'],
  ])('%j: %s', (text, fault) => {
    expect(dateTimeFault(text)).toBe(fault)
  })
  test('every moment of a clock passes', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
        expect(dateTimeFault(date.toISOString())).toBeUndefined()
      }),
    )
  })
})

describe('zoneClock', () => {
  test.each([
    ['Pacific/Auckland', '2026-11-19T20:15:00.1234567+00:00', '2026-11-20T09:15:00.1234567+13:00'],
    ['Pacific/Auckland', '2026-07-01T00:00:00Z', '2026-07-01T12:00:00+12:00'],
    // The clock goes back at 03:00 on 5 April 2026: half past two comes twice, with different offsets.
    ['Pacific/Auckland', '2026-04-04T13:30:00Z', '2026-04-05T02:30:00+13:00'],
    ['Pacific/Auckland', '2026-04-04T14:30:00Z', '2026-04-05T02:30:00+12:00'],
    ['Pacific/Chatham', '2026-11-19T20:15:00Z', '2026-11-20T10:00:00+13:45'],
    ['America/St_Johns', '2026-01-01T00:00:00Z', '2025-12-31T20:30:00-03:30'],
    ['Europe/London', '2026-01-01T00:00:00+12:00', '2025-12-31T12:00:00+00:00'],
    ['UTC', '2026-09-03T00:00:00+12:00', '2026-09-02T12:00:00Z'],
    [undefined, '2026-09-03t00:00:00.5z', '2026-09-03T00:00:00.5Z'],
    [undefined, '2026-02-30T00:00:00Z', undefined],
    [undefined, 'yesterday', undefined],
    ['Pacific/Auckland', '9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
  ])('%s shows %s as %s', (zone, text, expected) => {
    expect(zoneClock(zone)(text)).toBe(expected)
  })
  test('the instant is kept in every zone, also before standard time', () => {
    const zones = ['Pacific/Auckland', 'Europe/Amsterdam', 'Australia/Lord_Howe', 'America/New_York', 'Asia/Kathmandu']
    const clocks = zones.map((zone) => zoneClock(zone))
    const dates = fc.date({ min: new Date('1850-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(fc.constantFrom(...clocks), dates, (clock, date) => {
        const shown = clock(date.toISOString())!
        expect(dateTimeFault(shown)).toBeUndefined()
        expect(Date.parse(shown)).toBe(date.getTime())
      }),
    )
  })
  test('an unknown zone is an error with a hint', () => {
    expect(() => zoneClock('Rimu/Farm')).toThrow(expect.objectContaining({ code: 'option-invalid' }))
  })
})
