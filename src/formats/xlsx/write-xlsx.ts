/** Writes tables as an Excel workbook: the sheets are streamed, the rest of the book follows. */

import { WindrowError } from '../../core/error.ts'
import type { Target } from '../../core/sources/target.ts'
import { zipTarget } from '../../core/sources/zip-writer.ts'
import type { FormatOptions, OutRow, OutTable, Written } from '../format.ts'
import {
  styleBook,
  columnStyles,
  type ColumnStyles,
  type StyleBook,
  type CellLosses,
  cellXml,
  linkXml,
  textXml,
  mainNamespace,
  xmlDeclaration,
  xmlText,
} from './cells.ts'
import type { Column, Value } from '../../core/row.ts'
import { numberLength } from '../../core/values/number-length.ts'
import { plural } from '../../core/values/plural.ts'
import { cellOf, textOf } from '../table-names.ts'
import { columnLetters } from '../spreadsheet/spreadsheet-sheet.ts'

/** Level 6 of deflate saves a sixth of the bytes but takes twice the time. */
const defaultLevel = 1

/** Writes tables as the sheets of a workbook. */
export async function writeXlsx(tables: readonly OutTable[], target: Target, options: FormatOptions): Promise<Written> {
  if (tables.length === 0)
    throw new WindrowError('format-cannot-write', 'There is no table to write into the workbook.')
  const zip = zipTarget(target, { level: (options.level as number | undefined) ?? defaultLevel })
  const losses: CellLosses = { cut: 0, zones: 0 }
  const styles = styleBook()
  const sheets: Sheet[] = []
  const notes: string[] = []
  const rows: Record<string, number> = {}
  const taken = new Set<string>()
  const nameOf = (wanted: string): string => {
    const name = sheetName(wanted, taken)
    taken.add(name.toLowerCase())
    return name
  }
  const shaped = new Set<OutTable>()
  for (const table of tables) {
    const before = sheets.length
    const watched = { ...table, rows: () => watchShapes(table, shaped) }
    for await (const sheet of sheetsOf(watched, losses, nameOf, { styles })) {
      await zip.add(`xl/worksheets/sheet${sheets.length + 1}.xml`, sheet.xml)
      sheets.push(sheet)
    }
    const own = sheets.slice(before)
    rows[table.name] = (rows[table.name] ?? 0) + own.reduce((sum, sheet) => sum + sheet.rows(), 0)
    notes.push(...tableNotes(table, own))
  }
  const [first, ...more] = shaped
  if (first !== undefined)
    notes.push(
      `The boundaries${more.length === 0 ? ` of "${first.name}"` : ''} are not in the workbook; write GeoJSON or a shapefile for them.`,
    )
  for (const [name, xml] of bookParts(sheets, styles.xml())) await zip.add(name, [xml])
  await zip.finish()
  return { rows, notes: [...notes, ...lossNotes(losses)] }
}

/** The rows of the table, which becomes one of the `shaped` as soon as one of them has a shape. */
async function* watchShapes(table: OutTable, shaped: Set<OutTable>): AsyncGenerator<readonly OutRow[]> {
  for await (const batch of table.rows()) {
    if (!shaped.has(table) && batch.some(({ shape }) => shape !== undefined && shape !== null)) shaped.add(table)
    yield batch
  }
}

function tableNotes(table: OutTable, sheets: readonly Sheet[]): readonly string[] {
  const [first, ...more] = sheets.map(({ name }) => `"${name}"`)
  const name = `"${table.name}"`
  const notes: string[] = []
  if (more.length > 0) notes.push(`${name} has more rows than a sheet can contain; it continues in ${more.join(', ')}.`)
  if (first !== undefined && first !== name)
    notes.push(`${name} is called ${first} in the workbook, because Excel does not accept the original name.`)
  return notes
}

function lossNotes({ cut, zones }: CellLosses): readonly string[] {
  const notes: string[] = []
  if (cut > 0)
    notes.push(`${plural(cut, 'cell was', 'cells were')} cut, because Excel allows 32,767 characters in a cell.`)
  if (zones > 0)
    notes.push(
      `${zones} times are in UTC or the zone they were recorded in, because a cell cannot contain the zone. For local time set  zone: Pacific/Auckland`,
    )
  return notes
}

/** The limits of a sheet, header included. */
const sheetLimits = { rows: 1_048_576, columns: 16_384 } as const

/** Makes a name that Excel accepts: at most 31 units, no forbidden characters, unique regardless of case. */
export function sheetName(wanted: string, taken: ReadonlySet<string>): string {
  const legal = wanted
    .toWellFormed()
    .replace(/[[\]:*?/\\\x00-\x1f]/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^['\s]+|['\s]+$/g, '')
  // Excel reserves the name "History".
  const base = legal === '' || legal.toLowerCase() === 'history' ? `Sheet ${legal}`.trim() : legal
  for (let count = 1; ; count += 1) {
    const suffix = count === 1 ? '' : ` (${count})`
    const name = base.slice(0, 31 - suffix.length).replace(/[\ud800-\udbff]$|['\s]+$/, '') + suffix
    if (!taken.has(name.toLowerCase())) return name
  }
}

/** The sheets of a table: one, or as many as its rows need. The next one starts when the one before has been read. */
export async function* sheetsOf(
  table: OutTable,
  losses: CellLosses,
  nameOf: (wanted: string) => string,
  {
    rowLimit = sheetLimits.rows,
    styles = styleBook(),
  }: { readonly rowLimit?: number; readonly styles?: StyleBook } = {},
): AsyncGenerator<Sheet> {
  if (table.columns.length > sheetLimits.columns)
    throw new WindrowError(
      'format-cannot-write',
      `"${table.name}" has ${table.columns.length} columns; a sheet can have ${sheetLimits.columns}.`,
      { hint: 'Export fewer columns, or write CSV.' },
    )
  const isTop = table.columns.some(({ look }) => look?.wraps === true)
  const rest = rowsInPieces(table)
  let held = await rest.next()
  const first = held.done === true ? [] : held.value
  const columns = table.columns.map((column, index) =>
    sheetColumn(column, { index, styles: columnStyles(styles, column, isTop), first }),
  )
  do {
    let rows = 0
    const xml = async function* (): AsyncGenerator<string> {
      yield sheetHead(table, columns, losses)
      let room = rowLimit - 1
      const writeRow = rowWriter(columns, losses, rowLimit)
      while (held.done !== true && room > 0) {
        const now = held.value.slice(0, room)
        yield now.map((row, index) => writeRow(row, rows + index + 2)).join('')
        rows += now.length
        room -= now.length
        held = now.length < held.value.length ? { done: false, value: held.value.slice(now.length) } : await rest.next()
      }
      yield sheetTail(table, rows)
    }
    const printed = table.columns.findLastIndex(({ look }) => look?.isId !== true) + 1
    yield { name: nameOf(table.name), columns: table.columns.length, printed, xml: xml(), rows: () => rows }
  } while (held.done !== true)
}

async function* rowsInPieces(table: OutTable): AsyncGenerator<readonly OutRow[], undefined> {
  for await (const batch of table.rows()) if (batch.length > 0) yield batch
  return undefined
}

type SheetColumn = ReturnType<typeof sheetColumn>

/** `target` is the sheet that the cells of the column lead to, as formulas write it. */
function sheetColumn(
  column: Column,
  {
    index,
    styles,
    first,
  }: { readonly index: number; readonly styles: ColumnStyles; readonly first: readonly OutRow[] },
) {
  const leadsTo = column.look?.leadsTo
  const target = leadsTo === undefined ? undefined : sheetReference(sheetName(leadsTo, new Set()))
  const read = cellOf(column.name)
  const shown = first.map(({ values }) => read(values))
  return { ...column, letters: columnLetters(index), styles, read, target, width: widthOf(column, shown) }
}

function rowWriter(columns: readonly SheetColumn[], losses: CellLosses, rowLimit: number) {
  return ({ values, leadsTo }: OutRow, number: number): string => {
    let text = ''
    let lines = 1
    for (const column of columns) {
      const reference = `${column.letters}${number}`
      const value = column.read(values)
      const row = column.target === undefined ? undefined : leadsTo?.[column.name]
      // Rows beyond the first sheet of a table lie on a sheet whose name is not known yet.
      const isNear = row !== undefined && row < rowLimit - 1
      const link = isNear
        ? linkXml(reference, textOf(value ?? ''), `${column.target}!A${row + 2}`, column.styles.link)
        : undefined
      text += link ?? cellXml(reference, value, column, losses)
      // LibreOffice begins a new line at a line break in any column.
      if (typeof value === 'string')
        lines = Math.max(lines, linesOf(value, column.look?.wraps === true ? column.width - 1 : Infinity))
    }
    return `<row r="${number}"${heightOf(lines)}>${text}</row>`
  }
}

function sheetHead(
  { frozen = 0, columns: { length } }: OutTable,
  columns: readonly SheetColumn[],
  losses: CellLosses,
): string {
  const header = columns
    .map(({ name, letters, styles }) => textXml(`${letters}1`, name, losses, styles.header))
    .join('')
  const lines = Math.max(1, ...columns.map(({ name, width }) => linesOf(name, width - 2)))
  const cols = columns
    .map(({ width }, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`)
    .join('')
  const split = Math.min(frozen, length)
  const pane =
    split === 0
      ? '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
      : `<pane xSplit="${split}" ySplit="1" topLeftCell="${columnLetters(split)}2" activePane="bottomRight" state="frozen"/>`
  return (
    `${xmlDeclaration}<worksheet xmlns="${mainNamespace}"><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>` +
    `<sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews>` +
    `<sheetFormatPr defaultRowHeight="15"/>${cols === '' ? '' : `<cols>${cols}</cols>`}<sheetData><row r="1"${heightOf(lines)}>${header}</row>`
  )
}

/** Programs other than Excel do not make a row higher for text on several lines. */
function heightOf(lines: number): string {
  return lines === 1 ? '' : ` ht="${Math.min(15 * lines, highestRow)}" customHeight="1"`
}

/** The limit of Excel, in points. */
const highestRow = 409

/** A landscape A4 page as wide as the table, with the name of the sheet, the page and the day of printing below. */
function sheetTail({ columns, heading }: OutTable, rows: number): string {
  const filter = columns.length === 0 ? '' : `<autoFilter ref="A1:${columnLetters(columns.length - 1)}${rows + 1}"/>`
  const above =
    heading === undefined
      ? ''
      : // Excel accepts 255 characters, with an ampersand as two.
        `<oddHeader>${xmlText(`&L${heading.slice(0, 120).replaceAll('&', '&&')}`)}</oddHeader>`
  return (
    `</sheetData>${filter}<pageMargins left="0.4" right="0.4" top="0.6" bottom="0.6" header="0.3" footer="0.3"/>` +
    `<pageSetup paperSize="9" orientation="landscape" fitToWidth="1" fitToHeight="0"/>` +
    `<headerFooter>${above}<oddFooter>&amp;L&amp;A&amp;CPage &amp;P of &amp;N&amp;R&amp;D</oddFooter></headerFooter></worksheet>`
  )
}

/** Wide enough for what the first rows show and for a header on up to three lines, but not wider than a screen likes. */
function widthOf(column: Column, first: readonly Value[]): number {
  const { name, type, look } = column
  const isNumber = type === 'number' || type === 'integer'
  if (look?.width !== undefined && !isNumber) return look.width
  const words = name.split(' ').map((word) => word.length)
  // The button of the filter covers the end of the header's last line.
  let longest = Math.max(Math.ceil((name.length + 4) / mostHeaderLines), ...words) + 3
  for (const value of first) longest = Math.max(longest, shownLength(column, value) + 1)
  return Math.min(look?.wraps === true ? 40 : 60, Math.max(look?.width ?? 8, longest))
}

const mostHeaderLines = 3

function shownLength({ type, look }: Column, value: Value): number {
  if (value === null || value === undefined) return 0
  if (typeof value === 'number') return numberLength(value, look?.decimals)
  const text = textOf(value)
  if (type !== 'date-time') return text.length
  return look?.times === undefined ? Math.min(text.length, 19) : momentLengths[look.times]
}

const momentLengths = { 'of day': 5, 'to the minute': 16, 'day only': 10 } as const

/** About how many lines a text needs at this width, broken at its line breaks and at blanks. */
function linesOf(text: string, width: number): number {
  if (text.includes('\n')) return text.split('\n').reduce((lines, line) => lines + linesOf(line, width), 0)
  if (text.length <= width) return 1
  let [lines, used] = [1, 0]
  for (const { length } of text.split(/\s/)) {
    if (used > 0 && used + 1 + length > width) [lines, used] = [lines + 1, 0]
    used += (used > 0 ? 1 : 0) + length
    // A word that is wider than the column is broken.
    lines += Math.floor((used - 1) / width)
    used = ((used - 1) % width) + 1
  }
  return lines
}

/** A sheet being written: `xml` may be read once; `rows` is correct after that. */
export type Sheet = {
  readonly name: string
  readonly columns: number
  /** How many of the first columns are printed. */
  readonly printed: number
  readonly xml: AsyncIterable<string>
  rows(): number
}

const officeDocument = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packageNamespace = 'http://schemas.openxmlformats.org/package/2006'
const sheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** The parts of the workbook by name, without the sheets, whose rows are written. */
export function bookParts(sheets: readonly Sheet[], stylesXml: string): ReadonlyMap<string, string> {
  return new Map([
    ['xl/workbook.xml', workbookXml(sheets)],
    ['xl/_rels/workbook.xml.rels', workbookRelations(sheets.length)],
    ['xl/styles.xml', stylesXml],
    ['docProps/core.xml', coreXml],
    ['docProps/app.xml', appXml],
    ['_rels/.rels', packageRelations],
    ['[Content_Types].xml', contentTypes(sheets.length)],
  ])
}

function workbookXml(sheets: readonly Sheet[]): string {
  const list = sheets.map(
    ({ name }, index) => `<sheet name="${xmlText(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  )
  // Excel also stores the range of a filter under this hidden name, and LibreOffice reads it. The first row is printed on every page.
  const filters = sheets.map(({ name, rows, columns, printed }, index) => {
    const sheet = sheetReference(name)
    const range = (width: number): string => xmlText(`${sheet}!$A$1:$${columnLetters(width - 1)}$${rows() + 1}`)
    return columns === 0
      ? ''
      : `<definedName name="_xlnm._FilterDatabase" localSheetId="${index}" hidden="1">` +
          `${range(columns)}</definedName>` +
          (printed === 0 || printed === columns
            ? ''
            : `<definedName name="_xlnm.Print_Area" localSheetId="${index}">${range(printed)}</definedName>`) +
          `<definedName name="_xlnm.Print_Titles" localSheetId="${index}">${xmlText(`${sheet}!$1:$1`)}</definedName>`
  })
  const names = filters.join('')
  return (
    `${xmlDeclaration}<workbook xmlns="${mainNamespace}" xmlns:r="${officeDocument}"><bookViews><workbookView/></bookViews>` +
    `<sheets>${list.join('')}</sheets>${names === '' ? '' : `<definedNames>${names}</definedNames>`}</workbook>`
  )
}

/** A sheet's name as formulas write it. */
export function sheetReference(name: string): string {
  return `'${name.replaceAll("'", "''")}'`
}

function workbookRelations(sheets: number): string {
  const relations = Array.from(
    { length: sheets },
    (_, index) =>
      `<Relationship Id="rId${index + 1}" Type="${officeDocument}/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`,
  )
  relations.push(`<Relationship Id="rId${sheets + 1}" Type="${officeDocument}/styles" Target="styles.xml"/>`)
  return `${xmlDeclaration}<Relationships xmlns="${packageNamespace}/relationships">${relations.join('')}</Relationships>`
}

function contentTypes(sheets: number): string {
  const parts = Array.from({ length: sheets }, (_, index) => ['worksheets/sheet' + (index + 1), 'worksheet'] as const)
  const overrides = [['workbook', 'sheet.main'] as const, ['styles', 'styles'] as const, ...parts].map(
    ([part, type]) => `<Override PartName="/xl/${part}.xml" ContentType="${sheetType}.${type}+xml"/>`,
  )
  return (
    `${xmlDeclaration}<Types xmlns="${packageNamespace}/content-types">` +
    `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
    `<Default Extension="xml" ContentType="application/xml"/>${overrides.join('')}` +
    `<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>` +
    `<Override PartName="/docProps/app.xml" ContentType="application/vnd.openxmlformats-officedocument.extended-properties+xml"/></Types>`
  )
}

const packageRelations =
  `${xmlDeclaration}<Relationships xmlns="${packageNamespace}/relationships">` +
  `<Relationship Id="rId1" Type="${officeDocument}/officeDocument" Target="xl/workbook.xml"/>` +
  `<Relationship Id="rId2" Type="${packageNamespace}/relationships/metadata/core-properties" Target="docProps/core.xml"/>` +
  `<Relationship Id="rId3" Type="${officeDocument}/extended-properties" Target="docProps/app.xml"/></Relationships>`

const coreXml =
  `${xmlDeclaration}<cp:coreProperties xmlns:cp="${packageNamespace}/metadata/core-properties" ` +
  `xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>windrow</dc:creator></cp:coreProperties>`

const appXml =
  `${xmlDeclaration}<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties">` +
  `<Application>windrow</Application></Properties>`
