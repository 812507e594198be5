/** Finds hidden parts of an OpenDocument spreadsheet, and rewrites cells that the library misreads. */

import { mostColumns, mostRows } from '../spreadsheet/cell-row.ts'
import type { HiddenParts } from './packing.ts'

const tableStyle =
  /<(?:[\w.-]+:)?style\s([^<>]*\bfamily\s*=\s*["']table["'][^<>]*)(?<!\/)>([^]*?)<\/(?:[\w.-]+:)?style>/g
const tags = /<(\/?)(?:[\w.-]+:)?(table|table-row|table-column)(?=[\s/>])([^<>]*)>/g

/** What is hidden, by the names of the sheets as they stand in the XML; sheets that are there in full are left out. */
export function hiddenInSheets(xml: string): ReadonlyMap<string, HiddenParts> {
  const found = new Map<string, HiddenParts>()
  if (!/display\s*=\s*["']false|visibility\s*=\s*["'](?:collapse|filter)/.test(xml)) return found
  const hiddenStyles = new Set<string>()
  for (const [, style = '', content = ''] of xml.matchAll(tableStyle))
    if (/\btable:display\s*=\s*["']false["']/.test(content)) hiddenStyles.add(attribute(style, 'name') ?? '')
  // A chart or a cell may hold a table of its own.
  let depth = 0
  let name = ''
  let sheet = false
  let [rows, columns]: [number[], number[]] = [[], []]
  let [row, column] = [0, 0]
  for (const [tag, closing, what, attributes = ''] of xml.matchAll(tags)) {
    if (what === 'table') {
      if (tag.endsWith('/>')) continue
      depth += closing === '' ? 1 : -1
      if (closing !== '' && depth === 0 && (sheet || rows.length + columns.length > 0))
        found.set(name, { sheet, rows, columns })
      if (closing !== '' || depth !== 1) continue
      name = attribute(attributes, 'name') ?? ''
      sheet = hiddenStyles.has(attribute(attributes, 'style-name') ?? '')
      rows = []
      columns = []
      row = 0
      column = 0
    } else if (closing === '' && depth === 1) {
      const isHidden = /\bvisibility\s*=\s*["'](?:collapse|filter)["']/.test(attributes)
      const repeats = what === 'table-row' ? 'number-rows-repeated' : 'number-columns-repeated'
      const repeated = Math.max(1, Number(attribute(attributes, repeats)) || 1)
      if (what === 'table-row') row = note(rows, row, { repeated, isHidden, most: mostRows })
      else column = note(columns, column, { repeated, isHidden, most: mostColumns })
    }
  }
  return found
}

type Repeated = { readonly repeated: number; readonly isHidden: boolean; readonly most: number }

/** Notes the places from `first` on where they are hidden, and gives the one behind them. */
function note(places: number[], first: number, { repeated, isHidden, most }: Repeated): number {
  const end = Math.min(most, first + repeated)
  if (isHidden) for (let place = first; place < end; place += 1) places.push(place)
  return end
}

function attribute(attributes: string, name: string): string | undefined {
  return new RegExp(`(?:^|[\\s:])${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`)
    .exec(attributes)
    ?.slice(1)
    .find((each) => each !== undefined)
}

const valueWithoutText = /<((?:[\w.-]+:)?table-cell)(\s[^<>]*\boffice:[a-z]*-?value\s*=[^<>]*)\/>/g

const errorAsNumber =
  /<((?:[\w.-]+:)?table-cell)(\s[^<>]*\bvalue-type\s*=\s*["']float["'][^<>]*)>(?=\s*<text:p>#(?:NULL!|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|N\/A)<\/text:p>)/g

/** The XML of the sheets with these cells written as the library understands them. */
export function understoodCells(xml: string): string {
  // A cell may have its value in an attribute alone (ODF 1.2, 19.386), as some writers do with all numbers.
  const closed = xml.replace(valueWithoutText, (cell, name: string, attributes: string) =>
    attributes.includes('string-value') ? cell : `<${name}${attributes}></${name}>`,
  )
  // Excel gives the number 0 to a formula that fails; LibreOffice says in an attribute of its own that it has failed.
  return closed.replace(errorAsNumber, '<$1$2 calcext:value-type="error">')
}
