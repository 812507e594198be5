import { featureCollection, multiPolygon, polygon as feature } from '@turf/helpers'
import { union } from '@turf/union'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { geoJsonFromShape } from '../../src/core/shape-geojson.ts'
import type { Shape } from '../../src/core/shape.ts'
import { areaOf } from '../../src/geometry/measure.ts'
import { windRings } from '../../src/geometry/rings.ts'
import { untie } from '../../src/geometry/untie.ts'
import { findFaults, isError } from '../../src/geometry/validity.ts'
import { geoJson, polygon, type Drawn } from './drawing.ts'

function unionOf(shape: Shape): Shape {
  const { coordinates } = geoJsonFromShape(shape) as unknown as { readonly coordinates: [number, number][][] }
  const areas: Parameters<typeof union>[0]['features'] = [feature(coordinates), multiPolygon([])]
  return windRings(geoJson(union(featureCollection(areas))!.geometry))
}

/** A lobe narrower than this is a trace of the computing, which mending leaves out. */
function leastLobeM2(shape: Shape): number {
  const [first, last] = shape.ends as readonly [number, number]
  const lobe = (from: number, to: number): Shape => ({
    kind: 'Polygon',
    coordinates: shape.coordinates.slice(from * 2, to * 2),
    ends: [to - from],
    parts: [1],
  })
  return Math.min(areaOf(lobe(0, first)), areaOf(lobe(first, last)))
}

test('a bow tie becomes its two lobes', () => {
  const bowTie = polygon([
    [0, 0],
    [100, 100],
    [100, 0],
    [0, 100],
    [0, 0],
  ])
  const untied = untie(bowTie)!
  expect([untied.kind, untied.ends, untied.parts]).toEqual(['MultiPolygon', [4, 8], [1, 2]])
  expect(areaOf(windRings(untied))).toBeCloseTo(areaOf(unionOf(bowTie)), 3)
})

test.each<[string, Drawn]>([
  [
    'a sound ring',
    [
      [0, 0],
      [100, 0],
      [100, 100],
      [0, 0],
    ],
  ],
  [
    'a loop inside the ring',
    [
      [0, 0],
      [100, 0],
      [50, 90],
      [30, 20],
      [80, 20],
      [20, 90],
      [0, 0],
    ],
  ],
  [
    'two crossings',
    [
      [0, 0],
      [50, 100],
      [100, 0],
      [100, 80],
      [50, 20],
      [0, 80],
      [0, 0],
    ],
  ],
  [
    'a ring that touches itself beside its crossing',
    [
      [0, 0],
      [100, 100],
      [100, 0],
      [0, 100],
      [-40, 60],
      [-40, 140],
      [0, 100],
      [0, 0],
    ],
  ],
])('%s is left to the union', (_, drawn) => {
  expect(untie(polygon(drawn))).toBeUndefined()
})

test('whatever is untied is what the union makes of it', () => {
  const corner = fc.integer({ min: -50, max: 50 })
  let untiedCount = 0
  fc.assert(
    fc.property(fc.array(fc.tuple(corner, corner), { minLength: 4, maxLength: 7 }), (points) => {
      const drawn = polygon([...points, points[0]!])
      const untied = untie(drawn)
      if (untied === undefined) return
      untiedCount += 1
      const shape = windRings(untied)
      if (leastLobeM2(shape) < 0.1) return
      expect(findFaults(shape).filter(isError)).toEqual([])
      expect(Math.abs(areaOf(shape) - areaOf(unionOf(drawn)))).toBeLessThan(0.01)
    }),
    { numRuns: 3000, seed: 180 },
  )
  expect(untiedCount).toBeGreaterThan(200)
})
