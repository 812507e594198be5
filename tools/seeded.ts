/** Gives random numbers from a seed for samples and benchmark data: the same seed gives the same farm on every machine. */

export type Chance = {
  /** A number from 0 up to, not including, 1. */
  next(): number
  /** A number from `low` up to `high`. */
  between(low: number, high: number): number
  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number
  pick<T>(items: readonly T[]): T
}

/** Starts a sequence of seeded numbers (mulberry32). */
export function chanceFrom(seed: number): Chance {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const whole = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    whole,
    between: (low, high) => low + next() * (high - low),
    pick: <T>(items: readonly T[]): T => items[whole(0, items.length - 1)]!,
  }
}
