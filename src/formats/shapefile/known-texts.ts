/**
 * Hides which texts of a column were made before: crops, varieties, farms and days come again and again, and finding one by its
 * bytes takes a third to a fifth of the time of making it.
 */

const places = 64
const longestBytes = 48
const enoughAsked = 1000
const worthFound = 0.2

type MakeText = (bytes: Buffer, from: number, to: number) => string | undefined

/** The texts of one column that came last. Where few come again, none are looked for any more. */
export class KnownTexts {
  readonly #texts: (string | undefined)[] = Array.from({ length: places }, () => undefined)
  readonly #bytes = new Uint8Array(places * longestBytes)
  readonly #lengths = new Uint8Array(places)
  #isWorth = true
  #asked = 0
  #found = 0

  /** The text of these bytes: one that came before, or what `make` makes of them, which may be nothing. */
  textOf(bytes: Buffer, from: number, to: number, make: MakeText): string | undefined {
    const length = to - from
    if (!this.#isWorth || length > longestBytes) return make(bytes, from, to)
    const place = placeOf(bytes, from, to)
    const before = this.#texts[place]
    this.#asked += 1
    if (before !== undefined && this.#lengths[place] === length && this.#isAt(place, bytes, from)) {
      this.#found += 1
      return before
    }
    if (this.#asked >= enoughAsked) {
      this.#isWorth = this.#found >= worthFound * this.#asked
      this.#asked = 0
      this.#found = 0
    }
    const text = make(bytes, from, to)
    if (text === undefined) return undefined
    const start = place * longestBytes
    for (let index = 0; index < length; index += 1) this.#bytes[start + index] = bytes[from + index]!
    this.#lengths[place] = length
    this.#texts[place] = text
    return text
  }

  #isAt(place: number, bytes: Uint8Array, from: number): boolean {
    const start = place * longestBytes
    const length = this.#lengths[place]!
    for (let index = 0; index < length; index += 1) if (this.#bytes[start + index] !== bytes[from + index]) return false
    return true
  }
}

function placeOf(bytes: Uint8Array, from: number, to: number): number {
  let sum = 0
  for (let at = from; at < to; at += 1) sum = (Math.imul(sum, 31) + bytes[at]!) | 0
  return (sum ^ (sum >>> 11)) & (places - 1)
}
