import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Shape } from '../../src/core/shape.ts'
import { windRings } from '../../src/geometry/measure/rings.ts'
import { findFaults, isError } from '../../src/geometry/validity/validity.ts'
import {
  bow,
  box,
  geoJson,
  multiPolygon,
  place,
  point,
  polygon,
  roundShape,
  square,
  xy,
  type Drawn,
} from './drawing.ts'
import { expectQuick } from '../processor-time.ts'

const codes = (shape: Shape): readonly string[] => [...new Set(findFaults(shape).map((each) => each.code))]

test('an empty line is harmless among others, but a fault alone', () => {
  const lines = (...ends: number[]): Shape => ({
    kind: 'MultiLineString',
    coordinates: Float64Array.of(175, -37, 175.1, -37.1).subarray(0, ends.at(-1)! * 2),
    ends,
    parts: [],
  })
  expect(codes(lines(2, 2))).toEqual([])
  expect(codes(lines(0))).toEqual(['boundary-too-few-points'])
})

describe('valid shapes have no faults', () => {
  test.each<[string, Shape]>([
    ['a square', polygon(square)],
    ['a square drawn clockwise', polygon(square.toReversed())],
    ['points along a straight side', polygon(xy('0 0, 10 0, 20 0, 30 0, 100 0, 100 100, 0 100, 0 0'))],
    ['repeated points', polygon(xy('0 0, 0 0, 100 0, 100 100, 100 100, 0 100, 0 0, 0 0'))],
    ['a hole', polygon(square, box(20, 20, 40, 40))],
    ['a hole that touches the boundary at one point', polygon(square, xy('0 50, 30 40, 30 60, 0 50'))],
    ['two holes that touch at one point', polygon(square, box(20, 20, 40, 40), box(40, 40, 60, 60))],
    ['two parts', multiPolygon([square], [box(200, 0, 300, 100)])],
    ['two parts that touch at a corner', multiPolygon([square], [box(100, 100, 200, 200)])],
    ['a part on an island in a lake', multiPolygon([square, box(20, 20, 80, 80)], [box(40, 40, 60, 60)])],
    [
      'an island that touches the shore',
      multiPolygon([square, box(20, 20, 80, 80)], [xy('20 50, 50 40, 50 60, 20 50')]),
    ],
    [
      'a line that crosses itself',
      geoJson({
        type: 'LineString',
        coordinates: xy('0 0, 1 1, 1 0, 0 1'),
      }),
    ],
    ['a point', point(175, -37)],
    [
      'a ring across 180 degrees',
      geoJson({
        type: 'Polygon',
        coordinates: [xy('179 -17, -179 -17, -179 -16, 179 -16, 179 -17')],
      }),
    ],
  ])('%s', (_, shape) => {
    expect(findFaults(shape)).toEqual([])
  })

  test('any ring that goes round once', () => {
    const swings = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 300 })
    fc.assert(
      fc.property(swings, (radii) => {
        expect(findFaults(roundShape([175.3, -37.8], 0.003, radii))).toEqual([])
      }),
    )
  })
})

describe('faults', () => {
  test.each<[string, string, readonly [number, number], Shape]>([
    ['a bow tie', 'boundary-crosses-itself', [50, 50], polygon(bow)],
    [
      'a crossing at a vertex',
      'boundary-crosses-itself',
      [50, 50],
      polygon(xy('0 0, 50 50, 100 100, 100 0, 50 50, 0 100, 0 0')),
    ],
    [
      'a crossing where a vertex lies on a side',
      'boundary-crosses-itself',
      [50, 50],
      polygon(xy('0 0, 100 100, 100 0, 50 50, 0 100, 0 0')),
    ],
    [
      'a hole that crosses itself',
      'boundary-crosses-itself',
      [30, 30],
      polygon(square, xy('20 20, 40 40, 40 20, 20 40, 20 20')),
    ],
    [
      'a spike',
      'boundary-crosses-itself',
      [150, 100],
      polygon(xy('0 0, 100 0, 100 100, 150 100, 100 100, 0 100, 0 0')),
    ],
    [
      'a spike at the first point',
      'boundary-crosses-itself',
      [-50, 0],
      polygon(xy('-50 0, 100 0, 100 100, 0 100, 0 0, -50 0')),
    ],
    ['a hole across the boundary', 'boundary-crosses-itself', [100, 20], polygon(square, box(80, 20, 120, 40))],
    ['a hole along the boundary', 'boundary-crosses-itself', [0, 20], polygon(square, box(0, 20, 20, 40))],
    ['a hole outside', 'boundary-hole-outside', [200, 20], polygon(square, box(200, 20, 220, 40))],
    [
      'a hole outside whose corners all touch',
      'boundary-hole-outside',
      [20, 0],
      polygon(xy('0 0, 20 0, 20 60, 60 60, 60 0, 80 0, 80 100, 0 100, 0 0'), xy('20 0, 60 0, 40 60, 20 0')),
    ],
    ['a hole in a hole', 'boundary-hole-outside', [30, 30], polygon(square, box(20, 20, 80, 80), box(30, 30, 40, 40))],
    ['overlapping parts', 'boundary-parts-overlap', [100, 50], multiPolygon([square], [box(50, 50, 150, 150)])],
    ['parts that share a side', 'boundary-parts-overlap', [100, 0], multiPolygon([square], [box(100, 0, 200, 100)])],
    ['a part inside another', 'boundary-parts-overlap', [20, 20], multiPolygon([square], [box(20, 20, 40, 40)])],
    ['a part around another', 'boundary-parts-overlap', [20, 20], multiPolygon([box(20, 20, 40, 40)], [square])],
    ['the same part twice', 'boundary-parts-overlap', [0, 0], multiPolygon([square], [square])],
    ['two points', 'boundary-too-few-points', [0, 0], polygon(xy('0 0, 100 0, 0 0'))],
    ['a line there and back', 'boundary-no-area', [0, 0], polygon(xy('0 0, 100 50, 50 25, 0 0'))],
  ])('%s', (_, code, at, shape) => {
    const faults = findFaults(shape).filter(isError)
    expect(new Set(faults.map((each) => each.code))).toEqual(new Set([code]))
    const [lon, lat] = place(at)
    const near = faults.filter((each) => Math.abs(each.where.lon - lon) < 1e-9 && Math.abs(each.where.lat - lat) < 1e-9)
    expect(near.length).toBeGreaterThan(0)
    // The direction of rings does not matter; a symmetric bow tie has none.
    expect(codes(windRings(shape))).toContain(code)
  })

  test.each<[string, Shape]>([
    [
      'at a vertex',
      polygon(
        xy('0 0, 100 0, 100 100, 50 0.5, 0 100, 0 0').map(([x, y]): [number, number] => [x!, y === 0.5 ? 0 : y!]),
      ),
    ],
    [
      'at one point, as a lake reached by a ditch of no width',
      polygon(xy('0 0, 100 0, 50 50, 70 80, 30 80, 50 50, 0 100, 0 0').map(([x, y]): [number, number] => [x!, y!])),
    ],
    ['with a hole at two points', polygon(square, xy('0 50, 50 0, 60 60, 0 50'))],
    [
      'by a chain of holes round a piece of land',
      polygon(
        square,
        ...[
          [50, 20, 80, 50],
          [80, 50, 50, 80],
          [50, 80, 20, 50],
          [20, 50, 50, 20],
        ].map(([x1, y1, x2, y2]): Drawn => [
          [x1!, y1!],
          [x2!, y2!],
          [(x1! + x2!) / 2 + (x1! + x2! - 100) / 20, (y1! + y2!) / 2 + (y1! + y2! - 100) / 20],
          [x1!, y1!],
        ]),
      ),
    ],
  ])('a boundary that touches itself %s is only noted', (_, shape) => {
    expect(findFaults(shape).length).toBeGreaterThan(0)
    expect(codes(shape)).toEqual(['boundary-touches-itself'])
    expect(findFaults(shape).some(isError)).toBe(false)
  })

  test('name part, ring and vertex', () => {
    const shape = multiPolygon([square], [box(200, 0, 300, 100), xy('220 20, 240 40, 240 20, 220 40, 220 20')])
    expect(findFaults(shape)[0]).toMatchObject({ where: { part: 1, ring: 1, vertex: expect.any(Number) } })
    expect(findFaults(shape)[0]!.message).toMatch(/^The boundary crosses itself at 175\.31430, -37\.78670\.$/)
  })

  test.each<[string, Shape, string]>([
    [
      'NaN',
      geoJson({
        type: 'Polygon',
        coordinates: [
          [
            [175, -37],
            [NaN, -37],
            [175, -36],
            [175, -37],
          ],
        ],
      }),
      'coordinate-not-a-number',
    ],
    ['infinity', point(Infinity, 0), 'coordinate-not-a-number'],
    ['a swapped pair', point(-37.8, 175.3), 'coordinate-out-of-range'],
  ])('%s in a coordinate', (_, shape, code) => {
    expect(codes(shape)).toEqual([code])
  })

  test('a line of one point', () => {
    expect(
      codes(
        geoJson({
          type: 'LineString',
          coordinates: xy('1 1, 1 1'),
        }),
      ),
    ).toEqual(['boundary-too-few-points'])
  })

  test('a shell without any point', () => {
    expect(codes({ kind: 'Polygon', coordinates: new Float64Array(0), ends: [0], parts: [1] })).toEqual([
      'boundary-too-few-points',
    ])
  })
})

test('corners that rounding moved off a straight side are no crossing', () => {
  const corners = fc.array(fc.double({ min: 0.01, max: 0.99, noNaN: true }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(corners, (shares) => {
      const [from, to] = [place([3, 7]), place([311, 97])]
      const along = shares
        .toSorted((one, other) => one - other)
        .filter((share, index, sorted) => index === 0 || share - sorted[index - 1]! > 1e-6)
        .map((share): [number, number] => [from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])])
      const ring = [from, ...along, to, place([150, 300]), from]
      expect(findFaults(geoJson({ type: 'Polygon', coordinates: [ring] }))).toEqual([])
    }),
  )
})

test('many edges find the same faults as few: every crossing that comparing all pairs finds', () => {
  const positions = fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 30 })), {
    minLength: 3,
    maxLength: 9,
  })
  fc.assert(
    fc.property(positions, (ring) => {
      const few = polygon([...ring, ring[0]!])
      // The same line, each side in 64 steps of whole powers of two, which stay exactly on it.
      const fine = ring.flatMap(([x, y], index) => {
        const [nextX, nextY] = ring[(index + 1) % ring.length]!
        return Array.from({ length: 64 }, (_, step): [number, number] => [
          x + ((nextX - x) * step) / 64,
          y + ((nextY - y) * step) / 64,
        ])
      })
      const exactly = (drawn: Drawn): Shape => geoJson({ type: 'Polygon', coordinates: [drawn] })
      const isBroken = (shape: Shape): boolean => findFaults(shape).some(isError)
      expect(few.ends[0]).toBe(ring.length + 1)
      expect(isBroken(exactly([...fine, fine[0]!]))).toBe(isBroken(exactly([...ring, ring[0]!])))
    }),
  )
})

describe('large and hostile boundaries', () => {
  const round = (count: number, radius: (index: number) => number): Shape => {
    const ring = Array.from({ length: count }, (_, index): [number, number] => {
      const angle = (2 * Math.PI * index) / count
      return [175 + radius(index) * Math.cos(angle), -37 + radius(index) * Math.sin(angle)]
    })
    return geoJson({ type: 'Polygon', coordinates: [[...ring, ring[0]!]] })
  }

  test('20,000 vertices take less than half a second of processor time', async () => {
    const coast = round(20_000, (index) => 0.02 * (1 + 0.1 * Math.sin(index / 200) + 0.01 * Math.sin(index / 11)))
    findFaults(coast)
    await expectQuick(500, () => expect(findFaults(coast)).toEqual([]))
  })

  test.each([
    ['a scribble', (index: number) => ((index * 7919) % 1000) / 40_000 - 0.0125],
    ['spokes through one point', (index: number) => (index % 2 === 0 ? 0 : 0.02)],
  ])('%s of 60,000 vertices is checked in time', async (_, radius) => {
    let faults: ReturnType<typeof findFaults> = []
    await expectQuick(10_000, () => (faults = findFaults(round(60_000, radius))))
    expect(faults.some(isError)).toBe(true)
    expect(faults.length).toBeLessThan(30)
  })

  // All sides are long and close beside each other.
  const closed = (ring: readonly (readonly number[])[]): Shape =>
    geoJson({ type: 'Polygon', coordinates: [[...ring, ring[0]!]] })
  const teeth = (lean: number): Shape =>
    closed([
      ...Array.from({ length: 19_998 }, (_, index) => [
        175 + Math.floor((index + 1) / 2) * 1e-6 + (index % 4 === 1 || index % 4 === 2 ? lean : 0),
        index % 4 === 1 || index % 4 === 2 ? -36.99 : -37,
      ]),
      [175.01, -37.01],
      [174.999, -37.01],
    ])

  test.each<[string, () => Shape]>([
    ['a star of thin rays', () => round(20_000, (index) => (index % 2 === 0 ? 1e-5 : 0.02))],
    ['a comb', () => teeth(0)],
    ['a leaning comb', () => teeth(0.02)],
    [
      'a comb that lies on its side',
      () => {
        const { coordinates, ...comb } = teeth(0)
        return {
          ...comb,
          coordinates: coordinates.map((_, index) =>
            index % 2 === 0 ? 212 + coordinates[index + 1]! : coordinates[index - 1]! - 212,
          ),
        }
      },
    ],
  ])('%s of 20,000 vertices is found valid quickly', async (_, draw) => {
    const shape = draw()
    await expectQuick(5000, () => expect(findFaults(shape)).toEqual([]))
    // One tooth that is pulled across its neighbours.
    shape.coordinates[20_000]! += 0.003
    shape.coordinates[20_001]! += 0.003
    expect(findFaults(shape).some(isError)).toBe(true)
  })

  const tile = (index: number, inset: number): Drawn => {
    const [x, y] = [(index % 100) * 10, Math.floor(index / 100) * 10]
    return box(x + inset, y + inset, x + 10 - inset, y + 10 - inset)
  }
  const tiles = Array.from({ length: 4_000 }, (_, index) => index)

  test('4,000 holes with an island each are valid, islands on land are not, and the check is quick', async () => {
    const lakes = [box(0, 0, 1000, 400), ...tiles.map((index) => tile(index, 1))]
    await expectQuick(5000, () => {
      expect(findFaults(multiPolygon(lakes, ...tiles.map((index) => [tile(index, 3)])))).toEqual([])
      expect(codes(multiPolygon(lakes.slice(0, -1), ...tiles.map((index) => [tile(index, 3)])))).toEqual([
        'boundary-parts-overlap',
      ])
    })
  })

  test('a line that runs back and forth on itself hundreds of times is checked quickly', async () => {
    const turns = Array.from({ length: 400 }, (_, index) => (index % 2 === 0 ? [175.002, -38] : [175.008, 0]))
    const ring = [[175.001, -38], ...turns, [175.001, -37.999], [175.001, -38]]
    const check = (): boolean => findFaults(geoJson({ type: 'Polygon', coordinates: [ring] })).some(isError)
    await expectQuick(1500, () => expect(check()).toBe(true))
  })
})
