import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { positionDepth, shapeFromGeoJson } from '../../../src/core/shapes/shape-geojson.ts'
import type { ShapeKind } from '../../../src/core/shape.ts'
import { findCoordinates } from '../../../src/formats/geojson/geojson-features.ts'

const kinds = [...positionDepth.keys()] as readonly ShapeKind[]

/** Coordinates of a kind, with two to four numbers a position. */
function coordinatesOf(kind: ShapeKind): fc.Arbitrary<unknown> {
  const number = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.double({ min: -180, max: 180, noNaN: true }),
  )
  let value: fc.Arbitrary<unknown> = fc.array(number, { minLength: 2, maxLength: 4 })
  for (let depth = 1; depth < positionDepth.get(kind)!; depth += 1)
    value = fc.array(value, { minLength: 1, maxLength: 4 })
  return value
}

function found(text: string): ReturnType<typeof findCoordinates> {
  return findCoordinates(Buffer.from(text))
}

test.each(kinds)('%s: the shape is the one that JSON.parse would lead to, to the last bit', (kind) => {
  fc.assert(
    fc.property(coordinatesOf(kind), fc.constantFrom(undefined, 1, '\t'), (coordinates, indent) => {
      const text = JSON.stringify({ type: kind, coordinates, more: 1 }, undefined, indent)
      const read = found(text)
      expect(read?.depth).toBe(positionDepth.get(kind))
      expect(JSON.parse(text.slice(read!.from, read!.to))).toEqual(JSON.parse(JSON.stringify(coordinates)))
      expect(read!.shapeOf(kind)).toEqual(shapeFromGeoJson(JSON.parse(text)))
    }),
  )
})

test.each([
  '0',
  '-0',
  '0.0',
  '-0.5',
  '175.30931',
  '174.09307111111111',
  '174.0930711111111112345',
  '0.1234567890123456789',
  '9007199254740993',
  '900719925474099.3',
  '1e3',
  '1E-7',
  '-1.5e+2',
  '0.00000000000000000000000000012',
  '123456789012345678901234567890',
  '5e-324',
  '1.7976931348623157e308',
  '2.2250738585072011e-308',
  '0.1e1',
  '1e400',
])('the number %s is read as the engine reads it', (number) => {
  const read = found(`{"coordinates":[${number}, ${number}]}`)
  expect([...read!.shapeOf('Point').coordinates]).toEqual([Number(number), Number(number)])
})

describe('what is unusual is left to JSON.parse', () => {
  test.each([
    ['a number that begins with nought', '[01, 2]'],
    ['a plus', '[+1, 2]'],
    ['a number without digits before the point', '[.5, 2]'],
    ['a number without digits after the point', '[5., 2]'],
    ['an exponent without digits', '[5e, 2]'],
    ['a lone minus', '[-, 2]'],
    ['a missing comma', '[[1, 2] [3, 4]]'],
    ['a comma too many', '[[1, 2],]'],
    ['a comma first', '[,[1, 2]]'],
    ['two commas', '[[1, 2],,[3, 4]]'],
    ['one number', '[1]'],
    ['an empty list', '[]'],
    ['an empty list within', '[[1, 2], []]'],
    ['positions at two depths', '[[1, 2], [[3, 4]]]'],
    ['a number beside a list', '[1, [2, 3]]'],
    ['null', '[null, 2]'],
    ['a text', '["1", 2]'],
    ['NaN', '[NaN, 2]'],
    ['no end', '[[1, 2], [3, 4]'],
    ['no list', '1'],
  ])('%s', (_, coordinates) => {
    expect(found(`{"coordinates":${coordinates}}`)).toBeUndefined()
  })

  test('coordinates that occur twice', () => {
    expect(found('{"coordinates":[1,2],"coordinates":[3,4]}')).toBeUndefined()
  })

  test('no coordinates', () => {
    expect(found('{"type":"Feature"}')).toBeUndefined()
    expect(found('{"coordinates"')).toBeUndefined()
    expect(found('{"coordinates" 5}')).toBeUndefined()
  })
})
