/** Hides how the different values of a column are counted without keeping them: 64 bits of each, in typed arrays. */

const leastSlots = 256
const intsOfSlot = 2

// Texts go in by pairs of code units, which halves the steps that wait for each other. What is multiplied only moves up: a shift
// brings the second of each pair down to where it reaches all bits, or values that differ there alone would become the same.
const [lowSeed, lowFactor] = [0x41c6ce57, 1597334677]
const [highSeed, highFactor] = [0x5eadbeef, 2654435761]

/**
 * A set of values, each with a mark of the caller's. `size` counts the values, `repeated` those that came more than once. It
 * grows as it fills; the caller decides when it has grown enough.
 */
export class DistinctValues {
  size = 0
  repeated = 0
  #mask = leastSlots - 1
  // Two halves of a hash a slot, both zero where it is empty: the texts themselves would hold on to the file.
  #hashes = new Int32Array(leastSlots * intsOfSlot)
  // The highest bit says that the value came again.
  #marks = new Uint16Array(leastSlots)
  #low = 0
  #high = 0

  /** The mark of a value that was there before, which then counts as repeated; -1 for one that was not. */
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

  /** Adds the value that was looked for last and not found, with a mark below 32768. */
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
      const pair = at + 1 < length ? text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16) : text.charCodeAt(at)
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

const numberParts = new Float64Array(1)
const wholeParts = new Int32Array(numberParts.buffer)

/** A short slice is a copy already; a long one would keep the whole of the file's text around it in memory. */
export function copyOf(text: string): string {
  return text.length < 13 ? text : Buffer.from(text).toString()
}
