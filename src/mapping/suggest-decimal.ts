/** Proposes the decimal mark of a file from its numbers. */

import type { ColumnProfile, TableProfile } from '../core/profile/profile-table.ts'
import type { Decision, Value } from '../core/row.ts'
import type { DecimalMark } from '../core/values/number-text.ts'

type DecimalChoice = { readonly value: DecimalMark; readonly evidence: string }

/** The mark, with evidence; undefined if no number has one, or 'unclear' if they do not show which. */
export function suggestDecimal(
  profile: TableProfile,
  decisions: readonly Decision[] = [],
): DecimalChoice | 'unclear' | undefined {
  let [point, comma, either] = [0, 0, 0]
  for (const { numberFit, texts } of profile.columns) {
    if (Math.max(numberFit.point, numberFit.comma) + numberFit.either < texts * 0.9) continue
    point += numberFit.point - numberFit.both
    comma += numberFit.comma - numberFit.both
    either += numberFit.both
  }
  if (point === 0 && comma === 0 && either === 0) return decimalOfTable(decisions)
  if (point === comma) return 'unclear'
  const [value, other] = comma > point ? (['comma', 'point'] as const) : (['point', 'comma'] as const)
  const against = Math.min(point, comma)
  const most = Math.max(point, comma)
  const evidence = `${most} ${most === 1 ? 'number has' : 'numbers have'} a decimal ${value}`
  const others = [
    ...(against > 0 ? [`${against} a decimal ${other}`] : []),
    ...(either > 0 ? [`${either} could have either`] : []),
  ]
  return { value, evidence: [evidence, ...others].join(', ') }
}

/** The mark that the format found where no column is only numbers: 3,00 ha has a unit. */
function decimalOfTable(decisions: readonly Decision[]): DecimalChoice | undefined {
  const found = decisions.find(({ option }) => option === 'decimal')
  if (found?.value !== 'comma') return undefined
  return { value: found.value, evidence: found.evidence }
}

/** True for a field whose numbers are read with the decimal mark of the file. */
export function needsDecimal(spec: Value): boolean {
  return typeof spec === 'object' && spec !== null && 'unit' in spec && !('number' in spec)
}

/** The decimal mark of a column where it differs from the file's. */
export function ownDecimal(
  { numberFit: { point, comma } }: ColumnProfile,
  mark: DecimalMark | undefined,
): DecimalMark | undefined {
  const own = point > comma ? 'point' : comma > point ? 'comma' : mark
  return own === mark ? undefined : own
}
