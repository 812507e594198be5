import { expect, test } from 'vitest'
import { readCoordinate } from '../../../src/formats/grid/point-columns.ts'

const south = -(37 + 47 / 60 + 20 / 3600)

test.each([
  ['-37.7919', { degrees: -37.7919 }],
  ['\u221237.7919', { degrees: -37.7919 }],
  ['175', { degrees: 175 }],
  [`37°47'20"S`, { degrees: south, axis: 'latitude' }],
  ['37° 47′ 20″ S', { degrees: south, axis: 'latitude' }],
  [`37º47'20''S`, { degrees: south, axis: 'latitude' }],
  ['S 37 47 20', { degrees: south, axis: 'latitude' }],
  ['37 47 20 S', { degrees: south, axis: 'latitude' }],
  ['37d47m20sS', { degrees: south, axis: 'latitude' }],
  ['37:47:20S', { degrees: south, axis: 'latitude' }],
  [`-37°47'20"`, { degrees: south }],
  [`37°47.5'N`, { degrees: 37 + 47.5 / 60, axis: 'latitude' }],
  ['E175.5°', { degrees: 175.5, axis: 'longitude' }],
  ['175.5 W', { degrees: -175.5, axis: 'longitude' }],
])('%s is read', (text, coordinate) => {
  const read = readCoordinate(text, 'point')
  expect(read).toEqual({ ...coordinate, degrees: expect.closeTo(coordinate.degrees, 9) })
})

test.each([
  '',
  'x',
  '37,5',
  '1 234',
  `37°60'00"S`,
  `-37°47'20"S`,
  `S37°47'20"S`,
  `37.5°47'20"S`,
  '37 47',
  'N',
  '1,204.5',
])('%j is none with a decimal point', (text) => expect(readCoordinate(text, 'point')).toBeUndefined())

test('with a decimal comma', () => {
  expect(readCoordinate('175,312', 'comma')).toEqual({ degrees: 175.312 })
  expect(readCoordinate('175.312', 'comma')).toBeUndefined()
})
