import { expect, test } from 'vitest'
import type { Shape } from '../../src/core/shape.ts'
import { geoJsonFromShape } from '../../src/core/shapes/shape-geojson.ts'
import { asAllowedKind, explode, partCount } from '../../src/geometry/measure/parts.ts'
import { outline } from '../../src/geometry/coverage/simplify.ts'
import { box, geoJson, multiPolygon, polygon, xy } from './drawing.ts'

const shell = box(0, 0, 100, 100)
const hole = box(20, 20, 40, 40)
const other = box(200, 0, 300, 100)

test('a multipart divides into its parts, with holes and heights', () => {
  const whole: Shape = {
    ...multiPolygon([shell, hole], [other]),
    z: Float64Array.from({ length: 15 }, (_, index) => index),
  }
  const [first, second, ...rest] = explode(whole)
  expect(rest).toEqual([])
  expect(geoJsonFromShape({ ...first!, z: new Float64Array(10) })).toEqual(
    geoJsonFromShape({ ...polygon(shell, hole), z: new Float64Array(10) }),
  )
  expect(geoJsonFromShape(second!)).toMatchObject({
    type: 'Polygon',
    coordinates: [other.map((_, index) => [expect.any(Number), expect.any(Number), 10 + index])],
  })
})

test('lines, points and collections divide too, and a single shape stays the same', () => {
  const lines = explode(
    geoJson({
      type: 'MultiLineString',
      coordinates: [xy('0 0, 1 1'), xy('2 2, 3 3, 4 4')],
    }),
  )
  expect(lines.map(geoJsonFromShape)).toEqual([
    {
      type: 'LineString',
      coordinates: xy('0 0, 1 1'),
    },
    {
      type: 'LineString',
      coordinates: xy('2 2, 3 3, 4 4'),
    },
  ])
  const collected = geoJson({
    type: 'GeometryCollection',
    geometries: [
      {
        type: 'MultiPoint',
        coordinates: xy('1 2, 3 4'),
      },
      { type: 'Point', coordinates: [5, 6] },
    ],
  })
  expect(explode(collected).map((each) => [...each.coordinates])).toEqual(xy('1 2, 3 4, 5 6'))
  expect(partCount(collected)).toBe(2)
  const single = polygon(shell)
  expect(explode(single)).toEqual([single])
})

test.each([
  [polygon(shell), ['Polygon'], 'Polygon'],
  [polygon(shell), ['MultiPolygon'], 'MultiPolygon'],
  [multiPolygon([shell]), ['Polygon'], 'Polygon'],
  [multiPolygon([shell], [other]), ['Polygon'], undefined],
  [multiPolygon([shell], [other]), ['Polygon', 'MultiPolygon'], 'MultiPolygon'],
  [geoJson({ type: 'Point', coordinates: [1, 2] }), ['Polygon', 'LineString'], undefined],
  [geoJson({ type: 'MultiPoint', coordinates: [[1, 2]] }), ['Point'], 'Point'],
  [
    geoJson({
      type: 'MultiPoint',
      coordinates: xy('1 2, 3 4'),
    }),
    ['Point'],
    undefined,
  ],
] as const)('%# a shape becomes an allowed kind only where its parts stay the same', (shape, allowed, expected) => {
  const found = asAllowedKind(shape, allowed)
  expect(found?.kind).toBe(expected)
  if (found !== undefined) expect(explode(found).map(geoJsonFromShape)).toEqual(explode(shape).map(geoJsonFromShape))
})

test('an outline loses what a picture does not show, and stays a ring', () => {
  const drawn = polygon(xy('0 0, 50 1, 100 0, 100 100, 0 100, 0 0'), xy('20 20, 21 20, 21 21, 20 20'))
  const thin = outline(drawn, 5e-5)
  expect(thin.ends[0]).toBe(5)
  expect(thin.ends).toHaveLength(2)
  expect(outline(drawn, 0)).toBe(drawn)
  const point = geoJson({ type: 'Point', coordinates: [1, 2] })
  expect(outline(point, 1)).toBe(point)
})
