import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { geoJsonFromShape } from '../../src/core/shapes/shape-geojson.ts'
import { shapeFromWkb } from '../../src/core/shapes/shape-wkb.ts'

/** Numbers of one byte, four bytes or eight, in either order. */
function wkb(isLittle: boolean, parts: readonly (readonly ['u' | 'd', ...number[]])[]): Uint8Array {
  const pieces = parts.flatMap(([letter, ...numbers]) =>
    numbers.map((number) => {
      const bytes = Buffer.alloc(letter === 'u' ? 4 : 8)
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
      if (letter === 'u') view.setUint32(0, number, isLittle)
      else view.setFloat64(0, number, isLittle)
      return bytes
    }),
  )
  return Buffer.concat(pieces)
}

const order = (isLittle: boolean): Uint8Array => Uint8Array.of(isLittle ? 1 : 0)

describe.each([
  ['little-endian', true],
  ['big-endian', false],
])('%s', (_, isLittle) => {
  const made = (...pieces: readonly (Uint8Array | Parameters<typeof wkb>[1])[]): Uint8Array =>
    Buffer.concat(pieces.map((piece) => (piece instanceof Uint8Array ? piece : wkb(isLittle, piece))))
  const o = order(isLittle)
  const point = (x: number, y: number): Uint8Array =>
    made(o, [
      ['u', 1],
      ['d', x, y],
    ])
  const ring = [0, 0, 4, 0, 0, 4, 0, 0]
  const polygon = made(o, [
    ['u', 3, 2, 4],
    ['d', ...ring],
    ['u', 4],
    ['d', 1, 1, 2, 1, 1, 2, 1, 1],
  ])
  // A ring in two pieces, which share a point.
  const curved = made(
    o,
    [['u', 10, 1]],
    o,
    [['u', 9, 2]],
    o,
    [
      ['u', 2, 3],
      ['d', ...ring.slice(0, 6)],
    ],
    o,
    [
      ['u', 2, 2],
      ['d', ...ring.slice(4)],
    ],
  )
  const square = [
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
  ]

  test.each([
    ['a point', point(1, 2), { type: 'Point', coordinates: [1, 2] }],
    [
      'a line',
      made(o, [
        ['u', 2, 2],
        ['d', 1, 2, 3, 4],
      ]),
      {
        type: 'LineString',
        coordinates: [
          [1, 2],
          [3, 4],
        ],
      },
    ],
    ['a polygon with a hole', polygon, { type: 'Polygon', coordinates: square }],
    [
      'points',
      made(o, [['u', 4, 2]], point(1, 2), point(3, 4)),
      {
        type: 'MultiPoint',
        coordinates: [
          [1, 2],
          [3, 4],
        ],
      },
    ],
    [
      'lines',
      made(o, [['u', 5, 1]], o, [
        ['u', 2, 2],
        ['d', 1, 2, 3, 4],
      ]),
      {
        type: 'MultiLineString',
        coordinates: [
          [
            [1, 2],
            [3, 4],
          ],
        ],
      },
    ],
    ['polygons', made(o, [['u', 6, 2]], polygon, polygon), { type: 'MultiPolygon', coordinates: [square, square] }],
    [
      'a surface of polygons without arcs',
      made(o, [['u', 12, 2]], polygon, curved),
      { type: 'MultiPolygon', coordinates: [square, [[...square[0]!.slice(0, 3), ...square[0]!.slice(2)]]] },
    ],
    [
      'a polygon with an empty hole and an empty part',
      made(o, [['u', 6, 2]], o, [['u', 3, 0]], o, [
        ['u', 3, 2, 4],
        ['d', ...ring],
        ['u', 0],
      ]),
      { type: 'MultiPolygon', coordinates: [[square[0]]] },
    ],
    [
      'a collection',
      made(o, [['u', 7, 2]], point(1, 2), polygon),
      {
        type: 'GeometryCollection',
        geometries: [
          { type: 'Point', coordinates: [1, 2] },
          { type: 'Polygon', coordinates: square },
        ],
      },
    ],
    [
      'heights by ISO',
      made(o, [
        ['u', 1001],
        ['d', 1, 2, 3],
      ]),
      { type: 'Point', coordinates: [1, 2, 3] },
    ],
    [
      'heights by flag',
      made(o, [
        ['u', 0x8000_0001],
        ['d', 1, 2, 3],
      ]),
      { type: 'Point', coordinates: [1, 2, 3] },
    ],
    [
      'a flagged system',
      made(o, [
        ['u', 0x2000_0001, 2193],
        ['d', 1, 2],
      ]),
      { type: 'Point', coordinates: [1, 2] },
    ],
  ])('%s', (_name, bytes, expected) => {
    const shape = shapeFromWkb(bytes)
    expect(typeof shape === 'string' ? shape : geoJsonFromShape(shape)).toEqual(expected)
  })

  test('heights and measures are distinguished', () => {
    const both = shapeFromWkb(
      made(o, [
        ['u', 3002, 1],
        ['d', 1, 2, 3, 4],
      ]),
    )
    expect(both).toMatchObject({ z: Float64Array.of(3), m: Float64Array.of(4) })
    const measured = shapeFromWkb(
      made(o, [
        ['u', 0x4000_0002, 1],
        ['d', 1, 2, 4],
      ]),
    )
    expect(measured).toMatchObject({ coordinates: Float64Array.of(1, 2), m: Float64Array.of(4) })
    expect(measured).not.toHaveProperty('z')
  })

  test.each([
    ['an empty point', point(NaN, NaN), 'Point'],
    ['an empty polygon', made(o, [['u', 3, 0]]), 'Polygon'],
    ['empty polygons', made(o, [['u', 6, 0]]), 'MultiPolygon'],
  ])('%s has no coordinates', (_name, bytes, kind) => {
    expect(shapeFromWkb(bytes)).toEqual({ kind, coordinates: new Float64Array(0), ends: [], parts: [] })
  })

  test.each([
    ['arcs', made(o, [['u', 10, 1]], o, [['u', 8, 0]]), 'It is a CircularString'],
    ['arcs among lines', made(o, [['u', 10, 1]], o, [['u', 9, 1]], o, [['u', 8, 0]]), 'It is a CircularString'],
    ['a surface in space', made(o, [['u', 15, 1]]), 'It is a PolyhedralSurface'],
    ['an unknown kind', made(o, [['u', 99, 1]]), 'kind of geometry is unknown'],
    [
      'a count that lies',
      made(o, [
        ['u', 2, 0xffff_ffff],
        ['d', 1, 2],
      ]),
      'too early',
    ],
    ['a point among polygons', made(o, [['u', 6, 1]], point(1, 2)), 'a different kind'],
    [
      'collections without end',
      Buffer.concat(Array.from({ length: 99 }, () => made(o, [['u', 7, 1]]))),
      'too many collections',
    ],
  ])('%s is refused in a sentence', (_name, bytes, part) => {
    expect(shapeFromWkb(bytes)).toContain(part)
  })

  test('cut off anywhere it is too short', () => {
    for (let length = 0; length < polygon.length; length += 1)
      expect(shapeFromWkb(polygon.subarray(0, length))).toContain('too early')
  })
})

test('any bytes give a shape or a sentence', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.integer({ min: 0, max: 8 }), (bytes, kind) => {
      if (bytes.length > 5) bytes.set([bytes[0]! & 1, kind, 0, 0, bytes[4]! & 0xe0])
      expect(['string', 'object']).toContain(typeof shapeFromWkb(bytes))
    }),
  )
})
