import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { startOf, type Shape } from '../../src/core/shape.ts'
import { geoJsonFromShape } from '../../src/core/shapes/shape-geojson.ts'
import {
  crossesDateline,
  rewindGeometry,
  signedArea,
  tidyRings,
  unwrapLongitudes,
  windRings,
} from '../../src/geometry/measure/rings.ts'
import { box, geoJson, multiPolygon, place, point, polygon, roundShape, xy } from './drawing.ts'

const reversed = (ring: readonly (readonly [number, number])[]) => ring.toReversed()
const isLeftTurning = (shape: Shape, ring: number): boolean =>
  signedArea(shape.coordinates, startOf(shape, ring), shape.ends[ring]!) > 0

describe('tidying', () => {
  test('closes open rings, each at its own first point', () => {
    const open = polygon(box(0, 0, 100, 100).slice(0, 4), box(20, 20, 40, 40).slice(0, 4))
    const { shape, opened, repeated } = tidyRings(open)
    expect([opened, repeated]).toEqual([2, 0])
    expect(shape.ends).toEqual([5, 10])
    expect(Array.from(shape.coordinates.subarray(8, 10))).toEqual(place([0, 0]))
    expect(Array.from(shape.coordinates.subarray(18, 20))).toEqual(place([20, 20]))
  })

  test('removes repeated points and keeps the heights of the others', () => {
    const drawn = polygon(xy('0 0, 0 0, 100 0, 100 100, 100 100, 100 100, 0 0'))
    const { shape, opened, repeated } = tidyRings({
      ...drawn,
      z: Float64Array.of(1, 2, 3, 4, 5, 6, 7),
      m: Float64Array.of(1, 2, 3, 4, 5, 6, 7),
    })
    expect([opened, repeated]).toEqual([0, 3])
    expect(shape.ends).toEqual([4])
    expect([...shape.z!]).toEqual([1, 3, 4, 7])
    expect([...shape.m!]).toEqual([1, 3, 4, 7])
  })

  test('a tidy shape stays the same, and lines are not closed', () => {
    const tidy = polygon(box(0, 0, 100, 100))
    expect(tidyRings(tidy).shape).toBe(tidy)
    const line = geoJson({
      type: 'LineString',
      coordinates: xy('0 0, 1 1, 2 0'),
    })
    expect(tidyRings(line).shape).toBe(line)
    expect(tidyRings(point(1, 2)).repeated).toBe(0)
  })

  test('tidying twice changes nothing more', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 })), { maxLength: 12 }),
        (ring) => {
          const once = tidyRings(polygon(ring)).shape
          expect(tidyRings(once).shape).toBe(once)
        },
      ),
    )
  })
})

describe('winding', () => {
  test('shells run counterclockwise and holes clockwise, whatever their direction before', () => {
    const shell = box(0, 0, 100, 100)
    const hole = box(20, 20, 40, 40)
    const other = box(200, 0, 300, 100)
    for (const drawn of [
      multiPolygon([shell, hole], [other]),
      multiPolygon([reversed(shell), reversed(hole)], [reversed(other)]),
    ]) {
      const wound = windRings(drawn)
      expect([0, 1, 2].map((ring) => isLeftTurning(wound, ring))).toEqual([true, false, true])
    }
  })

  test('heights are reversed with their points', () => {
    const clockwise = {
      ...polygon(reversed(box(0, 0, 100, 100))),
      z: Float64Array.of(1, 2, 3, 4, 1),
      m: Float64Array.of(5, 6, 7, 8, 5),
    }
    const wound = windRings(clockwise)
    expect([...wound.z!]).toEqual([1, 4, 3, 2, 1])
    expect([...wound.m!]).toEqual([5, 8, 7, 6, 5])
    expect([...clockwise.z]).toEqual([1, 2, 3, 4, 1])
  })

  test('a ring across 180 degrees is wound by the way it runs there', () => {
    const across = xy('179 -17, -179 -17, -179 -16, 179 -16, 179 -17')
    expect(isLeftTurning(geoJson({ type: 'Polygon', coordinates: [across] }), 0)).toBe(true)
    const wound = windRings(geoJson({ type: 'Polygon', coordinates: [across.toReversed()] }))
    expect(isLeftTurning(wound, 0)).toBe(true)
  })

  test('agrees with the library on objects', () => {
    const swings = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 30 })
    fc.assert(
      fc.property(swings, fc.boolean(), (radii, turn) => {
        const drawn = roundShape([175.3, -37.8], 0.002, radii)
        const shape = turn ? { ...drawn, coordinates: reversedPairs(drawn.coordinates) } : drawn
        expect(geoJsonFromShape(windRings(shape))).toEqual(rewindGeometry(geoJsonFromShape(shape)))
      }),
    )
  })
})

function reversedPairs(coordinates: Float64Array): Float64Array {
  return coordinates.map((_, index) => coordinates[coordinates.length - 2 - index + 2 * (index % 2)]!)
}

describe('180 degrees', () => {
  test.each([
    ['a paddock near it', xy('179.1 -17, 179.9 -17, 179.9 -16, 179.1 -17'), false],
    ['one that jumps', xy('179 -17, -179 -17, -179 -16, 179 -17'), true],
    ['one that goes on', xy('179 -17, 181 -17, 181 -16, 179 -17'), true],
  ])('%s', (_, ring, expected) => {
    expect(crossesDateline(geoJson({ type: 'Polygon', coordinates: [ring] }))).toBe(expected)
  })

  test('unwrapped, all rings lie together', () => {
    const shape = geoJson({
      type: 'MultiPolygon',
      coordinates: [
        [xy('179 -17, -179 -17, -179 -16, 179 -17'), xy('-179.5 -16.9, -179.4 -16.9, -179.4 -16.8, -179.5 -16.9')],
        [xy('-178 -17, -177 -17, -177 -16, -178 -17')],
      ],
    })
    const lons = unwrapLongitudes(shape).coordinates.filter((_, index) => index % 2 === 0)
    expect(Math.min(...lons)).toBe(179)
    expect(Math.max(...lons)).toBe(183)
  })
})
