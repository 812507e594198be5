/** Keeps records between the two passes of an export in a temporary file, one JSON line each. */

import { createReadStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'

/** Records that can be read again and again after the last one was added. */
export type Spool<T> = {
  add(records: readonly T[]): Promise<void>
  readonly count: number
  batches(size: number): AsyncIterable<readonly T[]>
  close(): Promise<void>
}

/** Starts a spool at the given path. */
export async function openSpool<T>(path: string): Promise<Spool<T>> {
  const file = await open(path, 'wx', 0o600)
  let count = 0
  return {
    async add(records) {
      if (records.length === 0) return
      await file.appendFile(`${records.map((each) => JSON.stringify(each)).join('\n')}\n`)
      count += records.length
    },
    get count() {
      return count
    },
    async *batches(size) {
      let batch: T[] = []
      for await (const line of linesOf(path)) {
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
