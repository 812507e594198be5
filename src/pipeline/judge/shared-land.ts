/** Finds which new boundaries lie on boundaries that the service has under other keys. */

import { setImmediate } from 'node:timers/promises'
import type { Meeting } from '../../geometry/coverage/coverage.ts'
import type { BoundaryStore } from '../stage/boundary-store.ts'
import { meetingsOf } from '../stage/boundary-strips.ts'
import { startOf } from '../../resources/keys.ts'
import { isNew, type Stage } from '../stage/stage-store.ts'
import type { HeldRecord, NewAndHeld, NewRecord } from './new-and-held.ts'

/** A held record that may be a new one: their common land as a share of the larger of the two; without it they have the same name. */
export type Mate = { readonly held: HeldRecord; readonly share?: number }

export type SharedLand = ReturnType<typeof startSharedLand>

/** Two boundaries are the same paddock from this share of both on. */
export const samePaddock = 0.8
/** With less, but at least this share of the smaller one, a paddock was split, merged or redrawn. */
const leastOfSmaller = 0.5
/** Of many identical boundaries, two show that the paddock is not clear. */
const mostAlike = 2

/** Starts a list that takes all meetings of a run's boundaries. */
export function startSharedLand(stage: Stage, boundaries: BoundaryStore) {
  const created = stage.query<{ id: number }>(`SELECT id FROM records WHERE ${isNew}`)
  /** The numbers of the new records. */
  const fresh = new Set(created.map(({ id }) => id))
  const mates = new Map<number, { readonly key: string; readonly share: number }[]>()
  const copiesOf = new Map<number, readonly number[]>()
  const newAt = (boundary: number): number | undefined => {
    const about = boundaries.about(boundary)
    return 'record' in about && fresh.has(about.record) ? about.record : undefined
  }
  const knownAt = (boundary: number): string | undefined => {
    const about = boundaries.about(boundary)
    if ('key' in about) return about.key
    return fresh.has(about.record) ? undefined : stage.keyOf(about.record)
  }
  const pair = (ones: readonly number[], others: readonly number[], share: number): void => {
    const news = ones.map(newAt).filter((each) => each !== undefined)
    if (news.length === 0) return
    const keys = others.map(knownAt).filter((each) => each !== undefined)
    const few = [...Map.groupBy(keys, startOf).values()].flatMap((each) => each.slice(0, mostAlike))
    for (const id of news) {
      const its = mates.get(id) ?? []
      its.push(...few.map((key) => ({ key, share })))
      mates.set(id, its)
    }
  }
  return {
    fresh,
    see({ one, other, areaM2, areasM2, copies }: Meeting): void {
      if (areaM2 < leastOfSmaller * Math.min(...areasM2)) return
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
    /** The keys of the known records on the land of a new one, of all farms. */
    of: (record: number) => mates.get(record) ?? [],
  }
}

/** The records of the same farm on the land of a new one. */
export function matesOf(
  { id, holding }: NewRecord,
  { held }: NewAndHeld,
  land: SharedLand | undefined,
): Required<Mate>[] {
  return (land?.of(id) ?? []).flatMap(({ key, share }) => {
    const mate = held.get(key)
    return mate?.holding === holding ? [{ held: mate, share }] : []
  })
}

/** Compares all boundaries of a stage, and those of the service near them. */
export async function findSharedLand(
  stage: Stage,
  boundaries: BoundaryStore,
  signal: AbortSignal | undefined,
): Promise<SharedLand> {
  const land = startSharedLand(stage, boundaries)
  for (const meetings of meetingsOf(boundaries, { folder: stage.folder })) {
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
