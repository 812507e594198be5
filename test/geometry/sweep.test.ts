import fc from 'fast-check'
import { expect, test } from 'vitest'
import { areNeighbours, edgesOf } from '../../src/geometry/validity/edges.ts'
import { meetingOf } from '../../src/geometry/validity/validity.ts'
import { sweepPairs } from '../../src/geometry/validity/validity.ts'
import { geoJson, type Drawn } from './drawing.ts'
import { runs } from '../runs.ts'

type Found = { readonly touches: ReadonlySet<string>; readonly crosses: boolean }

/** The meetings among pairs of edges, except where edges follow each other. */
function meetings(rings: readonly Drawn[], how: 'all pairs' | 'sweep'): Found {
  const shape = geoJson({ type: 'Polygon', coordinates: rings })
  const edges = edgesOf(shape, () => true)
  const touches = new Set<string>()
  let crosses = false
  const visit = (one: number, other: number): boolean => {
    if (areNeighbours(edges, one, other)) return false
    const meeting = meetingOf(edges, shape.coordinates, Math.min(one, other), Math.max(one, other))
    if (meeting?.verb === 'touches')
      touches.add(
        [...meeting.rings].sort((a, b) => a - b).join() +
          shape.coordinates.subarray(meeting.vertex * 2, meeting.vertex * 2 + 2).join(),
      )
    crosses ||= meeting !== undefined && meeting.verb !== 'touches'
    return crosses
  }
  if (how === 'sweep') expect(sweepPairs(edges, shape.coordinates, visit)).toBe(true)
  else for (let one = 0; one < edges.count; one += 1) for (let other = 0; other < one; other += 1) visit(one, other)
  return { touches, crosses }
}

const runsBack = (ring: Drawn): boolean =>
  ring.some((b, index) => {
    const [a, c] = [ring.at(index - 1)!, ring[(index + 1) % ring.length]!]
    const cross = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
    return cross === 0 && (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]) <= 0
  })

test('the sweep finds every touch that all pairs have, and a crossing if there is one', () => {
  const position = fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 }))
  const ring = fc.array(position, { minLength: 3, maxLength: 7 }).filter((points) => !runsBack(points))
  let [sound, touching] = [0, 0]
  fc.assert(
    fc.property(fc.array(ring, { minLength: 1, maxLength: 3 }), (rings) => {
      const closed = rings.map((points): Drawn => [...points, points[0]!])
      const all = meetings(closed, 'all pairs')
      const swept = meetings(closed, 'sweep')
      expect(swept.crosses).toBe(all.crosses)
      if (all.crosses) return
      sound += 1
      if (all.touches.size > 0) touching += 1
      expect(swept.touches).toEqual(all.touches)
    }),
    { numRuns: runs(20_000), seed: 1976 },
  )
  expect(sound).toBeGreaterThan(runs(1000))
  expect(touching).toBeGreaterThan(runs(100))
})
