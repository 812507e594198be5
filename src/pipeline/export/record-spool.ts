/** Keeps records between the two passes of an export in a temporary file, one JSON line each. */

import { openUnnamed, readExactly, spoolError } from '../../core/sources/temporary.ts'

/** Records that can be read again and again after the last one was added, as they came or in another order. */
export type Spool<T> = Awaited<ReturnType<typeof openSpool<T>>>

export async function openSpool<T>() {
  const { handle, close } = await openUnnamed()
  // Where each line begins, and where the next one will.
  const starts = [0]
  const recordAt = (index: number): T => {
    const start = starts[index]!
    const line = Buffer.allocUnsafe(starts[index + 1]! - start)
    // One promise for each of a hundred thousand lines would take longer than reading them.
    readExactly(handle.fd, line, start)
    return JSON.parse(line.toString('utf8')) as T
  }
  return {
    async add(records: readonly T[]): Promise<void> {
      if (records.length === 0) return
      const lines = records.map((each) => `${JSON.stringify(each)}\n`)
      await handle.appendFile(lines.join('')).catch((cause: unknown) => {
        throw spoolError(cause)
      })
      for (const line of lines) starts.push(starts.at(-1)! + Buffer.byteLength(line))
    },
    get count() {
      return starts.length - 1
    },
    async *batches(size: number, order?: Uint32Array): AsyncGenerator<readonly T[]> {
      const count = order?.length ?? starts.length - 1
      for (let from = 0; from < count; from += size)
        yield Array.from({ length: Math.min(size, count - from) }, (_, at) => recordAt(order?.[from + at] ?? from + at))
    },
    [Symbol.asyncDispose]: close,
  }
}
