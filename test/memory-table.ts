/** Makes a table of rows that a test writes down. */

import type { Row, Table, Value } from '../src/core/row.ts'
import type { Shape } from '../src/core/shape.ts'

/** A table of these cells; rows count from 2, as in a spreadsheet with a header. */
export function memoryTable(
  columns: readonly string[],
  cells: readonly (readonly Value[])[],
  shapes?: readonly (Shape | null)[],
): Table {
  const rows = cells.map((values, index): Row => ({
    at: { source: 'memory.csv', row: index + 2 },
    values: Object.fromEntries(columns.map((name, place) => [name, values[place]])),
    ...(shapes === undefined ? {} : { shape: shapes[index] ?? null }),
  }))
  return {
    name: 'memory',
    format: 'csv',
    columns: columns.map((name) => ({ name })),
    hasGeometry: shapes !== undefined,
    choices: [],
    async *batches() {
      for (let at = 0; at < rows.length; at += 2) yield await Promise.resolve(rows.slice(at, at + 2))
    },
    found: () => [],
  }
}

/** The cells of rows as text, such as '1|Top; 2|Low'; a row may also be a line of its own. */
export function cellsOf(text: string): readonly (readonly string[])[] {
  return text.split(/;\s+|\n\s*/).map((row) => row.split('|'))
}

/** A square of the given size with its corner at x, y. */
export function square(x: number, y: number, size: number): Shape {
  const coordinates = Float64Array.of(x, y, x + size, y, x + size, y + size, x, y + size, x, y)
  return { kind: 'Polygon', coordinates, ends: [5], parts: [1] }
}
