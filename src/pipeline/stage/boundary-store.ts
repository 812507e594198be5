/**
 * Stores the boundaries of a run until all are read: as whole centimetre steps, eight bytes a vertex, in memory while they
 * are few, in a temporary file if they are many.
 */

import { closeSync, openSync, readFileSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs'
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
  /** Adds the boundaries that other stores left in folders; the numbers of their records begin after `lastRecord`. */
  addSaved(stores: readonly SavedStore[]): void
  about(boundary: number): About
  /** The rings in degrees; longitudes of a field across 180 degrees continue beyond 180. */
  ringsOf(boundary: number): Rings
  /** Leaves all boundaries in files of a folder, its own one or another, for `addSaved` and `openSaved`. */
  save(into?: string): void
  close(how?: { readonly keepsFiles: boolean }): void
}

export type SavedStore = { readonly folder: string; readonly lastRecord: number }

// A block has 64 kB; 8 MB stay in memory.
const blockWords = 1 << 14
const mostBlocks = 128

/** Four numbers of each boundary beside its box: where it begins, in words of all blocks; its row, record and area. */
const perBoundary = 4

/** Starts a store in the folder of a run. */
export function startBoundaryStore(folder: string): BoundaryStore {
  return storeOver(folder, { files: [join(folder, 'boundaries.bin')], places: [] })
}

/** Opens, only for reading, what a store has left in a folder. */
export function openSaved(folder: string): BoundaryStore {
  const { files, places, count } = savedIn(folder)
  const store = storeOver(folder, { files, places })
  store.addSaved([{ folder, lastRecord: 0 }])
  if (store.count !== count) throw new Error(`boundaries.json of "${folder}" is of another file`)
  return store
}

type Saved = Kept & { readonly own: number; readonly count: number }

function savedIn(folder: string): Saved {
  return JSON.parse(readFileSync(join(folder, 'boundaries.json'), 'utf8')) as Saved
}

function storeOver(folder: string, kept: Kept): BoundaryStore {
  const blocks = startBlocks(kept)
  const unstaged: Unstaged[] = []
  let own = 0
  let count = 0
  let boxes = new Uint32Array(1024)
  let facts = new Float64Array(256 * perBoundary)
  const makeRoom = (more: number): void => {
    if ((count + more) * 4 <= boxes.length) return
    const size = 4 * (count + Math.max(more, count >> 1, 256))
    const [largerBoxes, largerFacts] = [new Uint32Array(size), new Float64Array(size)]
    largerBoxes.set(boxes.subarray(0, count * 4))
    largerFacts.set(facts.subarray(0, count * perBoundary))
    ;[boxes, facts] = [largerBoxes, largerFacts]
  }
  const placeOf = (boundary: number): { readonly words: Uint32Array; readonly at: number } => {
    const place = facts[boundary * perBoundary]!
    return { words: blocks.words(Math.floor(place / blockWords)), at: place % blockWords }
  }
  return {
    get count() {
      return count
    },
    get own() {
      return own
    },
    get boxes() {
      return boxes.subarray(0, count * 4)
    },
    add({ outline, about, areaM2 }) {
      const rings = outline.from + boxWords
      const { block, words, at } = blocks.room(outline.to - rings)
      makeRoom(1)
      boxes.set(outline.words.subarray(outline.from, rings), count * 4)
      words.set(outline.words.subarray(rings, outline.to), at)
      const isOwn = !('key' in about)
      if (isOwn) own += 1
      else unstaged.push(about)
      const from = count * perBoundary
      facts[from] = block * blockWords + at
      facts[from + 1] = isOwn ? about.row : -1
      facts[from + 2] = isOwn ? about.record : -1
      facts[from + 3] = areaM2
      count += 1
    },
    addSaved(stores) {
      const all = stores.map((each) => ({ ...each, saved: savedIn(each.folder) }))
      makeRoom(all.reduce((sum, { saved }) => sum + saved.count, 0))
      for (const { folder: from, lastRecord, saved } of all) {
        const firstBlock = from === folder ? 0 : blocks.addFiles(saved)
        const file = openSync(join(from, 'boundaries.index'), 'r')
        try {
          readInto(file, 0, boxes.subarray(count * 4, (count + saved.count) * 4))
          const end = (count + saved.count) * perBoundary
          readInto(file, saved.count * 16, facts.subarray(count * perBoundary, end))
          for (let at = count * perBoundary; at < end; at += perBoundary) {
            facts[at]! += firstBlock * blockWords
            facts[at + 2]! += lastRecord
          }
        } finally {
          closeSync(file)
        }
        count += saved.count
        own += saved.own
      }
    },
    read: placeOf,
    ringsOf(boundary) {
      const { words, at } = placeOf(boundary)
      return ringsIn(words, at)
    },
    areaM2: (boundary) => facts[boundary * perBoundary + 3]!,
    about(boundary) {
      if (boundary >= own) return unstaged[boundary - own]!
      return { row: facts[boundary * perBoundary + 1]!, record: facts[boundary * perBoundary + 2]! }
    },
    save(into = folder) {
      const file = openSync(join(into, 'boundaries.index'), 'w', 0o600)
      try {
        writeFrom(file, boxes.subarray(0, count * 4))
        writeFrom(file, facts.subarray(0, count * perBoundary))
      } finally {
        closeSync(file)
      }
      writeFileSync(join(into, 'boundaries.json'), JSON.stringify({ ...blocks.save(), own, count }), { mode: 0o600 })
    },
    close: blocks.close,
  }
}

/** The files with the blocks of a store, its own one first, and where the full blocks are in them. */
type Kept = { readonly files: readonly string[]; readonly places: readonly Place[] }
type Place = { readonly file: number; readonly at: number; readonly length: number }

type Words = Uint32Array<ArrayBuffer>
type Room = { readonly block: number; readonly words: Uint32Array; readonly at: number }
type Blocks = {
  room(words: number): Room
  words(block: number): Uint32Array
  /** Takes over the blocks of another store; returns the number of the first. */
  addFiles(others: Kept): number
  save(): Kept
  close(how?: { readonly keepsFiles: boolean }): void
}

/** Blocks of words; full ones are also in a file. A boundary never spans two blocks. */
function startBlocks(begun: Kept): Blocks {
  const files = [...begun.files]
  const places = [...begun.places]
  const [path] = files
  const kept = new Map<number, Words>()
  const opened = new Map<number, number>()
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
  const fileOf = (number: number, flags: 'r' | 'wx+'): number => {
    const known = opened.get(number)
    if (known !== undefined) return known
    const file = openSync(files[number]!, flags, 0o600)
    opened.set(number, file)
    return file
  }
  let ownWords = 0
  const putAway = (): void => {
    if (filled === 0) return
    const words = filling.subarray(0, filled)
    writeFrom(fileOf(0, 'wx+'), words)
    kept.set(places.length, words)
    places.push({ file: 0, at: ownWords, length: filled })
    ownWords += filled
    filling = bufferOf(blockWords)
    filled = 0
  }
  return {
    room(words) {
      if (filled + words > filling.length) {
        putAway()
        if (words > filling.length) filling = bufferOf(words)
      }
      const at = filled
      filled += words
      return { block: places.length, words: filling, at }
    },
    words(block) {
      if (block === places.length) return filling
      const known = kept.get(block)
      if (known !== undefined) return known
      const { file, at, length } = places[block]!
      const words = bufferOf(length).subarray(0, length)
      readInto(fileOf(file, 'r'), at * 4, words)
      kept.set(block, words)
      return words
    },
    addFiles(others) {
      putAway()
      const [firstFile, firstBlock] = [files.length, places.length]
      files.push(...others.files)
      for (const { file, ...place } of others.places) places.push({ ...place, file: firstFile + file })
      return firstBlock
    },
    save() {
      putAway()
      return { files, places }
    },
    close({ keepsFiles } = { keepsFiles: false }) {
      kept.clear()
      const wasWritten = ownWords > 0
      for (const file of opened.values()) closeSync(file)
      opened.clear()
      ownWords = 0
      if (wasWritten && !keepsFiles) rmSync(path!, { force: true })
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

type Numbers = Uint32Array | Float64Array

function bytesOf({ buffer, byteOffset, byteLength }: Numbers): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)
}

function writeFrom(file: number, numbers: Numbers): void {
  const bytes = bytesOf(numbers)
  for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written)
}

function readInto(file: number, from: number, numbers: Numbers): void {
  const bytes = bytesOf(numbers)
  for (let filled = 0; filled < bytes.length;) {
    const read = readSync(file, bytes, filled, bytes.length - filled, from + filled)
    if (read === 0) throw new Error('A file of boundaries ends early')
    filled += read
  }
}
