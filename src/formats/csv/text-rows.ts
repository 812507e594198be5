/** Hides how rows are handed on as text where that is all they are, so that who only counts their cells need not pay for texts. */

import { objectMaker } from '../../core/object-maker.ts'
import { rowsPerBatch, type Row, type TextRows, type Value } from '../../core/row.ts'
import { isBlankBetween } from '../../core/units.ts'
import type { FooterWatch } from '../grid/footers.ts'
import { startPass, type Reading, type Report } from './rows.ts'
import type { SpanChunk } from './spans.ts'

/** Reads the same rows in the same order as `readRows`, all that hold what most rows do as text. */
export async function* readTextRows(
  reading: Reading,
  report: Report,
  signal?: AbortSignal,
): AsyncGenerator<readonly Row[] | TextRows> {
  const { firstRow } = reading.layout
  const pass = startPass(reading)
  const { seen } = pass
  const isPlain = plainTest(reading, pass.footers)
  const view = textRowsMaker(reading)
  let batch: Row[] = []
  for await (const chunk of reading.spans!(signal)) {
    // How many plain records, all as long, stand directly before this one.
    let plain = 0
    for (let index = 0; index < chunk.count; index += 1) {
      seen.row += 1
      if (seen.row < firstRow) continue
      const goesOn = isPlain(chunk, index)
      if (plain > 0 && (!goesOn || chunk.cellsIn(index) !== chunk.cellsIn(index - 1))) {
        yield view(chunk, { first: index - plain, count: plain, row: seen.row - plain })
        plain = 0
      }
      if (!goesOn) pass.take({ ...chunk.record(index), isDoubtful: chunk.isDoubtful }, batch)
      if (goesOn ? batch.length > 0 : batch.length >= rowsPerBatch) {
        yield batch
        batch = []
      }
      if (goesOn) plain += 1
    }
    if (plain > 0) yield view(chunk, { first: chunk.count - plain, count: plain, row: seen.row - plain + 1 })
    if (batch.length > 0) {
      yield batch
      batch = []
    }
    signal?.throwIfAborted()
    if (chunk.isCut) pass.cut()
  }
  const problems = pass.end(batch)
  if (batch.length > 0) yield batch
  report(problems, seen)
}

/** Makes the test for a record with nothing to say of it as a row: it has all its cells, some filled, and is surely no footer. */
function plainTest({ layout }: Reading, footers: FooterWatch): (chunk: SpanChunk, index: number) => boolean {
  const { width } = layout
  const isLeft = Array.from({ length: width }, (_, column) => layout.left.includes(column))
  return (chunk, index) => {
    const cells = chunk.cellsIn(index)
    if (chunk.isDoubtful || cells < width) return false
    const { units, bounds } = chunk
    const start = chunk.boundsOf(index)
    let filled = 0
    let first = -1
    for (let cell = 0, at = start; cell < cells; cell += 1, at += 2) {
      const from = bounds[at]!
      const to = bounds[at + 1]!
      if (from === to) continue
      const unit = units[from]!
      // Nearly every cell begins with a letter or digit, and is done here.
      if ((unit <= 32 || unit >= 127) && isBlankBetween(units, from, to)) continue
      if (cell >= width || isLeft[cell] === true) return false
      filled += 1
      if (first === -1) first = at
    }
    return first !== -1 && footers.passesAtOnce(units, { from: bounds[first]!, to: bounds[first + 1]! }, filled)
  }
}

type Part = { readonly first: number; readonly count: number; readonly row: number }

function textRowsMaker({ source, layout }: Reading): (chunk: SpanChunk, part: Part) => TextRows {
  const { names, columns } = layout
  const valuesOf = objectMaker<Value>(names, columns)
  return (chunk, { first, count, row }) => {
    const place = (index: number) => ({ source, row: row + index })
    return {
      count,
      width: chunk.cellsIn(first),
      places: columns,
      units: chunk.units,
      bounds: chunk.bounds.subarray(chunk.boundsOf(first)),
      text: (from, to) => chunk.text(from, to),
      place,
      row: (index) => ({ at: place(index), values: valuesOf(chunk.record(first + index).cells) }),
    }
  }
}
