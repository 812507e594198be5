/** Lists the pairs of sides of two boundaries whose boxes come near each other, with the help of a grid of cells. */

import { boxAround } from '../../core/shape.ts'
import { listByPlace } from '../validity/height-bands.ts'
import { doubled, type Sides } from './sides.ts'

/** The sides' places in their values, two numbers a pair. The list is valid until the next call; `isWhole` is false when it ends early. */
export type NearPairs = { readonly places: Int32Array; readonly count: number; readonly isWhole: boolean }

// So many pairs are compared without cells.
const fewPairs = 4096
// Some tenths of a second; thousands of long sides close beside each other are not compared further.
const mostLooks = 30_000_000

let places: Int32Array = new Int32Array(256)
let count = 0

/** Lists each pair once that comes within a distance and lies abreast: only such sides cross or face each other. */
export function nearPairs(one: Sides, other: Sides, withinM: number): NearPairs {
  count = 0
  const cells = one.count * other.count <= fewPairs ? oneCell(other.count) : cellsOf(other, withinM)
  const { first, sides } = cells
  const { values } = one
  let looks = 0
  for (let at = 0; at < one.count * 4; at += 4) {
    const west = Math.min(values[at]!, values[at + 2]!) - withinM
    const east = Math.max(values[at]!, values[at + 2]!) + withinM
    const south = Math.min(values[at + 1]!, values[at + 3]!) - withinM
    const north = Math.max(values[at + 1]!, values[at + 3]!) + withinM
    const [fromX, fromY] = [values[at]!, values[at + 1]!]
    const [alongX, alongY] = [values[at + 2]! - fromX, values[at + 3]! - fromY]
    const squared = alongX * alongX + alongY * alongY
    const [firstColumn, lastColumn] = [columnAt(cells, west), columnAt(cells, east)]
    const [firstRow, lastRow] = [rowAt(cells, south), rowAt(cells, north)]
    for (let row = firstRow; row <= lastRow; row += 1)
      for (let column = firstColumn; column <= lastColumn; column += 1) {
        const cell = row * cells.columns + column
        looks += first[cell + 1]! - first[cell]!
        if (looks > mostLooks) return { places, count, isWhole: false }
        for (let place = first[cell]!; place < first[cell + 1]!; place += 1) {
          const its = sides === undefined ? place * 4 : sides[place]! * 4
          const x1 = other.values[its]!
          const y1 = other.values[its + 1]!
          const x2 = other.values[its + 2]!
          const y2 = other.values[its + 3]!
          if ((y1 > north && y2 > north) || (y1 < south && y2 < south)) continue
          if ((x1 < west && x2 < west) || (x1 > east && x2 > east)) continue
          const begin = (x1 - fromX) * alongX + (y1 - fromY) * alongY
          const end = (x2 - fromX) * alongX + (y2 - fromY) * alongY
          if ((begin <= 0 && end <= 0) || (begin >= squared && end >= squared)) continue
          // A side in several cells counts only in the first.
          if (column > firstColumn && columnAt(cells, Math.min(x1, x2)) < column) continue
          if (row > firstRow && rowAt(cells, Math.min(y1, y2)) < row) continue
          addPair(at, its)
        }
      }
  }
  return { places, count, isWhole: true }
}

function addPair(at: number, its: number): void {
  if (count * 2 === places.length) places = doubled(places)
  places[count * 2] = at
  places[count * 2 + 1] = its
  count += 1
}

/** The sides of cell n are in `sides` from `first[n]` to `first[n + 1]`; a side in several cells is in each. */
type Cells = {
  readonly west: number
  readonly south: number
  readonly perX: number
  readonly perY: number
  readonly columns: number
  readonly rows: number
  readonly first: Int32Array
  readonly sides: Int32Array | undefined
}

function oneCell(sides: number): Cells {
  return { west: 0, south: 0, perX: 0, perY: 0, columns: 1, rows: 1, first: Int32Array.of(0, sides), sides: undefined }
}

// Cells about as large as the sides, so that each side lies in few cells, and not many more cells than sides.
function cellsOf({ values, count: sideCount }: Sides, withinM: number): Cells {
  const [west, south, east, north] = boxAround(values, 0, sideCount * 4)
  let [alongX, alongY] = [0, 0]
  for (let at = 0; at < sideCount * 4; at += 4) {
    alongX += Math.abs(values[at + 2]! - values[at]!)
    alongY += Math.abs(values[at + 3]! - values[at + 1]!)
  }
  const [wide, tall] = [(2 * alongX) / sideCount + withinM, (2 * alongY) / sideCount + withinM]
  const crowd = Math.sqrt(Math.max(1, ((east - west) * (north - south)) / (wide * tall) / (2 * sideCount)))
  const columns = Math.max(1, Math.floor((east - west) / (wide * crowd)))
  const rows = Math.max(1, Math.min(Math.floor((north - south) / (tall * crowd)), Math.ceil((4 * sideCount) / columns)))
  const frame = { west, south, perX: columns / (east - west || 1), perY: rows / (north - south || 1), columns, rows }
  const forEachCell = (visit: (cell: number, side: number) => void): void => {
    for (let at = 0; at < sideCount * 4; at += 4) {
      const [x1, y1, x2, y2] = [values[at]!, values[at + 1]!, values[at + 2]!, values[at + 3]!]
      const [lastColumn, lastRow] = [columnAt(frame, Math.max(x1, x2)), rowAt(frame, Math.max(y1, y2))]
      for (let row = rowAt(frame, Math.min(y1, y2)); row <= lastRow; row += 1)
        for (let column = columnAt(frame, Math.min(x1, x2)); column <= lastColumn; column += 1)
          visit(row * columns + column, at / 4)
    }
  }
  const { first, items } = listByPlace(columns * rows, (length) => new Int32Array(length), forEachCell)
  return { ...frame, first, sides: items }
}

type Frame = Omit<Cells, 'first' | 'sides'>

function columnAt({ west, perX, columns }: Frame, x: number): number {
  return Math.max(0, Math.min(columns - 1, Math.floor((x - west) * perX)))
}

function rowAt({ south, perY, rows }: Frame, y: number): number {
  return Math.max(0, Math.min(rows - 1, Math.floor((y - south) * perY)))
}
