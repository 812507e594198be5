import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Shape } from '../../src/core/shape.ts'
import { giveWay } from '../../src/geometry/coverage/give-way.ts'
import { areaOf } from '../../src/geometry/measure/measure.ts'
import { windRings } from '../../src/geometry/measure/rings.ts'
import { findFaults, isError } from '../../src/geometry/validity/validity.ts'
import { box, multiPolygon, polygon, roundShape } from './drawing.ts'

const rounded = (shape: Shape): Shape => ({
  ...windRings(shape),
  coordinates: windRings(shape).coordinates.map((each) => Math.round(each * 1e7) / 1e7),
})
const square = rounded(polygon(box(0, 0, 100, 100)))
const relative = (found: number, expected: number): number => Math.abs(found / expected - 1)

describe('a boundary that gives way to others', () => {
  test('loses the overlap and keeps its other corners exactly', () => {
    const left = giveWay(square, [rounded(polygon(box(99, -50, 200, 150)))], 7)!
    expect(relative(areaOf(left), areaOf(rounded(polygon(box(0, 0, 99, 100)))))).toBeLessThan(1e-7)
    const corners = (shape: Shape): ReadonlySet<string> =>
      new Set(Array.from({ length: shape.ends[0]! }, (_, at) => shape.coordinates.slice(at * 2, at * 2 + 2).join(' ')))
    expect(corners(left)).toEqual(corners(rounded(polygon(box(0, 0, 99, 100)))))
  })

  test('stays the same beside shared fences', () => {
    const left = giveWay(square, [rounded(polygon(box(100, -50, 200, 150)))], 7)!
    expect(areaOf(left)).toBeCloseTo(areaOf(square), 6)
  })

  test('may fill the hole of another', () => {
    const ring = rounded(polygon(box(-50, -50, 150, 150), box(1, 1, 99, 99)))
    expect(relative(areaOf(giveWay(square, [ring], 7)!), areaOf(rounded(polygon(box(1, 1, 99, 99)))))).toBeLessThan(
      1e-7,
    )
  })

  test('gives way to several others, even where these overlap', () => {
    const others = [polygon(box(99, 0, 200, 60)), polygon(box(99, 40, 200, 100))].map(rounded)
    expect(relative(areaOf(giveWay(square, others, 7)!), areaOf(rounded(polygon(box(0, 0, 99, 100)))))).toBeLessThan(
      1e-7,
    )
  })

  test.each([
    ['would fall in two', square, polygon(box(40, -50, 60, 150))],
    ['is covered', square, polygon(box(-1, -1, 101, 101))],
    [
      'would lose a part',
      multiPolygon([box(0, 0, 100, 100)], [box(200, 0, 300, 100)]),
      polygon(box(199, -1, 301, 101)),
    ],
  ])('stays the same where it %s', (_, shape, other) => {
    expect(giveWay(rounded(shape), [rounded(other)], 7)).toBeUndefined()
  })
})

const swings = fc.array(fc.double({ min: 0.2, max: 1, noNaN: true }), { minLength: 3, maxLength: 25 })
const near = fc.double({ min: -0.004, max: 0.004, noNaN: true })

test('the result is valid and smaller, and gives way no further', () => {
  fc.assert(
    fc.property(swings, swings, near, near, (ones, others, east, north) => {
      const one = rounded(roundShape([175.3, -37.8], 0.003, ones))
      const other = rounded(roundShape([175.3 + east, -37.8 + north], 0.003, others))
      fc.pre(!findFaults(one).some(isError) && !findFaults(other).some(isError))
      const left = giveWay(one, [other], 7)
      if (left === undefined) return
      expect(findFaults(left).filter(isError)).toEqual([])
      expect(areaOf(left)).toBeLessThan(areaOf(one) + 1)
      const again = giveWay(left, [other], 7)
      expect(again === undefined ? 0 : Math.abs(areaOf(again) - areaOf(left))).toBeLessThan(20)
    }),
  )
})
