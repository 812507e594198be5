/** Hides where runs live: one folder a run under the state folder, a lock a pipeline, and the pruning of old runs. */

import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { WindrowError } from '../core/error.ts'
import type { Report } from './report.ts'
import { openStage } from './stage-store.ts'

/** A run by its name, such as 1120-1412-onboard, and its folder. */
export type RunFolder = { readonly id: string; readonly folder: string }

const keptRuns = 60

/** Makes the folder of a new run, named by its local start time and its pipeline. */
export function startRunFolder(state: string, name: string, started: Date): RunFolder {
  const two = (part: number): string => String(part).padStart(2, '0')
  const time = `${two(started.getMonth() + 1)}${two(started.getDate())}-${two(started.getHours())}${two(started.getMinutes())}`
  const runs = join(state, 'runs')
  mkdirSync(runs, { recursive: true, mode: 0o700 })
  if (process.platform !== 'win32') chmodSync(state, 0o700)
  for (let attempt = 1; ; attempt += 1) {
    const id = `${time}-${fileName(name)}${attempt === 1 ? '' : `-${attempt}`}`
    const folder = join(runs, id)
    if (existsSync(folder)) continue
    mkdirSync(folder, { mode: 0o700 })
    return { id, folder }
  }
}

/** The newest run of this pipeline whose stage is complete but not all answered, if its process died; else undefined. */
export function findUnfinishedRun(state: string, name: string): RunFolder | undefined {
  return runFolders(state)
    .filter((run) => {
      const facts = stageFacts(run.folder)
      return facts?.name === name && facts.isComplete && !facts.isFinished
    })
    .at(-1)
}

function stageFacts(
  folder: string,
): { name: string | undefined; isComplete: boolean; isFinished: boolean } | undefined {
  if (!existsSync(join(folder, 'stage.db'))) return undefined
  const stage = openStage(folder)
  try {
    return {
      name: stage.recall<string>('pipeline'),
      isComplete: stage.isComplete,
      isFinished: stage.recall<boolean>('finished') === true,
    }
  } finally {
    stage.close()
  }
}

/** All runs that left a report, oldest first. */
export function listRuns(state: string): readonly (RunFolder & { readonly report: Report })[] {
  return runFolders(state)
    .flatMap((run) => {
      const path = join(run.folder, 'report.json')
      return existsSync(path) ? [{ ...run, report: JSON.parse(readFileSync(path, 'utf8')) as Report }] : []
    })
    .sort((one, other) => one.report.started.localeCompare(other.report.started))
}

/** Deletes the oldest runs beyond the number that is kept. A run with records still to send is never deleted. */
export function pruneRuns(state: string): void {
  const finished = runFolders(state).filter((run) => stageFacts(run.folder)?.isFinished !== false)
  for (const run of finished.slice(0, Math.max(0, finished.length - keptRuns)))
    rmSync(run.folder, { recursive: true, force: true })
}

function runFolders(state: string): readonly RunFolder[] {
  const runs = join(state, 'runs')
  if (!existsSync(runs)) return []
  return readdirSync(runs, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => ({ id: entry.name, folder: join(runs, entry.name) }))
    .sort((one, other) => one.id.localeCompare(other.id))
}

/**
 * Keeps other processes from running the same pipeline until `release` is called or this process ends, however it ends:
 * the lock is SQLite's own file lock, so nothing stale is ever left behind.
 */
export function lockPipeline(state: string, name: string): { release(): void } {
  const folder = join(state, 'locks')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${fileName(name)}.lock`)
  const database = new DatabaseSync(path, { timeout: 0 })
  chmodSync(path, 0o600)
  try {
    database.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
  } catch (cause) {
    database.close()
    throw new WindrowError('run-busy', `Another process is running "${name}".`, {
      hint: 'Wait until it has ended; two runs of one pipeline at a time would step on each other.',
      cause,
    })
  }
  return { release: () => database.close() }
}

/** A name that every file system takes. */
export function fileName(name: string): string {
  const safe = name.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+|[-.]+$/g, '')
  return safe === '' ? 'run' : safe.slice(0, 60)
}
