/** Finds which new boundaries lie on boundaries that the service has under other keys. */

import { setImmediate } from 'node:timers/promises'
import type { Meeting } from '../../geometry/coverage/coverage.ts'
import type { BoundaryStore } from '../stage/boundary-store.ts'
import { meetingsOf } from '../stage/boundary-strips.ts'
import type { Stage } from '../stage/stage-store.ts'
import type { HeldRecord, NewAndHeld, NewRecord } from './new-and-held.ts'

/** A held record on the land of a new one, and their common land as a share of the larger of the two. */
export type LandMate<Held = HeldRecord> = { readonly held: Held; readonly share: number }

export type SharedLand<Held = HeldRecord> = {
  see(meeting: Meeting): void
  of(record: Pick<NewRecord, 'id'>): readonly LandMate<Held>[]
}

type Placed = Pick<NewRecord, 'id' | 'holding'>

/** Two boundaries are the same paddock from this share of both on. */
export const samePaddock = 0.8
/** With less, but at least this share of the smaller one, a paddock was split, merged or redrawn. */
const leastOfSmaller = 0.5
/** Of many identical boundaries, two show that the paddock is not clear. */
const mostAlike = 2

/** Starts a list that takes all meetings of a run's boundaries. */
export function startSharedLand<Held extends { readonly holding: string }>(
  stage: Stage,
  boundaries: BoundaryStore,
  {
    fresh,
    held,
  }: { readonly fresh: ReadonlyMap<number, Placed>; readonly held: { get(key: string): Held | undefined } },
): SharedLand<Held> {
  const mates = new Map<number, LandMate<Held>[]>()
  const copiesOf = new Map<number, readonly number[]>()
  const newAt = (boundary: number): Placed | undefined => {
    const about = boundaries.about(boundary)
    return 'record' in about ? fresh.get(about.record) : undefined
  }
  const heldAt = (boundary: number): Held | undefined => {
    const about = boundaries.about(boundary)
    if ('key' in about) return held.get(about.key)
    if (fresh.has(about.record)) return undefined
    const [planned] = stage.query<{ key: string }>('SELECT key FROM records WHERE id = ?', about.record)
    return planned && held.get(planned.key)
  }
  const pair = (ones: readonly number[], others: readonly number[], share: number): void => {
    const news = ones.map(newAt).filter((each) => each !== undefined)
    if (news.length === 0) return
    const olds = others.map(heldAt).filter((each) => each !== undefined)
    const few = [...Map.groupBy(olds, ({ holding }) => holding).values()].flatMap((each) => each.slice(0, mostAlike))
    for (const { id, holding } of news)
      for (const each of few)
        if (each.holding === holding) {
          const its = mates.get(id) ?? []
          its.push({ held: each, share })
          mates.set(id, its)
        }
  }
  return {
    see({ kind, one, other, areaM2, areasM2, copies }) {
      if (kind !== 'overlap' || areaM2 < leastOfSmaller * Math.min(...areasM2)) return
      if (copies !== undefined) {
        if (other !== copies[1]) return
        copiesOf.set(one, copies)
        return pair(copies, copies, 1)
      }
      const share = Math.min(1, areaM2 / Math.max(...areasM2))
      const [ones, others] = [copiesOf.get(one) ?? [one], copiesOf.get(other) ?? [other]]
      pair(ones, others, share)
      pair(others, ones, share)
    },
    of: ({ id }) => mates.get(id) ?? [],
  }
}

/** Compares all boundaries of a stage, and those of the service near them. */
export async function findSharedLand(
  stage: Stage,
  boundaries: BoundaryStore,
  both: NewAndHeld,
  signal: AbortSignal | undefined,
): Promise<SharedLand> {
  const land = startSharedLand(stage, boundaries, both)
  for (const meetings of meetingsOf(boundaries, { widestGapM: 0, folder: stage.folder })) {
    for (const meeting of meetings) land.see(meeting)
    await setImmediate()
    signal?.throwIfAborted()
  }
  return land
}

/** A share as people read it; only identical land is 100 %. */
export function percent(share: number): string {
  return `${Math.floor(share * 100)} %`
}
