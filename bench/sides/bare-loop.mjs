/** Publishes with the least work: posts lines of ready bodies in batches, 4 requests at a time, and checks each answer. */

import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

const [path] = process.argv.slice(2)
const { WINDROW_UPDATES: updates, WINDROW_TOKEN: token } = process.env
const { RECORDS_PER_BATCH: recordsPerBatch, BATCHES_AT_ONCE: batchesAtOnce } = process.env
const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
const underWay = new Set()

async function post(bodies) {
  const response = await fetch(updates, { method: 'POST', headers, body: `[${bodies.join(',')}]` })
  const results = await response.json()
  if (!response.ok || !results.every(({ successful }) => successful)) throw new Error(JSON.stringify(results))
}

let batch = []
for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
  if (batch.push(line) === Number(recordsPerBatch)) await send()
}
if (batch.length > 0) await send()
await Promise.all(underWay)

async function send() {
  const task = post(batch).finally(() => underWay.delete(task))
  batch = []
  underWay.add(task)
  if (underWay.size >= Number(batchesAtOnce)) await Promise.race(underWay)
}
