/** Filters rows by the values of their columns. */

import type { Row, Value } from '../../core/row.ts'
import { trimmed } from '../../core/values/trimmed.ts'

/** A column and its accepted texts; '' is an empty cell. It is kept as JSON with its pipeline. */
export type RowFilter = readonly { readonly column: string; readonly oneOf: readonly string[] }[]

/** Makes a filter of the pipeline's `only`: a value or a list of values by column. */
export function rowFilterOf(only: Readonly<Record<string, Value>>): RowFilter {
  return Object.entries(only).map(([column, wanted]) => ({
    column,
    oneOf: [...new Set((Array.isArray(wanted) ? (wanted as readonly Value[]) : [wanted]).map(filterText))],
  }))
}

/** Makes the function that is true for rows that pass the filter. */
export function takerOf(filter: RowFilter): (row: Row) => boolean {
  const accepted = filter.map(({ column, oneOf }) => [column, new Set(oneOf)] as const)
  return ({ values }) =>
    accepted.every(([column, texts]) => texts.has(filterText(Object.hasOwn(values, column) ? values[column] : null)))
}

/** The text of a cell that is compared with the accepted ones. */
export function filterText(value: Value): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : trimmed(String(value))
}
