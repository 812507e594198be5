/**
 * Compares the boundaries of a store strip by strip, from west to east, so that only those of one strip need memory. Where two meet is
 * the western edge of what their boxes have in common; the strip that it lies in reports them.
 */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { whenFree } from '../../core/sources/when-free.ts'
import { turnSteps, type Boundaries } from '../../geometry/coverage/boundary-grid.ts'
import { findMeetings, type Meeting, type Within } from '../../geometry/coverage/coverage.ts'
import type { Box } from '../../core/shape.ts'
import { areaIn, boxIn, numberIn, ringsIn, setNumber, type BoundaryStore } from './boundary-store.ts'
import { openWordFile, type WordFile, type WordRecord } from './word-file.ts'

export type ComparingAll = {
  /** True for boundaries to leave out. */
  readonly isOut?: ((boundary: number) => boolean) | undefined
  /** The folder in which strips may be kept. */
  readonly folder: string
}

const mostInStrip = 1 << 17
// A boundary may begin at 180 degrees.
const end = turnSteps + 1
// Strips begin at whole columns of about 700 metres.
const columnSteps = 1 << 16

/** Finds the boundaries with common land: each pair once, in batches. */
export function* meetingsOf(
  store: BoundaryStore,
  { isOut, folder }: ComparingAll,
  most = mostInStrip,
): Generator<readonly Meeting[]> {
  const strips = stripsOf(store, most)
  if (strips.length === 1) return yield* compare(store.records, { strip: strips[0]!, own: store.own, isOut })
  cutStrips(store, strips, { isOut, folder })
  try {
    for (const [number, strip] of strips.entries())
      yield* meetingsOfStrip(stripFile(folder, number), { strip, own: store.own })
  } finally {
    for (const number of strips.keys()) whenFree(() => rmSync(stripFile(folder, number), { force: true }))
  }
}

/** Cuts the land into strips with about as many boundaries each. */
export function stripsOf(
  { count, records }: Pick<BoundaryStore, 'count' | 'records'>,
  most = mostInStrip,
): readonly Within[] {
  if (count <= most) return [{ from: 0, until: end }]
  const counts = new Uint32Array(Math.ceil(turnSteps / columnSteps))
  for (const record of records.each()) counts[Math.floor(boxIn(record)[0]! / columnSteps)]! += 1
  const strips: Within[] = []
  let [from, inside] = [0, 0]
  for (const [column, more] of counts.entries()) {
    if (inside > 0 && inside + more > most) {
      strips.push({ from, until: column * columnSteps })
      ;[from, inside] = [column * columnSteps, 0]
    }
    inside += more
  }
  return [...strips, { from, until: end }]
}

export function stripFile(folder: string, strip: number): string {
  return join(folder, `strip-${strip}`)
}

/** Writes the boundaries that reach into each strip into a file. */
export function cutStrips(
  { records }: BoundaryStore,
  strips: readonly Within[],
  { isOut, folder }: ComparingAll,
): void {
  const files = strips.map((_, number) => openWordFile(stripFile(folder, number), { keeps: 1 }))
  const stripOf = new Uint32Array(Math.ceil(turnSteps / columnSteps))
  for (const [number, { from }] of strips.entries()) stripOf.fill(number, from / columnSteps)
  let boundary = -1
  for (const record of records.each()) {
    boundary += 1
    if (isOut?.(boundary) === true) continue
    const [west, , east] = boxIn(record) as unknown as Box
    const home = stripOf[Math.floor(west / columnSteps)]!
    // A boundary across 180 degrees has neighbours at the other end of the grid.
    for (let strip = 0; strip < home && strips[strip]!.from <= east - turnSteps; strip += 1)
      copy(record, boundary, files[strip]!)
    for (let strip = home; strip < strips.length && strips[strip]!.from <= east; strip += 1)
      copy(record, boundary, files[strip]!)
  }
  for (const file of files) {
    file.save()
    file.close({ stays: true })
  }
}

function copy({ words, at }: WordRecord, boundary: number, into: WordFile): void {
  const length = words[at]!
  const made = into.add(length)
  made.words.set(words.subarray(at, at + length), made.at)
  setNumber(made, boundary)
}

type ComparingStrip = { readonly strip: Within; readonly own: number }

/** Finds the meetings of the boundaries of one strip, which are in a file. */
export function* meetingsOfStrip(path: string, comparing: ComparingStrip): Generator<readonly Meeting[]> {
  const file = openWordFile(path, { isNew: false })
  try {
    yield* compare(file, comparing)
  } finally {
    file.close()
  }
}

function* compare(
  records: Pick<WordFile, 'each' | 'read'>,
  { strip, own, isOut }: ComparingStrip & Pick<ComparingAll, 'isOut'>,
): Generator<readonly Meeting[]> {
  const { boundaries, numbers } = readBoundaries(records, own, isOut)
  const numberOf = (each: number): number => numbers[each]!
  // All meetings of copies share one list of them.
  const shared = new Map<readonly number[], readonly number[]>()
  const numbersOf = (copies: readonly number[]): readonly number[] => {
    if (!shared.has(copies)) shared.set(copies, copies.map(numberOf))
    return shared.get(copies)!
  }
  for (const meetings of findMeetings(boundaries, strip))
    yield meetings.map((each) => ({
      ...each,
      one: numberOf(each.one),
      other: numberOf(each.other),
      ...(each.copies && { copies: numbersOf(each.copies) }),
    }))
}

/** Reads what is needed of each at once. Boundaries have other numbers here than in the store. */
function readBoundaries({ each, read }: Pick<WordFile, 'each' | 'read'>, own: number, isOut: ComparingAll['isOut']) {
  let count = 0
  for (const _ of each()) count += 1
  const [numbers, boxes] = [new Uint32Array(count), new Uint32Array(count * 4)]
  const [places, areas] = [new Float64Array(count), new Float64Array(count)]
  count = 0
  for (const record of each()) {
    const number = numberIn(record)
    if (isOut?.(number) === true) continue
    numbers[count] = number
    places[count] = record.place
    areas[count] = areaIn(record)
    boxes.set(boxIn(record), count * 4)
    count += 1
  }
  const boundaries: Boundaries = {
    count,
    own: numbers.subarray(0, count).filter((number) => number < own).length,
    boxes: boxes.subarray(0, count * 4),
    read: (boundary) => ringsIn(read(places[boundary]!)),
    areaM2: (boundary) => areas[boundary]!,
  }
  return { boundaries, numbers }
}
