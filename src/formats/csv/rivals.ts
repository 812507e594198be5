/** Checks a CSV file's delimiter and quotes against the whole file, and finds others that fit better. */

import { chosen, type Choice } from '../../core/row.ts'
import { delimiterName, type Open } from './dialect.ts'
import type { RecordChunk } from './csv-records.ts'
import { splitRecords, type Dialect } from './split.ts'

/** Another way to read the file: its option, and how many rows that do not fit would then fit. */
export type Rival = {
  readonly option: 'delimiter' | 'quote' | 'escape'
  readonly value: string
  readonly dialect: Dialect
  /** How many cells the first part has with another delimiter; undefined if the delimiter stays. */
  readonly cells?: number
  repaired: number
}

/** Compares rows that do not fit with every alternative; most files have none, and then nothing is prepared. */
export type Watch = { rivals: readonly Rival[]; misfits: number; longest: number }

export function startWatch(): Watch {
  return { rivals: [], misfits: 0, longest: 0 }
}

function rivalsOf(dialect: Dialect, { widths, quote, escape }: Open): readonly Rival[] {
  const { delimiter, quote: own } = dialect
  const isOther = (value: string): boolean => value !== delimiter && value !== own
  const separators = [...widths()].flatMap(([value, cells]): Rival[] =>
    isOther(value)
      ? [{ option: 'delimiter', value, cells, dialect: { ...dialect, delimiter: value }, repaired: 0 }]
      : [],
  )
  const quotes = (quote ? ['"', "'", ''] : []).filter(isOther).map((value): Rival => {
    return { option: 'quote', value: value || 'none', dialect: { delimiter, quote: value }, repaired: 0 }
  })
  const isEscapable = escape && own !== '' && dialect.escape === undefined
  const escapes: readonly Rival[] = isEscapable
    ? [{ option: 'escape', value: 'backslash', dialect: { ...dialect, escape: '\\' }, repaired: 0 }]
    : []
  return [...separators, ...quotes, ...escapes]
}

/** The other delimiter with which the most of these rows would fit; undefined if there is none. */
export function bestDelimiter({ rivals }: Watch): Rival | undefined {
  return rivals
    .filter(({ option, repaired }) => option === 'delimiter' && repaired > 0)
    .toSorted((one, other) => other.repaired - one.repaired)[0]
}

type Misfit = {
  readonly dialect: Dialect
  readonly open: Open
  readonly width: number
  readonly isFaulty: boolean
}

/** Counts a row that does not have `width` cells or has wrong quotes, and the alternatives with which it would be right. */
export function countMisfit(watch: Watch, cells: readonly string[], { dialect, open, width, isFaulty }: Misfit): void {
  if (watch.misfits === 0) watch.rivals = rivalsOf(dialect, open)
  watch.misfits += 1
  // A row that swallowed others is judged by its first line; quotes around its cells are already removed.
  const text = cells.join(dialect.delimiter)
  watch.longest = Math.max(watch.longest, text.length)
  const [line = ''] = text.slice(0, mostJudged).split('\n', 1)
  for (const rival of watch.rivals) if (repairs(rival, line, { width, isFaulty })) rival.repaired += 1
}

const mostJudged = 1 << 16

function repairs(
  { option, dialect, cells }: Rival,
  line: string,
  { width, isFaulty }: Pick<Misfit, 'width' | 'isFaulty'>,
): boolean {
  if (option === 'escape') return line.includes('\\')
  // Reading without quotes only repairs wrong quotes.
  if (dialect.quote === '') return isFaulty
  if (option === 'quote' && !line.includes(dialect.quote)) return isFaulty && dialect.quote === '"'
  const split = splitRecords(line, dialect, true)
  const [record] = split.cells
  if (record === undefined || record.length < 2 || split.faults.size > 0) return false
  return record.length === width || record.length === cells
}

type Fit = Awaited<ReturnType<typeof fitOver>>

type Sought = {
  readonly dialect: Dialect
  /** How many rows below the names the file has with this reading. */
  readonly rows: number
  /** The row with the column names, 0 if there are none. */
  readonly headerRow: number
  records(dialect: Dialect): AsyncIterable<RecordChunk>
}

/**
 * The reading with which clearly more of the whole file fits, its column names included; undefined if there is none. The file is
 * read again for each alternative that at least half of the misfits support, which does not happen in a sound file.
 */
export async function fittingBetter(watch: Watch, sought: Sought): Promise<Choice | undefined> {
  const able = watch.rivals.filter(({ repaired }) => repaired > 0 && repaired * 2 >= watch.misfits)
  // A file that is mostly one endless cell was not made as a table.
  const isEndless = watch.longest > mostSwallowed && sought.rows - watch.misfits < fewRows
  if (able.length === 0 || isEndless) return undefined
  const now = await fitOver(sought, sought.dialect, Infinity)
  let best: { readonly rival: Rival; readonly fit: Fit } | undefined
  for (const rival of able.toSorted((left, right) => right.repaired - left.repaired)) {
    const fit = await fitOver(sought, rival.dialect, enoughMisfits)
    const isSound = fit.cells > 1 && fit.fitting >= fit.rows * leastFitting
    const isBare = rival.dialect.quote !== '' || (fit.wrapped === 0 && fit.misfits === 0)
    if (!isSound || !isBare || fit.misfits * 2 >= now.misfits) continue
    if (best === undefined || fit.misfits < best.fit.misfits) best = { rival, fit }
  }
  if (best === undefined) return undefined
  const { rival, fit } = best
  const { option, value } = rival
  const evidence = `${spoken(rival.dialect, option)}, ${howMany(fit)} rows have ${fit.cells} cells; ${spoken(sought.dialect, option).toLowerCase()}, ${now.fitting} of ${now.rows} have ${now.cells}.`
  const runnerUp =
    option === 'delimiter' ? sought.dialect.delimiter : option === 'quote' ? sought.dialect.quote : 'double'
  return chosen(`from.${option}`, value, evidence, runnerUp === '' ? undefined : runnerUp)
}

const leastFitting = 0.9
const mostSwallowed = 1 << 20
const fewRows = 100
/** Gives up on an alternative as soon as too many rows do not fit it. */
const enoughMisfits = 10_000

/** Such as "all 20" or "18 of 20". */
export function howMany({ fitting, rows }: Pick<Fit, 'fitting' | 'rows'>): string {
  return fitting === rows ? `all ${rows}` : `${fitting} of ${rows}`
}

function spoken({ delimiter, quote, escape }: Dialect, option: Rival['option']): string {
  if (option === 'delimiter') return `With the ${delimiterName(delimiter)}`
  if (option === 'escape') return escape === undefined ? 'With quotes doubled' : 'With a backslash before quotes'
  return quote === '' ? 'Without quotes around cells' : `With ${quote} around cells`
}

/** How a whole file splits into rows, from its names on: most have this many `cells`, and `misfits` do not or are lost. */
async function fitOver({ headerRow, records }: Sought, dialect: Dialect, mostMisfits: number) {
  let [cells, fitting, rows, row, swallowed, wrapped] = [0, 0, 0, 0, 0, 0]
  for await (const { cells: chunk, faults, isCut } of records(dialect)) {
    for (const [index, record] of chunk.entries()) {
      row += 1
      if (row < headerRow || record.every((cell) => cell.trim() === '')) continue
      rows += 1
      if (rows === 1) cells = record.length
      if (dialect.quote === '') wrapped += record.filter((cell) => /^\s*(["'])[^"']*\1\s*$/.test(cell)).length
      if (faults.has(index)) for (const cell of record) swallowed += cell.split('\n').length - 1
      else if (record.length === cells) fitting += 1
    }
    if (isCut) swallowed = Infinity
    if (rows - fitting > mostMisfits && fitting < rows * leastFitting) break
  }
  return { rows, cells, fitting, misfits: rows - fitting + swallowed, wrapped }
}
