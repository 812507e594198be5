/** Hides where the coordinates of a shape in the making lie: each time in an array of their own, or in one that is used again. */

/** Gives an array of so many numbers, whatever stands in it. */
export type Room = (length: number) => Float64Array

/** An array of its own each time. */
export const ownRoom: Room = (length) => new Float64Array(length)

/**
 * The same memory each time, so that what was given before is lost: for work that is done with one shape before it takes the next.
 * Asking the system for memory took a fifth of what normalising a boundary takes.
 */
export function reusedRoom(): Room {
  let room = new Float64Array(1 << 10)
  return (length) => {
    if (room.length < length) room = new Float64Array(length * 2)
    return room.subarray(0, length)
  }
}
