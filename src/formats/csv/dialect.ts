/** Decides the delimiter, the quote character and the escape of a CSV file by the rows that each of them makes of all of it. */

import { WindrowError } from '../../core/error.ts'
import { chosen } from '../../core/row.ts'
import type { Decider } from '../../core/rule.ts'
import { plural } from '../../core/values/plural.ts'
import type { FormatOptions } from '../format.ts'
import type { CsvScan, Scanned, Tally } from './scan.ts'
import type { Dialect } from './split.ts'

/** The usual delimiters. */
export const candidates = [',', ';', '\t', '|'] as const

const spoken: Readonly<Record<string, string>> = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'vertical bar' }

export function delimiterName(delimiter: string): string {
  return spoken[delimiter] ?? (delimiter < ' ' ? `character ${delimiter.charCodeAt(0)}` : `"${delimiter}"`)
}

/** The delimiter that an option names; refuses an impossible one. */
export function separatorOf(option: string | number | boolean): string {
  const value = option === 'tab' || option === '\\t' ? '\t' : String(option)
  if (value.length === 1 && !/[\r\n"\ufeff]/.test(value)) return value
  throw new WindrowError('option-invalid', `"${value}" cannot be the delimiter; it must be one character.`, {
    hint: 'Use "," ";" "|" or tab, or leave the option out.',
  })
}

/** The quote character that an option names, '' for none. */
function quoteOf(option: string | number | boolean): string {
  const quote = String(option)
  if (quote.toLowerCase() === 'none') return ''
  if (quote.length === 1 && !/[\s\ufeff\w]/.test(quote)) return quote
  throw new WindrowError('option-invalid', `"${quote}" cannot be the quote character; it must be one character.`, {
    hint: `Use " or ' or none, or leave the option out.`,
  })
}

/** The part of a dialect that is said: by options, or the delimiter by a first line such as "sep=;". */
export function saidDialect({ delimiter, quote, escape }: FormatOptions, byFile: string | undefined): Partial<Dialect> {
  const said = {
    ...(delimiter === undefined
      ? byFile !== undefined && { delimiter: byFile }
      : { delimiter: separatorOf(delimiter) }),
    ...(quote !== undefined && { quote: quoteOf(quote) }),
    ...(escape === 'backslash' && { escape: '\\' }),
  }
  if ((said.delimiter ?? ',') !== (said.quote ?? '"')) return said
  throw new WindrowError('option-invalid', 'The delimiter and the quote character cannot be the same.')
}

/** The dialects that a file may have if this much is said. */
export function dialectsFor(said: Partial<Dialect>, isEscapeSaid: boolean): readonly Dialect[] {
  const delimiters = said.delimiter === undefined ? candidates : [said.delimiter]
  const quotes = said.quote === undefined ? ['"', "'", ''] : [said.quote]
  return delimiters.flatMap((delimiter) =>
    quotes.flatMap((quote): readonly Dialect[] => {
      const dialect = { delimiter, quote }
      const escaped = { ...dialect, escape: '\\' }
      if (isEscapeSaid) return [said.escape === undefined ? dialect : escaped]
      return quote === '"' || quote === said.quote ? [dialect, escaped] : [dialect]
    }),
  )
}

type Fit = ReturnType<typeof fitOf>

/** How many rows have the most usual number of cells, or this one: all of them and consecutive ones, and how many have not or are lost. */
function fitOf({ cells: counts, runs, rows, first, swallowed }: Tally, cells = mostUsual(counts)) {
  const fitting = counts[cells] ?? 0
  return {
    cells,
    fitting,
    rows,
    run: runs[cells] ?? 0,
    fitsFirst: first === cells,
    misfits: rows - fitting + swallowed,
  }
}

function mostUsual(counts: readonly (number | undefined)[]): number {
  return counts.reduce<number>(
    (best, times = 0, count) => (times > 0 && times >= (counts[best] ?? 0) ? count : best),
    0,
  )
}

/** How the rows of a whole file fit the number of cells that its first part has. */
function fitOfAll({ head, all }: Scanned): Fit {
  return fitOf(all, fitOf(head).cells)
}

function isParted({ head, all }: Scanned): boolean {
  return Math.max(fitOf(head).cells, fitOf(all).cells) >= 2
}

/** A reading that was chosen, why, and the next best. */
type Chosen = { readonly reading: Scanned; readonly byAll?: Scanned | undefined; readonly second?: Scanned | undefined }

/**
 * The reading that fits: the delimiter with which the first part has the most consecutive rows with the same number of cells, since a
 * decimal comma also occurs in many rows, but not in the row with the column names; unless clearly more of the whole file fits another.
 */
function choose({ readings, tightCommas, isShort }: CsvScan): Chosen {
  const quote = quoteShown(readings)
  const plain = readings.filter(({ dialect }) => dialect.quote === quote && dialect.escape === undefined)
  const fits = (plain.length === 0 ? readings : plain)
    .map((reading) => ({ reading, ...fitOf(reading.head) }))
    .toSorted(
      (a, b) =>
        Number(b.cells > 1) - Number(a.cells > 1) ||
        b.run - a.run ||
        b.fitting - a.fitting ||
        Number(b.fitsFirst) - Number(a.fitsFirst) ||
        b.cells - a.cells,
    )
  const [best, next] = [fits[0]!, fits[1]]
  const unused = fits.find(({ cells, fitting, rows }) => cells === 1 && fitting === rows)
  // Texts such as "Top, lower" in a file of one column.
  const isProse =
    unused !== undefined &&
    best.reading.dialect.delimiter === ',' &&
    best.cells === 2 &&
    best.fitting < best.rows &&
    best.reading.all.first === 1 &&
    tightCommas === 0
  if (isProse) return { reading: unused.reading, second: best.reading }
  if (best.cells < 2)
    return { reading: fits.find(({ reading }) => reading.dialect.delimiter === ',')?.reading ?? best.reading }
  let chosen: Chosen = {
    reading: best.reading,
    second: next !== undefined && next.cells > 1 ? next.reading : undefined,
  }
  for (let again = 0; again < 3; again += 1) {
    const better = clearlyBetter(chosen.reading, readings, isShort)
    if (better === undefined) break
    chosen = { reading: better, byAll: chosen.reading }
  }
  return chosen
}

/** Single quotes only where cells begin and end with them, and none with double ones. */
function quoteShown(readings: readonly Scanned[]): string {
  const said = new Set(readings.map(({ dialect }) => dialect.quote))
  if (said.size === 1) return [...said][0]!
  return quotedBy('"', readings) === 0 && quotedBy("'", readings) >= fewQuoted ? "'" : '"'
}

function quotedBy(quote: string, readings: readonly Scanned[]): number {
  return Math.max(0, ...readings.filter(({ dialect }) => dialect.quote === quote).map(({ head }) => head.quoted))
}

const fewQuoted = 3
const leastFitting = 0.9
const mostSwallowed = 1 << 20
const fewRows = 100

/** Another delimiter, quote or escape with which less than half as many rows of the whole file do not fit. */
function clearlyBetter(now: Scanned, readings: readonly Scanned[], isShort: boolean): Scanned | undefined {
  const { misfits, fitting } = fitOfAll(now)
  // A file that is mostly one endless cell was not made as a table.
  if (misfits === 0 || (now.longest > mostSwallowed && fitting < fewRows)) return undefined
  const rivals = readings.filter((reading) => {
    const { delimiter, quote, escape } = reading.dialect
    const { dialect } = now
    const others = [delimiter !== dialect.delimiter, quote !== dialect.quote, escape !== dialect.escape]
    // All rows of a short file decided its delimiter already, and a quote that is not closed there is a mistake.
    if (others.filter(Boolean).length !== 1 || (isShort && (others[0] || quote === ''))) return false
    const fit = fitOf(reading.all)
    if (others[1] && quote === "'" && reading.all.quoted < fewQuoted) return false
    const isBare =
      quote !== '' ||
      (fit.misfits === 0 && readings.every((each) => each.dialect.delimiter !== delimiter || each.all.quoted === 0))
    return isBare && fit.cells > 1 && fit.fitting >= fit.rows * leastFitting && fit.misfits * 2 < misfits
  })
  return rivals.toSorted((one, other) => fitOf(one.all).misfits - fitOf(other.all).misfits)[0]
}

function inWords({ delimiter, quote, escape }: Dialect, decides: 'delimiter' | 'quote' | 'escape'): string {
  if (decides === 'delimiter') return `With the ${delimiterName(delimiter)}`
  if (decides === 'escape') return escape === undefined ? 'With quotes doubled' : 'With a backslash before quotes'
  return quote === '' ? 'Without quotes around cells' : `With ${quote} around cells`
}

/** Why a reading is better than the one before it. */
function comparison({ reading, byAll }: Chosen, decides: 'delimiter' | 'quote' | 'escape'): string {
  const [fit, other] = [byAll === undefined ? fitOfAll(reading) : fitOf(reading.all), fitOfAll(byAll ?? reading)]
  const rows = `${inWords(reading.dialect, decides)}, ${fit.fitting === fit.rows ? 'all' : `${fit.fitting} of`} ${fit.rows} rows have ${fit.cells} cells`
  if (byAll === undefined) return `${rows}.`
  return `${rows}; ${inWords(byAll.dialect, decides).toLowerCase()}, ${other.fitting} of ${other.rows} have ${other.cells}.`
}

const delimiterDecider: Decider<CsvScan, Chosen> = {
  id: 'delimiter',
  about: 'file',
  decides: 'from.delimiter',
  why: 'The delimiter is the sign with which the rows have the same number of cells. windrow counts the cells of all rows with the comma, the semicolon, the tab and the vertical bar.',
  find(scan) {
    const found = choose(scan)
    return isParted(found.reading) || found.second !== undefined ? found : undefined
  },
  says(found) {
    const { reading, byAll, second } = found
    const { delimiter } = reading.dialect
    const before = byAll?.dialect.delimiter
    if (before !== undefined && before !== delimiter)
      return chosen('from.delimiter', delimiter, comparison(found, 'delimiter'), before)
    const next = byAll === undefined ? second?.dialect.delimiter : undefined
    const evidence = isParted(reading)
      ? comparison({ reading }, 'delimiter')
      : 'There is one column: the commas belong to texts, each followed by a space.'
    return chosen('from.delimiter', delimiter, evidence, next)
  },
}

const quoteDecider: Decider<CsvScan, Chosen> = {
  id: 'quote',
  about: 'file',
  decides: 'from.quote',
  why: 'The quote character is the sign around cells: a double quote, unless cells begin and end with single ones and none with double ones, or more rows fit without quotes.',
  find(scan) {
    const found = choose(scan)
    const { reading, byAll = reading } = found
    const { quote } = reading.dialect
    return byAll.dialect.quote !== quote || (quote !== '' && reading.all.quoted > 0) ? found : undefined
  },
  says(found) {
    const { reading, byAll = reading } = found
    const { quote } = reading.dialect
    const before = byAll.dialect.quote
    if (before !== quote) return chosen('from.quote', quote || 'none', comparison(found, 'quote'), before || undefined)
    const cells = plural(reading.all.quoted, 'cell is', 'cells are')
    if (quote === '"') return chosen('from.quote', quote, `${cells} in double quotes.`)
    return chosen('from.quote', quote, `${cells} in single quotes, none is in double quotes.`, '"')
  },
}

const escapeDecider: Decider<CsvScan, Chosen> = {
  id: 'escape',
  about: 'file',
  decides: 'from.escape',
  why: 'Programs write a quote inside a cell twice, or with a backslash before it. windrow takes the backslash where more rows fit then.',
  find(scan) {
    const found = choose(scan)
    return found.reading.dialect.escape === undefined ? undefined : found
  },
  says: (found) => chosen('from.escape', 'backslash', comparison(found, 'escape'), 'double'),
}

/** The dialect of a file: what is said, and what its rows show. */
export function dialectShown(scan: CsvScan): Dialect {
  return choose(scan).reading.dialect
}

export const dialectDeciders = [delimiterDecider, quoteDecider, escapeDecider] as readonly Decider<CsvScan>[]
