/** Detects rows below a table that are not records: totals, notes of the program that wrote it, repeated column names. */

import { problem, type Problem } from '../../core/problem.ts'
import { isBlank, type Row, type Value } from '../../core/row.ts'
import { meansNothing } from '../../core/values/no-value.ts'
import { readNumber } from '../../core/values/number-text.ts'
import type { Layout } from '../grid.ts'
import { isRule, kindOfText } from './grid-cell.ts'
import { areColumnWords } from './header-search.ts'

/** More rows than this at the end of a table are not a footer. */
const mostHeld = 50

/** Problems that a footer may have; a row with an open quote may have swallowed records. */
const harmless: ReadonlySet<string> = new Set([
  'row-ragged',
  'cell-error',
  'formula-not-calculated',
  'encoding-doubtful',
])

type Likeness = 'total' | 'full total' | 'perhaps total' | 'sum' | 'note' | 'second table' | 'names' | 'perhaps names'

type Held = { readonly row: Row; readonly likeness: Likeness }

/**
 * Watches the rows of a table by their cells in the grid. A row is a footer only if nothing but footers
 * and blank rows follow it: `pass` passes rows on, but holds those that may be a footer, and `end` settles what is held. Blank rows are
 * passed on at once, also ahead of rows that are held.
 */
export function watchFooters({ names, header, columns }: Pick<Layout, 'names' | 'header' | 'columns'>) {
  const width = columns.length
  const isHeaderAgain = headerTest(header, columns)
  const isOtherOrder = otherOrderTest(names, columns)
  // Below names in another order, and below those of a second table, every cell is under the wrong name.
  let misnamedBy: ((row: Row) => Row) | undefined
  let held: Held[] = []
  let first: readonly Value[] = []
  let above: readonly Value[] = []
  // Of each column, while the rows are few: a person writes sums below a list, not a program below a large file.
  let added: number[] = []
  let rows = 0
  let isAfterBlank = false
  let fewestFilled = Infinity
  const release = (settled: Row[]): void => {
    for (const { row, likeness } of held) settled.push(likeness.endsWith('total') ? likeTotal(row) : row)
    held = []
  }
  const settleHeld = (settled: Row[], second = secondTableIn(held)): void => {
    for (const { row, likeness } of held)
      if (likeness === 'second table' || isNames(likeness))
        settled.push(second === undefined ? row : inSecondTable(row, second))
      else settled.push(likeness === 'perhaps total' ? likeTotal(row) : asFooter(row, likeness))
    held = []
  }
  return {
    pass(given: Row, cells: readonly Value[], settled: Row[]): void {
      let filled = 0
      for (const cell of cells) if (!isBlank(cell)) filled += 1
      const row = misnamedBy === undefined || filled === 0 ? given : misnamedBy(given)
      if (filled === 0) {
        isAfterBlank = true
        settled.push(row)
        return
      }
      if (isRuled(cells)) {
        settled.push(withProblem(row, problem('row-footer', row.at, { message: ruled })))
        return
      }
      if (isHeaderAgain(cells)) {
        release(settled)
        isAfterBlank = false
        misnamedBy = undefined
        settled.push(headerAgain(given))
        return
      }
      const before = held.at(-1)
      const mayBeNames = (isAfterBlank || before?.likeness === 'second table') && misnamedBy === undefined
      const belowNumbers = mayBeNames ? namesBelowNumbers(cells, above) : 0
      if (before !== undefined && isNames(before.likeness) && areOtherKinds(cells, { first, above }, before)) {
        const title = held.find(({ likeness }) => likeness === 'second table' || isNames(likeness))!.row
        misnamedBy = (each) => inSecondTable(each, title)
        settleHeld(settled, title)
        settled.push(misnamedBy(given))
        return
      }
      // Nearly every row is full, and nothing is held.
      const mayBe =
        filled < width && (row.problems === undefined || row.problems.every(({ code }) => harmless.has(code)))
      const isBelow = isAfterBlank || before?.likeness === 'note'
      const isFull = filled === width && isFullTotal(cells)
      const likeness =
        (mayBe
          ? (likenessOf(cells, { filled, width, isAfterBlank: isBelow, before }) ??
            likeSecondTable(cells, { filled, width, fewestFilled, isAfterBlank, before }) ??
            (filled * 2 <= fewestFilled && areSums(cells, above, added) ? 'sum' : undefined))
          : isFull && (before?.likeness === 'full total' || areSums(cells, above, added))
            ? 'full total'
            : undefined) ?? namesLikeness(belowNumbers, filled)
      isAfterBlank = false
      if (likeness !== undefined) {
        held.push({ row, likeness })
        if (held.length > mostHeld) release(settled)
        return
      }
      if (held.length > 0) release(settled)
      fewestFilled = Math.min(fewestFilled, filled)
      if (first.length === 0) first = cells
      above = cells
      rows += 1
      if (rows === mostAdded) added = []
      else if (rows < mostAdded) addTo(added, cells)
      if (filled < width) settled.push(row)
      else if (isOtherOrder(cells)) {
        misnamedBy = (each) => belowOtherNames(each, given)
        settled.push(headerAgain(given, ' in another order'))
      } else settled.push(isFull ? likeTotal(row) : row)
    },
    end(settled: Row[]): void {
      settleHeld(settled)
    },
  }
}

const totals =
  'Σ|(?:(?:grand|sub|over ?all|farm|report|table)[ -]?)?total(?:s|e|en|t)?|totaux|totaal|totalen|eindtotaal|subtotaal|summen?|gesamt|gesamtsumme|gesamtfläche|insgesamt|zwischensumme|endsumme|(?:carried|brought) forward|übertrag'
const things = '(?:rows|records|fields|paddocks|blocks|crops|entries)'
const counts = `\\d+ ${things}|(?:number|no\\.?|count) of ${things}`
const sums =
  'sums?|somme|suma|razem|ogółem|soma|somma|summa|yhteensä|i alt|sammanlagt|celkem|spolu|ukupno|skupaj|kokku|kopā|iš viso|összesen|toplam|итого|всего|разом'
const means = 'avera?ge|mean|mittelwert|durchschnitt|gemiddelde?|moyenne|media|promedio'
// Farm and land not alone: Soma Farm is a farm.
const tail =
  '(?: (?:général|generale?|general|geral))?(?: (?:(?:farm|land) )*(?:effective|grazing|area|ha|hectares?|ac|acres?|fields?|paddocks?|rows?|records?|fläche|oppervlakte|surface))*'
const totalOnly = new RegExp(`^(?:${totals}|${counts}|${sums}|${means})${tail}(?: ?[[(].{0,20}[\\])])?[ :.]*$`, 'iu')
// Not alone: Max may be a paddock.
const extremes = /^(?:min|max)(?:imum)?[ :.]*$/i
const totalOfSomething = new RegExp(`^(?:${totals})[ :]|[ -](?:${totals})[ :.]*$`, 'iu')

/** "only" for a text that is only a word for total, "of" for the total of something, which may also be a name. */
function totalIn(text: string): 'only' | 'of' | undefined {
  const trimmed = text.trim()
  if (trimmed.length > 60) return undefined
  return totalOnly.test(trimmed) ? 'only' : totalOfSomething.test(trimmed) ? 'of' : undefined
}

/** A row with more cells than these is not a note. */
const mostOfNote = 2

type Standing = { readonly filled: number; readonly width: number; readonly isAfterBlank: boolean }

type Below = Standing & { readonly before: Held | undefined }

function likenessOf(cells: readonly Value[], { filled, width, isAfterBlank, before }: Below): Likeness | undefined {
  const text = firstShown(cells)
  const said = before?.likeness === 'total' && extremes.test(text) ? 'only' : totalIn(text)
  // Most records have a blank cell, and need no more checks.
  if (said === undefined && filled > mostOfNote && !(isAfterBlank && saysWho.test(text))) return undefined
  const [first = '', ...others] = shownTexts(cells)
  // With a gap in only one of many columns it is a record, whatever it is called.
  const hasGaps = filled <= width / 2 + 1 || filled <= width - 2
  if (said !== undefined && others.every(isAmount)) return said === 'only' && hasGaps ? 'total' : 'perhaps total'
  if (filled === 1) return isNote(first, isAfterBlank) ? 'note' : undefined
  if (filled === 2 && width > 2 && isAfterBlank && (beginsNote.test(first) || /_{3}/.test(first))) return 'note'
  if (isAfterBlank && filled < width && saysWho.test(first)) return 'note'
  return undefined
}

type Above = Below & { readonly fewestFilled: number }

/**
 * A row that may be the title, the column names or a row of a second, smaller table below a blank row. The rows of the first table
 * are fuller.
 */
function likeSecondTable(cells: readonly Value[], above: Above): Likeness | undefined {
  const { filled, width, fewestFilled, isAfterBlank, before } = above
  if (filled > Math.max(2, width / 2) || filled >= fewestFilled) return undefined
  if (before?.likeness === 'second table') return 'second table'
  if (!isAfterBlank && before?.likeness !== 'note') return undefined
  return shownTexts(cells).every((text) => text.length > 1 && kindOfText(text) === 'text') ? 'second table' : undefined
}

/** The row of the column names, if rows follow it: at least two cells, and only text. */
function secondTableIn(held: readonly Held[]): Row | undefined {
  const rows = held.flatMap(({ row, likeness }) => (likeness === 'second table' ? row : []))
  const kinds = rows.map(({ values }) => shownTexts(Object.values(values)).map(kindOfText))
  const names = kinds.findIndex((each) => each.length > 1 && each.every((kind) => kind === 'text'))
  return names >= 0 && kinds.slice(names + 1).some((each) => each.includes('number')) ? rows[0] : undefined
}

/** True for numbers alone, none in the first column, each the sum of those above it as far as rounding allows. */
function areSums(cells: readonly Value[], above: readonly Value[], added: readonly number[]): boolean {
  const start = above.findIndex((cell) => !isBlank(cell))
  return cells.every((cell, at) => {
    if (isBlank(cell) || totalIn(shownText(cell)) === 'only') return true
    const sum = numberIn(cell)
    return at > start && sum > 0 && Math.abs(sum - (added[at] ?? NaN)) <= sum / 100
  })
}

const mostAdded = 5_000

/** Adds the numbers of a row; the sum of a column with other cells becomes NaN, and its cells are no longer read. */
function addTo(added: number[], cells: readonly Value[]): void {
  for (const [at, cell] of cells.entries()) {
    const sum = added[at] ?? 0
    if (!Number.isNaN(sum) && !isBlank(cell)) added[at] = sum + numberIn(cell)
  }
}

function numberIn(cell: Value): number {
  const text = shownText(cell)
  return readNumber(text) ?? readNumber(text, 'comma') ?? NaN
}

/** How many names without digits are below numbers or dates, if a row is like the names of a second table: only different texts. */
function namesBelowNumbers(cells: readonly Value[], above: readonly Value[]): number {
  const texts = cells.map(shownText)
  const filled = texts.filter((text) => text !== '')
  if (filled.some((text) => kindOfText(text) !== 'text' || meansNothing.test(text))) return 0
  if (filled.length < 2 || new Set(filled).size < filled.length) return 0
  return texts.filter((text, at) => text !== '' && !/\d/.test(text) && isNumberOrDate(above[at])).length
}

function isNames(likeness: Likeness | undefined): boolean {
  return likeness === 'names' || likeness === 'perhaps names'
}

/** A heading between blocks has two cells, and one cell may be a remark in place of a number: names need better evidence there. */
function namesLikeness(belowNumbers: number, filled: number): Likeness | undefined {
  if (belowNumbers === 0) return undefined
  return belowNumbers > 1 && filled > 2 ? 'names' : 'perhaps names'
}

/**
 * True if a row below what may be names does not continue the records above them: it has a number or date, and a cell of another kind
 * than the first and the last cell of its column, or the names can be nothing else. Ids may be of two kinds: in the first column only a
 * text counts, below names that are likely, and elsewhere only a number or date, as a remark may be in place of one.
 */
function areOtherKinds(
  cells: readonly Value[],
  { first, above }: { readonly first: readonly Value[]; readonly above: readonly Value[] },
  { row, likeness }: Held,
): boolean {
  const start = above.findIndex((cell) => !isBlank(cell))
  const isOther = (cell: Value, at: number): boolean => {
    const [kind, before, last] = [cell, first[at], above[at]].map((each) => kindOfText(shownText(each)))
    if (before !== last || kind === before || before === 'blank') return false
    return at === start ? likeness === 'names' && kind === 'text' : isNumberOrDate(cell)
  }
  const areSure = areColumnWords(shownTexts(Object.values(row.values)))
  return cells.some(isNumberOrDate) && (areSure || cells.some(isOther))
}

function isNumberOrDate(cell: Value): boolean {
  const kind = kindOfText(shownText(cell))
  return kind === 'number' || kind === 'date'
}

/** A total that leaves no column empty could also be a record of that name; if it adds up it is a total. */
function isFullTotal(cells: readonly Value[]): boolean {
  const [first] = cells
  if (typeof first !== 'string' || cells.length < 2 || totalIn(first) !== 'only') return false
  return cells.every((cell) => isAmount(shownText(cell)))
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

function isAmount(text: string): boolean {
  return (
    kindOfText(text.replace(/\s*(?:ha|ac|acres?|kg|t|m²|m2|%|rows?|records?|fields?|paddocks?)$/i, '')) === 'number' ||
    totalIn(text) === 'only'
  )
}

const beginsNote =
  /^(?:\*|†|©|--|==|exported|export|printed|print|created|generated|report|source|sources|note|notes|page|end of|powered|copyright|prepared|run|date|erstellt|gedruckt|exportiert|quelle|stand|seite|hinweis|afgedrukt|geëxporteerd|gegenereerd|bron|pagina|exporté|imprimé|généré|édité|fuente|fecha|página|exportado|impreso|udskrevet|utskriven|kilde|källa)(?![\p{L}\d])|^\*|^[-=_*]{3,}$|^\d+ (?:rows?|records?|fields?|paddocks?|entries|zeilen|rijen|lignes|filas)(?![\p{L}\d])|^\(\d+ rows?(?: affected)?\)$|^(?:seite|page|pagina|página) \d/iu

/** What stands beside who made a list, and when. */
const saysWho =
  /^(?:prepared|printed|exported|created|generated|drawn|checked|approved|compiled|updated|signed) (?:by|on|at)\b/i

const aboveNotes =
  /^(?:notes?|remarks?|comments?|legend|hinweise?|bemerkungen|anmerkungen|opmerkingen|remarques?|notas?)$/i

/** One cell that is a sentence and not a key; on its own it must begin like a note, below a blank row it need not. */
function isNote(text: string, isAfterBlank: boolean): boolean {
  if (/^(?:[-=_*]{3,}|END|EOF)$/.test(text)) return true
  const words = text.split(/\s+/).length
  if (beginsNote.test(text) && words > 1) return true
  return isAfterBlank && (words > 2 || text.endsWith(':') || aboveNotes.test(text)) && kindOfText(text) === 'text'
}

function isRuled(cells: readonly Value[]): boolean {
  const first = cells.find((cell) => !isBlank(cell))
  return typeof first === 'string' && beginsLine.test(first) && isRule(cells.map(shownText))
}

const beginsLine = /^[ :]*[-=_*+]{2}/

/** Makes the test for a row that repeats a line of the column names. */
function headerTest(lines: Layout['header'], columns: readonly number[]): (cells: readonly Value[]) => boolean {
  const known = lines.map((line) => line.map(plainName)).filter((line) => line.filter((text) => text !== '').length > 1)
  const starts = known.map((line) => line.findIndex((text) => text !== ''))
  return (cells) =>
    known.some(
      (line, index) =>
        plainName(cells[columns[starts[index]!]!]) === line[starts[index]!] &&
        line.every((text, at) => plainName(cells[columns[at]!]) === text),
    )
}

/**
 * A name without what may differ where it is repeated. The byte order mark of a second file, joined to the first, keeps a quote behind
 * it from opening a cell.
 */
function plainName(cell: Value): string {
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

function shownIn({ values }: Row): string {
  return shownTexts(Object.values(values)).join(' | ').slice(0, 120)
}

function withProblem(row: Row, ...problems: readonly Problem[]): Row {
  return { ...row, problems }
}

/** The problems of the row as a record, such as missing cells, do not matter in a footer. */
function asFooter(row: Row, likeness: Likeness): Row {
  const value = shownIn(row)
  const what = /total|sum/.test(likeness) ? 'a total below the table' : 'a note below the table'
  const message = `The row is ${what}, not a record: ${value}`
  return withProblem(row, problem('row-footer', row.at, { value, message }))
}

const ruled = 'The row is a line of dashes, not a record.'

function headerAgain(row: Row, how = ''): Row {
  return withProblem(row, problem('header-again', row.at, { message: `The row repeats the column names${how}.` }))
}

function belowOtherNames(row: Row, { at }: Row): Row {
  const fault = problem('row-unreadable', row.at, {
    message: `Row ${at.row} contains the column names in another order, and this row is below it: its cells are under the wrong names.`,
    hint: `Two tables were joined there. Save row ${at.row} and the rows below it as a separate file, or bring its columns into the order of the others.`,
  })
  return withProblem(row, ...(row.problems ?? []), fault)
}

function inSecondTable(row: Row, first: Row): Row {
  const fault = problem('row-unreadable', row.at, {
    value: shownIn(row),
    message: `A second table begins in row ${first.at.row}, below a blank row, and this row is a part of it.`,
    hint: 'Delete the second table, or move it to a sheet or file of its own. If the rows are records, remove the blank row and the names above them.',
  })
  return withProblem(row, ...(row.problems ?? []), fault)
}

function likeTotal(row: Row): Row {
  const doubt = problem('row-like-total', row.at, {
    value: shownIn(row),
    message: `The row looks like a total, but it is among the records, so it was read as one: ${shownIn(row)}`,
    hint: 'If it is a total, remove it from the file, or filter it out with "only" in the pipeline.',
  })
  return withProblem(row, ...(row.problems ?? []), doubt)
}
