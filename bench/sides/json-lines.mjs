/** Reads JSON lines in batches, the same way for both sides of an export contest. */

import { createReadStream } from 'node:fs'

/** Parsed lines, a hundred at a time. */
export async function* batchesOf(file) {
  let rest = ''
  let batch = []
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()
    for (const line of lines) {
      batch.push(JSON.parse(line))
      if (batch.length < 100) continue
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) yield batch
}

/** The columns in the first line of a diary. */
export async function columnsOf(file) {
  for await (const [columns] of batchesOf(file)) return columns
}

/** The rows of a diary in batches. */
export async function* rowsOf(file) {
  let isFirst = true
  for await (const batch of batchesOf(file)) {
    yield isFirst ? batch.slice(1) : batch
    isFirst = false
  }
}
