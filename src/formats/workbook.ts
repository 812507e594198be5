/** Hides old and other workbooks (.xls, .xlsb, .ods): how they are recognised, and what may be said of them. */

import type { Format, Probe } from './format.ts'
import { sheetOptions } from './grid/options.ts'
import { beginsWith, compoundFile, isOldStream } from './workbook/workbook-head.ts'

/** Workbooks of Excel before 2007, binary workbooks and OpenDocument spreadsheets; read whole, so of moderate size. */
export const workbook: Format = {
  name: 'workbook',
  title: 'Workbook (.xls, .xlsb, .ods)',
  extensions: ['.xls', '.xlsb', '.ods'],
  options: { type: 'object', properties: sheetOptions, additionalProperties: false },
  recognise,
  open: async (source, options) => (await import('./workbook/open-workbook.ts')).openWorkbook(source, options),
}

function recognise({ name, head, members }: Probe): boolean {
  // An .xlsx that is no zip has a password, or is an .xls that somebody renamed. What has no ending may be one, such as standard
  // input; what else Office packed that way is found out when it is opened.
  if (members === undefined)
    return (
      (/\.xl[a-z]{1,2}$|^[^.]*$/i.test(name) && beginsWith(head, compoundFile)) ||
      (/\.xlt?s?$/i.test(name) && isOldStream(head))
    )
  // Only custom calls the folder xl.
  if (members.includes('[Content_Types].xml') && members.some((name) => name.endsWith('/workbook.bin'))) return true
  // The kind stands in the first member, but some programs do not put it first.
  const saysSo = /\.ods$/i.test(name) || Buffer.from(head.subarray(0, 200)).includes('opendocument.spreadsheet')
  return saysSo && members.some((name) => name === 'content.xml' || name === 'encrypted-package')
}
