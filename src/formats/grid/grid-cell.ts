/** Defines a cell of a grid for the search for a table: its text and the kind of its value. */

/** `text` is what the person's program shows. */
export type GridCell = { readonly text: string; readonly kind: CellKind }

export type CellKind = 'blank' | 'text' | 'number' | 'date' | 'boolean' | 'error'

/** One row with its number in the person's program; holes are blank cells. */
export type GridRow = { readonly row: number; readonly cells: readonly (GridCell | undefined)[] }

/** Merged cells: rows by number, columns from 0, all inclusive. */
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
  if (/^(?:true|false)$/i.test(trimmed)) return 'boolean'
  if (trimmed.length > 40) return 'text'
  if (dateTexts.some((each) => each.test(trimmed))) return 'date'
  return numberText.test(trimmed) ? 'number' : 'text'
}

/** The cells of a row of text. */
export function textCells(texts: readonly string[]): readonly GridCell[] {
  return texts.map((text) => ({ text, kind: kindOfText(text) }))
}

/** The trimmed text that a cell shows. */
export function shownIn({ cells }: GridRow, column: number): string {
  return cells[column]?.text.trim() ?? ''
}

/** True for a cell that is not empty; an error counts as filled. */
export function isFilled(cell: GridCell | undefined): cell is GridCell {
  return cell !== undefined && cell.kind !== 'blank'
}

/** How many cells of a row are filled. */
export function filledIn({ cells }: GridRow): number {
  return cells.filter(isFilled).length
}

/** A year may be a column name, although it is a number. */
export function isYear(cell: GridCell): boolean {
  return cell.kind === 'number' && /^(?:19|20)\d\d$/.test(cell.text.trim())
}

/** True for a row of dashes below the names, as databases print it and Markdown requires it. */
export function isRule(texts: readonly string[]): boolean {
  return texts.some((text) => text !== '') && texts.every((text) => /^(?::?[-=_*+]{2,}:?)?$/.test(text.trim()))
}
