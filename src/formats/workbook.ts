/** Recognises workbooks other than .xlsx (.xls, .xlsb, .ods) and defines their options. */

import { strictObject } from '../core/object-schema.ts'
import type { Format, Probe } from './format.ts'
import { sheetOptions } from './grid/options.ts'
import { beginsWith, compoundFile, isOldStream } from './recognise.ts'

/** Workbooks of Excel before 2007, binary workbooks and OpenDocument spreadsheets; read completely into memory, so of moderate size. */
export const workbook: Format = {
  name: 'workbook',
  title: 'Workbook (.xls, .xlsb, .ods)',
  extensions: ['.xls', '.xlsb', '.ods'],
  options: strictObject([], sheetOptions),
  recognise,
  open: async (source, options) => (await import('./workbook/open-workbook.ts')).openWorkbook(source, options, false),
  look: async (source, options) => (await import('./workbook/open-workbook.ts')).openWorkbook(source, options, true),
}

function recognise({ name, head, members }: Probe): boolean {
  // An .xlsx that is not a zip has a password, or is a renamed .xls. A source without an extension, such as standard
  // input, may be one; other content that Office packed this way is detected on opening.
  if (members === undefined)
    return (
      (/\.xl[a-z]{1,2}$|^[^.]*$/i.test(name) && beginsWith(head, compoundFile)) ||
      (/\.xlt?s?$/i.test(name) && isOldStream(head))
    )
  // Only custom puts this in a folder xl.
  if (members.includes('[Content_Types].xml') && members.some((name) => name.endsWith('/workbook.bin'))) return true
  // The kind is in the first member, but some programs do not put it first.
  const saysSo = /\.ods$/i.test(name) || Buffer.from(head.subarray(0, 200)).includes('opendocument.spreadsheet')
  return saysSo && members.some((name) => name === 'content.xml' || name === 'encrypted-package')
}
