/** Finds boundaries that are identical, whichever vertex or part comes first. */

import type { Boundaries } from './boundary-grid.ts'

/** Lists groups of identical boundaries, in the order of their numbers. */
export function copiesOf(boundaries: Boundaries): readonly (readonly number[])[] {
  const sums = new Float64Array(boundaries.count)
  for (let boundary = 0; boundary < sums.length; boundary += 1) sums[boundary] = sumOf(boundaries, boundary)
  // A map of all sums would take several times the memory.
  const repeated = new Set(sums.toSorted().filter((sum, place, sorted) => sum === sorted[place - 1]))
  const groups = new Map<number, number[]>()
  for (const [boundary, sum] of sums.entries()) {
    const group = groups.get(sum)
    if (group !== undefined) group.push(boundary)
    else if (repeated.has(sum)) groups.set(sum, [boundary])
  }
  return [...groups.values()]
}

// A sum over all sides does not depend on their order; two sums of 26 bits each fit exactly into one number.
function sumOf({ read }: Boundaries, boundary: number): number {
  const { words, at } = read(boundary)
  const rings = words[at]!
  const first = at + 1 + rings
  let [one, other] = [0, 0]
  for (let ring = 0, start = first; ring < rings; ring += 1) {
    const end = first + words[at + 1 + ring]! * 2
    for (let vertex = start + 2; vertex < end; vertex += 2) {
      const [from, to] = [mix(words[vertex - 2]!, words[vertex - 1]!), mix(words[vertex + 1]!, words[vertex]!)]
      one = (one + mix(from, to)) | 0
      other = (other + mix(to, from)) | 0
    }
    start = end
  }
  return (one >>> 6) * 2 ** 26 + (other >>> 6)
}

// The final steps of MurmurHash3, which spread every bit over all 32.
function mix(one: number, other: number): number {
  let bits = Math.imul(one, 0x9e3779b1) ^ other
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return bits ^ (bits >>> 16)
}
