/** Counts the different values of a column without storing them: a 64-bit hash of each. */

const leastSlots = 256
const intsOfSlot = 2

// Texts are hashed by pairs of code units. Multiplying only moves bits up, so a shift brings the second of each pair down;
// without it, values that differ only there would get the same hash.
const [lowSeed, lowFactor] = [0x41c6ce57, 1597334677]
const [highSeed, highFactor] = [0x5eadbeef, 2654435761]

/** A set of values, each with a mark of the caller's. `size` counts the values, `repeated` those that occurred more than once. */
export class DistinctValues {
  size = 0
  repeated = 0
  #mask = leastSlots - 1
  // Two halves of a hash per slot, both zero if the slot is empty. Storing the texts would keep the whole file in memory.
  #hashes = new Int32Array(leastSlots * intsOfSlot)
  // The highest bit marks a value that occurred again.
  #marks = new Uint16Array(leastSlots)
  #low = 0
  #high = 0

  /** The mark of a known value, which then counts as repeated; -1 for a new one. */
  find(value: string | number | boolean): number {
    if (typeof value === 'string') this.#hashText(value)
    else this.#hashNumber(Number(value), typeof value === 'boolean')
    return this.#markOfHash()
  }

  #markOfHash(): number {
    const hashes = this.#hashes
    const mask = this.#mask
    const low = this.#low
    const high = this.#high
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const there = hashes[slot * intsOfSlot]!
      if (there === low && hashes[slot * intsOfSlot + 1] === high) return this.#markAt(slot)
      if (there === 0) return -1
    }
  }

  /** Adds the value that `find` looked for last and did not find, with a mark below 32768. */
  add(mark: number): void {
    if (this.size * 3 >= this.#mask * 2) this.#grow()
    this.#place(this.#low, this.#high, mark)
    this.size += 1
  }

  #markAt(slot: number): number {
    const marked = this.#marks[slot]!
    if (marked < 0x8000) {
      this.#marks[slot] = marked | 0x8000
      this.repeated += 1
    }
    return marked & 0x7fff
  }

  #hashText(text: string): void {
    const { length } = text
    let [low, high] = [lowSeed ^ length, highSeed]
    for (let at = 0; at < length; at += 2) {
      const pair = at + 1 < length ? codeAt(text, at) | (codeAt(text, at + 1) << 16) : codeAt(text, at)
      low = Math.imul(low ^ pair, lowFactor)
      low ^= low >>> 15
      high = Math.imul(high ^ pair, highFactor)
      high ^= high >>> 15
    }
    this.#settle(low, high)
  }

  #hashNumber(number: number, isTruth: boolean): void {
    numberParts[0] = number
    this.#settle(Math.imul(wholeParts[0]! ^ (isTruth ? 1 : 2), lowFactor), Math.imul(wholeParts[1]! ^ 3, highFactor))
  }

  #settle(low: number, high: number): void {
    this.#low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909) || 1
    this.#high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  }

  #place(low: number, high: number, mark: number): void {
    const hashes = this.#hashes
    const mask = this.#mask
    let slot = low & mask
    while (hashes[slot * intsOfSlot] !== 0) slot = (slot + 1) & mask
    hashes[slot * intsOfSlot] = low
    hashes[slot * intsOfSlot + 1] = high
    this.#marks[slot] = mark
  }

  #grow(): void {
    const hashes = this.#hashes
    const marks = this.#marks
    const slots = marks.length * 2
    this.#mask = slots - 1
    this.#hashes = new Int32Array(slots * intsOfSlot)
    this.#marks = new Uint16Array(slots)
    for (let slot = 0; slot < marks.length; slot += 1) {
      const low = hashes[slot * intsOfSlot]!
      if (low !== 0) this.#place(low, hashes[slot * intsOfSlot + 1]!, marks[slot]!)
    }
  }
}

const { charCodeAt } = String.prototype

/** A text has more forms in memory than V8 remembers at one place, so `text.charCodeAt` would look the method up for every letter. */
function codeAt(text: string, index: number): number {
  return charCodeAt.call(text, index)
}

const numberParts = new Float64Array(1)
const wholeParts = new Int32Array(numberParts.buffer)

/** A copy of a text: a slice would keep the whole text of the file in memory. */
export function copyOf(text: string): string {
  return text.length < 13 ? text : Buffer.from(text).toString()
}
