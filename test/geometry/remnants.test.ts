import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Shape } from '../../src/core/shape.ts'
import { findRemnants, type Remnant } from '../../src/geometry/remnants.ts'
import { boundariesOf, box, polygon, type Drawn } from './drawing.ts'
import { runs } from '../runs.ts'

function remnants(...shapes: readonly Shape[]): readonly Remnant[] {
  const policy = { widestM: 3, widestGapM: 2, isOut: () => false }
  return [...findRemnants(boundariesOf(shapes), policy)].flat()
}

// A step of the drawing is 0.88 m from west to east and 1.11 m from south to north.
const [stepX, stepY] = [0.8807, 1.1099]
const west = polygon(box(0, 0, 100, 100))
const south = polygon(box(0, -100, 300, 0))
const north = polygon(box(0, 100, 300, 200))

/** A field east of the first one that leaves so much open at its foot and its head. */
function east(foot: number, head: number): Shape {
  return polygon([
    [100 + foot, 0],
    [300, 0],
    [300, 100],
    [100 + head, 100],
    [100 + foot, 0],
  ])
}

function shifted(shape: Shape, degrees: number): Shape {
  return { ...shape, coordinates: shape.coordinates.map((value, at) => (at % 2 === 0 ? value + degrees : value)) }
}

describe('land that lies between fields', () => {
  test('is told where a corner was not drawn to its neighbours, with all three, its place and how much', () => {
    const cut: Drawn = [
      [100, 0],
      [300, 0],
      [300, 100],
      [106, 100],
      [100, 94],
      [100, 0],
    ]
    const [only, ...rest] = remnants(west, polygon(cut), north)
    expect(rest).toEqual([])
    expect(only!.around.toSorted((a, b) => a - b)).toEqual([0, 1, 2])
    expect(only!.areaM2).toBeCloseTo((6 * stepX * 6 * stepY) / 2, 1)
    expect((only!.lon - 175.312) * 1e5).toBeGreaterThan(100)
    expect((only!.lat + 37.787) * 1e5).toBeGreaterThan(94)
  })

  test('is told where a fence runs apart from none to five metres, whole, with what of it is a strip', () => {
    const [only, ...rest] = remnants(west, east(0, 5.6), south, north)
    expect(rest).toEqual([])
    expect(only!.around.toSorted((a, b) => a - b)).toEqual([0, 1, 3])
    expect(only!.areaM2).toBeCloseTo((5.6 * stepX * 100 * stepY) / 2, 0)
    expect(only!.strips).toMatchObject([{ one: 0, other: 1 }])
    expect(only!.strips[0]!.areaM2 / only!.areaM2).toBeCloseTo((2 / (5.6 * stepX)) ** 2, 1)
  })

  test('is told where one field is bent round another', () => {
    const bent: Drawn = [
      [0, 0],
      [200, 0],
      [200, 100],
      [150, 100],
      [150, 40],
      [50, 40],
      [50, 100],
      [0, 100],
      [0, 0],
    ]
    const [only, ...rest] = remnants(polygon(bent), polygon(box(50, 42, 150, 100)))
    expect(rest).toEqual([])
    expect(only!.around.toSorted((a, b) => a - b)).toEqual([0, 1])
    expect(only!.areaM2).toBeCloseTo(100 * stepX * 2 * stepY, 0)
  })

  test('is told though a fence round it has a gap that is no wider than a hand', () => {
    const open = polygon(box(0, 100.05, 300, 200))
    expect(remnants(west, east(0, 5), open)[0]!.areaM2).toBeCloseTo((5 * stepX * 100 * stepY) / 2, 0)
  })

  test.each([
    ['is a strip between two as far as it is narrow', [west, east(1, 1), south, north]],
    ['is a lane of six metres though it is closed at both ends', [west, east(7, 7), south, north]],
    ['leads out', [west, east(0, 5), south]],
    ['is a pond', [polygon(box(0, 0, 100, 100), box(40, 40, 44, 44)), polygon(box(100, 0, 200, 100))]],
    [
      'is the plot of a pylon',
      [
        west,
        east(0, 0),
        polygon(box(0, 100, 90, 200)),
        polygon([...box(100, 100, 300, 200)]),
        polygon(box(90, 109, 100, 200)),
      ],
    ],
  ])('is not when it %s', (_, shapes) => {
    expect(remnants(...shapes)).toEqual([])
  })

  test('is not where fences that meet have posts of their own, rounded apart by a centimetre or two', () => {
    const posts = (x: number, offs: readonly number[]): Drawn =>
      offs.map((off, at) => [x + off, (at * 100) / (offs.length - 1)] as const)
    const shift = [0, 0.013, -0.011, 0.016, 0]
    const left = polygon([[0, 0], [0, 0], ...posts(100, shift), [0, 100], [0, 0]].slice(1) as unknown as Drawn)
    const right = polygon([...posts(100, [0, 0.009, 0]), [300, 100], [300, 0], [100, 0]])
    expect(
      remnants(left, right, south, polygon(box(0, 100.012, 150, 200)), polygon(box(150, 99.99, 300, 200))),
    ).toEqual([])
  })

  test('is told once where a field stands there twice', () => {
    expect(remnants(west, west, east(0, 5), south, north)).toHaveLength(1)
  })

  test('is told across 180 degrees', () => {
    // The fence lies just beyond, so that the field east of it begins in the far west.
    const moved = (shape: Shape): Shape => shifted(shape, 180 - 175.31298)
    const [one, other, third, last] = [moved(west), shifted(moved(east(0, 5.6)), -360), moved(north), moved(south)]
    for (const shapes of [
      [one, other, third, last],
      [last, third, other, one],
    ]) {
      const [only, ...rest] = remnants(...shapes)
      expect(rest).toEqual([])
      expect(only!.areaM2).toBeCloseTo((5.6 * stepX * 100 * stepY) / 2, 0)
    }
  })
})

test('each corner that was cut off in a whole farm is told once, with what was cut off', () => {
  const across = 6
  const cuts = fc.uniqueArray(fc.nat((across - 1) ** 2 - 1), { maxLength: 12 })
  const order = fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true }))
  fc.assert(
    fc.property(cuts, fc.integer({ min: 3, max: 6 }), order, (where, size, random) => {
      const fields = Array.from({ length: across ** 2 }, (_, at): readonly (readonly [number, number])[] => {
        const [column, row] = [at % across, Math.floor(at / across)]
        const [x, y] = [column * 80, row * 80]
        // The corner in the north east is cut in some; their neighbours have a post there all the same.
        const isCut = column < across - 1 && row < across - 1 && where.includes(row * (across - 1) + column)
        const corner: Drawn = isCut
          ? [
              [x + 80, y + 80 - size],
              [x + 80 - size, y + 80],
            ]
          : [[x + 80, y + 80]]
        return [[x, y], [x + 80, y], ...corner, [x, y + 80], [x, y]]
      })
      const shuffled = fields
        .map((field) => ({ field, place: random.next().value as number }))
        .toSorted((one, other) => one.place - other.place)
      const found = remnants(...shuffled.map(({ field }) => polygon(field)))
      expect(found).toHaveLength(where.length)
      for (const { areaM2 } of found) expect(areaM2).toBeCloseTo((size * stepX * size * stepY) / 2, 1)
    }),
    { numRuns: runs(100) },
  )
})

test('the land round boundaries of thousands of vertices is followed in a moment', () => {
  const bank = (x: number): Drawn =>
    Array.from({ length: 20_000 }, (_, at): [number, number] => [x + Math.sin(at / 700) * 3, at / 12])
  const left = polygon([...bank(0), [-500, 1660], [-500, 0], bank(0)[0]!])
  const right = polygon([...bank(2.7).toReversed(), [500, 0], [500, 1660], bank(2.7).at(-1)!])
  const began = process.cpuUsage()
  const ends = [polygon(box(-500, -50, 500, 0)), polygon(box(-500, 1666.5, 500, 1700))]
  const [only, ...rest] = remnants(left, right, ...ends)
  const { user, system } = process.cpuUsage(began)
  expect(rest).toEqual([])
  expect((user + system) / 1000).toBeLessThan(3000)
  expect(only!.areaM2 / (2.7 * stepX * 1666.5 * stepY)).toBeCloseTo(1, 2)
})
