/**
 * Hides the library that reads workbooks. It runs in a process of its own (book.ts says why), takes bytes and answers with the
 * cells packed into arrays: as objects they took twice as long to hand over as to read.
 */

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

/** What one workbook may cost: time to read it, the heap it is read in, and the memory of the whole process. */
export type BookLimits = { readonly seconds: number; readonly heapMB: number; readonly memoryMB: number }

/** What the process is asked. */
export type Question = { readonly bytes: Uint8Array; readonly limits: BookLimits }

/** What the process answers: a workbook, or why there is none. */
export type Answer =
  | { readonly sheets: readonly PackedSheet[]; readonly formats: readonly string[]; readonly from1904: boolean }
  | { readonly fault: string }

const guard = new Worker(new URL(`./guard${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url))

process.on('message', ({ bytes, limits }: Question) => {
  guard.postMessage(limits)
  void answerFor(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)).then((answer) => {
    process.send!(answer)
    guard.postMessage(undefined)
  })
})
process.on('disconnect', () => process.exit())
// Ctrl-C reaches every process of a terminal; the owner decides what becomes of this one.
process.on('SIGINT', () => undefined)
process.send!('loaded')

async function answerFor(bytes: Buffer): Promise<Answer> {
  try {
    if (mayHaveCodePage(bytes)) await learnCodePages()
    const { book, hiddenByName } = readBook(bytes)
    const formats = formatCodes()
    const sheets = book.SheetNames.map((name, index) => {
      const sheet = (book.Sheets[name] ?? {}) as LibrarySheet
      const isHidden = (book.Workbook?.Sheets?.[index]?.Hidden ?? 0) !== 0
      const hidden = hiddenByName.get(name) ?? hiddenKnown(isHidden, sheet)
      // The library leaves the names of OpenDocument sheets as they stand in the XML.
      const shown = book.bookType === 'ods' ? withReferences(name) : name
      return packSheet(shown, hidden, sheet, formats)
    })
    return { sheets, formats: formats.list, from1904: book.Workbook?.WBProps?.date1904 === true }
  } catch (cause) {
    return { fault: cause instanceof Error ? cause.message : String(cause) }
  }
}

const options = { type: 'array', dense: true, cellNF: true, cellHTML: false, cellText: false } as const

type ReadBook = { readonly book: XLSX.WorkBook; readonly hiddenByName: ReadonlyMap<string, HiddenParts> }

function readBook(bytes: Buffer): ReadBook {
  // As a plain array: in a buffer, the library gives up on a sector that is not there.
  if (bytes[0] !== 0x50) {
    const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
    return { book: XLSX.read(plain, options), hiddenByName: new Map() }
  }
  const parts: unknown = XLSX.CFB.read(bytes, { type: 'buffer' })
  const sheets = XLSX.CFB.find(parts, '/content.xml') as { content: Uint8Array } | null
  let hiddenByName: ReadBook['hiddenByName'] = new Map()
  if (sheets !== null) {
    const xml = Buffer.from(sheets.content)
    hiddenByName = hiddenInSheets(xml)
    sheets.content = Buffer.from(understoodCells(xml.toString('utf8')))
  }
  // The types leave it out.
  const { parse_zip } = XLSX as unknown as { parse_zip(zip: unknown, how: typeof options): XLSX.WorkBook }
  return { book: parse_zip(parts, options), hiddenByName }
}

/** Excel before 97 wrote text in the code page of its machine; the stream has another name since, and text is Unicode. */
function mayHaveCodePage(bytes: Buffer): boolean {
  // As bytes, because Node looks for UTF-16 for ever in a buffer that begins at an odd place in memory.
  return bytes[0] === 0x09 || bytes.includes(Buffer.from('Book\0', 'utf16le'))
}

async function learnCodePages(): Promise<void> {
  XLSX.set_cptable(await import('xlsx/dist/cpexcel.full.mjs'))
}
