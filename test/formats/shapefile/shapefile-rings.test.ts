import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { geoJsonFromShape } from '../../../src/core/shapes/shape-geojson.ts'
import type { Lines } from '../../../src/core/shape.ts'
import { closeRings, polygonFromRings, signedArea } from '../../../src/formats/shapefile/shapefile-rings.ts'
import { square, turned, type Ring } from './made-files.ts'
import { expectQuick } from '../../processor-time.ts'

function ringsOf(rings: readonly Ring[]): Lines {
  let end = 0
  return {
    coordinates: Float64Array.from(rings.flat(2)),
    ends: rings.map((ring) => (end += ring.length)),
  }
}

/** The polygon as lists of ring numbers: [[shell, hole, hole], [shell]]. */
function grouping(rings: readonly Ring[]): number[][] {
  const shape = polygonFromRings(ringsOf(rings))!
  const multi = geoJsonFromShape({ ...shape, kind: 'MultiPolygon' })
  const parts = multi.type === 'MultiPolygon' ? multi.coordinates : []
  expect(shape.kind).toBe(parts.length === 1 ? 'Polygon' : 'MultiPolygon')
  const texts = rings.map((ring) => JSON.stringify(ring))
  return parts.map((part) => part.map((ring) => texts.indexOf(JSON.stringify(ring))))
}

const shell = square(0, 0, 100)
const hole = turned(square(10, 10, 50))
const island = square(20, 20, 20)
const pond = turned(square(25, 25, 5))
const far = square(200, 0, 10)
/** Touches the shell's western edge at one vertex, which lies in the middle of that edge. */
const touching: Ring = [
  [0, 50],
  [5, 45],
  [5, 55],
  [0, 50],
]

describe('what lies within what', () => {
  test.each<[string, readonly Ring[], number[][]]>([
    ['a shell alone', [shell], [[0]]],
    ['a shell and its hole', [shell, hole], [[0, 1]]],
    ['a hole before its shell', [hole, shell], [[1, 0]]],
    ['a hole wound like a shell', [shell, turned(hole)], [[0, 1]]],
    ['a shell wound like a hole', [turned(shell), hole], [[0, 1]]],
    ['two shells apart', [shell, far], [[0], [1]]],
    ['two shells apart, one wound like a hole', [shell, turned(far)], [[0], [1]]],
    ['an island in a hole', [shell, hole, island], [[0, 1], [2]]],
    ['an island in a hole, inside out', [island, hole, shell], [[0], [2, 1]]],
    ['an island before everything, all wound alike', [island, turned(hole), shell], [[0], [2, 1]]],
    [
      'a pond on an island',
      [pond, island, hole, shell],
      [
        [1, 0],
        [3, 2],
      ],
    ],
    [
      'each shell with its own hole',
      [shell, far, turned(square(202, 2, 3)), hole],
      [
        [0, 3],
        [1, 2],
      ],
    ],
    ['a hole that touches the shell', [shell, turned(touching)], [[0, 1]]],
    ['a hole that touches the shell, wound alike', [shell, touching], [[0, 1]]],
    ['a hole that shares an edge', [shell, turned(square(0, 20, 20))], [[0, 1]]],
    ['shells that share an edge', [shell, square(100, 0, 100)], [[0], [1]]],
    [
      'a shell in the box of another but outside it',
      [
        [
          [0, 0],
          [0, 9],
          [1, 9],
          [1, 1],
          [9, 1],
          [9, 0],
          [0, 0],
        ],
        square(4, 4, 2),
      ],
      [[0], [1]],
    ],
    [
      'a hole all of whose vertices lie on the shell',
      [
        [
          [0, 0],
          [0, 4],
          [4, 4],
          [4, 0],
          [0, 0],
        ],
        [
          [2, 0],
          [4, 2],
          [2, 4],
          [0, 2],
          [2, 0],
        ],
      ],
      [[0, 1]],
    ],
    ['shells that overlap stay shells', [shell, square(50, 50, 70)], [[0], [1]]],
    ['the same ring twice, wound alike', [shell, square(0, 0, 100)], [[0], [0]]],
    [
      'a flat ring in a shell',
      [
        shell,
        [
          [10, 10],
          [20, 20],
          [10, 10],
        ],
      ],
      [[0, 1]],
    ],
    [
      'a ring that is not a number',
      [
        shell,
        [
          [Number.NaN, 0],
          [1, 1],
          [2, 0],
          [Number.NaN, 0],
        ],
      ],
      [[0], [1]],
    ],
  ])('%s', (_, rings, expected) => {
    expect(grouping(rings)).toEqual(expected)
  })

  test('in map coordinates of millions of metres', () => {
    const at = (ring: Ring): Ring => ring.map(([x, y]) => [x * 0.01 + 1_803_485.5491, y * 0.01 + 5_815_084.7273])
    expect(grouping([at(touching), at(hole), at(shell)])).toEqual([[2, 0, 1]])
  })

  test('any order and any winding of nested squares gives the same polygons', () => {
    const nested = Array.from({ length: 7 }, (_, depth) => square(depth * 3, depth * 3, 100 - depth * 7))
    const order = fc.shuffledSubarray([...nested.keys()], { minLength: nested.length })
    fc.assert(
      fc.property(order, fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }), (depths, flips) => {
        const rings = depths.map((depth, index) => (flips[index] ? turned(nested[depth]!) : nested[depth]!))
        const groups = grouping(rings).map((group) => group.map((ring) => depths[ring]!))
        expect(groups.toSorted((a, b) => a[0]! - b[0]!)).toEqual([[0, 1], [2, 3], [4, 5], [6]])
      }),
    )
  })

  test('heights and measures go with their vertices', () => {
    const rings = {
      ...ringsOf([hole, shell]),
      z: Float64Array.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
      m: Float64Array.from({ length: 10 }, (_, i) => -i),
    }
    const shape = polygonFromRings(rings)!
    expect([...shape.z!]).toEqual([5, 6, 7, 8, 9, 0, 1, 2, 3, 4])
    expect([...shape.m!]).toEqual([-5, -6, -7, -8, -9, -0, -1, -2, -3, -4])
  })
})

describe('many rings', () => {
  const scattered = (count: number, ring: (x: number, y: number) => Ring): Ring[] =>
    Array.from({ length: count }, (_, index) => ring((index % 300) * 3 + 1, Math.floor(index / 300) * 3 + 1))

  test.each([
    ['holes in one shell', [square(0, 0, 1000), ...scattered(20_000, (x, y) => turned(square(x, y, 1)))], 1],
    ['islands', scattered(20_000, (x, y) => square(x, y, 1)), 20_000],
  ])('20 000 %s take less than two seconds of processor time', async (_, rings, parts) => {
    const flat = ringsOf(rings)
    await expectQuick(2000, () => expect(polygonFromRings(flat)!.parts).toHaveLength(parts))
  })

  test('a hole in a shell of many vertices is found among others', () => {
    const circle = (radius: number, count: number): Ring =>
      Array.from({ length: count + 1 }, (_, index) => {
        const angle = (-2 * Math.PI * (index % count)) / count
        return [radius * Math.cos(angle), radius * Math.sin(angle)] as const
      })
    expect(grouping([circle(10, 1000), circle(100, 100_000), circle(50, 33)])).toEqual([[0], [1, 2]])
  })

  test('rings made to take for ever are given up', () => {
    const rings = ringsOf(Array.from({ length: 22_000 }, (_, index) => square(index, index, 44_000 - index * 2)))
    expect(polygonFromRings(rings)).toBeUndefined()
  })
})

describe('closing', () => {
  test('a ring that does not end where it began gets its first vertex again', () => {
    const open = ringsOf([square(0, 0, 2).slice(0, 4), square(5, 5, 1), [[9, 9]]])
    const { rings, opened } = closeRings({ ...open, z: Float64Array.from({ length: 10 }, (_, index) => index) })
    expect(opened).toBe(2)
    expect([...rings.ends]).toEqual([5, 10, 12])
    expect([...rings.coordinates.subarray(0, 10)]).toEqual(square(0, 0, 2).flat())
    expect([...rings.z!]).toEqual([0, 1, 2, 3, 0, 4, 5, 6, 7, 8, 9, 9])
  })

  test('closed rings are left as they are', () => {
    const rings = ringsOf([shell, hole])
    expect(closeRings(rings)).toEqual({ rings, opened: 0 })
  })
})

test('the signed area tells the winding, far from the origin too', () => {
  const at = ringsOf([square(5_815_084, 5_815_084, 0.5)])
  expect(signedArea(at.coordinates, 0, 5)).toBeCloseTo(-0.25, 9)
})
