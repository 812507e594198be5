import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Shape } from '../../src/core/shape.ts'
import { areaOf } from '../../src/geometry/measure/measure.ts'
import { repair } from '../../src/geometry/repair/repair.ts'
import { windRings } from '../../src/geometry/measure/rings.ts'
import { findFaults, isError } from '../../src/geometry/validity/validity.ts'
import { box, geoJson, multiPolygon, polygon, square, xy, type Drawn } from './drawing.ts'
import { runs } from '../runs.ts'
import { expectQuick } from '../processor-time.ts'

const unitM2 = areaOf(polygon(square)) / 10_000

describe('a repair', () => {
  // Areas in drawn squares; the share is of what the lines enclose.
  test.each<[string, Shape, { before: number; after: number; lost: number; parts: number }]>([
    [
      'keeps both lobes of a bow tie',
      polygon(xy('0 0, 100 100, 100 0, 0 100, 0 0')),
      { before: 5000, after: 5000, lost: 2500, parts: 2 },
    ],
    [
      'counts the lesser lobe as lost, because signed areas take it off',
      polygon(xy('0 0, 100 62.5, 100 37.5, 0 100, 0 0')),
      { before: 4250, after: 4250, lost: 250, parts: 2 },
    ],
    [
      'cuts a spike without loss',
      polygon(xy('0 0, 100 0, 100 100, 150 100, 100 100, 0 100, 0 0')),
      { before: 10_000, after: 10_000, lost: 0, parts: 1 },
    ],
    [
      'counts land once that the line goes round twice',
      polygon(xy('0 0, 100 0, 100 100, 0 100, 0 0, 20 20, 60 20, 60 60, 20 60, 20 20, 0 0')),
      { before: 11_600, after: 10_000, lost: 1600, parts: 1 },
    ],
    [
      'joins overlapping parts',
      multiPolygon([square], [box(50, 0, 150, 100)]),
      { before: 20_000, after: 15_000, lost: 5000, parts: 1 },
    ],
    [
      'joins parts that share a side, without loss',
      multiPolygon([square], [box(100, 0, 200, 100)]),
      { before: 20_000, after: 20_000, lost: 0, parts: 1 },
    ],
    [
      'leaves out a hole that lies outside',
      polygon(square, box(200, 0, 220, 20)),
      { before: 9600, after: 10_000, lost: 400, parts: 1 },
    ],
    [
      'cuts a hole at the boundary it crosses',
      polygon(square, box(80, 0, 120, 20)),
      { before: 9200, after: 9600, lost: 400, parts: 1 },
    ],
    [
      'leaves out a part that is only a line',
      multiPolygon([square], [xy('200 0, 300 50, 250 25, 200 0')]),
      { before: 10_000, after: 10_000, lost: 0, parts: 1 },
    ],
    [
      'changes nothing where nothing is wrong',
      polygon(square, box(20, 20, 40, 40)),
      { before: 9600, after: 9600, lost: 0, parts: 1 },
    ],
  ])('%s', (_, shape, expected) => {
    const { shape: sound, repair: repaired } = repair(shape)!
    expect(repaired.areaBeforeM2 / unitM2).toBeCloseTo(expected.before, 1)
    expect(repaired.areaAfterM2 / unitM2).toBeCloseTo(expected.after, 1)
    expect(repaired.lostShare).toBeCloseTo(expected.lost / expected.before, 5)
    expect([repaired.partsBefore, repaired.partsAfter]).toEqual([shape.parts.length, expected.parts])
    expect(findFaults(sound).filter(isError)).toEqual([])
    expect(windRings(sound)).toBe(sound)
  })

  test.each<[string, Shape]>([
    ['a line there and back', polygon(xy('0 0, 100 50, 50 25, 0 0'))],
    ['a point', polygon(xy('0 0, 0 0, 0 0, 0 0'))],
    ['two points', polygon(xy('0 0, 10 0, 0 0'))],
    [
      'no polygon',
      geoJson({
        type: 'LineString',
        coordinates: xy('0 0, 1 1'),
      }),
    ],
  ])('nothing is left of %s', (_, shape) => {
    expect(repair(shape)).toBeUndefined()
  })

  const scribble = (count: number): Shape => {
    const ring: Drawn = Array.from({ length: count }, (_, index) => [(index * 7919) % 997, (index * 104_729) % 991])
    return polygon([...ring, ring[0]!])
  }

  test('a scribble with thousands of crossings is repaired', () => {
    const repaired = repair(scribble(400))!
    expect(findFaults(repaired.shape)).toEqual([])
    expect(repaired.repair.areaAfterM2 / unitM2).toBeGreaterThan(0.5 * 997 * 991)
  })

  test('a scribble with millions of crossings is given up quickly', async () => {
    await expectQuick(4000, () => expect(repair(scribble(8000))).toBeUndefined())
  })

  const positions = fc.array(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 60 })), {
    minLength: 3,
    maxLength: 8,
  })

  test('a second repair changes nothing', () => {
    fc.assert(
      fc.property(positions, (ring) => {
        const once = repair(polygon([...ring, ring[0]!]))
        if (once === undefined) return
        const again = repair(once.shape)!
        expect(again.shape).toEqual(once.shape)
        expect(again.repair.lostShare).toBe(0)
        expect(once.repair.lostShare).toBeGreaterThanOrEqual(0)
        expect(once.repair.lostShare).toBeLessThanOrEqual(1)
      }),
      { numRuns: runs(60) },
    )
  })

  test('every place that the line encloses an odd number of times is kept', () => {
    fc.assert(
      fc.property(
        positions,
        fc.tuple(fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 59 })),
        (ring, [x, y]) => {
          const drawn = polygon([...ring, ring[0]!])
          const repaired = repair(drawn)
          const [lon, lat] = polygon([[x + 0.4142, y + 0.7321]]).coordinates as unknown as [number, number]
          if (isWithin(drawn, lon, lat)) expect(repaired !== undefined && isWithin(repaired.shape, lon, lat)).toBe(true)
        },
      ),
      { numRuns: runs(60) },
    )
  })
})

function isWithin(shape: Shape, lon: number, lat: number): boolean {
  let within = false
  for (let vertex = 1; vertex < shape.coordinates.length / 2; vertex += 1) {
    if (shape.ends.includes(vertex)) continue
    const [x1, y1, x2, y2] = shape.coordinates.subarray(vertex * 2 - 2, vertex * 2 + 2) as unknown as [
      number,
      number,
      number,
      number,
    ]
    if (y1 > lat !== y2 > lat && lon < x1 + ((lat - y1) / (y2 - y1)) * (x2 - x1)) within = !within
  }
  return within
}

test('valid parts stay as drawn where another part is repaired', () => {
  const bowTie: Drawn = [[0, 0], [10, 10], [10, 0], [0, 10], [0, 0]] // oxfmt-ignore
  const [left, right] = [box(100, 0, 110, 10), box(110.000001, 0, 120, 10)]
  const { shape, repair: found } = repair(multiPolygon([bowTie], [left], [right]))!
  expect(found.partsAfter).toBe(4)
  expect(findFaults(shape).some(isError)).toBe(false)
  expect(areaOf(shape) / unitM2).toBeCloseTo(250, 2)
  expect(found.lostShare).toBeGreaterThan(0)
})

test('a boundary drawn by a trembling hand is repaired with all its land', () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const ring = tangledRing(seed)
    const beside = box(1000, 1000, 1010, 1010)
    const repaired = repair(multiPolygon([ring], [beside]))!
    expect(findFaults(repaired.shape).filter(isError)).toEqual([])
    expect(repaired.repair.areaAfterM2).toBeGreaterThan(areaOf(polygon(ring)) * 0.5 + areaOf(polygon(beside)) * 0.99)
  }
})

/** A boundary drawn by a trembling hand on a coarse grid: it runs back, and touches and crosses itself. */
function tangledRing(seed: number): [number, number][] {
  let state = (seed * 2_654_435_761) % 4_294_967_296
  const random = (): number => (state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296) / 4_294_967_296
  const count = 20 + Math.floor(random() * 40)
  const size = 5 + random() * 20
  const ring = Array.from({ length: count }, (_, index): [number, number] => {
    const angle = (index / count) * 2 * Math.PI
    const radius = size * (0.75 + random() * 0.5)
    return [Math.round(Math.cos(angle + (random() - 0.5) * 0.6) * radius), Math.round(Math.sin(angle) * radius)]
  })
  return [...ring, ring[0]!]
}
