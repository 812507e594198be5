/** Collects the styles that the cells of a workbook use, and writes them as its style sheet. */

import type { Column } from '../../core/row.ts'
import { mainNamespace, xmlDeclaration } from './markup.ts'

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
