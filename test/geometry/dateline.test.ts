import { describe, expect, test } from 'vitest'
import { splitAtDateline } from '../../src/geometry/dateline.ts'
import { areaOf, measure } from '../../src/geometry/measure.ts'
import { crossesDateline } from '../../src/geometry/rings.ts'
import { findFaults, isError } from '../../src/geometry/validity.ts'
import { box, geoJson, polygon } from './drawing.ts'

const square = box(0, 0, 100, 100)

describe('cutting at 180 degrees', () => {
  const jumping = geoJson({
    type: 'Polygon',
    coordinates: [
      [
        [179, -17],
        [-179, -17],
        [-179, -16],
        [179, -16],
        [179, -17],
      ],
    ],
  })

  test('a field across it becomes two parts that meet there', () => {
    const split = splitAtDateline(jumping)
    expect(split.kind).toBe('MultiPolygon')
    expect(split.parts).toHaveLength(2)
    expect(crossesDateline(split)).toBe(false)
    expect(measure(split).bbox).toEqual([179, -17, -179, -16])
    expect(findFaults(split)).toEqual([])
  })

  test('one that counts on beyond 180 is cut alike', () => {
    const going = geoJson({
      type: 'Polygon',
      coordinates: [
        [
          [179, -17],
          [181, -17],
          [181, -16],
          [179, -16],
          [179, -17],
        ],
      ],
    })
    expect(splitAtDateline(going)).toEqual(splitAtDateline(jumping))
  })

  test('a field wholly beyond comes back into range, in one part', () => {
    const beyond = geoJson({
      type: 'Polygon',
      coordinates: [
        [
          [181, -17],
          [182, -17],
          [182, -16],
          [181, -17],
        ],
      ],
    })
    expect(splitAtDateline(beyond)).toMatchObject({
      kind: 'Polygon',
      coordinates: Float64Array.of(-179, -17, -178, -17, -178, -16, -179, -17),
    })
  })

  test('a bent field is cut into as many parts as there are, holes go with theirs', () => {
    const bent = [
      [179, -17],
      [181, -17],
      [181, -16],
      [179.5, -16],
      [179.5, -15.5],
      [181, -15.5],
      [181, -15],
      [179, -15],
      [179, -17],
    ]
    const hole = [
      [179.8, -16.8],
      [179.8, -16.2],
      [180.4, -16.2],
      [180.4, -16.8],
      [179.8, -16.8],
    ]
    const whole = geoJson({ type: 'Polygon', coordinates: [bent, hole] })
    const split = splitAtDateline(whole)
    expect(split.parts).toHaveLength(3)
    expect(findFaults(split).filter(isError)).toEqual([])
    expect(Math.abs(areaOf(split) / areaOf(whole) - 1)).toBeLessThan(1e-3)
  })

  test('lines are cut, points brought back, and what does not cross is left alone', () => {
    expect(
      splitAtDateline(
        geoJson({
          type: 'LineString',
          coordinates: [
            [179, 0],
            [-179, 1],
          ],
        }),
      ).ends,
    ).toEqual([2, 4])
    expect([
      ...splitAtDateline(
        geoJson({
          type: 'MultiPoint',
          coordinates: [
            [181, 0],
            [-179, 1],
          ],
        }),
      ).coordinates,
    ]).toEqual([-179, 0, -179, 1])
    const field = polygon(square)
    expect(splitAtDateline(field)).toBe(field)
  })
})
