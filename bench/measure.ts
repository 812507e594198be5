/**
 * Measures one run of a program: wall time from start to exit, or the time that the program reports, and the peak memory of the
 * process.
 */

import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freshFolder, type Command } from './contest.ts'

/** `wholeSeconds` is set when `seconds` is only a part of the job. `peakMB` is undefined where the system does not report it. */
export type Measured = {
  readonly seconds: number
  readonly wholeSeconds?: number
  readonly peakMB: number | undefined
}

// macOS has another program of this name, which reports no peak.
const gnuTime = process.platform === 'linux' ? '/usr/bin/time' : ''
const preload = new URL('peak.mjs', import.meta.url).href

/** Runs the program to its end. Throws with its output when it fails. */
export async function measure(command: Command): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'windrow-bench-'))
  const [peakFile, seenFile, timesFile] = [join(folder, 'peak'), join(folder, 'seen'), join(folder, 'times')]
  try {
    const [program, ...words] = command
    const filled = [program, ...words.map((word) => (word === freshFolder ? join(folder, 'fresh') : word))] as const
    const begun = performance.now()
    const seenKB = await runToEnd(wrapped(filled, seenFile), {
      WINDROW_PEAK_FILE: peakFile,
      WINDROW_TIMES_FILE: timesFile,
      // An own folder for connections: a dry run would otherwise call the real service of the user.
      XDG_STATE_HOME: folder,
    })
    const seconds = (performance.now() - begun) / 1000
    const peakKB = lastNumberIn(peakFile) ?? lastNumberIn(seenFile) ?? seenKB
    const told = existsSync(timesFile) ? (JSON.parse(readFileSync(timesFile, 'utf8')) as OwnSeconds) : undefined
    return { seconds, ...told, peakMB: peakKB === undefined ? undefined : peakKB / 1024 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type OwnSeconds = { readonly seconds: number; readonly wholeSeconds: number }

function lastNumberIn(file: string): number | undefined {
  return existsSync(file) ? Number(readFileSync(file, 'utf8').trim().split('\n').at(-1)) : undefined
}

/** The command with a measurement of its peak memory: by GNU time, or by a module that each of its threads loads. */
function wrapped([program, ...words]: Command, seenFile: string): Command {
  const isNode = program === 'node'
  const named = isNode ? process.execPath : program
  if (existsSync(gnuTime)) return [gnuTime, '-f', '%M', '-o', seenFile, named, ...words]
  return isNode ? [named, '--import', preload, ...words] : [named, ...words]
}

/** Resolves to the highest VmHWM seen in /proc, for systems without GNU time; reading it disturbs the measurement a little. */
function runToEnd([program, ...words]: Command, env: NodeJS.ProcessEnv): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...env },
    })
    let said = ''
    let peakKB: number | undefined
    const watch = program === gnuTime ? undefined : setInterval(() => (peakKB = highWaterKB(child.pid) ?? peakKB), 20)
    child.stderr.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-4000)))
    child.on('error', (cause) => {
      clearInterval(watch)
      reject(new Error(`${program} could not be started.`, { cause }))
    })
    child.on('close', (code, signal) => {
      clearInterval(watch)
      if (code === 0) resolve(peakKB)
      else reject(new Error(`${program} ${words.join(' ')} ended with ${signal ?? code}.\n${said}`))
    })
  })
}

function highWaterKB(pid: number | undefined): number | undefined {
  try {
    const found = /^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return found === undefined ? undefined : Number(found)
  } catch {
    return undefined
  }
}
