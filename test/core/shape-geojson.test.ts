import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { geometryText } from '../../src/core/shapes/geometry-text.ts'
import { geoJsonFromShape, shapeFromGeoJson, type Geometry } from '../../src/core/shapes/shape-geojson.ts'
import type { Shape } from '../../src/core/shape.ts'

const ring = [
  [175.3, -37.8],
  [175.4, -37.8],
  [175.4, -37.7],
  [175.3, -37.8],
]
const geometries: readonly Geometry[] = [
  { type: 'Point', coordinates: [175.3, -37.8] },
  { type: 'Point', coordinates: [175.3, -37.8, 12.5] },
  { type: 'MultiPoint', coordinates: ring },
  { type: 'LineString', coordinates: ring },
  { type: 'MultiLineString', coordinates: [ring, ring] },
  { type: 'Polygon', coordinates: [ring, ring] },
  { type: 'MultiPolygon', coordinates: [[ring, ring], [ring]] },
  { type: 'MultiPolygon', coordinates: [] },
  { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [1, 2] }] },
]

describe.each(geometries)('$type', (geometry) => {
  const shape = shapeFromGeoJson(geometry) as Shape

  test('comes back as it was', () => {
    expect(geoJsonFromShape(shape)).toEqual(geometry)
  })

  test('is written as JSON.stringify writes it', () => {
    expect(geometryText(shape)).toBe(JSON.stringify(geometry))
  })
})

test('rings and parts without a point are left out', () => {
  const shape = shapeFromGeoJson({ type: 'MultiPolygon', coordinates: [[], [ring, []], [[]]] }) as Shape
  expect(geoJsonFromShape(shape)).toEqual({ type: 'MultiPolygon', coordinates: [[ring]] })
})

test.each([
  [null, 'not an object'],
  [{ type: 'Blob' }, 'not a geometry type'],
  [{ type: 'constructor', coordinates: [] }, '"constructor" is not a geometry type'],
  [{ type: 'x'.repeat(5000) }, `"${'x'.repeat(40)}" is not a geometry type`],
  [{ coordinates: [1, 2] }, 'has no type'],
  [{ type: 'Polygon', coordinates: [[175, -37]] }, 'not a list'],
  [{ type: 'Point', coordinates: ['175', '-37'] }, 'not a pair of numbers'],
  [{ type: 'GeometryCollection' }, 'no list of geometries'],
])('%j is refused with a sentence', (geometry, sentence) => {
  expect(shapeFromGeoJson(geometry)).toContain(sentence)
})

describe('a coordinate as text', () => {
  const textOf = (x: number): string =>
    geometryText({ kind: 'Point', coordinates: Float64Array.of(x, 0), ends: [], parts: [] })
  const read = (text: string): number => (JSON.parse(text) as { coordinates: number[] }).coordinates[0]!

  test.each([
    0,
    1,
    -1,
    9.9999999,
    10,
    99.5,
    100,
    999.0000001,
    1000,
    1794823.25,
    5_929_431.123_456_7,
    1e-7,
    -1e-7,
    0.1 + 0.2,
    1e21,
    5e-324,
  ])('%d is the same number again', (x) => expect(read(textOf(x))).toBe(x))

  test('is the same number again, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.double({ min: -180, max: 180, noNaN: true })),
        (x) => Object.is(read(textOf(x)) + 0, x + 0),
      ),
    )
  })

  test('has no more than seven decimals once it is rounded', () => {
    fc.assert(
      fc.property(fc.double({ min: -180, max: 180, noNaN: true }), (x) => {
        const rounded = Math.round(x * 1e7) / 1e7
        return /^\{"type":"Point","coordinates":\[-?\d{1,3}(\.\d{1,7})?,0\]\}$/.test(textOf(rounded))
      }),
    )
  })

  test.each([
    [174.093071111, 7, '174.0930711'],
    [174.99999999, 7, '175'],
    [-0.00000004, 7, '0'],
    [1794823.2549, 2, '1794823.25'],
    [1794823.2549, 0, '1794823'],
    [0.5, 3, '0.5'],
    [123_456_789_012.5, 7, '123456789012.5'],
  ])('%d with at most %d decimals is %s', (x, decimals, text) => {
    const point = { kind: 'Point', coordinates: Float64Array.of(x, 0), ends: [], parts: [] } as const
    expect(geometryText(point, decimals)).toBe(`{"type":"Point","coordinates":[${text},0]}`)
  })

  test('rounded while it is written it is what it would be rounded before', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e7, max: 1e7, noNaN: true }), fc.integer({ min: 0, max: 7 }), (x, decimals) => {
        const point = { kind: 'Point', coordinates: Float64Array.of(x, 0), ends: [], parts: [] } as const
        const rounded = Math.round(x * 10 ** decimals) / 10 ** decimals
        expect(read(geometryText(point, decimals))).toBeCloseTo(rounded + 0, 10)
        expect(geometryText(point, decimals)).toMatch(new RegExp(`\\[-?\\d+(\\.\\d{1,${Math.max(1, decimals)}})?,0\\]`))
      }),
    )
  })
})
