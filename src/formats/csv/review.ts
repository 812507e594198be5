/** Checks the decisions about a CSV file against all of its rows: returns them with their counts, or another reading. */

import type { ColumnContent, Decision, Review, Table } from '../../core/row.ts'
import type { FormatOptions } from '../format.ts'
import { delimiterName } from './dialect.ts'
import { bestDelimiter, fittingBetter, howMany } from './rivals.ts'
import type { Reading, Seen } from './csv-rows.ts'

/** `again` opens the file with a decision based on the whole file. */
type Means = {
  readonly options: FormatOptions
  again(decision: Decision): Promise<Table>
}

/** Makes the review of a table from what its last pass saw. */
export function reviewer(
  { layout, dialect, open, recordsIn }: Reading,
  decisions: readonly Decision[],
  { options, again }: Means,
): (seen: Seen, columns: readonly ColumnContent[], signal?: AbortSignal) => Promise<Review> {
  return async (seen, columns, signal) => {
    const better = await fittingBetter(seen.watch, {
      dialect,
      rows: seen.row - layout.firstRow + 1 - seen.blank,
      headerRow: layout.decision.value === 'none' ? 0 : layout.firstRow - 1,
      records: (rival) => recordsIn(rival, signal),
    })
    if (better !== undefined) return { decisions, better: await again(better) }
    const decimal = options.decimal === undefined ? decimalOf(columns) : undefined
    const held = decisions.map((decision) => {
      if (decision.option === 'delimiter' && open.isCounted && layout.width > 1)
        return { ...decision, evidence: separatorEvidence(decision, seen, layout) }
      return decision.option === 'decimal' && decimal !== undefined ? decimal : decision
    })
    const isNew = decimal !== undefined && !decisions.some(({ option }) => option === 'decimal')
    return { decisions: isNew ? [...held, decimal] : held }
  }
}

/** The evidence from all rows. */
function separatorEvidence(
  { value }: Decision,
  { row, blank, watch }: Seen,
  { firstRow, width }: Reading['layout'],
): string {
  const rows = row - firstRow + 1 - blank
  const all = howMany({ fitting: rows - watch.misfits, rows })
  const best = bestDelimiter(watch)
  const rest = best === undefined ? '' : `; with the ${delimiterName(best.value)}, ${best.repaired} of the others`
  return `With the ${delimiterName(String(value))}, ${all} rows below the names have ${width} cells${rest}.`
}

/** The decimal separator that the number columns show; undefined if neither occurs more often. */
function decimalOf(columns: readonly ColumnContent[]): Decision | undefined {
  let [point, comma] = [0, 0]
  for (const { texts, numberFit } of columns) {
    if (Math.max(numberFit.point, numberFit.comma) + numberFit.either < texts * mostlyNumbers) continue
    point += numberFit.point - numberFit.both
    comma += numberFit.comma - numberFit.both
  }
  if (point === comma) return undefined
  const [value, other, most, least] =
    comma > point ? ['comma', 'point', comma, point] : ['point', 'comma', point, comma]
  const evidence = `${most} ${most === 1 ? 'number reads' : 'numbers read'} with a decimal ${value} only, ${least === 0 ? 'none' : least} with a decimal ${other} only.`
  return { option: 'decimal', value: value as string, evidence, ...(least === 0 ? {} : { runnerUp: other as string }) }
}

const mostlyNumbers = 0.9
