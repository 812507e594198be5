import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { positionDepth, shapeFromGeoJson } from '../../../src/core/shapes/shape-geojson.ts'
import type { Row } from '../../../src/core/row.ts'
import type { ShapeKind } from '../../../src/core/shape.ts'
import { rowOfFeature } from '../../../src/formats/geojson/geojson-features.ts'

const kinds = [...positionDepth.keys()] as readonly ShapeKind[]

/** Coordinates of a kind, with two to four numbers a position. */
function coordinatesOf(kind: ShapeKind): fc.Arbitrary<unknown> {
  const number = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
    fc.integer(),
    fc.double({ min: -180, max: 180, noNaN: true }),
  )
  let value: fc.Arbitrary<unknown> = fc.array(number, { minLength: 2, maxLength: 4 })
  for (let depth = 1; depth < positionDepth.get(kind)!; depth += 1)
    value = fc.array(value, { minLength: 1, maxLength: 4 })
  return value
}

function read(text: string): Row {
  return rowOfFeature(Buffer.from(text), 9, { source: 'a.geojson', row: 0 }).row
}

function point(coordinates: string): string {
  return `{"type":"Feature","properties":null,"geometry":{"type":"Point","coordinates":${coordinates}}}`
}

test.each(kinds)('%s: the shape is the one that JSON.parse would lead to, to the last bit', (kind) => {
  fc.assert(
    fc.property(coordinatesOf(kind), fc.constantFrom(undefined, 1, '\t'), (coordinates, indent) => {
      const geometry = { type: kind, coordinates, more: 1 }
      const text = JSON.stringify({ type: 'Feature', properties: {}, geometry }, undefined, indent)
      expect(read(text).shape).toEqual(shapeFromGeoJson(JSON.parse(JSON.stringify(geometry))))
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
  '900719925474099.3',
  '1e3',
  '1E-7',
  '-1.5e+2',
  '0.00000000000000000000000000012',
  '5e-324',
  '1.7976931348623157e308',
  '2.2250738585072011e-308',
  '0.1e1',
  '1e400',
])('the number %s is read as the engine reads it', (number) => {
  expect([...read(point(`[${number}, ${number}]`)).shape!.coordinates]).toEqual([Number(number), Number(number)])
})

describe('what is not a position has no shape', () => {
  test.each([
    ['a number that begins with nought', '[01, 2]'],
    ['a plus', '[+1, 2]'],
    ['a number without digits before the point', '[.5, 2]'],
    ['a number without digits after the point', '[5., 2]'],
    ['an exponent without digits', '[5e, 2]'],
    ['a lone minus', '[-, 2]'],
    ['a missing comma', '[1 2]'],
    ['a comma first', '[,1, 2]'],
    ['two commas', '[1,, 2]'],
    ['one number', '[1]'],
    ['an empty list', '[]'],
    ['a number beside a list', '[1, [2, 3]]'],
    ['null', '[null, 2]'],
    ['a text', '["1", 2]'],
    ['more digits than a number holds', '[123456789012345678901234567890, 2]'],
    ['NaN', '[NaN, 2]'],
    ['no end', '[1, 2'],
    ['no list', '1'],
  ])('%s', (_, coordinates) => {
    const { shape, problems } = read(point(coordinates))
    expect(shape).toBeNull()
    expect(problems).toHaveLength(1)
  })
})
