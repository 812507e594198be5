import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Shape } from '../../src/core/shape.ts'
import { interiorPoint } from '../../src/geometry/interior-point.ts'
import { box, polygon, roundShape } from './drawing.ts'

const swings = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 40 })

describe('a point inside', () => {
  const inside = (shape: Shape): void => {
    const [lon, lat] = interiorPoint(shape)
    let within = false
    for (let vertex = 1; vertex < shape.coordinates.length / 2; vertex += 1) {
      if (shape.ends.includes(vertex)) continue
      const [x1, y1, x2, y2] = shape.coordinates.slice(vertex * 2 - 2, vertex * 2 + 2) as unknown as [
        number,
        number,
        number,
        number,
      ]
      if (y1 > lat !== y2 > lat && lon < x1 + ((lat - y1) / (y2 - y1)) * (x2 - x1)) within = !within
    }
    expect(within).toBe(true)
  }

  test('of a C lies on the C, of a ring not in its hole', () => {
    inside(
      polygon([
        [0, 0],
        [100, 0],
        [100, 20],
        [20, 20],
        [20, 80],
        [100, 80],
        [100, 100],
        [0, 100],
        [0, 0],
      ]),
    )
    inside(polygon(box(0, 0, 100, 100), box(10, 10, 90, 90)))
  })

  test('of any simple field', () => {
    fc.assert(fc.property(swings, (radii) => inside(roundShape([175.3, -37.8], 0.003, radii))))
  })
})
