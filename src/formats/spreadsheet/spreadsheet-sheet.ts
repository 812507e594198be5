/** Defines what the readers of workbooks pass on: sheets, and their rows as lists of numbers and texts whose memory is reused; names columns by letters. */

import type { Merge } from '../grid/grid-cell.ts'

/** What a cell contains, before its number format shows what it means. */
export const cellKinds = { blank: 0, number: 1, text: 2, boolean: 3, error: 4, day: 5, uncalculated: 6 } as const

/**
 * One row, valid until the next is read. Cell `index` is in column `columns[index]` (from 0, in any order); `numbers` has its
 * number or truth (1 or 0), `texts` its text, an error as shown, a day in ISO form, or the digits of a number if
 * they are more than 15; `formats` is an index into the book's list of number formats.
 */
export type CellRow = {
  number: number
  hidden: boolean
  count: number
  readonly columns: number[]
  readonly kinds: number[]
  readonly numbers: number[]
  readonly texts: (string | undefined)[]
  readonly formats: number[]
}

export function emptyRow(): CellRow {
  return { number: 0, hidden: false, count: 0, columns: [], kinds: [], numbers: [], texts: [], formats: [] }
}

/** A copy that stays valid. */
export function keptRow(row: CellRow): CellRow {
  const kept = <T>(list: readonly T[]): T[] => list.slice(0, row.count)
  return {
    ...row,
    columns: kept(row.columns),
    kinds: kept(row.kinds),
    numbers: kept(row.numbers),
    texts: kept(row.texts),
    formats: kept(row.formats),
  }
}

/** The columns of the widest sheet there is. */
export const mostColumns = 16_384
/** The rows of the longest sheet there is. */
export const mostRows = 1_048_576

/** What is reported while a sheet is read. A row is valid until the call returns. */
export type SheetListener = {
  row?(row: CellRow): void
  hiddenColumns?(first: number, last: number): void
  merged?(merge: Merge): void
}

/**
 * A sheet with its rows. `pass` reports everything in file order, and yields when the rows reported so far may be passed
 * on; `firstRows` returns non-blank rows, at least `most` and those down to row `reach` if there are as many;
 * `merges` are read to the end of the sheet, which may take a while.
 */
export type Sheet = {
  readonly name: string
  readonly hidden: boolean
  firstRows(most: number, reach: number): Promise<readonly CellRow[]>
  merges(): Promise<readonly Merge[]>
  pass(listener: SheetListener, signal?: AbortSignal): AsyncIterable<void>
}

/** The letters of a column, counted from 0. */
export function columnLetters(index: number): string {
  let letters = ''
  for (let rest = index + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters
  return letters
}

/** The column that letters name, counted from 0. */
export function columnNumber(letters: string): number {
  let number = 0
  for (const letter of letters.toUpperCase()) number = number * 26 + letter.charCodeAt(0) - 64
  return number - 1
}

/** The text in the first cell of each sheet that windrow adds to an export, by its name; reading the workbook again leaves them out. */
export const companionMarks = { about: 'About this export', totals: 'Total of' } as const

/** True for such a sheet; another program may have named a sheet alike, so its first cell decides too. */
export function isCompanion(name: string, first: CellRow | undefined): boolean {
  const mark = new Map(Object.entries<string>(companionMarks)).get(name.toLowerCase())
  return mark !== undefined && first !== undefined && first.texts[first.columns.indexOf(0)] === mark
}
