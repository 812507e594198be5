/** Opens workbooks other than .xlsx with the library, within limits. */

import { WindrowError } from '../../core/error.ts'
import type { Table } from '../../core/row.ts'
import { readAll, type Source } from '../../core/sources/source.ts'
import type { FormatOptions } from '../format.ts'
import { numberFormat } from '../spreadsheet/number-format.ts'
import { sheetTables } from '../spreadsheet/spreadsheet-tables.ts'
import { passwordError, readBook } from './workbook-book.ts'
import { beginsWith, compoundFile, isOldStream } from './workbook-head.ts'
import { checkUnpacked } from './limits.ts'
import { sheetOf } from './workbook-sheet.ts'

const limitBytes = 100 * 2 ** 20

/** Opens a workbook as a table for each of its sheets. */
export async function openWorkbook(source: Source, options: FormatOptions): Promise<readonly Table[]> {
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
  if (source.size === 0) throw new WindrowError('file-empty', `"${source.name}" is empty.`)
  if (source.size > limitBytes)
    throw new WindrowError(
      'file-too-large',
      `"${source.name}" has ${Math.round(source.size / 2 ** 20)} MB; the limit for workbooks of this kind is 100 MB.`,
      { hint: 'Save it as .xlsx, which is read at any size, or save the sheet as CSV (UTF-8).' },
    )
  const bytes = await readAll(source, limitBytes)
  if (beginsWith(bytes, [0x50, 0x4b])) return { bytes, unpackedBytes: await checkUnpacked(source) }
  if (!beginsWith(bytes, compoundFile) && !isOldStream(bytes))
    throw new WindrowError('file-damaged', `"${source.name}" is not a workbook, despite its name.`, {
      hint: 'Open it in Excel and save it again as a workbook or as CSV.',
    })
  // Excel stores a book with a password as one stream of this name ([MS-OFFCRYPTO] 2.3.4.4).
  // Searched as bytes: Node's search for UTF-16 never ends in a buffer at an odd address.
  if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(Buffer.from('EncryptedPackage', 'utf16le')))
    throw passwordError(source.name)
  return { bytes, unpackedBytes: bytes.length }
}
