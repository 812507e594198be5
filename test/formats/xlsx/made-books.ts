/** Makes Excel workbooks from parts as text, also invalid ones. */

import { zipBytes, type MadeMember } from '../../core/zip-bytes.ts'

const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

/** What differs from the plainest workbook. A sheet is what stands between `<worksheet>` and `</worksheet>`. */
export type MadeBook = {
  readonly sheets?: Readonly<Record<string, string>>
  readonly rows?: string
  /** What follows the cells of `rows`, such as merged ranges. */
  readonly tail?: string
  readonly texts?: readonly string[]
  readonly formats?: readonly string[]
  readonly date1904?: boolean
  readonly states?: Readonly<Record<string, string>>
  /** Parts put in the place of those made here, or beside them; undefined leaves one out. */
  readonly parts?: Readonly<Record<string, string | Uint8Array | undefined>>
}

/** A workbook as a zip. */
export function bookBytes(book: MadeBook): Uint8Array {
  const sheets = book.sheets ?? { Paddocks: `<sheetData>${book.rows ?? ''}</sheetData>${book.tail ?? ''}` }
  const members = new Map<string, string | Uint8Array | undefined>([
    ['[Content_Types].xml', '<Types/>'],
    ['_rels/.rels', relations([['rId1', 'officeDocument', 'xl/workbook.xml']])],
    ['xl/workbook.xml', workbookXml(book, Object.keys(sheets))],
    ['xl/_rels/workbook.xml.rels', bookRelations(book, Object.keys(sheets))],
  ])
  for (const [index, xml] of Object.values(sheets).entries())
    members.set(`xl/worksheets/sheet${index + 1}.xml`, `<worksheet xmlns="${main}">${xml}</worksheet>`)
  if (book.texts !== undefined)
    members.set(
      'xl/sharedStrings.xml',
      `<sst xmlns="${main}">${book.texts.map((text) => `<si>${text}</si>`).join('')}</sst>`,
    )
  if (book.formats !== undefined) members.set('xl/styles.xml', stylesXml(book.formats))
  for (const [name, bytes] of Object.entries(book.parts ?? {})) members.set(name, bytes)
  return zipBytes([...members].flatMap(([name, bytes]): MadeMember[] => (bytes === undefined ? [] : [{ name, bytes }])))
}

/** Relationships by id, the last word of their type, and target. */
export function relations(list: readonly (readonly [id: string, type: string, target: string])[]): string {
  const lines = list.map(
    ([id, type, target]) => `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`,
  )
  return `<Relationships>${lines.join('')}</Relationships>`
}

function workbookXml({ date1904, states }: MadeBook, names: readonly string[]): string {
  const sheets = names.map((name, index) => {
    const state = states?.[name] === undefined ? '' : ` state="${states[name]}"`
    return `<sheet name="${name}" sheetId="${index + 1}"${state} r:id="rId${index + 1}"/>`
  })
  const properties = date1904 === true ? '<workbookPr date1904="1"/>' : ''
  return `<workbook xmlns="${main}" xmlns:r="${office}">${properties}<sheets>${sheets.join('')}</sheets></workbook>`
}

function bookRelations({ texts, formats }: MadeBook, names: readonly string[]): string {
  const list = names.map((_, index) => [`rId${index + 1}`, 'worksheet', `worksheets/sheet${index + 1}.xml`] as const)
  return relations([
    ...list,
    ...(texts === undefined ? [] : [['rId90', 'sharedStrings', 'sharedStrings.xml'] as const]),
    ...(formats === undefined ? [] : [['rId91', 'styles', 'styles.xml'] as const]),
  ])
}

/** Cell style `n` has format `n`; a format that is a number is one of the built-in ones. */
function stylesXml(formats: readonly string[]): string {
  const isOwn = (format: string): boolean => !/^\d{1,2}$/.test(format)
  const own = formats.flatMap((format, index) =>
    isOwn(format) ? [`<numFmt numFmtId="${200 + index}" formatCode="${format.replaceAll('"', '&quot;')}"/>`] : [],
  )
  const cells = formats.map((format, index) => `<xf numFmtId="${isOwn(format) ? 200 + index : format}"/>`)
  return `<styleSheet><numFmts>${own.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${cells.join('')}</cellXfs></styleSheet>`
}

/** A row of inline texts. */
export function textRow(number: number, ...texts: readonly string[]): string {
  const cells = texts.map(
    (text, index) => `<c r="${String.fromCharCode(65 + index)}${number}" t="inlineStr"><is><t>${text}</t></is></c>`,
  )
  return `<row r="${number}">${cells.join('')}</row>`
}
