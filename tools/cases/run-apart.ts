/** Judges a case in its own process and folder: measures time, peak memory, and files left behind. */

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Case } from './case.ts'
import type { Verdict } from './judgement.ts'

/** A verdict with its cost. `peakMB` is undefined when the process could not measure it. */
export type Measured = Verdict & {
  readonly id: string
  readonly seconds: number
  readonly cpuSeconds: number
  readonly peakMB: number | undefined
}

const peakTeller = new URL('../../bench/peak.mjs', import.meta.url).href
const judge = fileURLToPath(new URL('one.ts', import.meta.url))

/**
 * The limits of a file. A refusal must come within these seconds; reading a large file to its end may take longer. Processor time
 * is measured, so that a busy machine is not a failure.
 */
const most = { cpuSeconds: 5, bytesPerSecond: 5_000_000, peakMB: 300, wallSeconds: 60 }

/** Judges one case of the list. Never throws: a process that dies or hangs is a failed case. */
export async function runApart(list: string, each: Case): Promise<Measured> {
  const { id } = each
  const secondsMost = secondsFor(each, join(dirname(list), each.file))
  const folder = mkdtempSync(join(tmpdir(), 'windrow-case-'))
  const [work, temporary, peakFile] = [join(folder, 'work'), join(folder, 'temporary'), join(folder, 'peak')]
  mkdirSync(work)
  mkdirSync(temporary)
  try {
    const begun = performance.now()
    const answer = await answerOf([list, id], {
      cwd: work,
      wallSeconds: most.wallSeconds + secondsMost,
      env: { WINDROW_PEAK_FILE: peakFile, TMPDIR: temporary, TMP: temporary, TEMP: temporary },
    })
    const seconds = (performance.now() - begun) / 1000
    const peakMB = existsSync(peakFile) ? Number(readFileSync(peakFile, 'utf8')) / 1024 : undefined
    const reported = typeof answer === 'string' ? died(answer) : answer
    const left = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    return withLimits({ id, seconds, peakMB, ...reported }, { secondsMost, left })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Answer = Verdict & { readonly seconds: number; readonly cpuSeconds: number }

function died(reason: string): Verdict & { readonly cpuSeconds: number } {
  return { outcome: 'failed', failures: [reason], remarks: [], cpuSeconds: 0 }
}

/** The time limit of a case: that of a refusal, and more for a large file that must be read. */
function secondsFor({ expectedError }: Case, path: string): number {
  const bytes = expectedError === undefined && existsSync(path) ? statSync(path).size : 0
  return most.cpuSeconds + Math.round(bytes / most.bytesPerSecond)
}

type Found = { readonly secondsMost: number; readonly left: readonly string[] }

function withLimits(measured: Measured, { secondsMost, left }: Found): Measured {
  const { cpuSeconds, peakMB = 0 } = measured
  const strangers = left.filter((name) => !['work', 'temporary', 'peak'].includes(name))
  const broken = [
    ...(cpuSeconds > secondsMost ? [`it took ${cpuSeconds.toFixed(1)} s, at most ${secondsMost} are allowed`] : []),
    ...(peakMB > most.peakMB ? [`it took ${peakMB.toFixed(0)} MB, at most ${most.peakMB} are allowed`] : []),
    ...(strangers.length > 0 ? [`files were left behind: ${strangers.join(', ')}`] : []),
  ]
  if (broken.length === 0) return measured
  return { ...measured, outcome: 'failed', failures: [...measured.failures, ...broken] }
}

type Surroundings = {
  readonly cwd: string
  readonly wallSeconds: number
  readonly env: Readonly<Record<string, string>>
}

/** The judge's answer, or why there is none. */
function answerOf(words: readonly string[], { cwd, wallSeconds, env }: Surroundings): Promise<Answer | string> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', peakTeller, judge, ...words], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: wallSeconds * 1000,
    })
    let said = ''
    let complained = ''
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (complained = `${complained}${chunk.toString()}`.slice(-2000)))
    child.on('error', (cause) => resolve(`it could not be started: ${cause.message}`))
    child.on('close', (code, signal) => {
      if (signal !== null) resolve(`no answer within ${wallSeconds} s`)
      else if (code === 0) resolve(JSON.parse(said) as Answer)
      else resolve(`it ended with ${code}: ${complained.trim()}`)
    })
  })
}
