/**
 * Collects the overlaps to cut off until all are known, as six numbers each: a district whose fences are all drawn twice has
 * hundreds of thousands.
 */

import type { Meeting } from '../../geometry/coverage/coverage.ts'
import type { BoundaryStore } from '../stage/boundary-store.ts'

export type PendingOverlaps = {
  readonly count: number
  add(overlap: Meeting): void
  /** The boundaries to cut, in the order of their rows, each with all its overlaps. */
  byGiver(): Generator<readonly [giver: number, overlaps: readonly Meeting[]]>
}

const perOverlap = 6

/** Starts an empty list of overlaps between boundaries. */
export function startPendingOverlaps({ areaM2 }: Pick<BoundaryStore, 'areaM2'>): PendingOverlaps {
  let numbers = new Float64Array(64 * perOverlap)
  let count = 0
  const overlapAt = (place: number): Meeting => {
    const at = place * perOverlap
    const [one, other] = [numbers[at]!, numbers[at + 1]!]
    return {
      kind: 'overlap',
      one,
      other,
      areasM2: [areaM2(one), areaM2(other)],
      areaM2: numbers[at + 2]!,
      widthM: numbers[at + 3]!,
      lon: numbers[at + 4]!,
      lat: numbers[at + 5]!,
    }
  }
  return {
    get count() {
      return count
    },
    add(overlap) {
      if ((count + 1) * perOverlap > numbers.length) {
        const larger = new Float64Array(numbers.length * 2)
        larger.set(numbers)
        numbers = larger
      }
      const { one, other, widthM, lon, lat } = overlap
      numbers.set([one, other, overlap.areaM2, widthM, lon, lat], count * perOverlap)
      count += 1
    },
    *byGiver() {
      const givers = Float64Array.from(
        { length: count },
        (_, place) => giverOf(overlapAt(place)) * count + place,
      ).sort()
      for (let next = 0; next < count;) {
        const giver = Math.floor(givers[next]! / count)
        const overlaps: Meeting[] = []
        for (; next < count && Math.floor(givers[next]! / count) === giver; next += 1)
          overlaps.push(overlapAt(givers[next]! % count))
        yield [giver, overlaps]
      }
    },
  }
}

/** The boundary to cut: the smaller one, or the later of two equal ones. */
export function giverOf({ one, other, areasM2 }: Pick<Meeting, 'one' | 'other' | 'areasM2'>): number {
  return areasM2[0] < areasM2[1] ? one : other
}
