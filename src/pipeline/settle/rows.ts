/** Judges what the rows of a table add up to. */

import type { Place } from '../../core/problem.ts'
import { columnRules, tableRules } from '../../rules/rows.ts'
import type { RowTotals } from '../stage/row-totals.ts'
import { find, type Judging } from './judging.ts'

/** Writes the findings about columns and tables, which would be noise on every row. */
export function judgeTotals(judging: Judging, totals: RowTotals): void {
  const { job, source, stage } = judging
  const { type, settingsIn } = job
  const { numericIds, wordedBlanks, newWithoutBoundary, dimensionsDropped, partsMade: split } = totals
  const inRow = (row: number | undefined): Place | undefined => (row === undefined ? undefined : { source, row })
  stage.together(() => {
    for (const column of new Set([...Object.keys(numericIds), ...Object.keys(wordedBlanks)])) {
      const idFromNumber = inRow(numericIds[column])
      const blanks = wordedBlanks[column]
      const cells = blanks && { first: { source, row: blanks.first }, rows: blanks.rows }
      find(judging, columnRules, { column, idFromNumber, wordedBlanks: cells, settingsIn })
    }
    find(judging, tableRules, { type, newWithoutBoundary, split, dimensionsDropped, settingsIn })
  })
}
