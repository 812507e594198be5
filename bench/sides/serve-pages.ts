/**
 * One side of the reading contests: a service in this process, over a store or with one page in memory, and a reader in its own
 * process that reports its time.
 *
 *   node serve-pages.ts STORE store|memory pages|readers
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { keepMemorySmall } from '../../src/core/memory.ts'
import { createService, type Service } from '../../src/service/create.ts'
import { serve } from '../../src/service/serve.ts'
import { signInTo } from '../plots.ts'

const [store = '', kind, reading = ''] = process.argv.slice(2)
keepMemorySmall()
const service = createService({ demo: true, store })
const token = await signInTo(service)
const { url, close } = await serve(kind === 'memory' ? await fromMemory() : service)
const reader = spawn(
  process.execPath,
  [fileURLToPath(new URL('read-pages.mjs', import.meta.url)), url, token, reading],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
)
let said = ''
reader.stdout.on('data', (chunk) => void (said += String(chunk)))
const [code] = (await once(reader, 'exit')) as [number | null]
await close()
service.close()
if (code !== 0) throw new Error(`The reader ended with ${code}.`)
const { seconds, bytes } = JSON.parse(said) as { readonly seconds: number; readonly bytes: number }
const times = { seconds: (seconds * 1e9) / bytes, wholeSeconds: seconds }
if (process.env['WINDROW_TIMES_FILE'] !== undefined)
  writeFileSync(process.env['WINDROW_TIMES_FILE'], JSON.stringify(times))

async function fromMemory(): Promise<Service> {
  const address = 'http://127.0.0.1/ogc/collections/plots/items?limit=1000'
  const answer = await service.fetch(new Request(address, { headers: { Authorization: `Bearer ${token}` } }))
  const page = new Uint8Array(await answer.arrayBuffer())
  const headers = { 'Content-Type': 'application/geo+json' }
  return { ...service, fetch: () => Promise.resolve(new Response(page, { headers })) }
}
