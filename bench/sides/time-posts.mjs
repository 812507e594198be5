/**
 * Measures how long a program sends records: loaded before it, it watches fetch and writes the time from the first publishing to
 * the last answer, and from start to exit, into the file that WINDROW_TIMES_FILE names.
 */

import { writeFileSync } from 'node:fs'

const { fetch } = globalThis
let first
let last

globalThis.fetch = async (input, init) => {
  const { method, url } = input instanceof Request ? input : { method: init?.method, url: String(input) }
  if (method !== 'POST' || !url.endsWith('/resources')) return fetch(input, init)
  first ??= performance.now()
  const response = await fetch(input, init)
  last = performance.now()
  return response
}

process.on('exit', () => {
  const file = process.env.WINDROW_TIMES_FILE
  if (file === undefined || first === undefined) return
  writeFileSync(file, JSON.stringify({ seconds: (last - first) / 1000, wholeSeconds: performance.now() / 1000 }))
})
