import { expect, test } from 'vitest'
import { noValueIn } from '../../src/core/values/no-value.ts'

test.each(['NULL', 'null', '\\N', '<Null>', '(null)', 'nan', 'NaN', ' NULL '])('%s is nothing', (text) => {
  expect(noValueIn(text)).toBe('nothing')
})

test.each([
  '#N/A',
  '#REF!',
  '#DIV/0!',
  '#NAME?',
  '#NV',
  '#BEZUG!',
  '#I/T',
  '#DIVISION/0!',
  '#DĚLENÍ_NULOU!',
  '#HIÁNYZIK',
  '#Н/Д',
  '#GETTING_DATA',
  'Err:508',
  'Loading...',
  '#WERT!',
  '"',
  '-"-',
  '〃',
  'ditto',
  'dto.',
  '#VALEUR!',
  '#N/D',
  '#¡VALOR!',
  '########',
])('%s is an error', (text) => {
  expect(noValueIn(text)).toBe('error')
})

test.each([
  'Null',
  'Nan',
  'NA',
  'N/A',
  'None',
  '-',
  '"A"',
  'Do',
  'Dorset',
  '#5',
  '#12!',
  'No. 7',
  'nullah',
  '<b>',
  '(north)',
  '',
  7,
  null,
])('%s is a value, or a blank as it stands', (value) => {
  expect(noValueIn(value)).toBeUndefined()
})
