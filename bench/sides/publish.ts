/**
 * One side of the publishing contest: starts a service with one holding in its own process, then the publishing program, then
 * counts the stored records.
 *
 *   node publish.ts WINDROW STORED_FILE PROGRAM WORDS...
 */

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { batchesAtOnce, recordsPerBatch } from '../../src/client/streaming.ts'
import { demoCredentials } from '../../src/service/store/accounts.ts'

const [windrow, storedFile, ...program] = process.argv.slice(2) as [string, string, ...string[]]
const peak = new URL('../peak.mjs', import.meta.url).href
const timePosts = new URL('time-posts.mjs', import.meta.url).href
const holding = { scheme: 'nz.example.farm-number', id: '00412876' }

const { clientId, clientSecret, username, password } = demoCredentials
const { WINDROW_PEAK_FILE: peakFile, ...environment } = process.env
// Only the publisher's peak is measured.
delete process.env['WINDROW_PEAK_FILE']

const server = spawn(process.execPath, [windrow, 'serve', '--demo', '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: environment,
})
try {
  const { url, tokenUrl } = await announced(server)
  const token = await signIn(tokenUrl)
  await publishHolding(url, token)
  await runProgram({
    ...environment,
    ...(peakFile === undefined ? {} : { WINDROW_PEAK_FILE: peakFile }),
    WINDROW_SERVICE: url,
    WINDROW_TOKEN_URL: tokenUrl,
    WINDROW_CLIENT_ID: clientId,
    WINDROW_CLIENT_SECRET: clientSecret,
    WINDROW_USERNAME: username,
    WINDROW_PASSWORD: password,
    WINDROW_UPDATES: updatesOf(url, 'plots'),
    WINDROW_TOKEN: token,
    RECORDS_PER_BATCH: String(recordsPerBatch),
    BATCHES_AT_ONCE: String(batchesAtOnce),
  })
  writeFileSync(storedFile, String(await countStored(url, token)))
} finally {
  server.kill('SIGTERM')
  if (server.exitCode === null) await once(server, 'exit')
}

async function announced({ stdout }: ChildProcess): Promise<{ readonly url: string; readonly tokenUrl: string }> {
  let said = ''
  for await (const chunk of stdout!) {
    said += String(chunk)
    if (said.includes('\n')) return JSON.parse(said) as { readonly url: string; readonly tokenUrl: string }
  }
  throw new Error('The service ended before it listened.')
}

async function signIn(tokenUrl: string): Promise<string> {
  const form = { grant_type: 'password', client_id: clientId, client_secret: clientSecret, username, password }
  const response = await fetch(tokenUrl, {
    method: 'POST',
    body: new URLSearchParams(form),
  })
  const answer = (await response.json()) as { readonly access_token?: string }
  if (answer.access_token === undefined) throw new Error(`The service refused the sign-in: ${JSON.stringify(answer)}`)
  return answer.access_token
}

function updatesOf(url: string, dataset: string): string {
  return `${url}/data/streaming/datasets/${dataset}/resources`
}

async function publishHolding(url: string, token: string): Promise<void> {
  const record = {
    resourceType: 'holdingResource',
    name: 'Rimu Farm',
    dataPointKey: 'holdings/rimu',
    identifiers: [holding],
    meta: { sourceId: { scheme: 'nz.example.rimu', id: '1' }, modified: '2026-01-01T00:00:00Z' },
  }
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
  const response = await fetch(updatesOf(url, 'holdings'), { method: 'POST', headers, body: JSON.stringify([record]) })
  const [result] = (await response.json()) as readonly { readonly successful: boolean }[]
  if (result?.successful !== true) throw new Error(`The holding was refused: ${JSON.stringify(result)}`)
}

async function runProgram(env: NodeJS.ProcessEnv): Promise<void> {
  const words = ['--import', peak, '--import', timePosts, ...program]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'inherit'], env })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${program.join(' ')} ended with ${code}.`)
}

async function countStored(url: string, token: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` }
  const response = await fetch(`${url}/ogc/collections/plots/items?limit=1`, { headers })
  return ((await response.json()) as { readonly numberMatched: number }).numberMatched
}
