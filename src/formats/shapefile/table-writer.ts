/** Writes the bytes of a .dbf: the first pass measures the columns, the second writes the cells. */

import { WindrowError } from '../../core/error.ts'
import type { Column, ColumnType, Row, Value } from '../../core/row.ts'
import { startOfDay } from '../../core/values/date-pattern.ts'
import { cellOf, isNothing, textOf as cellText } from '../table-names.ts'
import { cutToBytes, shortNames } from './field-names.ts'

/** The fields of a table as they will be written, and notes for the person who opens the file. */
export type TablePlan = ReturnType<typeof planOf>
type FieldPlan = TablePlan['fields'][number]

const mostTextBytes = 254
/** The longest text of a JavaScript number, such as -1.7976931348623157e+308. */
const mostNumberChars = 24
const mostDecimals = 15
const mostFields = 2046
const usualFields = 255
const mostRowBytes = 65_535

type Letter = 'C' | 'N' | 'L' | 'D'

const letters: Readonly<Record<ColumnType, Letter>> = {
  integer: 'N',
  number: 'N',
  boolean: 'L',
  date: 'D',
  text: 'C',
  'date-time': 'C',
  json: 'C',
}

type Seen = ReturnType<typeof startSeen>

/** Starts examining a column. `misfit` is the first text that does not fit the letter. */
function startSeen(column: Column) {
  return {
    column,
    cell: cellOf(column.name),
    letter: column.type && letters[column.type],
    misfit: undefined as string | undefined,
    filled: 0,
    numbers: 0,
    truths: 0,
    midnights: 0,
    textBytes: 0,
    tooLong: 0,
    wholeChars: 0,
    decimals: 0,
    numberChars: 0,
  }
}

/**
 * Examines every row once, then settles the fields. `cut` allows text beyond 254 bytes to be cut; otherwise it is refused.
 */
export function surveyTable(columns: readonly Column[], cut: boolean) {
  const seen = columns.map(startSeen)
  return {
    add(row: Row): void {
      for (const each of seen) look(each, row, cut)
    },
    plan: () => planOf(seen),
  }
}

const digits = /^-?\d{1,24}$/
const isoDate = /^\d{4}-\d\d-\d\d$/

function look(seen: Seen, row: Row, cut: boolean): void {
  const value = seen.cell(row.values)
  if (isNothing(value)) return
  seen.filled += 1
  const text = textOf(value)
  const bytes = Buffer.byteLength(text)
  if (bytes > seen.textBytes) seen.textBytes = bytes
  if (typeof value === 'number') {
    seen.numbers += 1
    measureNumber(seen, value)
  } else if (typeof value === 'boolean') seen.truths += 1
  else if (seen.letter === 'N' && digits.test(text)) {
    seen.numbers += 1
    seen.wholeChars = Math.max(seen.wholeChars, text.length)
    seen.numberChars = Math.max(seen.numberChars, text.length)
  }
  if (seen.column.type === 'date-time' && startOfDay.test(text)) seen.midnights += 1
  if (seen.misfit === undefined && seen.letter !== undefined && !fitsLetter(seen.letter, value, text))
    seen.misfit = text
  if (bytes <= mostTextBytes) return
  seen.tooLong += 1
  if (cut) return
  throw new WindrowError(
    'format-cannot-write',
    `The text in column "${seen.column.name}" of row ${row.at.row} takes ${bytes} bytes; a shapefile can store ${mostTextBytes}.`,
    {
      hint: 'Write GeoPackage, GeoJSON or Excel instead, or set  to.cut: true  to shorten long texts.',
    },
  )
}

function textOf(value: Value): string {
  return cellText(value).replaceAll('\0', ' ')
}

function fitsLetter(letter: Letter, value: Value, text: string): boolean {
  switch (letter) {
    case 'N':
      return typeof value === 'number' || digits.test(text)
    case 'L':
      return typeof value === 'boolean'
    case 'D':
      return isoDate.test(text)
    case 'C':
      return true
  }
}

/** The width and decimals needed to read the very same number back. */
function measureNumber(seen: Seen, value: number): void {
  const text = String(value)
  seen.numberChars = Math.max(seen.numberChars, text.length)
  const [mantissa, exponent] = text.split('e')
  const [whole, fraction] = mantissa!.split('.')
  const decimals = (fraction?.length ?? 0) - Number(exponent ?? 0)
  if (decimals > mostDecimals || Number(exponent ?? 0) > 0) return
  seen.decimals = Math.max(seen.decimals, decimals)
  seen.wholeChars = Math.max(seen.wholeChars, whole!.length)
}

function planOf(seen: readonly Seen[]) {
  const short = shortNames(seen.map(({ column }) => column.name))
  const notes: string[] = []
  const fields = seen.map((each, index) => {
    const { column, misfit, tooLong } = each
    const { name } = column
    const letter: Letter = misfit !== undefined ? 'C' : areDays(each) ? 'D' : (each.letter ?? inferredLetter(each))
    if (misfit !== undefined)
      notes.push(`The column "${name}" is written as text, because "${cutToBytes(misfit, 40)}" is no ${column.type}.`)
    if (letter === 'C' && tooLong > 0)
      notes.push(`Texts in the column "${name}" that were cut to ${mostTextBytes} bytes: ${tooLong}.`)
    return { name, cell: each.cell, short: short[index]!, letter, ...widthOf(letter, each) }
  })
  const moments = fields.filter(({ letter }, index) => {
    const { column, filled, misfit } = seen[index]!
    return letter === 'C' && column.type === 'date-time' && filled > 0 && misfit === undefined
  })
  if (moments.length > 0)
    notes.push(
      `A shapefile stores days without a time, so these columns are text: ${moments.map(({ name }) => name).join(', ')}.`,
    )
  const changed = fields.filter((field) => field.short !== field.name).length
  if (changed > 0)
    notes.push(
      `Column names longer than the 10 bytes of a shapefile: ${changed}; names.csv in the zip lists them in full.`,
    )
  if (fields.length > usualFields)
    notes.push(`The table has ${fields.length} columns; many programs show only the first ${usualFields}.`)
  const rowBytes = fields.reduce((sum, field) => sum + field.width, 1)
  if (fields.length > mostFields || rowBytes > mostRowBytes)
    throw new WindrowError(
      'format-cannot-write',
      `The table has ${fields.length} columns that take ${rowBytes} bytes per row; a shapefile can store ${mostFields} and ${mostRowBytes}.`,
      { hint: 'Leave out columns, or write GeoPackage, GeoJSON or Excel.' },
    )
  return { fields, rowBytes, notes }
}

/** Moments that are all the start of a day in the zone that the column names, such as sowing dates: a .dbf has no times. */
function areDays({ column, filled, midnights }: Seen): boolean {
  return column.type === 'date-time' && column.zone !== undefined && filled > 0 && midnights === filled
}

function inferredLetter({ filled, numbers, truths }: Seen): Letter {
  if (filled === 0) return 'C'
  return numbers === filled ? 'N' : truths === filled ? 'L' : 'C'
}

function widthOf(letter: Letter, seen: Seen): { readonly width: number; readonly decimals: number } {
  if (letter === 'L') return { width: 1, decimals: 0 }
  if (letter === 'D') return { width: 8, decimals: 0 }
  const { column } = seen
  if (letter === 'C')
    return { width: Math.min(mostTextBytes, Math.max(1, seen.textBytes, column.width ?? 1)), decimals: 0 }
  const decimals = Math.min(mostDecimals, Math.max(seen.decimals, column.decimals ?? 0))
  const even = Math.max(1, seen.wholeChars) + (decimals > 0 ? decimals + 1 : 0)
  const needed = Math.max(seen.numberChars, even <= mostNumberChars ? even : 0, decimals > 0 ? decimals + 2 : 1)
  const declared = column.width !== undefined && column.width <= mostTextBytes ? column.width : 0
  return { width: Math.max(needed, declared), decimals }
}

const headerBytes = 32
const fieldBytes = 32

/** The header of a table. Language driver 0, because only the .cpg can name UTF-8. */
export function tableHeader({ fields, rowBytes }: TablePlan, rows: number): Buffer {
  const header = Buffer.alloc(headerBytes + fields.length * fieldBytes + 1)
  header[0] = 3
  // A fixed date of change, so that the same rows give the same bytes.
  header.set([80, 1, 1], 1)
  header.writeUInt32LE(rows, 4)
  header.writeUInt16LE(header.length, 8)
  header.writeUInt16LE(rowBytes, 10)
  for (const [index, field] of fields.entries()) {
    const at = headerBytes + index * fieldBytes
    header.write(field.short, at, 'utf8')
    header.write(field.letter, at + 11, 'latin1')
    header[at + 16] = field.width
    header[at + 17] = field.decimals
  }
  header[header.length - 1] = 0x0d
  return header
}

export function tableRow({ fields, rowBytes }: TablePlan, { values, at }: Row): Buffer {
  const bytes = Buffer.allocUnsafe(rowBytes).fill(0x20)
  let from = 1
  for (const field of fields) {
    const cell = writtenText(field, field.cell(values))
    const isNumber = field.letter === 'N'
    const length = Buffer.byteLength(cell)
    if (length > field.width)
      throw new WindrowError('source-changed', `Row ${at.row} changed while it was being written.`, {
        hint: 'Run it again.',
      })
    bytes.write(cell, isNumber ? from + field.width - length : from, 'utf8')
    from += field.width
  }
  return bytes
}

function writtenText(field: FieldPlan, value: Value): string {
  if (isNothing(value)) return field.letter === 'L' ? '?' : ''
  switch (field.letter) {
    case 'L':
      return value === true ? 'T' : 'F'
    case 'D':
      return textOf(value).slice(0, 10).replaceAll('-', '')
    case 'N':
      return typeof value === 'number' ? numberText(field, value) : textOf(value)
    case 'C':
      return cutToBytes(textOf(value), mostTextBytes)
  }
}

function numberText({ width, decimals }: FieldPlan, value: number): string {
  const even = value.toFixed(decimals)
  return even.length <= width && Number(even) === value ? even : String(value)
}
