/** Hides what a cell of a grid is to those who look for the table in it: its text and the kind of its value. */

/** `text` is what the person's program shows. */
export type GridCell = { readonly text: string; readonly kind: CellKind }

export type CellKind = 'blank' | 'text' | 'number' | 'date' | 'boolean' | 'error'

/** One row as the person's program numbers it; holes are blank cells. */
export type GridRow = { readonly row: number; readonly cells: readonly (GridCell | undefined)[] }

/** Cells that are shown as one: rows by number, columns from 0, all inclusive. */
export type Merge = {
  readonly firstRow: number
  readonly lastRow: number
  readonly firstColumn: number
  readonly lastColumn: number
}

const numberText = /^[+\u2212-]?(?:\d[\d.,'\u2019 \u00a0\u2009\u202f]*|[.,]\d+)(?:[eE][+-]?\d+)?\s?%?$/
const dateTexts = [
  /^\d{4}-\d{1,2}-\d{1,2}(?:[T ].*)?$/,
  /^\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?:[T ].*)?$/,
  /^\d{1,2}[-. ]{0,2}\p{L}{3,9}\.?[-., ]{1,2}\d{2,4}$/u,
]

/** The kind of value that a text shows, for files in which every cell is text. */
export function kindOfText(text: string): CellKind {
  const trimmed = text.trim()
  if (trimmed === '') return 'blank'
  const first = trimmed.charCodeAt(0)
  // Letters come first in nearly all texts that are neither numbers nor dates.
  if (first > 0x39 && first !== 0x2212) return /^(?:true|false)$/i.test(trimmed) ? 'boolean' : 'text'
  if (trimmed.length > 40) return 'text'
  if (dateTexts.some((each) => each.test(trimmed))) return 'date'
  return numberText.test(trimmed) ? 'number' : 'text'
}

/** The cells of a row of text. */
export function textCells(texts: readonly string[]): readonly GridCell[] {
  return texts.map((text) => ({ text, kind: kindOfText(text) }))
}

/** The text that a cell shows, without the white space around it. */
export function shownIn({ cells }: GridRow, column: number): string {
  return cells[column]?.text.trim() ?? ''
}

/** True for a cell with something in it; an error is something. */
export function isFilled(cell: GridCell | undefined): cell is GridCell {
  return cell !== undefined && cell.kind !== 'blank'
}

/** How many cells of a row have something in them. */
export function filledIn({ cells }: GridRow): number {
  let filled = 0
  for (const cell of cells) if (isFilled(cell)) filled += 1
  return filled
}

/** A year may be the name of a column, though it is a number. */
export function isYear(cell: GridCell): boolean {
  return cell.kind === 'number' && /^(?:19|20)\d\d$/.test(cell.text.trim())
}

/** True for cells that draw a line below the names, as databases print it and as Markdown wants it. */
export function isRule(texts: readonly string[]): boolean {
  return texts.some((text) => text !== '') && texts.every((text) => /^(?::?[-=_*+]{2,}:?)?$/.test(text.trim()))
}
