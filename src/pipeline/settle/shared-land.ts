/** Finds which new boundaries lie on boundaries that the service has under other keys, or on those of other rows. */

import { setImmediate } from 'node:timers/promises'
import type { Meeting } from '../../geometry/coverage/coverage.ts'
import { nameOf, readBody } from '../../ledger/content.ts'
import { startOf } from '../../resources/keys.ts'
import { samePaddock, type NightFacts } from '../../rules/identity.ts'
import type { BoundaryStore } from '../stage/boundary-store.ts'
import { meetingsOf } from '../stage/boundary-strips.ts'
import { isNew, type Stage } from '../stage/stage-store.ts'

export type SharedLand = ReturnType<typeof startSharedLand>

/** A known record on the land of a new one, with their common land as a share of the larger of the two. */
type OnLand = { readonly key: string; readonly land: number }

/** With less than the same paddock, but at least this share of the smaller one, a paddock was split, merged or redrawn. */
const leastOfSmaller = 0.5
/** Of many identical boundaries, two show that the paddock is not clear. */
const mostAlike = 2

/** Starts a list that takes all meetings of a run's boundaries; those with known records only if there may be some. */
export function startSharedLand(stage: Stage, boundaries: BoundaryStore, comparesKnown: boolean) {
  const created = comparesKnown ? newNumbers(stage) : new Set<number>()
  const onLand = new Map<number, OnLand[]>()
  const copiesOf = new Map<number, readonly number[]>()
  // By boundary of the run: the number of another one of it that is the same, plus one.
  const copyOf = new Uint32Array(boundaries.own)
  const newAt = (boundary: number): number | undefined => {
    const about = boundaries.about(boundary)
    return 'record' in about && created.has(about.record) ? about.record : undefined
  }
  const knownAt = (boundary: number): string | undefined => {
    const about = boundaries.about(boundary)
    if ('key' in about) return about.key
    return created.has(about.record) ? undefined : stage.keyOf(about.record)
  }
  const pair = (ones: readonly number[], others: readonly number[], land: number): void => {
    const news = ones.flatMap((each) => newAt(each) ?? [])
    if (news.length === 0) return
    const keys = others.flatMap((each) => knownAt(each) ?? [])
    const few = [...Map.groupBy(keys, startOf).values()].flatMap((each) => each.slice(0, mostAlike))
    const found = few.map((key) => ({ key, land }))
    for (const number of news) {
      const its = onLand.get(number) ?? []
      its.push(...found)
      onLand.set(number, its)
    }
  }
  return {
    see({ one, other, areaM2, areasM2, copies }: Meeting): void {
      const land = Math.min(1, areaM2 / Math.max(...areasM2))
      if (land >= samePaddock && Math.max(one, other) < copyOf.length) {
        copyOf[one] ||= other + 1
        copyOf[other] ||= one + 1
      }
      if (created.size === 0 || areaM2 < leastOfSmaller * Math.min(...areasM2)) return
      if (copies !== undefined) {
        if (other !== copies[1]) return
        copiesOf.set(one, copies)
        return pair(copies, copies, 1)
      }
      const [ones, others] = [copiesOf.get(one) ?? [one], copiesOf.get(other) ?? [other]]
      pair(ones, others, land)
      pair(others, ones, land)
    },
    /** The known records on the land of a new one, of all farms. */
    of: (record: number): readonly OnLand[] => onLand.get(record) ?? [],
    /** The new records with the boundary of another new one, if they may be most of so many. */
    copies: (all: number) =>
      // Most files have a few, whose owners need not be read.
      copyOf.filter((copy) => copy !== 0).length * 2 > all ? copiesAmong(copyOf, stage, boundaries) : undefined,
  }
}

function newNumbers(stage: Stage): Set<number> {
  return new Set(stage.query<{ id: number }>(`SELECT id FROM records WHERE ${isNew}`).map(({ id }) => id))
}

function copiesAmong(copyOf: Uint32Array, stage: Stage, boundaries: BoundaryStore): NightFacts['copies'] {
  const created = newNumbers(stage)
  const ownerOf = (boundary: number) => boundaries.about(boundary) as { readonly row: number; readonly record: number }
  const isOfNew = (boundary: number): boolean => created.has(ownerOf(boundary).record)
  // What has the boundary of a known record is a duplicate.
  const found = [...copyOf.keys()].filter((each) => {
    const copy = copyOf[each]!
    return copy !== 0 && isOfNew(each) && isOfNew(copy - 1)
  })
  const [first] = found
  if (first === undefined) return undefined
  const rowAt = (boundary: number) => {
    const { row, record } = ownerOf(boundary)
    return { row, name: nameOf(readBody(stage.bodyOf(record) ?? '{}')) ?? '' }
  }
  return { count: found.length, first: [rowAt(first), rowAt(copyOf[first]! - 1)] }
}

/** Compares all boundaries of a stage, and those of the service near them. */
export async function findSharedLand(
  stage: Stage,
  boundaries: BoundaryStore,
  signal: AbortSignal | undefined,
): Promise<SharedLand> {
  const land = startSharedLand(stage, boundaries, true)
  for (const meetings of meetingsOf(boundaries, { folder: stage.folder })) {
    for (const meeting of meetings) land.see(meeting)
    await setImmediate()
    signal?.throwIfAborted()
  }
  return land
}
