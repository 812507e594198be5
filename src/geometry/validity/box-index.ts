/** Finds, among many boxes, those that meet a box. */

import Flatbush from 'flatbush'
import type { Box } from '../../core/shape.ts'

export type BoxIndex = {
  /** The numbers of all boxes, so that those in one region follow each other. */
  inOrder(): readonly number[]
  /** The numbers of the boxes that meet the given one, edges included, in no order. */
  search(wanted: Box): readonly number[]
  /** Calls `visit` with the number of each box that meets the given one, edges included, until it returns true; then it returns true. */
  visit(west: number, south: number, east: number, north: number, visit: (box: number) => boolean): boolean
}

/** Makes an index of boxes, four numbers each: two opposite corners. */
export function indexBoxes(boxes: ArrayLike<number>): BoxIndex {
  const count = boxes.length / 4
  if (count === 0) return { inOrder: () => [], search: () => [], visit: () => false }
  const tree = new Flatbush(count, 16, boxes instanceof Uint32Array ? Uint32Array : Float64Array)
  for (let at = 0; at < boxes.length; at += 4) {
    const [x1, y1, x2, y2] = [boxes[at]!, boxes[at + 1]!, boxes[at + 2]!, boxes[at + 3]!]
    tree.add(Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2))
  }
  tree.finish()
  return {
    inOrder: () => tree.search(-Infinity, -Infinity, Infinity, Infinity),
    search: (wanted) => tree.search(...wanted),
    visit: tree.collides.bind(tree),
  }
}
