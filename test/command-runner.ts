/** Runs one command of windrow or one program after another, and reports after each what it said and what it took. */

import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
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
process.stdout.write = (text: string | Uint8Array, ...more: readonly unknown[]) => {
  stdout += String(text)
  const done = more.at(-1)
  if (typeof done === 'function') done()
  return true
}
process.stderr.write = (text) => {
  stderr += String(text)
  return true
}

/** The words of a command as if they were typed, or the file of a program. */
export type Task = readonly string[] | { readonly program: string }

async function run(task: Task): Promise<Outcome> {
  ;[stdout, stderr] = ['', '']
  const begun = process.cpuUsage()
  const status = await ('program' in task ? runProgram(task.program) : main(task))
  const { user, system } = process.cpuUsage(begun)
  return { status, stdout, stderr, peakMB: peakKB() / 1024, cpuMs: (user + system) / 1000 }
}

async function runProgram(path: string): Promise<number> {
  try {
    await import(pathToFileURL(path).href)
    return 0
  } catch (cause) {
    process.stderr.write(`${inspect(cause)}\n`)
    return 1
  }
}

process.on('message', (task: Task) => void run(task).then((outcome) => process.send!(outcome)))
process.on('disconnect', () => process.exit(0))
