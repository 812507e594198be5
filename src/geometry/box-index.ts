/** Hides how the boxes that meet a box are found among a million: a tree of boxes, packed once along a curve that keeps neighbours together. */

/** Boxes as west, south, east, north, one after the other. */
export type Boxes = { readonly [index: number]: number; readonly length: number }

export type Box = readonly [west: number, south: number, east: number, north: number]

/** An index over boxes that no longer change. `order` is a way through them in which neighbours follow each other. */
export type BoxIndex = {
  readonly order: Uint32Array
  /** Calls `visit` with the number of each box that meets the given one, edges included, in no order. */
  search(wanted: Box, visit: (box: number) => void): void
}

const perNode = 16
// Cells of the curve: with 15 bits an axis, cell and number of eight million boxes fit into one exact number to sort by.
const cells = 2 ** 15

/** Packs the boxes. */
export function indexBoxes(boxes: Boxes): BoxIndex {
  const count = boxes.length / 4
  const order = alongCurve(boxes, count)
  // Level by level from the boxes up to the one that holds all; a node's children are the next sixteen of the level below.
  const levels: Float64Array[] = []
  for (let nodes = Math.ceil(count / perNode); count > 0; nodes = Math.ceil(nodes / perNode)) {
    const below = levels.at(-1)
    const level = new Float64Array(nodes * 4)
    for (let node = 0; node < nodes; node += 1)
      hold(level, node, below === undefined ? { boxes, order, count } : { boxes: below, count: below.length / 4 })
    levels.push(level)
    if (nodes === 1) break
  }
  const pending: number[] = []
  return {
    order,
    search([west, south, east, north], visit) {
      if (count === 0) return
      pending.length = 0
      pending.push(levels.length - 1, 0)
      while (pending.length > 0) {
        const node = pending.pop()!
        const height = pending.pop()!
        const level = levels[height]!
        if (
          level[node * 4]! > east ||
          level[node * 4 + 1]! > north ||
          level[node * 4 + 2]! < west ||
          level[node * 4 + 3]! < south
        )
          continue
        const first = node * perNode
        if (height > 0) {
          const end = Math.min(first + perNode, levels[height - 1]!.length / 4)
          for (let child = first; child < end; child += 1) pending.push(height - 1, child)
          continue
        }
        for (let place = first; place < Math.min(first + perNode, count); place += 1) {
          const box = order[place]! * 4
          if (boxes[box]! <= east && boxes[box + 1]! <= north && boxes[box + 2]! >= west && boxes[box + 3]! >= south)
            visit(order[place]!)
        }
      }
    },
  }
}

type Below = { readonly boxes: Boxes; readonly order?: Uint32Array; readonly count: number }

function hold(level: Float64Array, node: number, { boxes, order, count }: Below): void {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
  for (let place = node * perNode; place < Math.min((node + 1) * perNode, count); place += 1) {
    const at = (order === undefined ? place : order[place]!) * 4
    west = Math.min(west, boxes[at]!)
    south = Math.min(south, boxes[at + 1]!)
    east = Math.max(east, boxes[at + 2]!)
    north = Math.max(north, boxes[at + 3]!)
  }
  level.set([west, south, east, north], node * 4)
}

function alongCurve(boxes: Boxes, count: number): Uint32Array {
  const [west, south, east, north] = wholeOf(boxes, count)
  const scaleX = (cells - 1) / Math.max(east - west, 1e-9)
  const scaleY = (cells - 1) / Math.max(north - south, 1e-9)
  const keyed = new Float64Array(count)
  for (let box = 0; box < count; box += 1) {
    const x = Math.floor(((boxes[box * 4]! + boxes[box * 4 + 2]!) / 2 - west) * scaleX)
    const y = Math.floor(((boxes[box * 4 + 1]! + boxes[box * 4 + 3]!) / 2 - south) * scaleY)
    keyed[box] = placeOnCurve(x, y) * count + box
  }
  keyed.sort()
  const order = new Uint32Array(count)
  for (let place = 0; place < count; place += 1) order[place] = keyed[place]! % count
  return order
}

function wholeOf(boxes: Boxes, count: number): Box {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
  for (let at = 0; at < count * 4; at += 4) {
    west = Math.min(west, boxes[at]!)
    south = Math.min(south, boxes[at + 1]!)
    east = Math.max(east, boxes[at + 2]!)
    north = Math.max(north, boxes[at + 3]!)
  }
  return [west, south, east, north]
}

// Hilbert's curve: each step of the way takes one bit of both axes and turns the square so that the ends meet.
function placeOnCurve(column: number, row: number): number {
  let [x, y, place] = [column, row, 0]
  for (let half = cells / 2; half >= 1; half /= 2) {
    const right = (x & half) > 0 ? 1 : 0
    const up = (y & half) > 0 ? 1 : 0
    place += half * half * ((3 * right) ^ up)
    if (up === 1) continue
    if (right === 1) {
      x = cells - 1 - x
      y = cells - 1 - y
    }
    const turned = x
    x = y
    y = turned
  }
  return place
}
