/** Writes one value as a cell of a sheet: its type, its style, and text that is safe in XML. */

import type { ColumnType, Value } from '../../core/row.ts'
import { serialOfIso } from '../day-numbers.ts'
import { textOf } from '../table-names.ts'
import type { ColumnStyles } from './cell-styles.ts'
import { xmlText } from './markup.ts'

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
