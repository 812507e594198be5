/** Hides how a stretch of a ring is walked: how long it is, and where and in which direction it begins and ends. */

import type { Ground } from './sides.ts'

/** Where a stretch begins or ends, in grid steps, and which way its boundary runs there, in metres east and north. */
export type Spot = { readonly x: number; readonly y: number; readonly east: number; readonly north: number }

export type Ends = { readonly lengthM: number; readonly start: Spot; readonly end: Spot }

/** A stretch of one ring from one place to another, land to its left: whole numbers are vertices, and it may go on past the last. */
export type Stretch = Ends & {
  readonly boundary: number
  readonly ring: number
  readonly from: number
  readonly to: number
  readonly isWhole: boolean
}

/** The sides of a ring among others, in metres from a corner of the ground: the number of the first, and how many there are. */
export type RingSides = {
  readonly values: Float64Array
  readonly first: number
  readonly sides: number
  readonly ground: Ground
}

type Point = readonly [x: number, y: number]

// Which way a boundary runs is seen over half a metre, because the last centimetres are only rounding.
const seenOverM = 0.5

/** Measures the stretch between two places of a ring. */
export function measureStretch(ring: RingSides, from: number, to: number): Ends {
  let lengthM = 0
  walk(ring, from, to, (metres) => {
    lengthM += metres
    return true
  })
  return { lengthM, start: spotAt(ring, from, to), end: spotAt(ring, to, from) }
}

function pointAt({ values, first, sides }: RingSides, place: number): Point {
  const side = Math.min(Math.floor(place), 2 * sides - 1)
  const at = (first + (side % sides)) * 4
  const share = place - side
  return [
    values[at]! + share * (values[at + 2]! - values[at]!),
    values[at + 1]! + share * (values[at + 3]! - values[at + 1]!),
  ]
}

/** Goes from vertex to vertex, forwards or back, as long as the visitor wants to go on. */
function walk(ring: RingSides, from: number, to: number, visit: (metres: number, point: Point) => boolean): void {
  const isForward = to > from
  let [x, y] = pointAt(ring, from)
  for (let place = from; place !== to;) {
    place = isForward ? Math.min(Math.floor(place) + 1, to) : Math.max(Math.ceil(place) - 1, to)
    const next = pointAt(ring, place)
    if (!visit(Math.hypot(next[0] - x, next[1] - y), next)) return
    ;[x, y] = next
  }
}

function spotAt(ring: RingSides, place: number, towards: number): Spot {
  const { column, row, stepX, stepY } = ring.ground
  const [x, y] = pointAt(ring, place)
  let [left, toX, toY] = [seenOverM, x, y]
  walk(ring, place, towards, (metres, [nextX, nextY]) => {
    const share = metres > left ? left / metres : 1
    toX += share * (nextX - toX)
    toY += share * (nextY - toY)
    left -= metres
    return left > 0
  })
  const way = towards > place ? 1 : -1
  return { x: column + x / stepX, y: row + y / stepY, east: (toX - x) * way, north: (toY - y) * way }
}
