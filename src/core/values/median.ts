/** Finds the middle one of some numbers. */

/** The middle one in their order; NaN of none. */
export function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? NaN
}
