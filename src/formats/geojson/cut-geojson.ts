/** Cuts GeoJSON between two features, and makes the bytes of a range readable by themselves. */

import { WindrowError } from '../../core/error.ts'
import type { Range } from '../../core/row.ts'
import { streamBetween, type Source } from '../../core/sources/source.ts'
import { FeatureScanner } from './geojson-scanner.ts'

type Cutting = { readonly bytes: number; readonly signal: AbortSignal | undefined }

/** The ranges of one collection; undefined if the file is anything else. `at` is the end of the part before the features. */
export async function cutCollection(source: Source, { bytes, signal }: Cutting): Promise<readonly Range[] | undefined> {
  const scanner = new FeatureScanner(source.name)
  const cuts = startCuts(bytes)
  let opening: number | undefined
  let isClosed = false
  try {
    for await (const chunk of source.stream(signal))
      for (const { kind, from, bytes: piece } of scanner.push(chunk))
        if (kind === 'opening' && opening === undefined) opening = from + piece.length
        else if (kind === 'feature' && !isClosed) cuts.begin(from)
        else if (kind === 'frame' && !isClosed) isClosed = true
        else return undefined
    if (!isClosed || scanner.end().length > 0) return undefined
  } catch (cause) {
    // Whoever reads the whole file reports what is wrong with it.
    if (cause instanceof WindrowError && cause.code !== 'interrupted') return undefined
    throw cause
  }
  return cuts.end(source.size).map((range) => ({ ...range, at: opening! }))
}

const lineFeed = 0x0a

/** The ranges of a file with one feature a line. */
export async function cutLines(source: Source, { bytes, signal }: Cutting): Promise<readonly Range[]> {
  const cuts = startCuts(bytes)
  let [before, lineFrom] = [0, 0]
  let isBlank = true
  for await (const chunk of source.stream(signal)) {
    for (let index = 0; index < chunk.length; index += 1) {
      const code = chunk[index]!
      if (code === lineFeed) {
        lineFrom = before + index + 1
        isBlank = true
        continue
      }
      if (isBlank && code <= 0x20) continue
      if (isBlank) cuts.begin(lineFrom)
      isBlank = false
      // To the end of the line, which may have begun in the chunk before.
      const end = chunk.indexOf(lineFeed, index)
      index = (end < 0 ? chunk.length : end) - 1
    }
    before += chunk.length
  }
  return cuts.end(source.size)
}

/** Collects ranges that begin where a feature begins. */
function startCuts(bytes: number) {
  const ranges: Range[] = []
  let from = 0
  let [row, rowFrom] = [0, 0]
  return {
    begin(at: number): void {
      if (at - from >= bytes) {
        ranges.push({ from, to: at, firstRow: rowFrom, row: rowFrom, isLast: false })
        from = at
        rowFrom = row
      }
      row += 1
    },
    end: (size: number): readonly Range[] => [
      ...ranges,
      { from, to: size, firstRow: rowFrom, row: rowFrom, isLast: true },
    ],
  }
}

/** The bytes of a range, behind the part before the features. */
export async function* bytesOfRange(source: Source, range: Range, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  if (range.at !== undefined && range.from > 0) yield await source.read(0, range.at)
  yield* streamBetween(source, range, signal)
}
