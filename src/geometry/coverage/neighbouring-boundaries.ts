/** Finds the boundaries to compare with each other: those whose boxes come near each other, each pair once. */

import { stepsAt, type Boundaries } from './boundary-grid.ts'
import { indexBoxes, type Box } from './box-index.ts'

/** Where more boundaries than this overlap, each is compared only with this many of them: the nearest by their centres. */
export const mostOverEachOther = 100

export type Neighbours = {
  /** All boundaries, so that those in one region follow each other. */
  readonly order: readonly number[]
  /** Those to compare with one that is turned by so many grid steps. `isCrowd` is true when some were left out. */
  of(boundary: number, turned: number): { readonly others: readonly number[]; readonly isCrowd: boolean }
}

/** Finds the neighbours of the kept boundaries up to a distance. */
export function startNeighbours({ boxes }: Boundaries, kept: readonly number[], withinM: number): Neighbours {
  const index = indexBoxes(
    Uint32Array.from({ length: kept.length * 4 }, (_, at) => boxes[kept[at >> 2]! * 4 + (at & 3)]!),
  )
  const placeOf = new Uint32Array(boxes.length / 4)
  for (const [place, boundary] of kept.entries()) placeOf[boundary] = place
  const reachOf = (boundary: number, turned: number): Box => {
    const [west, south, east, north] = boxOf(boxes, boundary)
    const { stepX, stepY } = stepsAt((south + north) / 2)
    const [marginX, marginY] = [withinM / stepX, withinM / stepY]
    return [west - marginX - turned, south - marginY, east + marginX - turned, north + marginY]
  }
  const isCrowded = Uint8Array.from(kept, (each) => (index.hasMore(reachOf(each, 0), mostOverEachOther) ? 1 : 0))
  const middles = isCrowded.includes(1) ? indexBoxes(middlesOf(boxes, kept)) : undefined
  const named = (places: readonly number[]): readonly number[] => places.map((place) => kept[place]!)
  return {
    order: named(index.inOrder()),
    of(boundary, turned) {
      const own = placeOf[boundary]!
      const reach = reachOf(boundary, turned)
      if (turned > 0) return { others: named(index.search(reach).filter((place) => place !== own)), isCrowd: false }
      if (isCrowded[own] === 0) {
        const others = index.search(reach).filter((place) => place > own || (place < own && isCrowded[place] === 1))
        return { others: named(others), isCrowd: false }
      }
      // The others that are not crowded are compared with this one when it is their turn.
      const isWanted = (place: number): boolean =>
        place > own && isCrowded[place] === 1 && doMeet(boxOf(boxes, kept[place]!), reach)
      const [x, y] = middleOf(boxOf(boxes, boundary))
      const nearest = middles!.nearest(x, y, mostOverEachOther + 1, isWanted)
      return { others: named(nearest.slice(0, mostOverEachOther)), isCrowd: nearest.length > mostOverEachOther }
    },
  }
}

function boxOf(boxes: Uint32Array, boundary: number): Box {
  const at = boundary * 4
  return [boxes[at]!, boxes[at + 1]!, boxes[at + 2]!, boxes[at + 3]!]
}

function middleOf([west, south, east, north]: Box): readonly [x: number, y: number] {
  return [(west + east) / 2, (south + north) / 2]
}

function middlesOf(boxes: Uint32Array, kept: readonly number[]): Uint32Array {
  return Uint32Array.from(
    kept.flatMap((boundary) => [...middleOf(boxOf(boxes, boundary)), ...middleOf(boxOf(boxes, boundary))]),
  )
}

function doMeet(one: Box, other: Box): boolean {
  return one[0] <= other[2] && one[1] <= other[3] && one[2] >= other[0] && one[3] >= other[1]
}
