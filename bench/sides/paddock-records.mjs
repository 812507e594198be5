/**
 * Our side of the contests about rows: a pipeline's file to records that could be published, one a line, through the public
 * library. Prints the counts as JSON.
 */

import { writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [home, pipeline, output, countsFile] = process.argv.slice(2)
const { prepareImport, readPipeline, recordsOf } = await import(pathToFileURL(join(home, 'dist', 'index.js')).href)
const { keepMemorySmall } = await import(pathToFileURL(join(home, 'dist', 'memory.js')).href)
keepMemorySmall()
const clock = () => new Date()
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const prepared = await prepareImport(await readPipeline(pipeline), { clock, sleep })
const counts = new Map()
const file = await open(output, 'w')
const lineFeed = 0x0a
const blockBytes = 1 << 20
// One block is filled during the writing of the other.
let [block, other] = [Buffer.allocUnsafe(blockBytes), Buffer.allocUnsafe(blockBytes)]
let filled = 0
let written = Promise.resolve()
for await (const records of recordsOf(prepared, { now: clock().toISOString() }))
  for (const { body, problems } of records) {
    for (const { code } of problems) counts.set(code, (counts.get(code) ?? 0) + 1)
    if (body === undefined) continue
    if (body.length >= blockBytes - filled) await flush()
    if (body.length >= blockBytes) {
      await written
      await file.writeFile(Buffer.concat([body, Buffer.of(lineFeed)]))
    } else {
      block.set(body, filled)
      filled += body.length
      block[filled++] = lineFeed
    }
  }
await flush()
await written
await file.close()
await prepared.close()
writeFileSync(countsFile, JSON.stringify({ problems: [...counts].map(([code, count]) => ({ code, count })) }))

async function flush() {
  await written
  written = file.writeFile(block.subarray(0, filled))
  ;[block, other] = [other, block]
  filled = 0
}
