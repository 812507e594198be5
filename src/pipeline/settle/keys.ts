/** Finds rows of one key: the same row again is skipped, different rows are rejected. */

import type { Place } from '../../core/row.ts'
import { contentHashOfBody, readBody } from '../../ledger/content.ts'
import { idInKey } from '../../resources/keys.ts'
import { placeOf, type Stage } from '../stage/stage-store.ts'
import type { Judging } from './judging.ts'

// Each row of a repeated key names at most this many others: 100,000 naming each other would be 10,000,000,000.
const mostNamed = 10

type Found = {
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
export function judgeKeys({ stage, source, job }: Judging): number {
  let repeated = 0
  const statement = `SELECT rows.rowid AS id, rows.layer, rows.row, rows.record, records.hash FROM rows
    LEFT JOIN records ON records.id = rows.record WHERE rows.key = ? AND outcome <> 'skipped' ORDER BY rows.rowid`
  stage.together(() => {
    for (const key of stage.repeatedKeys()) {
      const place = (row: Found): Place => placeOf(row, source)
      const rows = stage.query<Found>(statement, key)
      const [first, others] = [rows[0]!, rows.slice(1)]
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
        const value = idInKey(key)
        if (areTheSame) {
          const message = `This row is identical to row ${first.row}.`
          stage.report('row-repeated', place(row), { with: [place(first)], value, message })
          continue
        }
        const rest = rows
          .slice(0, mostNamed + 1)
          .filter((each) => each !== row)
          .slice(0, mostNamed)
        const more = rows.length - 1 - rest.length
        stage.report('key-repeated', place(row), {
          column: job.keyColumn,
          with: rest.map(place),
          value,
          message: `The key "${value}" is also in row ${rest.map((each) => each.row).join(', ')}${more > 0 ? ` and ${more} more` : ''}, with other values.`,
          hint: 'Give each record a different key, or remove the wrong rows.',
        })
      }
    }
  })
  return repeated
}

/** The content hash of a row's record; null without one. */
function contentOf({ record, hash }: Found, stage: Stage): string | null {
  return record === null || hash !== '' ? hash : contentHashOfBody(readBody(stage.bodyOf(record)!))
}
