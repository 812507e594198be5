/** Hides old and other workbooks (.xls, .xlsb, .ods): the library that reads them whole, and their limits. */

import { WindrowError } from '../core/error.ts'
import type { Table } from '../core/row.ts'
import { readAll, type Source } from '../core/source.ts'
import type { Format, FormatOptions, Probe } from './format.ts'
import { numberFormat } from './spreadsheet/number-format.ts'
import { sheetOptions, sheetTables } from './spreadsheet/table.ts'
import { passwordError, readBook } from './workbook/book.ts'
import { checkUnpacked } from './workbook/limits.ts'
import { sheetOf } from './workbook/sheet.ts'

/** Workbooks of Excel before 2007, binary workbooks and OpenDocument spreadsheets; read whole, so of moderate size. */
export const workbook: Format = {
  name: 'workbook',
  title: 'Workbook (.xls, .xlsb, .ods)',
  extensions: ['.xls', '.xlsb', '.ods'],
  options: { type: 'object', properties: sheetOptions, additionalProperties: false },
  recognise,
  open: openWorkbook,
}

const compoundFile = [0xd0, 0xcf, 0x11, 0xe0]

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

function beginsWith(head: Uint8Array, bytes: readonly number[]): boolean {
  return bytes.every((byte, index) => head[index] === byte)
}

/** Excel 2 to 4 wrote the records of a sheet bare: 0x09, then the version. */
function isOldStream(head: Uint8Array): boolean {
  return head[0] === 0x09 && [0x00, 0x02, 0x04, 0x08].includes(head[1] ?? -1)
}

const limitBytes = 100 * 2 ** 20

async function openWorkbook(source: Source, options: FormatOptions): Promise<readonly Table[]> {
  const { bytes, unpackedBytes } = await bytesWithinLimits(source)
  const { sheets, formats, from1904 } = await readBook(source.name, bytes, unpackedBytes)
  return sheetTables(
    {
      source: source.name,
      format: 'workbook',
      formats: formats.map(numberFormat),
      from1904,
      sheets: sheets.map(sheetOf),
    },
    options,
  )
}

type Bytes = { readonly bytes: Uint8Array; readonly unpackedBytes: number }

async function bytesWithinLimits(source: Source): Promise<Bytes> {
  if (source.size === 0) throw new WindrowError('file-empty', `"${source.name}" holds nothing to read.`)
  if (source.size > limitBytes)
    throw new WindrowError(
      'file-too-large',
      `"${source.name}" has ${Math.round(source.size / 2 ** 20)} MB; workbooks of this kind are read up to 100 MB.`,
      { hint: 'Save it as .xlsx, which is read at any size, or save the sheet as CSV (UTF-8).' },
    )
  const bytes = await readAll(source, limitBytes)
  if (beginsWith(bytes, [0x50, 0x4b])) return { bytes, unpackedBytes: await checkUnpacked(source) }
  if (!beginsWith(bytes, compoundFile) && !isOldStream(bytes))
    throw new WindrowError('file-damaged', `"${source.name}" is not a workbook inside, whatever its name says.`, {
      hint: 'Open it in Excel and save it again as a workbook or as CSV.',
    })
  // What Excel makes of a book with a password: the whole of it in one stream of this name ([MS-OFFCRYPTO] 2.3.4.4).
  // Looked for as bytes: as UTF-16, Node looks for ever in a buffer that begins at an odd place in memory.
  if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(Buffer.from('EncryptedPackage', 'utf16le')))
    throw passwordError(source.name)
  return { bytes, unpackedBytes: bytes.length }
}
