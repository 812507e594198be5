/** Hides what one proposal for a pipeline is made of. */

import type { ColumnProfile } from '../core/profile/profile-table.ts'
import type { Value } from '../core/row.ts'

/**
 * One choice: the field it feeds (a JSON pointer, or "key", "holding"), what would stand in the pipeline, and why. A choice
 * that is not `certain` is a guess that a person should look at.
 */
export type Choice = {
  readonly field: string
  readonly column: string | undefined
  readonly spec: Value
  readonly evidence: string
  readonly runnerUp?: string
  readonly certain: boolean
}

/** A name with angle brackets in it cannot be written as <Column>. */
export function isNameable(name: string): boolean {
  return !/[<>]/.test(name) && name.trim() !== ''
}

/** "24 of 24 filled". */
export function filledOf(column: ColumnProfile): string {
  return `${column.filled} of ${column.filled + column.blank} filled`
}
