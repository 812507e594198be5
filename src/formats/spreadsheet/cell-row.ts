/** Defines how a reader passes on a row of a spreadsheet: columns of numbers and texts whose memory is reused. */

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

/** A row without cells. */
export function emptyRow(): CellRow {
  return { number: 0, hidden: false, count: 0, columns: [], kinds: [], numbers: [], texts: [], formats: [] }
}

/** A copy that stays valid. */
export function keptRow(row: CellRow): CellRow {
  const { number, hidden, count } = row
  const kept = <T>(list: readonly T[]): T[] => list.slice(0, count)
  return {
    number,
    hidden,
    count,
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
