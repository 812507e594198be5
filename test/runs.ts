/**
 * Sets how many inputs a statement is tried with: a short share that a seed chooses in `npm test`, and all of them, or many more, in
 * `npm run fuzz -- --properties 10`.
 */

import fc from 'fast-check'
import { beforeEach, onTestFailed } from 'vitest'
import { chanceFrom } from '../tools/seeded.ts'

const times = process.env['WINDROW_PROPERTY_TIMES']
// The short share tries the same values each time, so that a red test means a change in the code.
const seed = Number(process.env['WINDROW_TEST_SEED'] ?? 2026)
// For all properties without a number of their own.
fc.configureGlobal({ ...(times === undefined ? { seed } : {}), numRuns: runs(200) })

/** The number of values to try in this run, for a property with this full number. */
export function runs(many: number): number {
  return Math.ceil(many * (times === undefined ? 0.05 : Number(times)))
}

/**
 * The inputs to try in this run, in their order: of each kind as many as `most`. Call it where tests are described: one that
 * fails there says which seed chose its inputs.
 */
export function share<T>(all: readonly T[], most: number, kindOf: (input: T) => unknown = () => ''): readonly T[] {
  if (times !== undefined) return all
  beforeEach(() => {
    onTestFailed(() => {
      process.stderr.write(`The inputs were chosen by seed ${seed}: WINDROW_TEST_SEED=${seed} tries them again.\n`)
    })
  })
  const chance = chanceFrom(seed)
  return [...Map.groupBy(all.keys(), (index) => kindOf(all[index]!)).values()]
    .flatMap((kind) => chosenFrom(kind, most, chance.next))
    .toSorted((one, other) => one - other)
    .map((index) => all[index]!)
}

function chosenFrom(indexes: readonly number[], most: number, next: () => number): readonly number[] {
  const left = [...indexes]
  while (left.length > most) left.splice(Math.floor(next() * left.length), 1)
  return left
}
