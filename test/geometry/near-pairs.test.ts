import fc from 'fast-check'
import { expect, test } from 'vitest'
import { areNeighbours, edgesOf, visitNearPairs } from '../../src/geometry/validity/edges.ts'
import { polygon, xy, type Drawn } from './drawing.ts'
import { runs } from '../runs.ts'

const step = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.double({ min: 0, max: 9, noNaN: true }))
const ringOf = (minLength: number, maxLength: number) =>
  fc.array(fc.tuple(step, step), { minLength, maxLength }).map((points): Drawn => [...points, points[0]!])
const [ring, longRing] = [ringOf(2, 40), ringOf(301, 400)]

test.each([
  ['a few', ring, 500],
  ['many', longRing, 20],
])('of %s random sides, all pairs whose boxes meet are visited once, except neighbours', (_, ring, times) => {
  fc.assert(
    fc.property(fc.array(ring, { minLength: 1, maxLength: 3 }), (rings) => {
      const edges = edgesOf(polygon(...rings), () => true)
      const seen: string[] = []
      const visit = (one: number, other: number): boolean => {
        if (!areNeighbours(edges, one, other)) seen.push(`${one} ${other}`)
        return false
      }
      expect(visitNearPairs(edges, visit, Infinity)).toBe(true)
      const wanted: string[] = []
      const { box } = edges
      for (let other = 1; other < edges.count; other += 1)
        for (let one = 0; one < other; one += 1) {
          const [a, b] = [one * 4, other * 4]
          const meet =
            box[a]! <= box[b + 2]! && box[a + 2]! >= box[b]! && box[a + 1]! <= box[b + 3]! && box[a + 3]! >= box[b + 1]!
          if (meet && !areNeighbours(edges, one, other)) wanted.push(`${one} ${other}`)
        }
      expect(seen.toSorted()).toEqual(wanted.toSorted())
    }),
    { numRuns: runs(times), seed: 4 },
  )
})

test('stops at the first pair that matches', () => {
  const seen: string[] = []
  const edges = edgesOf(polygon(xy('0 0, 10 10, 10 0, 0 10, 0 0')), () => true)
  expect(visitNearPairs(edges, (one, other) => seen.push(`${one} ${other}`) === 1, Infinity)).toBe(true)
  expect(seen).toHaveLength(1)
})
