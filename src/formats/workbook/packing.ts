/** Packs the library's cells into arrays, to pass them from one process to another. */

import { cellKinds, mostColumns } from '../spreadsheet/spreadsheet-sheet.ts'

/** A cell of the library: `v` is the stored value, `z` its number format, `w` the shown text, `f` its formula. */
type LibraryCell = {
  readonly t: string
  readonly v?: unknown
  readonly z?: unknown
  readonly w?: string
  readonly f?: string
}

type LibraryRow = readonly (LibraryCell | null | undefined)[] | null | undefined

/** A sheet of the library, with the parts that windrow uses. */
export type LibrarySheet = {
  readonly '!data'?: readonly LibraryRow[]
  readonly '!rows'?: readonly ({ readonly hidden?: boolean } | undefined)[]
  readonly '!cols'?: readonly ({ readonly hidden?: boolean } | undefined)[]
  readonly '!merges'?: readonly { readonly s: CellPlace; readonly e: CellPlace }[]
}

/** What is hidden of a sheet: all of it, or rows and columns by their positions from 0. */
export type HiddenParts = {
  readonly sheet: boolean
  readonly rows: readonly number[]
  readonly columns: readonly number[]
}

type CellPlace = { readonly r: number; readonly c: number }

/**
 * The filled cells of a sheet, row after row; row `index` ends before cell `ends[index]`. The lists are those of a `CellRow`, but
 * `texts` contains only the texts of the cells whose kind includes `hasText`.
 */
export type PackedSheet = ReturnType<typeof packSheet>

/** Added to the kind of a cell that has a text. */
export const hasText = 0x80

/** Starts a list of the number formats in a workbook by their numbers; 0 is that of a cell without one. */
export function formatCodes() {
  const list = ['']
  const numbers = new Map<unknown, number>()
  return {
    list,
    numberOf(code: unknown): number {
      if (typeof code !== 'string') return 0
      if (!numbers.has(code)) numbers.set(code, list.push(code) - 1)
      return numbers.get(code)!
    },
  }
}

export function packSheet(
  name: string,
  hidden: HiddenParts,
  sheet: LibrarySheet,
  formats: ReturnType<typeof formatCodes>,
) {
  const rows = sheet['!data'] ?? []
  const lists = {
    columns: [] as number[],
    kinds: [] as number[],
    numbers: [] as number[],
    formats: [] as number[],
    texts: [] as string[],
  }
  const ends = new Uint32Array(rows.length)
  for (let index = 0; index < rows.length; index += 1) {
    // The library leaves holes for missing rows and cells.
    rows[index]?.forEach((cell, column) => {
      const kind = cell === null || cell === undefined ? cellKinds.blank : kindOf(cell)
      if (kind === cellKinds.blank || column >= mostColumns) return
      const text = textOf(cell!, kind)
      if (text !== undefined) lists.texts.push(text)
      lists.columns.push(column)
      lists.kinds.push(text === undefined ? kind : kind | hasText)
      lists.numbers.push(Number(cell!.v))
      lists.formats.push(formats.numberOf(cell!.z))
    })
    ends[index] = lists.kinds.length
  }
  return {
    name,
    hidden: hidden.sheet,
    ends,
    columns: Uint16Array.from(lists.columns),
    kinds: Uint8Array.from(lists.kinds),
    numbers: Float64Array.from(lists.numbers),
    formats: Uint32Array.from(lists.formats),
    texts: lists.texts,
    merges: (sheet['!merges'] ?? []).map(({ s, e }) => ({
      firstRow: s.r + 1,
      lastRow: e.r + 1,
      firstColumn: s.c,
      lastColumn: e.c,
    })),
    hiddenRows: hidden.rows,
    hiddenColumns: hidden.columns,
  }
}

/** What the library reports as hidden. */
export function hiddenKnown(isSheetHidden: boolean, sheet: LibrarySheet): HiddenParts {
  return { sheet: isSheetHidden, rows: hiddenAmong(sheet['!rows']), columns: hiddenAmong(sheet['!cols']) }
}

function hiddenAmong(facts: readonly ({ readonly hidden?: boolean } | undefined)[] = []): readonly number[] {
  return [...facts.keys()].filter((index) => facts[index]?.hidden === true)
}

function textOf(cell: LibraryCell, kind: number): string | undefined {
  if (kind === cellKinds.text) return String(cell.v)
  if (kind === cellKinds.error) return cell.w ?? errors[Number(cell.v)] ?? 'an error'
  if (kind !== cellKinds.number || Number.isInteger(Number(cell.v) * 10_000)) return undefined
  const digits = String(cell.v)
  return digits.length > 15 ? digits : undefined
}

function kindOf({ t, v, f }: LibraryCell): number {
  if (t === 'e') return cellKinds.error
  if (t === 'b') return cellKinds.boolean
  // LibreOffice stores a truth as a number with one of these formats.
  if (f === 'TRUE()' || f === 'FALSE()') return cellKinds.boolean
  if (t === 'n' && typeof v === 'number' && !Number.isNaN(v)) return cellKinds.number
  if (typeof v === 'string') return cellKinds.text
  return f === undefined ? cellKinds.blank : cellKinds.uncalculated
}

/** The errors by their numbers in the old formats ([MS-XLS] 2.5.10). */
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
