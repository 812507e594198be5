/** Hides how a table is looked over once before anything is decided: what its columns hold, and how it is written. */

import { compileDatePattern, type DatePattern } from './date-pattern.ts'
import { partNumberAndWord, readNumber } from './number-text.ts'
import { isBlank, type Place, type Row, type Table, type Value } from './row.ts'
import type { Shape, ShapeKind } from './shape.ts'

/** What a date pattern makes of a column's texts: read, impossible (31 February), or of another form; the first that is not read. */
export type PatternFit = {
  readonly pattern: string
  readonly spoken: string
  readonly fits: number
  readonly impossible: number
  readonly misfits: number
  readonly firstMisfit: { readonly text: string; readonly at: Place } | undefined
}

/** How many of the texts are numbers with a decimal point, with a comma, and without any mark that tells the two apart. */
export type NumberFit = { readonly point: number; readonly comma: number; readonly either: number }

/**
 * What one column holds. `distinct` is exact while `distinctIsExact`, else there are more; `repeated` counts the values that
 * come more than once; `examples` are the first different texts; `leadingZeros` counts texts such as 007.
 */
export type ColumnProfile = {
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
  readonly leadingZeros: number
  readonly numberFit: NumberFit
  readonly numberWords: Readonly<Record<string, number>>
  readonly dates: readonly PatternFit[]
}

/** What a whole table holds. `bbox` is in the coordinates of the file: west, south, east, north. */
export type TableProfile = {
  readonly name: string
  readonly format: string
  readonly rows: number
  readonly columns: readonly ColumnProfile[]
  readonly shapes: Readonly<Partial<Record<ShapeKind, number>>>
  readonly withoutShape: number
  readonly bbox: readonly [number, number, number, number] | undefined
  readonly sample: Row | undefined
}

// Bounds that keep a table of any size in some tens of megabytes.
const mostColumns = 2000
const mostDistinct = 100_000
const mostDistinctOfAll = 1_000_000
const mostExamples = 5
const mostWords = 8
const trialTexts = 100

/** Rows that no record comes of. */
const isSkipped: ReadonlySet<string> = new Set(['row-blank', 'row-footer', 'header-again'])

const days = ['yyyy-MM-dd', 'yyyy/M/d', 'yyyyMMdd', 'd/M/yyyy', 'M/d/yyyy', 'd.M.yyyy', 'd-M-yyyy', 'M-d-yyyy']
const shortDays = ['d/M/yy', 'M/d/yy', 'd.M.yy', 'd MMM yyyy', 'd-MMM-yyyy', 'd-MMM-yy', 'MMM d, yyyy', 'd MMM yy']
const times = ['', ' H:mm', ' H:mm:ss', ' h:mm a', ' h:mm:ss a']
const iso = ["yyyy-MM-dd'T'HH:mm:ss", "yyyy-MM-dd'T'HH:mm:ssX", "yyyy-MM-dd'T'HH:mm:ss.SX", "yyyy-MM-dd'T'HH:mm"]
const patterns: readonly DatePattern[] = [
  ...iso,
  ...times.flatMap((time) => [...days, ...shortDays].map((day) => day + time)),
]
  .map(compileDatePattern)
  .filter((pattern) => typeof pattern !== 'string')

/** Looks over the whole table in one pass. */
export async function profileTable(table: Table, signal?: AbortSignal): Promise<TableProfile> {
  const columns = new Map<string, Gathered>()
  const shapes: Partial<Record<ShapeKind, number>> = {}
  const box = new Float64Array([Infinity, Infinity, -Infinity, -Infinity])
  const budget = { distinct: mostDistinctOfAll }
  let [rows, withoutShape] = [0, 0]
  let sample: Row | undefined
  for (const { name } of table.columns ?? []) columns.set(name, startColumn())
  for await (const batch of table.batches(signal))
    for (const row of batch) {
      if (row.problems?.some(({ code }) => isSkipped.has(code)) === true) continue
      rows++
      sample = fullerOf(sample, row)
      for (const name of Object.keys(row.values)) {
        const column = columns.get(name) ?? (columns.size < mostColumns ? startColumn() : undefined)
        if (column === undefined) continue
        columns.set(name, column)
        addValue(column, row.values[name], row.at, budget)
      }
      if (row.shape === undefined || row.shape === null) withoutShape++
      else {
        shapes[row.shape.kind] = (shapes[row.shape.kind] ?? 0) + 1
        widen(box, row.shape)
      }
    }
  return {
    name: table.name,
    format: table.format,
    rows,
    columns: [...columns].map(([name, gathered]) => finishColumn(name, gathered, rows)),
    shapes,
    withoutShape,
    bbox: box[0]! <= box[2]! ? [box[0]!, box[1]!, box[2]!, box[3]!] : undefined,
    sample,
  }
}

/** The row with the most filled cells among the first hundred makes the best example. */
function fullerOf(sample: Row | undefined, row: Row): Row {
  if (sample === undefined) return row
  if (row.at.row - sample.at.row > 100) return sample
  const filled = (each: Row): number => Object.values(each.values).filter((value) => !isBlank(value)).length
  return filled(row) > filled(sample) ? row : sample
}

type Gathered = {
  filled: number
  texts: number
  numbers: number
  truths: number
  nested: number
  readonly seen: Set<number>
  readonly seenTwice: Set<number>
  overflowed: boolean
  readonly examples: string[]
  longest: number
  leadingZeros: number
  point: number
  comma: number
  either: number
  readonly words: Map<string, number>
  trials: Trial[]
  triedTexts: number
}

type Trial = {
  readonly pattern: DatePattern
  fits: number
  impossible: number
  misfits: number
  firstMisfit: { readonly text: string; readonly at: Place } | undefined
}

function startColumn(): Gathered {
  return {
    filled: 0,
    texts: 0,
    numbers: 0,
    truths: 0,
    nested: 0,
    seen: new Set(),
    seenTwice: new Set(),
    overflowed: false,
    examples: [],
    longest: 0,
    leadingZeros: 0,
    point: 0,
    comma: 0,
    either: 0,
    words: new Map(),
    trials: patterns.map((pattern) => ({ pattern, fits: 0, impossible: 0, misfits: 0, firstMisfit: undefined })),
    triedTexts: 0,
  }
}

function addValue(column: Gathered, value: Value, at: Place, budget: { distinct: number }): void {
  if (isBlank(value)) return
  column.filled++
  if (typeof value === 'object') {
    column.nested++
    return
  }
  const text = String(value).trim()
  if (typeof value === 'number') column.numbers++
  else if (typeof value === 'boolean') column.truths++
  else addText(column, text, at)
  if (text.length > column.longest) column.longest = text.length
  addDistinct(column, text, budget)
}

function addDistinct(column: Gathered, text: string, budget: { distinct: number }): void {
  const key = hashOf(text)
  if (column.seen.has(key)) {
    if (column.seenTwice.size < mostDistinct) column.seenTwice.add(key)
    return
  }
  if (column.seen.size >= mostDistinct || budget.distinct <= 0) {
    column.overflowed = true
    return
  }
  budget.distinct--
  column.seen.add(key)
  // A copy: a slice of the file's text would keep the whole of it in memory.
  if (column.examples.length < mostExamples) column.examples.push(Buffer.from(text.slice(0, 200)).toString())
}

/** 53 bits of a text: the texts themselves would hold on to the file, and two that meet by chance are one in billions. */
function hashOf(text: string): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57]
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    high = Math.imul(high ^ unit, 2654435761)
    low = Math.imul(low ^ unit, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return 4294967296 * (2097151 & low) + (high >>> 0)
}

function addText(column: Gathered, text: string, at: Place): void {
  column.texts++
  if (/^0\d/.test(text)) column.leadingZeros++
  const asPoint = readNumber(text, 'point')
  const asComma = readNumber(text, 'comma')
  if (asPoint !== undefined && asPoint === asComma) column.either++
  else {
    if (asPoint !== undefined) column.point++
    if (asComma !== undefined) column.comma++
  }
  if (asPoint === undefined && asComma === undefined) addWord(column.words, text)
  if (column.trials.length > 0) tryPatterns(column, text, at)
}

function addWord(words: Map<string, number>, text: string): void {
  const word = text.length > 60 ? undefined : partNumberAndWord(text)?.word
  if (word !== undefined && (words.has(word) || words.size < mostWords)) words.set(word, (words.get(word) ?? 0) + 1)
}

/** After some texts only the patterns that have read at least one are tried on. */
function tryPatterns(column: Gathered, text: string, at: Place): void {
  for (const trial of column.trials) {
    const reading = text.length > 40 ? undefined : trial.pattern.read(text)
    if (typeof reading === 'object') {
      trial.fits++
      continue
    }
    if (typeof reading === 'string') trial.impossible++
    else trial.misfits++
    trial.firstMisfit ??= { text: text.slice(0, 60), at }
  }
  column.triedTexts++
  if (column.triedTexts === trialTexts) column.trials = column.trials.filter(({ fits }) => fits > 0)
}

function finishColumn(name: string, gathered: Gathered, rows: number): ColumnProfile {
  const { filled, texts, numbers, truths, nested, longest, leadingZeros, examples } = gathered
  return {
    name,
    filled,
    blank: rows - filled,
    texts,
    numbers,
    truths,
    nested,
    distinct: gathered.seen.size,
    distinctIsExact: !gathered.overflowed && nested === 0,
    repeated: gathered.seenTwice.size,
    examples,
    longest,
    leadingZeros,
    numberFit: { point: gathered.point, comma: gathered.comma, either: gathered.either },
    numberWords: Object.fromEntries(gathered.words),
    dates: gathered.trials
      .filter(({ fits }) => fits > 0)
      .map(({ pattern, ...fit }) => ({ pattern: pattern.pattern, spoken: pattern.spoken, ...fit }))
      .toSorted((left, right) => right.fits - left.fits),
  }
}

function widen(box: Float64Array, shape: Shape): void {
  for (const member of shape.members ?? []) widen(box, member)
  const { coordinates } = shape
  for (let index = 0; index + 1 < coordinates.length; index += 2) {
    const [x, y] = [coordinates[index]!, coordinates[index + 1]!]
    if (x < box[0]!) box[0] = x
    if (y < box[1]!) box[1] = y
    if (x > box[2]!) box[2] = x
    if (y > box[3]!) box[3] = y
  }
}
