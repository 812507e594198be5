/** Reads one cell of a .dbf table: blanks, digits, dates, and the binary forms of FoxPro. */

import type { ColumnType } from '../../core/row.ts'
import type { TextReader } from './encoding.ts'

/** The types of columns by how their cells are written. `none` cannot be read from the table alone (memos, pictures). */
export const columnTypes = {
  text: 'text',
  integer: 'integer',
  number: 'number',
  date: 'date',
  truth: 'boolean',
  int32: 'integer',
  double: 'number',
  currency: 'number',
  julian: 'date-time',
  stamp: 'date-time',
  none: 'text',
} as const satisfies Readonly<Record<string, ColumnType>>

export type CellKind = keyof typeof columnTypes

/** A cell that does not fit its column: its text, and the value used. */
export type OddCell = { readonly text: string; readonly value: string | null }

type Cell = string | number | boolean | null

/** Reads a cell of a column without text between two positions; returns an object if it does not fit its column. */
export function readCell(kind: Exclude<CellKind, 'text'>, bytes: Buffer, from: number, to: number): Cell | OddCell {
  switch (kind) {
    case 'integer':
      return readNumber(bytes, from, to, true)
    case 'number':
      return readNumber(bytes, from, to, false)
    case 'date':
      return readDate(bytes, from, to)
    case 'truth':
      return readTruth(bytes[from]!)
    case 'int32':
      return bytes.readInt32LE(from)
    case 'double':
      return finite(bytes.readDoubleLE(from))
    case 'currency':
      return Number(bytes.readBigInt64LE(from)) / 10_000
    case 'julian':
      return readJulian(bytes, from)
    case 'stamp':
      return readStamp(bytes, from, to)
    case 'none':
      return null
  }
}

const space = 0x20

/** Reads the text between two positions; null if it is blank. */
export function readText(reader: TextReader, bytes: Buffer, from: number, to: number): string | null {
  const end = textEnd(bytes, from, to)
  if (end === from) return null
  if (end >= 0) return latin1(bytes, from, end)
  const text = reader.isUtf8 ? bytes.toString('utf8', from, ~end) : undefined
  // The reader counts the texts with doubtful letters.
  return text?.includes('\ufffd') === false ? text : reader.decode(bytes.subarray(from, ~end), ~end === to)
}

/** Where the text of a cell ends, `from` if it is blank; negative, as its complement, if not all of it is ASCII. */
function textEnd(bytes: Buffer, from: number, to: number): number {
  let end = to
  while (end > from && bytes[end - 1] === space) end -= 1
  let high = false
  let last = from
  // Some programs end the text with a NUL; behind it is the rest of an older value.
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at]!
    if (byte === 0) break
    if (byte !== space) last = at + 1
    if (byte > 127) high = true
  }
  return high ? ~last : last
}

/** A number stores up to 15 digits exactly. */
const sureDigits = 15

/**
 * Reads digits as a number if nothing is lost. Longer whole numbers, or those with a leading zero, stay text:
 * they are names, not amounts.
 */
function readNumber(bytes: Buffer, from: number, to: number, whole: boolean): number | string | null | OddCell {
  let start = from
  let end = to
  while (end > start && (bytes[end - 1] === space || bytes[end - 1] === 0)) end -= 1
  while (start < end && (bytes[start] === space || bytes[start] === 0)) start += 1
  if (start === end) return null
  const text = latin1(bytes, start, end)
  if (!/^-?\d*\.?\d*$/.test(text)) return readRareNumber(text)
  const sign = text.startsWith('-') ? 1 : 0
  const isDecimal = text.includes('.')
  const digits = text.length - sign - (isDecimal ? 1 : 0)
  if (digits === 0) return { text, value: text }
  const isUnlike = digits > sureDigits || (digits > 1 && text[sign] === '0')
  const isName = isUnlike && !isDecimal && (whole || text.length > sureDigits)
  return isName ? text : Number(text) + 0
}

/** Exponents, signs, the asterisks that many programs write for "none", and text that is not a number. */
function readRareNumber(text: string): number | string | null | OddCell {
  if (/^\*+$/.test(text)) return null
  const value = /^[+-]?(\d+\.?\d*|\.\d+)([eEdD][+-]?\d+)?$/.test(text) ? Number(text.replace(/d/i, 'e')) : Number.NaN
  if (Number.isNaN(value)) return /^(-?nan|null|-?1\.#.*|-)$/i.test(text) ? null : { text, value: text }
  return finite(value)
}

/** ESRI's programs write the most negative number for "none". */
function finite(value: number): number | null {
  return Number.isFinite(value) && value > -1.797e308 ? value + 0 : null
}

function readDate(bytes: Buffer, from: number, to: number): string | null | OddCell {
  let blank = true
  let written = true
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at]!
    if (byte < 0x30 || byte > 0x39) written = false
    if (byte !== space && byte !== 0 && byte !== 0x30) blank = false
  }
  if (blank) return null
  const text = latin1(bytes, from, to)
  if (written) return `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`
  // Some programs leave the separators between day, month and year if there is no date.
  if (!/[A-Za-z0-9]/.test(text)) return null
  const shown = text.replaceAll('\0', ' ').trim()
  return { text: shown, value: shown }
}

function readTruth(byte: number): boolean | null | OddCell {
  const letter = String.fromCharCode(byte)
  if ('TtYy1'.includes(letter)) return true
  if ('FfNn0'.includes(letter)) return false
  return '? \0'.includes(letter) ? null : { text: letter, value: letter }
}

const julianDayOf1970 = 2_440_588
const julianDayOfYear10000 = 5_373_485
const dayMilliseconds = 86_400_000

/** A Julian day and the milliseconds of that day: a local time without a zone, so none is written. */
function readJulian(bytes: Buffer, from: number): string | null | OddCell {
  const day = bytes.readInt32LE(from)
  const milliseconds = bytes.readInt32LE(from + 4)
  if (day === 0 && milliseconds === 0) return null
  if (bytes.subarray(from, from + 8).every((byte) => byte === space)) return null
  if (day < 1_721_426 || day >= julianDayOfYear10000 || milliseconds < 0 || milliseconds >= dayMilliseconds)
    return { text: bytes.toString('hex', from, from + 8), value: null }
  return new Date((day - julianDayOf1970) * dayMilliseconds + milliseconds).toISOString().replace(/(\.000)?Z$/, '')
}

function readStamp(bytes: Buffer, from: number, to: number): string | null | OddCell {
  const text = latin1(bytes, from, to).replaceAll('\0', ' ').trim()
  if (/^0*$/.test(text)) return null
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text)
  if (match === null) return { text, value: text }
  const [, year, month, day, hour, minute, second] = match
  return `${year}-${month}-${day}T${hour}:${minute}:${second}`
}

function latin1(bytes: Buffer, from: number, to: number): string {
  return bytes.toString('latin1', from, to)
}
