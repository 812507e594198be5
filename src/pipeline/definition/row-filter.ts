/** Filters rows by the values of their columns. */

import type { Row, Value } from '../../core/row.ts'
import { trimmed } from '../../core/values/trimmed.ts'

/** A column and its accepted texts; '' is an empty cell. */
export type RowFilter = readonly { readonly column: string; readonly oneOf: ReadonlySet<string> }[]

/** Makes a filter of the pipeline's `only`: a value or a list of values by column. */
export function rowFilterOf(only: Readonly<Record<string, Value>>): RowFilter {
  return Object.entries(only).map(([column, wanted]) => ({
    column,
    oneOf: new Set((Array.isArray(wanted) ? (wanted as readonly Value[]) : [wanted]).map(keyOf)),
  }))
}

/** True if the row passes the filter. */
export function takesRow(filter: RowFilter, row: Row): boolean {
  return filter.every(({ column, oneOf }) =>
    oneOf.has(keyOf(Object.hasOwn(row.values, column) ? row.values[column] : undefined)),
  )
}

function keyOf(value: Value): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : trimmed(String(value))
}
