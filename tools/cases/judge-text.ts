/** Compares a text table with another program's results. */

import type { Problem } from '../../src/core/problem.ts'
import type { Row } from '../../src/core/row.ts'
import type { TextOracle } from './case.ts'
import type { Judgement } from './judgement.ts'
import { shown } from './judge-layer.ts'
import { isSameValue } from './nearness.ts'
import { problemsOf, type Layer } from './observe.ts'

/** Checks what is certain about a table that is damaged further down. */
export function judgeTextHead(judgement: Judgement, layer: Layer, oracle: TextOracle): void {
  judgeDecisions(judgement, layer, oracle)
  judgeHeader(judgement, layer, oracle, headerRowOf(layer))
}

/** Checks rows, columns, first and last row, separator and encoding. */
export function judgeText(judgement: Judgement, layer: Layer, oracle: TextOracle): void {
  judgeTextHead(judgement, layer, oracle)
  const headerRow = headerRowOf(layer)
  judgeCount(judgement, layer, oracle, headerRow)
  judgeWidths(judgement, layer, oracle)
  const [first] = layer.head
  if (headerRow === 1 && oracle.firstRow)
    judgeRow(judgement, layer, { row: first, expected: oracle.firstRow, name: 'first' })
  if (oracle.lastRow) judgeRow(judgement, layer, { row: layer.last, expected: oracle.lastRow, name: 'last' })
}

function headerRowOf({ choices }: Layer): number {
  return Number(choices.find(({ setting }) => setting === 'from.header')?.value ?? 1)
}

const sameEncodings: Readonly<Record<string, string>> = {
  'utf-8-sig': 'utf-8',
  cp1252: 'windows-1252',
  latin1: 'windows-1252',
  'iso-8859-1': 'windows-1252',
  ascii: 'utf-8',
  'utf-16-le': 'utf-16le',
  'utf-16-be': 'utf-16be',
}

function judgeDecisions(judgement: Judgement, layer: Layer, { delimiter, encoding }: TextOracle): void {
  const decided = (option: string): unknown => layer.choices.find(({ setting }) => setting === `from.${option}`)?.value
  if (delimiter !== undefined && layer.columns.length > 1)
    judgement.check(
      decided('delimiter') === delimiter,
      `the separator is ${shown(decided('delimiter'))}, expected ${shown(delimiter)}`,
    )
  if (encoding === undefined) return
  const expected = sameEncodings[encoding] ?? encoding
  const seen = String(decided('encoding'))
  // The order of two bytes is written in the file; not every program reports it.
  judgement.check(
    seen === expected || (expected === 'utf-16' && seen.startsWith('utf-16')),
    `the encoding is ${seen}, expected ${expected}`,
  )
}

function judgeHeader(
  judgement: Judgement,
  layer: Layer,
  { header, duplicateHeaders = [] }: TextOracle,
  headerRow: number,
): void {
  if (!header || headerRow !== 1) return
  const wanted = header.map((name) => name.trim().replaceAll(/\s+/g, ' '))
  while (wanted.at(-1) === '') wanted.pop()
  const names = layer.columns.map(({ name }) => name)
  const lost = wanted.filter((name, index) => name !== '' && !names.includes(name) && !names[index]?.startsWith(name))
  judgement.check(lost.length === 0, `columns are missing: ${lost.join(', ')}`)
  judgement.check(names.length >= wanted.length, `${names.length} columns, expected ${wanted.length}`)
  judgement.check(new Set(names).size === names.length, 'two columns have one name')
  if (duplicateHeaders.length > 0)
    judgement.check(
      problemsOf(layer).some(({ code }) => code === 'header-renamed'),
      'the repeated headers were not reported',
    )
}

/** A blank row or footer may be a record to another program: it is enough that each row is accounted for. */
function judgeCount(judgement: Judgement, layer: Layer, oracle: TextOracle, headerRow: number): void {
  const { recordsIncludingHeader, blankRecords = 0 } = oracle
  if (recordsIncludingHeader === undefined) return
  const marked = layer.seen.filter(({ problems }) => problems.some(isSkipping)).length
  const filled = layer.seen.length - marked
  const expected = recordsIncludingHeader - headerRow - blankRecords
  judgement.check(
    filled <= expected && expected <= layer.seen.length,
    `${filled} rows with something in them and ${marked} others, expected ${expected}`,
  )
}

function isSkipping({ code }: Problem): boolean {
  return code === 'row-blank' || code === 'row-footer'
}

/** Each row wider than the header must be reported, because one of its cells has no name; rows of equal width must not. */
function judgeWidths(judgement: Judgement, layer: Layer, { header, columnCountHistogram = {} }: TextOracle): void {
  if (!header) return
  const widths = Object.entries(columnCountHistogram).map(([width, rows]) => ({ width: Number(width), rows }))
  const wider = widths.filter(({ width }) => width > header.length).reduce((sum, { rows }) => sum + rows, 0)
  const reported = layer.seen.filter(({ problems }) => problems.some(({ code }) => code === 'row-ragged')).length
  if (widths.length === 1)
    judgement.check(reported === 0, `${reported} rows are reported as too short or too wide, but all are alike`)
  else
    judgement.check(
      reported >= wider,
      `${reported} rows are reported as too short or too wide, but ${wider} are too wide`,
    )
}

type RowToJudge = { readonly row: Row | undefined; readonly expected: readonly string[]; readonly name: string }

/** The cells in order; those that became a shape may be missing, and a rejected row must be reported. */
function judgeRow(judgement: Judgement, layer: Layer, { row, expected, name }: RowToJudge): void {
  judgement.check(row !== undefined, `there is no ${name} row`)
  if (row === undefined || (row.problems ?? []).some(({ severity }) => severity === 'error')) return
  for (const [index, { name: column }] of layer.columns.entries()) {
    if (index >= expected.length) return
    const cell = row.values[column]
    if (cell === undefined && row.shape) continue
    judgement.check(
      isSameValue(expected[index], cell),
      `column "${column}" of the ${name} row is ${shown(cell)}, expected ${shown(expected[index])}`,
    )
  }
}

/** Compares every row with another program's objects, where there are any. */
export function judgeRows(judgement: Judgement, layer: Layer, made: unknown): void {
  if (!Array.isArray(made)) return judgement.remark('Not judged: an expected file without a list of rows.')
  judgement.check(layer.seen.length === made.length, `${layer.seen.length} rows, expected ${made.length}`)
  for (const [index, row] of layer.head.entries())
    for (const [column, expected] of Object.entries((made[index] ?? {}) as object))
      judgement.check(
        isSameValue(expected, row.values[column]),
        `column "${column}" of row ${index} is ${shown(row.values[column])}, expected ${shown(expected)}`,
      )
}
