/**
 * Skips what is no record of a table: totals, repeated column names, ruled lines, and remarks below the last record. Refuses a sheet with a
 * second table.
 */

import { WindrowError } from '../../core/error.ts'
import { problem } from '../../core/problem.ts'
import { isBlank, type Row, type Value } from '../../core/row.ts'
import { isTotal } from '../../core/values/total-words.ts'
import type { Layout } from '../grid.ts'
import { isRule, kindOfText } from './grid-cell.ts'
import { areColumnWords } from './header-search.ts'

/** More rows than this at the end of a table are no remarks. */
const mostHeld = 50
/** A row with more cells than these is no remark. */
const mostOfRemark = 2

/** Problems that a remark may have; a row with an open quote may have swallowed records. */
const harmless: ReadonlySet<string> = new Set([
  'row-ragged',
  'cell-error',
  'formula-not-calculated',
  'encoding-doubtful',
])

type Names = { readonly row: Row; readonly areSure: boolean }

/**
 * Watches the rows of a table by their cells in the grid: `pass` passes rows on, but holds those that may be remarks below the table, and
 * `end` settles what is held. Blank rows are passed on at once, also ahead of rows that are held.
 */
export function watchFooters({ names, header, columns }: Pick<Layout, 'names' | 'header' | 'columns'>) {
  const width = columns.length
  const isHeaderAgain = headerTest(header, columns)
  const isOtherOrder = otherOrderTest(names, columns)
  // Below names in another order, every cell is under the wrong name.
  let misnamedBy: ((row: Row) => Row) | undefined
  let held: Row[] = []
  let above: readonly Value[] = []
  let isBelowBlank = false
  let mayBeNames: Names | undefined
  const release = (settled: Row[]): void => {
    settled.push(...held)
    held = []
  }
  return {
    /** Throws 'two-tables' at the second row of another table. */
    pass(given: Row, cells: readonly Value[], settled: Row[]): void {
      const filled = cells.reduce<number>((count, cell) => (isBlank(cell) ? count : count + 1), 0)
      const row = misnamedBy === undefined || filled === 0 ? given : misnamedBy(given)
      if (filled === 0) {
        isBelowBlank = true
        settled.push(row)
        return
      }
      if (isRuled(cells)) return void settled.push(asFooter(row, 'a line of dashes'))
      if (isHeaderAgain(cells)) {
        release(settled)
        isBelowBlank = false
        misnamedBy = undefined
        settled.push(headerAgain(given))
        return
      }
      if (isTotal(firstShown(cells))) return void settled.push(asFooter(row, 'a total'))
      if (mayBeNames !== undefined && isOtherTable(cells, above, mayBeNames)) throw twoTables(mayBeNames.row)
      mayBeNames =
        isBelowBlank && areNames(cells, above) ? { row, areSure: areColumnWords(shownTexts(cells)) } : undefined
      const isSound = row.problems === undefined || row.problems.every(({ code }) => harmless.has(code))
      if (isBelowBlank && isSound && filled <= mostOfRemark && filled < width && !fits(cells, above, columns[0] ?? 0)) {
        held.push(row)
        if (held.length > mostHeld) release(settled)
        return
      }
      release(settled)
      // A title may lie between the blank row and the names of a second table.
      if (filled > 1 && mayBeNames === undefined) {
        isBelowBlank = false
        above = cells
      }
      if (filled === width && isOtherOrder(cells)) {
        misnamedBy = (each) => belowOtherNames(each, given)
        settled.push(headerAgain(given, ' in another order'))
      } else settled.push(row)
    },
    end(settled: Row[]): void {
      settled.push(...held.map((row) => asFooter(row, 'a remark below the table')))
      held = []
    },
  }
}

/**
 * True for a row that continues the rows above it, although it has few cells: a key alone, or cells of the kinds that their columns have.
 * Ids may be of two kinds.
 */
function fits(cells: readonly Value[], above: readonly Value[], first: number): boolean {
  const texts = cells.map(shownText)
  const filled = [...texts.entries()].filter(([, text]) => text !== '')
  if (isRemark(filled[0]![1])) return false
  if (filled.length === 1) return texts[first] !== ''
  return filled.every(([column, text]) => {
    const usual = shownText(above[column])
    return usual === '' || kindOfText(text) === kindOfText(usual) || (column === first && !/\s/.test(text))
  })
}

const beginsRemark =
  /^(?:[*†©]|exported|printed|prepared|created|generated|signed|notes?|remarks?|legend|end|eof|page|copyright|erstellt|gedruckt|exportiert|hinweise?|seite|afgedrukt|geëxporteerd|pagina|exporté|imprimé|exportado|impreso|udskrevet|utskriven)(?![\p{L}\d])/iu

function isRemark(text: string): boolean {
  return beginsRemark.test(text) || text.endsWith(':') || (kindOfText(text) === 'text' && text.split(/\s+/).length > 3)
}

/** Different texts without digits, at least one of them where the row above has a number or a date. */
function areNames(cells: readonly Value[], above: readonly Value[]): boolean {
  const texts = shownTexts(cells)
  if (texts.length < 2 || new Set(texts).size < texts.length) return false
  if (texts.some((text) => kindOfText(text) !== 'text' || /\d/.test(text))) return false
  return cells.some((cell, column) => !isBlank(cell) && isNumberOrDate(above[column]))
}

/** True for a row with a number or a date below what may be names, unless all its cells are of the kinds above those. */
function isOtherTable(cells: readonly Value[], above: readonly Value[], { areSure }: Names): boolean {
  if (!cells.some(isNumberOrDate)) return false
  return (
    areSure ||
    cells.some((cell, column) => {
      const [kind, usual] = [cell, above[column]].map((each) => kindOfText(shownText(each)))
      return kind !== 'blank' && usual !== 'blank' && kind !== usual
    })
  )
}

function isNumberOrDate(cell: Value): boolean {
  const kind = kindOfText(shownText(cell))
  return kind === 'number' || kind === 'date'
}

function twoTables({ at, values }: Row): WindrowError {
  const names = shownTexts(Object.values(values)).join(' | ').slice(0, 120)
  return new WindrowError(
    'two-tables',
    `${at.layer === undefined ? `"${at.source}"` : `The sheet "${at.layer}"`} has two tables: the second begins at row ${at.row} (${names}).`,
    {
      hint: 'Save each as a sheet or file of its own. If its rows belong to the first table, remove the blank row and the names above them.',
    },
  )
}

function firstShown(cells: readonly Value[]): string {
  return shownText(cells.find((cell) => shownText(cell) !== ''))
}

function shownTexts(cells: readonly Value[]): readonly string[] {
  return cells.map(shownText).filter((text) => text !== '')
}

function shownText(cell: Value): string {
  if (cell === null || cell === undefined) return ''
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell).trim()
}

function isRuled(cells: readonly Value[]): boolean {
  const first = cells.find((cell) => !isBlank(cell))
  return typeof first === 'string' && beginsLine.test(first) && isRule(cells.map(shownText))
}

const beginsLine = /^[ :]*[-=_*+]{2}/

/** Makes the test for a row that repeats a line of the column names. */
function headerTest(lines: Layout['header'], columns: readonly number[]): (cells: readonly Value[]) => boolean {
  const known = lines
    .map((line) => line.map(plainHeader))
    .filter((line) => line.filter((text) => text !== '').length > 1)
  const starts = known.map((line) => line.findIndex((text) => text !== ''))
  return (cells) =>
    known.some(
      (line, index) =>
        plainHeader(cells[columns[starts[index]!]!]) === line[starts[index]!] &&
        line.every((text, at) => plainHeader(cells[columns[at]!]) === text),
    )
}

/**
 * A name without what may differ where it is repeated. The byte order mark of a second file, joined to the first, keeps a quote behind
 * it from opening a cell.
 */
function plainHeader(cell: Value): string {
  const text = shownText(cell).toLowerCase()
  return /["\s]/.test(text) ? text.replace(/^"(.*)"$/, '$1').replaceAll(/\s+/g, ' ') : text
}

/** Makes the test for a row that contains all column names and nothing else, but in another order. */
function otherOrderTest(names: readonly string[], columns: readonly number[]): (cells: readonly Value[]) => boolean {
  const known = new Set(names)
  const first = columns[0] ?? 0
  return (cells) => {
    if (known.size < 2 || !known.has(shownText(cells[first]))) return false
    const held = new Set(columns.map((column) => shownText(cells[column])))
    return held.size === known.size && names.every((name) => held.has(name))
  }
}

/** The problems of the row as a record, such as missing cells, do not matter. */
function asFooter(row: Row, what: string): Row {
  const value = shownTexts(Object.values(row.values)).join(' | ').slice(0, 120)
  const message = `The row is ${what}, not a record: ${value}`
  return { ...row, problems: [problem('row-footer', row.at, { value, message })] }
}

function headerAgain(row: Row, how = ''): Row {
  return { ...row, problems: [problem('header-again', row.at, { message: `The row repeats the column names${how}.` })] }
}

function belowOtherNames(row: Row, { at }: Row): Row {
  const fault = problem('row-unreadable', row.at, {
    message: `Row ${at.row} contains the column names in another order, and this row is below it: its cells are under the wrong names.`,
    hint: `Two tables were joined there. Save row ${at.row} and the rows below it as a separate file, or bring its columns into the order of the others.`,
  })
  return { ...row, problems: [...(row.problems ?? []), fault] }
}
