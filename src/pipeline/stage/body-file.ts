/** Keeps the bodies of a stage in ready.ndjson, one a line, and reads them back by their places. */

import { closeSync, fsyncSync, openSync, readSync, renameSync, statSync, writeSync } from 'node:fs'
import { TextBytes } from '../../core/shapes/text-bytes.ts'

/** Where a body lies in its file. */
export type Span = { readonly offset: number; readonly length: number }

/** The bodies to keep: their spans in order, and their total bytes with line breaks. */
type Kept = { readonly size: number; readonly spans: Iterable<Span & { readonly id: number }> }

const blockBytes = 1 << 20
const fullBytes = blockBytes - (1 << 16)
const lineBreak = Buffer.from('\n')

export type Bodies = ReturnType<typeof openBodies>

/** The file of bodies: appended in blocks, read back by span. A line's span leaves out its line break. */
export function openBodies(path: string) {
  let file = openSync(path, 'a+', 0o600)
  let size = statSync(path).size
  let block = new TextBytes(blockBytes)
  const flush = (): void => {
    writeFully(file, block.take())
    // A very large body may have enlarged the block.
    if (block.bytes.length > 2 * blockBytes) block = new TextBytes(blockBytes)
  }
  return {
    append(write: (out: TextBytes) => void): Span {
      const offset = size
      const begin = block.at
      write(block)
      block.add(lineBreak)
      size += block.at - begin
      if (block.at > fullBytes) flush()
      return { offset, length: size - offset - 1 }
    },
    /** The bodies at these ascending spans; spans that lie close together are read in one go. */
    read(spans: readonly Span[]): readonly Buffer[] {
      flush()
      const [first, last] = [spans[0], spans.at(-1)]
      if (first === undefined || last === undefined) return []
      const whole = last.offset + last.length - first.offset
      const isTogether = whole <= 2 * spans.reduce((sum, { length }) => sum + length + 1, 0)
      if (!isTogether) return spans.map(({ offset, length }) => readSpan(file, offset, length))
      const bytes = readSpan(file, first.offset, whole)
      return spans.map(({ offset, length }) => bytes.subarray(offset - first.offset, offset - first.offset + length))
    },
    size: () => size,
    /** Keeps only the given spans, in order, and reports each new offset. Runs inside the caller's transaction. */
    keepOnly(kept: Kept, moved: (id: number, offset: number) => void): void {
      flush()
      if (kept.size !== size) {
        const next = `${path}.next`
        const target = openSync(next, 'w', 0o600)
        let at = 0
        for (const span of kept.spans) {
          writeFully(target, readSpan(file, span.offset, span.length + 1))
          if (at !== span.offset) moved(span.id, at)
          at += span.length + 1
        }
        closeSync(target)
        closeSync(file)
        renameSync(next, path)
        file = openSync(path, 'a+')
        size = at
      }
    },
    /** Waits until the bodies survive a power failure. */
    sync: () => fsyncSync(file),
    close(): void {
      try {
        flush()
      } catch {
        // Only an incomplete stage has bodies left to write, and it is never sent: a plan that was stopped cannot show them.
      }
      closeSync(file)
    },
  }
}

function readSpan(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const read = readSync(file, bytes, filled, length - filled, offset + filled)
    if (read === 0) throw new Error(`ready.ndjson ends before byte ${offset + length}`)
    filled += read
  }
  return bytes
}

function writeFully(file: number, bytes: Uint8Array): void {
  let written = 0
  while (written < bytes.length) written += writeSync(file, bytes, written)
}
