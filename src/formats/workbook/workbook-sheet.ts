/** Presents a sheet that was read completely like one that is read in pieces. */

import { rowsPerBatch } from '../../core/row.ts'
import { hasFilledCell } from '../spreadsheet/spreadsheet-cell.ts'
import { emptyRow, keptRow, type CellRow, type Sheet, type SheetListener } from '../spreadsheet/spreadsheet-sheet.ts'
import { hasText, type PackedSheet } from './packing.ts'

/** Makes a sheet of packed cells. */
export function sheetOf(packed: PackedSheet): Sheet & { readonly hidden: boolean } {
  const { name, hidden, ends, merges } = packed
  const hiddenRows = new Set(packed.hiddenRows)
  return {
    name,
    hidden,
    firstRows(most, reach) {
      const first: CellRow[] = []
      const reader = rowReader(packed, hiddenRows)
      for (let index = 0; index < ends.length && (first.length < most || index < reach); index += 1) {
        const row = reader(index)
        if (hasFilledCell(row)) first.push(keptRow(row))
      }
      return Promise.resolve(first)
    },
    merges: () => Promise.resolve(merges),
    async *pass(listener: SheetListener, signal?: AbortSignal) {
      for (const column of packed.hiddenColumns) listener.hiddenColumns?.(column, column)
      for (const merge of merges) listener.merged?.(merge)
      const reader = rowReader(packed, hiddenRows)
      for (let index = 0; index < ends.length; index += 1) {
        listener.row?.(reader(index))
        if (index % rowsPerBatch !== rowsPerBatch - 1) continue
        signal?.throwIfAborted()
        yield
      }
      yield
    },
  }
}

/** Returns the rows one after another, from the first on; each is valid until the next. */
function rowReader(packed: PackedSheet, hiddenRows: ReadonlySet<number>): (index: number) => CellRow {
  const { ends, columns, kinds, numbers, formats, texts } = packed
  const row = emptyRow()
  let [at, text] = [0, 0]
  return (index) => {
    row.number = index + 1
    row.hidden = hiddenRows.has(index)
    row.count = 0
    for (const end = ends[index]!; at < end; at += 1) {
      const cell = row.count
      const kind = kinds[at]!
      row.columns[cell] = columns[at]!
      row.kinds[cell] = kind & ~hasText
      row.numbers[cell] = numbers[at]!
      row.texts[cell] = (kind & hasText) === 0 ? undefined : texts[text++]
      row.formats[cell] = formats[at]!
      row.count = cell + 1
    }
    return row
  }
}
