/** Writes one value as a cell of a sheet: its type, text that is safe in XML, and its style, and all styles as the style sheet. */

import type { ColumnType, Value, Column } from '../../core/row.ts'
import { serialOfIso } from '../day-numbers.ts'
import { textOf } from '../table-names.ts'

export const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
export const mainNamespace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

const needsCare = /[&<>"\x00-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]|_x[0-9A-Fa-f]{4}_/

/** Escapes text for an element or attribute; characters that XML cannot contain become _xHHHH_, as in ISO 29500-1 22.9.2.19. */
export function xmlText(text: string): string {
  if (!needsCare.test(text)) return text
  return text
    .toWellFormed()
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(
      /[\x00-\x08\x0b-\x1f\ufffe\uffff]/g,
      (code) => `_x${code.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** `isTop`: beside text on several lines, the other cells of the row begin at its first line. */
type CellStyle = {
  readonly format?: string
  readonly font?: 'bold' | 'link'
  readonly wraps?: boolean
  readonly isRight?: boolean
  readonly isLeft?: boolean
  readonly isTop?: boolean
}

/** Gives each style its number; the numbers are those of the style sheet. */
export type StyleBook = ReturnType<typeof styleBook>

/** The styles of a column: of its cells by what they hold, and of its header. */
export type ColumnStyles = ReturnType<typeof columnStyles>

/** Starts a workbook's styles: the plain one is number 0, the header of text is number 1. */
export function styleBook() {
  const known = new Map<string, number>()
  const styles: CellStyle[] = []
  const of = (style: CellStyle): number => {
    const key = JSON.stringify(style)
    if (!known.has(key)) known.set(key, styles.push(style) - 1)
    return known.get(key)!
  }
  of({})
  of(headerStyle)
  return { of, xml: () => stylesXml(styles) }
}

const headerStyle: CellStyle = { font: 'bold', wraps: true }
const day = 'yyyy\\-mm\\-dd'
const momentFormats = { 'of day': 'hh:mm', 'to the minute': `${day}\\ hh:mm`, 'day only': day } as const

/** The styles of a column in a table; `isTop` where another column of the table has text on several lines. */
export function columnStyles(book: StyleBook, { type, look }: Column, isTop: boolean) {
  const top = isTop ? { isTop } : {}
  const { decimals, times, wraps } = look ?? {}
  const isNumber = type === 'number' || type === 'integer'
  const right = isNumber ? { isRight: true } : {}
  const digits = decimals === undefined ? 'General' : `#,##0${decimals === 0 ? '' : '.'}${'0'.repeat(decimals)}`
  // A blank after the digits, because text may begin right beside them; indents look different in LibreOffice and Excel.
  const format = look === undefined ? undefined : `${digits}\\ `
  // Days and times are read like text: from the left.
  const left = { ...top, isLeft: true }
  return {
    text: book.of({ ...top, ...(wraps === true ? { wraps } : {}) }),
    number: book.of(format === undefined ? top : { ...top, format }),
    date: book.of({ ...left, format: day }),
    dateTime: book.of({ ...left, format: times === undefined ? `${day}\\ hh:mm:ss` : momentFormats[times] }),
    link: book.of({ ...top, font: 'link', ...(wraps === true ? { wraps } : {}) }),
    header: book.of({ ...headerStyle, ...right }),
  }
}

const firstOwnFormat = 164
const fonts = { plain: '', bold: '<b/>', link: '<u/>' } as const
const fontNames = Object.keys(fonts)

/** Some readers refuse a book without the first two fills, which Excel always writes. */
function stylesXml(styles: readonly CellStyle[]): string {
  const formats = [...new Set(styles.flatMap(({ format }) => format ?? []))]
  const numFmts = formats.map((code, index) => `<numFmt numFmtId="${firstOwnFormat + index}" formatCode="${code}"/>`)
  const fontList = Object.entries(fonts).map(
    ([name, mark]) =>
      `<font>${mark}<sz val="11"/>${name === 'link' ? '<color rgb="FF0B57A4"/>' : ''}<name val="Calibri"/><family val="2"/></font>`,
  )
  const cells = styles.map(({ format, font = 'plain', wraps, isRight, isLeft, isTop }) => {
    const isHeader = font === 'bold'
    const number = format === undefined ? 0 : firstOwnFormat + formats.indexOf(format)
    const alignment =
      `${isRight === true ? ' horizontal="right" indent="1"' : isLeft === true ? ' horizontal="left"' : ''}` +
      `${isTop === true ? ' vertical="top"' : ''}${wraps === true ? ' wrapText="1"' : ''}`
    return (
      `<xf numFmtId="${number}" fontId="${fontNames.indexOf(font)}" fillId="${isHeader ? 2 : 0}" borderId="${isHeader ? 1 : 0}" xfId="0"` +
      `${number === 0 ? '' : ' applyNumberFormat="1"'}${font === 'plain' ? '' : ' applyFont="1"'}` +
      `${isHeader ? ' applyFill="1" applyBorder="1"' : ''}` +
      `${alignment === '' ? '/>' : ` applyAlignment="1"><alignment${alignment}/></xf>`}`
    )
  })
  return (
    `${xmlDeclaration}<styleSheet xmlns="${mainNamespace}">` +
    `${numFmts.length === 0 ? '' : `<numFmts count="${numFmts.length}">${numFmts.join('')}</numFmts>`}` +
    `<fonts count="${fontList.length}">${fontList.join('')}</fonts>` +
    `<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>` +
    `<fill><patternFill patternType="solid"><fgColor rgb="FFE8EEE4"/><bgColor indexed="64"/></patternFill></fill></fills>` +
    `<borders count="2"><border><left/><right/><top/><bottom/><diagonal/></border>` +
    `<border><left/><right/><top/><bottom style="thin"><color rgb="FF6B7F5E"/></bottom><diagonal/></border></borders>` +
    `<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
    `<cellXfs count="${cells.length}">${cells.join('')}</cellXfs>` +
    `<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
  )
}

/** What was lost in cells, for the notes to the person who opens the file. */
export type CellLosses = { cut: number; zones: number }

/** No cell of a sheet holds more. */
const cellChars = 32_767

/** Writes the cell at a reference; a blank one is left out. */
export function cellXml(reference: string, value: Value, column: CellColumn, losses: CellLosses): string {
  if (value === null || value === undefined || value === '') return ''
  const { type = typeof value, styles } = column
  if (type === 'boolean' && typeof value === 'boolean')
    return `<c r="${reference}"${styled(styles.text)} t="b"><v>${value ? 1 : 0}</v></c>`
  const isNumber = type === 'number' || type === 'integer'
  const isTime = type === 'date' || type === 'date-time'
  const xml = isNumber
    ? numberXml(reference, value, styles.number)
    : isTime
      ? dateXml(reference, value, column, losses)
      : undefined
  return xml ?? textXml(reference, textOf(value), losses, styles.text)
}

/** What decides how the cells of a column are written. */
export type CellColumn = {
  readonly type?: ColumnType | undefined
  readonly zone?: string | undefined
  readonly styles: ColumnStyles
}

/** Excel follows a formula with text of up to this length. */
const longestLinkText = 255

/** Writes a cell that leads to a cell of another sheet; a formula, because a sheet can only list 65,530 links. */
export function linkXml(reference: string, text: string, target: string, style: number): string | undefined {
  if (text === '' || text.length > longestLinkText) return undefined
  const quoted = (each: string): string => `"${each.replaceAll('"', '""')}"`
  const formula = xmlText(`HYPERLINK(${quoted(`#${target}`)},${quoted(text)})`)
  return `<c r="${reference}"${styled(style)} t="str"><f>${formula}</f><v>${xmlText(text)}</v></c>`
}

function styled(style: number): string {
  return style === 0 ? '' : ` s="${style}"`
}

const plainNumber = /^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?$/

/** Excel keeps 15 digits: longer whole numbers stay text, so that no id loses its end. */
function numberXml(reference: string, value: Value, style: number): string | undefined {
  const isKept =
    typeof value === 'number'
      ? Number.isFinite(value) && !(Number.isInteger(value) && Math.abs(value) >= 1e15)
      : typeof value === 'string' && plainNumber.test(value) && value.length <= 16
  return isKept ? `<c r="${reference}"${styled(style)}><v>${textOf(value)}</v></c>` : undefined
}

function dateXml(
  reference: string,
  value: Value,
  { zone, styles }: CellColumn,
  losses: CellLosses,
): string | undefined {
  const day = typeof value === 'string' ? serialOfIso(value) : undefined
  if (day === undefined) return undefined
  if (day.zone && zone === undefined) losses.zones += 1
  // The text decides the format: a date in a date-time column is not midnight.
  const style = (value as string).length > 10 ? styles.dateTime : styles.date
  return `<c r="${reference}" s="${style}"><v>${day.serial}</v></c>`
}

/** Writes a cell of text, with a style if one is given. */
export function textXml(reference: string, text: string, losses: CellLosses, style: number): string {
  // Only where it matters: otherwise it would be a fifth of the sheet.
  const space = outerBlank.test(text) ? ' xml:space="preserve"' : ''
  return `<c r="${reference}"${styled(style)} t="inlineStr"><is><t${space}>${xmlText(cutText(text, losses))}</t></is></c>`
}

const outerBlank = /^\s|\s$|\s\s|[\n\t]/

function cutText(text: string, losses: CellLosses): string {
  if (text.length <= cellChars) return text
  losses.cut += 1
  // Not through the middle of a character of two units.
  const last = text.charCodeAt(cellChars - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? cellChars - 1 : cellChars)
}
