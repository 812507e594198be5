/**
 * Finds, runs and checks the commands and programs of a README. A block of ```sh may have a comment above it with one line for
 * each windrow command in it: the exit code, then texts in quotes that must be printed, then paths that must exist afterwards.
 *
 *   <!-- check
 *   3 "2 rows need you" .windrow/ledger.db
 *   -->
 *
 * A block of ```js is a program with one such line; it runs unchanged, with this checkout in place of the package.
 *
 * "runs" in place of the exit code is for a command that keeps running, as in its own terminal, until the others are done: its
 * texts are waited for, its exit code is not.
 */

import { spawn, type ChildProcess } from 'node:child_process'
import { globSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { root } from './imports.ts'
import { startSharedProcess } from './shared-process.ts'

export type Expected = {
  readonly exit: number | 'runs'
  readonly texts: readonly string[]
  readonly paths: readonly string[]
}

export type Line = {
  readonly text: string
  readonly words: readonly string[]
  /** The text of a ```js block. */
  readonly program?: string
  /** Undefined for other commands, and for those without an expected result. */
  readonly expected: Expected | undefined
}

/** The lines of all ```sh blocks, without comments, and the ```js blocks, each as one. */
export function commandsOf(markdown: string): readonly Line[] {
  const blocks = markdown.matchAll(/(?:<!-- check\n((?:(?!-->)[^])*)-->\s*)?^```(sh|js)\n([^]*?)^```/gm)
  return [...blocks].flatMap(([, checks = '', language, block = '']) => {
    const expectations = checks
      .trim()
      .split('\n')
      .filter((check) => check !== '')
      .map(expectedFrom)
    if (language === 'js') return [{ ...lineFrom(['node', firstLine(block)], expectations[0]), program: block }]
    const lines = block
      .replaceAll('\\\n', ' ')
      .split('\n')
      .map((line) => wordsOf(line))
      .filter((words) => words.length > 0)
      .map((words) => lineFrom(words, isWindrow(words) ? expectations.shift() : undefined))
    if (expectations.length > 0) throw new Error(`More is expected than commands are shown:\n${block}`)
    return lines
  })
}

/** True for `npx windrow ...`. */
export function isWindrow(words: readonly string[]): boolean {
  return words[0] === 'npx' && words[1] === 'windrow'
}

function firstLine(block: string): string {
  return block.slice(0, block.indexOf('\n'))
}

function lineFrom(words: readonly string[], expected: Expected | undefined): Line {
  return { text: words.join(' '), words, expected }
}

function expectedFrom(check: string): Expected {
  const exit = /^(?:\d+|runs)/.exec(check)?.[0]
  if (exit === undefined) throw new Error(`"${check}" does not begin with an exit code, nor with "runs".`)
  const rest = check.slice(exit.length)
  const texts = [...rest.matchAll(/"([^"]*)"/g)].map(([, text]) => text!)
  const paths = rest
    .replaceAll(/"[^"]*"/g, ' ')
    .split(' ')
    .filter((path) => path !== '')
  return { exit: exit === 'runs' ? exit : Number(exit), texts, paths }
}

/** Splits a line like a shell, with quotes only; a # starts a comment. */
export function wordsOf(line: string): readonly string[] {
  const words: string[] = []
  for (const [, double, single, bare] of line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)) {
    if (bare?.startsWith('#') === true) break
    words.push(double ?? single ?? bare!)
  }
  return words
}

/**
 * Runs the windrow commands and programs in order and returns a sentence for each unexpected result. Without a program in place
 * of windrow, those that end share a process, because starting one takes longer than most of them.
 */
export async function faultsOf(lines: readonly Line[], folder: string, program?: string): Promise<readonly string[]> {
  const faults: string[] = []
  const running: ChildProcess[] = []
  const shared = program === undefined ? startSharedProcess(surroundings(folder)) : undefined
  if (shared !== undefined) running.push(shared.child)
  try {
    for (const line of lines.filter(({ words, program: own }) => isWindrow(words) || own !== undefined)) {
      if (line.expected === undefined) {
        faults.push(`${line.text}: nothing is expected of it`)
        continue
      }
      const runsOn = line.expected.exit === 'runs'
      const words = line.words.slice(2)
      const file = line.program === undefined ? undefined : written(line.program, folder)
      if (shared !== undefined && !runsOn) {
        const { status, stdout, stderr } = await shared.run(file === undefined ? words : { program: file })
        faults.push(...faultsIn(line, line.expected, { exit: status, said: stdout + stderr, folder }))
        continue
      }
      const run = start(file === undefined ? [program ?? join(root, 'bin/windrow.js'), ...words] : [file], folder)
      if (runsOn) running.push(run.child)
      const exit = runsOn ? await untilSaid(run, line.expected.texts) : await run.ended
      faults.push(...faultsIn(line, line.expected, { exit, said: run.said(), folder }))
    }
  } finally {
    for (const child of running) await stop(child)
  }
  return faults
}

/** The file of a program that imports windrow from this checkout. */
function written(program: string, folder: string): string {
  const path = join(mkdtempSync(join(folder, 'readme-')), 'block.mjs')
  const local = (_: string, entry = 'index'): string => `from '${pathToFileURL(join(root, `src/${entry}.ts`)).href}'`
  writeFileSync(path, program.replaceAll(/from 'windrow(?:\/(\w+))?'/g, local))
  return path
}

type Outcome = { readonly exit: number | undefined; readonly said: string; readonly folder: string }

function faultsIn(line: Line, expected: Expected, { exit, said, folder }: Outcome): readonly string[] {
  const wrongExit =
    exit !== undefined && exit !== expected.exit
      ? [expected.exit === 'runs' ? `ended with ${exit}` : `ended with ${exit}, not ${expected.exit}`]
      : []
  const unsaid = expected.texts.filter((text) => !said.includes(text)).map((text) => `did not say "${text}"`)
  const absent = expected.paths
    .filter((path) => globSync(path, { cwd: folder }).length === 0)
    .map((path) => `left no ${path}`)
  const faults = [...wrongExit, ...unsaid, ...absent]
  return faults.length === 0 ? [] : [`${line.text}: ${faults.join('; ')}\n${said}`]
}

type Run = { readonly child: ChildProcess; readonly ended: Promise<number>; said(): string }

function surroundings(folder: string) {
  const env = { ...process.env, HOME: folder, USERPROFILE: folder, XDG_STATE_HOME: folder, NO_COLOR: '1', CI: '1' }
  return { cwd: folder, env }
}

function start(words: readonly string[], folder: string): Run {
  const child = spawn(process.execPath, words, { ...surroundings(folder), stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)))
  return { child, ended, said: () => said }
}

/** The exit code of a program that should keep running but ended, undefined while it runs. */
async function untilSaid(run: Run, texts: readonly string[]): Promise<number | undefined> {
  for (let tenth = 0; tenth < 100; tenth += 1) {
    if (run.child.exitCode !== null) return run.child.exitCode === 0 ? -1 : run.child.exitCode
    if (texts.every((text) => run.said().includes(text))) return undefined
    await wait(100)
  }
  return undefined
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill()
  await ended
}
