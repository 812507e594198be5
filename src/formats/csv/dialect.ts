/** Detects the delimiter, the quote character and the decimal separator of a CSV file from its first part, with the evidence. */

import { WindrowError } from '../../core/error.ts'
import { chosen, chosenByPerson, valueText, type Choice } from '../../core/row.ts'
import { plural } from '../../core/values/plural.ts'
import type { FormatOptions } from '../format.ts'
import { splitRecords, type Dialect } from './split.ts'

/** The usual delimiters. */
export const candidates = [',', ';', '\t', '|'] as const

const spoken: Readonly<Record<string, string>> = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'vertical bar' }

export function delimiterName(delimiter: string): string {
  return spoken[delimiter] ?? `"${delimiter}"`
}

/** The delimiter that an option names; refuses an impossible one. */
export function separatorOf(option: string | number | boolean): string {
  const value = option === 'tab' || option === '\\t' ? '\t' : String(option)
  if (value.length === 1 && !/[\r\n"\ufeff]/.test(value)) return value
  throw new WindrowError('option-invalid', `"${value}" cannot be the delimiter; it must be one character.`, {
    hint: 'Use "," ";" "|" or tab, or leave the option out.',
  })
}

/** The first part of a file: `isWhole` means that the file ends with it. */
export type Sample = { readonly text: string; readonly isWhole: boolean }

/**
 * What no option set and the whole file may change; `isCounted` if the delimiter was found by counting cells, and `widths`
 * how many cells the first part has with each candidate.
 */
export type Open = {
  readonly isCounted: boolean
  widths(): ReadonlyMap<string, number>
  readonly quote: boolean
  readonly escape: boolean
}

/** What the whole file decided earlier, by option. */
export type ByWhole = ReadonlyMap<string, Choice>

/**
 * Decides the dialect by the options, by the whole file or its first line, or by what fits its first part; `open` is what the whole
 * file may change, `isSaidByFile` means that a first line such as "sep=;" set it.
 */
export function settleDialect(
  sample: Sample,
  { options, byWhole }: { readonly options: FormatOptions; readonly byWhole: ByWhole },
  choices: Choice[],
) {
  // Excel treats a first line such as "sep=;" as an instruction and does not show it.
  const said = /^"?sep=([^\n"])"?\n/i.exec(sample.text)
  const text = said === null ? sample.text : sample.text.slice(said[0].length)
  const quoteSaid = quoteOf(options.quote)
  const quoteSeen = byWhole.get('quote') ?? decideQuote(text)
  const quote = quoteSaid ?? quoteOf(quoteSeen && valueText(quoteSeen.value)) ?? '"'
  if (quoteSaid === undefined && quoteSeen !== undefined) choices.push(quoteSeen)
  const part = { ...sample, text }
  const decision = byWhole.get('delimiter') ?? delimiterDecision(part, quote, options.delimiter, said?.[1])
  choices.push(decision)
  const delimiter = valueText(decision.value)
  if (delimiter === quote)
    throw new WindrowError('option-invalid', 'The delimiter and the quote character cannot be the same.')
  const escape =
    byWhole.get('escape') ??
    saidDecision('escape', options.escape) ??
    decideEscape(text, { delimiter, quote }, sample.isWhole)
  if (escape !== undefined) choices.push(escape)
  const dialect = escape?.value === 'backslash' ? { delimiter, quote, escape: '\\' } : { delimiter, quote }
  const decimal =
    saidDecision('decimal', options.decimal) ?? decideDecimal(splitRecords(text, dialect, sample.isWhole).cells)
  if (decimal !== undefined) choices.push(decimal)
  const isCounted = options.delimiter === undefined && said === null && !byWhole.has('delimiter')
  // If the first part is the whole file, all rows have already decided the delimiter.
  const isOpen = isCounted && !sample.isWhole
  const open: Open = {
    isCounted,
    widths: () => new Map(isOpen ? fitsOf(part, quote).map((fit) => [fit.delimiter, fit.cells]) : []),
    quote: quoteSaid === undefined,
    escape: options.escape === undefined,
  }
  return { dialect, isSaidByFile: said !== null, open }
}

function saidDecision(option: string, value: FormatOptions[string]): Choice | undefined {
  return value === undefined ? undefined : chosenByPerson(`from.${option}`, value)
}

function delimiterDecision(
  sample: Sample,
  quote: string,
  option: FormatOptions[string],
  said: string | undefined,
): Choice {
  if (option !== undefined) return chosenByPerson('from.delimiter', separatorOf(option))
  if (said !== undefined) return chosen('from.delimiter', said, `Set by the first line: sep=${delimiterName(said)}.`)
  return decideDelimiter(sample, quote)
}

type Fit = ReturnType<typeof fitOf>

/**
 * Chooses the delimiter with which the most consecutive rows have the same number of cells: consecutive, because a decimal comma or
 * a comma in a title also occurs in many rows, but not in the row with the column names. If two are equal, as when the last row
 * is cut off, the column names decide.
 */
export function decideDelimiter(sample: Sample, quote = '"'): Choice {
  const fits = fitsOf(sample, quote)
  const [best, second] = fits.toSorted(
    (a, b) =>
      Number(b.cells > 1) - Number(a.cells > 1) ||
      b.run - a.run ||
      b.fitting - a.fitting ||
      Number(b.fitsFirst) - Number(a.fitsFirst) ||
      b.cells - a.cells,
  )
  if (best!.cells < 2) return chosen('from.delimiter', ',', 'No delimiter occurs the same number of times in each row.')
  const unused = fits.find(({ cells, fitting, rows }) => cells === 1 && fitting === rows)
  if (unused !== undefined && isProse(sample.text, best!))
    return chosen(
      'from.delimiter',
      unused.delimiter,
      'There is one column: the commas belong to texts, each followed by a space.',
      ',',
    )
  const nextBest = second!.cells > 1 ? second!.delimiter : undefined
  return chosen('from.delimiter', best!.delimiter, fitSentence(best!), nextBest)
}

/** Texts such as "Top, lower" in a file of one column: the first row has no comma, and every comma is followed by a space. */
function isProse(text: string, { delimiter, cells, fitting, rows }: Fit): boolean {
  if (delimiter !== ',' || cells !== 2 || fitting === rows) return false
  return !text.trimStart().split('\n', 1)[0]!.includes(',') && !/,(?! )/.test(text)
}

function fitsOf(sample: Sample, quote: string): readonly Fit[] {
  return candidates.map((delimiter) => fitOf(sample, { delimiter, quote }))
}

function fitOf(sample: Sample, dialect: Dialect) {
  const { delimiter } = dialect
  const records = splitRecords(sample.text, dialect, sample.isWhole).cells
  const counts = new Map<number, number>()
  let rows = 0
  for (const cells of records) {
    if (cells.every((cell) => cell.trim() === '')) continue
    rows += 1
    counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1)
  }
  const [cells, fitting] = [...counts].toSorted((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [0, 0]
  const fitsFirst = records.find((record) => record.some((cell) => cell.trim() !== ''))?.length === cells
  return { delimiter, cells, fitting, rows, run: longestRun(records, cells), fitsFirst }
}

/** The most consecutive rows with the same number of cells; blank rows do not interrupt. */
function longestRun(records: readonly (readonly string[])[], cells: number): number {
  let [longest, run] = [0, 0]
  for (const record of records) {
    if (record.length === cells) run += 1
    else if (record.some((cell) => cell.trim() !== '')) run = 0
    if (run > longest) longest = run
  }
  return longest
}

function fitSentence(fit: Fit): string {
  const all = fit.fitting === fit.rows ? `all of the first ${fit.rows}` : `${fit.fitting} of the first ${fit.rows}`
  return `With the ${delimiterName(fit.delimiter)}, ${all} rows have ${fit.cells} cells.`
}

// Only unambiguous forms count: 1.234,5 or 12,75 for the comma, never 1,234.
const withComma = /^[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+),(?:\d{1,2}|\d{4,})$|^[+-]?\d{1,3}(?:\.\d{3})+,\d+$/
const withPoint = /^[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)\.(?:\d{1,2}|\d{4,})$|^[+-]?\d{1,3}(?:,\d{3})+\.\d+$/

/** Counts the numbers that show their decimal separator; undefined if none does. */
function decideDecimal(records: readonly (readonly string[])[]): Choice | undefined {
  const comma: string[] = []
  const point: string[] = []
  for (const cells of records)
    for (const cell of cells) {
      const text = cell.trim()
      if (withComma.test(text)) comma.push(text)
      else if (withPoint.test(text)) point.push(text)
    }
  if (comma.length === point.length) return undefined
  const isComma = comma.length > point.length
  const [shown, other] = isComma ? [comma, point] : [point, comma]
  const against = other.length === 0 ? 'none is written the other way' : `${other.length} are like "${other[0]!}"`
  const evidence = `${plural(shown.length, 'number of the first part is', 'numbers of the first part are')} like "${shown[0]!}"; ${against}.`
  const nextBest = other.length === 0 ? undefined : isComma ? 'point' : 'comma'
  return chosen('from.decimal', isComma ? 'comma' : 'point', evidence, nextBest)
}

/** The quote character that the option names, '' for none; undefined without the option. */
function quoteOf(option: FormatOptions[string]): string | undefined {
  if (option === undefined) return undefined
  const quote = String(option)
  if (quote.toLowerCase() === 'none') return ''
  if (quote.length === 1 && !/[\s\ufeff\w]/.test(quote)) return quote
  throw new WindrowError('option-invalid', `"${quote}" cannot be the quote character; it must be one character.`, {
    hint: `Use " or ' or none, or leave the option out.`,
  })
}

const doubleQuoted = /(?:^|[,;\t|])"(?:[^"\n]|"")*"(?=[,;\t|]|$)/gm
const quotedWithBreak = /(?:^|[,;\t|])"(?:[^"]|"")*"(?=[,;\t|]|$)/m
const singleQuoted = /(?:^|[,;\t|])'[^'\n]*'(?=[,;\t|]|$)/gm

/** Distinguishes single quotes from the usual double ones: only cells that begin and end with a quote count. Undefined if no cell does. */
function decideQuote(text: string): Choice | undefined {
  const double = text.match(doubleQuoted)?.length ?? 0
  if (double > 0) {
    const evidence = `${plural(double, 'cell of the first part is', 'cells of the first part are')} in double quotes.`
    return chosen('from.quote', '"', evidence)
  }
  const single = text.match(singleQuoted) ?? []
  if (single.length < 3 || quotedWithBreak.test(text)) return undefined
  const evidence = `${single.length} cells of the first part are like ${single[0]!.replace(/^[,;\t|]/, '').slice(0, 60)}, none is in double quotes.`
  return chosen('from.quote', "'", evidence, '"')
}

/** Detects text in which a quote is written \\" and not doubled; undefined if doubling fits as well. */
function decideEscape(text: string, dialect: Dialect, isWhole: boolean): Choice | undefined {
  const written = `\\${dialect.quote}`
  if (dialect.quote === '' || !text.includes(written)) return undefined
  const plain = misfits(text, dialect, isWhole)
  const escaped = misfits(text, { ...dialect, escape: '\\' }, isWhole)
  if (escaped >= plain) return undefined
  const evidence = `Quotes inside cells are written ${written}; read as doubled, ${plain} of the first rows would not fit.`
  return chosen('from.escape', 'backslash', evidence, 'double')
}

/** How many records have a fault or another number of cells than most. */
function misfits(text: string, dialect: Dialect, isWhole: boolean): number {
  const { cells, faults } = splitRecords(text, dialect, isWhole)
  const counts = new Map<number, number>()
  for (const [index, { length }] of cells.entries())
    if (!faults.has(index)) counts.set(length, (counts.get(length) ?? 0) + 1)
  // A record that swallowed others counts as all the lines in it.
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  return Math.max(cells.length, lines) - Math.max(0, ...counts.values())
}
