import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { geoJsonFromShape } from '../../src/core/shapes/shape-geojson.ts'
import type { Shape } from '../../src/core/shape.ts'
import { looksLikeWkt, shapeFromWkt, sridOfWkt, wktText } from '../../src/core/shapes/shape-wkt.ts'

describe('well-known text', () => {
  test.each([
    ['POINT (175.3 -37.8)', { type: 'Point', coordinates: [175.3, -37.8] }],
    ['point(175.3 -37.8)', { type: 'Point', coordinates: [175.3, -37.8] }],
    ['  POINT\n(1e2   -.5) ', { type: 'Point', coordinates: [100, -0.5] }],
    ['POINT Z (1 2 3)', { type: 'Point', coordinates: [1, 2, 3] }],
    ['POINTZ(1 2 3)', { type: 'Point', coordinates: [1, 2, 3] }],
    ['POINT (1 2 3)', { type: 'Point', coordinates: [1, 2, 3] }],
    ['SRID=2193;POINT (1 2)', { type: 'Point', coordinates: [1, 2] }],
    [
      'LINESTRING (1 2, 3 4)',
      {
        type: 'LineString',
        coordinates: [
          [1, 2],
          [3, 4],
        ],
      },
    ],
    [
      'MULTIPOINT (1 2, 3 4)',
      {
        type: 'MultiPoint',
        coordinates: [
          [1, 2],
          [3, 4],
        ],
      },
    ],
    [
      'MULTIPOINT ((1 2), (3 4))',
      {
        type: 'MultiPoint',
        coordinates: [
          [1, 2],
          [3, 4],
        ],
      },
    ],
    [
      'MULTILINESTRING ((1 2, 3 4), (5 6, 7 8))',
      {
        type: 'MultiLineString',
        coordinates: [
          [
            [1, 2],
            [3, 4],
          ],
          [
            [5, 6],
            [7, 8],
          ],
        ],
      },
    ],
    [
      'POLYGON ((0 0, 4 0, 0 4, 0 0), (1 1, 2 1, 1 2, 1 1))',
      {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [4, 0],
            [0, 4],
            [0, 0],
          ],
          [
            [1, 1],
            [2, 1],
            [1, 2],
            [1, 1],
          ],
        ],
      },
    ],
    [
      'MULTIPOLYGON(((0 0,4 0,0 4,0 0)),((9 9,8 9,9 8,9 9)))',
      {
        type: 'MultiPolygon',
        coordinates: [
          [
            [
              [0, 0],
              [4, 0],
              [0, 4],
              [0, 0],
            ],
          ],
          [
            [
              [9, 9],
              [8, 9],
              [9, 8],
              [9, 9],
            ],
          ],
        ],
      },
    ],
    [
      'MULTISURFACE (((0 0, 4 0, 0 4, 0 0), EMPTY), CURVEPOLYGON (COMPOUNDCURVE ((0 0, 4 0), (0 4, 0 0))), (EMPTY))',
      {
        type: 'MultiPolygon',
        coordinates: Array(2).fill([
          [
            [0, 0],
            [4, 0],
            [0, 4],
            [0, 0],
          ],
        ]),
      },
    ],
    [
      'GEOMETRYCOLLECTION (POINT (1 2), LINESTRING (1 2, 3 4))',
      {
        type: 'GeometryCollection',
        geometries: [
          { type: 'Point', coordinates: [1, 2] },
          {
            type: 'LineString',
            coordinates: [
              [1, 2],
              [3, 4],
            ],
          },
        ],
      },
    ],
  ])('%s', (text, geometry) => {
    expect(looksLikeWkt(text)).toBe(true)
    expect(geoJsonFromShape(shapeFromWkt(text) as Shape)).toEqual(geometry)
  })

  test('measures are kept apart from heights', () => {
    expect(shapeFromWkt('LINESTRING M (1 2 9, 3 4 8)')).toMatchObject({ m: Float64Array.of(9, 8) })
    expect(shapeFromWkt('LINESTRING ZM (1 2 5 9, 3 4 6 8)')).toMatchObject({
      z: Float64Array.of(5, 6),
      m: Float64Array.of(9, 8),
    })
  })

  test.each(['POLYGON EMPTY', 'POINT EMPTY', 'MULTIPOLYGON Z EMPTY'])('%s has no vertex', (text) => {
    expect(shapeFromWkt(text)).toMatchObject({ coordinates: new Float64Array(0) })
  })

  test.each([
    ['POLYGON ((0 0, 4 0, 0 4', 'ends too early'],
    ['POLYGON', 'ends too early'],
    ['POLYGON ((0 0, 4 0, 0 4, 0 0)) x', 'There is text after'],
    ['POINT (1)', '1 numbers'],
    ['POINT (1 2 3 4 5)', '5 numbers'],
    ['POINT (a b)', 'not a coordinate'],
    ['POINT (0x10 2)', 'not a coordinate'],
    ['POINT (1 NaN)', 'not a coordinate'],
    ['POINT (Infinity 2)', 'not a coordinate'],
    ['LINESTRING (1 2, 3 4 5)', 'same number'],
    ['POINT Z (1 2)', 'lacks its height'],
    ['POLYGON (0 0, 1 1)', 'not expected'],
    ['CURVEPOLYGON (CIRCULARSTRING (0 0, 1 1, 0 0))', 'It has a CIRCULARSTRING'],
    ['CURVEPOLYGON (COMPOUNDCURVE ((0 0, 1 1), CIRCULARSTRING (1 1, 2 2, 0 0)))', 'It has a CIRCULARSTRING'],
    ['MULTICURVE ((0 0, 1 1))', 'It is a MULTICURVE'],
    ['rubbish', 'not a kind of geometry'],
    ['', 'not a kind of geometry'],
    ['GEOMETRYCOLLECTION ('.repeat(40), 'too many collections'],
  ])('%s is refused', (text, sentence) => {
    expect(shapeFromWkt(text)).toContain(sentence)
  })

  test('the number of the coordinate system is read if there is one', () => {
    expect(
      ['SRID=2193;POINT (1 2)', 'srid = 4326 ; POINT (1 2)', 'SRID=0;POINT (1 2)', 'POINT (1 2)'].map(sridOfWkt),
    ).toEqual([2193, 4326, undefined, undefined])
  })

  test('what is written is read as it was', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e7, max: 1e7 }).map((each) => each + 0)
    const ring = fc.array(fc.tuple(number, number), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(
        fc.array(fc.array(ring, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
        (polygons) => {
          const rings = polygons.flat()
          const ends = rings.map((_, index) => rings.slice(0, index + 1).flat().length)
          const parts = polygons.map((_, index) => polygons.slice(0, index + 1).flat().length)
          const shape: Shape = { kind: 'MultiPolygon', coordinates: Float64Array.from(rings.flat(2)), ends, parts }
          expect(shapeFromWkt(wktText(shape))).toEqual(shape)
        },
      ),
    )
  })

  test('any text gives a shape or a sentence', () => {
    const piece = fc.constantFrom('POINT', 'POLYGON', 'Z', '(', ')', ',', ' ', '1', '-2.5', 'EMPTY', 'SRID=1;', 'x')
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        expect(['string', 'object']).toContain(typeof shapeFromWkt(pieces.join('')))
      }),
    )
  })
})
