/**
 * Rejects corrected rows of a run that would do harm: those with the id of a row that it did not reject, those whose records a later
 * run has published, with newer values, or somebody else has changed, and those whose ids lost their zeros while they were corrected.
 */

import { problem, type Problem } from '../../core/problem.ts'
import { plainId } from '../../core/values/same-name.ts'
import { idInKey, startOf } from '../../resources/keys.ts'
import { zerosLost } from '../export/find-holding.ts'
import { placeOf } from '../stage/stage-store.ts'
import type { Judging } from '../settle/judging.ts'

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

type Staged = {
  readonly layer: string | null
  readonly row: number
  readonly key: string
  readonly record: number
  readonly action: 'create' | 'update'
}

export function judgeRetry({ stage, source, ledger }: Judging, retried: RetriedRun): void {
  const { rejected, senders, started, sent } = retried
  const staged = stage.query<Staged>(
    `SELECT min(layer) AS layer, min(row) AS row, record, records.key, action FROM rows JOIN records ON records.id = record
     WHERE action IN ('create', 'update') GROUP BY record`,
  )
  const byPlain = new Map([...rejected].map((key) => [plain(key), key]))
  const found = ({ key, action, ...row }: Staged): Problem | undefined => {
    const [at, value] = [placeOf(row, source), idInKey(key)]
    if (retried.published.has(key))
      return problem('key-repeated', at, {
        value,
        message: `The run "${retried.id}" had another row with this id, and did not reject that one.`,
        hint: 'Give this row the id that it had when it was rejected, or delete it here. To change what that run published, correct the file of the import.',
      })
    const sender = senders.get(key)
    if (sender !== undefined)
      return problem('row-outdated', at, {
        value,
        message: `The run "${sender.id}" has published this record since, with the values that the file had by then.`,
        hint: 'If this row is newer, correct it in the file of the import and import that. If not, delete it here.',
      })
    const modified = ledger.stateOf(key)?.modified
    if (action === 'update' && !sent.has(key) && Date.parse(modified ?? '') > Date.parse(started ?? ''))
      return problem('row-outdated', at, {
        value,
        message: `Another program or computer has changed this record since, at ${modified}.`,
        hint: 'If this row is newer, correct it in the file of the import and import that. If not, delete it here.',
      })
    const before = action === 'create' && !rejected.has(key) ? byPlain.get(plain(key)) : undefined
    // Who makes an id longer corrects it.
    if (before === undefined || before.length <= key.length) return undefined
    return {
      code: 'id-respelt',
      severity: 'error',
      at,
      value,
      message: `This row had the id "${idInKey(before)}" when it was rejected. With "${value}" it would be another record.`,
      hint: `Write "${idInKey(before)}" again. ${zerosLost}`,
    }
  }
  stage.together(() => {
    for (const row of staged) {
      const why = found(row)
      if (why !== undefined) stage.reject(row.record, why)
    }
  })
}

function plain(key: string): string {
  return `${startOf(key)}${plainId(idInKey(key))}`
}
