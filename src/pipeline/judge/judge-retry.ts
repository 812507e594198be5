/** Rejects the corrected rows of a run whose records a later run has published: those values are newer. */

import { problem } from '../../core/problem.ts'
import { idInKey } from '../../resources/keys.ts'
import { placeOf } from '../stage/places.ts'
import type { Stage } from '../stage/stage-store.ts'

type Staged = {
  readonly id: number
  readonly layer: string | null
  readonly row: number
  readonly key: string
  readonly record: number
}

/** `senders` are the later runs of the same pipeline, by the keys of the records that they published. */
export function judgeRetry(stage: Stage, source: string, senders: ReadonlyMap<string, { readonly id: string }>): void {
  const staged = stage.query<Staged>(
    `SELECT rows.rowid AS id, rows.layer, rows.row, rows.key, rows.record FROM rows JOIN records ON records.id = rows.record
     WHERE action IN ('create', 'update') ORDER BY rows.rowid`,
  )
  stage.together(() => {
    for (const { id, key, record, ...row } of staged) {
      const sender = senders.get(key)
      if (sender === undefined) continue
      stage.change(`UPDATE rows SET outcome = 'rejected', record = NULL WHERE rowid = ?`, id)
      stage.change(`UPDATE records SET action = 'void' WHERE id = ?`, record)
      stage.addProblem(
        problem('row-outdated', placeOf(row, source), {
          value: idInKey(key),
          message: `The run "${sender.id}" has published this record since, with the values that the file had by then.`,
          hint: 'If this row is newer, correct it in the file of the import and import that. If not, delete it here.',
        }),
      )
    }
  })
}
