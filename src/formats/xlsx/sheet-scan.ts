/** Scans the XML of a worksheet: its rows one by one, and the parts before and after them. */

import type { Merge } from '../grid/grid-cell.ts'
import {
  cellKinds,
  columnNumber,
  emptyRow,
  mostColumns,
  mostRows,
  type SheetListener,
} from '../spreadsheet/spreadsheet-sheet.ts'
import { attribute, nameCode, XmlScanner, type Attributes, type XmlListener } from '../xml.ts'
import { cellText, isTrue, preservesSpace, withoutOuterBlanks } from './xlsx-text.ts'

/** A kind besides those of `cellKinds`: the number of a text in the workbook's list. */
export const sharedText = 7

const names = {
  row: nameCode('row'),
  cell: nameCode('c'),
  value: nameCode('v'),
  formula: nameCode('f'),
  text: nameCode('t'),
  phonetic: nameCode('rPh'),
  column: nameCode('col'),
  merge: nameCode('mergeCell'),
  reference: nameCode('r'),
  style: nameCode('s'),
  hidden: nameCode('hidden'),
  min: nameCode('min'),
  max: nameCode('max'),
  range: nameCode('ref'),
}

/** The scan's position in a cell. */
const places = { elsewhere: 0, cell: 1, value: 2, inlineText: 3, phonetic: 4 } as const

/** Starts to read a worksheet. Shared texts are given as `sharedText` with their number. */
export function scanSheet(part: string, listener: SheetListener): XmlScanner {
  return new XmlScanner(part, new SheetElements(listener), { isStrict: true })
}

/** Puts cells into rows as the elements of a sheet open and close; there is one row and one cell at a time. */
class SheetElements implements XmlListener {
  readonly #listener: SheetListener
  readonly #row = emptyRow()
  #inRow = false
  #place: number = places.elsewhere
  #column = -1
  #style = 0
  #kind = cellKinds.number as number
  #hasFormula = false
  #keepsSpace = false
  #isInline = false
  #text: string | undefined
  #value = 0

  constructor(listener: SheetListener) {
    this.#listener = listener
  }

  open(name: number, attributes: Attributes, bytes: Buffer): void {
    if (name === names.cell) {
      if (this.#inRow) this.#openCell(attributes, bytes)
    } else if (name === names.value) {
      if (this.#place === places.cell) this.#place = places.value
    } else if (name === names.row) this.#openRow(attributes, bytes)
    else if (this.#place !== places.elsewhere) this.#openInCell(name, attributes, bytes)
    else if (name === names.merge) reportMerge(attributes, bytes, this.#listener)
    else if (name === names.column) reportHidden(attributes, bytes, this.#listener)
  }

  text(bytes: Buffer, start: number, end: number, literal: boolean): void {
    if (this.#place === places.inlineText) this.#addInlineText(bytes, start, end, literal)
    else if (this.#place === places.value) this.#addValue(bytes, start, end, literal)
  }

  close(name: number): void {
    if (name === names.cell) {
      if (this.#place !== places.elsewhere) this.#closeCell()
    } else if (name === names.value || name === names.text || name === names.phonetic) {
      if (this.#place === places.phonetic && name !== names.phonetic) return
      if (this.#place !== places.elsewhere) this.#place = places.cell
    } else if (name === names.row && this.#inRow) {
      this.#inRow = false
      this.#listener.row?.(this.#row)
    }
  }

  #openRow(attributes: Attributes, bytes: Buffer): void {
    const row = this.#row
    this.#inRow = true
    this.#column = -1
    row.count = 0
    row.hidden = false
    row.number += 1
    for (let index = 0; index < attributes.count; index += 1) {
      const name = attributes.names[index]
      const start = attributes.starts[index]!
      const end = attributes.ends[index]!
      if (name === names.reference) this.#setRowNumber(digitsAt(bytes, start, end))
      else if (name === names.hidden) row.hidden = isTrue(bytes.toString('utf8', start, end))
    }
  }

  /** An impossible row number is no reason to lose the row. */
  #setRowNumber(number: number | undefined): void {
    if (number !== undefined && number > 0 && number <= mostRows) this.#row.number = number
  }

  #openCell(attributes: Attributes, bytes: Buffer): void {
    this.#place = places.cell
    this.#column += 1
    this.#style = 0
    this.#kind = cellKinds.number
    this.#hasFormula = false
    this.#isInline = false
    this.#text = undefined
    this.#value = Number.NaN
    for (let index = 0; index < attributes.count; index += 1) {
      const name = attributes.names[index]
      const start = attributes.starts[index]!
      const end = attributes.ends[index]!
      if (name === names.reference) this.#readReference(bytes, start, end)
      else if (name === names.style) this.#style = digitsAt(bytes, start, end) ?? 0
      else if (name === names.text) this.#kind = kindOfLetters(bytes, start, end)
    }
  }

  #readReference(bytes: Buffer, start: number, end: number): void {
    let letters = 0
    let at = start
    for (; at < end; at += 1) {
      const letter = bytes[at]! & 0xdf
      if (letter < 0x41 || letter > 0x5a) break
      letters = letters * 26 + letter - 0x40
    }
    if (letters > 0 && letters <= mostColumns) this.#column = letters - 1
    if (this.#row.count > 0 || at === end) return
    // Some programs number the cells but not the rows.
    this.#setRowNumber(digitsAt(bytes, at, end))
  }

  #openInCell(name: number, attributes: Attributes, bytes: Buffer): void {
    if (name === names.formula) this.#hasFormula = true
    else if (name === names.phonetic) this.#place = places.phonetic
    else if (name === names.text && this.#place !== places.phonetic) {
      this.#place = places.inlineText
      this.#keepsSpace = preservesSpace(attributes, bytes)
    }
  }

  #addInlineText(bytes: Buffer, start: number, end: number, literal: boolean): void {
    // Some programs repeat the text as a value; Excel shows only the text.
    if (!this.#isInline) this.#text = undefined
    this.#isInline = true
    const piece = cellText(bytes, start, end, literal)
    this.#text = (this.#text ?? '') + (this.#keepsSpace ? piece : withoutOuterBlanks(piece))
  }

  #addValue(bytes: Buffer, start: number, end: number, literal: boolean): void {
    if (this.#kind === cellKinds.text || this.#kind === cellKinds.error || this.#kind === cellKinds.day) {
      if (!this.#isInline) this.#text = (this.#text ?? '') + cellText(bytes, start, end, literal)
      return
    }
    this.#text = bytes.toString('latin1', start, end).trim()
    this.#value = this.#text === '' ? Number.NaN : Number(this.#text)
  }

  #closeCell(): void {
    this.#place = places.elsewhere
    if (this.#column >= mostColumns) return
    const kind = this.#kindByContent()
    if (kind === cellKinds.blank) return
    const row = this.#row
    const at = row.count
    row.columns[at] = this.#column
    row.kinds[at] = kind
    row.numbers[at] = kind === cellKinds.boolean && Number.isNaN(this.#value) ? Number(isTrue(this.#text)) : this.#value
    // The text of a number matters only where it may have more digits than the number.
    row.texts[at] = kind === cellKinds.number && (this.#text?.length ?? 0) < 16 ? undefined : this.#text
    row.formats[at] = this.#style
    row.count = at + 1
  }

  /** The kind that the cell names, unless its content says otherwise: a cell without content is blank. */
  #kindByContent(): number {
    const kind = this.#kind
    const isEmpty = this.#text === undefined || this.#text === ''
    if (kind === cellKinds.text || kind === cellKinds.day) return this.#text === undefined ? cellKinds.blank : kind
    if (kind === cellKinds.error || !Number.isNaN(this.#value)) return kind
    if (kind === sharedText || (kind === cellKinds.boolean && isEmpty)) return cellKinds.blank
    if (kind === cellKinds.boolean) return kind
    if (!isEmpty) return cellKinds.text
    return this.#hasFormula ? cellKinds.uncalculated : cellKinds.blank
  }
}

/** The kind by the letters of `t`: s, str, inlineStr, b, e, d or n. */
function kindOfLetters(bytes: Buffer, start: number, end: number): number {
  switch (bytes[start]!) {
    case 0x73:
      return end - start === 1 ? sharedText : cellKinds.text
    case 0x69:
      return cellKinds.text
    case 0x62:
      return cellKinds.boolean
    case 0x65:
      return cellKinds.error
    case 0x64:
      return cellKinds.day
    default:
      return cellKinds.number
  }
}

function digitsAt(bytes: Buffer, start: number, end: number): number | undefined {
  let number = 0
  for (let at = start; at < end; at += 1) {
    const digit = bytes[at]! - 0x30
    if (digit < 0 || digit > 9) return undefined
    number = number * 10 + digit
  }
  return end > start ? number : undefined
}

function reportMerge(attributes: Attributes, bytes: Buffer, listener: SheetListener): void {
  const range = rangeOf(attribute(attributes, names.range, bytes) ?? '')
  if (range !== undefined) listener.merged?.(range)
}

/** The block of a reference such as A1:B2 or $A$1. */
function rangeOf(reference: string): Merge | undefined {
  const [, left, top, right, bottom] =
    /^\$?([A-Z]{1,3})\$?(\d{1,7})(?::\$?([A-Z]{1,3})\$?(\d{1,7}))?$/i.exec(reference) ?? []
  if (left === undefined || top === undefined) return undefined
  const columns = [columnNumber(left), columnNumber(right ?? left)]
  const rows = [Number(top), Number(bottom ?? top)]
  return {
    firstRow: Math.min(...rows),
    lastRow: Math.max(...rows),
    firstColumn: Math.min(...columns),
    lastColumn: Math.max(...columns),
  }
}

function reportHidden(attributes: Attributes, bytes: Buffer, listener: SheetListener): void {
  if (!isTrue(attribute(attributes, names.hidden, bytes))) return
  const [first, last] = [names.min, names.max].map((name) => Number(attribute(attributes, name, bytes) ?? 0))
  if (first! > 0) listener.hiddenColumns?.(first! - 1, Math.min(last!, mostColumns) - 1)
}
