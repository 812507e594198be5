/**
 * Hides how it is noticed in little memory that a key may have come before: 53 bits of each key, in a table that doubles. It may
 * take two keys for one, which costs a look at them; it never takes a repeated key for a new one.
 */

export type SeenKeys = {
  note(key: string): void
  /** False when no key was noted twice. */
  readonly mayRepeat: boolean
}

/** Starts with none. */
export function startSeenKeys(): SeenKeys {
  let table = new Float64Array(1 << 12)
  let [count, mayRepeat] = [0, false]
  return {
    note(key) {
      if (mayRepeat) return
      if (!put(table, marks(key))) {
        mayRepeat = true
        table = new Float64Array(0)
        return
      }
      count += 1
      if (count * 2 > table.length) table = grown(table)
    },
    get mayRepeat() {
      return mayRepeat
    },
  }
}

/** Two independent sums over the letters as one whole number, never 0, which stands for an empty place. */
function marks(key: string): number {
  let [low, high] = [0x811c9dc5, 0x9747b28c]
  for (let index = 0; index < key.length; index += 1) {
    const letter = key.charCodeAt(index)
    low = Math.imul(low ^ letter, 0x01000193)
    high = Math.imul(high ^ letter, 0x5bd1e995)
    high ^= high >>> 15
  }
  return (high >>> 11) * 2 ** 32 + (low >>> 0) + 1
}

/** False when the mark is there already. */
function put(table: Float64Array, mark: number): boolean {
  const mask = table.length - 1
  for (let at = (mark ^ (mark / 2 ** 32)) & mask; ; at = (at + 1) & mask) {
    if (table[at] === mark) return false
    if (table[at] !== 0) continue
    table[at] = mark
    return true
  }
}

function grown(table: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(table.length * 2)
  for (const mark of table) if (mark !== 0) put(larger, mark)
  return larger
}
