import fc from 'fast-check'
import { expect, test } from 'vitest'
import { datePatterns, formLike, patternsOf, readDates } from '../../../src/core/profile/date-fits.ts'
import { runs } from '../../runs.ts'

const number = fc.integer({ min: 0, max: 33 }).chain((n) => fc.constantFrom(String(n), String(n).padStart(2, '0')))
const year = fc.constantFrom('2026', '1999', '26', '02026', '0000')
const month = fc.oneof(number, fc.constantFrom('Sep', 'sept.', 'SEPTEMBER', 'May', 'foo'))
const separator = fc.constantFrom('/', '-', '.', ' ', '', ', ', '. ', '\u00a0')
const clock = fc.oneof(
  fc.constant(''),
  fc
    .tuple(
      fc.constantFrom(' ', 'T', 't', '  '),
      number,
      number,
      fc.option(number),
      fc.constantFrom('', ' am', ' P.M.', 'Z', '+12', '-03:30', '.5Z', '+1200', '+12:0'),
    )
    .map(([gap, hour, minute, second, end]) => `${gap}${hour}:${minute}${second === null ? '' : `:${second}`}${end}`),
)
const dateLike = fc
  .tuple(fc.constantFrom(0, 1, 2, 3), number, month, year, separator, separator, clock)
  .map(([order, day, name, of, one, two, time]) => {
    const parts = [
      [day, name, of],
      [name, day, of],
      [of, name, day],
      [of, day, name],
    ][order]!
    return `${parts[0]}${one}${parts[1]}${two}${parts[2]}${time}`
  })

test('no pattern is passed over that reads a text, or finds its date impossible', () => {
  fc.assert(
    fc.property(dateLike, (text) => {
      const readings = datePatterns.map(({ read }) => read(text))
      const form = formLike(text)
      const [fits, impossible] = form === undefined ? [[], []] : patternsOf(form, readDates(form, text))
      expect(fits).toEqual(readings.flatMap((reading, index) => (typeof reading === 'object' ? [index] : [])))
      expect(impossible).toEqual(readings.flatMap((reading, index) => (typeof reading === 'string' ? [index] : [])))
    }),
    { numRuns: runs(5000) },
  )
})

test('whatever text turns up, only dates have a form that costs a second look', () => {
  expect(['Rāhui', 'Paddock 12', '007', '3.2 ha', 'A/7', '1/2', ''].map(formLike)).toEqual(Array(7).fill(undefined))
  expect(formLike('3/9/2026')).toBeDefined()
})
