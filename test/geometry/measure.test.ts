import fc from 'fast-check'
import geodesic from 'geographiclib-geodesic'
import { describe, expect, test } from 'vitest'
import type { Shape } from '../../src/core/shape.ts'
import { areaOf, joinBoxes, measure, type Bbox } from '../../src/geometry/measure/measure.ts'
import { windRings } from '../../src/geometry/measure/rings.ts'
import { box, geodesicRing, geoJson, multiPolygon, place, point, polygon, roundShape, xy } from './drawing.ts'

const swings = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 40 })
const middles = fc.tuple(fc.double({ min: -179, max: 179, noNaN: true }), fc.double({ min: -75, max: 75, noNaN: true }))
const relative = (found: number, expected: number): number => Math.abs(found / expected - 1)

describe('area and perimeter', () => {
  test.each([
    ['a paddock', 0.002],
    ['a large field', 0.01],
    ['a station', 0.05],
    ['a district', 0.7],
  ])('of %s are the geodesic ones', (_, radiusDegrees) => {
    fc.assert(
      fc.property(middles, swings, (middle, radii) => {
        const shape = roundShape(middle, radiusDegrees, radii)
        const expected = geodesicRing(shape)
        const found = measure(shape)
        // The library itself is good to some 0.1 mm² a vertex, which is all of the difference for slivers.
        expect(Math.abs(found.areaM2 - expected.areaM2)).toBeLessThan(1e-7 * expected.areaM2 + 0.001)
        expect(relative(found.perimeterM, expected.perimeterM)).toBeLessThan(1e-8)
      }),
    )
  })

  test('holes are subtracted, and their fences counted', () => {
    const shell = measure(polygon(box(0, 0, 200, 100)))
    const hole = measure(polygon(box(20, 20, 70, 70)))
    const both = measure(polygon(box(0, 0, 200, 100), box(20, 20, 70, 70)))
    expect(relative(both.areaM2, shell.areaM2 - hole.areaM2)).toBeLessThan(1e-9)
    expect(relative(both.perimeterM, shell.perimeterM + hole.perimeterM)).toBeLessThan(1e-12)
  })

  test('do not depend on the direction or the first vertex', () => {
    fc.assert(
      fc.property(swings, fc.nat(), (radii, turn) => {
        const shape = roundShape([175.3, -37.8], 0.003, radii)
        const count = radii.length
        const ring = Array.from({ length: count + 1 }, (_, index) => (turn + index) % count)
        const moved = {
          ...shape,
          coordinates: Float64Array.from(
            ring.flatMap((vertex) => Array.from(shape.coordinates.subarray(vertex * 2, vertex * 2 + 2))),
          ),
        }
        const backward = {
          ...shape,
          coordinates: Float64Array.from(
            ring.toReversed().flatMap((vertex) => Array.from(moved.coordinates.subarray(vertex * 2, vertex * 2 + 2))),
          ),
        }
        for (const other of [moved, windRings(moved), backward]) {
          if (backward === other) continue
          expect(relative(areaOf(other), areaOf(shape))).toBeLessThan(1e-8)
          expect(relative(measure(other).perimeterM, measure(shape).perimeterM)).toBeLessThan(1e-9)
        }
      }),
    )
  })

  test('the lengths of lines, short and long', () => {
    const inverse = (from: readonly number[], to: readonly number[]): number =>
      geodesic.Geodesic.WGS84.Inverse(from[1]!, from[0]!, to[1]!, to[0]!).s12!
    const short = xy('175.3 -37.8, 175.31 -37.79, 175.32 -37.8')
    const long = xy('175.3 -37.8, 172.6 -43.5')
    const found = measure(geoJson({ type: 'MultiLineString', coordinates: [short, long] })).perimeterM
    expect(
      relative(found, inverse(short[0]!, short[1]!) + inverse(short[1]!, short[2]!) + inverse(long[0]!, long[1]!)),
    ).toBeLessThan(1e-9)
  })

  test('a ring across 180 degrees is as large as the same ring elsewhere', () => {
    const at = (lon: number): Shape => roundShape([lon, -17], 0.005, [1, 0.7, 0.9, 0.4, 0.8])
    const wrapped = (shape: Shape): Shape => ({
      ...shape,
      coordinates: shape.coordinates.map((value) => (value > 180 ? value - 360 : value)),
    })
    const expected = measure(at(100))
    for (const shape of [at(180), wrapped(at(180))]) {
      const found = measure(shape)
      expect(relative(found.areaM2, expected.areaM2)).toBeLessThan(1e-9)
      expect(found.bbox[0]).toBeGreaterThan(179)
      expect(found.bbox[2]).toBeLessThan(-179)
      expect(Math.abs(found.centroid[0])).toBeGreaterThan(179)
    }
  })
})

test('a large boundary is exact though only some of its sides are long', () => {
  fc.assert(
    fc.property(middles, swings, fc.integer({ min: 1, max: 20 }), (middle, radii, parts) => {
      const { coordinates } = roundShape(middle, 0.3, radii)
      const positions: number[] = []
      // Every other side is cut into so many pieces along its straight line in degrees, which is another boundary than before.
      for (let at = 0; at + 3 < coordinates.length; at += 2) {
        const pieces = at % 4 === 0 ? parts * 20 : 1
        for (let piece = 0; piece < pieces; piece += 1)
          for (const axis of [0, 1])
            positions.push(
              coordinates[at + axis]! + ((coordinates[at + 2 + axis]! - coordinates[at + axis]!) * piece) / pieces,
            )
      }
      positions.push(positions[0]!, positions[1]!)
      const shape: Shape = {
        kind: 'Polygon',
        coordinates: Float64Array.from(positions),
        ends: [positions.length / 2],
        parts: [1],
      }
      const expected = geodesicRing(shape)
      const found = measure(shape)
      expect(Math.abs(found.areaM2 - expected.areaM2)).toBeLessThan(1e-7 * expected.areaM2 + 0.1)
      expect(relative(found.perimeterM, expected.perimeterM)).toBeLessThan(1e-8)
    }),
  )
})

test('a field that its file cuts at 180 degrees is measured as if it were not cut', () => {
  const ring = (west: number, east: number): number[][] => [
    [west, -17],
    [east, -17],
    [east, -16.99],
    [west, -16.99],
    [west, -17],
  ]
  const cut = measure(geoJson({ type: 'MultiPolygon', coordinates: [[ring(179.99, 180)], [ring(-180, -179.98)]] }))
  const whole = measure(geoJson({ type: 'Polygon', coordinates: [ring(179.99, 180.02)] }))
  // A side is a shortest line; cut in two, it is bent a little less.
  expect(relative(cut.areaM2, whole.areaM2)).toBeLessThan(1e-7)
  expect(relative(cut.perimeterM, whole.perimeterM)).toBeLessThan(1e-7)
  expect(cut.centroid[0]).toBeCloseTo(whole.centroid[0], 9)
  expect(cut.centroid[1]).toBeCloseTo(whole.centroid[1], 9)
  expect(cut.bbox).toEqual([179.99, -17, -179.98, -16.99])
})

describe('the box round two boxes', () => {
  const boxes: readonly (readonly [string, Bbox, Bbox, Bbox])[] = [
    ['on one side', [170, -40, 172, -39], [171, -38, 175, -37], [170, -40, 175, -37]],
    ['on both sides of 180 degrees', [166, -47, 178.6, -34], [-177, -44.5, -175.8, -43.5], [166, -47, -175.8, -34]],
    ['that pass 180 degrees both', [179, -17, -179, -16], [178, -18, -178, -17], [178, -18, -178, -16]],
    ['on both sides of Greenwich', [-2, 50, -1, 51], [1, 50, 2, 51], [-2, 50, 2, 51]],
    ['all round the earth', [-170, 0, 10, 1], [0, 0, -160, 1], [-180, 0, 180, 1]],
  ]
  test.each(boxes)('%s', (_, one, other, both) => {
    expect(joinBoxes(one, other)).toEqual(both)
    expect(joinBoxes(other, one)).toEqual(both)
  })
})

describe('centroid', () => {
  test.each([
    [
      'a square with many points on one side',
      polygon(xy('0 0, 10 0, 20 0, 30 0, 100 0, 100 100, 0 100, 0 0')),
      [50, 50],
    ],
    ['a field with a hole in its eastern half', polygon(box(0, 0, 200, 100), box(100, 0, 200, 100)), [50, 50]],
    ['two parts, weighed by their land', multiPolygon([box(0, 0, 100, 100)], [box(300, 0, 400, 300)]), [275, 125]],
    ['a clockwise field', polygon(box(0, 0, 100, 60).toReversed()), [50, 30]],
    [
      'a line',
      geoJson({ type: 'LineString', coordinates: [place([0, 0]), place([100, 0]), place([100, 0.001])] }),
      [50, 0],
    ],
    ['points', geoJson({ type: 'MultiPoint', coordinates: [place([0, 0]), place([100, 60])] }), [50, 30]],
  ] as const)('of %s', (_, shape, [x, y]) => {
    const [lon, lat] = place([x, y])
    const { centroid } = measure(shape)
    expect(Math.abs(centroid[0] - lon)).toBeLessThan(1e-8)
    expect(Math.abs(centroid[1] - lat)).toBeLessThan(1e-8)
  })

  test('of lobes that cancel each other stays in the box', () => {
    const bow = polygon(xy('0 0, 100 100, 100 0, 0 100.001, 0 0'))
    const { centroid, bbox } = measure(bow)
    expect(centroid[0]).toBeGreaterThanOrEqual(bbox[0])
    expect(centroid[0]).toBeLessThanOrEqual(bbox[2])
  })
})

test('what has no area or length has none, and no coordinate gives NaN', () => {
  expect(measure(point(175.3, -37.8))).toEqual({
    areaM2: 0,
    perimeterM: 0,
    centroid: [175.3, -37.8],
    bbox: [175.3, -37.8, 175.3, -37.8],
  })
  const empty = measure(geoJson({ type: 'GeometryCollection', geometries: [] }))
  expect(empty.areaM2).toBe(0)
  expect(empty.centroid.every(Number.isFinite)).toBe(true)
})

test('a collection is measured over its members', () => {
  const field = polygon(box(0, 0, 100, 100))
  const whole: Shape = {
    kind: 'GeometryCollection',
    coordinates: new Float64Array(0),
    ends: [],
    parts: [],
    members: [field, point(...place([500, 0]))],
  }
  expect(measure(whole).areaM2).toBe(areaOf(field))
  expect(measure(whole).bbox[2]).toBeCloseTo(place([500, 0])[0], 9)
})
