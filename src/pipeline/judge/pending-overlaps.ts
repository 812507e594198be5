/**
 * Collects the overlaps to cut off until all are known, as six numbers each: a district whose fences are all drawn twice has
 * hundreds of thousands.
 */

import type { Meeting } from '../../geometry/coverage/coverage.ts'
import type { BoundaryStore } from '../stage/boundary-store.ts'

export type PendingOverlaps = {
  isEmpty(): boolean
  add(overlap: Meeting): void
  /** The boundaries to cut, in the order of their rows, each with all its overlaps. */
  byGiver(): Generator<readonly [giver: number, overlaps: readonly Meeting[]]>
}

const perOverlap = 6
type Six = readonly [number, number, number, number, number, number]

/** Starts an empty list of overlaps between boundaries. */
export function startPendingOverlaps({ areaM2 }: Pick<BoundaryStore, 'areaM2'>): PendingOverlaps {
  const numbers: number[] = []
  const overlapAt = (at: number): Meeting => {
    const [one, other, shared, widthM, lon, lat] = numbers.slice(at, at + perOverlap) as readonly number[] as Six
    return { kind: 'overlap', one, other, areasM2: [areaM2(one), areaM2(other)], areaM2: shared, widthM, lon, lat }
  }
  return {
    isEmpty: () => numbers.length === 0,
    add({ one, other, areaM2: shared, widthM, lon, lat }) {
      numbers.push(one, other, shared, widthM, lon, lat)
    },
    *byGiver() {
      const places = Array.from({ length: numbers.length / perOverlap }, (_, index) => index * perOverlap)
      const ofGivers = Map.groupBy(places, (at) => giverOf(overlapAt(at)))
      for (const [giver, its] of [...ofGivers].sort(([one], [other]) => one - other)) yield [giver, its.map(overlapAt)]
    },
  }
}

/** The boundary to cut: the smaller one, or the later of two equal ones. */
export function giverOf({ one, other, areasM2 }: Pick<Meeting, 'one' | 'other' | 'areasM2'>): number {
  return areasM2[0] < areasM2[1] ? one : other
}
