/** Finds, among many boxes, those that meet a box. */

import Flatbush from 'flatbush'

export type Box = readonly [west: number, south: number, east: number, north: number]

/** An index of boxes. */
export type BoxIndex = {
  /** The numbers of all boxes, so that those in one region follow each other. */
  inOrder(): readonly number[]
  /** The numbers of the boxes that meet the given one, edges included, in no order. */
  search(wanted: Box): readonly number[]
  /** True when more than so many boxes meet the given one. */
  hasMore(wanted: Box, count: number): boolean
  /** The numbers of the wanted boxes nearest to a point, at most so many. */
  nearest(x: number, y: number, most: number, isWanted: (box: number) => boolean): readonly number[]
}

/** Makes an index of boxes, four numbers each: west, south, east, north. */
export function indexBoxes(boxes: Uint32Array): BoxIndex {
  const count = boxes.length / 4
  if (count === 0) return { inOrder: () => [], search: () => [], hasMore: () => false, nearest: () => [] }
  const tree = new Flatbush(count, 16, Uint32Array)
  for (let at = 0; at < boxes.length; at += 4) tree.add(boxes[at]!, boxes[at + 1]!, boxes[at + 2]!, boxes[at + 3]!)
  tree.finish()
  return {
    inOrder: () => tree.search(-Infinity, -Infinity, Infinity, Infinity),
    search: (wanted) => tree.search(...wanted),
    hasMore: (wanted, most) => {
      let left = most
      return tree.collides(...wanted, () => (left -= 1) < 0)
    },
    nearest: (x, y, most, isWanted) => tree.neighbors(x, y, most, Infinity, isWanted),
  }
}
