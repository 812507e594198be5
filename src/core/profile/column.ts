/** Collects what one column contains: each different value is judged once and then only counted. */

import { noValueIn } from '../values/no-value.ts'
import type { Place, Value } from '../row.ts'
import { copyOf, DistinctValues } from './distinct.ts'
import { judge, startJudged, sumUp } from './judged.ts'

/**
 * What one column contains. All counts are exact; `distinct` and `repeated` (values that occur more than once) are exact if
 * `distinctIsExact`, otherwise they are lower bounds. `examples` are the first different values, `few` all of them
 * where there are few; `leadingZeros` counts texts such as 007.
 */
export type ColumnProfile = ReturnType<typeof finishColumn>

/** What the columns of a table may still store together: different values, and values of columns without repeats beyond their own limit. */
export type Budget = { distinct: number; unique: number }

// These limits keep a table of any size within some tens of megabytes.
const mostDistinct = 4000
const mostDistinctOfAll = 400_000
const mostUnique = 1_500_000
const mostExamples = 5
const mostFew = 30

export function startBudget(): Budget {
  return { distinct: mostDistinctOfAll, unique: mostUnique }
}

type Plain = string | number | boolean

/** A column while it is being read. */
export type Gathered = ReturnType<typeof startColumn>

/**
 * Starts a column. `values` is undefined when different values are no longer collected; `ascends`: each value so far is greater than
 * the one before, which proves that all are different.
 */
export function startColumn() {
  return {
    texts: 0,
    numbers: 0,
    truths: 0,
    nested: 0,
    longest: 0,
    values: new DistinctValues() as DistinctValues | undefined,
    distinct: 0,
    repeated: 0,
    ascends: true,
    last: '' as Plain,
    examples: [] as string[],
    judged: startJudged(),
  }
}

export function addCell(column: Gathered, value: Value, at: Place, budget: Budget): void {
  if (typeof value === 'string') {
    if (value !== '') addText(column, value, at, budget)
  } else if (typeof value === 'number' || typeof value === 'boolean') {
    if (typeof value === 'number') column.numbers += 1
    else column.truths += 1
    if (column.values !== undefined) {
      if (column.values.find(value) === -1) addDifferent(column, value, 0, budget)
    } else if (column.ascends) countAscending(column, value)
  } else if (value !== null && value !== undefined) column.nested += 1
}

function addText(column: Gathered, value: string, at: Place, budget: Budget): void {
  const { values, judged } = column
  const text = value.trim()
  if (text === '') return
  const known = values === undefined ? -1 : values.find(text)
  if (known === -1 && noValueIn(text) === 'nothing') return
  column.texts += 1
  if (text.length > column.longest) column.longest = text.length
  const mark = known === -1 ? judge(judged, text, at) : known
  judged.counts[mark] = judged.counts[mark]! + 1
  if (known !== -1) return
  if (values !== undefined) addDifferent(column, text, mark, budget)
  else if (column.ascends) countAscending(column, text)
}

/** Adds a new value. A column without repeats may be a key and is followed beyond the usual limit. */
function addDifferent(column: Gathered, value: Plain, mark: number, budget: Budget): void {
  const values = column.values!
  column.ascends &&= values.size === 0 || isAbove(value, column.last)
  column.last = value
  const isFew = values.size < mostDistinct && budget.distinct > 0
  if (isFew || (values.repeated === 0 && !column.ascends && budget.unique > 0)) {
    if (isFew) budget.distinct -= 1
    else budget.unique -= 1
    values.add(mark)
    if (column.examples.length < mostFew) column.examples.push(copyOf(String(value).slice(0, 200)))
    if (typeof value !== 'string') column.longest = Math.max(column.longest, String(value).length)
    return
  }
  column.ascends &&= values.repeated === 0
  column.distinct = values.size + (column.ascends ? 1 : 0)
  column.repeated = values.repeated
  column.values = undefined
}

/** Counts a value of a column whose values have only increased. */
function countAscending(column: Gathered, value: Plain): void {
  if (isAbove(value, column.last)) column.distinct += 1
  else {
    column.ascends = false
    if (value === column.last) column.repeated += 1
  }
  column.last = value
}

/** Numbers are compared by size, texts by length first, so that P10 follows P9. */
function isAbove(value: Plain, last: Plain): boolean {
  if (typeof value === 'number' && typeof last === 'number') return value > last
  if (typeof value !== 'string' || typeof last !== 'string') return false
  return value.length === last.length ? value > last : value.length > last.length
}

/** The finished profile of the column, given the number of rows. */
export function finishColumn(name: string, column: Gathered, rows: number) {
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
    examples: examples.slice(0, mostExamples),
    few: values !== undefined && nested === 0 && values.size <= mostFew ? examples : undefined,
    longest,
    ...sumUp(judged),
  }
}
