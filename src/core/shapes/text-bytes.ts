/** Writes text and rounded coordinates as bytes. The measurement is in docs/decisions.md. */

/** The most decimals that can be asked for: seven decimals of a degree are a centimetre. */
export const mostDecimals = 7
const perUnit = 10 ** mostDecimals
const [nought, minus] = [48, 45]
// Below this a scaled number is exact, and its whole part fits into 32 bits.
const largest = 9e8

/** The bytes that a number and its separators may take: JavaScript's longest has 24 characters. */
export const bytesPerNumber = 27

/** Text being written: `bytes` are written up to `at`. Call `makeRoom` before writing to it directly. */
export class TextBytes {
  bytes: Buffer<ArrayBuffer>
  /** The same bytes. */
  view: DataView
  at = 0

  constructor(size = 1 << 16) {
    this.bytes = Buffer.allocUnsafeSlow(size)
    this.view = viewOf(this.bytes)
  }

  /** Makes room for this many more bytes. */
  room(bytes: number): void {
    if (this.at + bytes <= this.bytes.length) return
    const grown = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.at + bytes))
    this.bytes.copy(grown, 0, 0, this.at)
    this.bytes = grown
    this.view = viewOf(grown)
  }

  /** Writes any text. */
  text(text: string): void {
    this.room(text.length * 3)
    this.at += this.bytes.write(text, this.at)
  }

  /** Writes a number with the given rounding. */
  number(value: number, rounding: Rounding): void {
    this.room(bytesPerNumber)
    this.at = writeNumber(this.view, this.at, value, rounding)
  }

  /** Writes text that is already bytes. */
  add(bytes: Uint8Array): void {
    this.room(bytes.length)
    this.bytes.set(bytes, this.at)
    this.at += bytes.length
  }

  /** Returns the bytes and starts again; they are valid until the next write. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.bytes.subarray(0, this.at)
    this.at = 0
    return taken
  }

  /** Returns the text and starts again; only for ASCII text. */
  takeAscii(): string {
    const text = this.bytes.toString('latin1', 0, this.at)
    this.at = 0
    return text
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

/** How to round numbers: multiply by the first, round, divide by the second. Undefined: do not round. */
export type Rounding = { readonly before: number; readonly after: number }

/** The rounding to a number of decimals, at most `mostDecimals`. */
export function roundingTo(decimals: number): Rounding {
  return { before: 10 ** decimals, after: perUnit / 10 ** decimals }
}

/** Writes the number in full or rounded, and returns where it ends. Up to three bytes after it may be overwritten. */
export function writeNumber(view: DataView, at: number, value: number, rounding: Rounding | undefined): number {
  const scaled =
    rounding === undefined ? Math.round(value * perUnit) : Math.round(value * rounding.before) * rounding.after
  const rounded = scaled / perUnit
  // A value that is not a number, or too large for decimals, is written as it is.
  return (rounding !== undefined || rounded === value) && rounded <= largest && rounded >= -largest
    ? writeScaled(view, at, scaled, rounded)
    : writeLatin(view, at, String(value))
}

function writeLatin(view: DataView, at: number, text: string): number {
  for (let index = 0; index < text.length; index += 1) view.setUint8(at + index, text.charCodeAt(index))
  return at + text.length
}

// The digits of 0000 to 9999, four bytes each.
const fours = Uint32Array.from({ length: 10_000 }, (_, number) => {
  const digit = (power: number): number => 48 + (Math.floor(number / power) % 10)
  return digit(1000) | (digit(100) << 8) | (digit(10) << 16) | (digit(1) << 24)
})
// Replaces the first of four digits by the point: 48 becomes 46.
const toPoint = 2

function writeScaled(view: DataView, start: number, scaled: number, rounded: number): number {
  let at = start
  if (scaled < 0) view.setUint8(at++, minus)
  const units = Math.abs(rounded) | 0
  const fraction = (Math.abs(scaled) - units * perUnit) | 0
  at = writeWhole(view, at, units)
  return fraction === 0 ? at : writeFraction(view, at, fraction)
}

function writeWhole(view: DataView, start: number, whole: number): number {
  if (whole >= 10_000) {
    const above = (whole / 10_000) | 0
    const at = writeWhole(view, start, above)
    view.setUint32(at, fours[whole - above * 10_000]!, true)
    return at + 4
  }
  const noughts = whole >= 1000 ? 0 : whole >= 100 ? 1 : whole >= 10 ? 2 : 3
  view.setUint32(start, fours[whole]! >>> (noughts * 8), true)
  return start + 4 - noughts
}

/** Writes the point and seven digits, and removes trailing zeros. */
function writeFraction(view: DataView, start: number, fraction: number): number {
  const first = (fraction / 10_000) | 0
  view.setUint32(start, fours[first]! - toPoint, true)
  view.setUint32(start + 4, fours[fraction - first * 10_000]!, true)
  let at = start + 8
  while (view.getUint8(at - 1) === nought) at -= 1
  return at
}
