/** Stores records of whole numbers one after another: in memory while they are few, in a file if they are many. */

import { closeSync, fstatSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { readExactly } from '../../core/sources/temporary.ts'
import { whenFree } from '../../core/sources/when-free.ts'

/** A record begins with its length. The words are valid until another record is read or added. */
export type WordRecord = { readonly words: Uint32Array; readonly at: number }

export type WordFile = ReturnType<typeof openWordFile>

type Placed = WordRecord & { readonly place: number }
type Words = Uint32Array<ArrayBuffer>

// A block has 64 kB.
const blockWords = 1 << 14

/**
 * Opens a file of records: a new one, or one that was saved. So many blocks stay in memory: 8 MB, unless told otherwise. A record begins
 * a block if it does not fit into what is left of the last one; zeros fill the rest.
 */
export function openWordFile(
  path: string,
  { isNew = true, keeps = 128 }: { readonly isNew?: boolean; readonly keeps?: number } = {},
) {
  const kept = new Map<number, Words>()
  let file = isNew ? undefined : openSync(path, 'r')
  let written = file === undefined ? 0 : fstatSync(file).size / 4 / blockWords
  let filling: Words | undefined
  let filled = 0
  // The collector takes its time with buffers, so that of the oldest block is used again.
  const bufferOf = (words: number): Words => {
    const [oldest] = kept.size < keeps ? [] : kept
    if (oldest !== undefined) kept.delete(oldest[0])
    return oldest?.[1].length === words ? oldest[1] : new Uint32Array(words)
  }
  const writeLast = (): void => {
    file ??= openSync(path, 'wx+', 0o600)
    if (filling === undefined) return
    writeFileSync(file, bytesOf(filling.fill(0, filled)))
    kept.set(written, filling)
    written += filling.length / blockWords
    filling = undefined
  }
  const block = (number: number): Words => {
    if (number === written) return filling!
    const known = kept.get(number)
    if (known !== undefined) return known
    const first = bufferOf(blockWords)
    readInto(file!, number, first)
    const words = first[0]! <= blockWords ? first : new Uint32Array(wholeBlocks(first[0]!))
    if (words !== first) readInto(file!, number, words)
    kept.set(number, words)
    return words
  }
  return {
    /** Adds room for a record of so many words, whose first one is filled in. `place` is where `read` finds it. */
    add(length: number): Placed {
      if (filling !== undefined && filled + length > filling.length) writeLast()
      if (filling === undefined) [filling, filled] = [bufferOf(wholeBlocks(length)), 0]
      const at = filled
      filling[at] = length
      filled += length
      // Nothing follows a record that is longer than a block.
      if (length > blockWords) filled = filling.fill(0, length).length
      return { words: filling, at, place: written * blockWords + at }
    },
    read(place: number): WordRecord {
      const number = Math.floor(place / blockWords)
      return { words: block(number), at: place % blockWords }
    },
    /** The records in their order, with their places. */
    *each(): Generator<Placed> {
      for (let number = 0; number < written || (number === written && filling);) {
        const words = block(number)
        const end = number === written ? filled : words.length
        const next = number + words.length / blockWords
        for (let at = 0; at < end && words[at] !== 0; at += words[at]!)
          yield { words, at, place: number * blockWords + at }
        number = next
      }
    },
    /** Writes to the file what is only in memory; without records the file is empty. */
    save: writeLast,
    /** Closes the file and deletes it, unless it is to stay. */
    close({ stays } = { stays: false }): void {
      kept.clear()
      if (file === undefined) return
      closeSync(file)
      file = undefined
      if (isNew && !stays) whenFree(() => rmSync(path, { force: true }))
    },
  }
}

function wholeBlocks(words: number): number {
  return Math.ceil(words / blockWords) * blockWords
}

function bytesOf(words: Words): Buffer {
  return Buffer.from(words.buffer, words.byteOffset, words.byteLength)
}

function readInto(file: number, block: number, words: Words): void {
  readExactly(file, bytesOf(words), block * blockWords * 4)
}
