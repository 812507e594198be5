/** Describes one proposal for a pipeline. */

import type { ColumnProfile } from '../core/profile/profile-table.ts'
import type { Value } from '../core/row.ts'

/**
 * One choice: the field it fills (a JSON pointer, or "key", "holding"), the text for the pipeline, and why. A choice that is not
 * `certain` is a guess that a person should check.
 */
export type Suggested = {
  readonly field: string
  readonly column: string | undefined
  readonly spec: Value
  readonly evidence: string
  readonly runnerUp?: string | undefined
  readonly certain: boolean
  /** Codes in the column whose meaning only a person knows. */
  readonly words?: readonly string[]
  /** What is wrong with the column, and what to do. */
  readonly flaw?: string
}

/** True for a column that can be written as <Column>; angle brackets in a name prevent that. */
export function isNameable(name: string): boolean {
  return !/[<>]/.test(name) && name.trim() !== ''
}

/** "24 of 24 filled". */
export function filledOf(column: ColumnProfile): string {
  return `${column.filled} of ${column.filled + column.blank} filled`
}

/** The column that says of which farm each record is; `why` begins the evidence. */
export function holdingChoice(column: ColumnProfile, why: string): Suggested {
  const farms = column.distinct === 1 ? 'one farm' : `${column.distinct} farms`
  const evidence = `${why}; ${filledOf(column)}, ${farms}`
  return { field: 'holding', column: column.name, spec: `<${column.name}>`, evidence, certain: column.blank === 0 }
}
