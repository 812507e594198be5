/** Hides that bytes come in chunks: records are read out of one window that is refilled when it runs dry. */

import type { Source } from '../../core/source.ts'

/**
 * A window over a source's stream. The unread bytes are `bytes` from `at` on; they move when `more` is awaited. It works on
 * streams alone, so that a member of a zip is read without being unpacked to disk.
 */
export class ByteQueue {
  bytes: Buffer = Buffer.alloc(0)
  view: DataView = new DataView(new ArrayBuffer(0))
  at = 0
  readonly #chunks: AsyncIterator<Uint8Array>
  #windowStart = 0

  constructor(source: Source, signal?: AbortSignal) {
    this.#chunks = source.stream(signal)[Symbol.asyncIterator]()
  }

  /** Where in the source `at` stands. */
  get position(): number {
    return this.#windowStart + this.at
  }

  /** True when `count` unread bytes are in the window. */
  has(count: number): boolean {
    return this.bytes.length - this.at >= count
  }

  /** Brings `count` unread bytes into the window; false when the source has no more of them. */
  async more(count: number): Promise<boolean> {
    if (this.has(count)) return true
    const pieces: Uint8Array[] = [this.bytes.subarray(this.at)]
    let length = pieces[0]!.length
    while (length < count) {
      const next = await this.#chunks.next()
      if (next.done === true) break
      pieces.push(next.value)
      length += next.value.length
    }
    this.#windowStart += this.at
    this.at = 0
    this.bytes = Buffer.concat(pieces)
    this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length)
    return length >= count
  }

  /** Passes over `count` bytes, or to the end. */
  async skip(count: number): Promise<void> {
    let left = count
    while (left > 0) {
      const step = Math.min(left, this.bytes.length - this.at)
      this.at += step
      left -= step
      if (left > 0 && !(await this.more(1))) return
    }
  }

  /** Lets go of the source. */
  async close(): Promise<void> {
    await this.#chunks.return?.()
  }
}
