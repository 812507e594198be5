/** Finds the row with the column names: names are texts, differ, and are above values of another kind. */

import { isColumnWord } from '../../core/values/header-words.ts'
import { filledIn, isFilled, isRule, isYear, shownIn, type CellKind, type GridRow } from './grid-cell.ts'

// These limits keep the search short in a sheet of any width.
const mostCandidates = 40
const bodyRows = 40
const mostColumns = 400
/** More rows than these, and what lies above a row of names is a table of its own. */
const mostLabelRows = 5
/** A row with fewer filled cells than this share of the usual number is a title or a footer. */
const wideShare = 0.6

/**
 * Finds the row with the names among the first rows of a grid, at least one of which must be filled: its index, or that of the first row
 * with values if there are no names. `typed` is how many columns contain another kind of value below; `runnerUp` is the index of the
 * second-best row.
 */
export function findHeader(rows: readonly GridRow[]) {
  const usual = usualWidth(rows)
  let best: Candidate | undefined
  let second: number | undefined
  let blankSince = false
  for (let index = 0, seen = 0; index < rows.length && seen < mostCandidates; index += 1) {
    const filled = filledIn(rows[index]!)
    // A workbook leaves out rows without cells.
    const isAfterGap = rows[index]!.row > (rows[index - 1] ?? rows[index]!).row + 1
    if (filled === 0 || isAfterGap) blankSince = best !== undefined
    if (!isWide(rows[index]!, filled, usual)) continue
    seen += 1
    const candidate = candidateAt(rows, index, filled / usual)
    if (best === undefined || isBetter(candidate, best, blankSince)) {
      second = best?.index
      best = candidate
      blankSince = false
    } else if (candidate.isNamed && second === undefined && best.contrast <= 0) second = index
    // Names are above values, so the header cannot be below the first row of values.
    if (candidate.like > candidate.unlike) break
  }
  if (best === undefined) return { index: rows.findIndex((row) => filledIn(row) > 0), hasNames: true, typed: 0 }
  const hasNames = !isValues(rows, best)
  return { index: best.index, hasNames, typed: best.typed, runnerUp: hasNames ? second : best.index }
}

/** True for a row that may contain names or values; known names make up for missing ones, such as the first. */
function isWide(row: GridRow, filled: number, usual: number): boolean {
  if (filled === 0 || isRule(row.cells.map((cell) => cell?.text ?? ''))) return false
  if (filled >= wideShare * usual) return true
  const known = columnWordsIn(row)
  return known > 1 || (known === 1 && filled * 2 >= usual && shownIn(row, 0) === '')
}

/** How many filled cells the fuller rows have; titles and sparse rows do not reduce it. */
function usualWidth(rows: readonly GridRow[]): number {
  const widths = rows
    .map(filledIn)
    .filter((width) => width > 0)
    .toSorted((a, b) => a - b)
  return widths[Math.floor(widths.length * 0.75)] ?? 1
}

type Candidate = ReturnType<typeof candidateAt>

/** `like` and `unlike` count the cells of the same kind as those below them, and those that are a name above other values. */
function candidateAt(rows: readonly GridRow[], index: number, coverage: number) {
  const row = rows[index]!
  const body = rows.slice(index + 1, index + 1 + bodyRows).filter((each) => filledIn(each) > 0)
  let [like, unlike, typed, named, filled] = [0, 0, 0, 0, 0]
  const width = Math.min(mostColumns, Math.max(row.cells.length, ...body.map(({ cells }) => cells.length)))
  for (let column = 0; column < width; column += 1) {
    const cell = row.cells[column]
    const below = body.length === 0 ? undefined : columnBelow(body, column)
    if (below !== undefined) typed += 1
    if (!isFilled(cell)) continue
    filled += 1
    const isName = cell.kind === 'text' || (isYear(cell) && below?.areYears !== true)
    if (isName) named += 1
    if (below === undefined) {
      if (body.length === 0 && !isName) like += 1
    } else if (below.kind === 'text' ? patternOf(cell.text) === below.pattern : cell.kind === below.kind && !isName)
      like += 1
    else if (isName) unlike += 1
  }
  const contrast = (unlike - like) / Math.max(1, typed)
  const isNamed = named >= filled * 0.8
  return { index, coverage: Math.min(1, coverage), like, unlike, typed, contrast, isNamed, words: columnWordsIn(row) }
}

type Below = { readonly kind: CellKind; readonly areYears: boolean; readonly pattern?: string }

/** The kind of most cells of a column, if it is more than any text; codes such as P01, P02 count by their pattern. */
function columnBelow(body: readonly GridRow[], column: number): Below | undefined {
  const kinds = new Map<CellKind, number>()
  const patterns = new Map<string, number>()
  let [filled, years] = [0, 0]
  for (const { cells } of body) {
    const cell = cells[column]
    if (!isFilled(cell)) continue
    filled += 1
    kinds.set(cell.kind, (kinds.get(cell.kind) ?? 0) + 1)
    if (isYear(cell)) years += 1
    const pattern = cell.kind === 'text' ? patternOf(cell.text) : undefined
    if (pattern !== undefined) patterns.set(pattern, (patterns.get(pattern) ?? 0) + 1)
  }
  for (const [kind, times] of kinds)
    if (kind !== 'text' && kind !== 'error' && times > filled * 0.6) return { kind, areYears: years > filled * 0.6 }
  for (const [pattern, times] of patterns)
    if (times > 1 && times > filled * 0.6) return { kind: 'text', areYears: false, pattern }
  return undefined
}

/** Codes such as P01 and P02 have one pattern; texts without digits have none. */
function patternOf(text: string): string | undefined {
  const trimmed = text.trim()
  return trimmed.length <= 40 && /\d/.test(trimmed) ? trimmed.replace(/\d+/g, '9') : undefined
}

/** A later row is the header only with better evidence: a first row that is merely narrow may have empty names at its end. */
function isBetter(candidate: Candidate, best: Candidate, blankBetween: boolean): boolean {
  if (!candidate.isNamed) return false
  // Above it are labels with their values, as wide as the table: Manager, J. Kerr, Phone, 021 555 0100.
  const isBelowFew = candidate.index - best.index <= mostLabelRows
  const isBelowLabels = blankBetween && isBelowFew && best.words === 0 && candidate.words > 0
  if (isBelowLabels && candidate.coverage >= best.coverage && candidate.contrast >= best.contrast) return true
  if (best.isNamed && candidate.coverage <= best.coverage) return false
  if (candidate.contrast > best.contrast + 0.2) return true
  return blankBetween && candidate.coverage >= best.coverage + 0.25 && candidate.contrast >= best.contrast
}

/** True if most of the texts of a row are words that people write over columns. */
export function areColumnWords(texts: readonly string[]): boolean {
  const words = texts.filter((text) => isColumnWord(text)).length
  return words > 1 && words * 2 > texts.length
}

function columnWordsIn({ cells }: GridRow): number {
  return cells.slice(0, mostColumns).filter((cell) => cell !== undefined && isColumnWord(cell.text)).length
}

/** True if the row is already one of the values: of their kind, or with words that occur again below. */
function isValues(rows: readonly GridRow[], { index, like, unlike }: Candidate): boolean {
  const row = rows[index]!
  if (columnWordsIn(row) > 0) return false
  if (like > 0 || unlike > 0) return like > unlike
  const columns = [...row.cells.keys()].slice(0, mostColumns)
  const isSame = (other: GridRow): boolean => columns.every((column) => shownIn(row, column) === shownIn(other, column))
  const body = rows.slice(index + 1, index + 1 + bodyRows).filter((each) => !isSame(each))
  return columns.some((column) => {
    const text = shownIn(row, column)
    return text !== '' && body.some((each) => shownIn(each, column) === text)
  })
}
