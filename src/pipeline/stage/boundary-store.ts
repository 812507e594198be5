/**
 * Stores the boundaries of a run until all are read: as whole centimetre steps, eight bytes a vertex, in memory while they
 * are few, in a temporary file if they are many.
 */

import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { gridSteps, type Boundaries } from '../../geometry/coverage/boundary-grid.ts'
import type { Rings } from '../../geometry/coverage/give-way.ts'
import { boxWords, type GridOutline } from '../../geometry/coverage/grid-outline.ts'

/**
 * The owner of a boundary: its row and record number, or the key of a record that is not staged: one that only the service has, or
 * one whose row is the same as in the last file.
 */
export type About = { readonly row: number; readonly record: number } | Unstaged
type Unstaged = { readonly key: string; readonly row?: number | undefined }

/** Boundaries with their owners; those of the run's own rows come first. */
export type BoundaryStore = Boundaries & {
  add(boundary: { readonly outline: GridOutline; readonly about: About; readonly areaM2: number }): void
  about(boundary: number): About
  /** The rings in degrees; longitudes of a field across 180 degrees continue beyond 180. */
  ringsOf(boundary: number): Rings
  close(): void
}

// A block has 64 kB; 8 MB stay in memory.
const blockWords = 1 << 14
const mostBlocks = 128

/** Starts a store in the folder of a run. */
export function startBoundaryStore(folder: string): BoundaryStore {
  const blocks = startBlocks(join(folder, 'boundaries.bin'))
  const blockOf: number[] = []
  const startOf: number[] = []
  const rows: number[] = []
  const records: number[] = []
  const unstaged: Unstaged[] = []
  const areas: number[] = []
  let boxes = new Uint32Array(1024)
  return {
    get count() {
      return areas.length
    },
    get own() {
      return rows.length
    },
    get boxes() {
      return boxes.subarray(0, areas.length * 4)
    },
    add({ outline, about, areaM2 }) {
      const rings = outline.from + boxWords
      const { block, words, at } = blocks.room(outline.to - rings)
      if (boxes.length < (areas.length + 1) * 4) {
        const larger = new Uint32Array(boxes.length * 2)
        larger.set(boxes)
        boxes = larger
      }
      boxes.set(outline.words.subarray(outline.from, rings), areas.length * 4)
      words.set(outline.words.subarray(rings, outline.to), at)
      blockOf.push(block)
      startOf.push(at)
      if ('key' in about) unstaged.push(about)
      else {
        rows.push(about.row)
        records.push(about.record)
      }
      areas.push(areaM2)
    },
    read: (boundary) => ({ words: blocks.words(blockOf[boundary]!), at: startOf[boundary]! }),
    ringsOf: (boundary) => ringsIn(blocks.words(blockOf[boundary]!), startOf[boundary]!),
    areaM2: (boundary) => areas[boundary]!,
    about: (boundary) =>
      boundary < rows.length ? { row: rows[boundary]!, record: records[boundary]! } : unstaged[boundary - rows.length]!,
    close: blocks.close,
  }
}

type Words = Uint32Array<ArrayBuffer>
type Room = { readonly block: number; readonly words: Uint32Array; readonly at: number }
type Blocks = { room(words: number): Room; words(block: number): Uint32Array; close(): void }

/** Blocks of words; full ones are also in the file. A boundary never spans two blocks. */
function startBlocks(path: string): Blocks {
  const places: { readonly at: number; readonly length: number }[] = []
  const kept = new Map<number, Words>()
  let file: number | undefined
  let filling = new Uint32Array(blockWords)
  let filled = 0
  // The collector takes its time with buffers, so that of the oldest block is used again.
  const bufferOf = (words: number): Words => {
    const size = Math.max(blockWords, words)
    const [oldest] = kept.size < mostBlocks ? [] : kept
    if (oldest !== undefined) kept.delete(oldest[0])
    const buffer = oldest?.[1].buffer
    return buffer?.byteLength === size * 4 ? new Uint32Array(buffer) : new Uint32Array(size)
  }
  const putAway = (): void => {
    file ??= openSync(path, 'wx+', 0o600)
    const last = places.at(-1)
    const words = filling.subarray(0, filled)
    writeWords(file, words)
    kept.set(places.length, words)
    places.push({ at: last === undefined ? 0 : last.at + last.length, length: filled })
  }
  return {
    room(words) {
      if (filled + words > filling.length) {
        if (filled > 0) putAway()
        filling = bufferOf(words)
        filled = 0
      }
      const at = filled
      filled += words
      return { block: places.length, words: filling, at }
    },
    words(block) {
      if (block === places.length) return filling
      const known = kept.get(block)
      if (known !== undefined) return known
      const { at, length } = places[block]!
      const words = bufferOf(length).subarray(0, length)
      readWords(file!, at, words)
      kept.set(block, words)
      return words
    },
    close() {
      kept.clear()
      if (file === undefined) return
      closeSync(file)
      file = undefined
      rmSync(path, { force: true })
    },
  }
}

function ringsIn(words: Uint32Array, at: number): Rings {
  const ends = Array.from(words.subarray(at + 1, at + 1 + words[at]!))
  const from = at + 1 + ends.length
  const coordinates = Float64Array.from({ length: (ends.at(-1) ?? 0) * 2 }, (_, index) => {
    const step = words[from + index]! - (index % 2 === 0 ? 180 : 90) * gridSteps
    return step / gridSteps
  })
  return { coordinates, ends }
}

function writeWords(file: number, words: Uint32Array): void {
  const bytes = Buffer.from(words.buffer, words.byteOffset, words.byteLength)
  for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written)
}

function readWords(file: number, from: number, into: Uint32Array): void {
  const bytes = Buffer.from(into.buffer, into.byteOffset, into.byteLength)
  for (let filled = 0; filled < bytes.length;) {
    const read = readSync(file, bytes, filled, bytes.length - filled, from * 4 + filled)
    if (read === 0) throw new Error('boundaries.bin ends early')
    filled += read
  }
}
