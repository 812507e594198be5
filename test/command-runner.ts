/** Runs one command of windrow after another, as if each was typed, and reports after each what it said and what it took. */

import { main } from '../src/cli/main.ts'
import { peakKB } from '../tools/peak-memory.mjs'

/** What one command said and took. `peakMB` is the most that this process has had so far. */
export type Outcome = {
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

async function run(words: readonly string[]): Promise<Outcome> {
  ;[stdout, stderr] = ['', '']
  const begun = process.cpuUsage()
  const status = await main(words)
  const { user, system } = process.cpuUsage(begun)
  return { status, stdout, stderr, peakMB: peakKB() / 1024, cpuMs: (user + system) / 1000 }
}

process.on('message', (words: readonly string[]) => void run(words).then((outcome) => process.send!(outcome)))
process.on('disconnect', () => process.exit(0))
