/** Scans the XML of a worksheet: its rows one by one, and the parts before and after them. */

import type { Merge } from '../grid/grid-cell.ts'
import { cellKinds, emptyRow, mostColumns, mostRows } from '../spreadsheet/cell-row.ts'
import { columnNumber } from '../spreadsheet/column-letters.ts'
import type { SheetListener } from '../spreadsheet/spreadsheet-sheet.ts'
import { attributeText, nameCode, XmlScanner, type Attributes, type Bytes, type XmlListener } from '../xml.ts'
import { cellText, isTrue, withoutOuterBlanks } from './xlsx-text.ts'

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
  space: nameCode('space'),
  hidden: nameCode('hidden'),
  min: nameCode('min'),
  max: nameCode('max'),
  range: nameCode('ref'),
}

/** The scan's position in a cell. */
const places = { elsewhere: 0, cell: 1, value: 2, inlineText: 3, phonetic: 4 } as const

/** Starts to read a worksheet. Shared texts are given as `sharedText` with their number. */
export function scanSheet(part: string, listener: SheetListener): XmlScanner {
  const row = emptyRow()
  let inRow = false
  let place: number = places.elsewhere
  let column = -1
  let style = 0
  let kind = cellKinds.number as number
  let hasFormula = false
  let keepsSpace = false
  let isInline = false
  let held: string | undefined
  let value = 0

  /** An impossible row number is no reason to lose the row. */
  const number = (said: number | undefined): void => {
    if (said !== undefined && said > 0 && said <= mostRows) row.number = said
  }

  const openRow = (attributes: Attributes, bytes: Bytes): void => {
    inRow = true
    row.count = 0
    row.hidden = false
    row.number += 1
    column = -1
    for (let index = 0; index < attributes.count; index += 1) {
      const name = attributes.names[index]
      if (name === names.reference) number(wholeNumber(bytes, attributes, index))
      else if (name === names.hidden) row.hidden = isTrue(textAt(bytes, attributes, index))
    }
  }

  const openCell = (attributes: Attributes, bytes: Bytes): void => {
    column += 1
    style = 0
    kind = cellKinds.number
    hasFormula = false
    isInline = false
    held = undefined
    value = Number.NaN
    for (let index = 0; index < attributes.count; index += 1) {
      const name = attributes.names[index]
      if (name === names.reference) readReference(bytes, attributes.starts[index]!, attributes.ends[index]!)
      else if (name === names.style) style = wholeNumber(bytes, attributes, index) ?? 0
      else if (name === names.text) kind = kindOfLetters(bytes, attributes.starts[index]!, attributes.ends[index]!)
    }
    place = places.cell
  }

  const readReference = (bytes: Bytes, start: number, end: number): void => {
    let letters = 0
    let at = start
    for (; at < end; at += 1) {
      const letter = bytes[at]! & 0xdf
      if (letter < 0x41 || letter > 0x5a) break
      letters = letters * 26 + letter - 0x40
    }
    if (letters > 0 && letters <= mostColumns) column = letters - 1
    if (row.count > 0 || at === end) return
    // Some programs number the cells but not the rows.
    number(digitsAt(bytes, at, end))
  }

  const takeText = (bytes: Bytes, start: number, end: number, literal: boolean): void => {
    if (place === places.inlineText) {
      // Some programs repeat the text as a value; Excel shows only the text.
      if (!isInline) held = undefined
      isInline = true
      const piece = cellText(bytes, start, end, literal)
      held = (held ?? '') + (keepsSpace ? piece : withoutOuterBlanks(piece))
      return
    }
    if (kind === cellKinds.text || kind === cellKinds.error || kind === cellKinds.day) {
      if (!isInline) held = (held ?? '') + cellText(bytes, start, end, literal)
      return
    }
    value = plainNumber(bytes, start, end)
    if (value === value) return
    held = bytes.toString('latin1', start, end).trim()
    value = held === '' ? Number.NaN : Number(held)
  }

  const closeCell = (): void => {
    place = places.elsewhere
    if (column >= mostColumns) return
    let found = kind
    let text = held
    if (kind === cellKinds.number && value !== value) {
      if (text !== undefined && text !== '') found = cellKinds.text
      else found = hasFormula ? cellKinds.uncalculated : cellKinds.blank
    } else if (kind === cellKinds.number && text !== undefined && text.length < 16) text = undefined
    else if ((kind === cellKinds.text || kind === cellKinds.day) && text === undefined) found = cellKinds.blank
    else if (kind === sharedText && value !== value) found = cellKinds.blank
    else if (kind === cellKinds.boolean && value !== value) {
      value = isTrue(text) ? 1 : 0
      if (text === undefined || text === '') found = cellKinds.blank
    }
    if (found === cellKinds.blank) return
    const at = row.count
    row.columns[at] = column
    row.kinds[at] = found
    row.numbers[at] = value
    row.texts[at] = text
    row.formats[at] = style
    row.count = at + 1
  }

  const elements: XmlListener = {
    open(name, attributes, bytes) {
      if (name === names.cell) {
        if (inRow) openCell(attributes, bytes)
      } else if (name === names.value) {
        if (place === places.cell) place = places.value
      } else if (name === names.row) openRow(attributes, bytes)
      else if (place !== places.elsewhere) {
        if (name === names.formula) hasFormula = true
        else if (name === names.phonetic) place = places.phonetic
        else if (name === names.text && place !== places.phonetic) {
          place = places.inlineText
          keepsSpace = isPreserved(attributes, bytes)
        }
      } else if (name === names.merge) tellMerge(attributes, bytes, listener)
      else if (name === names.column) tellHidden(attributes, bytes, listener)
    },
    text(bytes, start, end, literal) {
      if (place === places.value || place === places.inlineText) takeText(bytes, start, end, literal)
    },
    close(name) {
      if (name === names.cell) {
        if (place !== places.elsewhere) closeCell()
      } else if (name === names.value || name === names.text || name === names.phonetic) {
        if (place === places.phonetic && name !== names.phonetic) return
        if (place !== places.elsewhere) place = places.cell
      } else if (name === names.row && inRow) {
        inRow = false
        listener.row(row)
      }
    },
  }
  return new XmlScanner(part, elements, { isStrict: true })
}

/** The kind by the letters of `t`: s, str, inlineStr, b, e, d or n. */
function kindOfLetters(bytes: Bytes, start: number, end: number): number {
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

function isPreserved(attributes: Attributes, bytes: Bytes): boolean {
  for (let index = 0; index < attributes.count; index += 1)
    if (attributes.names[index] === names.space) return textAt(bytes, attributes, index) === 'preserve'
  return false
}

function textAt(bytes: Bytes, attributes: Attributes, index: number): string {
  return attributeText(bytes, attributes.starts[index]!, attributes.ends[index]!)
}

function wholeNumber(bytes: Bytes, attributes: Attributes, index: number): number | undefined {
  return digitsAt(bytes, attributes.starts[index]!, attributes.ends[index]!)
}

function digitsAt(bytes: Bytes, start: number, end: number): number | undefined {
  let number = 0
  for (let at = start; at < end; at += 1) {
    const digit = bytes[at]! - 0x30
    if (digit < 0 || digit > 9) return undefined
    number = number * 10 + digit
  }
  return end > start ? number : undefined
}

const powersOfTen = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent)

/** A number of up to 15 digits without exponent, with the same result as `Number`: both its parts are whole and exact. */
function plainNumber(bytes: Bytes, start: number, end: number): number {
  let at = start
  const negative = bytes[at] === 0x2d
  if (negative) at += 1
  if (end - at > 16 || end === at) return Number.NaN
  let digits = 0
  let whole = 0
  let point = -1
  for (; at < end; at += 1) {
    const byte = bytes[at]!
    if (byte === 0x2e && point < 0) point = at
    else if (byte >= 0x30 && byte <= 0x39) {
      whole = whole * 10 + byte - 0x30
      digits += 1
    } else return Number.NaN
  }
  if (digits > 15 || digits === 0) return Number.NaN
  const number = point < 0 ? whole : whole / powersOfTen[end - point - 1]!
  return negative ? -number : number
}

function tellMerge(attributes: Attributes, bytes: Bytes, listener: SheetListener): void {
  for (let index = 0; index < attributes.count; index += 1)
    if (attributes.names[index] === names.range) {
      const range = rangeOf(textAt(bytes, attributes, index))
      if (range !== undefined) listener.merged(range)
    }
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

function tellHidden(attributes: Attributes, bytes: Bytes, listener: SheetListener): void {
  let hidden = false
  let first = 0
  let last = 0
  for (let index = 0; index < attributes.count; index += 1) {
    const name = attributes.names[index]
    if (name === names.hidden) hidden = isTrue(textAt(bytes, attributes, index))
    else if (name === names.min) first = wholeNumber(bytes, attributes, index) ?? 0
    else if (name === names.max) last = wholeNumber(bytes, attributes, index) ?? 0
  }
  if (hidden && first > 0) listener.hiddenColumns(first - 1, Math.min(last, mostColumns) - 1)
}
