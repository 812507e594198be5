/** Holds the rules about rows that have the same key. */

import type { Place } from '../core/problem.ts'
import type { Rule } from '../core/rule.ts'

/** A row, and the first of the other rows with its key. */
export type RepeatedKey = {
  readonly at: Place
  /** The column or columns of the key. */
  readonly column: string
  readonly id: string
  readonly others: readonly Place[]
  /** How many more there are than `others`. */
  readonly more: number
  /** True where the rows make the same record. */
  readonly isSame: boolean
}

const rowRepeated: Rule<RepeatedKey, RepeatedKey> = {
  id: 'row-repeated',
  about: 'row',
  usual: 'note',
  isChosen: false,
  why: 'The row is identical to an earlier row and was skipped. The row is identical to an earlier one, with the same key. One record is published and this row is skipped. You need not do anything; remove the copy if you want to avoid this note.',
  find: (row) => (row.isSame ? row : undefined),
  says: ({ at, id, others }) => ({
    at,
    value: id,
    with: others,
    message: `This row is identical to row ${others[0]!.row}.`,
  }),
}

const keyRepeated: Rule<RepeatedKey, RepeatedKey> = {
  id: 'key-repeated',
  about: 'row',
  usual: 'reject',
  isChosen: false,
  why: 'Different rows have the same key. Several rows have the same key but different values, so it is not clear which one is the record. windrow rejects all of them instead of publishing the last. windrow retry also rejects a corrected row that has the id of a row that was not rejected. Give each record its own key, remove the wrong rows, or use a key of two columns: key: [<Block>, <Number>].',
  find: (row) => (row.isSame ? undefined : row),
  says: ({ at, column, id, others, more }) => ({
    at,
    column,
    value: id,
    with: others,
    message: `The key "${id}" is also in row ${others.map(({ row }) => row).join(', ')}${more > 0 ? ` and ${more} more` : ''}, with other values.`,
    hint: 'Give each record a different key, or remove the wrong rows.',
  }),
}

/** The rules about one row whose key other rows have too. */
export const keyRules: readonly Rule<RepeatedKey>[] = [rowRepeated, keyRepeated]
