import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  compileDatePattern,
  daysInMonth,
  readIsoDate,
  type DatePattern,
  type Moment,
} from '../../src/core/values/date-pattern.ts'
import { runs } from '../runs.ts'

function compiled(pattern: string): DatePattern {
  const made = compileDatePattern(pattern)
  if (typeof made === 'string') throw new Error(made)
  return made
}

function spell(moment: Moment): string {
  const two = (number: number): string => String(number).padStart(2, '0')
  const { year, month, day, hour, minute, second, fraction, offset = '' } = moment
  return `${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}:${two(second)}${fraction === '' ? '' : `.${fraction}`}${offset}`
}

describe('reading by a pattern', () => {
  test.each([
    ['d/M/yyyy', '3/9/2026', '2026-09-03 00:00:00'],
    ['d/M/yyyy', '03/09/2026', '2026-09-03 00:00:00'],
    ['dd/MM/yyyy', '03/09/2026', '2026-09-03 00:00:00'],
    ['M/d/yyyy', '3/9/2026', '2026-03-09 00:00:00'],
    ['yyyy-MM-dd', '2024-02-29', '2024-02-29 00:00:00'],
    ['yyyyMMdd', '20260903', '2026-09-03 00:00:00'],
    ['d.M.yy', '3.9.69', '2069-09-03 00:00:00'],
    ['d.M.yy', '3.9.70', '1970-09-03 00:00:00'],
    ['d MMM yyyy', '3 sept 2026', '2026-09-03 00:00:00'],
    ['d MMM yyyy', '3 SEP. 2026', '2026-09-03 00:00:00'],
    ['d. MMM yyyy', '1. März 2026', '2026-03-01 00:00:00'],
    ['d MMM yyyy', '28 juil. 2026', '2026-07-28 00:00:00'],
    ['d-MMM-yyyy', '5-ago-2026', '2026-08-05 00:00:00'],
    ['d MMM yyyy', '6 mei 2026', '2026-05-06 00:00:00'],
    ['MMMM d, yyyy', 'September 3, 2026', '2026-09-03 00:00:00'],
    ['d/M/yyyy H:mm', '3/9/2026 7:05', '2026-09-03 07:05:00'],
    ['d/M/yyyy h:mm a', '3/9/2026 12:05 am', '2026-09-03 00:05:00'],
    ['d/M/yyyy h:mm a', '3/9/2026 12:05 P.M.', '2026-09-03 12:05:00'],
    ["yyyy-MM-dd'T'HH:mm:ss.SSSXXX", '2026-09-03T07:05:09.120+12:00', '2026-09-03 07:05:09.120+12:00'],
    ["yyyy-MM-dd'T'HH:mm:ssX", '2026-09-03T07:05:09-0930', '2026-09-03 07:05:09-09:30'],
    ["yyyy-MM-dd'T'HH:mm:ssX", '2026-09-03T07:05:09z', '2026-09-03 07:05:09Z'],
  ])('%s reads %s', (pattern, text, expected) => {
    const reading = compiled(pattern).read(text)
    expect(typeof reading === 'object' ? spell(reading) : reading).toBe(expected)
  })

  test.each([
    ['d/M/yyyy', '2026-09-03'],
    ['d/M/yyyy', '3/9/26'],
    ['d/M/yyyy', '3/9/2026 0:00'],
    ['d/M/yyyy', '3-9-2026'],
    ['dd/MM/yyyy', '3/9/2026'],
    ['d MMM yyyy', '3 Sevtember 2026'],
    ['d/M/yyyy', ''],
    ['d.M.yyyy', '3x9x2026'],
  ])('%s does not read %s', (pattern, text) => {
    expect(compiled(pattern).read(text)).toBeUndefined()
  })

  test.each([
    ['d/M/yyyy', '31/02/2026', 'February 2026 has 28 days.'],
    ['d/M/yyyy', '30/02/2024', 'February 2024 has 29 days.'],
    ['d/M/yyyy', '31/4/2026', 'April 2026 has 30 days.'],
    ['d/M/yyyy', '1/13/2026', 'There is no month 13.'],
    ['d/M/yyyy', '0/1/2026', 'There is no day 0.'],
    ['d/M/yyyy H:mm', '1/1/2026 24:00', 'There is no hour 24.'],
    ['d/M/yyyy H:mm', '1/1/2026 1:60', 'There is no minute 60.'],
    ['d/M/yyyy h:mm a', '1/1/2026 13:00 pm', "There is no 13 o'clock pm."],
    ["yyyy-MM-dd'T'HH:mm:ssX", '2026-01-01T00:00:00+25:00', 'There is no offset +25:00.'],
  ])('%s says what is impossible about %s', (pattern, text, sentence) => {
    expect(compiled(pattern).read(text)).toBe(sentence)
  })

  test('is said in words', () => {
    expect(compiled('d/M/yyyy').spoken).toBe('day/month/year')
    expect(compiled('d MMM yyyy, H:mm').spoken).toBe('day name of the month year, hour:minute')
  })
})

describe('patterns that make no sense', () => {
  test.each([
    ['dd/mm/yyyy', 'dd/MM/yyyy'],
    ['DD/MM/YYYY', 'dd/MM/yyyy'],
    ['d/M', 'has no year'],
    ['d/M/yyyy d', 'names the day twice'],
    ['d/M/yyyy h:mm', 'h (1 to 12) and a'],
    ['yyyyMd', 'where one number ends'],
    ["d/M/yyyy 'at", 'never closed'],
    ['d/M/yyyy Q', 'has no meaning'],
    ['', 'has no year'],
  ])('%s: %s', (pattern, part) => {
    expect(compileDatePattern(pattern)).toContain(part)
  })
})

describe('ISO dates', () => {
  test.each([
    ['2026-09-03', '2026-09-03 00:00:00'],
    ['2026-09-03T07:05', '2026-09-03 07:05:00'],
    ['2026-09-03 07:05:09.1234567+00:00', '2026-09-03 07:05:09.1234567+00:00'],
    ['2026-09-03T07:05:09Z', '2026-09-03 07:05:09Z'],
    ['2026-09-03 07:05:09+13', '2026-09-03 07:05:09+13:00'],
    ['2026-09-03 07:05:09.120 +13:00', '2026-09-03 07:05:09.120+13:00'],
  ])('%s', (text, expected) => {
    const reading = readIsoDate(text)
    expect(typeof reading === 'object' ? spell(reading) : reading).toBe(expected)
  })

  test.each(['2026-9-3', '03-09-2026', '2026-09', 'x2026-09-03', '2026-09-03Tx'])('%s is none', (text) => {
    expect(readIsoDate(text)).toBeUndefined()
  })

  test('an impossible one is explained', () => {
    expect(readIsoDate('2026-02-31')).toBe('February 2026 has 28 days.')
  })
})

test('every day of four centuries is read back, and the day after the last of a month is not', () => {
  const pattern = compiled('d/M/yyyy')
  fc.assert(
    fc.property(fc.integer({ min: 1800, max: 2199 }), fc.integer({ min: 1, max: 12 }), (year, month) => {
      const last = new Date(Date.UTC(year, month, 0)).getUTCDate()
      expect(daysInMonth(year, month)).toBe(last)
      expect(pattern.read(`${last}/${month}/${year}`)).toMatchObject({ year, month, day: last })
      expect(pattern.read(`${last + 1}/${month}/${year}`)).toBeTypeOf('string')
    }),
  )
})

test('no pattern and no text throw', () => {
  const letters = fc.string({
    unit: fc.constantFrom('d', 'M', 'y', 'H', 'h', 'm', 's', 'S', 'a', 'X', '/', ' ', "'", '.', '[', '('),
  })
  fc.assert(
    fc.property(letters, fc.string(), (pattern, text) => {
      const made = compileDatePattern(pattern)
      if (typeof made !== 'string') made.read(text)
    }),
    { numRuns: runs(500) },
  )
})
