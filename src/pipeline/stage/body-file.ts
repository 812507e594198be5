/** Keeps the bodies of a stage in ready.ndjson, one a line, and reads them back by their places. */

import { closeSync, fstatSync, fsyncSync, openSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { TextBytes } from '../../core/shapes/text-bytes.ts'
import { whenFree } from '../../core/sources/when-free.ts'
import { readExactly } from '../../core/sources/temporary.ts'

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
  let block = new TextBytes()
  const write = (bytes: Uint8Array): void => {
    try {
      writeFileSync(file, bytes)
    } catch (cause) {
      // A full disk took a part of them: nobody is to look for the rest.
      size = fstatSync(file).size
      throw cause
    }
  }
  const flush = (): void => {
    write(block.take())
    // A very large body may have enlarged the block.
    if (block.bytes.length > 2 * blockBytes) block = new TextBytes()
  }
  const readAt = (offset: number, length: number): Buffer => {
    const bytes = Buffer.allocUnsafe(length)
    readExactly(file, bytes, offset)
    return bytes
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
    read(spans: readonly Span[]): readonly Buffer[] {
      flush()
      return spans.map(({ offset, length }) => readAt(offset, length))
    },
    size: () => size,
    /** Keeps only the given spans, in order, and reports each new offset. Runs inside the caller's transaction. */
    keepOnly(kept: Kept, moved: (id: number, offset: number) => void): void {
      flush()
      if (kept.size === size) return
      const next = `${path}.next`
      const target = openSync(next, 'w', 0o600)
      let at = 0
      for (const span of kept.spans) {
        writeFileSync(target, readAt(span.offset, span.length + 1))
        if (at !== span.offset) moved(span.id, at)
        at += span.length + 1
      }
      closeSync(target)
      closeSync(file)
      whenFree(() => renameSync(next, path))
      file = openSync(path, 'a+')
      size = at
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
