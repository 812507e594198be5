/** Hides where the coordinates of a shape in the making lie: each time in an array of their own, or in one that is used again. */

/** Gives an array of so many numbers, whatever stands in it. */
export type Room = (length: number) => Float64Array

/** An array of its own each time. */
export const ownRoom: Room = (length) => new Float64Array(length)

// Most boundaries have some dozens of vertices.
const mostReused = 1 << 10

/**
 * The same memory each time, so that what was given before is lost: for work that is done with one shape before it takes the next.
 * Asking the system for memory took a fifth of what normalising a boundary takes; long arrays, which are few, are asked for.
 */
export function reusedRoom(): Room {
  const room = new Float64Array(mostReused)
  // Making a view takes as long as rounding a dozen numbers.
  const views: Float64Array[] = []
  return (length) => (length > mostReused ? ownRoom(length) : (views[length] ??= room.subarray(0, length)))
}
