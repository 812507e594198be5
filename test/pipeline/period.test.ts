import { describe, expect, test } from 'vitest'
import { dayOf, faultOfDay, fillPlaceholders, periodOf } from '../../src/pipeline/definition/period.ts'

// 1 March 2026, 00:30 in Auckland, is still February in London.
const now = new Date('2026-02-28T11:30:00Z')

describe('days by word', () => {
  test.each([
    ['today', 'Pacific/Auckland', '2026-03-01', '2026-03-01'],
    ['today', 'Europe/London', '2026-02-28', '2026-02-28'],
    ['yesterday', 'Pacific/Auckland', '2026-02-28', '2026-02-28'],
    ['this week', 'Pacific/Auckland', '2026-02-23', '2026-03-01'],
    ['last week', 'Pacific/Auckland', '2026-02-16', '2026-02-22'],
    ['this month', 'Pacific/Auckland', '2026-03-01', '2026-03-31'],
    ['last month', 'Pacific/Auckland', '2026-02-01', '2026-02-28'],
    ['last month', 'Europe/London', '2026-01-01', '2026-01-31'],
    ['this year', 'Pacific/Auckland', '2026-01-01', '2026-12-31'],
    ['last year', 'Pacific/Auckland', '2025-01-01', '2025-12-31'],
    ['2026-02-03', 'Pacific/Auckland', '2026-02-03', '2026-02-03'],
    ['2026-02', 'Pacific/Auckland', '2026-02-01', '2026-02-28'],
    ['2025-12', 'Pacific/Auckland', '2025-12-01', '2025-12-31'],
  ])('%s in %s', (day, zone, from, until) => {
    expect(periodOf({ day }, zone, now)).toEqual({ from, until })
    expect(faultOfDay(day, true)).toBeUndefined()
  })

  test('last month in January is December', () => {
    expect(periodOf({ day: 'last month' }, 'UTC', new Date('2026-01-31T00:00:00Z'))).toEqual({
      from: '2025-12-01',
      until: '2025-12-31',
    })
  })
})

test('open ends stay open, and without days there is no period', () => {
  expect(periodOf({ from: '2026-01-01' }, 'UTC', now)).toEqual({ from: '2026-01-01', until: undefined })
  expect(periodOf({}, 'UTC', now)).toBeUndefined()
})

test.each(['last moth', '2026-02-30', '1/2/2026', '', '2026-2-3', '2026-13', '2026-2'])('"%s" is no day', (written) => {
  expect(faultOfDay(written, true)).toContain('is not a day')
})

test('a word is not a first day', () => {
  expect(faultOfDay('today', false)).toContain('is not a day')
})

test('the day of a moment is that of the zone', () => {
  expect(dayOf(now, 'Pacific/Auckland')).toBe('2026-03-01')
  expect(dayOf(now, 'America/New_York')).toBe('2026-02-28')
})

test('file names have the first day of the period', () => {
  const february = { from: '2026-02-01', until: '2026-02-28' }
  expect(fillPlaceholders('Spraying {month}.xlsx', february, '2026-03-01')).toBe('Spraying 2026-02.xlsx')
  expect(fillPlaceholders('{year}/{day}.csv', undefined, '2026-03-01')).toBe('2026/2026-03-01.csv')
  expect(fillPlaceholders('{other}.csv', undefined, '2026-03-01')).toBe('{other}.csv')
})
