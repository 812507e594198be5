/** Writes the parts of a workbook around its sheets: names, cell styles, relationships. */

import { columnLetters } from '../spreadsheet/spreadsheet-sheet.ts'
import { mainNamespace, xmlDeclaration, xmlText } from './markup.ts'

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
