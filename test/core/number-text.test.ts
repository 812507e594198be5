import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  partNumberAndWord,
  readNumber,
  type DecimalMark,
  type ThousandsMark,
} from '../../src/core/values/number-text.ts'

test.each<[string, DecimalMark | undefined, number | undefined]>([
  ['12', undefined, 12],
  ['12.5', undefined, 12.5],
  [' -0.5 ', undefined, -0.5],
  ['\u22123', undefined, -3],
  ['+3', undefined, 3],
  ['.5', undefined, 0.5],
  ['1.2e-5', undefined, 1.2e-5],
  ['12,5', undefined, undefined],
  ['1,204', undefined, undefined],
  ['1,204.5', undefined, 1204.5],
  ['1.204,5', undefined, undefined],
  ['1,204', 'point', 1204],
  ['1,204', 'comma', 1.204],
  ['1.204,5', 'comma', 1204.5],
  ['1.204', 'comma', 1204],
  ['1,204,567.25', 'point', 1204567.25],
  ["1'204.5", 'point', 1204.5],
  ['1 204,5', 'comma', 1204.5],
  ['1\u00a0204\u00a0567', 'comma', 1204567],
  ['1\u202f204,5', 'comma', 1204.5],
  ['12,04', 'point', undefined],
  ['1,204 567', 'point', undefined],
  ['1,2045', 'point', undefined],
  ['12.5', 'comma', undefined],
  ['1.20.4', 'comma', undefined],
  ['12,5,6', 'comma', undefined],
  ['', 'point', undefined],
  ['abc', 'point', undefined],
  ['1e999', 'point', undefined],
  ['0x1F', 'point', undefined],
  ['5.', 'point', 5],
  ['5,', 'comma', 5],
  ['5.', 'comma', undefined],
  ['.', 'point', undefined],
  ['NaN', 'point', undefined],
  ['Infinity', 'point', undefined],
])('%s with %s', (text, mark, expected) => {
  expect(readNumber(text, mark)).toBe(expected)
})

test.each<[string, DecimalMark | undefined, ThousandsMark, number | undefined]>([
  ['1,204', 'point', 'none', undefined],
  ['1.204', 'point', 'none', 1.204],
  ['1,204', 'comma', 'none', 1.204],
  ['1.204', 'comma', 'none', undefined],
  ['1204.5', 'point', 'none', 1204.5],
  ['1,204.5', 'point', 'comma', 1204.5],
  ['1 204.5', 'point', 'comma', undefined],
  ['1 204,5', 'comma', 'space', 1204.5],
  ['1\u202f204,5', 'comma', 'space', 1204.5],
  ['1.204,5', 'comma', 'space', undefined],
  ['1’204.5', 'point', 'apostrophe', 1204.5],
  ['1 204', undefined, 'space', 1204],
  ['1,204', undefined, 'space', undefined],
  ['1,23,456', 'point', 'comma', undefined],
])('%s with a decimal %s and thousands by %s', (text, mark, thousands, expected) => {
  expect(readNumber(text, mark, thousands)).toBe(expected)
})

test('numbers written with either mark and thousands are read back', () => {
  const formats = {
    point: new Intl.NumberFormat('en-NZ', { maximumFractionDigits: 3 }),
    comma: new Intl.NumberFormat('de-DE', { maximumFractionDigits: 3 }),
  }
  fc.assert(
    fc.property(
      fc.integer({ min: -1e9, max: 1e9 }),
      fc.constantFrom<DecimalMark>('point', 'comma'),
      (thousandths, mark) => {
        const number = thousandths / 1000
        expect(readNumber(formats[mark].format(number), mark)).toBe(number)
      },
    ),
  )
})

test.each([
  ['3.2 ha', { number: '3.2', word: 'ha' }],
  ['3,2ha', { number: '3,2', word: 'ha' }],
  ['1 204 m2', { number: '1 204', word: 'm2' }],
  ['12 sq m', { number: '12', word: 'sq m' }],
  ['ha', undefined],
  ['3.2', undefined],
])('the word behind %s', (text, expected) => {
  expect(partNumberAndWord(text)).toEqual(expected)
})
