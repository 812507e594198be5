/** Inspects one file after another as the command does, and reports after each what was said and what it took. */

import { main } from '../../src/cli/main.ts'
import { peakKB } from '../../tools/peak-memory.mjs'

/** What one inspection said and took. `peakMB` is the most that this process has had so far. */
export type Inspected = {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
  readonly peakMB: number
  readonly cpuMs: number
}

let [stdout, stderr] = ['', '']
process.stdout.write = (text) => {
  stdout += String(text)
  return true
}
process.stderr.write = (text) => {
  stderr += String(text)
  return true
}

async function inspect(path: string): Promise<Inspected> {
  ;[stdout, stderr] = ['', '']
  const begun = process.cpuUsage()
  const status = await main(['inspect', path])
  const { user, system } = process.cpuUsage(begun)
  return { status, stdout, stderr, peakMB: peakKB() / 1024, cpuMs: (user + system) / 1000 }
}

process.on('message', (path: string) => void inspect(path).then((inspected) => process.send!(inspected)))
process.on('disconnect', () => process.exit(0))
