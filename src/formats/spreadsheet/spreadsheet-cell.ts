/** Reads a cell of a spreadsheet by its kind and number format: number, date, time, padded id, text or fault. */

import { isoOfSerial, timeOfSerial } from '../day-numbers.ts'
import { kindOfText, type CellKind } from '../grid/grid-cell.ts'
import { cellKinds, type CellRow } from './spreadsheet-sheet.ts'
import { durationText, general, paddedText, type NumberFormat } from './number-format.ts'

/** What all cells of a workbook share: its number formats, as `CellRow` counts them, and the first day of its dates. */
export type Book = { readonly formats: readonly NumberFormat[]; readonly from1904: boolean }

/** Why a cell has no value, or one with a warning. */
export type Fault = 'error' | 'no such day' | 'not calculated'

/** What a cell may contain. */
export type CellValue = string | number | boolean | null | undefined

/** The value of a cell; null if it is blank, undefined if there is a fault. */
export function valueOf(row: CellRow, index: number, book: Book): CellValue {
  switch (row.kinds[index]!) {
    case cellKinds.number:
      return numberMeant(row.numbers[index]!, row.texts[index], book.formats[row.formats[index]!] ?? general, book)
    case cellKinds.text:
      return row.texts[index] === '' ? null : row.texts[index]!
    case cellKinds.boolean:
      return row.numbers[index] === 1
    case cellKinds.day:
      return dayMeant(row.texts[index]!, book.formats[row.formats[index]!] ?? general)
    case cellKinds.blank:
      return null
    default:
      return undefined
  }
}

/** What is wrong with a cell that has no value, and what it shows. */
export function faultOf(row: CellRow, index: number): { readonly fault: Fault; readonly shown: string } {
  const kind = row.kinds[index]
  if (kind === cellKinds.error) return { fault: 'error', shown: row.texts[index] ?? '' }
  if (kind === cellKinds.uncalculated) return { fault: 'not calculated', shown: '' }
  return { fault: 'no such day', shown: row.texts[index] ?? String(row.numbers[index]) }
}

/** A cell as the search for the table sees it. */
export function gridCell(row: CellRow, index: number, book: Book): { readonly text: string; readonly kind: CellKind } {
  const value = valueOf(row, index, book)
  if (value === undefined) {
    const { fault, shown } = faultOf(row, index)
    return fault === 'not calculated' ? { text: '', kind: 'blank' } : { text: shown, kind: 'error' }
  }
  const text = value === null ? '' : String(value)
  const kind = row.kinds[index]
  if (kind === cellKinds.boolean) return { text, kind: 'boolean' }
  if (kind !== cellKinds.number) return { text, kind: kind === cellKinds.day ? 'date' : kindOfText(text) }
  const format = (book.formats[row.formats[index]!] ?? general).kind
  return { text, kind: format === 'number' || format === 'padded' ? 'number' : 'date' }
}

/** True for a cell with nothing visible in it. */
export function isBlankCell(row: CellRow, index: number): boolean {
  const kind = row.kinds[index]
  if (kind === cellKinds.text) return row.texts[index]!.trim() === ''
  return kind === cellKinds.blank || kind === cellKinds.uncalculated
}

/** True for a row with something visible in it. */
export function hasFilledCell(row: CellRow): boolean {
  for (let index = 0; index < row.count; index += 1) if (!isBlankCell(row, index)) return true
  return false
}

function numberMeant(stored: number, digits: string | undefined, format: NumberFormat, { from1904 }: Book): CellValue {
  switch (format.kind) {
    case 'number':
      return digits === undefined ? stored : longNumber(stored, digits)
    case 'padded':
      return paddedText(stored, format.code)
    case 'duration':
      return durationText(stored, format.code)
    case 'time':
      return stored >= 0 && stored < 2_958_466 ? timeOfSerial(stored) : undefined
    case 'date':
      return isoOfSerial(stored, from1904)
    case 'date-time':
      return withTime(isoOfSerial(stored, from1904))
  }
}

/** Nines or zeros up to the 15th digit, and one or two digits more. */
const noisy = /(?:0{4}|9{4})\d{1,3}(?:E|$)/i

/**
 * A number with more than 15 digits. If a number cannot store them they are an id, and stay text. Spreadsheets calculate
 * with 17 digits and show 15: if only the last ones keep a number from being short, as in 0.30000000000000004,
 * they are rounded off; a number that is long anyway, such as a coordinate, is unchanged.
 */
function longNumber(stored: number, digits: string): number | string {
  if (/^-?\d{16,}$/.test(digits)) return String(stored) === digits ? stored : digits
  return noisy.test(digits) ? Number(stored.toPrecision(15)) : stored
}

function withTime(iso: string | undefined): string | undefined {
  return iso?.length === 10 ? `${iso}T00:00:00` : iso
}

const isoDay = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?)(\.\d+)?(Z|[+-]\d\d:\d\d)?)?$/

/** A day in ISO form, as strict workbooks store it: its format decides whether it has a time of day. */
function dayMeant(text: string, { kind }: NumberFormat): CellValue {
  const [, date, clock, fraction = '', zone = ''] = isoDay.exec(text.trim()) ?? []
  if (date === undefined) return /^\d\d:\d\d/.test(text) ? text : undefined
  if (clock === undefined) return kind === 'date-time' ? `${date}T00:00:00` : date
  const time = `${clock.length === 5 ? `${clock}:00` : clock}${fraction.replace(/\.?0+$/, '')}`
  // Day 0 of a spreadsheet: a time without a day.
  if (kind === 'time' || date === '1899-12-30' || date === '1899-12-31') return time
  return time === '00:00:00' && kind !== 'date-time' ? date : `${date}T${time}${zone}`
}
