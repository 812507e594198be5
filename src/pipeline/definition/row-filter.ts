/** Hides which rows a pipeline takes: those whose columns hold one of the values it names. */

import type { Row, Value } from '../../core/row.ts'

/** One column and the texts of which one must stand in it; '' stands for an empty cell. */
export type RowFilter = readonly { readonly column: string; readonly oneOf: ReadonlySet<string> }[]

/** Makes a filter of what stands under `only`: a value or a list of values by column. */
export function rowFilterOf(only: Readonly<Record<string, Value>>): RowFilter {
  return Object.entries(only).map(([column, wanted]) => ({
    column,
    oneOf: new Set((Array.isArray(wanted) ? (wanted as readonly Value[]) : [wanted]).map(keyOf)),
  }))
}

/** True when the row is to be taken. */
export function takesRow(filter: RowFilter, row: Row): boolean {
  return filter.every(({ column, oneOf }) =>
    oneOf.has(keyOf(Object.hasOwn(row.values, column) ? row.values[column] : undefined)),
  )
}

function keyOf(value: Value): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value).trim()
}
