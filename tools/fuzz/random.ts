/** Gives each input its own random numbers, so that one can be repeated without those before it. */

import { chanceFrom } from '../seeded.ts'

/** Random choices: whole numbers below a bound, a member of a list, yes with a probability. */
export type Random = {
  below(bound: number): number
  pick<T>(list: readonly T[]): T
  chance(probability: number): boolean
}

/** The choices for one input: the same seed, name and number always give the same. */
export function randomFor(seed: number, name: string, number: number): Random {
  let mixed = (seed ^ Math.imul(number + 1, 0x9e3779b1)) >>> 0
  for (let index = 0; index < name.length; index += 1) mixed = Math.imul(mixed ^ name.charCodeAt(index), 0x01000193)
  const chance = chanceFrom(mixed)
  return {
    below: (bound) => chance.whole(0, Math.max(1, bound) - 1),
    pick: (list) => chance.pick(list),
    chance: (probability) => chance.next() < probability,
  }
}
