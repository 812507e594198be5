import { describe, expect, test } from 'vitest'
import {
  addedByFormat,
  builtInFormat,
  durationText,
  numberFormat,
  paddedText,
} from '../../../src/formats/spreadsheet/number-format.ts'

test.each([
  ['General', 'number'],
  ['', 'number'],
  ['0.00', 'number'],
  ['#,##0', 'number'],
  ['0.00E+00', 'number'],
  ['0 "days"', 'number'],
  ['"m"0', 'number'],
  ['00.000%', 'number'],
  ['000.0E+0', 'number'],
  ['[Red]-0.0;0.0', 'number'],
  ['# ?/?', 'number'],
  ['00000', 'padded'],
  ['000-0000', 'padded'],
  ['"NZ"0000', 'padded'],
  ['"Block "0', 'padded'],
  ['\\N\\Z0;-0', 'padded'],
  ['"Block "0.0', 'number'],
  ['0" Block"', 'number'],
  ['dd/mm/yyyy', 'date'],
  ['[$-1409]dddd, d mmmm yyyy', 'date'],
  ['[$-409]mmm\\-yy;@', 'date'],
  ['mmm', 'date'],
  ['yyyy\\-mm\\-dd\\ hh:mm', 'date-time'],
  ['m/d/yy h:mm AM/PM', 'date-time'],
  ['h:mm', 'time'],
  ['mm:ss', 'time'],
  ['h:mm AM/PM', 'time'],
  ['[h]:mm', 'duration'],
  ['[mm]:ss.000', 'duration'],
])('numbers as %s are a %s', (code, kind) => {
  expect(numberFormat(code).kind).toBe(kind)
})

test('formats without a code are known by their number', () => {
  expect([0, 14, 22, 21, 46, 49, 31, 57, 33].map((id) => builtInFormat(id)?.kind)).toEqual([
    'number',
    'date',
    'date-time',
    'time',
    'duration',
    'number',
    'date',
    'date',
    'time',
  ])
  expect(builtInFormat(164)).toBeUndefined()
})

test.each([
  [123, '00000', '00123'],
  [412_876, '000-0000', '041-2876'],
  [1_234_567, '000', '1234567'],
  [-7, '0000', '-0007'],
  [-7, '0000;"minus "0000', 'minus 0007'],
  [7, '"NZ"0000', 'NZ0007'],
  [12, '"Block "0', 'Block 12'],
  [7.25, '000.0', '007.3'],
  [0, '000', '000'],
  [64_211_234_567, '000 00 000 000', '642 11 234 567'],
])('%d as %s shows %s', (value, code, shown) => {
  expect(paddedText(value, code)).toBe(shown)
})

describe('elapsed time', () => {
  test.each([
    [1.25, '[h]:mm', '30:00'],
    [1.25, '[hh]:mm:ss', '30:00:00'],
    [0.5, '[m]', '720'],
    [0.000_011_574_074, '[ss].000', '01.000'],
    [0.041_666_666_666, '[h]:mm:ss', '1:00:00'],
    [-0.5, '[h]:mm', '-12:00'],
    [0.423_728_275_5, '[hh]:mm:ss', '10:10:10.123'],
    [0.423_728_275_5, '[h]:mm:ss.00', '10:10:10.123'],
    [2, '[s].0', '172800.0'],
    [0.1, '[h] "hours" mm', '2 hours 24'],
  ])('%d as %s shows %s', (days, code, shown) => {
    expect(durationText(days, code)).toBe(shown)
  })
})

test.each([
  ['0.00" ac"', 'Area (ha)', 'are shown with the unit "ac"'],
  ['0.00\\ \\h\\a', 'Area', 'are shown with the unit "ha"'],
  ['0.00" ha"', 'AREA_HECTARES', undefined],
  ['#,##0.0 "m²"', 'Fläche m²', undefined],
  ['0.0,', 'Area (ha)', 'are shown divided by 1000'],
  ['#,##0.00', 'Area (ha)', undefined],
  ['#,##0.0_,', 'Area (ha)', undefined],
  ['0 "each"', 'Trees', undefined],
  ['General', 'Area (ha)', undefined],
])('what the format %s adds to the numbers of %s', (code, header, added) => {
  expect(addedByFormat(numberFormat(code), header)).toBe(added)
})
