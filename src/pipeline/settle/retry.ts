/** Finds what happened to the records of corrected rows since their run, and judges it. */

import { plainId } from '../../core/values/same-name.ts'
import { idInKey, startOf } from '../../resources/keys.ts'
import { correctedRules } from '../../rules/rows.ts'
import { placeOf } from '../stage/stage-store.ts'
import { findAndReject, type Judging } from './judging.ts'

/**
 * What happened to the records of the run since it started: their keys in its rejected rows and in its other ones, the later runs of
 * its pipeline that published some, and what any run here sent.
 */
export type RetriedRun = {
  readonly id: string
  readonly rejected: ReadonlySet<string>
  readonly published: ReadonlySet<string>
  readonly senders: ReadonlyMap<string, { readonly id: string }>
  readonly started: string | undefined
  readonly sent: ReadonlyMap<string, unknown>
}

/** Rejects corrected rows that would do harm. */
export function judgeRetry(
  judging: Judging,
  { id: run, rejected, published, senders, started, sent }: RetriedRun,
): void {
  const { stage, source, ledger } = judging
  const staged = stage.query<{ layer: string | null; row: number; key: string; record: number; action: string }>(
    `SELECT min(layer) AS layer, min(row) AS row, record, records.key, action FROM rows JOIN records ON records.id = record
     WHERE action IN ('create', 'update') GROUP BY record`,
  )
  const byPlain = new Map([...rejected].map((key) => [plain(key), key]))
  const changedSince = (key: string): string | undefined => {
    const modified = ledger.stateOf(key)?.modified
    return modified && Date.parse(modified) > Date.parse(started ?? '') ? modified : undefined
  }
  stage.together(() => {
    for (const { key, action, record, ...row } of staged) {
      const before = action === 'create' && !rejected.has(key) ? byPlain.get(plain(key)) : undefined
      const facts = {
        id: idInKey(key),
        run,
        publishedBy: published.has(key) ? run : senders.get(key)?.id,
        changedAt: action === 'update' && !sent.has(key) ? changedSince(key) : undefined,
        rejectedAs: before && idInKey(before),
      }
      findAndReject(judging, correctedRules, facts, { record, place: placeOf(row, source) })
    }
  })
}

function plain(key: string): string {
  return `${startOf(key)}${plainId(idInKey(key))}`
}
