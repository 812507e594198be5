import { featureCollection, polygon as turfPolygon } from '@turf/helpers'
import { union } from '@turf/union'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { once } from '../../src/core/once.ts'
import type { Shape } from '../../src/core/shape.ts'
import { geoJsonFromShape, shapeFromGeoJson } from '../../src/core/shapes/shape-geojson.ts'
import type { Boundaries } from '../../src/geometry/coverage/boundary-grid.ts'
import { findMeetings, type Meeting } from '../../src/geometry/coverage/coverage.ts'
import { areaOf } from '../../src/geometry/measure/measure.ts'
import { findFaults } from '../../src/geometry/validity/validity.ts'
import { boundariesOf, box, multiPolygon as multi, polygon, roundShape, type Drawn } from './drawing.ts'
import { runs } from '../runs.ts'
import { expectQuick, processorMs, slowness } from '../processor-time.ts'

type Polygon = { readonly coordinates: number[][][] }

function meetings(...shapes: readonly Shape[]): readonly Meeting[] {
  return [...findMeetings(boundariesOf(shapes))].flat()
}

// A step of the drawing is 0.88 m from west to east and 1.11 m from south to north.
const [stepX, stepY] = [0.8807, 1.1099]
const square = polygon(box(0, 0, 100, 100))

describe('two fields', () => {
  test.each([
    ['that share a fence', polygon(box(100, 0, 200, 100))],
    ['that share a part of a fence', polygon(box(100, 30, 200, 70))],
    ['that touch at a corner', polygon(box(100, 100, 200, 200))],
    [
      'of which one fills the hole of the other',
      multi([box(200, 0, 300, 100), box(220, 20, 280, 80)], [box(400, 0, 410, 10)]),
    ],
    ['a lane apart', polygon(box(105, 0, 200, 100))],
    [
      'whose fence has more posts on one side',
      polygon([...box(100, 0, 200, 100).slice(0, 4), [100, 61], [100, 33], [100, 0]] as Drawn),
    ],
  ])('%s do not meet', (_, other) => {
    expect(meetings(square, other)).toEqual([])
    expect(meetings(other, square)).toEqual([])
  })

  test('that overlap have the common area and its middle reported', () => {
    const [only, ...rest] = meetings(square, polygon(box(80, 40, 180, 60)))
    expect(rest).toEqual([])
    expect(only).toMatchObject({ one: 0, other: 1 })
    expect(only!.areaM2).toBeCloseTo(20 * stepX * 20 * stepY, 0)
    expect((only!.lon - 175.312) * 1e5).toBeCloseTo(90, 0)
    expect((only!.lat + 37.787) * 1e5).toBeCloseTo(50, 0)
  })

  test('of which one lies inside the other overlap by all of it', () => {
    const [only] = meetings(square, polygon(box(40, 40, 60, 60)))
    expect(only!.areaM2 / only!.areasM2[1]).toBeCloseTo(1, 6)
  })

  test('that are the same overlap completely', () => {
    const [only] = meetings(square, square)
    expect(only!.areaM2 / only!.areasM2[0]).toBeCloseTo(1, 6)
    expect(only!.areaM2 / only!.areasM2[1]).toBeCloseTo(1, 6)
  })
})

const swings = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 30 })
const near = fc.double({ min: -0.004, max: 0.004, noNaN: true })

test('the overlap of two fields is what their union lacks', () => {
  const overlapped = (one: Shape, other: Shape): number => {
    const turfed = [one, other].map((each) => turfPolygon((geoJsonFromShape(each) as unknown as Polygon).coordinates))
    const united = union(featureCollection(turfed))
    const whole = shapeFromGeoJson(united!.geometry)
    return areaOf(one) + areaOf(other) - areaOf(whole as Shape)
  }
  fc.assert(
    fc.property(swings, swings, near, near, (ones, others, east, north) => {
      const rounded = (shape: Shape): Shape => ({
        ...shape,
        coordinates: shape.coordinates.map((each) => Math.round(each * 1e7) / 1e7),
      })
      const [one, other] = [
        rounded(roundShape([175.3, -37.8], 0.003, ones)),
        rounded(roundShape([175.3 + east, -37.8 + north], 0.003, others)),
      ]
      fc.pre(findFaults(one).length === 0 && findFaults(other).length === 0)
      const found = meetings(one, other)[0]
      const expected = overlapped(one, other)
      // An overlap of less than a square metre is not reported.
      if (found === undefined) expect(expected).toBeLessThan(1.1)
      else expect(Math.abs(found.areaM2 - expected)).toBeLessThan(1 + expected * 1e-4)
    }),
    { numRuns: runs(300) },
  )
})

test.each([
  ['north', (x: number, y: number) => [x, y] as const],
  ['east', (x: number, y: number) => [y, x] as const],
])('two combs with 20,000 teeth to the %s are compared quickly, and exactly', async (_, turn) => {
  const comb = (teeth: number): Shape => {
    const tips = Array.from({ length: 2 * teeth + 1 }, (_, at) => turn(at / 10, at % 2 === 0 ? 10 + (at % 7) : 500))
    return polygon([turn(0, 0), ...tips, turn(teeth / 5, 0), turn(0, 0)])
  }
  const [whole, half] = [comb(20_000), comb(10_000)]
  let found: readonly Meeting[] = []
  await expectQuick(1000, () => (found = [...findMeetings(boundariesOf([whole, half]))].flat()))
  // A side of the boundary from west to east is a geodesic line.
  expect(found[0]!.areaM2 / areaOf(half)).toBeCloseTo(1, 3)
})

test('each pair of a whole farm is reported once, in any order of rows', () => {
  const fields = Array.from({ length: 400 }, (_, at) => {
    const [x, y] = [(at % 20) * 100, Math.floor(at / 20) * 100]
    return polygon(box(x, y, x + 103, y + 100))
  })
  expect(meetings(...fields)).toHaveLength(20 * 19)
  expect(meetings(...fields.toReversed())).toHaveLength(20 * 19)
})

test('boundaries of thousands of vertices are measured quickly', async () => {
  const wavy = (x: number): Shape => {
    const bank = Array.from({ length: 20_000 }, (_, at): [number, number] => [x + Math.sin(at / 7) * 3, at / 10])
    return polygon([...bank, [x - 500, 2000], [x - 500, 0], bank[0]!])
  }
  let only: Meeting | undefined
  await expectQuick(3000, () => ([only] = meetings(wavy(0), wavy(50))))
  expect(only!.areaM2 / (450 * stepX * 2000 * stepY)).toBeCloseTo(1, 2)
})

// A coast: every bay has smaller bays. `noise` moves each vertex, by a seed, as if another person drew it.
function coast(x: number, y: number, { vertices, radius = 500, noise = 0, seed = 1 }: Coast): Drawn {
  const ring = coastAroundZero(vertices, radius).map(([east, north], at): [number, number] =>
    noise === 0
      ? [x + east, y + north]
      : [x + east + noise * Math.sin(at * 12.9898 * seed), y + north + noise * Math.sin(at * 78.233 * seed)],
  )
  return [...ring, ring[0]!]
}

/** Drawn once for each size: hundreds of coasts differ only in their places. */
function coastAroundZero(vertices: number, radius: number): Drawn {
  const size = `${vertices} ${radius}`
  const known = drawnCoasts.get(size)
  if (known !== undefined) return known
  const ring = Array.from({ length: vertices }, (_, at): [number, number] => {
    const angle = (2 * Math.PI * at) / vertices
    let far = radius
    for (let waves = 3; waves < vertices / 4; waves *= 2) far += (radius / waves / 2) * Math.sin(waves * angle + waves)
    return [far * Math.cos(angle), far * Math.sin(angle)]
  })
  drawnCoasts.set(size, ring)
  return ring
}

const drawnCoasts = new Map<string, Drawn>()

type Coast = { readonly vertices: number; readonly radius?: number; readonly noise?: number; readonly seed?: number }

// One owner's drawing of a square field. All fences wind, each in its own way, and the drawings of two owners overlap by half a metre.
function fenced(column: number, row: number, { vertices, waves }: { vertices: number; waves: number }): Drawn {
  const [size, each] = [1000, vertices / 4]
  const out = (share: number, fence: number): number =>
    Math.min(1, 20 * share, 20 - 20 * share) * 20 * Math.sin(share * waves + fence)
  const along = (visit: (share: number, more: number) => readonly [number, number]): Drawn =>
    Array.from({ length: each }, (_, at) => visit(at / each, 0.25 * Math.sin((Math.PI * at) / each)))
  const [west, south, own] = [column * size, row * size, column * 7 + row * 13]
  const [east, north] = [west + size, south + size]
  const ring = [
    ...along((share, more) => [west + share * size, south + out(share, own) - more]),
    ...along((share, more) => [east + out(share, own + 7.5) + more, south + share * size]),
    ...along((share, more) => [east - share * size, north + out(1 - share, own + 13) + more]),
    ...along((share, more) => [west + out(1 - share, own + 0.5) - more, north - share * size]),
  ]
  return [...ring, ring[0]!]
}

describe('thirty boundaries of 8,000 vertices are compared in two seconds', { retry: 5 }, () => {
  const vertices = 8_000
  test.each([
    [
      'that overlap their neighbours',
      (at: number) => polygon(coast((at % 6) * 900, Math.floor(at / 6) * 900, { vertices })),
    ],
    ['that lie over each other', (at: number) => polygon(coast(at * 5, at * 3, { vertices }))],
    ['that are copies', () => polygon(coast(0, 0, { vertices }))],
    ['that are copies by other hands', (at: number) => polygon(coast(0, 0, { vertices, noise: 0.05, seed: at + 1 }))],
    [
      'of two parts, with copies',
      (at: number) =>
        multi([coast(at % 10, 0, { vertices: 4_000 })], [coast(2000 + (at % 10), 0, { vertices: 4_000 })]),
    ],
  ])('%s', async (_, shape) => {
    const boundaries = boundariesOf(Array.from({ length: 30 }, (_, at) => shape(at)))
    let found: readonly Meeting[] = []
    await expectQuick(2000, () => (found = [...findMeetings(boundaries)].flat()))
    expect(found.length).toBeGreaterThan(28)
    expect(found.length).toBeLessThanOrEqual((30 * 29) / 2)
  })
})

/** So many columns and rows of fields. Two that lie beside each other share a winding fence, drawn twice. */
function fencedFields(columns: number, rows: number, waves: number): Boundaries {
  const fields = Array.from({ length: columns * rows }, (_, at) =>
    polygon(fenced(at % columns, Math.floor(at / columns), { vertices: 20_000, waves })),
  )
  return boundariesOf(fields)
}

const windingFences = once(() => fencedFields(6, 6, 30))

test(
  'sixty winding fences of 5,000 vertices, each drawn twice, are compared in two thirds of a second',
  { retry: 5 },
  async () => {
    const boundaries = windingFences()
    let found: readonly Meeting[] = []
    await expectQuick(670, () => (found = [...findMeetings(boundaries)].flat()))
    expect(found.length).toBeGreaterThan(30)
    expect(found.length).toBeLessThan(5000)
  },
)

test('fences that wind four times as often take at most three times as long to compare', { retry: 2 }, async () => {
  const spent = async (waves: number): Promise<number> => {
    const boundaries = fencedFields(4, 3, waves)
    const before = await slowness()
    const ms = await processorMs(() => [...findMeetings(boundaries)])
    return ms / (before + (await slowness()))
  }
  expect((await spent(120)) / (await spent(30))).toBeLessThan(3)
})

test('a thousand copies of one boundary, each begun at another vertex, are found once each', async () => {
  const ring = coast(0, 0, { vertices: 100 }).slice(1)
  const copies = Array.from({ length: 1000 }, (_, at) => {
    const turned = [...ring.slice(at % 100), ...ring.slice(0, at % 100)]
    return polygon([...turned, turned[0]!])
  })
  const boundaries = boundariesOf(copies)
  let found: readonly Meeting[] = []
  await expectQuick(2000, () => (found = [...findMeetings(boundaries)].flat()))
  expect(found.map(({ one, other }) => [one, other])).toEqual(Array.from({ length: 999 }, (_, at) => [0, at + 1]))
  expect(found[0]!.copies).toHaveLength(1000)
  expect(found[0]!.areaM2).toBe(found[0]!.areasM2[0])
})

test('a boundary of 250,000 vertices is compared in 1.25 seconds', { retry: 2 }, async () => {
  const large = coast(0, 0, { vertices: 250_000, radius: 20_000 })
  const boundaries = boundariesOf([polygon(large), polygon(coast(39_000, 0, { vertices: 20_000, radius: 20_000 }))])
  let found: readonly Meeting[] = []
  await expectQuick(1250, () => (found = [...findMeetings(boundaries)].flat()))
  expect(found).toHaveLength(1)
})

test('a boundary that differs by one grid step in one vertex is not a copy, but overlaps almost completely', () => {
  const ring = coast(0, 0, { vertices: 300 })
  const moved = ring.map(([x, y], at) => [x + (at === 7 ? 0.02 : 0), y] as const)
  const [only, ...rest] = meetings(polygon(ring), polygon(moved))
  expect(rest).toEqual([])
  expect(only!.copies).toBeUndefined()
  expect(only!.areaM2 / only!.areasM2[0]).toBeGreaterThan(0.999)
})

test('2,500 boundaries that meet in one point are compared quickly', async () => {
  const at = (ray: number): [number, number] => [Math.cos(ray / 397.89) * 1e4, Math.sin(ray / 397.89) * 1e4]
  const wedge = (ray: number): Shape => polygon([[0, 0], at(ray), at(ray + 1), [0, 0]])
  const boundaries = boundariesOf(Array.from({ length: 2500 }, (_, ray) => wedge(ray)))
  let found: readonly Meeting[] = []
  await expectQuick(2000, () => (found = [...findMeetings(boundaries)].flat()))
  expect(found).toEqual([])
})

test('an outline of 100,000 vertices takes no longer to compare than its fields', async () => {
  const fields = Array.from({ length: 5000 }, (_, at) => {
    const [x, y] = [(at % 100) * 10 - 500, Math.floor(at / 100) * 10 - 250]
    return polygon(box(x, y, x + 9, y + 9))
  })
  const boundaries = boundariesOf([polygon(coast(0, 0, { vertices: 100_000, radius: 5000 })), ...fields])
  let found: readonly Meeting[] = []
  await expectQuick(4000, () => (found = [...findMeetings(boundaries)].flat()))
  expect(found).toHaveLength(5000)
})

test('long boundaries along a winding fence that was drawn twice are measured exactly', () => {
  const fence = (hand: number): Drawn =>
    Array.from({ length: 4000 }, (_, at) => [Math.sin(at / 40) * 20 + hand, at / 4] as const)
  const west = polygon([...fence(0.5), [-900, 1000], [-900, 0], fence(0.5)[0]!])
  const east = polygon([...fence(-0.5).toReversed(), [900, 0], [900, 1000], fence(-0.5).at(-1)!])
  const [only, ...rest] = meetings(west, east)
  expect(rest).toEqual([])
  expect(only!.areaM2 / (stepX * 1000 * stepY)).toBeCloseTo(1, 2)
})
