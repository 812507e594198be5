/** Finds the boundaries to compare with each other: those whose boxes come near each other, each pair once. */

import { boxOf, stepsAt, type Boundaries } from './boundary-grid.ts'
import type { Box } from '../../core/shape.ts'
import { indexBoxes, type BoxIndex } from '../validity/box-index.ts'

/** Where more boundaries than this overlap, each is compared only with this many of them: the nearest by their centres. */
export const mostOverEachOther = 100

const [notKnown, isAlone, isInCrowd] = [0, 1, 2]

/** Finds the neighbours of the boundaries that are not left out, up to a distance. */
export function startNeighbours({ boxes }: Boundaries, isLeftOut: Uint8Array, withinM: number) {
  const { kept, placeOf } = keptOf(isLeftOut)
  const index = indexBoxes(boxesOf(boxes, kept))
  const reachOf = (boundary: number, turned: number): Box => {
    const [west, south, east, north] = boxOf(boxes, boundary)
    const { stepX, stepY } = stepsAt((south + north) / 2)
    const [marginX, marginY] = [withinM / stepX, withinM / stepY]
    return [west - marginX - turned, south - marginY, east + marginX - turned, north + marginY]
  }
  const crowds = new Uint8Array(kept.length)
  const isCrowded = (place: number): boolean => {
    if (crowds[place] === notKnown) {
      let left = mostOverEachOther
      const isCrowd = index.visit(...reachOf(kept[place]!, 0), () => (left -= 1) < 0)
      crowds[place] = isCrowd ? isInCrowd : isAlone
    }
    return crowds[place] === isInCrowd
  }
  let middles: BoxIndex | undefined
  const named = (places: readonly number[]): readonly number[] => places.map((place) => kept[place]!)
  return {
    /** All boundaries, so that those in one region follow each other. */
    order: Uint32Array.from(index.inOrder(), (place) => kept[place]!),
    /** Those to compare with one that is turned by so many grid steps. `isCrowd` is true when some were left out. */
    of(boundary: number, turned: number) {
      const own = placeOf[boundary]!
      const reach = reachOf(boundary, turned)
      if (turned > 0) return { others: named(index.search(reach).filter((place) => place !== own)), isCrowd: false }
      if (!isCrowded(own)) {
        const others = index.search(reach).filter((place) => place > own || (place < own && isCrowded(place)))
        return { others: named(others), isCrowd: false }
      }
      // The others that are not crowded are compared with this one when it is their turn.
      const isWanted = (place: number): boolean =>
        place > own && isCrowded(place) && doMeet(boxOf(boxes, kept[place]!), reach)
      const [x, y] = middleOf(boxOf(boxes, boundary))
      middles ??= indexBoxes(middlesOf(boxes, kept))
      const nearest = middles.nearest(x, y, mostOverEachOther + 1, isWanted)
      return { others: named(nearest.slice(0, mostOverEachOther)), isCrowd: nearest.length > mostOverEachOther }
    },
  }
}

function boxesOf(boxes: Uint32Array, kept: Uint32Array): Uint32Array {
  if (kept.length * 4 === boxes.length) return boxes
  const found = new Uint32Array(kept.length * 4)
  for (const [place, boundary] of kept.entries()) found.set(boxes.subarray(boundary * 4, boundary * 4 + 4), place * 4)
  return found
}

function middleOf([west, south, east, north]: Box): readonly [x: number, y: number] {
  return [(west + east) / 2, (south + north) / 2]
}

function middlesOf(boxes: Uint32Array, kept: Uint32Array): Uint32Array {
  const middles = new Uint32Array(kept.length * 4)
  for (const [place, boundary] of kept.entries()) {
    const middle = middleOf(boxOf(boxes, boundary))
    middles.set([...middle, ...middle], place * 4)
  }
  return middles
}

/** The numbers of those that are not left out, and the place of each among them. */
function keptOf(isLeftOut: Uint8Array): { readonly kept: Uint32Array; readonly placeOf: Uint32Array } {
  const kept = new Uint32Array(isLeftOut.length)
  const placeOf = new Uint32Array(isLeftOut.length)
  let count = 0
  for (let boundary = 0; boundary < isLeftOut.length; boundary += 1)
    if (isLeftOut[boundary] === 0) {
      kept[count] = boundary
      placeOf[boundary] = count
      count += 1
    }
  return { kept: kept.subarray(0, count), placeOf }
}

function doMeet(one: Box, other: Box): boolean {
  return one[0] <= other[2] && one[1] <= other[3] && one[2] >= other[0] && one[3] >= other[1]
}
