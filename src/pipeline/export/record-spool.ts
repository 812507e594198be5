/** Keeps records between the two passes of an export in a temporary file, one JSON line each. */

import { createReadStream, readSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'

/** Records that can be read again and again after the last one was added, as they came or in another order. */
export type Spool<T> = {
  add(records: readonly T[]): Promise<void>
  readonly count: number
  batches(size: number, order?: Uint32Array): AsyncIterable<readonly T[]>
  close(): Promise<void>
}

/** Starts a spool at the given path. */
export async function openSpool<T>(path: string): Promise<Spool<T>> {
  const file = await open(path, 'wx+', 0o600)
  // Where each line begins, and where the next one will.
  const starts = [0]
  let count = 0
  const lineAt = (index: number): string => {
    const start = starts[index]!
    const line = Buffer.allocUnsafe(starts[index + 1]! - start)
    // One promise for each of a hundred thousand lines would take longer than reading them.
    readSync(file.fd, line, 0, line.length, start)
    return line.toString('utf8')
  }
  return {
    async add(records) {
      if (records.length === 0) return
      const lines = records.map((each) => `${JSON.stringify(each)}\n`)
      await file.appendFile(lines.join(''))
      for (const line of lines) starts.push(starts.at(-1)! + Buffer.byteLength(line))
      count += records.length
    },
    get count() {
      return count
    },
    async *batches(size, order) {
      let batch: T[] = []
      for await (const line of order === undefined ? linesOf(path) : linesIn(order, lineAt)) {
        batch.push(JSON.parse(line) as T)
        if (batch.length < size) continue
        yield batch
        batch = []
      }
      if (batch.length > 0) yield batch
    },
    async close() {
      await file.close()
      await rm(path, { force: true })
    },
  }
}

function* linesIn(order: Uint32Array, lineAt: (index: number) => string): Generator<string> {
  for (const index of order) yield lineAt(index)
}

// node:readline also ends lines at U+2028 and U+2029, which JSON leaves inside its texts.
async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(path, 'utf8') as AsyncIterable<string>) {
    rest += chunk
    // A large record arrives in many chunks; splitting at each of them would take quadratic time.
    if (!chunk.includes('\n')) continue
    const lines = rest.split('\n')
    rest = lines.pop()!
    yield* lines
  }
}
