/**
 * Hides how a conformal projection is undone fast for the many vertices that lie near each other: the plane is cut into squares of some
 * kilometres, and within one the projection is a short power series about its middle. A vertex gets the same place whatever shape
 * it belongs to, because its square is its own.
 */

import type { PowerSeries } from './power-series.ts'

/** About a point of the plane: longitude and latitude in degrees there, and how they change with the distance from it. */
export type Expansion = {
  readonly lon: number
  readonly lat: number
  /** Isometric latitude and, as imaginary part, longitude in radians, by powers of northing + i easting times `unit`. */
  readonly isometric: PowerSeries
  readonly unit: number
  /** Latitude in radians by powers of the isometric latitude. */
  readonly latitude: PowerSeries
}

export type Squares = {
  /** The side of a square, in units of the plane. */
  readonly side: number
  /** The series about a point; nothing where they do not hold as far as a square reaches. */
  readonly expandAt: (x: number, y: number) => Expansion | undefined
  /** Does without series, for the vertex at an index. */
  readonly exactly: (from: Float64Array, to: Float64Array, index: number) => void
}

const degrees = 180 / Math.PI

// What is kept of a square: which it is, its middle, longitude and latitude there, and what stands before each power.
const [column, row, middleX, middleY, middleLon, middleLat] = [0, 1, 2, 3, 4, 5]
const [re1, im1, re2, im2, re3, im3, re4, im4] = [6, 7, 8, 9, 10, 11, 12, 13]
const [lat1, lat2, lat3, lat4] = [14, 15, 16, 17]
const numbersEach = 18
// A farm lies in a handful of squares; a row of paddocks through a whole country crosses some hundred, and comes back to them.
const keptBits = 10

/** Makes the function that turns eastings and northings into degrees, flat pair by flat pair. */
export function inverseBySquares({ side, expandAt, exactly }: Squares): (from: Float64Array, to: Float64Array) => void {
  const squares = new Float64Array(numbersEach << keptBits).fill(NaN)

  const fill = (at: number, across: number, up: number): void => {
    const x = (across + 0.5) * side
    const y = (up + 0.5) * side
    squares[at + column] = across
    squares[at + row] = up
    squares[at + middleX] = x
    squares[at + middleY] = y
    const found = expandAt(x, y)
    squares[at + middleLon] = found?.lon ?? NaN
    if (found === undefined) return
    squares[at + middleLat] = found.lat
    let unit = 1
    for (let power = 1; power <= 4; power += 1) {
      unit *= found.unit
      squares[at + re1 + power * 2 - 2] = found.isometric[power * 2]! * unit
      squares[at + re1 + power * 2 - 1] = found.isometric[power * 2 + 1]! * unit
      squares[at + lat1 + power - 1] = found.latitude[power * 2]! * degrees
    }
  }

  return (from, to) => {
    for (let index = 0; index < from.length; index += 2) {
      const x = from[index]!
      const y = from[index + 1]!
      const across = Math.floor(x / side)
      const up = Math.floor(y / side)
      const at = placeOf(across, up)
      if (squares[at + column] !== across || squares[at + row] !== up) fill(at, across, up)
      const v = x - squares[at + middleX]!
      const u = y - squares[at + middleY]!
      let re = squares[at + re4]!
      let im = squares[at + im4]!
      let next = re * u - im * v + squares[at + re3]!
      im = re * v + im * u + squares[at + im3]!
      re = next
      next = re * u - im * v + squares[at + re2]!
      im = re * v + im * u + squares[at + im2]!
      re = next
      next = re * u - im * v + squares[at + re1]!
      im = re * v + im * u + squares[at + im1]!
      const q = next * u - im * v
      const lambda = next * v + im * u
      const lon = squares[at + middleLon]! + lambda * degrees
      const lat =
        squares[at + middleLat]! +
        q * (squares[at + lat1]! + q * (squares[at + lat2]! + q * (squares[at + lat3]! + q * squares[at + lat4]!)))
      to[index] = lon
      to[index + 1] = lat
      // Not a number where there is no series, and where the vertex is none.
      if (!(lon === lon && lat === lat)) exactly(from, to, index)
    }
  }
}

// The upper bits of a product with a large odd number differ for squares that lie side by side.
function placeOf(across: number, up: number): number {
  return ((Math.imul(across, 0x9e3779b1) + Math.imul(up, 0x85ebca6b)) >>> (32 - keptBits)) * numbersEach
}
