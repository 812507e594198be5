/** Finds hidden parts of an OpenDocument spreadsheet, and rewrites cells that the library misreads. */

import { isDay } from '../../core/values/date-pattern.ts'
import { errorPattern } from '../../core/values/no-value.ts'
import { mostColumns, mostRows } from '../spreadsheet/spreadsheet-sheet.ts'
import { nameCodes, rawAttribute, XmlScanner } from '../xml.ts'
import type { HiddenParts } from './packing.ts'

const names = {
  ...nameCodes('style', 'family', 'name', 'style-name', 'table-properties', 'display'),
  ...nameCodes('table', 'table-row', 'table-column', 'visibility', 'number-rows-repeated', 'number-columns-repeated'),
}

/** What is hidden, by sheet names as written in the XML; completely visible sheets are left out. */
export function hiddenInSheets(xml: Buffer): ReadonlyMap<string, HiddenParts> {
  const found = new Map<string, HiddenParts>()
  const hiddenStyles = new Set<string>()
  let style = ''
  // A chart or a cell may contain its own table.
  let depth = 0
  let name = ''
  let sheet = false
  let [rows, columns]: [number[], number[]] = [[], []]
  let [row, column] = [0, 0]
  const scanner = new XmlScanner('content.xml', {
    open(element, attributes, bytes) {
      const valueOf = (wanted: number): string => rawAttribute(attributes, wanted, bytes) ?? ''
      if (element === names.style) style = valueOf(names.family) === 'table' ? valueOf(names.name) : ''
      else if (element === names['table-properties'] && valueOf(names.display) === 'false') hiddenStyles.add(style)
      else if (element === names.table) {
        depth += 1
        if (depth > 1) return
        name = valueOf(names.name)
        sheet = hiddenStyles.has(valueOf(names['style-name']))
        ;[rows, columns, row, column] = [[], [], 0, 0]
      } else if (depth === 1 && (element === names['table-row'] || element === names['table-column'])) {
        const isHidden = /^(?:collapse|filter)$/.test(valueOf(names.visibility))
        const isRow = element === names['table-row']
        const times = isRow ? names['number-rows-repeated'] : names['number-columns-repeated']
        const repeated = Math.max(1, Number(valueOf(times)) || 1)
        if (isRow) row = note(rows, row, { repeated, isHidden, most: mostRows })
        else column = note(columns, column, { repeated, isHidden, most: mostColumns })
      }
    },
    close(element) {
      if (element !== names.table) return
      depth -= 1
      if (depth === 0 && (sheet || rows.length + columns.length > 0)) found.set(name, { sheet, rows, columns })
    },
  })
  scanner.push(xml)
  return found
}

type Repeated = { readonly repeated: number; readonly isHidden: boolean; readonly most: number }

/** Notes the positions from `first` on if they are hidden, and returns the next one. */
function note(places: number[], first: number, { repeated, isHidden, most }: Repeated): number {
  const end = Math.min(most, first + repeated)
  if (isHidden) for (let place = first; place < end; place += 1) places.push(place)
  return end
}

const valueWithoutText = /<((?:[\w.-]+:)?table-cell)(\s[^<>]*\boffice:[a-z]*-?value\s*=[^<>]*)\/>/g

const errorAsNumber = new RegExp(
  `<((?:[\\w.-]+:)?table-cell)(\\s[^<>]*\\bvalue-type\\s*=\\s*["']float["'][^<>]*)>(?=\\s*<text:p>(?:${errorPattern})</text:p>)`,
  'gu',
)

const wholeNumberShown =
  /<((?:[\w.-]+:)?table-cell)(\s[^<>]*\bvalue-type\s*=\s*["']float["'][^<>]*)>(?=\s*<text:p>(\d[\d/-]*)<\/text:p>)/g

const formulaWithoutValue = /<((?:[\w.-]+:)?table-cell)(\s[^<>]*?\bformula\s*=[^<>]*?)(?:\/>|><\/\1>)/g
const valueType = /\s[\w.-]*:?value-type\s*=\s*(?:"[^"]*"|'[^']*')/g
const valueInside = /\bvalue-type\s*=\s*["']string|-?value\s*=/

const dateCell =
  /<((?:[\w.-]+:)?table-cell)(\s[^<>]*\bdate-value\s*=\s*["']((\d{4})-(\d\d)-(\d\d))[^<>]*)>(?:\s*<text:p>[^<]*<\/text:p>)?/g

const durationInDays = /(\btime-value\s*=\s*["']-?)P(\d+)D(?:T(?:(\d+)H)?)?/g

/** The XML of the sheets with these cells in a form that the library reads. */
export function understoodCells(xml: string): string {
  // A cell may have its value in an attribute alone (ODF 1.2, 19.386), as some programs do with all numbers.
  const closed = xml.replace(valueWithoutText, (cell, name: string, attributes: string) =>
    attributes.includes('string-value') ? cell : `<${name}${attributes}></${name}>`,
  )
  // A formula that was never calculated is a cell without a value, which the library leaves out: as a number, it is one that is none.
  const computed = closed.replace(formulaWithoutValue, (cell, name: string, attributes: string) =>
    valueInside.test(attributes)
      ? cell
      : `<${name}${attributes.replace(valueType, '')} office:value-type="float"></${name}>`,
  )
  // The library makes another day of one that there is not.
  const dated = computed.replace(
    dateCell,
    (cell, name: string, attributes: string, ...[shown, year, month, day]: string[]) =>
      isDay(Number(year), Number(month), Number(day))
        ? cell
        : `<${name}${asText(attributes)}><text:p>${shown}</text:p>`,
  )
  // The library does not know the number format of a whole column, which shows 123 as 00123.
  const padded = dated.replace(wholeNumberShown, (cell, name: string, attributes: string, shown: string) => {
    const value = /\boffice:value\s*=\s*["'](\d+)["']/.exec(attributes)?.[1]
    if (value === shown || value !== shown.replace(/\D/g, '').replace(/^0+(?=\d)/, '')) return cell
    return `<${name}${asText(attributes)}>`
  })
  // The library refuses the days of a duration (XML Schema part 2, 3.2.6).
  const inHours = padded.replace(durationInDays, (_, before: string, days: string, hours = '0') => {
    return `${before}PT${Number(days) * 24 + Number(hours)}H`
  })
  // Excel writes the number 0 for a formula that fails; LibreOffice marks the failure in its own attribute.
  return inHours.replace(
    errorAsNumber,
    (_, name: string, attributes: string) => `<${name}${asText(attributes)} calcext:value-type="error">`,
  )
}

function asText(attributes: string): string {
  return attributes.replace(/(\bvalue-type\s*=\s*["'])(?:float|date)/g, '$1string')
}
