/** Writes one value as a cell of a sheet: its type, its style, and text that is safe in XML. */

import type { ColumnType, Value } from '../../core/row.ts'
import { serialOfIso } from '../day-numbers.ts'

/** The numbers of the cell formats in styles.xml, in order. */
export const cellStyles = { plain: 0, header: 1, date: 2, dateTime: 3 } as const

/** What was lost in cells, for the notes to the person who opens the file. */
export type CellLosses = { cut: number; zones: number }

/** No cell of a sheet holds more. */
const cellChars = 32_767

/** Writes the cell at a reference; a blank one is left out. */
export function cellXml(
  reference: string,
  value: Value,
  { type, zone }: { readonly type?: ColumnType | undefined; readonly zone?: string | undefined },
  losses: CellLosses,
): string {
  if (value === null || value === undefined || value === '') return ''
  switch (type) {
    case 'integer':
    case 'number':
      return numberXml(reference, value) ?? textXml(reference, textOf(value), losses)
    case 'boolean':
      return typeof value === 'boolean' ? booleanXml(reference, value) : textXml(reference, textOf(value), losses)
    case 'date':
    case 'date-time':
      return dateXml(reference, value, zone, losses) ?? textXml(reference, textOf(value), losses)
    case 'text':
    case 'json':
      return textXml(reference, textOf(value), losses)
    case undefined:
      if (typeof value === 'boolean') return booleanXml(reference, value)
      return (
        (typeof value === 'number' ? numberXml(reference, value) : undefined) ??
        textXml(reference, textOf(value), losses)
      )
  }
}

function textOf(value: Value): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const plainNumber = /^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?$/

/** Excel keeps 15 digits: longer whole numbers stay text, so that no id loses its end. */
function numberXml(reference: string, value: Value): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value) && !(Number.isInteger(value) && Math.abs(value) >= 1e15))
    return `<c r="${reference}"><v>${value}</v></c>`
  if (typeof value === 'string' && plainNumber.test(value) && value.length <= 16)
    return `<c r="${reference}"><v>${value}</v></c>`
  return undefined
}

function booleanXml(reference: string, value: boolean): string {
  return `<c r="${reference}" t="b"><v>${value ? 1 : 0}</v></c>`
}

function dateXml(reference: string, value: Value, zone: string | undefined, losses: CellLosses): string | undefined {
  const day = typeof value === 'string' ? serialOfIso(value) : undefined
  if (day === undefined) return undefined
  if (day.zone && zone === undefined) losses.zones += 1
  // The text decides the format: a date in a date-time column is not midnight.
  const style = (value as string).length > 10 ? cellStyles.dateTime : cellStyles.date
  return `<c r="${reference}" s="${style}"><v>${day.serial}</v></c>`
}

/** Writes a cell of text, with a style if one is given. */
export function textXml(reference: string, text: string, losses: CellLosses, style: number = cellStyles.plain): string {
  const styled = style === cellStyles.plain ? '' : ` s="${style}"`
  // Only where it matters: otherwise it would be a fifth of the sheet.
  const space = outerBlank.test(text) ? ' xml:space="preserve"' : ''
  return `<c r="${reference}"${styled} t="inlineStr"><is><t${space}>${xmlText(cutText(text, losses))}</t></is></c>`
}

const outerBlank = /^\s|\s$|\s\s|[\n\t]/

function cutText(text: string, losses: CellLosses): string {
  if (text.length <= cellChars) return text
  losses.cut += 1
  // Not through the middle of a character of two units.
  const last = text.charCodeAt(cellChars - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? cellChars - 1 : cellChars)
}

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
