/**
 * Counts and reports overlaps, duplicates and gaps between boundaries. Only if the pipeline asks for it, narrow overlaps are cut off
 * the smaller of two.
 */

import { setImmediate } from 'node:timers/promises'
import type { Place } from '../../core/row.ts'
import { geometryText } from '../../core/shapes/geometry-text.ts'
import { turnSteps } from '../../geometry/coverage/boundary-grid.ts'
import type { Meeting } from '../../geometry/coverage/coverage.ts'
import { giveWay } from '../../geometry/coverage/give-way.ts'
import { measure, type Measured } from '../../geometry/measure/measure.ts'
import { boundaryOf, contentHashOfBody, type Body } from '../../ledger/content.ts'
import { isLive } from '../../ledger/ledger.ts'
import { measuredAs } from '../../resources/units.ts'
import type { BoundaryStore } from '../stage/boundary-store.ts'
import { meetingsOf } from '../stage/boundary-strips.ts'
import type { Coverage } from '../stage/facts.ts'
import type { TrimPolicy } from '../stage/import-job.ts'
import { placeOf, uncommon, type RecordAction } from '../stage/stage-store.ts'
import {
  addTo,
  crowdProblem,
  giverOf,
  problemsOf,
  startTallies,
  type Kind,
  type Tallies,
  type ProblemContext,
} from './coverage-problems.ts'
import type { Judging } from './judging.ts'

// A lane is wider than this; a fence, a hedge or a drawing error is not.
const widestStripM = 2
const smallestOverlapM2 = 25
const sameShare = 0.99
const insideShare = 0.95

type Trimming = Pick<Judging, 'stage' | 'ledger'> & {
  readonly boundaries: BoundaryStore
  readonly policy: TrimPolicy
}

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
  { job, stage, ledger, source, sameRows, signal }: Judging,
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
  const trimming: Trimming | undefined = job.trim && { stage, ledger, boundaries, policy: job.trim }
  const narrow: Meeting[] = []
  // Whose boundary meets another must be compared again next time.
  const hasMet = new Uint8Array(boundaries.count)
  let crowded: number | undefined
  const onCrowd = (boundary: number): void => {
    crowded ??= boundary
    hasMet[boundary] = 1
  }
  const comparing = { widestGapM: widestStripM, isOut: isVoid, onCrowd, folder: stage.folder }
  for (const meetings of meetingsOf(boundaries, comparing)) {
    for (const meeting of meetings) {
      onMeeting(meeting)
      hasMet[meeting.one] = 1
      hasMet[meeting.other] = 1
      const kind = kindOf(meeting)
      if (trimming !== undefined && mayTrim(meeting, kind, trimming)) narrow.push(meeting)
      else addTo(tallies[kind], meeting)
    }
    // Lets an interrupt through.
    await setImmediate()
    signal?.throwIfAborted()
  }
  const layer = stage.query<{ layer: string | null }>('SELECT layer FROM rows LIMIT 1')[0]?.layer ?? null
  const place = (row: number): Place => placeOf({ layer, row }, source)
  const context: ProblemContext = { stage, ledger, boundaries, settingsIn: job.settingsIn, place }
  stage.together(() => {
    if (trimming !== undefined) trimAll(narrow, trimming, tallies)
    for (const each of problemsOf(tallies, context)) stage.addProblem(each)
    if (crowded !== undefined) stage.addProblem(crowdProblem(crowded, context))
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

/** Only boundaries of this run are cut, never those of other records in the service. */
function mayTrim({ one, other, widthM }: Meeting, kind: Kind, { boundaries, policy }: Trimming): boolean {
  const isWhole = [one, other].every((each) => boundaries.boxOf(each)[2] <= turnSteps)
  return (kind === 'sliver' || kind === 'overlap') && widthM <= policy.upToM && other < boundaries.own && isWhole
}

/** Cuts off the overlaps, once all are known: boundary by boundary in the order of the rows, each with all its overlaps. */
function trimAll(narrow: readonly Meeting[], trimming: Trimming, tallies: Tallies): void {
  if (narrow.length === 0) return
  trimming.stage.change('CREATE INDEX IF NOT EXISTS rows_by_record ON rows (record)')
  let lostM2 = 0
  const byGiver = [...Map.groupBy(narrow, giverOf)].sort(([one], [other]) => one - other)
  for (const [giver, overlaps] of byGiver) {
    const takers = overlaps.map(({ one, other }) => (one === giver ? other : one))
    const lost = trimBoundary(giver, takers, trimming)
    lostM2 += lost ?? 0
    for (const overlap of overlaps) addTo(tallies[lost === undefined ? kindOf(overlap) : 'trimmed'], overlap)
  }
  const totals = trimming.stage.recall('passed')
  if (totals !== undefined) trimming.stage.remember('passed', { ...totals, areaM2: totals.areaM2 - lostM2 })
}

type Planned = { readonly key: string; readonly action: RecordAction; readonly modified: string }

/**
 * Cuts others off one boundary and stages its record again. All are taken as drawn, so that the same file gives the same records every
 * time. Returns the lost area in square metres, undefined if unchanged.
 */
function trimBoundary(giver: number, takers: readonly number[], trimming: Trimming): number | undefined {
  const { stage, ledger, boundaries, policy } = trimming
  const about = boundaries.about(giver)
  if ('key' in about) return undefined
  const [planned] = stage.query<Planned>('SELECT key, action, modified FROM records WHERE id = ?', about.record)
  const known = ledger.find(planned!.key)
  const live = isLive(known) ? known : undefined
  const text = stage.bodyOf(about.record) ?? live?.body
  if (text === undefined) return undefined
  const body = JSON.parse(text) as Body
  const drawn = boundaryOf(body)
  const shape = drawn && giveWay(drawn, takers.map(boundaries.ringsOf), policy.decimals)
  if (shape === undefined) return undefined
  const measured = measure(shape)
  const geometry = JSON.parse(geometryText(shape)) as unknown
  const trimmed = bodyWith(body, policy, { geometry, measured, modified: planned!.modified })
  const hash = contentHashOfBody(trimmed)
  const isKnown = live?.hash === hash && live.state === 'confirmed' && !live.inDoubt
  const action: RecordAction = isKnown ? 'unchanged' : planned!.action === 'create' ? 'create' : 'update'
  stage.replaceRecord(about.record, {
    action,
    hash,
    body: isKnown ? undefined : (out) => out.text(JSON.stringify(trimmed)),
    before: isKnown ? undefined : live?.body,
  })
  return boundaries.areaM2(giver) - measured.areaM2
}

type Trimmed = { readonly geometry: unknown; readonly measured: Measured; readonly modified: string }

function bodyWith(body: Body, policy: TrimPolicy, { geometry, measured, modified }: Trimmed): Body {
  const { areaM2, perimeterM, centroid } = measured
  return {
    ...body,
    ...(policy.measuresArea ? { totalArea: measuredAs(areaM2, 'MTK') } : {}),
    ...(policy.measuresLength ? { totalLength: measuredAs(perimeterM, 'MTR') } : {}),
    // The body may come from an earlier run, with the time of that run.
    meta: { ...(body['meta'] as object), modified },
    spatialFeature: { ...(body['spatialFeature'] as object), geometry },
    centroid: { type: 'Point', coordinates: centroid },
  }
}

function kindOf({ kind, areasM2, areaM2, widthM }: Meeting): Kind {
  if (kind === 'gap') return 'gap'
  const [least, most] = [Math.min(...areasM2), Math.max(...areasM2)]
  if (areaM2 >= sameShare * most) return 'twice'
  if (areaM2 >= insideShare * least) return 'inside'
  return widthM < widestStripM || areaM2 < smallestOverlapM2 ? 'sliver' : 'overlap'
}
