import { describe, expect, test } from 'vitest'
import { nearest } from '../../src/core/values/nearest.ts'
import { singularOf, titleOf, under } from '../../src/resources/titles.ts'
import { pointerPart, pointerParts, sayList, sayPath } from '../../src/resources/wording.ts'

test.each([
  ['', 'All'],
  ['/name', 'name'],
  ['/totalArea/units', 'totalArea.units'],
  ['/crops/1', 'entry 2 of crops'],
  ['/crops/1/name', 'entry 2 of crops: name'],
  [
    '/loggedOperations/0/products/2/waterVolume/units',
    'entry 1 of loggedOperations: entry 3 of products: waterVolume.units',
  ],
  ['/bbox/0/5', 'entry 6 of entry 1 of bbox'],
  ['/a~1b/c~0d', 'a/b.c~d'],
  ['/7', '7'],
])('the pointer %j is said as "%s"', (pointer, said) => {
  expect(sayPath(pointer, 'All')).toBe(said)
})
test('a part of a pointer comes back unchanged', () => {
  for (const name of ['a', 'a/b', '~', '~1', '', '0']) expect(pointerParts(`/${pointerPart(name)}`)).toEqual([name])
})
test.each([
  [['a'], 'a'],
  [['a', 'b', 'c'], 'a, b or c'],
  [['a', 'b', 'c', 'd'], 'a, b, c and 1 more'],
])('%j is said as "%s"', (words, said) => {
  expect(sayList(words, 3)).toBe(said)
})

describe('nearest', () => {
  test.each([
    ['recrod', 'record'],
    ['RECORD', 'record'],
    ['holdng', 'holding'],
    ['ky', 'key'],
    ['zzz', undefined],
    ['', undefined],
    ['x'.repeat(100_000), undefined],
  ])('of %.10s is %s', (word, expected) => {
    expect(nearest(word, ['record', 'holding', 'key', 'rules'])).toBe(expected)
  })
})

describe('column titles', () => {
  test.each([
    ['totalArea', 'Total area'],
    ['phenomenonStartTime', 'Start'],
    ['PADD_NO', 'PADD_NO'],
    ['Ngā kararehe', 'Ngā kararehe'],
    ['constructor', 'Constructor'],
    ['meta', ''],
  ])('%s is "%s"', (name, title) => {
    expect(titleOf(name)).toBe(title)
  })
  test.each([
    ['crops', 'Crop'],
    ['historicCrops', 'Historic crop'],
    ['activities', 'Activity'],
    ['species', 'Species'],
    ['classifications', 'Classification'],
    ['grass', 'Grass'],
  ])('one of %s is "%s"', (name, title) => {
    expect(singularOf(name)).toBe(title)
  })
  test.each([
    ['Crop 1', 'Establishment date', 'Crop 1 establishment date'],
    ['Crop 1', 'PADD_NO', 'Crop 1 PADD_NO'],
    ['', 'Name', 'Name'],
    ['Crop 1', '', 'Crop 1'],
  ])('"%s" and "%s" are "%s"', (prefix, title, expected) => {
    expect(under(prefix, title)).toBe(expected)
  })
})
