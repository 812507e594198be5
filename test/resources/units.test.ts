import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { convert, unitCode, unitOfCode, units, unitsOfKind } from '../../src/resources/units.ts'

test.each([
  ['area', 'MTK KMTK KMK HAR FTK YDK MIK ACR'],
  ['length', 'KMT MTR CMT MMT SMI YRD FOT INH LY'],
  ['mass', 'KGM GRM LBR TNE LTN MC MGM ONZ PN'],
  ['volume', 'LTR MLT GLL GLI OZA OZI B4 WW MTQ'],
  ['speed', 'MTS KNT KMH FR HM M19'],
  ['temperature', 'KEL CEL FAH'],
] as const)('every code of the service for %s is known', (kind, codes) => {
  for (const code of codes.split(' ')) expect(unitOfCode(code)).toMatchObject({ kind })
})

describe('words for units', () => {
  test.each([
    ['ha', 'HAR'],
    ['Hectares', 'HAR'],
    [' ha. ', 'HAR'],
    ['HAR', 'HAR'],
    ['har', 'HAR'],
    ['acres', 'ACR'],
    ['ac', 'ACR'],
    ['m2', 'MTK'],
    ['m²', 'MTK'],
    ['sq. m', 'MTK'],
    ['sq metres', 'MTK'],
    ['Square Meters', 'MTK'],
    ['km2', 'KMK'],
    ['KMTK', 'KMK'],
    ['km', 'KMT'],
    ['feet', 'FOT'],
    ['litres', 'LTR'],
    ['L', 'LTR'],
    ['mL', 'MLT'],
    ['t', 'TNE'],
    ['lbs', 'LBR'],
    ['km/h', 'KMH'],
    ['kph', 'KMH'],
    ['knots', 'KNT'],
    ['°C', 'CEL'],
    ['US gallon', 'GLL'],
    ['gallon (imperial)', 'GLI'],
    ['PN', 'PN'],
  ])('%s is %s', (word, code) => {
    expect(unitCode(word)).toBe(code)
  })
  test.each([
    'oz',
    'ounces',
    'pn',
    'hm',
    'ML',
    'ton',
    'gallon',
    'gal',
    'fl oz',
    'paddocks',
    '',
    '__proto__',
    'constructor',
  ])('"%s" says too little', (word) => {
    expect(unitCode(word)).toBeUndefined()
  })
  test('an ounce is a mass where a mass is wanted', () => {
    expect(unitCode('oz', 'mass')).toBe('ONZ')
    expect(unitCode('oz', 'volume')).toBeUndefined()
  })
  test('a unit of another kind is undefined', () => {
    expect(unitCode('ha', 'length')).toBeUndefined()
    expect(unitCode('HAR', 'length')).toBeUndefined()
    expect(unitCode('m', 'length')).toBe('MTR')
  })
  test('no word means two units', () => {
    const words = units.flatMap(({ code, title, sign, words: others }) =>
      [...new Set([title, sign, ...others].map((word) => word.toLowerCase().replaceAll(/[\s.()]/g, '')))].map(
        (word) => ({ code, word }),
      ),
    )
    const twice = words.filter(({ word, code }) => words.some((each) => each.word === word && each.code !== code))
    expect(twice).toEqual([])
    for (const { code, word } of words) expect(unitCode(word, unitOfCode(code)!.kind)).toBe(code)
  })
})

describe('conversion', () => {
  test.each([
    [1, 'HAR', 'MTK', 10_000],
    [1, 'ACR', 'MTK', 4046.8564224],
    [2.5, 'ACR', 'HAR', 1.0117141056],
    [1, 'MIK', 'ACR', 640],
    [9, 'FTK', 'YDK', 1],
    [1, 'KMK', 'HAR', 100],
    [1, 'SMI', 'YRD', 1760],
    [1, 'FOT', 'INH', 12],
    [1, 'LTN', 'LBR', 2240],
    [16, 'ONZ', 'LBR', 1],
    [1, 'GLL', 'LTR', 3.785411784],
    [128, 'OZA', 'GLL', 1],
    [160, 'OZI', 'GLI', 1],
    [36, 'GLI', 'B4', 1],
    [36, 'KMH', 'MTS', 10],
    [1, 'KNT', 'KMH', 1.852],
    [1, 'HM', 'KMH', 1.609344],
    [0, 'CEL', 'KEL', 273.15],
    [212, 'FAH', 'CEL', 100],
    [-40, 'CEL', 'FAH', -40],
    [4, 'M19', 'MTS', 6.688],
    [1, 'KMTK', 'HAR', 100],
  ])('%d %s in %s is %d', (amount, from, to, expected) => {
    expect(convert(amount, from, to)).toBeCloseTo(expected, 10)
  })
  test('an amount in its own unit stays exactly the same', () => {
    for (const { code } of units) expect(convert(0.1 + 0.2, code, code)).toBe(0.1 + 0.2)
  })
  test('converting there and back gives the same amount, for every pair of one kind', () => {
    const pairs = units.flatMap((one) => unitsOfKind(one.kind).map((other) => [one, other] as const))
    fc.assert(
      fc.property(
        fc.constantFrom(...pairs),
        fc.double({ min: 0.001, max: 1e6, noNaN: true }),
        ([one, other], amount) => {
          const back = convert(convert(amount, one.code, other.code), other.code, one.code)
          expect(Math.abs(back - amount)).toBeLessThanOrEqual(
            1e-9 * Math.max(amount, one.kind === 'temperature' ? 500 : 0),
          )
        },
      ),
    )
  })
  test('units of different kinds and unknown codes give NaN', () => {
    expect(convert(1, 'HAR', 'MTR')).toBeNaN()
    expect(convert(1, 'XXX', 'MTR')).toBeNaN()
    expect(convert(1, 'MTR', 'toString')).toBeNaN()
  })
  test('every code is listed once, and every kind has its SI unit', () => {
    const codes = units.flatMap(({ code, otherCodes }) => [code, ...(otherCodes ?? [])])
    expect(new Set(codes).size).toBe(codes.length)
    for (const code of ['MTK', 'MTR', 'KGM', 'MTQ', 'MTS', 'KEL']) expect(unitOfCode(code)).toMatchObject({ factor: 1 })
  })
})
