/** Writes the parts of a workbook around its sheets: names, cell styles, relationships. */

import { columnLetters } from '../spreadsheet/column-letters.ts'
import { xmlText } from './cells.ts'
import { mainNamespace, xmlDeclaration } from './sheets.ts'

/** What is known of a sheet when all its rows are written. */
export type WrittenSheet = { readonly name: string; readonly rows: number; readonly columns: number }

const officeDocument = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packageNamespace = 'http://schemas.openxmlformats.org/package/2006'
const sheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** The parts of the workbook by name, without the sheets. */
export function bookParts(sheets: readonly WrittenSheet[]): ReadonlyMap<string, string> {
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

function workbookXml(sheets: readonly WrittenSheet[]): string {
  const list = sheets.map(
    ({ name }, index) => `<sheet name="${xmlText(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  )
  // Excel also stores the range of a filter under this hidden name, and LibreOffice reads it.
  const filters = sheets.map(({ name, rows, columns }, index) =>
    columns === 0
      ? ''
      : `<definedName name="_xlnm._FilterDatabase" localSheetId="${index}" hidden="1">` +
        `${xmlText(`'${name.replaceAll("'", "''")}'!$A$1:$${columnLetters(columns - 1)}$${rows + 1}`)}</definedName>`,
  )
  const names = filters.join('')
  return (
    `${xmlDeclaration}<workbook xmlns="${mainNamespace}" xmlns:r="${officeDocument}"><bookViews><workbookView/></bookViews>` +
    `<sheets>${list.join('')}</sheets>${names === '' ? '' : `<definedNames>${names}</definedNames>`}</workbook>`
  )
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

/** The order of cellXfs is that of `cellStyles`. Some readers refuse a book without the two fills, which Excel always writes. */
const stylesXml =
  `${xmlDeclaration}<styleSheet xmlns="${mainNamespace}">` +
  `<numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>` +
  `<fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font>` +
  `<font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>` +
  `<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
  `<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
  `<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
  `<cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
  `<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>` +
  `<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
  `<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>` +
  `<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
