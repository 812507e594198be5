import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Shape, ShapeKind } from '../../src/core/shape.ts'
import { geometryText } from '../../src/core/shapes/geometry-text.ts'
import { identifyCrs } from '../../src/geometry/crs/crs.ts'
import { areaOf } from '../../src/geometry/measure/measure.ts'
import { normaliserFor, type GeometryPolicy, type Normalised } from '../../src/geometry/boundary/normalise.ts'
import { joinPolygons } from '../../src/geometry/measure/parts.ts'
import { windRings } from '../../src/geometry/measure/rings.ts'
import { findFaults, isError } from '../../src/geometry/validity/validity.ts'
import {
  bow,
  box,
  geoJson,
  multiPolygon,
  place,
  point,
  polygon,
  roundShape,
  square,
  twisted,
  xy,
  type Drawn,
} from './drawing.ts'
import { runs } from '../runs.ts'
import { expectQuick } from '../processor-time.ts'
import { forwardTransverseMercator } from './forward.ts'

const wgs84 = identifyCrs({ from: 'format', text: 'EPSG:4326' })
const nztm = identifyCrs({ from: '.prj', text: 'EPSG:2193' })
const at = { source: 'Rimu paddocks.zip', layer: 'paddocks', row: 6 }

function normalise(shape: Shape, policy: Partial<GeometryPolicy> = {}): Normalised {
  const allowed: readonly ShapeKind[] = ['Polygon', 'MultiPolygon']
  return normaliserFor({
    crs: wgs84,
    multipart: 'keep',
    repairUpTo: 0.01,
    decimals: 7,
    keepHeights: false,
    allowed,
    ...policy,
  })(shape, at)
}

/** A polygon of these degrees. */
const degrees = (ring: string): Shape => geoJson({ type: 'Polygon', coordinates: [xy(ring)] })
const collectionOf = (...members: readonly Shape[]): Shape => ({
  kind: 'GeometryCollection',
  coordinates: new Float64Array(0),
  ends: [],
  parts: [],
  members,
})

const codes = (result: Normalised): readonly string[] => result.problems.map((each) => each.code)

describe('a good paddock', () => {
  test('in NZTM becomes degrees, closed, wound, rounded and measured', () => {
    const { definition } = nztm
    const system = { ...definition, ...definition.datum }
    const metres = square
      .slice(0, 4)
      .toReversed()
      .flatMap((corner) => forwardTransverseMercator(system, ...place(corner)))
    const drawn: Shape = { kind: 'Polygon', coordinates: Float64Array.from(metres), ends: [4], parts: [1] }
    const result = normalise(drawn, { crs: nztm })
    expect(codes(result)).toEqual(['boundary-open'])
    expect(geometryText(result.shape!)).toBe(
      '{"type":"Polygon","coordinates":[[[175.312,-37.786],[175.312,-37.787],[175.313,-37.787],[175.313,-37.786],[175.312,-37.786]]]}',
    )
    expect(Math.abs(result.measured!.areaM2 / areaOf(polygon(square)) - 1)).toBeLessThan(1e-8)
    expect(result.measured!.bbox[0]).toBeCloseTo(175.312, 8)
  })

  test('without faults has no problems', () => {
    const holed = normalise(polygon(square, box(20, 20, 40, 40).toReversed()))
    expect(holed).toMatchObject({ problems: [], droppedDimensions: false })
  })

  test('is measured before it is rounded', () => {
    const tiny = roundShape([175.3, -37.8], 2e-6, [1, 0.9, 0.8, 1, 0.7])
    const result = normalise(tiny)
    expect(result.measured!.areaM2).toBe(areaOf(tiny))
    expect(areaOf(result.shape!)).not.toBe(result.measured!.areaM2)
  })

  test('with repeated points loses them, with one note', () => {
    const result = normalise(polygon(xy('0 0, 0 0, 100 0, 100 100, 100 100, 0 100, 0 0')))
    expect(codes(result)).toEqual(['boundary-points-repeated'])
    expect(result.problems[0]).toMatchObject({ severity: 'note', at, message: '2 repeated points were removed.' })
    expect(result.shape!.ends).toEqual([5])
  })

  test('keeps heights when asked, and reports when they are dropped', () => {
    const high: Shape = { ...polygon(square), z: Float64Array.of(1, 2, 3, 4, 1), m: Float64Array.of(5, 6, 7, 8, 5) }
    const { m: _, ...heights } = high
    expect(normalise(high)).toMatchObject({ droppedDimensions: true })
    expect(normalise(high).shape!.z).toBeUndefined()
    expect(normalise(heights, { keepHeights: true })).toMatchObject({ droppedDimensions: false, shape: { z: high.z } })
    expect(normalise(high, { keepHeights: true })).toMatchObject({ droppedDimensions: true, shape: { z: high.z } })
    const repaired = normalise({ ...polygon(twisted), z: high.z! }, { keepHeights: true, repairUpTo: 1 })
    expect(repaired.droppedDimensions).toBe(true)
  })
})

describe('a broken boundary', () => {
  test('is not offered a repair that changes more than 15 % of it', () => {
    const [first] = normalise(polygon(bow)).problems
    expect(first).toMatchObject({ code: 'boundary-crosses-itself', hint: 'Redraw it there.' })
  })

  test('is refused with the place, the change of area and how to allow the repair', () => {
    const result = normalise(polygon(twisted))
    expect(result.shape).toBeUndefined()
    expect(result.measured).toBeUndefined()
    expect(result.problems).toHaveLength(1)
    expect(result.problems[0]).toMatchObject({
      code: 'boundary-crosses-itself',
      severity: 'error',
      at,
      where: { part: 0, ring: 0 },
      message:
        'The boundary crosses itself at 175.31280, -37.78650. Repairing it could add or lose up to 0.02 of 0.42 ha (5.9 %); your limit is 1 %.',
      hint: 'Redraw it there, or allow the repair:  geometry.repair: up to 10 %',
    })
  })

  test('is repaired when that is allowed, with all its land and a note', () => {
    const result = normalise(polygon(twisted), { repairUpTo: 0.06 })
    expect(codes(result)).toEqual(['boundary-repaired'])
    expect(result.problems[0]!.message).toContain(
      'It was repaired and now has 0.42 ha; the repair may have added or lost up to 0.02 of 0.42 ha (5.9 %); 1 point was added; it now has 2 parts.',
    )
    const { repair } = result.problems[0]!
    expect(repair).toMatchObject({ partsBefore: 1, partsAfter: 2, pointsAdded: 1, pointsTakenOut: 0 })
    expect(result.shape!.parts).toHaveLength(2)
    expect(findFaults(result.shape!).filter(isError)).toEqual([])
    expect(Math.abs(result.measured!.areaM2 / areaOf(polygon(square)) - 0.425)).toBeLessThan(1e-4)
  })

  test('is noted with the parts that are left after rounding', () => {
    const needle = xy('0 0, 100 0, 100 100, 50 100, 50.0005 200, 49.9995 200.0004, 50.0005 100, 0 100, 0 0')
    const result = normalise(polygon(needle), { repairUpTo: 1 })
    expect(result.problems[0]!.repair!.partsAfter).toBe(result.shape!.parts.length)
  })

  test.each<[string, Drawn]>([
    ['a spike', xy('0 0, 100 0, 100 100, 150 100, 100 100, 0 100, 0 0')],
    ['a side that runs to and fro', xy('0 0, 100 0, 50 0, 80 0, 100 0, 100 100, 0 100, 0 0')],
  ])('%s loses no land and is repaired under any limit', (_, ring) => {
    const result = normalise(polygon(ring), { repairUpTo: 0 })
    expect(codes(result)).toEqual(['boundary-repaired'])
    expect(result.problems[0]!.message).toContain('without losing land')
    expect(Math.abs(result.measured!.areaM2 / areaOf(polygon(square)) - 1)).toBeLessThan(1e-9)
  })

  test.each<[string, string, Shape]>([
    ['a boundary of two points', 'boundary-too-few-points', polygon(xy('0 0, 100 0, 0 0'))],
    ['a boundary that is a line', 'boundary-no-area', polygon(xy('0 0, 100 50, 50 25, 0 0'))],
    ['a boundary that rounding makes a line', 'boundary-too-few-points', polygon(xy('0 0, 1e-3 1e-3, 100 0, 0 0'))],
    ['no coordinates', 'geometry-missing', { kind: 'Polygon', coordinates: new Float64Array(0), ends: [], parts: [] }],
    ['a coordinate that is no number', 'coordinate-not-a-number', polygon(xy('0 0, NaN 0, 100 100, 0 0'))],
    ['latitude before longitude', 'coordinate-out-of-range', degrees('-37 175, -37 176, -38 176, -37 175')],
    ['a ring round the pole', 'coordinate-out-of-range', degrees('0 80, 120 80, -120 80, 0 80')],
    ['a point', 'geometry-wrong-type', point(175.3, -37.8)],
    ['a collection', 'geometry-wrong-type', geoJson({ type: 'GeometryCollection', geometries: [] })],
  ])('%s is an error with that code', (_, code, shape) => {
    const result = normalise(shape)
    expect(result.shape).toBeUndefined()
    expect(codes(result)).toContain(code)
    expect(result.problems.some((each) => each.severity === 'error' && each.hint !== undefined)).toBe(true)
  })

  test('narrow parts are removed only on request, noted, and limited like a repair', () => {
    const slit = polygon(square, box(20, 20, 20.2, 80))
    expect(normalise(slit)).toMatchObject({ problems: [], shape: { ends: [5, 10] } })
    const slim = normalise(slit, { sliversM: 0.5 })
    expect(slim.shape!.ends).toEqual([5])
    expect(slim.problems).toMatchObject([{ code: 'boundary-slivers', severity: 'note' }])
    const removed = /^Removed: 1 narrow hole or part; the area changed by 11\.7 m² of 0\.98 ha/
    expect(slim.problems[0]!.message).toMatch(removed)
    const refused = normalise(slit, { sliversM: 0.5, repairUpTo: 0 })
    expect(refused.shape).toBeUndefined()
    expect(refused.problems).toMatchObject([{ code: 'boundary-slivers', severity: 'error' }])
  })

  test('a hole that rounding closes is left out and noted', () => {
    const result = normalise(polygon(square, xy('20 20, 20.001 20, 20 20.001, 20 20')))
    expect(codes(result)).toEqual(['boundary-repaired'])
    expect(result.problems[0]!.message).toMatch(/^Rounded to 7 decimals, a hole has fewer/)
    expect(result.shape!.ends).toEqual([5])
  })

  const diamond = (x: number, y: number, size: number): Drawn => [
    [x - size, y],
    [x, y + size],
    [x + size, y],
    [x, y - size],
    [x - size, y],
  ]
  const aroundMiddle = [box(40, 60, 60, 80), box(60, 40, 80, 60), box(40, 20, 60, 40), box(20, 40, 40, 60)]

  test.each<[string, Shape, number, string]>([
    ['a hole that touches the boundary at two points', polygon(square, diamond(50, 50, 50)), 4, 'as 4 parts'],
    ['a hole that touches two sides', polygon(square, xy('0 50, 50 60, 100 50, 50 40, 0 50')), 2, 'as 2 parts'],
    [
      'two holes that touch each other twice',
      polygon(square, xy('20 50, 50 80, 80 50, 50 60, 20 50'), xy('20 50, 50 40, 80 50, 50 20, 20 50')),
      2,
      'as 2 parts',
    ],
    ['a ring of holes', polygon(square, ...aroundMiddle), 2, 'as 2 parts'],
    ['a chain of holes from side to side', polygon(square, diamond(25, 50, 25), diamond(75, 50, 25)), 2, 'as 2 parts'],
    ['a boundary that comes back from outside', polygon(xy('0 0, 100 0, 100 100, 50 0, 0 100, 0 0')), 2, 'as 2 parts'],
    [
      'a boundary that runs round its hole and comes back',
      polygon(xy('0 0, 50 0, 30 40, 70 40, 50 0, 100 0, 100 100, 0 100, 0 0')),
      1,
      'with rings that do not touch themselves',
    ],
    ['one of several parts', multiPolygon([box(200, 0, 300, 100)], [square, diamond(50, 50, 50)]), 5, 'as 5 parts'],
  ])('%s is published in valid parts that have the same land, with a note', (_, drawn, parts, how) => {
    const result = normalise(drawn)
    expect(new Set(codes(result))).toEqual(new Set(['boundary-touches-itself']))
    expect(result.problems[0]!.message).toContain(`. The same land is published ${how}.`)
    expect(result.problems[0]!.severity).toBe('note')
    expect(findFaults(result.shape!)).toEqual([])
    expect(result.shape!.parts).toHaveLength(parts)
    // A point in the middle of a side moves it slightly, because sides are geodesics.
    expect(areaOf(result.shape!) / areaOf(windRings(drawn))).toBeCloseTo(1, 5)
  })

  test('holes that touch each other or the boundary leave valid parts with the same land', () => {
    const tens = fc.integer({ min: 1, max: 9 })
    const hole = fc.tuple(tens, tens, fc.integer({ min: 1, max: 3 }))
    let parted = 0
    fc.assert(
      fc.property(fc.array(hole, { minLength: 1, maxLength: 12 }), fc.boolean(), (holes, isSlanted) => {
        const slant = ([x, y]: readonly [number, number]): [number, number] =>
          isSlanted ? [x + y / 4, y - x / 8] : [x, y]
        const rings = holes.map(([x, y, size]) => diamond(x * 10, y * 10, size * 10))
        const kept: Drawn[] = []
        const sound = (): boolean => !findFaults(windRings(polygon(square, ...kept))).some(isError)
        for (const ring of rings) {
          kept.push(ring)
          if (!sound()) kept.pop()
        }
        const drawn = polygon(...[square, ...kept].map((ring) => ring.map(slant)))
        if (findFaults(windRings(drawn)).some(isError)) return
        const { shape } = normalise(drawn)
        expect(findFaults(shape!)).toEqual([])
        expect(areaOf(shape!) / areaOf(windRings(drawn))).toBeCloseTo(1, 5)
        if (shape!.parts.length > 1) parted += 1
      }),
      { numRuns: 300, seed: 20 },
    )
    expect(parted).toBeGreaterThan(30)
  })
})

describe('parts', () => {
  const overlapping = multiPolygon([square], [box(50, 0, 150, 100)])

  test('that are apart are kept', () => {
    expect(normalise(multiPolygon([square], [box(200, 0, 300, 100)])).shape!.parts).toHaveLength(2)
  })

  test('that are 88 km apart are kept with a warning', () => {
    const { shape, problems } = normalise(multiPolygon([square], [box(100_000, 0, 100_100, 100)]))
    expect(shape!.parts).toHaveLength(2)
    const message = 'Two parts of this boundary lie 88 km apart, at 175.31200, -37.78700 and 176.31200, -37.78700.'
    expect(problems).toMatchObject([{ code: 'boundary-parts-far', severity: 'warning', message }])
    expect(normalise(multiPolygon([square], [box(50_000, 0, 50_100, 100)])).problems).toEqual([])
  })

  test('of a sliver get a warning with its size', () => {
    const of = (east: number, north: number) => normalise(polygon(box(0, 0, east, north))).problems
    expect(of(200, 0.05)).toMatchObject([
      { code: 'boundary-tiny', message: 'The boundary has only 9.8 m² and is about 0.06 m wide.' },
    ])
    expect(of(2, 2)).toMatchObject([{ code: 'boundary-tiny', severity: 'warning' }])
    expect([of(200, 1), of(4, 4)]).toEqual([[], []])
  })

  test('that are a spike get a warning with its length, and a laneway none', () => {
    const out = (...way: [number, number][]) =>
      normalise(polygon([[0, 0], [100, 0], [100, 40], ...way, [100, 100], [0, 100], [0, 0]])).problems
    const message = 'The boundary runs 878 m out to 175.32300, -37.78660 and back beside the same line.'
    expect(out([1100, 40.02], [100, 40.05])).toMatchObject([{ code: 'boundary-spike', severity: 'warning', message }])
    expect(out([1100, 40], [1100, 40.05], [100, 40.05])).toMatchObject([{ code: 'boundary-spike' }])
    expect(out([1100, 40], [1100, 45], [100, 45])).toEqual([])
    expect(out([1100, 40.5], [100, 41])).toEqual([])
    expect(out([110, 40.02], [100, 40.05])).toEqual([])
  })

  test('that overlap are refused, or joined when a union is asked for', () => {
    expect(codes(normalise(overlapping))).toEqual(['boundary-parts-overlap'])
    const united = normalise(overlapping, { multipart: 'union' })
    expect(united).toMatchObject({ problems: [], shape: { kind: 'Polygon' } })
    expect(Math.abs(united.measured!.areaM2 / areaOf(polygon(square)) - 1.5)).toBeLessThan(1e-6)
  })

  test('a union does not hide what else is broken', () => {
    const broken = multiPolygon([bow], [box(200, 0, 300, 100)])
    expect(codes(normalise(broken, { multipart: 'union' }))).toEqual(['boundary-crosses-itself'])
  })

  test('a union leaves parts that lie apart as they are, however many points they have', () => {
    const round = roundShape([175.3, -37.8], 0.05, Array<number>(210_000).fill(1))
    const apart = joinPolygons([round, roundShape([175.4, -37.8], 0.01, [1, 1, 1, 1])])
    expect(normalise(apart, { multipart: 'union' })).toMatchObject({ problems: [], shape: { parts: [1, 2] } })
  })

  test('several parts do not fit a Polygon, but one part does', () => {
    const several = normalise(multiPolygon([square], [box(200, 0, 300, 100)]), { allowed: ['Polygon'] })
    const message = 'The geometry is a MultiPolygon of 2 parts; it must be a Polygon.'
    expect(several.problems[0]).toMatchObject({ code: 'geometry-wrong-type', message })
    expect(several.problems[0]!.hint).toContain('multipart: union')
    expect(normalise(multiPolygon([square]), { allowed: ['Polygon'] }).shape!.kind).toBe('Polygon')
    expect(normalise(polygon(square), { allowed: ['MultiPolygon'] }).shape!.kind).toBe('MultiPolygon')
  })

  test('a field across 180 degrees is cut there and measured whole', () => {
    const result = normalise(degrees('179.99 -17, 179.99 -16.99, -179.99 -16.99, -179.99 -17, 179.99 -17'))
    expect(result.problems).toEqual([])
    expect(result.shape!.parts).toHaveLength(2)
    expect(windRings(result.shape!)).toBe(result.shape)
    expect(result.measured!.bbox).toEqual([179.99, -17, -179.99, -16.99])
  })

  test('a collection that is allowed is normalised member by member', () => {
    const whole = collectionOf(polygon(square.toReversed()), point(...place([5, 5])))
    const result = normalise(whole, { allowed: ['GeometryCollection'] })
    expect(result.shape!.members!.map((each) => each.kind)).toEqual(['Polygon', 'Point'])
    expect(result.measured!.areaM2).toBeGreaterThan(0)
    expect(normalise(collectionOf(polygon(bow)), { allowed: ['GeometryCollection'] }).shape).toBeUndefined()
  })

  test('a collection with a label becomes its boundary, with a note', () => {
    const far = square.map(([x, y]) => [x! + 200, y!] as [number, number])
    const label = point(...place([5, 5]))
    const one = normalise(collectionOf(label, polygon(square)))
    expect(one.shape).toEqual(normalise(polygon(square)).shape)
    expect(codes(one)).toEqual(['parts-left-out'])
    const two = normalise(collectionOf(polygon(square), collectionOf(polygon(far))))
    expect(two.shape).toMatchObject({ kind: 'MultiPolygon', ends: [5, 10], parts: [1, 2] })
    expect(codes(two)).toEqual([])
    expect(codes(normalise(collectionOf(label)))).toEqual(['geometry-wrong-type'])
  })
})

test('a boundary that reaches half round the earth is refused, because it could lie on either side', () => {
  const half: Shape = { kind: 'Polygon', coordinates: Float64Array.of(180, -1, -1, 0, 0, 0), ends: [3], parts: [1] }
  const { shape, problems } = normalise(half, { crs: wgs84, repairUpTo: 1 })
  expect(shape).toBeUndefined()
  expect(problems.at(-1)).toMatchObject({ code: 'coordinate-out-of-range', severity: 'error' })
})

test('a boundary of 250,000 points takes little more than a second', async () => {
  const swings = Array.from({ length: 250_000 }, (_, at) => 0.8 + Math.sin(at / 9) / 50 + Math.sin(at / 4001) / 9)
  const coast = roundShape([175.3, -37.8], 0.5, swings)
  await expectQuick(1250, () => {
    const { shape, problems } = normalise(coast)
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(shape!.coordinates.length).toBeGreaterThan(475_000)
  })
})

describe('laws', () => {
  const positions = fc.array(fc.tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 50 })), {
    minLength: 3,
    maxLength: 9,
  })

  test('a normalised shape stays the same, without notes', () => {
    fc.assert(
      fc.property(positions, (ring) => {
        const once = normalise(polygon(ring), { repairUpTo: 1 })
        if (once.shape === undefined) return
        const again = normalise(once.shape, { repairUpTo: 1 })
        expect(again.shape).toEqual(once.shape)
        // What is tiny or has a spike stays so.
        expect(codes(again).filter((code) => !/^boundary-(?:tiny|spike)$/.test(code))).toEqual([])
      }),
      { numRuns: runs(60) },
    )
  })

  test('the result is valid, rounded and wound, or there is an error', () => {
    fc.assert(
      fc.property(positions, fc.integer({ min: 3, max: 7 }), (ring, decimals) => {
        const { shape, problems } = normalise(polygon(ring), { repairUpTo: 1, decimals })
        expect(shape === undefined).toBe(problems.some((each) => each.severity === 'error'))
        if (shape === undefined) return
        expect(findFaults(shape).filter(isError)).toEqual([])
        expect(windRings(shape)).toBe(shape)
        for (const value of shape.coordinates) expect(value).toBe(Number(value.toFixed(decimals)))
      }),
      { numRuns: runs(60) },
    )
  })

  const round = fc
    .tuple(
      fc.double({ min: 168, max: 178, noNaN: true }),
      fc.double({ min: -46, max: -35, noNaN: true }),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 4, maxLength: 40 }),
    )
    .map(([lon, lat, swings]) => roundShape([lon, lat], 0.003, swings))

  test('published points lie exactly where they were drawn, in any coordinate system', () => {
    const { definition } = nztm
    const system = { ...definition, ...definition.datum }
    fc.assert(
      fc.property(round, (drawn) => {
        const metres = drawn.coordinates.slice()
        for (let at = 0; at < metres.length; at += 2)
          metres.set(forwardTransverseMercator(system, drawn.coordinates[at]!, drawn.coordinates[at + 1]!), at)
        const written = normalise({ ...drawn, coordinates: metres }, { crs: nztm }).shape!
        const same = normalise(drawn).shape!
        expect(written.ends).toEqual(same.ends)
        for (const [index, value] of written.coordinates.entries())
          expect(Math.abs(value - drawn.coordinates[index]!)).toBeLessThan(1e-7)
      }),
      { numRuns: runs(100) },
    )
  })

  test('the area does not depend on the direction, start or order of rings and parts', () => {
    const side = fc.integer({ min: 1, max: 9 })
    fc.assert(
      fc.property(
        fc.array(fc.tuple(side, side), { minLength: 1, maxLength: 6 }),
        fc.nat(),
        fc.boolean(),
        (sizes, turn, isBroken) => {
          const drawn = sizes.map(([width, height], index): readonly Drawn[] => [
          isBroken ? [[index * 30, 0], [index * 30 + 20, 20], [index * 30 + 20, 0], [index * 30, 20], [index * 30, 0]] : box(index * 30, 0, index * 30 + 25, 25),
          box(index * 30 + 11, 11, index * 30 + 11 + width / 3, 11 + height / 3),
          box(index * 30 + 6, 9, index * 30 + 6 + width / 5, 9 + height / 5),
        ]) // oxfmt-ignore
          const reordered = drawn.toReversed().map(([shell, ...holes]) =>
            [shell!, ...holes.toReversed()].map((ring, index): Drawn => {
              const open = ring.slice(1)
              const at = (turn + index) % open.length
              const turned = [...open.slice(at), ...open.slice(0, at)]
              return [
                ...(turn % 2 === 0 ? turned : turned.toReversed()),
                turned[turn % 2 === 0 ? 0 : turned.length - 1]!,
              ]
            }),
          )
          const one = normalise(multiPolygon(...drawn), { repairUpTo: 1 })
          const other = normalise(multiPolygon(...reordered), { repairUpTo: 1 })
          expect(Math.abs(other.measured!.areaM2 / one.measured!.areaM2 - 1)).toBeLessThan(1e-9)
          expect(codes(other)).toEqual(codes(one))
        },
      ),
      { numRuns: runs(100) },
    )
  })

  test('no content of a file throws', () => {
    const number = fc.oneof(
      fc.double(),
      fc.integer({ min: -400, max: 400 }),
      fc.constantFrom(NaN, Infinity, 180, -180, 90, -90, 0),
    )
    const rings = fc.array(fc.array(fc.tuple(number, number), { maxLength: 7 }), { maxLength: 4 })
    const shapes = rings.chain((drawn) => {
      let end = 0
      const flat = { coordinates: Float64Array.from(drawn.flat(2)), ends: drawn.map((ring) => (end += ring.length)) }
      return fc.constantFrom<Shape>(
        { kind: 'Polygon', ...flat, parts: [drawn.length] },
        { kind: 'MultiPolygon', ...flat, parts: drawn.map((_, index) => index + 1) },
        { kind: 'MultiLineString', ...flat, parts: [] },
        { kind: 'MultiPoint', coordinates: flat.coordinates, ends: [], parts: [] },
      )
    })
    const lines: readonly ShapeKind[] = ['MultiLineString', 'LineString', 'MultiPoint', 'Point']
    const allowed: readonly ShapeKind[] = ['Polygon', 'MultiPolygon', ...lines]
    fc.assert(
      fc.property(shapes, fc.constantFrom('keep', 'union'), fc.constantFrom(wgs84, nztm), (shape, multipart, crs) => {
        const result = normalise(shape, { multipart, crs, repairUpTo: 1, allowed })
        for (const value of result.shape?.coordinates ?? []) expect(Number.isFinite(value)).toBe(true)
        for (const value of Object.values(result.measured ?? {}).flat()) expect(Number.isFinite(value)).toBe(true)
      }),
      { numRuns: runs(300) },
    )
  })
})
