/** Hides what is gathered of one column while its cells go by: each different value is judged once, then only counted. */

import { mayBeNoValue, noValueIn } from '../no-value.ts'
import type { Place, TextRows, Value } from '../row.ts'
import { isSpaceUnit } from '../units.ts'
import { copyOf, DistinctValues } from './distinct.ts'
import { judge, judgeBetween, startJudged, sumUp, type Judged, type Verdict } from './judged.ts'

/**
 * What one column holds. All counts are exact; `distinct` and `repeated` (the values that come more than once) are while
 * `distinctIsExact`, else there are more. `examples` are the first different values; `leadingZeros` counts texts such as 007.
 */
export type ColumnProfile = Verdict & {
  readonly name: string
  readonly filled: number
  readonly blank: number
  readonly texts: number
  readonly numbers: number
  readonly truths: number
  readonly nested: number
  readonly distinct: number
  readonly distinctIsExact: boolean
  readonly repeated: number
  readonly examples: readonly string[]
  readonly longest: number
}

/**
 * What the columns of a table may still hold together: different values, those of columns without a repetition beyond what each
 * may, and caches of values that came again.
 */
export type Budget = { distinct: number; unique: number; caches: number }

// Bounds that keep a table of any size in some tens of megabytes.
const mostDistinct = 4000
const mostDistinctOfAll = 400_000
const mostUnique = 1_500_000
const mostCaches = 100
const mostExamples = 5

/** Starts the budget of a table. */
export function startBudget(): Budget {
  return { distinct: mostDistinctOfAll, unique: mostUnique, caches: mostCaches }
}

/** True when so many cells cannot use up what is left, or nothing is: then it makes no difference which come first. */
export function isEnoughFor({ distinct, unique }: Budget, cells: number): boolean {
  return (distinct <= 0 || distinct > cells) && (unique <= 0 || unique > cells)
}

/** A column in the making. */
export type Gathered = {
  texts: number
  numbers: number
  truths: number
  nested: number
  longest: number
  /** Undefined when nothing more is asked about which values are different. */
  values: DistinctValues | undefined
  distinct: number
  repeated: number
  /** Each value so far is above the one before, which proves that all are different. */
  ascends: boolean
  last: string | number | boolean
  /** Values that came again, with their marks: a comparison is cheaper than looking at every letter. */
  recent: string[]
  recentMarks: Uint16Array
  readonly examples: string[]
  readonly judged: Judged
}

const recentSlots = 4096
// A table of thousands of columns mostly has nothing in them.
const noneRecent: string[] = []
const noMarks = new Uint16Array(0)

/** Starts a column. */
export function startColumn(): Gathered {
  return {
    texts: 0,
    numbers: 0,
    truths: 0,
    nested: 0,
    longest: 0,
    values: new DistinctValues(),
    distinct: 0,
    repeated: 0,
    ascends: true,
    last: '',
    recent: noneRecent,
    recentMarks: noMarks,
    examples: [],
    judged: startJudged(),
  }
}

/** Adds one cell. */
export function addCell(column: Gathered, value: Value, at: Place, budget: Budget): void {
  if (typeof value === 'string') {
    if (value !== '') addText(column, value, at, budget)
  } else if (typeof value === 'number' || typeof value === 'boolean') {
    if (typeof value === 'number') column.numbers += 1
    else column.truths += 1
    if (column.values !== undefined && column.values.find(value) === -1) addDifferent(column, value, 0, budget)
    else if (column.values === undefined && column.ascends) goOn(column, value)
  } else if (value !== null && value !== undefined) column.nested += 1
}

function addText(column: Gathered, value: string, at: Place, budget: Budget): void {
  const { length } = value
  const first = value.charCodeAt(0)
  const last = value.charCodeAt(length - 1)
  const { values, judged } = column
  const slot = values === undefined ? 0 : slotOf(value, first, last)
  if (values !== undefined && column.recent[slot] === value) {
    const mark = column.recentMarks[slot]!
    judged.counts[mark] = judged.counts[mark]! + 1
    column.texts += 1
    return
  }
  const text = first > 32 && first < 127 && last > 32 && last < 127 ? value : value.trim()
  if (text === '') return
  const known = values === undefined ? -1 : values.find(text)
  if (known === -1 && noValueIn(text) === 'nothing') return
  column.texts += 1
  if (length > column.longest) column.longest = Math.max(text.length, column.longest)
  const mark = known === -1 ? judge(judged, text, at) : known
  judged.counts[mark] = judged.counts[mark]! + 1
  if (known !== -1) keepRecent(column, { slot, value, mark }, budget)
  else if (values !== undefined) addDifferent(column, text, mark, budget)
  else if (column.ascends) goOn(column, text)
}

/** Adds the cells of the column at `index`, row by row. A text is made of those alone that are new or may be a date. */
export function addTextCells(column: Gathered, rows: TextRows, index: number, budget: Budget): void {
  const { units, bounds, width, places, count } = rows
  const values = rows.values?.[index]
  if (values !== undefined) {
    for (let row = 0; row < count; row += 1) {
      const value = values[row]
      if (value !== null) addCell(column, value, typeof value === 'string' ? rows.place(row) : anywhere, budget)
    }
    return
  }
  const { judged } = column
  let texts = 0
  // The text before in a column that only goes up: nobody needs it as a text but who goes on with the next rows.
  let last: Cell | undefined
  for (let row = 0, at = places[index]! * 2; row < count; row += 1, at += width * 2) {
    let from = bounds[at]!
    let to = bounds[at + 1]!
    while (from < to && isSpaceUnit(units[from]!)) from += 1
    while (from < to && isSpaceUnit(units[to - 1]!)) to -= 1
    if (from === to) continue
    let mark = column.values === undefined ? -1 : column.values.findBetween(units, from, to)
    if (mark === -1) {
      if (mayBeNoValue(units[from]!, to - from) && noValueIn(rows.text(from, to)) === 'nothing') continue
      const cell = { row, from, to }
      const goesUp = column.values === undefined && column.ascends
      mark = addNewText(column, rows, cell, budget)
      if (goesUp && last !== undefined) goOnBy(column, compareBetween(units, cell, last))
      else if (goesUp) goOn(column, rows.text(from, to))
      last = goesUp ? cell : undefined
    }
    texts += 1
    judged.counts[mark] = judged.counts[mark]! + 1
  }
  column.texts += texts
  if (last !== undefined && column.ascends) column.last = rows.text(last.from, last.to)
}

/** Where something stands is asked of texts alone. */
const anywhere: Place = { source: '', row: -1 }

type Cell = { readonly row: number; readonly from: number; readonly to: number }

function addNewText(column: Gathered, rows: TextRows, { row, from, to }: Cell, budget: Budget): number {
  const { values, judged } = column
  if (to - from > column.longest) column.longest = to - from
  const seen = judgeBetween(judged, rows.units, from, to)
  if (seen !== -1 && values === undefined) return seen
  const text = rows.text(from, to)
  const mark = seen === -1 ? judge(judged, text, rows.place(row)) : seen
  if (values !== undefined) addDifferent(column, text, mark, budget)
  return mark
}

/** Above zero where the cell is above the other as `isAbove` has it, zero where they are equal. */
function compareBetween(units: Uint16Array, cell: Cell, other: Cell): number {
  const length = cell.to - cell.from
  if (length !== other.to - other.from) return length - (other.to - other.from)
  for (let at = 0; at < length; at += 1) {
    const difference = units[cell.from + at]! - units[other.from + at]!
    if (difference !== 0) return difference
  }
  return 0
}

type Recent = { readonly slot: number; readonly value: string; readonly mark: number }

function keepRecent(column: Gathered, { slot, value, mark }: Recent, budget: Budget): void {
  if (column.recent.length === 0) {
    if (budget.caches <= 0) return
    budget.caches -= 1
    column.recent = Array.from({ length: recentSlots }, () => '')
    column.recentMarks = new Uint16Array(recentSlots)
  }
  // The first that came again keeps its place: making room for each other would cost more than a look into the set.
  if (column.recent[slot] !== '') return
  column.recent[slot] = copyOf(value)
  column.recentMarks[slot] = mark
}

/** The letters at both ends and in the middle tell most values of a column from each other; the weights were tried on real columns. */
function slotOf(text: string, first: number, last: number): number {
  const { length } = text
  const middle = length >> 1
  const ends = length * 1031 + first * 17 + last * 127
  if (length < 3) return ends & (recentSlots - 1)
  const inner = text.charCodeAt(1) * 7 + text.charCodeAt(length - 2) * 331
  return (ends + inner + text.charCodeAt(middle - 1) * 211 + text.charCodeAt(middle) * 61) & (recentSlots - 1)
}

/** Adds a value that was not there before. A column without a repetition may be a key and goes on beyond the usual bound. */
function addDifferent(column: Gathered, value: string | number | boolean, mark: number, budget: Budget): void {
  const values = column.values!
  column.ascends &&= values.size === 0 || isAbove(value, column.last)
  column.last = value
  const isFew = values.size < mostDistinct && budget.distinct > 0
  if (isFew || (values.repeated === 0 && !column.ascends && budget.unique > 0)) {
    if (isFew) budget.distinct -= 1
    else budget.unique -= 1
    values.add(mark)
    if (column.examples.length < mostExamples) column.examples.push(copyOf(String(value).slice(0, 200)))
    if (typeof value !== 'string') column.longest = Math.max(column.longest, String(value).length)
    return
  }
  column.ascends &&= values.repeated === 0
  column.distinct = values.size + (column.ascends ? 1 : 0)
  column.repeated = values.repeated
  column.values = undefined
  column.recent = noneRecent
}

/** Goes on with a column whose values have only ever gone up. */
function goOn(column: Gathered, value: string | number | boolean): void {
  goOnBy(column, isAbove(value, column.last) ? 1 : value === column.last ? 0 : -1)
  column.last = value
}

/** The same by how the value compares with the one before. */
function goOnBy(column: Gathered, difference: number): void {
  if (difference > 0) column.distinct += 1
  else {
    column.ascends = false
    if (difference === 0) column.repeated += 1
  }
}

/** Numbers by their size, texts by their length first, as programs count: P9, P10. */
function isAbove(value: string | number | boolean, last: string | number | boolean): boolean {
  if (typeof value === 'number' && typeof last === 'number') return value > last
  if (typeof value !== 'string' || typeof last !== 'string') return false
  return value.length === last.length ? value > last : value.length > last.length
}

/** What the column turned out to hold, of so many rows. */
export function finishColumn(name: string, column: Gathered, rows: number): ColumnProfile {
  const { texts, numbers, truths, nested, longest, examples, values, judged } = column
  const filled = texts + numbers + truths + nested
  return {
    name,
    filled,
    blank: rows - filled,
    texts,
    numbers,
    truths,
    nested,
    distinct: values?.size ?? column.distinct,
    distinctIsExact: (values !== undefined || column.ascends) && nested === 0,
    repeated: values?.repeated ?? column.repeated,
    examples,
    longest,
    ...sumUp(judged),
  }
}
