/** Damages bytes without knowing their meaning. */

import type { Random } from './random.ts'

/** Makes another input from one; may return the same input, but never changes it. */
export type Mutator = (bytes: Uint8Array, random: Random) => Uint8Array

const oddBytes = [0, 1, 0x0a, 0x0d, 0x1a, 0x1e, 0x20, 0x22, 0x2c, 0x3b, 0x3c, 0x5b, 0x7b, 0x7f, 0x80, 0xc0, 0xfe, 0xff]
const oddNumbers = [0, 1, 2, 4, 16, 100, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000]
const oddDoubles = [NaN, Infinity, -Infinity, 1e308, -1e308, 1e-308, -0, 180.0000001, -90.5, 2 ** 53, 1e38, -1.7e308] // prettier-ignore

const maxBytes = 1 << 20

/** Replaces `count` bytes at a place by others. */
export function spliced(bytes: Uint8Array, at: number, count: number, put: Uint8Array): Uint8Array {
  const made = new Uint8Array(bytes.length - count + put.length)
  made.set(bytes.subarray(0, at))
  made.set(put, at)
  made.set(bytes.subarray(at + count), at + put.length)
  return made
}

function changed(bytes: Uint8Array, change: (view: DataView) => void): Uint8Array {
  const made = Uint8Array.from(bytes)
  change(new DataView(made.buffer))
  return made
}

function block(bytes: Uint8Array, random: Random): { readonly at: number; readonly count: number } {
  const at = random.below(bytes.length)
  const longest = random.chance(0.7) ? Math.min(64, bytes.length - at) : bytes.length - at
  return { at, count: 1 + random.below(longest) }
}

const flipBit: Mutator = (bytes, random) =>
  changed(bytes, (view) => {
    const at = random.below(bytes.length)
    view.setUint8(at, bytes[at]! ^ (1 << random.below(8)))
  })

const setByte: Mutator = (bytes, random) =>
  changed(bytes, (view) => {
    view.setUint8(random.below(bytes.length), random.chance(0.5) ? random.pick(oddBytes) : random.below(256))
  })

const removeBlock: Mutator = (bytes, random) => {
  const { at, count } = block(bytes, random)
  return spliced(bytes, at, count, new Uint8Array(0))
}

const copyBlock: Mutator = (bytes, random) => {
  const { at, count } = block(bytes, random)
  return spliced(bytes, random.below(bytes.length), 0, bytes.subarray(at, at + count))
}

const overwriteBlock: Mutator = (bytes, random) => {
  const { at, count } = block(bytes, random)
  return changed(bytes, (view) => {
    const to = random.below(bytes.length - count + 1)
    new Uint8Array(view.buffer).set(bytes.subarray(at, at + count), to)
  })
}

const fillBlock: Mutator = (bytes, random) => {
  const { at, count } = block(bytes, random)
  const fill = random.pick(oddBytes)
  return changed(bytes, (view) => {
    new Uint8Array(view.buffer).fill(fill, at, at + count)
  })
}

const insertNoise: Mutator = (bytes, random) => {
  const noise = Uint8Array.from({ length: 1 + random.below(32) }, () => random.below(256))
  return spliced(bytes, random.below(bytes.length + 1), 0, noise)
}

/** Repeats a block up to some thousand times: long lines, many rows, deep nesting. */
const repeatBlock: Mutator = (bytes, random) => {
  const at = random.below(bytes.length)
  const count = 1 + random.below(Math.min(24, bytes.length - at))
  const times = Math.min(2 ** (1 + random.below(13)), Math.floor(maxBytes / count))
  const put = new Uint8Array(count * times)
  for (let turn = 0; turn < times; turn += 1) put.set(bytes.subarray(at, at + count), turn * count)
  return spliced(bytes, at, 0, put)
}

const cutShort: Mutator = (bytes, random) => bytes.slice(0, random.below(bytes.length))

/** Writes a number that is wrong for sizes, counts and offsets, in either byte order. */
const setNumber: Mutator = (bytes, random) =>
  changed(bytes, (view) => {
    const width = random.pick([2, 4, 4, 8])
    if (bytes.length < width) return
    const at = random.below(bytes.length - width + 1)
    const isLittle = random.chance(0.5)
    if (width === 8) {
      view.setFloat64(at, random.pick(oddDoubles), isLittle)
      return
    }
    const near = width === 2 ? view.getUint16(at, isLittle) : view.getUint32(at, isLittle)
    const value = random.chance(0.3) ? near + random.pick([-1, 1, -8, 8]) : random.pick(oddNumbers)
    if (width === 2) view.setUint16(at, value & 0xffff, isLittle)
    else view.setUint32(at, value >>> 0, isLittle)
  })

const setDouble: Mutator = (bytes, random) =>
  changed(bytes, (view) => {
    if (bytes.length < 8) return
    view.setFloat64(random.below((bytes.length >> 2) - 1) * 4, random.pick(oddDoubles), true)
  })

const swapBlocks: Mutator = (bytes, random) => {
  const count = 1 + random.below(Math.max(1, Math.min(64, bytes.length >> 1)))
  const [first, second] = [random.below(bytes.length - count + 1), random.below(bytes.length - count + 1)]
  return changed(bytes, (view) => {
    const made = new Uint8Array(view.buffer)
    made.set(bytes.subarray(first, first + count), second)
    made.set(bytes.subarray(second, second + count), first)
  })
}

/** All ways that know nothing of the format. */
export const byteMutators: readonly Mutator[] = [
  flipBit,
  setByte,
  setByte,
  removeBlock,
  copyBlock,
  overwriteBlock,
  fillBlock,
  insertNoise,
  repeatBlock,
  cutShort,
  setNumber,
  setNumber,
  setDouble,
  swapBlocks,
]

/** Inserts a piece of another file of the same kind. */
export function withPieceOf(other: Uint8Array): Mutator {
  return (bytes, random) => {
    if (other.length === 0) return bytes
    const { at, count } = block(other, random)
    const place = random.below(bytes.length + 1)
    const over = random.chance(0.5) ? Math.min(count, bytes.length - place) : 0
    return spliced(bytes, place, over, other.subarray(at, at + count))
  }
}
