/** Compares the sheets of a workbook with another program's results. */

import { isBlank, type Row, type Value } from '../../src/core/row.ts'
import type { Oracle, SheetOracle } from './case.ts'
import type { Judgement } from './judgement.ts'
import { shown } from './judge-layer.ts'
import { isSameValue } from './nearness.ts'
import { problemsOf, type Layer } from './observe.ts'

/** Checks which sheets are read, and their first rows, wherever the reader found the header. */
export function judgeBook(judgement: Judgement, layers: readonly Layer[], oracle: Oracle): void {
  const sheets = (oracle.sheets ?? []).filter(({ kind, maxRow }) => kind === undefined && maxRow !== 0)
  const visible = sheets.filter(({ state = 'visible' }) => state === 'visible')
  const filled = visible.filter(({ firstRows = [] }) => firstRows.flat().some((cell) => cell !== null))
  const names = layers.map(({ name }) => name)
  const lost = filled.filter(({ name }) => !names.includes(name)).map(({ name }) => name)
  judgement.check(lost.length === 0, `sheets were not read: ${lost.join(', ')}`)
  const hidden = sheets.filter((sheet) => !visible.includes(sheet))
  const shownAnyway = hidden.filter(({ name }) => names.includes(name)).map(({ name }) => name)
  judgement.check(shownAnyway.length === 0, `hidden sheets were read: ${shownAnyway.join(', ')}`)
  if (hidden.length > 0)
    judgement.check(
      layers.flatMap(problemsOf).some(({ code }) => code === 'sheet-hidden'),
      'the hidden sheets were not reported',
    )
  for (const sheet of filled) {
    const layer = layers.find(({ name }) => name === sheet.name)
    if (layer !== undefined) judgeSheet(judgement, layer, { sheet, date1904: oracle.date1904 === true })
  }
}

type SheetToJudge = { readonly sheet: SheetOracle; readonly date1904: boolean }

function judgeSheet(judgement: Judgement, layer: Layer, { sheet, date1904 }: SheetToJudge): void {
  const { name, maxRow, firstRows = [] } = sheet
  const first = layer.head[0]?.at.row ?? Infinity
  const isCut = (sheet.maxCol ?? 0) > (firstRows[0]?.length ?? 0)
  for (const [index, expected] of firstRows.entries()) {
    const row = layer.head.find(({ at }) => at.row === index + 1)
    const cells = expected.filter((cell) => !isBlank(cell as Value))
    if (row !== undefined) judgeCells(judgement, { row, cells, sheet, date1904, isCut })
    else if (index + 1 < first) judgeAbove(judgement, layer, cells)
    else judgement.check(cells.length === 0, `row ${index + 1} of "${name}" was left out: ${shown(cells)}`)
  }
  if (sheet.maxCol !== undefined)
    judgement.check(
      layer.columns.length <= sheet.maxCol,
      `"${name}" has ${layer.columns.length} columns, at most ${sheet.maxCol} are filled`,
    )
  if (maxRow === undefined || layer.last === undefined) return
  const isSkipped = layer.found.some(({ code }) => code === 'row-footer' || code === 'row-blank')
  const { row } = layer.last.at
  judgement.check(
    row === maxRow || (row < maxRow && isSkipped),
    `the last row of "${name}" is ${row}, expected ${maxRow}`,
  )
}

/** The rows above the first one are the header, or a title above it: the header's words are in the columns' names. */
function judgeAbove(judgement: Judgement, layer: Layer, cells: readonly unknown[]): void {
  const names = layer.columns.map(({ name }) => name.toLowerCase())
  const isHeader = cells.length > 1
  const lost = cells.filter((cell) => !names.some((name) => name.includes(words(cell))))
  if (isHeader && lost.length > 0 && lost.length < cells.length)
    judgement.check(false, `column names lack words of the header: ${lost.map(String).join(', ')}`)
  else judgement.check(lost.length === 0 || lost.length === cells.length, 'the columns are not named by the header')
}

function words(cell: unknown): string {
  return String(cell).trim().replaceAll(/\s+/g, ' ').toLowerCase()
}

type CellsToJudge = {
  readonly row: Row
  readonly cells: readonly unknown[]
  readonly sheet: SheetOracle
  readonly date1904: boolean
  readonly isCut: boolean
}

/** The filled cells in their order, because a table may start anywhere; merged ranges may be filled throughout. */
function judgeCells(judgement: Judgement, { row, cells, sheet, date1904, isCut }: CellsToJudge): void {
  const errors = (row.problems ?? []).flatMap(({ value }) => (value?.startsWith('#') ? [value] : []))
  const seen = Object.values(row.values).filter((cell) => !isBlank(cell))
  let at = 0
  for (const expected of cells) {
    if (errors.includes(String(expected))) {
      if (seen[at] === expected) at += 1
      continue
    }
    const found = seen.findIndex((cell, index) => index >= at && isSameCell(expected, cell, date1904))
    judgement.check(found >= 0, `row ${row.at.row} of "${sheet.name}" lacks ${shown(expected)}: it has ${shown(seen)}`)
    if (found < 0) return
    judgement.check(found === at || sheet.merged !== undefined, `row ${row.at.row} has ${shown(seen[at])} too much`)
    at = found + 1
  }
  judgement.check(
    at >= seen.length || isCut || sheet.merged !== undefined,
    `row ${row.at.row} has ${shown(seen[at])} too much`,
  )
}

/**
 * Excel counts a 29 February 1900 that never existed; before it, programs disagree by a day about a number, and people saw the
 * dates of Excel.
 */
function isSameCell(expected: unknown, seen: Value, date1904: boolean): boolean {
  if (isSameValue(expected, seen)) return true
  const [one, other] = [expected, seen].map((each) =>
    typeof each === 'string' ? /^(?:1899|1900)-\d\d-\d\d/.exec(each)?.[0] : undefined,
  )
  if (date1904 || one === undefined || other === undefined || one >= '1900-03-01') return false
  return Math.abs(Date.parse(one) - Date.parse(other)) <= 86_400_000
}
