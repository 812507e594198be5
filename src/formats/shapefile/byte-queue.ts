/** Reads records from a stream through one window that is refilled when it is empty. */

import type { Source } from '../../core/sources/source.ts'

const windowBytes = 1 << 18

/**
 * A window over a source's stream. The unread bytes are `bytes` from `at` up to `end`; they move when `more` is awaited, and
 * the memory is reused, so nothing may keep a part of it. It works on streams alone, so that a member of a zip can be
 * read without unpacking it to disk.
 */
export class ByteQueue {
  bytes: Buffer = Buffer.alloc(windowBytes)
  view: DataView = viewOf(this.bytes)
  at = 0
  end = 0
  readonly #chunks: AsyncIterator<Uint8Array>
  #chunk: Uint8Array = new Uint8Array(0)
  #windowStart = 0

  constructor(source: Source, signal?: AbortSignal) {
    this.#chunks = source.stream(signal)[Symbol.asyncIterator]()
  }

  /** The position of `at` in the source. */
  get position(): number {
    return this.#windowStart + this.at
  }

  /** True if `count` unread bytes are in the window. */
  has(count: number): boolean {
    return this.end - this.at >= count
  }

  /** Brings `count` unread bytes into the window; false if the source has no more of them. */
  async more(count: number): Promise<boolean> {
    if (this.has(count)) return true
    this.#makeRoom(count)
    while (this.end < count) {
      if (this.#chunk.length === 0) {
        const next = await this.#chunks.next()
        if (next.done === true) return false
        this.#chunk = next.value
      }
      const piece = this.#chunk.subarray(0, this.bytes.length - this.end)
      this.bytes.set(piece, this.end)
      this.end += piece.length
      this.#chunk = this.#chunk.subarray(piece.length)
    }
    return true
  }

  /** Moves the unread bytes to the front of the window, or of a larger one if a record needs it. */
  #makeRoom(count: number): void {
    const unread = this.bytes.subarray(this.at, this.end)
    if (count > this.bytes.length) {
      this.bytes = Buffer.alloc(Math.max(count, this.bytes.length * 2))
      this.view = viewOf(this.bytes)
    }
    this.bytes.set(unread)
    this.#windowStart += this.at
    this.end -= this.at
    this.at = 0
  }

  /** Skips `count` bytes, or to the end. */
  async skip(count: number): Promise<void> {
    let left = count
    while (left > 0) {
      const step = Math.min(left, this.end - this.at)
      this.at += step
      left -= step
      if (left > 0 && !(await this.more(1))) return
    }
  }

  async close(): Promise<void> {
    await this.#chunks.return?.()
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}
