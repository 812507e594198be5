/** Hides how a sheet that the library has taken in whole is passed through like one that is read in pieces. */

import { batchSize } from '../../core/row.ts'
import { isBlankCell } from '../spreadsheet/cell.ts'
import { cellKinds, emptyRow, keptRow, type CellRow } from '../spreadsheet/cell-row.ts'
import { general, numberFormat, type NumberFormat } from '../spreadsheet/number-format.ts'
import type { Sheet, SheetListener } from '../spreadsheet/sheet.ts'

/** A cell as the library gives it: `v` what is stored, `z` its number format, `w` what is shown, `f` its formula. */
type LibraryCell = {
  readonly t: string
  readonly v?: unknown
  readonly z?: unknown
  readonly w?: string
  readonly f?: string
}

type LibraryRow = readonly (LibraryCell | null | undefined)[] | null | undefined

/** A sheet as the library gives it, with what windrow uses of it. */
export type LibrarySheet = {
  readonly '!data'?: readonly LibraryRow[]
  readonly '!rows'?: readonly ({ readonly hidden?: boolean } | undefined)[]
  readonly '!cols'?: readonly ({ readonly hidden?: boolean } | undefined)[]
  readonly '!merges'?: readonly { readonly s: CellPlace; readonly e: CellPlace }[]
}

type CellPlace = { readonly r: number; readonly c: number }

/** The number formats of a workbook, each understood once. */
export type FormatList = { readonly list: NumberFormat[]; numberOf(code: unknown): number }

/** Starts a list of formats; the first is that of a cell without one. */
export function formatList(): FormatList {
  const list = [general]
  const numbers = new Map<unknown, number>()
  return {
    list,
    numberOf(code) {
      if (typeof code !== 'string') return 0
      let number = numbers.get(code)
      if (number === undefined) {
        number = list.push(numberFormat(code)) - 1
        numbers.set(code, number)
      }
      return number
    },
  }
}

/** Makes a sheet of what the library gives. */
export function librarySheet(name: string, sheet: LibrarySheet | undefined, formats: FormatList): Sheet {
  const rows = sheet?.['!data'] ?? []
  const merges = (sheet?.['!merges'] ?? []).map(({ s, e }) => ({
    firstRow: s.r + 1,
    lastRow: e.r + 1,
    firstColumn: s.c,
    lastColumn: e.c,
  }))
  const row = emptyRow()
  const read = (index: number): CellRow => {
    row.number = index + 1
    row.hidden = sheet?.['!rows']?.[index]?.hidden === true
    row.count = 0
    // The library leaves holes for rows and cells that are not there.
    rows[index]?.forEach((cell, column) => putCell(row, cell, column, formats))
    return row
  }
  return {
    name,
    firstRows(most, reach) {
      const first: CellRow[] = []
      for (let index = 0; index < rows.length && (first.length < most || index < reach); index += 1) {
        const { count } = read(index)
        if (Array.from({ length: count }, (_, cell) => cell).some((cell) => !isBlankCell(row, cell)))
          first.push(keptRow(row))
      }
      return Promise.resolve(first)
    },
    merges: () => Promise.resolve(merges),
    async *pass(listener: SheetListener, signal?: AbortSignal) {
      for (const [column, facts] of (sheet?.['!cols'] ?? []).entries())
        if (facts?.hidden === true) listener.hiddenColumns(column, column)
      for (const merge of merges) listener.merged(merge)
      for (let index = 0; index < rows.length; index += 1) {
        listener.row(read(index))
        if (index % batchSize !== batchSize - 1) continue
        signal?.throwIfAborted()
        yield
      }
      yield
    },
  }
}

function putCell(row: CellRow, cell: LibraryCell | null | undefined, column: number, formats: FormatList): void {
  if (cell === null || cell === undefined) return
  const kind = kindOf(cell)
  if (kind === cellKinds.blank) return
  const at = row.count
  row.columns[at] = column
  row.kinds[at] = kind
  row.numbers[at] = Number(cell.v)
  row.texts[at] = textOf(cell, kind)
  row.formats[at] = formats.numberOf(cell.z)
  row.count = at + 1
}

function textOf(cell: LibraryCell, kind: number): string | undefined {
  if (kind === cellKinds.text) return String(cell.v)
  if (kind === cellKinds.error) return errorText(cell)
  if (kind !== cellKinds.number || Number.isInteger(Number(cell.v) * 10_000)) return undefined
  const digits = String(cell.v)
  return digits.length > 15 ? digits : undefined
}

function kindOf({ t, v, f }: LibraryCell): number {
  if (t === 'e') return cellKinds.error
  if (t === 'b') return cellKinds.boolean
  if (t === 'n' && typeof v === 'number') return cellKinds.number
  if (typeof v === 'string') return cellKinds.text
  return f === undefined ? cellKinds.blank : cellKinds.uncalculated
}

/** The errors by the numbers under which the old formats store them ([MS-XLS] 2.5.10). */
const errors: Readonly<Record<number, string>> = {
  0x00: '#NULL!',
  0x07: '#DIV/0!',
  0x0f: '#VALUE!',
  0x17: '#REF!',
  0x1d: '#NAME?',
  0x24: '#NUM!',
  0x2a: '#N/A',
  0x2b: '#GETTING_DATA',
}

function errorText({ v, w }: LibraryCell): string {
  return w ?? errors[Number(v)] ?? 'an error'
}
