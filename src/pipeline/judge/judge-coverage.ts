/** Counts and reports overlaps and duplicates of boundaries. */

import { setImmediate } from 'node:timers/promises'
import type { Place } from '../../core/row.ts'
import type { Meeting } from '../../geometry/coverage/coverage.ts'
import type { BoundaryStore } from '../stage/boundary-store.ts'
import { meetingsOf } from '../stage/boundary-strips.ts'
import type { Coverage } from '../stage/facts.ts'
import { placeOf, uncommon } from '../stage/stage-store.ts'
import { addTo, problemsOf, startTallies, type Kind, type ProblemContext } from './coverage-problems.ts'
import type { Judging } from './judging.ts'

// Two people who draw one fence differ by as much along one side of a field.
const fenceM = 2
const sameShare = 0.99
const insideShare = 0.95

/** The records of rows that were rejected or skipped after they were staged. */
function voidedIn(stage: Judging['stage']): ReadonlySet<number> {
  const sql = `SELECT id FROM records WHERE action = 'void' AND ${uncommon}`
  return new Set(stage.query<{ id: number }>(sql).map(({ id }) => id))
}

/** Takes the land of rows that were rejected or skipped after they were measured out of the total. */
export function leaveOutVoided({ stage, boundaries }: Judging): void {
  const voided = voidedIn(stage)
  const totals = stage.recall('passed')
  if (boundaries === undefined || totals === undefined || voided.size === 0) return
  let { areaM2 } = totals
  for (let boundary = 0; boundary < boundaries.own; boundary += 1) {
    const about = boundaries.about(boundary)
    if ('record' in about && voided.has(about.record)) areaM2 -= boundaries.areaM2(boundary)
  }
  // What is left of no land at all is rounding.
  stage.remember('passed', { ...totals, areaM2: areaM2 < 1 ? 0 : areaM2 })
}

/**
 * Compares the boundaries of a complete stage with each other, notes the findings and passes on each meeting. Returns the totals, null
 * without boundaries.
 */
export async function judgeCoverage(
  { stage, ledger, source, sameRows, signal }: Judging,
  boundaries: BoundaryStore,
  onMeeting: (meeting: Meeting) => void,
): Promise<Coverage | null> {
  if (boundaries.count + (sameRows?.found.boundaries ?? 0) === 0) return null
  const tallies = startTallies()
  const voided = voidedIn(stage)
  const deleted = new Set([...stage.keysWhere(`action = 'delete' AND ${uncommon}`)].flat())
  const isVoid = (boundary: number): boolean => {
    if (voided.size + deleted.size === 0) return false
    const about = boundaries.about(boundary)
    return 'record' in about ? voided.has(about.record) : deleted.has(about.key)
  }
  // Whose boundary meets another must be compared again next time.
  const hasMet = new Uint8Array(boundaries.count)
  for (const meetings of meetingsOf(boundaries, { isOut: isVoid, folder: stage.folder })) {
    for (const meeting of meetings) {
      onMeeting(meeting)
      const kind = kindOf(meeting)
      if (kind === undefined) continue
      addTo(tallies[kind], meeting)
      hasMet[meeting.one] = 1
      hasMet[meeting.other] = 1
    }
    // Lets an interrupt through.
    await setImmediate()
    signal?.throwIfAborted()
  }
  const layer = stage.query<{ layer: string | null }>('SELECT layer FROM rows LIMIT 1')[0]?.layer ?? null
  const place = (row: number): Place => placeOf({ layer, row }, source)
  const context: ProblemContext = { stage, ledger, boundaries, place }
  stage.together(() => {
    for (const each of problemsOf(tallies, context)) stage.addProblem(each)
    for (let boundary = 0; boundary < boundaries.own; boundary += 1) {
      if (hasMet[boundary] === 0) continue
      const about = boundaries.about(boundary)
      if ('record' in about) stage.change('DELETE FROM digests WHERE record = ?', about.record)
    }
  })
  const sums = Object.entries(tallies).map(([kind, { count, areaM2 }]) => [kind, { count, areaM2 }])
  return {
    boundaries: boundaries.count - goneOrSame(boundaries, deleted) + (sameRows?.found.boundaries ?? 0),
    ...(Object.fromEntries(sums) as Omit<Coverage, 'boundaries'>),
  }
}

/** How many boundaries are those of records that this run deletes, or of rows that are the same as in the last file. */
function goneOrSame({ own, count, about }: BoundaryStore, deleted: ReadonlySet<string>): number {
  let found = 0
  for (let boundary = own; boundary < count; boundary += 1) {
    const owner = about(boundary)
    if (owner.row !== undefined || ('key' in owner && deleted.has(owner.key))) found += 1
  }
  return found
}

/** Undefined for a strip as narrow as the difference between two drawings of one fence. */
function kindOf({ areasM2, areaM2 }: Meeting): Kind | undefined {
  const [least, most] = [Math.min(...areasM2), Math.max(...areasM2)]
  if (areaM2 >= sameShare * most) return 'twice'
  if (areaM2 >= insideShare * least) return 'inside'
  return areaM2 < fenceM * Math.sqrt(least) ? undefined : 'overlap'
}
