import { expect, test } from 'vitest'
import { shapeFromGeoJson } from '../../src/core/shapes/shape-geojson.ts'
import type { Shape } from '../../src/core/shape.ts'
import { wktText } from '../../src/core/shapes/shape-wkt.ts'

const square = [
  [0, 0],
  [2, 0],
  [2, 2],
  [0, 0],
]
const hole = [
  [1, 0.5],
  [1.5, 0.5],
  [1.5, 1],
  [1, 0.5],
]

test.each([
  [{ type: 'Point', coordinates: [175.3, -37.8] }, 'POINT (175.3 -37.8)'],
  [{ type: 'Point', coordinates: [1, 2, 3] }, 'POINT Z (1 2 3)'],
  [
    {
      type: 'MultiPoint',
      coordinates: [
        [1, 2],
        [3, 4],
      ],
    },
    'MULTIPOINT ((1 2), (3 4))',
  ],
  [
    {
      type: 'LineString',
      coordinates: [
        [1, 2],
        [3, 4],
      ],
    },
    'LINESTRING (1 2, 3 4)',
  ],
  [
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
    'MULTILINESTRING ((1 2, 3 4), (5 6, 7 8))',
  ],
  [{ type: 'Polygon', coordinates: [square, hole] }, 'POLYGON ((0 0, 2 0, 2 2, 0 0), (1 0.5, 1.5 0.5, 1.5 1, 1 0.5))'],
  [
    { type: 'MultiPolygon', coordinates: [[square, hole], [square]] },
    'MULTIPOLYGON (((0 0, 2 0, 2 2, 0 0), (1 0.5, 1.5 0.5, 1.5 1, 1 0.5)), ((0 0, 2 0, 2 2, 0 0)))',
  ],
  [{ type: 'Polygon', coordinates: [] }, 'POLYGON EMPTY'],
  [
    { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [1, 2] }] },
    'GEOMETRYCOLLECTION (POINT (1 2))',
  ],
  [{ type: 'GeometryCollection', geometries: [] }, 'GEOMETRYCOLLECTION EMPTY'],
])('%j', (geometry, expected) => {
  expect(wktText(shapeFromGeoJson(geometry) as Shape)).toBe(expected)
})
