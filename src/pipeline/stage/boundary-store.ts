/** Stores the boundaries of a run until all are read: as whole centimetre steps, eight bytes a vertex, with what is known of each. */

import { join } from 'node:path'
import { boxWords, type GridOutline } from '../../geometry/coverage/boundary-grid.ts'
import { openWordFile, type WordRecord } from './word-file.ts'

/**
 * The owner of a boundary: its row and record number, or the key of a record that is not staged: one that only the service has, or
 * one whose row is the same as in the last file.
 */
export type About = { readonly row: number; readonly record: number } | Unstaged
type Unstaged = { readonly key: string; readonly row?: number | undefined }

/** Boundaries with their owners; those of the run's own rows come first. */
export type BoundaryStore = ReturnType<typeof startBoundaryStore>

/** What a record has before its rings: its length, its boundary's number, its row and record, its area in two words, its box. */
const at = { number: 1, row: 2, record: 3, area: 4, box: 6, rings: 10 } as const

const area = new Float64Array(1)
const areaWords = new Uint32Array(area.buffer)

export function numberIn({ words, at: start }: WordRecord): number {
  return words[start + at.number]!
}

export function setNumber({ words, at: start }: WordRecord, boundary: number): void {
  words[start + at.number] = boundary
}

export function areaIn({ words, at: start }: WordRecord): number {
  areaWords[0] = words[start + at.area]!
  areaWords[1] = words[start + at.area + 1]!
  return area[0]!
}

export function boxIn({ words, at: start }: WordRecord): Uint32Array {
  return words.subarray(start + at.box, start + at.box + boxWords)
}

/** The rings of a record as a GridBoundary. */
export function ringsIn({ words, at: start }: WordRecord): WordRecord {
  return { words, at: start + at.rings }
}

type NewBoundary = { readonly outline: GridOutline; readonly about: About; readonly areaM2: number }

/** Starts a store in the folder of a run. */
export function startBoundaryStore(folder: string) {
  const file = openWordFile(join(folder, 'boundaries.bin'))
  // The first boundary of each block, and its place: from there on, a boundary is found by its number.
  const firsts: { readonly number: number; readonly place: number }[] = []
  const unstaged: Unstaged[] = []
  let own = 0
  let count = 0
  const room = (length: number): WordRecord => {
    const record = file.add(length)
    if (record.at === 0) firsts.push({ number: count, place: record.place })
    setNumber(record, count)
    count += 1
    return record
  }
  const find = (boundary: number): WordRecord => {
    let [low, high] = [0, firsts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (firsts[middle]!.number <= boundary) low = middle
      else high = middle
    }
    const first = firsts[low]!
    let { words, at: start } = file.read(first.place)
    for (let left = boundary - first.number; left > 0; left -= 1) start += words[start]!
    return { words, at: start }
  }
  return {
    get count() {
      return count
    },
    get own() {
      return own
    },
    add({ outline, about, areaM2 }: NewBoundary): void {
      const { words, at: start } = room(at.box + outline.to - outline.from)
      words.set(outline.words.subarray(outline.from, outline.to), start + at.box)
      area[0] = areaM2
      words.set(areaWords, start + at.area)
      if ('key' in about) return void unstaged.push(about)
      own += 1
      words[start + at.row] = about.row
      words[start + at.record] = about.record
    },
    about(boundary: number): About {
      if (boundary >= own) return unstaged[boundary - own]!
      const { words, at: start } = find(boundary)
      return { row: words[start + at.row]!, record: words[start + at.record]! }
    },
    areaM2: (boundary: number) => areaIn(find(boundary)),
    records: file,
    close: () => file.close(),
  }
}
