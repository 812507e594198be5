/** Opens an Excel workbook and reads its sheets in pieces, with shared texts filled in. */

import type { Table } from '../../core/row.ts'
import type { Source } from '../../core/sources/source.ts'
import { membersOfZip } from '../../core/sources/zip.ts'
import type { FormatOptions } from '../format.ts'
import type { Merge } from '../grid/grid-cell.ts'
import { hasFilledCell } from '../spreadsheet/spreadsheet-cell.ts'
import { cellKinds, keptRow, type CellRow, type Sheet, type SheetListener } from '../spreadsheet/spreadsheet-sheet.ts'
import { sheetTables } from '../spreadsheet/spreadsheet-tables.ts'
import { readPackage } from './xlsx-package.ts'
import { pickSharedTexts, readSharedTexts, type SharedTexts } from './shared-texts.ts'
import { scanSheet, sharedText } from './sheet-scan.ts'
import { utf8Chunks } from './xlsx-text.ts'

/** Opens a workbook; its sheets are read from the file each time their rows are needed. */
export async function openXlsx(source: Source, options: FormatOptions, decides: boolean): Promise<readonly Table[]> {
  const { sheets, sharedTexts, formats, from1904 } = await readPackage(source.name, await membersOfZip(source))
  const read = sheets.map(({ name, hidden, part }): Sheet => ({
    name,
    hidden,
    firstRows: (most, reach) => firstRows(part, sharedTexts, { most, reach }),
    merges: () => mergesOf(part),
    pass: (listener, signal) => pass(part, sharedTexts, listener, signal),
  }))
  return sheetTables({ source: source.name, format: 'xlsx', formats, from1904, sheets: read }, options, decides)
}

/** Enough cells to examine; a first row may be thousands of cells wide. */
const mostCells = 200_000

async function firstRows(
  part: Source,
  texts: Source | undefined,
  { most, reach }: { readonly most: number; readonly reach: number },
): Promise<readonly CellRow[]> {
  const rows: CellRow[] = []
  const wanted = new Set<number>()
  let cells = 0
  const isEnough = (): boolean => cells > mostCells || (rows.length >= most && (rows.at(-1)?.number ?? 0) > reach)
  const scan = scanSheet(part.name, {
    row(row) {
      if (isEnough() || !hasFilledCell(row)) return
      rows.push(keptRow(row))
      cells += row.count
      for (let index = 0; index < row.count; index += 1)
        if (row.kinds[index] === sharedText) wanted.add(row.numbers[index]!)
    },
  })
  for await (const chunk of utf8Chunks(part)) {
    scan.push(chunk)
    if (isEnough()) break
  }
  if (wanted.size > 0) {
    const found = texts === undefined ? new Map<number, string>() : await pickSharedTexts(texts, wanted)
    for (const row of rows) putTexts(row, (index) => found.get(index))
  }
  return rows.filter(hasFilledCell)
}

function putTexts(row: CellRow, textAt: (index: number) => string | undefined): void {
  for (let index = 0; index < row.count; index += 1) {
    if (row.kinds[index] !== sharedText) continue
    const text = textAt(row.numbers[index]!)
    row.kinds[index] = text === undefined ? cellKinds.error : cellKinds.text
    row.texts[index] = text ?? `text ${row.numbers[index]!}, which is not in the workbook`
  }
}

/** Enough blocks for any header; a file may list millions. */
const mostMerges = 20_000

/** Reads to the end of a sheet for its merged cells. */
async function mergesOf(part: Source): Promise<readonly Merge[]> {
  const merges: Merge[] = []
  const scan = scanSheet(part.name, {
    merged(merge) {
      if (merges.length < mostMerges) merges.push(merge)
    },
  })
  for await (const chunk of utf8Chunks(part)) scan.push(chunk)
  scan.end()
  return merges
}

async function* pass(
  part: Source,
  texts: Source | undefined,
  listener: SheetListener,
  signal?: AbortSignal,
): AsyncGenerator<void> {
  let shared: SharedTexts | undefined
  try {
    if (texts !== undefined) shared = await readSharedTexts(texts, signal)
    const scan = scanSheet(part.name, {
      ...listener,
      row(row) {
        putTexts(row, (index) => shared?.at(index))
        listener.row?.(row)
      },
    })
    for await (const chunk of utf8Chunks(part, signal)) {
      scan.push(chunk)
      yield
    }
    scan.end()
  } finally {
    await shared?.close()
  }
}
