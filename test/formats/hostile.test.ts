import { fork, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import type { Outcome } from '../command-runner.ts'
import { root } from '../imports.ts'
import { expectBelow } from '../processor-time.ts'
import { share } from '../runs.ts'
import { bombs } from './bombs.ts'

const ground = mkdtempSync(join(tmpdir(), 'windrow-hostile-'))
const folders = { work: join(ground, 'work'), temporary: join(ground, 'temporary') }
for (const each of Object.values(folders)) mkdirSync(each)
const { temporary } = folders
const measured = join(ground, 'measured.json')

/** Each process has a working and a temporary folder that hold nothing else. */
const surroundings = {
  cwd: folders.work,
  env: {
    ...process.env,
    WINDROW_WATCH_FILE: measured,
    TMPDIR: temporary,
    TMP: temporary,
    TEMP: temporary,
    NO_COLOR: '1',
  },
}
const mostMs = 60_000

/** The first of these kinds goes through the program as a person starts it: a zip, a text, and what needs a process of its own. */
const started = new Set(['archives', 'texts', 'databases'])

function inspectInProgram(path: string): Outcome {
  const watch = pathToFileURL(join(import.meta.dirname, 'hostile-watch.mjs')).href
  const words = ['--import', watch, join(root, 'bin/windrow.js'), 'inspect', path]
  const options = { ...surroundings, encoding: 'utf8', timeout: mostMs, maxBuffer: 1 << 26 } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, words, options)
  const took = JSON.parse(readFileSync(measured, 'utf8')) as Pick<Outcome, 'peakMB' | 'cpuMs'>
  rmSync(measured)
  return { status: status ?? -1, stdout, stderr, ...took }
}

let reader: ChildProcess | undefined
afterAll(() => {
  reader?.kill()
  rmSync(ground, { recursive: true, force: true })
})

const mostMB = 300

/**
 * The others share a process, because starting one takes longer than reading. What its earlier files left in memory counts as well,
 * so a file with which it takes too much is read again in a new process.
 */
async function inspectInReader(path: string): Promise<Outcome> {
  const isNew = reader === undefined
  const own = (reader ??= fork(join(root, 'test/command-runner.ts'), {
    ...surroundings,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  }))
  const patience = setTimeout(() => own.kill('SIGKILL'), mostMs)
  try {
    const inspected = await new Promise<Outcome>((resolve, reject) => {
      own.once('message', (message) => resolve(message as Outcome))
      own.once('exit', (code, signal) => reject(new Error(`The reading process ended with ${signal ?? code}.`)))
      own.send(['inspect', path])
    })
    if (isNew || inspected.peakMB < mostMB) return inspected
    own.kill()
    reader = undefined
    return await inspectInReader(path)
  } catch (cause) {
    reader = undefined
    throw cause
  } finally {
    clearTimeout(patience)
    own.removeAllListeners('message')
    own.removeAllListeners('exit')
  }
}

const chosen = Object.entries(bombs).flatMap(([kind, all]) =>
  share(all, kind === 'databases' ? 1 : 3).map((bomb, index) => ({
    ...bomb,
    isStarted: index === 0 && started.has(kind),
  })),
)

test.each(chosen)(
  '$file: $what',
  async ({ file, isStarted, harmless, says, make }) => {
    const path = join(ground, file)
    const bytes = make(path)
    if (bytes !== undefined) writeFileSync(path, bytes)
    const inspected = isStarted ? inspectInProgram(path) : await inspectInReader(path)
    const { status, stdout, stderr, peakMB, cpuMs } = inspected
    const left = Object.values(folders).flatMap((each) => readdirSync(each))
    const beside = readdirSync(ground).toSorted()
    rmSync(path)
    const said = `${stdout}${stderr}`
    expect({ status, said: said.slice(0, 500) }).toMatchObject({ status: harmless === true ? 0 : 2 })
    expect(said).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m)
    expect(said.length).toBeLessThan(400_000)
    // The sentence, and in its second line what to do.
    if (harmless !== true) {
      expect(stderr.trim().split('\n').length).toBeGreaterThanOrEqual(2)
      expect(stderr).toContain(file)
    }
    if (says !== undefined) expect(said).toMatch(says)
    expect(peakMB).toBeLessThan(mostMB)
    await expectBelow(5000, cpuMs)
    expect(left).toEqual([])
    expect(beside).toEqual([file, 'temporary', 'work'].toSorted())
  },
  90_000,
)
