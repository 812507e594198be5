/** Finds rows of one key: the same row again is skipped, different rows are rejected. */

import type { Place } from '../../core/row.ts'
import { contentHashOfBody, readBody } from '../../ledger/content.ts'
import { idInKey } from '../../resources/keys.ts'
import { placeOf, type Stage } from '../stage/stage-store.ts'
import { keyRules } from '../../rules/rows.ts'
import { find, type Judging } from './judging.ts'

// Each row of a repeated key names at most this many others: 100,000 naming each other would be 10,000,000,000.
const mostNamed = 10

type RowOfKey = {
  readonly id: number
  readonly layer: string | null
  readonly row: number
  readonly record: number | null
  readonly hash: string | null
}

/**
 * Finds rows of one key. The same row again is skipped; different rows are all rejected, each naming the first of the others. Returns
 * how many rows more than keys were rejected.
 */
export function judgeKeys(judging: Judging): number {
  const { stage, source, job } = judging
  let repeated = 0
  const statement = `SELECT rows.rowid AS id, rows.layer, rows.row, rows.record, records.hash FROM rows
    LEFT JOIN records ON records.id = rows.record WHERE rows.key = ? AND outcome <> 'skipped' ORDER BY rows.rowid`
  stage.together(() => {
    for (const key of stage.repeatedKeys()) {
      const place = (row: RowOfKey): Place => placeOf(row, source)
      const rows = stage.query<RowOfKey>(statement, key)
      const [first, ...others] = rows as readonly [RowOfKey, ...RowOfKey[]]
      // The same row again would have to be compared with the first one every time.
      if (first.record !== null) stage.change('DELETE FROM digests WHERE record = ?', first.record)
      const hash = contentOf(first, stage)
      const areTheSame = hash !== null && others.every((each) => contentOf(each, stage) === hash)
      if (!areTheSame) repeated += others.length
      for (const row of areTheSame ? others : rows) {
        stage.change(
          `UPDATE rows SET outcome = ?, record = NULL WHERE rowid = ?`,
          areTheSame ? 'skipped' : 'rejected',
          row.id,
        )
        if (row.record !== null) stage.change(`UPDATE records SET action = 'void' WHERE id = ?`, row.record)
        const near = rows.slice(0, mostNamed + 1).filter((each) => each !== row)
        const rest = areTheSame ? [first] : near.slice(0, mostNamed)
        find(judging, keyRules, {
          at: place(row),
          column: job.keyColumn,
          id: idInKey(key),
          others: rest.map(place),
          more: areTheSame ? 0 : rows.length - 1 - rest.length,
          isSame: areTheSame,
        })
      }
    }
  })
  return repeated
}

/** The content hash of a row's record; null without one. */
function contentOf({ record, hash }: RowOfKey, stage: Stage): string | null {
  return record === null || hash !== '' ? hash : contentHashOfBody(readBody(stage.bodyOf(record)!))
}
