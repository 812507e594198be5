import { featureCollection, polygon as turfPolygon } from '@turf/helpers'
import { union } from '@turf/union'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Shape } from '../../src/core/shape.ts'
import { geoJsonFromShape } from '../../src/core/shapes/shape-geojson.ts'
import { splitAtDateline } from '../../src/geometry/repair/dateline.ts'
import { areaOf, measure } from '../../src/geometry/measure/measure.ts'
import { crossesDateline } from '../../src/geometry/measure/rings.ts'
import { findFaults, isError } from '../../src/geometry/validity/validity.ts'
import { geoJson, polygon, roundShape, square, xy } from './drawing.ts'

describe('cutting at 180 degrees', () => {
  const jumping = geoJson({
    type: 'Polygon',
    coordinates: [xy('179 -17, -179 -17, -179 -16, 179 -16, 179 -17')],
  })

  test('a field across it becomes two parts that meet there', () => {
    const split = splitAtDateline(jumping)
    expect(split.kind).toBe('MultiPolygon')
    expect(split.parts).toHaveLength(2)
    expect(crossesDateline(split)).toBe(false)
    expect(measure(split).bbox).toEqual([179, -17, -179, -16])
    expect(findFaults(split)).toEqual([])
  })

  test('a field whose longitudes continue beyond 180 is cut in the same way', () => {
    const going = geoJson({
      type: 'Polygon',
      coordinates: [xy('179 -17, 181 -17, 181 -16, 179 -16, 179 -17')],
    })
    expect(splitAtDateline(going)).toEqual(splitAtDateline(jumping))
  })

  test('a field wholly beyond 180 returns into range, in one part', () => {
    const beyond = geoJson({
      type: 'Polygon',
      coordinates: [xy('181 -17, 182 -17, 182 -16, 181 -17')],
    })
    expect(splitAtDateline(beyond)).toMatchObject({
      kind: 'Polygon',
      coordinates: Float64Array.of(-179, -17, -178, -17, -178, -16, -179, -17),
    })
  })

  test('a bent field is cut into all its parts, each with its holes', () => {
    const bent = xy('179 -17, 181 -17, 181 -16, 179.5 -16, 179.5 -15.5, 181 -15.5, 181 -15, 179 -15, 179 -17')
    const hole = xy('179.8 -16.8, 179.8 -16.2, 180.4 -16.2, 180.4 -16.8, 179.8 -16.8')
    const whole = geoJson({ type: 'Polygon', coordinates: [bent, hole] })
    const split = splitAtDateline(whole)
    expect(split.parts).toHaveLength(3)
    expect(findFaults(split).filter(isError)).toEqual([])
    expect(Math.abs(areaOf(split) / areaOf(whole) - 1)).toBeLessThan(1e-3)
  })

  test('lines are cut, points return into range, and other shapes stay the same', () => {
    expect(
      splitAtDateline(
        geoJson({
          type: 'LineString',
          coordinates: xy('179 0, -179 1'),
        }),
      ).ends,
    ).toEqual([2, 4])
    expect([
      ...splitAtDateline(
        geoJson({
          type: 'MultiPoint',
          coordinates: xy('181 0, -179 1'),
        }),
      ).coordinates,
    ]).toEqual([-179, 0, -179, 1])
    const field = polygon(square)
    expect(splitAtDateline(field)).toBe(field)
  })
})

describe('cutting at 180 degrees and joining again', () => {
  const middles = fc.tuple(
    fc.double({ min: 179.97, max: 180.03, noNaN: true }),
    fc.double({ min: -70, max: 70, noNaN: true }),
  )
  const swings = fc.array(fc.double({ min: 0.2, max: 1, noNaN: true }), { minLength: 3, maxLength: 40 })

  test('returns the field, with one more point where each side was cut', () => {
    fc.assert(
      fc.property(middles, swings, (middle, radii) => {
        const field = roundShape(middle, 0.02, radii)
        const joined = joinedByTurf(splitAtDateline(field))
        const drawn = positionsOf(field.coordinates)
        for (const [lon, lat] of drawn) expect(joined.some(isAt(lon, lat))).toBe(true)
        for (const [lon, lat] of joined) expect(isNear(lon, 180) || drawn.some(isAt(lon, lat))).toBe(true)
        expect(Math.abs(twiceArea(joined) / twiceArea(drawn) - 1)).toBeLessThan(1e-7)
      }),
    )
  })

  test('is the same for a field whose longitudes jump there', () => {
    fc.assert(
      fc.property(middles, swings, (middle, radii) => {
        const field = roundShape(middle, 0.02, radii)
        const jumping = { ...field, coordinates: field.coordinates.map((value) => (value > 180 ? value - 360 : value)) }
        const [one, other] = [field, jumping].map(splitAtDateline)
        expect(other!.ends).toEqual(one!.ends)
        for (const [index, value] of other!.coordinates.entries())
          expect(Math.abs(value - one!.coordinates[index]!)).toBeLessThan(1e-9)
      }),
    )
  })

  type Position = readonly [lon: number, lat: number]

  function isNear(one: number, other: number): boolean {
    return Math.abs(one - other) < 1e-9
  }

  function isAt(lon: number, lat: number): (position: Position) => boolean {
    return ([x, y]) => isNear(x, lon) && isNear(y, lat)
  }

  function positionsOf(coordinates: Float64Array): readonly Position[] {
    return Array.from({ length: coordinates.length / 2 }, (_, index) => [
      coordinates[index * 2]!,
      coordinates[index * 2 + 1]!,
    ])
  }

  /** The only ring of what the parts make together, counted on beyond 180 degrees. */
  function joinedByTurf(split: Shape): readonly Position[] {
    const geometry = geoJsonFromShape(split) as unknown as
      | { readonly type: 'Polygon'; readonly coordinates: number[][][] }
      | { readonly type: 'MultiPolygon'; readonly coordinates: number[][][][] }
    const parts = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates
    const onward = parts.map((part) =>
      turfPolygon(part.map((ring) => ring.map(([lon, lat]) => [lon! < 0 ? lon! + 360 : lon!, lat!]))),
    )
    const whole = onward.length === 1 ? onward[0]! : union(featureCollection(onward))!
    expect(whole.geometry.type).toBe('Polygon')
    const rings = whole.geometry.coordinates as [number, number][][]
    expect(rings).toHaveLength(1)
    return rings[0]!
  }

  function twiceArea(ring: readonly Position[]): number {
    const [originLon, originLat] = ring[0]!
    let twice = 0
    for (let at = 1; at < ring.length; at += 1) {
      const [[x1, y1], [x2, y2]] = [ring[at - 1]!, ring[at]!]
      twice += (x1 - originLon) * (y2 - originLat) - (x2 - originLon) * (y1 - originLat)
    }
    return Math.abs(twice)
  }
})
