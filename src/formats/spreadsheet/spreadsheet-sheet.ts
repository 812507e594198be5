/** Hides nothing: the contract between the readers of workbooks and the one place that makes tables of their sheets. */

import type { Merge } from '../grid/grid-cell.ts'
import type { CellRow } from './cell-row.ts'

/** What is told while a sheet goes by. A row is good until the call returns. */
export type SheetListener = {
  row(row: CellRow): void
  hiddenColumns(first: number, last: number): void
  merged(merge: Merge): void
}

/**
 * A sheet with its rows. `pass` tells of all there is, in the order of the file, and yields whenever what it told may be handed
 * on; `firstRows` gives rows with something in them, at least `most` and those down to row `reach` if there are as many;
 * `merges` are read to the end of the sheet, which may take a while.
 */
export type Sheet = {
  readonly name: string
  firstRows(most: number, reach: number): Promise<readonly CellRow[]>
  merges(): Promise<readonly Merge[]>
  pass(listener: SheetListener, signal?: AbortSignal): AsyncIterable<void>
}
