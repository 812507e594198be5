/** Cuts streamed text into records, with flat memory. */

import { mayBeSpoilt } from '../../core/letters.ts'
import { splitRecords, type Dialect, type RecordFault } from './split.ts'

/**
 * Some records in order; `faults` is by index in `cells`, `isDoubtful` means that lost or doubly encoded letters may be
 * in them, `hasBreaks` that a cell may have a line break, and `isCut` that the rest of the text was given up.
 */
export type RecordChunk = {
  readonly cells: readonly (readonly string[])[]
  readonly faults: ReadonlyMap<number, RecordFault>
  readonly isDoubtful: boolean
  readonly hasBreaks: boolean
  readonly isCut: boolean
}

/** Half a decoded piece, so that memory stays small. */
const pieceChars = 1 << 13

/** No record is longer than this: an open quote that takes in more is reported as unclosed, and the rest is not read. */
const recordChars = 1 << 22

/** Reads records from text whose line breaks are line feeds. */
export async function* readRecords(texts: AsyncIterable<string>, dialect: Dialect): AsyncGenerator<RecordChunk> {
  let pending = ''
  let wanted = pieceChars
  for await (const text of texts) {
    pending += text
    if (pending.length < wanted) continue
    const { chunk, end } = recordsOf(pending, dialect, false)
    if (chunk.cells.length > 0) yield chunk
    pending = pending.slice(end)
    // Waiting for twice the text avoids splitting one long record again with every piece.
    wanted = Math.min(recordChars, Math.max(pieceChars, pending.length * 2))
    if (pending.length >= recordChars) {
      const fault = dialect.quote !== '' && pending.includes(dialect.quote) ? 'unclosed' : 'endless'
      yield { cells: [[pending]], faults: new Map([[0, fault]]), isDoubtful: false, hasBreaks: true, isCut: true }
      return
    }
  }
  // Old programs end a text with the character 26.
  if (pending.endsWith('\x1a')) pending = pending.slice(0, -1)
  const { chunk } = recordsOf(pending, dialect, true)
  if (chunk.cells.length > 0) yield chunk
}

function recordsOf(text: string, dialect: Dialect, isLast: boolean) {
  const { cells, faults, end } = splitRecords(text, dialect, isLast)
  const meant = text.includes('="') ? cells.map(constantsMeant) : cells
  const hasBreaks = linesIn(text, end) > cells.length
  return { end, chunk: { cells: meant, faults, isDoubtful: mayBeSpoilt(text), hasBreaks, isCut: false } }
}

function linesIn(text: string, end: number): number {
  let lines = text[end - 1] === '\n' ? 0 : 1
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}

/** Programs write `="00123"` so that Excel keeps the zeros: a formula that only contains a quoted text means that text. */
function constantsMeant(cells: readonly string[]): readonly string[] {
  return cells.map((cell) => {
    if (!cell.startsWith('="')) return cell
    const [, text] = /^="((?:[^"]|"")*)"$/.exec(cell.trimEnd()) ?? []
    return text === undefined ? cell : text.replaceAll('""', '"')
  })
}
