/** Defines the contract between the readers of workbooks and spreadsheet-tables.ts, which makes tables of their sheets. */

import type { Merge } from '../grid/grid-cell.ts'
import type { CellRow } from './cell-row.ts'

/** What is reported while a sheet is read. A row is valid until the call returns. */
export type SheetListener = {
  row(row: CellRow): void
  hiddenColumns(first: number, last: number): void
  merged(merge: Merge): void
}

/**
 * A sheet with its rows. `pass` reports everything in file order, and yields when the rows reported so far may be passed
 * on; `firstRows` returns non-blank rows, at least `most` and those down to row `reach` if there are as many;
 * `merges` are read to the end of the sheet, which may take a while.
 */
export type Sheet = {
  readonly name: string
  firstRows(most: number, reach: number): Promise<readonly CellRow[]>
  merges(): Promise<readonly Merge[]>
  pass(listener: SheetListener, signal?: AbortSignal): AsyncIterable<void>
}
