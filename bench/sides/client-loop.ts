/** Publishes through the client: lines of ready bodies in batches, 4 requests at a time, each result checked. */

import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { connectTo } from '../../src/client/connection.ts'
import { batchesAtOnce, recordsPerBatch } from '../../src/client/streaming.ts'
import { inParallel } from '../../src/core/in-parallel.ts'

const [path = ''] = process.argv.slice(2)
const {
  WINDROW_SERVICE: service = '',
  WINDROW_TOKEN_URL: tokenUrl = '',
  WINDROW_CLIENT_ID: clientId = '',
  WINDROW_CLIENT_SECRET: clientSecret = '',
  WINDROW_USERNAME: username = '',
  WINDROW_PASSWORD: password = '',
  WINDROW_UPDATES: updates = '',
} = process.env

const client = connectTo(
  { name: 'bench', service, tokenUrl, clientId, clientSecret, username, password },
  { fetch: globalThis.fetch, clock: () => new Date(), sleep: (ms) => wait(ms), random: Math.random },
)

async function* lists(): AsyncGenerator<readonly string[]> {
  let list: string[] = []
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    if (list.push(line) < recordsPerBatch) continue
    yield list
    list = []
  }
  if (list.length > 0) yield list
}

await inParallel(lists(), batchesAtOnce, async (bodies) => {
  for await (const { items } of client.publishHalving(updates, bodies))
    for (const item of items) if (item.state !== 'accepted') throw new Error(JSON.stringify(item))
})
