/** Reads workbooks with the library, in a separate process (open-workbook.ts says why), and answers with cells packed into arrays. */

import { flushCompileCache } from 'node:module'
import { Worker } from 'node:worker_threads'
import * as XLSX from 'xlsx'
import { withReferences } from '../xml.ts'
import { hiddenInSheets, understoodCells } from './open-document.ts'
import {
  formatCodes,
  hiddenKnown,
  packSheet,
  type HiddenParts,
  type LibrarySheet,
  type PackedSheet,
} from './packing.ts'

/** The limits for one workbook: time to read it, heap, and memory of the whole process. */
export type BookLimits = { readonly seconds: number; readonly heapMB: number; readonly memoryMB: number }

/** The request to the process. */
export type Question = { readonly bytes: Uint8Array; readonly limits: BookLimits }

/** The answer of the process: a workbook, or the reason why there is none. */
export type Answer =
  | { readonly sheets: readonly PackedSheet[]; readonly formats: readonly string[]; readonly from1904: boolean }
  | { readonly fault: string }

const guard = new URL(`./guard${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url)

process.on('message', ({ bytes, limits }: Question) => {
  new Worker(guard, { workerData: limits })
  void answerFor(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)).then((answer) => process.send!(answer))
})
process.on('disconnect', () => process.exit())
// Ctrl-C reaches every process of a terminal; the parent decides what happens to this one.
process.on('SIGINT', () => undefined)
process.send!('loaded')
// It is always killed, and Node would keep what it has compiled only at an ordinary end: without this each start takes three times as long.
flushCompileCache()

async function answerFor(bytes: Buffer): Promise<Answer> {
  try {
    if (mayHaveCodePage(bytes)) XLSX.set_cptable(await import('xlsx/dist/cpexcel.full.mjs'))
    const { book, hiddenByName } = readBook(bytes)
    const formats = formatCodes()
    const sheets = book.SheetNames.map((name, index) => {
      const sheet = (book.Sheets[name] ?? {}) as LibrarySheet
      const isHidden = (book.Workbook?.Sheets?.[index]?.Hidden ?? 0) !== 0
      const hidden = hiddenByName.get(name) ?? hiddenKnown(isHidden, sheet)
      // The library does not decode the sheet names of OpenDocument files.
      const shown = book.bookType === 'ods' ? withReferences(name) : name
      return packSheet(shown, hidden, sheet, formats)
    })
    return { sheets, formats: formats.list, from1904: book.Workbook?.WBProps?.date1904 === true }
  } catch (cause) {
    return { fault: cause instanceof Error ? cause.message : String(cause) }
  }
}

const options = { type: 'array', dense: true, cellNF: true, cellHTML: false, cellText: false } as const
/** With the columns that are hidden. `XLSX.read` would make a cell of each blank one that has a style, too. */
const withColumns = { ...options, cellStyles: true } as const

// Missing in the types.
const { parse_zip, parse_xlscfb } = XLSX as unknown as Readonly<
  Record<'parse_zip' | 'parse_xlscfb', (parts: unknown, how: typeof withColumns) => XLSX.WorkBook>
>

function readBook(bytes: Buffer) {
  let hiddenByName: ReadonlyMap<string, HiddenParts> = new Map()
  // A plain array: with a buffer, the library fails on a missing sector.
  if (bytes[0] !== 0x50) {
    const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
    const isPacked = bytes[0] === 0xd0
    const book = isPacked ? parse_xlscfb(XLSX.CFB.read(plain, options), withColumns) : XLSX.read(plain, options)
    return { book, hiddenByName }
  }
  const parts: unknown = XLSX.CFB.read(bytes, { type: 'buffer' })
  const sheets = XLSX.CFB.find(parts, '/content.xml') as { content: Uint8Array } | null
  if (sheets !== null) {
    // The library cannot do without it, although a file can.
    if (XLSX.CFB.find(parts, '/styles.xml') === null) XLSX.CFB.utils.cfb_add(parts, '/styles.xml', Buffer.from('<x/>'))
    const xml = Buffer.from(sheets.content)
    hiddenByName = hiddenInSheets(xml)
    sheets.content = Buffer.from(understoodCells(xml.toString('utf8')))
  }
  return { book: parse_zip(parts, withColumns), hiddenByName }
}

/** Excel before 97 wrote text in the code page of its computer; since then the stream has another name, and text is Unicode. */
function mayHaveCodePage(bytes: Buffer): boolean {
  // As bytes, because Node's search for UTF-16 never ends in a buffer at an odd address.
  return bytes[0] === 0x09 || bytes.includes(Buffer.from('Book\0', 'utf16le'))
}
