/** Finds the known word that a misspelt word was probably meant to be, and refuses options that are not known. */

import { WindrowError } from '../error.ts'

/** The nearest candidate, if one is near enough; case is ignored. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const written = word.toLowerCase().slice(0, longest)
  const allowed = Math.max(1, Math.floor(written.length / 3))
  let best: string | undefined
  let bestDistance = allowed + 1
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - written.length) >= bestDistance) continue
    const distance = editDistance(written, candidate.toLowerCase())
    if (distance >= bestDistance) continue
    best = candidate
    bestDistance = distance
  }
  return best
}

const longest = 80

/** The number of insertions, deletions, replacements and swaps of neighbours between two words. */
function editDistance(left: string, right: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1]
      let cost = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1))
      const swapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
      if (swapped) cost = Math.min(cost, beforeLast[column - 2]! + 1)
      current.push(cost)
    }
    beforeLast = last
    last = current
  }
  return last[right.length]!
}

/** The names of all options of a function. */
export type Names<Options> = Readonly<Record<keyof Options, true>>

/** Throws for an option that a function does not know: to leave it out could do what nobody wanted. */
export function refuseUnknown<Options extends object>(
  caller: string,
  options: Options,
  known: Readonly<Record<keyof Options, unknown>>,
): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name))
  if (unknown === undefined) return
  const names = Object.keys(known)
  const near = nearest(unknown, names)
  throw new WindrowError('option-invalid', `${caller}: "${unknown}" is unknown.`, {
    hint: near === undefined ? `Known: ${names.join(', ')}.` : `Did you mean "${near}"?`,
  })
}
