/** Turns records into rows: numbers them, reports blank and ragged rows and wrong quotes. */

import { spoiltLetters } from '../../core/letters.ts'
import { problem, type Problem } from '../../core/problem.ts'
import { objectMaker } from '../../core/values/object-maker.ts'
import { plural } from '../../core/values/plural.ts'
import { rowsPerBatch, type Place, type Row, type Value } from '../../core/row.ts'
import type { Layout } from '../grid.ts'
import { watchFooters } from '../grid/footers.ts'
import { delimiterName } from './dialect.ts'
import type { RecordChunk, Dialect, RecordFault } from './split.ts'

/** What is decided about a file before its rows are read. */
export type Reading = {
  readonly source: string
  readonly layout: Layout
  readonly dialect: Dialect
  records(signal?: AbortSignal): AsyncIterable<RecordChunk>
}

/** The last row so far, and how many rows do not have as many cells as there are names. */
type Seen = { row: number; ragged: number }

/** Reads the rows; `report` is called at the end with what only the whole file shows. */
export async function* readRows(
  reading: Reading,
  report: (problems: readonly Problem[]) => void,
  signal?: AbortSignal,
): AsyncGenerator<readonly Row[]> {
  const { source, layout } = reading
  const seen: Seen = { row: 0, ragged: 0 }
  const rowOf = rowMaker(reading, seen)
  const footers = watchFooters(layout)
  let isCut = false
  let batch: Row[] = []
  for await (const chunk of reading.records(signal)) {
    const { cells: records, faults } = chunk
    for (let index = 0; index < records.length; index += 1) {
      seen.row += 1
      if (seen.row < layout.firstRow) continue
      const cells = records[index]!
      const fault = faults.get(index)
      footers.pass(rowOf(cells, fault, chunk), cells, batch)
      // An open quote swallowed the rows below it: they are not read, and the file as a whole is incomplete.
      if (fault === 'unclosed' && cells.at(-1)?.includes('\n') === true) isCut = true
      if (batch.length < rowsPerBatch) continue
      yield batch
      batch = []
      signal?.throwIfAborted()
    }
    isCut ||= chunk.isCut
  }
  footers.end(batch)
  seen.ragged -= batch.filter(({ problems }) => problems?.[0]?.code === 'row-footer').length
  if (batch.length > 0) yield batch
  const found = [...separatorProblems(reading, seen)]
  const message = `After row ${seen.row} nothing more could be read: that row swallowed the lines below it.`
  const hint = 'Repair that row, then read the file again.'
  if (isCut) found.push(problem('file-truncated', { source, row: seen.row }, { message, hint }))
  report(found)
}

const mostShown = 1000

/** Makes the row of a record, and counts what is wrong with it. */
function rowMaker(reading: Reading, seen: Seen) {
  const { source, layout } = reading
  const valuesOf = objectMaker<Value>(layout.names, layout.columns)
  return (cells: readonly string[], fault: RecordFault | undefined, chunk: RecordChunk): Row => {
    const at = { source, row: seen.row }
    const problems = fault === undefined ? cellProblems(cells, at, reading, chunk) : [faultProblem(cells, at, fault)]
    if (problems === undefined) return { at, values: valuesOf(cells) }
    if (problems[0]!.code === 'row-ragged') seen.ragged += 1
    // A cell that swallowed half the file must not carry it into the report; usable rows keep everything.
    const swallowed = problems.some(({ code }) => code === 'quote-unclosed' || code === 'row-unreadable')
    return { at, values: valuesOf(swallowed ? cells.map((cell) => cell.slice(0, mostShown)) : cells), problems }
  }
}

function cellProblems(
  cells: readonly string[],
  at: Place,
  { layout, dialect }: Reading,
  { isDoubtful, hasBreaks }: RecordChunk,
): readonly Problem[] | undefined {
  if (isBlankFrom(cells, 0)) return [problem('row-blank', at, { message: 'The row is blank.' })]
  const { width, left } = layout
  const taken = hasBreaks ? linesTaken(cells, width, dialect.delimiter) : 0
  if (taken > 0) return [takenProblem(cells, at, taken)]
  const fits = cells.length === width || (cells.length > width && isBlankFrom(cells, width))
  const stray = left.find((column) => (cells[column] ?? '').trim() !== '')
  if (fits && !isDoubtful && stray === undefined) return undefined
  const problems = fits ? [] : [raggedProblem(cells, at, width, dialect.delimiter)]
  if (fits && stray !== undefined) problems.push(strayProblem(cells[stray]!, at, stray))
  if (isDoubtful) problems.push(...doubtfulCells(cells, at, layout))
  return problems.length === 0 ? undefined : problems
}

function isBlankFrom(cells: readonly string[], from: number): boolean {
  return cells.every((cell, index) => index < from || cell.trim() === '')
}

/**
 * How many rows below the quotes of a row took in: two stray quotes make a row that fits, with whole rows inside a cell. Fewer than
 * four columns do not show it, because a note may have as many commas in each of its lines.
 */
function linesTaken(cells: readonly string[], width: number, delimiter: string): number {
  if (width < 4 || !cells.some((cell) => cell.includes('\n'))) return 0
  const lines = cells.join(delimiter).split('\n')
  return lines.every((line) => line.split(delimiter).length === width) ? lines.length - 1 : 0
}

function takenProblem(cells: readonly string[], at: Place, taken: number): Problem {
  return problem('row-unreadable', at, {
    value: cells.find((cell) => cell.includes('\n'))!.slice(0, 80),
    message: `The quotes in this row take in ${plural(taken, 'row')} below it and hide what is there.`,
    hint: 'Remove the quotes that do not belong there, or double them ("") if they belong to the text.',
  })
}

function raggedProblem(cells: readonly string[], at: Place, width: number, delimiter: string): Problem {
  const more = cells.length > width
  const left = cells.slice(width).join(delimiter).slice(0, 200)
  // The rejects file has the columns of the header, so only this message shows the cells beyond them.
  const leftOver = more ? ` Left over: "${left}".` : ''
  return problem('row-ragged', at, {
    ...(more ? { value: left } : {}),
    message: `The row has ${plural(cells.length, 'cell')}; the header has ${width}.${leftOver}`,
    hint: more
      ? `Put quotes around a cell that contains a ${delimiterName(delimiter)}.`
      : 'Put quotes around a cell that contains a line break; or the row was cut off.',
  })
}

/** A value under no name means that all cells of the row may be under the wrong names. */
function strayProblem(cell: string, at: Place, column: number): Problem {
  return problem('row-ragged', at, {
    value: cell.slice(0, 200),
    message: `The row has a value in column ${column + 1}, which has no name and is blank above.`,
    hint: 'Check whether the cells of this row are one column too far to the right. If the column is intended, give it a name.',
  })
}

function doubtfulCells(cells: readonly string[], at: Place, { names, columns }: Layout): readonly Problem[] {
  return cells.flatMap((cell, index) => {
    const column = names[columns.indexOf(index)]
    const spoilt = column === undefined ? undefined : spoiltLetters(cell)
    const about = { column, value: cell.slice(0, 200) }
    if (spoilt?.how === 'lost')
      return problem('encoding-doubtful', at, {
        ...about,
        message: `"${cell.slice(0, 80)}" contains a character that was lost or is in another encoding.`,
        hint: 'Set  from.encoding,  or save the file again as UTF-8.',
      })
    if (spoilt?.how !== 'encoded twice') return []
    const message = `"${cell.slice(0, 80)}" looks encoded twice; it may have been "${spoilt.meant.slice(0, 80)}".`
    const hint =
      'It is read unchanged. Export the file again as UTF-8, without opening and saving it in another program.'
    return problem('encoding-doubtful', at, { ...about, message, hint })
  })
}

function faultProblem(cells: readonly string[], at: Place, fault: RecordFault): Problem {
  const last = cells.at(-1) ?? ''
  const value = last.slice(0, 80)
  if (fault === 'stray') {
    const swallowed = cells.reduce((count, cell) => count + cell.split('\n').length - 1, 0)
    const taken = swallowed === 0 ? '' : ` It takes in ${plural(swallowed, 'line')} below.`
    return problem('row-unreadable', at, {
      value,
      message: `There is a quote in the middle of a quoted cell, so it is not clear where the cell ends.${taken}`,
      hint: 'Double the quote ("") if it belongs to the text, or close the quote that was opened in this row.',
    })
  }
  if (fault === 'endless')
    return problem('row-unreadable', at, {
      value,
      message: 'The row has millions of characters without a line break.',
      hint: 'Check whether the file is a table, and whether its lines end.',
    })
  const breaks = last.split('\n').length - 1
  return problem('quote-unclosed', at, {
    value,
    message: `A quote is opened in this row and never closed; ${breaks === 0 ? 'the file ends in it' : `it takes in ${plural(breaks, 'line break')}`}.`,
    hint: 'Close the quote in this row, then read the file again: the rows below it were not read. If quotes are ordinary characters in this file, set  from.quote: none',
  })
}

function separatorProblems({ source, layout, dialect }: Reading, tally: Seen): readonly Problem[] {
  const { width, firstRow } = layout
  const rows = tally.row - firstRow + 1
  if (tally.ragged < 5 || tally.ragged * 20 < rows) return []
  const message = `${tally.ragged} of ${rows} rows do not have ${width} cells when read with the ${delimiterName(dialect.delimiter)}.`
  const hint = 'Set  from.delimiter,  or check whether several files were joined.'
  return [problem('file-inconsistent', { source, row: Math.max(1, firstRow - 1) }, { message, hint })]
}
