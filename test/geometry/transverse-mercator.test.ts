import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inverseTransverseMercator } from '../../src/geometry/projection/transverse-mercator.ts'
import { runs } from '../runs.ts'
import { forwardTransverseMercator } from './forward.ts'

const grs80 = { semiMajorM: 6378137, inverseFlattening: 298.257222101, unitM: 1 }
const systems = [
  ['NZTM2000', { ...grs80, lat0: 0, lon0: 173, k: 0.9996, x0: 1600000, y0: 10000000 }],
  [
    'a circuit with its own origin',
    { ...grs80, lat0: -36.8797222222222, lon0: 174.764166666667, k: 0.9999, x0: 400000, y0: 800000 },
  ],
  [
    'a grid in feet',
    { ...grs80, lat0: 36.6666666666667, lon0: -88.3333333333333, k: 0.999975, x0: 300000, y0: 0, unitM: 1200 / 3937 },
  ],
  ['an origin at the pole', { ...grs80, lat0: -90, lon0: -63, k: 1, x0: 4500000, y0: 0 }],
] as const

describe.each(systems)('%s', (_, system) => {
  const { lon0, x0, y0, unitM } = system
  const inverse = inverseTransverseMercator(system)

  test.each([
    [0, 0],
    [2.3, -37.8],
    [-2.9, -46.1],
    [6.4, 63.2],
    [-14, 71],
    [0.0001, -83.5],
  ])('agrees with proj4 to a hundredth of a millimetre, %d degrees from the meridian at %d', (fromMeridian, lat) => {
    const lon = lon0 + fromMeridian
    const back = new Float64Array(2)
    inverse(Float64Array.from(forwardTransverseMercator(system, lon, lat)), back)
    expect(Math.abs(back[0]! - lon)).toBeLessThan(1e-10)
    expect(Math.abs(back[1]! - lat)).toBeLessThan(1e-10)
  })

  test('forward and inverse agree to a ten-thousandth of a millimetre', () => {
    const place = fc.tuple(fc.double({ min: -8, max: 8, noNaN: true }), fc.double({ min: -88, max: 88, noNaN: true }))
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 20 }), (places) => {
        const metres = Float64Array.from(
          places.flatMap(([fromMeridian, lat]) => forwardTransverseMercator(system, lon0 + fromMeridian, lat)),
        )
        const back = new Float64Array(metres.length)
        inverse(metres, back)
        for (let index = 0; index < back.length; index += 2) {
          const again = forwardTransverseMercator(system, back[index]!, back[index + 1]!)
          expect(Math.abs(again[0] - metres[index]!) * unitM).toBeLessThan(1e-7)
          expect(Math.abs(again[1] - metres[index + 1]!) * unitM).toBeLessThan(1e-7)
        }
      }),
      { numRuns: runs(300), seed: 4 },
    )
  })

  test('a place does not depend on the places before and after it', () => {
    const [x, y] = forwardTransverseMercator(system, lon0 + 2.1, -38.2)
    const among = Float64Array.of(x + 3990, y, x, y, x - 270_000, y + 90_000, x, y)
    const back = new Float64Array(8)
    inverse(among, back)
    const alone = new Float64Array(2)
    inverseTransverseMercator(system)(Float64Array.of(x, y), alone)
    expect([...back.subarray(2, 4), ...back.subarray(6)]).toEqual([...alone, ...alone])
  })

  test('NaN stays NaN', () => {
    const back = new Float64Array(6)
    inverse(Float64Array.of(NaN, y0, x0, Infinity, 1e300, -1e300), back)
    expect([...back].filter(Number.isFinite)).toHaveLength(0)
  })

  test('coordinates beyond the earth give NaN, though the series would give a place', () => {
    const [west, north] = [x0 / unitM - 23_988_207 / unitM, y0 / unitM + 40_007_863 / unitM]
    const xy = Float64Array.of(west, y0 / unitM, x0 / unitM, north, x0 / unitM + 25_438_932 / unitM, north)
    const back = new Float64Array(6)
    inverse(xy, back)
    expect([...back].filter(Number.isFinite)).toHaveLength(0)
  })
})

test('a scale of -1 counts westward and southward', () => {
  const south = { ...grs80, lat0: 0, lon0: 19, k: -1, x0: 0, y0: 0 }
  const [westing, southing] = forwardTransverseMercator(south, 18.5, -33.9)
  expect(westing).toBeGreaterThan(40_000)
  expect(southing).toBeGreaterThan(3_700_000)
  const back = new Float64Array(2)
  inverseTransverseMercator(south)(Float64Array.of(westing, southing), back)
  expect(back[0]).toBeCloseTo(18.5, 10)
  expect(back[1]).toBeCloseTo(-33.9, 10)
})
