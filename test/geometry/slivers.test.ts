import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Shape } from '../../src/core/shape.ts'
import { withoutSlivers } from '../../src/geometry/repair/slivers.ts'
import { box, multiPolygon, polygon, roundShape, square, type Drawn } from './drawing.ts'

// A step is 0.88 m east and 1.11 m north.
const corners = (...ring: Drawn): Shape => polygon([...ring, ring[0]!])

test.each<[string, Shape, { points: number; rings: number; left: readonly number[] }]>([
  [
    'a spike of no width',
    corners([0, 0], [100, 0], [100, 100], [150, 100], [100, 100], [0, 100]),
    { points: 2, rings: 0, left: [5] },
  ],
  [
    'a spike as wide as a hand',
    corners([0, 0], [100, 0], [100, 100], [150, 100], [100, 100.1], [0, 100]),
    { points: 2, rings: 0, left: [5] },
  ],
  [
    'a spike at the first point',
    corners([-50, 0], [100, 0], [100, 100], [0, 100], [0, 0.1]),
    { points: 1, rings: 0, left: [5] },
  ],
  [
    'a spike on a spike',
    corners([0, 0], [100, 0], [100, 100], [150, 100], [150, 140], [150.1, 100], [100, 100.1], [0, 100]),
    { points: 4, rings: 0, left: [5] },
  ],
  [
    'points almost on each other',
    corners([0, 0], [0.2, 0], [100, 0], [100, 100], [100, 100.3], [0, 100]),
    { points: 2, rings: 0, left: [5] },
  ],
  [
    'the last point almost on the first',
    corners([0, 0], [100, 0], [100, 100], [0, 100], [0, 0.2]),
    { points: 1, rings: 0, left: [5] },
  ],
  [
    'a hole like a slit',
    polygon(square, box(20, 20, 20.2, 80), box(40, 40, 60, 60)),
    { points: 0, rings: 1, left: [5, 10] },
  ],
  [
    'a part like a thread, with its hole',
    multiPolygon([box(200, 0, 200.3, 100), box(200.1, 10, 200.2, 20)], [square]),
    { points: 0, rings: 2, left: [5] },
  ],
])('%s is removed', (_, shape, { points, rings, left }) => {
  const slim = withoutSlivers(shape, 0.5)!
  expect([slim.points, slim.rings]).toEqual([points, rings])
  expect(slim.shape.ends).toEqual(left)
  expect(slim.changedM2 / slim.areaBeforeM2).toBeLessThan(0.01)
  expect(withoutSlivers(slim.shape, 0.5)).toBeUndefined()
})

test.each<[string, Shape]>([
  ['a square with a hole', polygon(square, box(20, 20, 40, 40))],
  ['a long field that ends in a point', corners([0, 0], [200, 8], [0, 16])],
  ['a boundary that is narrow everywhere, which the checks report', polygon(box(0, 0, 0.2, 100))],
])('%s stays', (_, shape) => {
  expect(withoutSlivers(shape, 0.5)).toBeUndefined()
})

test('heights are removed with their points', () => {
  const shape = { ...corners([0, 0], [100, 0], [100.1, 0], [100, 100], [0, 100]), z: Float64Array.of(1, 2, 3, 4, 5, 1) }
  expect([...withoutSlivers(shape, 0.5)!.shape.z!]).toEqual([1, 2, 4, 5, 1])
})

test('a round field changes by no more than a strip of that width along its edge', () => {
  const swings = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 4, maxLength: 60 })
  fc.assert(
    fc.property(swings, fc.double({ min: 0.01, max: 5, noNaN: true }), (radii, widthM) => {
      const slim = withoutSlivers(roundShape([175.3, -37.8], 0.003, radii), widthM)
      if (slim === undefined) return
      expect(slim.shape.ends[0]).toBeGreaterThanOrEqual(4)
      expect(slim.changedM2).toBeLessThan(widthM * 300 * 2 * (radii.length + 1))
    }),
  )
})
