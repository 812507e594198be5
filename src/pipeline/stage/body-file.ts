/** Keeps the bodies of a stage in ready.ndjson, one a line, and reads them back by their places. */

import { closeSync, fsyncSync, openSync, renameSync, statSync, writeFileSync } from 'node:fs'
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

/** A file of bodies that another stage has left, and its bytes. Its spans come before those of the own file. */
export type EarlierFile = { readonly path: string; readonly size: number }

/** The file of bodies: appended in blocks, read back by span. A line's span leaves out its line break. */
export function openBodies(path: string, earlierFiles: readonly EarlierFile[] = []) {
  let file = openSync(path, 'a+', 0o600)
  let earlier: { readonly file: number; readonly from: number; readonly to: number }[] = []
  let size = statSync(path).size
  let ownFrom = 0
  const add = (each: EarlierFile): void => {
    earlier.push({ file: openSync(each.path, 'r'), from: ownFrom, to: ownFrom + each.size })
    ownFrom += each.size
    size += each.size
  }
  for (const each of earlierFiles) add(each)
  let block = new TextBytes()
  const flush = (): void => {
    writeFileSync(file, block.take())
    // A very large body may have enlarged the block.
    if (block.bytes.length > 2 * blockBytes) block = new TextBytes()
  }
  const placeOf = (offset: number): { readonly file: number; readonly from: number } =>
    offset >= ownFrom ? { file, from: ownFrom } : earlier.find(({ to }) => offset < to)!
  const readAt = (offset: number, length: number): Buffer => {
    const { file: its, from } = placeOf(offset)
    const bytes = Buffer.allocUnsafe(length)
    readExactly(its, bytes, offset - from)
    return bytes
  }
  const closeEarlier = (): void => {
    for (const each of earlier) closeSync(each.file)
    earlier = []
    ownFrom = 0
  }
  return {
    /** Puts the bodies of another stage behind those that are here; no own body may have been appended yet. */
    addEarlier: add,
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
    /**
     * Keeps only the given spans, in order, and reports each new offset. Runs inside the caller's transaction. Returns whether the
     * bodies lie in earlier files still: only as long as nothing has to be left out or was appended.
     */
    keepOnly(kept: Kept, moved: (id: number, offset: number) => void): boolean {
      flush()
      if (kept.size !== size || (earlier.length > 0 && size > ownFrom)) {
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
        closeEarlier()
      }
      return earlier.length > 0
    },
    /** Waits until the bodies survive a power failure. */
    sync: () => [...earlier, { file }].forEach((each) => fsyncSync(each.file)),
    close(): void {
      try {
        flush()
      } catch {
        // Only an incomplete stage has bodies left to write, and it is never sent: a plan that was stopped cannot show them.
      }
      closeSync(file)
      closeEarlier()
    },
  }
}
