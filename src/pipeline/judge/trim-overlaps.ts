/**
 * Cuts narrow overlaps off the smaller of two boundaries. Both are taken as drawn, so that the same file gives the same records
 * every time.
 */

import { measuredAs } from '../../resources/units.ts'
import { geometryText } from '../../core/shapes/geometry-text.ts'
import { giveWay } from '../../geometry/coverage/give-way.ts'
import { measure, type Measured } from '../../geometry/measure/measure.ts'
import { boundaryOf, contentHashOfBody, type Body } from '../../ledger/content.ts'
import { isLive, type Ledger } from '../../ledger/ledger.ts'
import type { BoundaryStore } from '../stage/boundary-store.ts'
import type { TrimPolicy } from '../stage/import-job.ts'
import type { RecordAction, Stage } from '../stage/stage-store.ts'

export type Trimming = {
  readonly stage: Stage
  readonly ledger: Ledger
  readonly boundaries: BoundaryStore
  readonly policy: TrimPolicy
}

type Planned = { readonly key: string; readonly action: RecordAction; readonly modified: string }

/** Cuts others off one boundary and stages its record again. Returns the lost area in square metres, undefined if unchanged. */
export function trimBoundary(giver: number, takers: readonly number[], trimming: Trimming): number | undefined {
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
