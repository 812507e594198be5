/** Checks the choices about a CSV file against all of its rows: returns them with their counts, or another reading. */

import { chosen, valueText, type Choice, type ColumnContent, type Review, type Table } from '../../core/row.ts'
import type { FormatOptions } from '../format.ts'
import { delimiterName } from './dialect.ts'
import { bestDelimiter, fittingBetter, howMany } from './rivals.ts'
import type { Reading, Seen } from './csv-rows.ts'

/** `again` opens the file with a decision based on the whole file. */
type Means = {
  readonly options: FormatOptions
  again(decision: Choice): Promise<Table>
}

/** Makes the review of a table from what its last pass saw. */
export function reviewer(
  { layout, dialect, open, recordsIn }: Reading,
  choices: readonly Choice[],
  { options, again }: Means,
): (seen: Seen, columns: readonly ColumnContent[], signal?: AbortSignal) => Promise<Review> {
  return async (seen, columns, signal) => {
    const better = await fittingBetter(seen.watch, {
      dialect,
      rows: seen.row - layout.firstRow + 1 - seen.blank,
      headerRow: layout.decision.value === 'none' ? 0 : layout.firstRow - 1,
      records: (rival) => recordsIn(rival, signal),
    })
    if (better !== undefined) return { choices, better: await again(better) }
    const decimal = options.decimal === undefined ? decimalOf(columns) : undefined
    const held = choices.map((decision) => {
      if (decision.setting === 'from.delimiter' && open.isCounted && layout.width > 1)
        return { ...decision, evidence: separatorEvidence(decision, seen, layout) }
      return decision.setting === 'from.decimal' && decimal !== undefined ? decimal : decision
    })
    const isNew = decimal !== undefined && !choices.some(({ setting }) => setting === 'from.decimal')
    return { choices: isNew ? [...held, decimal] : held }
  }
}

/** The evidence from all rows. */
function separatorEvidence(
  { value }: Choice,
  { row, blank, watch }: Seen,
  { firstRow, width }: Reading['layout'],
): string {
  const rows = row - firstRow + 1 - blank
  const all = howMany({ fitting: rows - watch.misfits, rows })
  const best = bestDelimiter(watch)
  const rest = best === undefined ? '' : `; with the ${delimiterName(best.value)}, ${best.repaired} of the others`
  return `With the ${delimiterName(valueText(value))}, ${all} rows below the names have ${width} cells${rest}.`
}

/** The decimal separator that the number columns show; undefined if neither occurs more often. */
function decimalOf(columns: readonly ColumnContent[]): Choice | undefined {
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
  return chosen('from.decimal', value as string, evidence, least === 0 ? undefined : (other as string))
}

const mostlyNumbers = 0.9
