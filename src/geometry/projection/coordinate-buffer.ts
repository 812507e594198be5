/** Provides arrays for coordinates: a new one each time, or one that is reused. */

/** Returns an array of so many numbers, with any content. */
export type Room = (length: number) => Float64Array

/** Returns a new array each time. */
export const ownRoom: Room = (length) => new Float64Array(length)

// Most boundaries have some dozens of vertices.
const mostReused = 1 << 10

/**
 * Returns the same memory each time, for work that is done with one shape before the next: the earlier content is lost. Long arrays,
 * which are rare, are new.
 */
export function reusedRoom(): Room {
  const room = new Float64Array(mostReused)
  const views: Float64Array[] = []
  return (length) => (length > mostReused ? ownRoom(length) : (views[length] ??= room.subarray(0, length)))
}
