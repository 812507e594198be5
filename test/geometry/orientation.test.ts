import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sideOf } from '../../src/geometry/validity/orientation.ts'
import { runs } from '../runs.ts'

// Every double is a fraction of a power of two, so whole multiples of 2^-1100 represent them and their products exactly.
function exact(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const exponent = Number((bits >> 52n) & 0x7ffn)
  const mantissa = (bits & 0xfffffffffffffn) | (exponent === 0 ? 0n : 1n << 52n)
  const scaled = mantissa << BigInt(Math.max(exponent, 1) - 1)
  return value < 0 ? -scaled : scaled
}

function exactSign([ax, ay, bx, by, cx, cy]: readonly number[]): number {
  const [a, b, c, d, e, f] = [ax!, ay!, bx!, by!, cx!, cy!].map(exact) as [
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
  ]
  const side = (a - e) * (d - f) - (b - f) * (c - e)
  return side > 0n ? 1 : side < 0n ? -1 : 0
}

const coordinate = fc.oneof(
  fc.double({ min: -180, max: 180, noNaN: true }).filter((value) => value === 0 || Math.abs(value) > 1e-100),
  fc.integer({ min: -20, max: 20 }),
  fc.integer({ min: -5, max: 5 }).map((steps) => 175.3 + steps * 2 ** -45),
)

test('the side is exact', () => {
  fc.assert(
    fc.property(fc.array(coordinate, { minLength: 6, maxLength: 6 }), (xy) => {
      expect(Math.sign(sideOf(Float64Array.from(xy), 0, 1, 2)) + 0).toBe(exactSign(xy))
    }),
    { numRuns: runs(2000) },
  )
})

test('a point next to the middle of a side is on its exact side', () => {
  fc.assert(
    fc.property(coordinate, coordinate, coordinate, coordinate, (ax, ay, bx, by) => {
      const xy = [ax, ay, bx, by, (ax + bx) / 2, (ay + by) / 2]
      expect(Math.sign(sideOf(Float64Array.from(xy), 0, 1, 2)) + 0).toBe(exactSign(xy))
    }),
    { numRuns: runs(2000) },
  )
})
