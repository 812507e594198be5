/** Recognises CSV and defines its options. */

import { strictObject } from '../core/object-schema.ts'
import { looksLikeText } from '../core/sources/text.ts'
import { dialectsFor, dialectShown } from './csv/dialect.ts'
import { startScan } from './csv/scan.ts'
import { splitRecords } from './csv/split.ts'
import type { Format, Probe } from './format.ts'
import { geometryOptions, headerOption } from './grid/options.ts'
import { headText } from './recognise.ts'

/** How CSV is written. */
const csvStyles = ['plain', 'excel'] as const

/** Comma, semicolon or tab separated text; cells stay text. */
export const csv: Format = {
  name: 'csv',
  title: 'CSV (comma, semicolon or tab separated text)',
  extensions: ['.csv', '.tsv', '.tab', '.txt'],
  isText: true,
  options: strictObject([], {
    encoding: { type: 'string', description: 'The text encoding, such as utf-8 or windows-1252.' },
    delimiter: { type: 'string', minLength: 1, description: 'The delimiter between cells: one character, or "tab".' },
    quote: { type: 'string', minLength: 1, description: 'The quote character around cells, or "none".' },
    escape: {
      enum: ['double', 'backslash'],
      description: 'How a quote inside a cell is written: doubled, or with a backslash before it.',
    },
    decimal: { enum: ['point', 'comma'], description: 'The decimal separator: point or comma.' },
    header: headerOption,
    ...geometryOptions,
    csv: {
      enum: csvStyles,
      writeOnly: true,
      description: 'When writing: plain (ISO dates and times, decimal points), or excel (as Excel reads them).',
    },
    locale: {
      type: 'string',
      minLength: 2,
      writeOnly: true,
      description: 'When writing for Excel: whose list separator and decimals, such as de-DE.',
    },
    bom: {
      type: 'boolean',
      writeOnly: true,
      description: 'When writing: begin with a byte order mark, which Excel needs (default).',
    },
  }),
  recognise,
  open: async (source, options) => (await import('./csv/open-csv.ts')).openCsv(source, options),
  look: async (source, options, signal) => (await import('./csv/open-csv.ts')).lookAtCsv(source, options, signal),
  write: async (tables, target, options) => (await import('./csv/write-csv.ts')).writeCsv(tables, target, options),
}

function recognise({ name, head, members }: Probe): boolean {
  if (members !== undefined || !(looksLikeText(head) || isPaddedText(name, head))) return false
  const text = headText(head).replace(/\r\n?/g, '\n')
  // A failed download is often a web page or a JSON error with the name of the table; .tab is also a map format.
  if (/^\s*(?:<(?:!doctype|html|\?xml)|\{\s*"|!table\b)/i.test(text)) return false
  if (/\.(csv|tsv|tab|txt)$/i.test(name)) return true
  if (/\.[a-z0-9]{1,8}$/i.test(name) && !/\.(dat|asc|data|part|tmp|export)$/i.test(name)) return false
  // The name gives no hint: the content must look like a table.
  if (/^\s*[<{[%]/.test(text)) return false
  const scan = startScan(dialectsFor({ quote: '"' }, true))
  scan.add(Buffer.from(text))
  const { delimiter } = dialectShown(scan.end())
  const widths = splitRecords(text, { delimiter, quote: '"' }, false).cells.map(({ length }) => length)
  const isTable = (from: number, rows: number): boolean =>
    widths[from]! > 1 &&
    widths.slice(from, from + rows).every((width, _, run) => width === run[0] && run.length === rows)
  // Below a title, two similar rows may be prose; three are a table.
  return isTable(0, 2) || widths.slice(0, mostTitles).some((_, row) => isTable(row, 3))
}

const mostTitles = 20

/** Text with a few zero bytes, with a name that marks it as a table. */
function isPaddedText(name: string, head: Uint8Array): boolean {
  if (!/\.(csv|tsv|tab)$/i.test(name)) return false
  const nulls = head.reduce((count, byte) => count + (byte === 0 ? 1 : 0), 0)
  // Other control characters belong to a program's own format, whatever the name is.
  return nulls * 4 < head.length && !head.some((byte) => (byte > 0 && byte < 9) || (byte > 13 && byte < 26))
}
