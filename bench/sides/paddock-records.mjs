/**
 * Hides our side of the contests over the whole line of a paddock: a pipeline's file to records that could be published, a line each,
 * through windrow's public door. Says in JSON how many there are of what was noted.
 */

import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [home, pipeline, output, told] = process.argv.slice(2)
const { keepMemorySmall, prepareImport, readPipeline, recordsOf } = await import(
  pathToFileURL(join(home, 'dist', 'index.js')).href
)
keepMemorySmall()
const clock = () => new Date()
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const prepared = await prepareImport(await readPipeline(pipeline), { clock, sleep })
const counts = new Map()
const file = openSync(output, 'w')
const block = Buffer.allocUnsafe(1 << 20)
const lineFeed = Buffer.from('\n')
let filled = 0
for await (const records of recordsOf(prepared, { now: clock().toISOString() }))
  for (const { body, problems } of records) {
    for (const { code } of problems) counts.set(code, (counts.get(code) ?? 0) + 1)
    if (body === undefined) continue
    if (body.length >= block.length - filled) flush()
    if (body.length >= block.length) writeSync(file, Buffer.concat([body, lineFeed]))
    else {
      block.set(body, filled)
      filled += body.length
      block[filled++] = lineFeed[0]
    }
  }
flush()
closeSync(file)
await prepared.close()
writeFileSync(told, JSON.stringify({ problems: [...counts].map(([code, count]) => ({ code, count })) }))

function flush() {
  writeSync(file, block, 0, filled)
  filled = 0
}
