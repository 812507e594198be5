/** Writes a table as CSV that Excel and other programs read alike: quoting, line ends, byte order mark, disarmed formulas. */

import { WindrowError } from '../../core/error.ts'
import type { Column, Value } from '../../core/row.ts'
import { wktText } from '../../core/shapes/shape-wkt.ts'
import { TextBytes } from '../../core/shapes/text-bytes.ts'
import { monthByName } from '../../core/values/date-pattern.ts'
import { disarmed, startsFormula } from '../../core/values/formula-text.ts'
import { decimalOf } from '../../core/values/locale.ts'
import type { Target } from '../../core/sources/target.ts'
import type { FormatOptions, OutTable, Written } from '../format.ts'
import { cellOf, freeName, onlyTable, textOf, unwritableNotes } from '../table-names.ts'
import { separatorOf } from './dialect.ts'
import { inPattern } from './split.ts'

const writeBytes = 1 << 17

/** Writes one table by RFC 4180; a geometry becomes well-known text in longitude and latitude in the column `boundary`. */
export async function writeCsv(tables: readonly OutTable[], target: Target, options: FormatOptions): Promise<Written> {
  const table = onlyTable(tables, 'CSV')
  const names = table.columns.map((column) => column.name)
  const readers = names.map(cellOf)
  const boundary = table.hasGeometry ? [freeName('boundary', names)] : []
  const style = styleOf(options)
  const said = options.delimiter ?? style.separator
  const delimiter = said === undefined ? (/\.(tsv|tab)$/i.test(target.name) ? '\t' : ',') : separatorOf(said)
  const lone = names.length + boundary.length === 1
  let zones = 0
  const cellOfText = cellQuoter(delimiter)
  const writers = table.columns.map((column) => cellWriter(column, style, cellOfText, () => (zones += 1)))
  const out = new TextBytes(writeBytes + (1 << 16))
  if (options.bom !== false) out.text('\ufeff')
  out.text(`${[...names, ...boundary].map(cellOfText).join(delimiter)}\r\n`)
  let rows = 0
  let unwritable = 0
  for await (const batch of table.rows()) {
    for (const { values, shape } of batch) {
      let line = ''
      for (let index = 0; index < writers.length; index += 1)
        line += (index === 0 ? '' : delimiter) + writers[index]!(readers[index]!(values))
      if (table.hasGeometry) {
        const wkt = shape === null || shape === undefined ? '' : wktText(shape)
        const usable = !/NaN|Infinity/.test(wkt)
        if (!usable) unwritable += 1
        line += (names.length === 0 ? '' : delimiter) + (usable ? cellOfText(wkt) : '')
      }
      // A single blank cell would be a blank line, which readers skip.
      out.text(lone && line === '' ? '""\r\n' : `${line}\r\n`)
    }
    rows += batch.length
    if (out.at >= writeBytes) await target.write(out.take())
  }
  await target.write(out.take())
  const lost =
    zones === 0
      ? []
      : [`${zones} times are in UTC or the zone they were recorded in, because Excel does not read the zone of a time.`]
  const notes = [...unwritableNotes(unwritable), ...lost]
  return { rows: { [table.name]: rows }, notes }
}

/** Makes the function that writes a text as a cell: disarmed, and in quotes where a reader would otherwise split or trim it. */
export function cellQuoter(delimiter: string): (text: string) => string {
  const splits = `["\\r\\n\\ufeff${inPattern(delimiter)}]|^ | $`
  const [special, unusual] = [new RegExp(splits), new RegExp(`${splits}|${startsFormula.source}`)]
  return (text) => {
    // Most cells need neither, which one test shows.
    if (text === '' || !unusual.test(text)) return text
    const safe = disarmed(text)
    return special.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
  }
}

/** `isExcel`: dates, times and texts so that Excel reads them as they are, and numbers with the decimal separator. */
type Style = { readonly isExcel: boolean; readonly decimal: '.' | ','; readonly separator: string | undefined }

/** Programs that write decimal commas separate cells by semicolons. */
function styleOf({ csv, locale, decimal: said }: FormatOptions): Style {
  if (csv !== 'excel') {
    if (locale === undefined) return { isExcel: false, decimal: '.', separator: undefined }
    throw new WindrowError('option-invalid', 'A locale decides nothing in plain CSV.', {
      hint: 'Set  to.csv: excel  or leave to.locale out.',
    })
  }
  const usual = decimalOf(`${locale ?? 'en'}`)
  const isComma = said === undefined ? usual === ',' : said === 'comma'
  return { isExcel: true, decimal: isComma ? ',' : '.', separator: isComma ? ';' : undefined }
}

function cellWriter(
  { type, zone, look }: Column,
  style: Style,
  cellOfText: (text: string) => string,
  onLostZone: () => void,
): (value: Value) => string {
  const plain = (value: Value): string => cellOfText(textOf(value ?? ''))
  if (!style.isExcel) return plain
  if (type === 'number')
    return (value) => (typeof value === 'number' ? cellOfText(String(value).replace('.', style.decimal)) : plain(value))
  if (look?.isMeasured === true)
    return (value) => cellOfText(textOf(value ?? '').replaceAll(/(?<=\d)\.(?=\d)/g, style.decimal))
  if (type === undefined || type === 'text')
    // A formula that is only a text stays that text.
    return (value) => (typeof value === 'string' && changedByExcel.test(value) ? `"=""${value}"""` : plain(value))
  if (type !== 'date-time') return plain
  return (value) => {
    const match = typeof value === 'string' ? momentParts.exec(value) : null
    if (match === null) return plain(value)
    const [, day, minute, second = '00', offset] = match
    if (look?.times === 'day only') return cellOfText(day!)
    if (offset !== undefined && zone === undefined) onLostZone()
    // Fractions of a second would need the decimal separator of the reader's own Excel.
    return cellOfText(second === '00' ? `${day} ${minute}` : `${day} ${minute}:${second}`)
  }
}

const months = [...monthByName.keys()].join('|')
/**
 * Texts that Excel changes when it opens a file: what it takes for a day or a time, and every number that it would not write in the
 * same way, such as 007, 1,5, +5, (5), 50 % or 1E5.
 */
const changedByExcel = new RegExp(
  [
    String.raw`(?!-?(?:0|[1-9]\d{0,10})$)[-+(]?[.,]?\d[\d.,]*(?:e[-+]?\d+)?\)?(?: ?%)?|\d+ \d+/\d+`,
    String.raw`\d{1,4}[-./]\d{1,4}(?:[-./]\d{1,4})?|\d{1,2}(?::\d\d){1,2}(?: ?[ap]m?)?|\d{1,2} [ap]m?`,
    String.raw`\d{1,4}[-/. ]*(?:${months})\.?(?:[-/. ]*\d{1,4})?|(?:${months})\.?[-/. ]*\d{1,4}`,
  ]
    .map((each) => `^(?:${each})$`)
    .join('|'),
  'iu',
)

const momentParts = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d)(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/
