import { featureCollection, multiPolygon as features } from '@turf/helpers'
import { union } from '@turf/union'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { geoJsonFromShape } from '../../src/core/shapes/shape-geojson.ts'
import { startOf, type Shape } from '../../src/core/shape.ts'
import { cover } from '../../src/geometry/repair/repair.ts'
import { signedArea, windRings } from '../../src/geometry/measure/rings.ts'
import { findFaults, isError } from '../../src/geometry/validity/validity.ts'
import { box, geoJson, multiPolygon, polygon, type Drawn } from './drawing.ts'
import { runs } from '../runs.ts'

const fine = { decimals: 10, strict: false }
const unit = 1e-10

/** The land of a shape in drawn squares. */
function areaOf(shape: Shape | undefined): number {
  if (shape === undefined) return 0
  return (
    shape.ends.reduce((sum, end, ring) => sum + signedArea(shape.coordinates, startOf(shape, ring), end), 0) / 2 / unit
  )
}

/** The land that another library finds, in drawn squares; undefined where it fails. */
function areaOfUnion(shape: Shape): number | undefined {
  const { coordinates } = geoJsonFromShape(shape) as unknown as { readonly coordinates: [number, number][][][] }
  try {
    const united = union(featureCollection([features(coordinates), features([])]))
    return united === null ? 0 : areaOf(windRings(geoJson(united.geometry)))
  } catch {
    return undefined
  }
}

const whole = fc.integer({ min: 0, max: 30 })
const anywhere = fc.integer({ min: 0, max: 2 ** 30 }).map((value) => (value * 30) / 2 ** 30)
const drawn = (coordinate: fc.Arbitrary<number>, most: number): fc.Arbitrary<Drawn> =>
  fc
    .array(fc.tuple(coordinate, coordinate), { minLength: 3, maxLength: most })
    .map((points): Drawn => [...points, points[0]!])

describe('the land that lines cover', () => {
  test.each<[string, fc.Arbitrary<number>]>([
    ['on a coarse grid, where lines meet at vertices and run along each other', whole],
    ['anywhere', anywhere],
  ])('is what another library finds, for rings drawn %s', (_, coordinate) => {
    let compared = 0
    fc.assert(
      fc.property(drawn(coordinate, 12), (ring) => {
        const shape = multiPolygon([ring])
        const theirs = areaOfUnion(shape)
        const ours = cover(shape, 'around', fine)!
        if (theirs === undefined) return
        compared += 1
        expect(Math.abs(areaOf(ours.shape) - theirs)).toBeLessThan(1e-3)
        expect(Math.abs(ours.covered / unit - theirs)).toBeLessThan(1e-3)
      }),
      { numRuns: runs(500), seed: 2193 },
    )
    expect(compared).toBeGreaterThan(runs(450))
  })

  test('of several parts is what another library joins them to', () => {
    const star = fc.tuple(
      whole,
      whole,
      fc.array(fc.double({ min: 0.3, max: 1, noNaN: true }), { minLength: 3, maxLength: 9 }),
    )
    fc.assert(
      fc.property(fc.array(star, { minLength: 2, maxLength: 5 }), (stars) => {
        const parts = stars.map(([x, y, radii]): readonly Drawn[] => {
          const ring = radii.map((radius, index): [number, number] => {
            const angle = (2 * Math.PI * index) / radii.length
            return [Math.round(x + 12 * radius * Math.cos(angle)), Math.round(y + 12 * radius * Math.sin(angle))]
          })
          return [[...ring, ring[0]!]]
        })
        const shape = windRings(multiPolygon(...parts))
        const theirs = areaOfUnion(shape)
        if (findFaults(shape).some(({ code }) => code === 'boundary-no-area' || code === 'boundary-too-few-points'))
          return
        const ours = cover(shape, 'inside', fine)!.shape
        if (theirs !== undefined) expect(Math.abs(areaOf(ours) - theirs)).toBeLessThan(1e-3)
      }),
      { numRuns: runs(500), seed: 4326 },
    )
  })

  test('is valid, wherever the lines run', () => {
    fc.assert(
      fc.property(fc.oneof(drawn(whole, 25), drawn(anywhere, 25)), fc.constantFrom(6, 7, 10), (ring, decimals) => {
        const { shape } = cover(polygon(ring), 'around', { decimals, strict: true })!
        if (shape === undefined) return
        expect(findFaults(shape)).toEqual([])
        expect(windRings(shape)).toBe(shape)
        for (const value of shape.coordinates) expect(value).toBe(Number(value.toFixed(decimals)))
      }),
      { numRuns: runs(500) },
    )
  })

  test('does not depend on the direction or first vertex of a ring', () => {
    fc.assert(
      fc.property(drawn(whole, 12), fc.nat(), (ring, turn) => {
        const open = ring.slice(1)
        const at = turn % open.length
        const turned = [...open.slice(at), ...open.slice(0, at)].toReversed()
        const one = cover(polygon(ring), 'around', fine)!
        const other = cover(polygon([...turned, turned[0]!]), 'around', fine)!
        expect(other.covered).toBeCloseTo(one.covered, 20)
        expect([other.against, other.again]).toEqual([expect.closeTo(one.against, 20), expect.closeTo(one.again, 20)])
        expect(other.shape?.ends.length).toBe(one.shape?.ends.length)
      }),
      { numRuns: runs(300) },
    )
  })
})

test('drawn points keep their exact coordinates', () => {
  const ring: Drawn = [[0.1 / 3, 0], [100, 100 / 7], [100 / 7, 0], [0, 100], [0.1 / 3, 0]] // oxfmt-ignore
  const shape = polygon(ring)
  const drawnPoints = new Set(geoJsonPoints(shape))
  const repaired = geoJsonPoints(cover(shape, 'around', fine)!.shape!)
  expect(new Set(repaired.filter((each) => !drawnPoints.has(each))).size).toBe(1)
})

test('land and holes that meet at points are separated there', () => {
  const chequered = multiPolygon([box(0, 0, 30, 30)], [box(30, 30, 60, 60)], [box(0, 30, 30, 60)], [box(0, 60, 60, 90)])
  const { shape } = cover(windRings(chequered), 'inside', fine)!
  expect(shape!.ends).toHaveLength(1)
  const ring = multiPolygon([box(0, 0, 90, 30)], [box(0, 30, 30, 90)], [box(60, 30, 90, 90)], [box(30, 60, 60, 90)])
  const { shape: round } = cover(windRings(ring), 'inside', fine)!
  expect(round!.ends).toEqual([5, 10])
  expect(round!.parts).toEqual([2])
})

test('a hole on an island in a hole belongs to the island', () => {
  const { shape } = cover(
    windRings(
      multiPolygon(
        [box(0, 0, 90, 90), box(10, 10, 80, 80)],
        [box(20, 20, 70, 70), box(30, 30, 60, 60)],
        [box(40, 40, 50, 50)],
      ),
    ),
    'inside',
    fine,
  )!
  expect(shape!.parts).toEqual([2, 4, 5])
  expect(findFaults(shape!).some(isError)).toBe(false)
})

function geoJsonPoints(shape: Shape): readonly string[] {
  return Array.from({ length: shape.coordinates.length / 2 }, (_, vertex) =>
    shape.coordinates.subarray(vertex * 2, vertex * 2 + 2).join(' '),
  )
}
